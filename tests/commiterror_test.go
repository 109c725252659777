package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestCommitErrors: a COMMIT that meets another transaction names the row in the words of SQL.
func TestCommitErrors(t *testing.T) {
	t.Parallel()
	serializable := sql.TxOptions{Isolation: sql.LevelSerializable}
	for _, c := range []struct {
		name      string
		options   sql.TxOptions
		tx, other string
		want      error
		number    uint16
		message   string
	}{
		{"duplicate", sql.TxOptions{}, "INSERT INTO t VALUES (2, 'b', 20, 0)", "INSERT INTO t VALUES (2, 'x', 21, 0)",
			nearlyfree.ErrDuplicateKey, 1062, "Duplicate entry '2' for key 'PRIMARY'"},
		{"duplicate of an index", sql.TxOptions{}, "INSERT INTO t VALUES (2, 'b', 20, 0)", "INSERT INTO t VALUES (3, 'x', 20, 0)",
			nearlyfree.ErrDuplicateKey, 1062, "Duplicate entry '20' for key 'v'"},
		{"duplicate of a folded text", sql.TxOptions{}, "INSERT INTO t VALUES (2, 'Été', 20, 0)", "INSERT INTO t VALUES (3, 'ete', 21, 0)",
			nearlyfree.ErrDuplicateKey, 1062, "Duplicate entry 'Été' for key 'name'"},
		{"changed", sql.TxOptions{}, "UPDATE t SET n = 1 WHERE id = 1", "UPDATE t SET n = 2 WHERE id = 1",
			nearlyfree.ErrConflict, 1213, "row (id = 1) of table t was changed by another transaction; run"},
		{"deleted", sql.TxOptions{}, "UPDATE t SET n = 1 WHERE id = 1", "DELETE FROM t WHERE id = 1",
			nearlyfree.ErrConflict, 1213, "row (id = 1) of table t was deleted by another transaction; run"},
		{"read", serializable, "INSERT INTO u SELECT id, 0 FROM t WHERE id = 1", "UPDATE t SET n = 2 WHERE id = 1",
			nearlyfree.ErrConflict, 1213, "row (id = 1) of table t was changed, added or deleted by another transaction; run"},
		{"read by an index", serializable, "INSERT INTO u SELECT id, 0 FROM t WHERE n BETWEEN 0 AND 5", "INSERT INTO t VALUES (9, 'x', 90, 3)",
			nearlyfree.ErrConflict, 1213, "row (id = 9) of table t was changed, added or deleted by another transaction; run"},
		{"read by a unique index", serializable, "SELECT id FROM t WHERE v = 20; INSERT INTO u VALUES (1, 1)", "INSERT INTO t VALUES (9, 'x', 20, 3)",
			nearlyfree.ErrConflict, 1213, "row (v = 20) of table t was changed, added or deleted by another transaction; run"},
		{"pinned", sql.TxOptions{}, "SELECT * FROM t WHERE id = 1 FOR UPDATE; INSERT INTO t VALUES (5, 'e', 50, 0)", "UPDATE t SET n = 2 WHERE id = 1",
			nearlyfree.ErrConflict, 1213, "row (id = 1) of table t was changed by another transaction; run"},
		{"key of two columns", sql.TxOptions{}, "UPDATE w SET n = 1", "DELETE FROM w",
			nearlyfree.ErrConflict, 1213, "row (at = 2024-05-06 07:08:09, who = some body) of table w was deleted by another transaction; run"},
		{"no key", sql.TxOptions{}, "UPDATE bare SET n = 1", "DELETE FROM bare",
			nearlyfree.ErrConflict, 1213, "a row of table bare was deleted by another transaction; run"},
		{"parent", sql.TxOptions{}, "INSERT INTO kid VALUES (1, 2)", "DELETE FROM w; DELETE FROM t WHERE id = 1",
			nearlyfree.ErrConflict, 1213, "row (id = 1) of table t was deleted by another transaction; run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, db *sql.DB) {
				if c.options == serializable && strings.HasSuffix(t.Name(), "azure") {
					t.Skip("there are no such levels")
				}
				runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, v INT, n INT, UNIQUE KEY name (name), UNIQUE KEY v (v), KEY n (n))",
					"CREATE TABLE u (id INT PRIMARY KEY, n INT)", "CREATE TABLE w (at DATETIME, who VARCHAR(20), n INT, PRIMARY KEY (at, who))", "CREATE TABLE bare (n INT)",
					"CREATE TABLE kid (id INT, k INT, PRIMARY KEY (id, k), FOREIGN KEY (id) REFERENCES t (id)) INTERLEAVE IN PARENT t",
					"INSERT INTO t VALUES (1, 'a', 10, 0)", "INSERT INTO w VALUES ('2024-05-06 07:08:09', 'some body', 0)", "INSERT INTO bare VALUES (0)")
				tx, err := db.BeginTx(t.Context(), &c.options)
				if err != nil {
					t.Fatal(err)
				}
				runAll(t, tx, strings.Split(c.tx, ";")...)
				runAll(t, db, strings.Split(c.other, ";")...)
				err = tx.Commit()
				var e *nearlyfree.Error
				if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Number != c.number || !strings.Contains(e.Message, c.message) {
					t.Errorf("%v, want %v: %s", err, c.want, c.message)
				}
			})
		})
	}
}

