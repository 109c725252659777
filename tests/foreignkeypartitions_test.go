package tests

import (
	"database/sql"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestForeignKeyOfNewPartition: a transaction has looked whether rows refer to one that it deletes. Then another process writes such a row into
// a partition that was not there. Whatever the transaction does, no row is left without its parent.
func TestForeignKeyOfNewPartition(t *testing.T) {
	t.Parallel()
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelSerializable} {
		for _, alone := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := newShop(t)
				ours := s.enter(false)
				theirs := ours
				if !alone {
					theirs = s.enter(false)
				}
				for _, statement := range []string{
					"CREATE TABLE parent (id INT PRIMARY KEY)",
					"CREATE TABLE child (id INT, at INT, p INT, PRIMARY KEY (id, at), FOREIGN KEY (p) REFERENCES parent (id)) PARTITION BY LIST (at) AUTOMATIC",
					"INSERT INTO parent VALUES (1), (2)", "INSERT INTO child VALUES (1, 1, 2)",
				} {
					mustExec(t, ours.DB, statement)
				}
				tx, err := ours.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				if _, err := tx.Exec("DELETE FROM parent WHERE id = 1"); err != nil {
					t.Fatal(err)
				}
				mustExec(t, theirs.DB, "INSERT INTO child VALUES (2, 2, 1)")
				if err := tx.Commit(); !errors.Is(err, nearlyfree.ErrSchemaChanged) && !errors.Is(err, nearlyfree.ErrConflict) {
					t.Errorf("COMMIT: %v", err)
				}
				if n := count(t, ours.DB, "SELECT COUNT(*) FROM child WHERE p NOT IN (SELECT id FROM parent)"); n > 0 {
					t.Errorf("%d rows refer to no row", n)
				}
				if _, err := ours.Exec("DELETE FROM parent WHERE id = 1"); !errors.Is(err, nearlyfree.ErrForeignKey) {
					t.Errorf("DELETE of a row that another one refers to: %v", err)
				}
			})
		}
	}
}
