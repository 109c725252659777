package tests

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestVariablesInTransaction: what a statement puts into a variable it reads in its transaction: what that has written, at its moment,
// and so that the commit finds out whether it is the same still.
func TestVariablesInTransaction(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"SET @n = (SELECT a FROM t WHERE id = 1)", "SELECT a INTO @n FROM t WHERE id = 1"} {
		t.Run(text, func(t *testing.T) {
			db := nearlyfreetest.Open(t)
			exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)")
			exec(t, db, "INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)")
			begin := func(level sql.IsolationLevel) *sql.Tx {
				t.Helper()
				tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { tx.Rollback() })
				return tx
			}
			run := func(tx *sql.Tx, text string) {
				t.Helper()
				if _, err := tx.Exec(text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			n := func(tx *sql.Tx) (n int) {
				t.Helper()
				run(tx, text)
				if err := tx.QueryRow("SELECT @n").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			tx := begin(sql.LevelDefault)
			run(tx, "UPDATE t SET a = 5 WHERE id = 1")
			if got := n(tx); got != 5 {
				t.Errorf("behind its own write it is %d", got)
			}
			tx.Rollback()

			tx = begin(sql.LevelSerializable)
			if got := n(tx); got != 1 {
				t.Errorf("it is %d", got)
			}
			exec(t, db, "UPDATE t SET a = 100 WHERE id = 1")
			if got := n(tx); got != 1 {
				t.Errorf("behind another's write it is %d", got)
			}
			run(tx, "UPDATE t SET b = @n + 10 WHERE id = 2")
			if err := tx.Commit(); !errors.Is(err, nearlyfree.ErrConflict) {
				t.Errorf("what was read has changed, and the commit gives %v", err)
			}

			// An index that is newer than the moment has no entries there.
			tx = begin(sql.LevelSerializable)
			run(tx, "UPDATE t SET b = 3 WHERE id = 2")
			if got := n(tx); got != 100 {
				t.Errorf("it is %d", got)
			}
			exec(t, db, "CREATE INDEX a ON t (a)")
			if _, err := tx.Exec("SELECT COUNT(*) INTO @n FROM t WHERE a = 100"); !errors.Is(err, nearlyfree.ErrSchemaChanged) {
				t.Errorf("by a definition that is newer than the moment: %v", err)
			}
		})
	}
}

// TestVariablesWithoutAutocommit: where autocommit is off, these begin a transaction, too. To set it to what it is ends none.
func TestVariablesWithoutAutocommit(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, a INT)")
	exec(t, db, "INSERT INTO t VALUES (1, 1)")
	for _, text := range []string{"SELECT a INTO @n FROM t WHERE id = 1", "SET @n = (SELECT a FROM t WHERE id = 1)"} {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		run := func(text string) error {
			_, err := conn.ExecContext(context.Background(), text)
			return err
		}
		for _, s := range []string{"SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET autocommit = 0", text} {
			if err := run(s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
		exec(t, db, "UPDATE t SET a = a + 100")
		if err := run("UPDATE t SET a = @n + 1"); err == nil {
			err = run("COMMIT")
			if !errors.Is(err, nearlyfree.ErrConflict) {
				t.Errorf("%s: an update is lost, with %v", text, err)
			}
		}
		conn.Close()
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"INSERT INTO t VALUES (2, 2)", "SET autocommit = 1"} {
		if _, err := tx.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, "SELECT COUNT(*) FROM t WHERE id = 2"); n != 0 {
		t.Error("what was rolled back stands")
	}
}
