package tests

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// keyedBetween are statements that make, change and drop a foreign key between tables of two databases.
var keyedBetween = []string{
	"CREATE TABLE d.more (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES up.parent (id))",
	"ALTER TABLE d.child ADD CONSTRAINT added FOREIGN KEY (q) REFERENCES up.parent (id)",
	"ALTER TABLE d.child DROP FOREIGN KEY first",
	"RENAME TABLE d.child TO d.more",
	"ALTER TABLE d.child RENAME TO d.more, ADD COLUMN w INT",
	"DROP TABLE d.child",
	"DROP DATABASE d",
}

// makeKeyed makes what a statement of keyedBetween is about.
func makeKeyed(t *testing.T, p *shopper, change string) {
	for _, statement := range []string{
		"CREATE DATABASE up", "CREATE DATABASE d", "CREATE TABLE up.parent (id INT PRIMARY KEY)",
		"CREATE TABLE d.child (id INT PRIMARY KEY, p INT, q INT, CONSTRAINT first FOREIGN KEY (p) REFERENCES up.parent (id))",
		"INSERT INTO up.parent VALUES (1), (2)", "INSERT INTO d.child VALUES (1, 1, 1)",
	} {
		mustExec(t, p.DB, statement)
	}
	if strings.HasPrefix(change, "CREATE") || strings.HasPrefix(change, "ALTER TABLE d.child ADD") {
		mustExec(t, p.DB, "ALTER TABLE d.child DROP FOREIGN KEY first") // so that parent does not know it
	}
}

// checkKeyed holds what definitions say of foreign keys of database d against what is kept: a row that another one refers to stays, and
// none refers to one that is not there.
func checkKeyed(t *testing.T, p *shopper, what string) {
	t.Helper()
	parent := len(firsts(t, p, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'up' AND table_name = 'parent'")) > 0
	for i, name := range firsts(t, p, "SELECT DISTINCT table_name FROM information_schema.tables WHERE table_schema = 'd'") {
		for j, column := range firsts(t, p, "SELECT column_name FROM information_schema.key_column_usage WHERE table_schema = 'd' AND referenced_table_name = 'parent' AND table_name = ?", name) {
			key := 100 + 10*i + j
			if !parent {
				t.Errorf("%s: %s.%s refers to a table that is not there", what, name, column)
				continue
			}
			mustExec(t, p.DB, "INSERT IGNORE INTO up.parent VALUES (?)", key)
			mustExec(t, p.DB, fmt.Sprintf("REPLACE INTO d.%s (id, %s) VALUES (?, ?)", name, column), key, key)
			if _, err := p.Exec("DELETE FROM up.parent WHERE id = ?", key); !errors.Is(err, nearlyfree.ErrForeignKey) {
				t.Errorf("%s: a row of parent that one of %s refers to is deleted: %v", what, name, err)
			}
			if _, err := p.Exec(fmt.Sprintf("UPDATE d.%s SET %s = 999 WHERE id = ?", name, column), key); !errors.Is(err, nearlyfree.ErrForeignKey) {
				t.Errorf("%s: a row of %s refers to a row that is not there: %v", what, name, err)
			}
			if _, err := p.Exec("DROP TABLE up.parent"); numberOf(err) != nearlyfree.CodeDropReferenced {
				t.Errorf("%s: a table that %s refers to is dropped: %v", what, name, err)
			}
		}
	}
}

// TestForeignKeyDiedOverDatabases ends the process that makes, changes or drops a foreign key between two databases before each of its
// writes, and after each whose answer it does not get. What is there then is kept, and the statement can be sent again.
func TestForeignKeyDiedOverDatabases(t *testing.T) {
	t.Parallel()
	for _, change := range keyedBetween {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprint(change, " ", lost), func(t *testing.T) {
				t.Parallel()
				for at, died := 1, true; died && !t.Failed(); at++ {
					synctest.Test(t, func(t *testing.T) {
						s := newShop(t)
						other := s.enter(false)
						makeKeyed(t, other, change)
						written := 0
						died = false
						maker := s.connectBy(1, func(r *http.Request) azuretest.Fault {
							if died {
								return azuretest.Fault{Refuse: true}
							}
							if !ofStatement(r) {
								return azuretest.Fault{}
							}
							written++
							died = written == at
							return azuretest.Fault{Refuse: died && !lost, LoseAnswer: died && lost}
						})
						_, err := maker.Exec(change)
						if !died && err != nil {
							t.Errorf("without an interruption: %v", err)
						}
						time.Sleep(shopLease)
						what := fmt.Sprint(change, ", died at write ", at)
						checkKeyed(t, other, what)
						if _, err := other.Exec(change); died && err != nil && !isDone(err) {
							t.Errorf("%s, again: %v", what, err)
						}
						checkKeyed(t, other, what+", again")
					})
				}
			})
		}
	}
}

