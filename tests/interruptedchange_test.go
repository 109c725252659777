package tests

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// halfway runs a statement that changes a definition, and ends it after a number of transactions.
func halfway(t *testing.T, db *sql.DB, transport *azuretest.Transport, statement string, transactions int) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	transport.After = func(r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "$batch") {
			if transactions--; transactions == 0 {
				cancel()
			}
		}
	}
	defer func() { transport.After = nil }()
	_, err := db.ExecContext(ctx, statement)
	if err == nil {
		t.Fatalf("%s: was made", statement)
	}
	return err
}

// TestHalfway ends statements that change definitions when some of their steps are made: the error says so, and a column
// that is added later holds nothing of one that had its name.
func TestHalfway(t *testing.T) {
	for name, test := range map[string]struct {
		statement    string
		transactions int // after which it ends
		then         []string
		query        string
		want         int
	}{
		"announced": {"ALTER TABLE t ADD COLUMN x INT NOT NULL DEFAULT 5", 1,
			[]string{"INSERT INTO t (id) VALUES (2)", "ALTER TABLE t ADD COLUMN x INT NOT NULL DEFAULT 7"}, "SELECT COUNT(*) FROM t WHERE x = 7", 2},
		"added": {"ALTER TABLE t ADD COLUMN x INT NOT NULL DEFAULT 5", 2,
			[]string{"INSERT INTO t (id) VALUES (2)", "CREATE INDEX i ON t (x)"}, "SELECT COUNT(*) FROM t WHERE x = 5", 2},
		"dropped": {"ALTER TABLE t DROP COLUMN v", 2,
			[]string{"INSERT INTO t (id) VALUES (2)", "ALTER TABLE t ADD COLUMN v INT"}, "SELECT COUNT(*) FROM t WHERE v IS NULL", 2},
		"changed": {"ALTER TABLE t MODIFY COLUMN v VARCHAR(10)", 1,
			[]string{"INSERT INTO t VALUES (2, 2)", "ALTER TABLE t ADD COLUMN v_2 INT", "ALTER TABLE t MODIFY COLUMN v VARCHAR(10)"},
			"SELECT COUNT(*) FROM t WHERE v = id AND v_2 IS NULL", 2},
		"truncated": {"TRUNCATE TABLE t", 1, nil, "SELECT COUNT(*) FROM t", 0},
		"renamed":   {"RENAME TABLE t TO u", 1, nil, "SELECT COUNT(*) FROM u", 1},
	} {
		t.Run(name, func(t *testing.T) {
			config := overService(0, false)
			config.SchemaLease = 20 * time.Millisecond
			db := nearlyfreetest.OpenConfig(t, config)
			exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
			exec(t, db, "INSERT INTO t VALUES (1, 1)")
			err := halfway(t, db, config.Transport.(*azuretest.Transport), test.statement, test.transactions)
			var e *nearlyfree.Error
			if !errors.As(err, &e) || e.Applied == nearlyfree.AppliedNo || !errors.Is(err, context.Canceled) {
				t.Errorf("the error does not say that some of it stands: %v", err)
			}
			for _, statement := range test.then {
				exec(t, db, statement)
			}
			if n := count(t, db, test.query); n != test.want {
				t.Errorf("%s: %d instead of %d", test.query, n, test.want)
			}
		})
	}
}

// TestAnnouncedColumn names a column that another process is about to add, or to drop: nobody finds it.
func TestAnnouncedColumn(t *testing.T) {
	for change, column := range map[string]string{"ALTER TABLE t ADD COLUMN x INT": "x", "ALTER TABLE t DROP COLUMN v": "v"} {
		config := overService(0, false)
		config.SchemaLease = 20 * time.Millisecond
		db := nearlyfreetest.OpenConfig(t, config)
		exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
		halfway(t, db, config.Transport.(*azuretest.Transport), change, 1)
		for _, statement := range []string{
			"INSERT INTO t (id, " + column + ") VALUES (1, 1)", "UPDATE t SET " + column + " = 1", "SELECT " + column + " FROM t",
			"INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE " + column + " = 1",
		} {
			if _, err := db.Exec(statement); !errors.Is(err, nearlyfree.ErrUnknownColumn) {
				t.Errorf("after the announcement of %s, %s: %v", change, statement, err)
			}
		}
	}
}