// TestDuplicateAtCommit: a key that another transaction takes before the COMMIT is met by the statement when RunTx runs it again.
func TestDuplicateAtCommit(t *testing.T) {
	everywhere(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
		for i, c := range []struct {
			statement string
			want      error
			n         int
		}{
			{"INSERT INTO t VALUES (%d, 1) ON DUPLICATE KEY UPDATE n = n + 1", nil, 11},
			{"INSERT IGNORE INTO t VALUES (%d, 1)", nil, 10},
			{"INSERT INTO t VALUES (%d, 1)", nearlyfree.ErrDuplicateKey, 10},
		} {
			tries := 0
			err := nearlyfree.RunTx(t.Context(), db, nil, func(tx *sql.Tx) error {
				if _, err := tx.Exec(fmt.Sprintf(c.statement, i)); err != nil {
					return err
				}
				if tries++; tries == 1 {
					runAll(t, db, fmt.Sprintf("INSERT INTO t VALUES (%d, 10)", i))
				}
				return nil
			})
			var n int
			if readErr := db.QueryRow("SELECT n FROM t WHERE id = ?", i).Scan(&n); !errors.Is(err, c.want) || n != c.n || readErr != nil {
				t.Errorf("%s: %v, and n is %d, want %v and %d (%v)", c.statement, err, n, c.want, c.n, readErr)
			}
		}
	})
}

// TestOvertakenStatement: a transaction that others have overtaken meets what they wrote. That is a conflict, and RunTx runs it again; what was
// there before is the statement's own error.
func TestOvertakenStatement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, first, others, second, statement string }{
		{"a key, after FOR UPDATE", "SELECT next FROM district WHERE id = 1 FOR UPDATE",
			"UPDATE district SET next = 6 WHERE id = 1; INSERT INTO orders VALUES (5, 5, 1)", "INSERT INTO orders VALUES (READ, 99, 1)", "INSERT INTO orders VALUES (5, 99, 1)"},
		{"a key, after UPDATE", "UPDATE district SET next = next + 1 WHERE id = 1",
			"UPDATE district SET next = 6 WHERE id = 1; INSERT INTO orders VALUES (6, 5, 1)", "INSERT INTO orders VALUES ((SELECT next FROM district WHERE id = 1), 99, 1)", "INSERT INTO orders VALUES (6, 99, 1)"},
		{"a unique key, after UPDATE", "UPDATE district SET next = next + 1 WHERE id = 1",
			"UPDATE district SET next = 6 WHERE id = 1; INSERT INTO orders VALUES (77, 6, 1)", "INSERT INTO orders VALUES (88, (SELECT next FROM district WHERE id = 1), 1)", "INSERT INTO orders VALUES (88, 6, 1)"},
		{"a parent", "UPDATE district SET next = next + 1 WHERE id = 1",
			"UPDATE district SET next = 2 WHERE id = 1; DELETE FROM item WHERE id = 6", "INSERT INTO orders VALUES (88, 88, (SELECT next FROM district WHERE id = 1))", "INSERT INTO orders VALUES (88, 88, 6)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, db *sql.DB) {
				if strings.HasSuffix(t.Name(), "azure") {
					t.Skip("a transaction has one table")
				}
				runAll(t, db, "CREATE TABLE district (id INT PRIMARY KEY, next INT)", "CREATE TABLE item (id INT PRIMARY KEY)",
					"CREATE TABLE orders (id INT PRIMARY KEY, u INT, item INT, UNIQUE KEY u (u), FOREIGN KEY (item) REFERENCES item (id))",
					"INSERT INTO district VALUES (1, 5)", "INSERT INTO item VALUES (1), (2), (3), (6), (7)")
				tries := 0
				err := nearlyfree.RunTx(t.Context(), db, nil, func(tx *sql.Tx) error {
					runAll(t, tx, c.first)
					if tries++; tries == 1 {
						runAll(t, db, strings.Split(c.others, ";")...)
					}
					_, err := tx.Exec(strings.ReplaceAll(c.second, "READ", fmt.Sprint(4+tries)))
					if tries == 1 && (!errors.Is(err, nearlyfree.ErrConflict) || !strings.Contains(fmt.Sprint(err), "row (id = 1) of table district was changed by another transaction; run")) {
						t.Errorf("the first try: %v", err)
					}
					return err
				})
				if tries != 2 || err != nil && c.name != "a parent" {
					t.Errorf("%d tries, %v", tries, err)
				}
				err = nearlyfree.RunTx(t.Context(), db, nil, func(tx *sql.Tx) error {
					runAll(t, tx, "UPDATE district SET next = 0 WHERE id = 1")
					_, err := tx.Exec(c.statement)
					return err
				})
				if !errors.Is(err, nearlyfree.ErrDuplicateKey) && !errors.Is(err, nearlyfree.ErrForeignKey) {
					t.Errorf("what was there before: %v", err)
				}
			})
		})
	}
}
