package tests

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestMovedKey: a transaction inserts a value of a unique key; then another one gives a row that value, and the first one, which sees that
// row, takes the value from it, or deletes it. It cannot commit: its own row would lose its index entry, and the other one's would stay.
func TestMovedKey(t *testing.T) {
	t.Parallel()
	for _, level := range []sql.IsolationLevel{sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSnapshot, sql.LevelSerializable} {
		for _, key := range []string{"UNIQUE", "UNIQUE GLOBAL"} {
			for _, c := range []struct{ theirs, takes string }{
				{"UPDATE parent SET u = 2 WHERE id = 3", "UPDATE parent SET u = 0 WHERE id = 3"},
				{"UPDATE parent SET u = 2 WHERE id = 3", "UPDATE parent SET id = 4, u = 0 WHERE id = 3"},
				{"UPDATE parent SET u = 2 WHERE id = 3", "REPLACE INTO parent VALUES (3, 7)"},
				{"UPDATE parent SET u = 2 WHERE id = 3", "DELETE FROM parent WHERE id = 3"},
				{"INSERT INTO parent VALUES (2, 5)", "DELETE FROM parent WHERE u = 5"},
				{"INSERT INTO parent VALUES (2, 5)", "UPDATE parent SET u = 6 WHERE u = 5"},
				{"INSERT INTO parent VALUES (2, 5)", "UPDATE parent SET id = 6 WHERE u = 5"},
				{"INSERT INTO parent VALUES (2, 5)", "REPLACE INTO parent VALUES (6, 5)"},
			} {
				t.Run(level.String()+" "+key+" "+c.takes, func(t *testing.T) {
					overStores(t, func(t *testing.T, db *sql.DB) {
						runAll(t, db, "CREATE TABLE parent (id INT PRIMARY KEY, u INT "+key+")", "INSERT INTO parent VALUES (3, 3)")
						tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
						if err != nil {
							t.Fatal(err)
						}
						defer tx.Rollback()
						runAll(t, tx, "INSERT INTO parent VALUES (2, 2)")
						runAll(t, db, c.theirs)
						_, err = tx.Exec(c.takes)
						if err == nil {
							err = tx.Commit()
						}
						if !errors.Is(err, nearlyfree.ErrConflict) && !errors.Is(err, nearlyfree.ErrDuplicateKey) {
							t.Errorf("the transaction ends with %v", err)
						}
						rows, err := db.Query("CHECK TABLE parent")
						if err != nil {
							t.Fatal(err)
						}
						defer rows.Close()
						if lines, err := table(rows); err != nil || len(lines) != 2 || !strings.Contains(lines[1], "OK") {
							t.Errorf("%v %v", lines, err)
						}
					}, "memory", "file", "service", "service, single")
				})
			}
		}
	}
}
