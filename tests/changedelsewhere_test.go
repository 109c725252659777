package tests

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestChangedElsewhere: a statement, and the first one of a transaction, does not fail because another process changes definitions before
// any of its requests, be they of its own database or of another one.
func TestChangedElsewhere(t *testing.T) {
	t.Parallel()
	const (
		own, other            = "CREATE TABLE later (id INT PRIMARY KEY)", "CREATE TABLE other.later (id INT PRIMARY KEY)"
		ownTable, othersTable = "ALTER TABLE parent COMMENT 'changed'", "ALTER TABLE other.y COMMENT 'changed'"
	)
	for name, test := range map[string]struct{ statements, changes []string }{
		"unchecked foreign key": {
			[]string{"SET foreign_key_checks = 0", "CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))", "INSERT INTO child VALUES (1, 1)"},
			[]string{own, other, ownTable},
		},
		"foreign key": {
			[]string{"CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))", "INSERT INTO child VALUES (1, 1)", "DROP TABLE child"},
			[]string{own, ownTable},
		},
		"foreign key elsewhere": {
			[]string{"CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES other.y (id))", "INSERT INTO child VALUES (1, 1)", "DROP TABLE child"},
			[]string{own, other, othersTable},
		},
		"drop in two databases": {
			[]string{"DROP TABLE parent, other.y"},
			[]string{own, other, ownTable, othersTable},
		},
		"queries": {
			[]string{"SELECT * FROM parent", "SELECT * FROM parent JOIN other.y USING (id)", "INSERT INTO parent SELECT id + 1, n FROM other.y", "SHOW TABLES FROM other",
				"SHOW CREATE TABLE other.y", "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema IN ('other', 'nearlyfree')"},
			[]string{own, other, ownTable, othersTable},
		},
		"transaction": {
			[]string{"START TRANSACTION", "INSERT INTO parent SELECT id + 1, n FROM other.y", "UPDATE parent SET n = 3 WHERE id = 1", "COMMIT"},
			[]string{own, other},
		},
		"first statement of a transaction": {
			[]string{"START TRANSACTION", "UPDATE parent JOIN other.y USING (id) SET parent.n = 3"},
			[]string{ownTable, othersTable},
		},
		"of one moment": {
			[]string{"SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SELECT * FROM parent JOIN other.y USING (id)", "UPDATE parent JOIN other.y USING (id) SET parent.n = 3",
				"START TRANSACTION", "SELECT * FROM parent JOIN other.y USING (id)"},
			[]string{own, other, ownTable, othersTable},
		},
		"definitions": {
			[]string{"CREATE TABLE a LIKE parent", "CREATE TABLE b AS SELECT * FROM parent JOIN other.y USING (id, n)", "CREATE VIEW v AS SELECT * FROM other.y", "SELECT * FROM v",
				"ALTER TABLE a ADD COLUMN x INT, ADD INDEX (n)", "TRUNCATE TABLE a", "RENAME TABLE a TO c", "DROP TABLE b, c", "DROP VIEW v"},
			[]string{own, other, ownTable, othersTable},
		},
		"databases": {
			[]string{"CREATE DATABASE third", "CREATE TABLE third.t (id INT PRIMARY KEY)", "SHOW DATABASES", "DROP DATABASE third", "DROP DATABASE other"},
			[]string{own},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, change := range test.changes {
				for at, reached := 0, true; reached; at++ {
					if at > 30 && at%testrun.Of(1, 5) > 0 {
						continue
					}
					synctest.Test(t, func(t *testing.T) { reached = changedAt(t, at, test.statements, change) })
				}
			}
		})
	}
}

// changedAt runs statements while another process makes a change before the at-th request of theirs, and says whether there are so many.
func changedAt(t *testing.T, at int, statements []string, change string) (reached bool) {
	shop := newShop(t)
	them, us := shop.enter(false), shop.enter(false)
	runAll(t, them, "CREATE TABLE parent (id INT PRIMARY KEY, n INT)", "INSERT INTO parent VALUES (1, 1)", "CREATE DATABASE other", "CREATE TABLE other.y (id INT PRIMARY KEY, n INT)",
		"INSERT INTO other.y VALUES (1, 1)")
	var (
		mu   sync.Mutex
		seen int
		err  error
	)
	us.watch(func(r *http.Request) {
		if strings.Contains(r.URL.Path, "members") {
			return
		}
		mu.Lock()
		is := seen == at
		seen++
		mu.Unlock()
		if !is {
			return
		}
		_, changeErr := them.Exec(change)
		mu.Lock()
		defer mu.Unlock()
		reached, err = true, changeErr
	})
	conn, connErr := us.Conn(t.Context())
	if connErr != nil {
		t.Fatal(connErr)
	}
	defer conn.Close()
	for _, s := range statements {
		if err := readAll(conn, s); err != nil {
			t.Errorf("%s, before request %d: %s: %v", change, at, s, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	var gone *nearlyfree.Error
	if err != nil && !(errors.As(err, &gone) && gone.Number == nearlyfree.CodeNoSuchTable) { // a statement has dropped it
		t.Errorf("%s, before request %d of %v: %v", change, at, statements, err)
	}
	return reached
}
