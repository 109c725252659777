package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// twoProcesses gives two databases over one store that know nothing of each other but what is stored. The test is in virtual time
// (synctest), where each request takes a while: so none of the processes stands still for longer than a lease.
func twoProcesses(t *testing.T) (a, b *sql.DB) {
	t.Helper()
	return twoProcessesOf(t, nearlyfree.LayoutTable)
}

func twoProcessesOf(t *testing.T, layout nearlyfree.Layout) (a, b *sql.DB) {
	t.Helper()
	config := overService(0, false)
	config.Layout = layout
	config.SchemaLease = time.Second
	config.Transport.(*azuretest.Transport).SetFault(func(int, *http.Request) azuretest.Fault { return azuretest.Fault{Delay: 5 * time.Millisecond} })
	return nearlyfreetest.OpenConfig(t, config), nearlyfreetest.OpenConfig(t, config)
}

// inVirtualTime is t.Run in a bubble of virtual time.
func inVirtualTime(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// inLayouts runs a test of two processes with each layout.
func inLayouts(t *testing.T, test func(t *testing.T, a, b *sql.DB)) {
	for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutTable, nearlyfree.LayoutSingle} {
		inVirtualTime(t, string(layout), func(t *testing.T) {
			a, b := twoProcessesOf(t, layout)
			test(t, a, b)
		})
	}
}

func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	inLayouts(t, testTwoProcesses)
}

func testTwoProcesses(t *testing.T, a, b *sql.DB) {
	exec(t, a, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
	exec(t, b, "INSERT INTO t (v) VALUES (1)")
	exec(t, a, "INSERT INTO t (v) VALUES (2)")
	// Each takes values of its own, and what one gives itself the other does not meet.
	exec(t, a, "INSERT INTO t (id, v) VALUES (3, 3)")
	for range 5 {
		exec(t, b, "INSERT INTO t (v) VALUES (4)")
	}
	if n := count(t, a, "SELECT COUNT(*) FROM t"); n != 8 {
		t.Errorf("%d rows", n)
	}
	// What one has made since, the other knows at once when it is asked for by name.
	exec(t, a, "CREATE TABLE u (id INT PRIMARY KEY)")
	exec(t, b, "INSERT INTO u VALUES (1)")
	exec(t, a, "ALTER TABLE u ADD COLUMN w INT DEFAULT 7")
	if n := count(t, b, "SELECT w FROM u"); n != 7 {
		t.Errorf("w is %d", n)
	}
	// What is dropped and made again is another table.
	exec(t, b, "SELECT * FROM u")
	exec(t, a, "DROP TABLE u")
	if _, err := b.Exec("INSERT INTO u VALUES (2, 2)"); !errors.Is(err, nearlyfree.ErrNoTable) {
		t.Errorf("inserting into a dropped table: %v", err)
	}
	exec(t, a, "CREATE TABLE u (id INT PRIMARY KEY, x VARCHAR(10), KEY (x))")
	exec(t, b, "INSERT INTO u (id, x) VALUES (3, 'x')")
	if n := count(t, a, "SELECT id FROM u WHERE x = 'x'"); n != 3 {
		t.Errorf("id is %d", n)
	}
	exec(t, b, "TRUNCATE TABLE t")
	if n := count(t, a, "SELECT COUNT(*) FROM t"); n != 0 {
		t.Errorf("%d rows after TRUNCATE", n)
	}
	exec(t, a, "RENAME TABLE t TO s")
	exec(t, b, "INSERT INTO s (v) VALUES (1)")
	exec(t, b, "CREATE TABLE t (id INT PRIMARY KEY)")
	exec(t, a, "INSERT INTO t VALUES (9)")
	if n := count(t, b, "SELECT COUNT(*) FROM s"); n != 1 {
		t.Errorf("%d rows in s", n)
	}
}

// TestDropAndMakeAgain changes a table from one process to another one of the same name while the other process
// writes by the old definition.
func TestDropAndMakeAgain(t *testing.T) {
	t.Parallel()
	inLayouts(t, testDropAndMakeAgain)
}

func testDropAndMakeAgain(t *testing.T, a, b *sql.DB) {
	for i := range 10 {
		exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
		exec(t, b, "INSERT INTO t VALUES (1, 1)")
		exec(t, a, "DROP TABLE t")
		exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))")
		if _, err := b.Exec("INSERT INTO t (id, v) VALUES (?, 2)", 10+i); err != nil {
			t.Error(err)
		}
		if err := nearlyfreetest.Check(a); err != nil {
			t.Fatal(err)
		}
		exec(t, a, "DROP TABLE t")
	}
}

// TestManyDefine has both processes make and change tables at the same time.
func TestManyDefine(t *testing.T) {
	t.Parallel()
	inLayouts(t, testManyDefine)
}

