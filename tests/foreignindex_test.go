package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestForeignKeyIndexChanges: one process replaces the index that a foreign key goes by, over and over, while others write by the key. No
// statement is refused for good, and no row is left without its parent.
func TestForeignKeyIndexChanges(t *testing.T) {
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			config := s.config(t)
			dbs := make([]*sql.DB, 1)
			if isAccount(config) {
				dbs = make([]*sql.DB, 2)
			}
			for i := range dbs {
				connector, err := nearlyfree.NewConnector(config)
				if err != nil {
					t.Fatal(err)
				}
				dbs[i] = sql.OpenDB(connector)
				defer dbs[i].Close()
			}
			exec(t, dbs[0], "CREATE TABLE parent (id INT PRIMARY KEY)")
			exec(t, dbs[0], "CREATE TABLE child (id INT PRIMARY KEY AUTO_INCREMENT, p INT, q INT, CONSTRAINT f FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE)")

			var done atomic.Bool
			var writers sync.WaitGroup
			for i := range 3 {
				writers.Go(func() {
					for n := 0; !done.Load(); n++ {
						p := i*10 + n%10
						for _, statement := range []string{
							fmt.Sprintf("INSERT INTO parent VALUES (%d)", p), fmt.Sprintf("INSERT INTO child (p, q) VALUES (%d, 1), (%[1]d, 2)", p), fmt.Sprintf("DELETE FROM parent WHERE id = %d", p),
						} {
							_, err := dbs[i%len(dbs)].Exec(statement)
							for errors.Is(err, nearlyfree.ErrSchemaChanged) { // a definition that changes all the time may be one change too fast
								_, err = dbs[i%len(dbs)].Exec(statement)
							}
							if err != nil {
								t.Errorf("%s: %v", statement, err)
								return
							}
						}
					}
				})
			}
			defer writers.Wait()
			defer done.Store(true)
			exec(t, dbs[0], "CREATE INDEX f ON child (p, q)") // the key has brought along one of its name
			for range 3 {
				exec(t, dbs[0], "ALTER TABLE child DROP INDEX f, ADD INDEX g (p)")
				exec(t, dbs[0], "ALTER TABLE child ADD INDEX h (p, q), DROP INDEX g")
				exec(t, dbs[0], "ALTER TABLE child DROP INDEX h, ADD INDEX f (p DESC, q)")
			}
			done.Store(true)
			writers.Wait()
			for _, table := range []string{"parent", "child"} {
				var count int
				if err := dbs[0].QueryRow("SELECT COUNT(*) FROM " + table).Scan(&count); err != nil || table == "parent" && count > 0 {
					t.Errorf("%d rows of %s are left, %v", count, table, err)
				}
			}
		})
	}
}
