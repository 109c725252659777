package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestForeignKeyRaces: parents are deleted and given other keys while children are inserted, moved and taken back, by single statements
// and by transactions at all levels. Whoever loses is told so, and in the end every child has its parent.
func TestForeignKeyRaces(t *testing.T) {
	for _, store := range stores {
		if store.dear || store.name == "memory, single" {
			continue
		}
		for _, action := range []string{"RESTRICT", "CASCADE", "SET NULL"} {
			if store.shared && store.variant != "" && action != "CASCADE" {
				continue // over HTTP this takes long
			}
			t.Run(store.name+" "+action, func(t *testing.T) {
				config := store.config(t)
				processes := 1
				if isAccount(config) {
					processes = 2
				}
				var dbs []*sql.DB
				for range processes {
					connector, err := nearlyfree.NewConnector(config)
					if err != nil {
						t.Fatal(err)
					}
					dbs = append(dbs, sql.OpenDB(connector))
					defer dbs[len(dbs)-1].Close()
				}
				raceKeysOf(t, dbs, action, "", "", strings.NewReplacer().Replace)
				raceKeysOf(t, dbs, action, "", " PARTITION BY LIST (id) AUTOMATIC", strings.NewReplacer("parent", "parents", "child", "children").Replace)
				in := namedBy(config)
				for _, name := range []string{"@b", "@a"} {
					exec(t, dbs[0], in("CREATE DATABASE "+name))
					defer exec(t, dbs[0], in("DROP DATABASE "+name))
				}
				raceKeysOf(t, dbs, action, "", "", strings.NewReplacer("parent", in("@b.parent"), " child", in(" @a.child"), "grandchild", "descendant").Replace)
			})
		}
	}
}

// TestForeignKeyAtCommit: what others have done to the rows of both sides since its statements looked is a transaction's conflict.
func TestForeignKeyAtCommit(t *testing.T) {
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			connector, err := nearlyfree.NewConnector(s.config(t))
			if err != nil {
				t.Fatal(err)
			}
			db := sql.OpenDB(connector)
			defer db.Close()
			ctx := context.Background()
			do := func(on interface {
				ExecContext(context.Context, string, ...any) (sql.Result, error)
			}, statement string) {
				t.Helper()
				if _, err := on.ExecContext(ctx, statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			do(db, "CREATE TABLE parent (id INT PRIMARY KEY, u INT UNIQUE)")
			do(db, "CREATE TABLE child (id INT PRIMARY KEY, p INT, q INT, FOREIGN KEY (p) REFERENCES parent (id), FOREIGN KEY (q) REFERENCES parent (u) ON DELETE CASCADE)")
			for _, c := range []struct{ ours, theirs, says string }{
				{"INSERT INTO child VALUES (1, 1, NULL)", "DELETE FROM parent WHERE id = 1", "row (id = 1) of table parent, to which a row of the transaction refers, was deleted or changed by another transaction; run the transaction again"},
				{"INSERT INTO child VALUES (1, NULL, 10)", "UPDATE parent SET u = 11 WHERE id = 1", "row (u = 10) of table parent, to which a row of the transaction refers, was deleted or changed by another transaction; run the transaction again"},
				{"DELETE FROM parent WHERE id = 1", "INSERT INTO child VALUES (1, 1, NULL)", "rows that refer to one which the transaction deletes or changes were added by another transaction; run the transaction again"},
				{"DELETE FROM parent WHERE id = 1", "INSERT INTO child VALUES (1, NULL, 10)", "rows that refer to one which the transaction deletes or changes were added by another transaction; run the transaction again"},
				{"INSERT INTO child VALUES (1, 1, 10)", "UPDATE parent SET u = NULL WHERE id = 2", ""},
				{"DELETE FROM parent WHERE id = 1", "INSERT INTO child VALUES (1, 2, 20)", ""},
			} {
				do(db, "DELETE FROM child")
				do(db, "REPLACE INTO parent VALUES (1, 10), (2, 20)")
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				do(tx, c.ours)
				do(db, c.theirs)
				err = tx.Commit()
				if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, nearlyfree.ErrConflict) || !strings.Contains(err.Error(), c.says)) {
					t.Errorf("%s, and meanwhile %s: COMMIT gives %v, want %q", c.ours, c.theirs, err, c.says)
				}
			}
		})
	}
}

// raceKeysOf makes the tables by the names that named gives them, with how they are divided, and lets writers meet there.
func raceKeysOf(t *testing.T, dbs []*sql.DB, action, ofParent, ofChild string, named func(string) string) {
	for _, s := range []string{
		"CREATE TABLE parent (id INT PRIMARY KEY, u INT UNIQUE)" + ofParent,
		"CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (u) ON DELETE " + action + " ON UPDATE " + action + ")" + ofChild,
		"CREATE TABLE grandchild (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES child (id) ON DELETE CASCADE)",
	} {
		exec(t, dbs[0], named(s))
	}
	raceKeys(t, dbs, named)
	exec(t, dbs[0], named("DROP TABLE grandchild"))
}