func testManyDefine(t *testing.T, a, b *sql.DB) {
	exec(t, a, "CREATE TABLE shared (id INT PRIMARY KEY, v INT, w INT)")
	exec(t, a, "INSERT INTO shared VALUES (1, 1, 1), (2, 2, 2)")
	together(6, func(i int) {
		db := []*sql.DB{a, b}[i%2]
		retried(t, func() error {
			_, err := db.Exec(fmt.Sprintf("CREATE TABLE t%d (id INT PRIMARY KEY, v INT)", i))
			return err
		})
		retried(t, func() error {
			_, err := db.Exec(fmt.Sprintf("CREATE INDEX i%d ON shared (v, w)", i))
			return err
		})
	})
	for _, db := range []*sql.DB{a, b} {
		time.Sleep(3 * time.Second) // leases
		if n := count(t, db, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"); n != 7 {
			t.Errorf("%d tables", n)
		}
		if n := count(t, db, "SELECT COUNT(DISTINCT index_name) FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'shared'"); n != 7 {
			t.Errorf("%d indexes", n)
		}
	}
}

// TestTransactionAcrossChange commits a transaction that wrote by a definition which was changed since.
func TestTransactionAcrossChange(t *testing.T) {
	t.Parallel()
	for name, databases := range map[string]func(t *testing.T) (*sql.DB, *sql.DB){
		"one process":   func(t *testing.T) (*sql.DB, *sql.DB) { db := nearlyfreetest.Open(t); return db, db },
		"two processes": twoProcesses,
	} {
		inVirtualTime(t, name, func(t *testing.T) {
			a, b := databases(t)
			exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
			tx, err := b.Begin()
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			if _, err := tx.Exec("INSERT INTO t VALUES (1, 1)"); err != nil {
				t.Fatal(err)
			}
			exec(t, a, "CREATE INDEX v ON t (v)")
			var e *nearlyfree.Error
			if err := tx.Commit(); !errors.Is(err, nearlyfree.ErrSchemaChanged) || !errors.As(err, &e) || !e.Retryable {
				t.Errorf("the commit gives %v", err)
			}
			if n := count(t, a, "SELECT COUNT(*) FROM t"); n != 0 {
				t.Errorf("%d rows stand", n)
			}
		})
	}
}

// TestCopiesOnline makes and drops a table WITH PARENT in one process while the other one writes the parent's rows, and
// those inside it as long as it is there.
func TestCopiesOnline(t *testing.T) {
	t.Parallel()
	inLayouts(t, testCopiesOnline)
}

func testCopiesOnline(t *testing.T, a, b *sql.DB) {
	exec(t, a, "CREATE TABLE expense (id INT PRIMARY KEY, v INT, KEY (v))")
	exec(t, a, "INSERT INTO expense VALUES (1, 1), (2, 2), (3, 3)")
	var over atomic.Bool
	var writes atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !over.Load(); i++ {
			id := 1 + i%7
			for _, query := range []string{
				"INSERT IGNORE INTO expense VALUES (?, 0)", "UPDATE expense SET v = v + 1 WHERE id = ?",
				"INSERT IGNORE INTO item (expense, n) VALUES (?, 1)", "DELETE FROM expense WHERE id = ? AND v % 3 = 0",
			} {
				_, err := b.Exec(query, id)
				var e *nearlyfree.Error
				switch {
				case err == nil:
					writes.Add(1)
				case errors.Is(err, nearlyfree.ErrNoTable), errors.As(err, &e) && e.Retryable:
				default:
					t.Errorf("%s: %v", query, err)
				}
			}
		}
	}()
	for range 3 {
		exec(t, a, `CREATE TABLE item (expense INT, n INT, PRIMARY KEY (expense, n),
			FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE) INTERLEAVE IN PARENT expense WITH PARENT`)
		for range 20 {
			if n := count(t, a, "SELECT COUNT(*) FROM expense e LEFT JOIN item i ON i.expense = e.id AND i.n = 1 WHERE e.id IN (1, 2)"); n > 2 {
				t.Errorf("%d rows of two", n)
			}
		}
		if err := nearlyfreetest.Check(a); err != nil {
			t.Error(err)
		}
		exec(t, a, "DROP TABLE item")
	}
	over.Store(true)
	<-done
	if err := nearlyfreetest.Check(a); err != nil {
		t.Error(err)
	}
	if n := writes.Load(); n < 50 {
		t.Errorf("%d writes", n)
	}
}

// TestAutoIncrementOnline makes a column AUTO_INCREMENT while another process writes rows with values of its own: none of them is
// given again.
func TestAutoIncrementOnline(t *testing.T) {
	t.Parallel()
	inLayouts(t, func(t *testing.T, a, b *sql.DB) {
		exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
		exec(t, b, "INSERT INTO t VALUES (1, 0)")
		var changed atomic.Bool
		var group sync.WaitGroup
		last := 1
		group.Go(func() {
			for ; !changed.Load(); last++ {
				if _, err := b.Exec("INSERT INTO t VALUES (?, 1)", 10*(last+1)); err != nil {
					t.Error(err)
				}
			}
		})
		time.Sleep(100 * time.Millisecond)
		exec(t, a, "ALTER TABLE t MODIFY id INT AUTO_INCREMENT")
		changed.Store(true)
		exec(t, a, "INSERT INTO t (v) VALUES (2)")
		group.Wait()
		exec(t, b, "INSERT INTO t (v) VALUES (3)")
		if n := count(t, a, "SELECT COUNT(*) FROM t"); n != last+2 || last < 20 {
			t.Errorf("%d rows, and %d were written before", n, last)
		}
	})
}
