package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestForeignKeyRaces: parents are deleted and given other keys while children are inserted, moved and taken back, by single statements
// and by transactions at all levels. Whoever loses is told so, and in the end every child has its parent.
func TestForeignKeyRaces(t *testing.T) {
	for name, dsn := range map[string]string{"memory": "mem://foreignkeyraces", "file": "file:" + filepath.Join(t.TempDir(), "races.db")} {
		for _, action := range []string{"RESTRICT", "CASCADE", "SET NULL"} {
			t.Run(name+" "+action, func(t *testing.T) {
				db, err := sql.Open("nearlyfree", dsn)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				for _, s := range []string{
					"DROP TABLE IF EXISTS grandchild, child, parent",
					"CREATE TABLE parent (id INT PRIMARY KEY, u INT UNIQUE)",
					"CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (u) ON DELETE " + action + " ON UPDATE " + action + ")",
					"CREATE TABLE grandchild (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES child (id) ON DELETE CASCADE)",
				} {
					if _, err := db.Exec(s); err != nil {
						t.Fatal(err)
					}
				}
				raceKeys(t, db)
			})
		}
	}
}

func raceKeys(t *testing.T, db *sql.DB) {
	const keys = 4
	ctx := context.Background()
	levels := []sql.IsolationLevel{sql.LevelDefault, sql.LevelReadCommitted, sql.LevelSnapshot, sql.LevelSerializable}
	var mu sync.Mutex
	outcomes := map[string]int{}
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 9))
			statement := func() string {
				key, other, id := rnd.IntN(keys), rnd.IntN(keys), w*1000+rnd.IntN(6)
				return [...]string{
					fmt.Sprintf("INSERT INTO parent VALUES (%d, %d)", key, key),
					fmt.Sprintf("INSERT INTO parent VALUES (%d, %d)", key, key),
					fmt.Sprintf("DELETE FROM parent WHERE id = %d", key),
					fmt.Sprintf("UPDATE parent SET u = %d WHERE id = %d", other, key),
					fmt.Sprintf("REPLACE INTO parent VALUES (%d, %d)", key, key),
					fmt.Sprintf("INSERT INTO child VALUES (%d, %d)", id, key),
					fmt.Sprintf("INSERT INTO child VALUES (%d, %d)", id, key),
					fmt.Sprintf("UPDATE child SET p = %d WHERE id = %d", key, id),
					fmt.Sprintf("DELETE FROM child WHERE id = %d", id),
					fmt.Sprintf("INSERT INTO grandchild VALUES (%d, %d)", id, rnd.IntN(6)*1000+rnd.IntN(6)),
				}[rnd.IntN(10)]
			}
			for range testrun.Few(160) {
				var err error
				if rnd.IntN(2) == 0 {
					_, err = db.ExecContext(ctx, statement())
				} else {
					var tx *sql.Tx
					if tx, err = db.BeginTx(ctx, &sql.TxOptions{Isolation: levels[rnd.IntN(len(levels))]}); err != nil {
						t.Error(err)
						return
					}
					for range 1 + rnd.IntN(3) {
						if _, failed := tx.ExecContext(ctx, statement()); failed != nil && !isExpected(failed) {
							t.Error(failed)
						}
					}
					if err = tx.Commit(); err != nil && !isExpected(err) {
						t.Errorf("COMMIT: %v", err)
					}
				}
				outcome := "done"
				if err != nil {
					if outcome = "refused"; !isExpected(err) {
						t.Error(err)
					}
				}
				mu.Lock()
				outcomes[outcome]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if outcomes["done"] < 20 || outcomes["refused"] < 20 {
		t.Errorf("the writers hardly met: %v", outcomes)
	}
	for _, query := range []string{
		"SELECT COUNT(*) FROM child WHERE p IS NOT NULL AND p NOT IN (SELECT u FROM parent)",
		"SELECT COUNT(*) FROM grandchild WHERE c NOT IN (SELECT id FROM child)",
	} {
		var orphans int
		if err := db.QueryRow(query).Scan(&orphans); err != nil || orphans > 0 {
			t.Errorf("%d rows refer to rows that are not there (%v): %s", orphans, err, query)
		}
	}
	rows, err := db.Query("CHECK TABLE parent, child, grandchild")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	lines, err := table(rows)
	if err != nil || len(lines) != 4 {
		t.Errorf("%v %v", lines, err)
	}
}

// isExpected says whether a statement that meets others may fail so.
func isExpected(err error) bool {
	return errors.Is(err, nearlyfree.ErrForeignKey) || errors.Is(err, nearlyfree.ErrDuplicateKey) || errors.Is(err, nearlyfree.ErrConflict)
}