func raceKeys(t *testing.T, dbs []*sql.DB, named func(string) string) {
	const keys = 4
	ctx := context.Background()
	levels := []sql.IsolationLevel{sql.LevelDefault, sql.LevelReadCommitted, sql.LevelSnapshot, sql.LevelSerializable}
	var mu sync.Mutex
	outcomes := map[string]int{}
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			rnd, db := rand.New(rand.NewPCG(uint64(w), 9)), dbs[w%len(dbs)]
			statement := func() string {
				key, other, id := rnd.IntN(keys), rnd.IntN(keys), w*1000+rnd.IntN(6)
				return named([...]string{
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
				}[rnd.IntN(10)])
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
						if _, failed := tx.ExecContext(ctx, statement()); failed != nil && !isExpected(failed) && !errors.Is(failed, nearlyfree.ErrSchemaChanged) {
							t.Error(failed)
						}
					}
					if err = tx.Commit(); err != nil && !isExpected(err) && !errors.Is(err, nearlyfree.ErrSchemaChanged) { // by another partition
						t.Errorf("COMMIT: %v", err)
					}
				}
				outcome := "done"
				if err != nil {
					if outcome = "refused"; !isExpected(err) && !errors.Is(err, nearlyfree.ErrSchemaChanged) {
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
	db := dbs[0]
	if outcomes["done"] < 20 || outcomes["refused"] < 20 {
		t.Errorf("the writers hardly met: %v", outcomes)
	}
	for _, query := range []string{
		"SELECT COUNT(*) FROM child WHERE p IS NOT NULL AND p NOT IN (SELECT u FROM parent)",
		"SELECT COUNT(*) FROM grandchild WHERE c NOT IN (SELECT id FROM child)",
	} {
		var orphans int
		if err := db.QueryRow(named(query)).Scan(&orphans); err != nil || orphans > 0 {
			t.Errorf("%d rows refer to rows that are not there (%v): %s", orphans, err, named(query))
		}
	}
	rows, err := db.Query(named("CHECK TABLE parent, child, grandchild"))
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

// TestForeignKeyAddedBesideWriters: while others write to both sides a foreign key is added, and from then on it holds.
func TestForeignKeyAddedBesideWriters(t *testing.T) {
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			connector, err := nearlyfree.NewConnector(s.config(t))
			if err != nil {
				t.Fatal(err)
			}
			db := sql.OpenDB(connector)
			defer db.Close()
			for _, statement := range []string{"CREATE TABLE parent (id INT PRIMARY KEY)", "CREATE TABLE child (id INT PRIMARY KEY, p INT)"} {
				if _, err := db.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
			done := make(chan struct{})
			var wg sync.WaitGroup
			for w := range 4 {
				wg.Go(func() {
					rnd := rand.New(rand.NewPCG(uint64(w), 4))
					for {
						select {
						case <-done:
							return
						default:
						}
						key, id := rnd.IntN(5), rnd.IntN(20)
						statement := [...]string{
							fmt.Sprintf("REPLACE INTO child VALUES (%d, %d)", id, key),
							fmt.Sprintf("DELETE FROM parent WHERE id = %d", key),
							fmt.Sprintf("INSERT IGNORE INTO parent VALUES (%d)", key),
							fmt.Sprintf("DELETE FROM child WHERE id = %d", id),
						}[rnd.IntN(4)]
						if _, err := db.Exec(statement); err != nil && !isExpected(err) {
							t.Errorf("%s: %v", statement, err)
						}
					}
				})
			}
			const orphans = "FROM child WHERE p NOT IN (SELECT id FROM parent)"
			for try := 0; ; try++ {
				if _, err := db.Exec("DELETE " + orphans); err != nil && !isExpected(err) {
					t.Error(err)
				}
				_, err := db.Exec("ALTER TABLE child ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES parent (id)")
				if err == nil {
					break
				}
				if !errors.Is(err, nearlyfree.ErrForeignKey) || try > 2000 {
					t.Error(err)
					break
				}
			}
			for range testrun.Few(60) {
				var n int
				err := nearlyfree.RunTx(t.Context(), db, &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true}, func(tx *sql.Tx) error {
					return tx.QueryRow("SELECT COUNT(*) " + orphans).Scan(&n) // of one moment, which a single statement is not on Azure
				})
				if err != nil || n > 0 {
					t.Errorf("%d rows refer to rows that are not there (%v)", n, err)
					break
				}
			}
			close(done)
			wg.Wait()
		})
	}
}

// TestForeignKeyInGroups: a file with foreign keys is read where a transaction covers one partition only, and written to by who says that
// they do not count.
func TestForeignKeyInGroups(t *testing.T) {
	path := "file:" + filepath.Join(t.TempDir(), "keys.db")
	db, err := sql.Open("nearlyfree", path)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "CREATE TABLE parent (id INT PRIMARY KEY)")
	exec(t, db, "CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))")
	exec(t, db, "INSERT INTO parent VALUES (1)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = sql.Open("nearlyfree", path+"?transactions=group"); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context()) // a session, which keeps what SET says
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if n := count(t, db, "SELECT COUNT(*) FROM parent"); n != 1 {
		t.Errorf("%d rows", n)
	}
	for _, statement := range []string{"INSERT INTO child VALUES (1, 1)", "DELETE FROM parent"} {
		if _, err := db.Exec(statement); !errors.Is(err, nearlyfree.ErrNotSupported) || !strings.Contains(err.Error(), "foreign_key_checks") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	for _, statement := range []string{"SET foreign_key_checks = 0", "INSERT INTO child VALUES (1, 1)"} {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}
