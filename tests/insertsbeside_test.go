package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestInsertsBeside: a transaction reads what lies behind the keys that it inserts, once, and minds there only others who write its own keys.
func TestInsertsBeside(t *testing.T) {
	t.Parallel()
	for _, s := range plainStores() {
		for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable} {
			t.Run(fmt.Sprint(s.name, " ", level), func(t *testing.T) {
				db := nearlyfreetest.OpenConfig(t, s.config(t))
				exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(9) UNIQUE, n INT, KEY (n))")
				exec(t, db, "INSERT INTO t VALUES (1, 'a', 1), (100, 'm', 1)")
				begin := func(statements ...string) *sql.Tx {
					t.Helper()
					tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
					if err != nil {
						t.Fatal(err)
					}
					runAll(t, tx, "INSERT INTO t VALUES (10, 'b', 1), (11, 'c', 1), (12, 'd', 1)")
					nearlyfreetest.AssertRequests(t, db, 0, func() { runAll(t, tx, statements...) })
					return tx
				}
				tx := begin("INSERT INTO t VALUES (20, 'e', 2)", "INSERT INTO t VALUES (22, 'g', 2), (23, 'h', 2)")
				exec(t, db, "INSERT INTO t VALUES (21, 'f', 2)")
				if err := tx.Commit(); err != nil {
					t.Error("beside another one's row:", err)
				}

				exec(t, db, "DELETE FROM t WHERE id BETWEEN 10 AND 12")
				tx = begin("INSERT INTO t VALUES (15, 'dd', 2)")
				exec(t, db, "INSERT INTO t VALUES (16, 'dd', 2)")
				if err := tx.Commit(); !errors.Is(err, nearlyfree.ErrConflict) && !errors.Is(err, nearlyfree.ErrDuplicateKey) {
					t.Error("another one has taken the unique key:", err)
				}

				tx = begin("INSERT INTO t VALUES (14, 'cc', 2)", "DELETE FROM t WHERE id = 14")
				exec(t, db, "INSERT INTO t VALUES (14, 'ce', 2)")
				if err := tx.Commit(); (err == nil) != (level < sql.LevelRepeatableRead) {
					t.Error("a key was free, and then another one's:", err)
				}
			})
		}
	}
}

// TestInsertOfWhatWasSeen: a transaction that has seen another one's row may not insert it. The statement fails, as in MySQL, and the
// transaction goes on.
func TestInsertOfWhatWasSeen(t *testing.T) {
	for _, s := range plainStores() {
		for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelSerializable} {
			t.Run(fmt.Sprint(s.name, " ", level), func(t *testing.T) {
				db := nearlyfreetest.OpenConfig(t, s.config(t))
				exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
				tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				runAll(t, tx, "INSERT INTO t VALUES (1, 1), (2, 1)")
				exec(t, db, "INSERT INTO t VALUES (3, 7)")
				var n int
				if err := tx.QueryRow("SELECT n FROM t WHERE id = 3").Scan(&n); err != nil {
					t.Skip("it is not seen: ", err)
				}
				_, err = tx.Exec("INSERT INTO t VALUES (3, 8)")
				if err == nil {
					t.Errorf("row 3 was read (n = %d), and inserted again all the same; COMMIT: %v", n, tx.Commit())
				}
			})
		}
	}
}