// isDone says whether an error is that what a statement makes is there, or gone.
func isDone(err error) bool {
	switch numberOf(err) {
	case nearlyfree.CodeTableExists, nearlyfree.CodeNoSuchTable, nearlyfree.CodeUnknownTable, nearlyfree.CodeDuplicateForeignKey, nearlyfree.CodeCantDropField, nearlyfree.CodeNoDatabaseToDrop:
		return true
	}
	return false
}

// TestForeignKeyMeetsOverDatabases runs a statement of another process before each write of one that makes, changes or drops a foreign key
// between two databases. Whichever is first, what is there then is kept.
func TestForeignKeyMeetsOverDatabases(t *testing.T) {
	t.Parallel()
	for i, change := range keyedBetween {
		for j, meets := range []string{
			"DROP TABLE up.parent", "DROP DATABASE up", "TRUNCATE up.parent", "DELETE FROM up.parent", "RENAME TABLE up.parent TO up.elder",
			"ALTER TABLE up.parent RENAME COLUMN id TO number", "ALTER TABLE up.parent DROP PRIMARY KEY, ADD COLUMN n INT PRIMARY KEY AUTO_INCREMENT",
			"ALTER TABLE d.child DROP FOREIGN KEY first", "DROP TABLE d.child", "INSERT INTO d.child VALUES (9, 2, 2)",
		} {
			if (i+j)%testrun.Of(2, 5) > 0 {
				continue
			}
			t.Run(change+" / "+meets, func(t *testing.T) {
				t.Parallel()
				for at, met := 1, true; met && !t.Failed(); at++ {
					met = false
					for _, swapped := range []bool{false, true} {
						first, second := change, meets
						if swapped {
							first, second = meets, change
						}
						synctest.Test(t, func(t *testing.T) {
							s := newShop(t)
							a, b := s.enter(false), s.enter(false)
							makeKeyed(t, b, change)
							firsts(t, a, "SELECT id FROM d.child")
							firsts(t, a, "SELECT id FROM up.parent")
							var written atomic.Int64
							a.watch(func(r *http.Request) {
								if ofStatement(r) && written.Add(1) == int64(at) {
									_, err := b.Exec(second)
									checkMet(t, second, err)
								}
							})
							_, err := a.Exec(first)
							checkMet(t, first, err)
							met = met || written.Load() >= int64(at)
							a.before.Store(nil)
							time.Sleep(shopLease)
							checkKeyed(t, b, fmt.Sprint(first, ", and before write ", at, " ", second))
						})
					}
				}
			})
		}
	}
}

// checkMet reports errors that a change of definitions which meets another one must not have.
func checkMet(t *testing.T, statement string, err error) {
	t.Helper()
	if err == nil || isExpected(err) || isDone(err) || errors.Is(err, nearlyfree.ErrSchemaChanged) || errors.Is(err, nearlyfree.ErrNotSupported) {
		return
	}
	switch numberOf(err) {
	case nearlyfree.CodeDropReferenced, nearlyfree.CodeTruncateReferenced, nearlyfree.CodeNoReferencedTable, nearlyfree.CodeUnknownDatabase,
		nearlyfree.CodeForeignKeyColumn, nearlyfree.CodeIndexNeeded:
		return
	}
	t.Errorf("%s: %v", statement, err)
}
