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
	err := endsAfter(t, db, transport, statement, transactions)
	if err == nil {
		t.Fatalf("%s: was made", statement)
	}
	return err
}

// TestHalfway ends statements that change definitions when some of their steps are made: the error says so, and a column
// that is added later holds nothing of one that had its name.
func TestHalfway(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// TestFilledColumn ends statements that add a column with a value of its own in each row, after each of their
// transactions: nobody finds the column before every row has its value, and the next ALTER TABLE makes an end of it.
func TestFilledColumn(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"x CHAR(36) NOT NULL DEFAULT (UUID())", "x INT AS (v + 1) STORED NOT NULL", "x CHAR(36) NOT NULL DEFAULT (UUID()) UNIQUE"} {
		made := false
		for transactions := 1; !made; transactions++ {
			config := overService(0, false)
			config.SchemaLease = 20 * time.Millisecond
			db := nearlyfreetest.OpenConfig(t, config)
			exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
			exec(t, db, "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
			made = endsAfter(t, db, config.Transport.(*azuretest.Transport), "ALTER TABLE t ADD COLUMN "+column, transactions) == nil
			found := func(when string) bool {
				var without int
				err := db.QueryRow("SELECT COUNT(*) FROM t WHERE x IS NULL").Scan(&without)
				if errors.Is(err, nearlyfree.ErrUnknownColumn) {
					return false
				}
				if err != nil || without > 0 {
					t.Errorf("%s, ended after %d transactions, %s: %d rows without a value, %v", column, transactions, when, without, err)
				}
				return true
			}
			visible := found("at once")
			if _, err := db.Exec("INSERT INTO t VALUES (4, 4)"); (err != nil) != visible {
				t.Errorf("%s, ended after %d transactions, is found: %v; INSERT of two values: %v", column, transactions, visible, err)
			}
			exec(t, db, "UPDATE t SET v = v + 10")
			exec(t, db, "INSERT INTO t (id, v) VALUES (5, 5)")
			found("behind writes")
			exec(t, db, "ALTER TABLE t ADD COLUMN y INT")
			if !found("behind another change") && transactions > 1 {
				if _, err := db.Exec("ALTER TABLE t ADD COLUMN " + column); err != nil {
					t.Errorf("%s, ended after %d transactions, again: %v", column, transactions, err)
				}
			}
			var problems int
			if err := db.QueryRow("SELECT COUNT(*) FROM t WHERE v < 10 AND id < 4").Scan(&problems); err != nil || problems > 0 {
				t.Errorf("%s: %d rows were not updated, %v", column, problems, err)
			}
			if transactions > 30 {
				t.Fatal("the statement is not made")
			}
		}
	}
}

// endsAfter runs a statement, and ends it after a number of transactions. Its error is nil when it was made before.
func endsAfter(t *testing.T, db *sql.DB, transport *azuretest.Transport, statement string, transactions int) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	transport.SetAfter(func(r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "$batch") {
			if transactions--; transactions == 0 {
				cancel()
			}
		}
	})
	defer transport.SetAfter(nil)
	_, err := db.ExecContext(ctx, statement)
	return err
}
