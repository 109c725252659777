package tests

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

var changeRuns = flag.Int("changes", 1, "how often each definition is changed under writers")

// changes are definitions that are changed while others write, each with what takes it back.
var changes = [][2]string{
	{"CREATE INDEX v ON t (v)", "DROP INDEX v ON t"},
	{"CREATE UNIQUE INDEX u ON t (u)", "DROP INDEX u ON t"},
	{"CREATE INDEX w ON t (w) INCLUDE (v)", "ALTER TABLE t DROP INDEX w"},
	{"ALTER TABLE t ADD COLUMN extra INT NOT NULL DEFAULT 5, ADD INDEX extra (extra)", "ALTER TABLE t DROP COLUMN extra"},
	{"ALTER TABLE t MODIFY COLUMN w VARCHAR(30)", "ALTER TABLE t MODIFY COLUMN w INT"},
}

// TestChangeUnderWriters changes definitions while the same process, or another one, writes: no row is lost, no
// write fails for good, every index is complete.
func TestChangeUnderWriters(t *testing.T) {
	t.Parallel()
	for _, change := range changes {
		t.Run(change[0], func(t *testing.T) {
			t.Run("one process", func(t *testing.T) {
				t.Parallel()
				for range *changeRuns {
					db := nearlyfreetest.Open(t)
					changeUnderWriters(t, db, db, change)
				}
			})
			t.Run("two processes", func(t *testing.T) {
				t.Parallel()
				for range *changeRuns {
					synctest.Test(t, func(t *testing.T) {
						a, b := twoProcesses(t)
						changeUnderWriters(t, a, b, change)
					})
				}
			})
		})
	}
}

func changeUnderWriters(t *testing.T, definer, writer *sql.DB, change [2]string) {
	exec(t, definer, "CREATE TABLE t (id INT PRIMARY KEY, u INT, v INT, w INT)")
	for i := range 40 {
		exec(t, definer, "INSERT INTO t VALUES (?, ?, 0, 0)", i, i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &onlineWriters{T: t, db: writer, sum: make([]int, 40), last: make([]int, 40)}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { w.write(ctx, i) })
	}
	defer wg.Wait()
	defer cancel()
	for _, q := range []string{change[0], change[1], change[0]} {
		exec(t, definer, q)
		if err := nearlyfreetest.Check(definer); err != nil {
			t.Error(err)
		}
	}
	cancel()
	wg.Wait()
	if err := nearlyfreetest.Check(definer); err != nil {
		t.Error(err)
	}
	for id, sum := range w.sum {
		if n := count(t, definer, fmt.Sprint("SELECT v FROM t WHERE id = ", id)); n != sum {
			t.Errorf("row %d was raised by %d, and holds %d", id, sum, n)
		}
		if n := count(t, definer, fmt.Sprint("SELECT COALESCE(w, -1) FROM t WHERE id = ", id)); n != w.last[id] {
			t.Errorf("w of row %d was set to %d, and is %d", id, w.last[id], n)
		}
	}
	if n := count(t, definer, "SELECT COUNT(*) FROM t"); n != 40 {
		t.Errorf("%d rows", n)
	}
}

// onlineWriters raise v of rows, and delete and insert them anew. Each has rows of its own.
type onlineWriters struct {
	*testing.T
	db   *sql.DB
	sum  []int // by row: v
	last []int // by row: w
}

func (w *onlineWriters) write(ctx context.Context, writer int) {
	conn, err := w.db.Conn(context.Background()) // of its own: RowsAffected waits for a connection's lock, and virtual time stands still then
	if err != nil {
		w.Error(err)
		return
	}
	defer conn.Close()
	r := rand.New(rand.NewPCG(uint64(writer), 9))
	for ; ctx.Err() == nil; time.Sleep(200 * time.Microsecond) {
		id := r.IntN(10)*4 + writer
		switch r.IntN(16) { // most change nothing but v: what else there is must not get lost
		case 0:
			w.retried(conn, "DELETE FROM t WHERE id = ?", id)
			w.retried(conn, "INSERT INTO t (id, u, v, w) VALUES (?, ?, ?, ?)", id, id, w.sum[id], w.sum[id])
			w.last[id] = w.sum[id]
		case 1:
			w.retried(conn, "UPDATE t SET v = v + 1, w = v WHERE id = ?", id)
			w.sum[id]++
			w.last[id] = w.sum[id]
		case 2:
			w.retried(conn, "UPDATE t SET v = v + 1, u = u + 1000 WHERE id = ?", id)
			w.sum[id]++
		default:
			w.retried(conn, "UPDATE t SET v = v + 1 WHERE id = ?", id)
			w.sum[id]++
		}
	}
}

func (w *onlineWriters) retried(conn *sql.Conn, query string, args ...any) {
	retried(w.T, func() error {
		r, err := conn.ExecContext(context.Background(), query, args...)
		if err == nil {
			if n, _ := r.RowsAffected(); n != 1 {
				return fmt.Errorf("%s %v: %d rows affected", query, args, n)
			}
		}
		return err
	})
}

// TestProgressOfChange: how many rows ALTER TABLE has written anew is shown while it does so, and not after that.
func TestProgressOfChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, progressOfChange)
}

func progressOfChange(t *testing.T) {
	config := overService(0, false)
	transport := config.Transport.(*azuretest.Transport)
	db, _ := openConfig(t, config)
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT) COMMENT 'what it is for'")
	exec(t, db, "CREATE TABLE other (id INT PRIMARY KEY)")
	for from := 0; from < 600; from += 300 {
		var rows []string
		for id := from; id < from+300; id++ {
			rows = append(rows, fmt.Sprintf("(%d, 0, 0)", id))
		}
		exec(t, db, "INSERT INTO t VALUES "+strings.Join(rows, ", "))
	}
	status := func() string {
		rows, err := db.Query("SHOW TABLE STATUS")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := table(rows)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines[1:], "\n")
	}
	for _, change := range []string{"ALTER TABLE t MODIFY COLUMN v VARCHAR(10)", "ALTER TABLE t DROP COLUMN w"} {
		before := status()
		noted, seen := make(chan struct{}), make(chan struct{})
		var once sync.Once
		transport.SetAfter(func(r *http.Request, _ int) {
			switch {
			case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/Z8t"):
				select {
				case <-noted:
				default:
					time.Sleep(time.Second) // so that there is something to tell of
				}
			case strings.Contains(r.URL.Path, "progress!"):
				once.Do(func() { close(noted); <-seen })
			}
		})
		done := make(chan error)
		go func() {
			_, err := db.Exec(change)
			done <- err
		}()
		select {
		case <-noted:
			if got := status(); !strings.Contains(got, "what it is for; being changed, 500 rows written anew so far") || strings.Count(got, "so far") != 1 {
				t.Errorf("%s: %s", change, got)
			}
			close(seen)
			if err := <-done; err != nil {
				t.Error(err)
			}
		case err := <-done:
			t.Errorf("%s: nothing was noted, %v", change, err)
		}
		transport.SetAfter(nil)
		if after := status(); strings.Contains(after, "so far") {
			t.Errorf("%s: %s, and before %s", change, after, before)
		}
	}
}

// TestTakeBack ends an ALTER TABLE when it is announced, then lets the table become another one: what takes the change
// back leaves its place, its name and what lives inside it as they have become.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	for name, become := range map[string]struct{ statement, table string }{
		"truncated": {"TRUNCATE TABLE t", "t"},
		"renamed":   {"RENAME TABLE t TO u", "u"},
		"a parent":  {"CREATE TABLE child (id INT, n INT, PRIMARY KEY (id, n), FOREIGN KEY (id) REFERENCES t (id)) INTERLEAVE IN PARENT t", "t"},
	} {
		for _, single := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " single ", single), func(t *testing.T) {
				config := overService(0, false)
				config.SchemaLease = 50 * time.Millisecond
				if single {
					config.Layout = nearlyfree.LayoutSingle
				}
				transport := config.Transport.(*azuretest.Transport)
				db := nearlyfreetest.OpenConfig(t, config)
				exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
				exec(t, db, "INSERT INTO t VALUES (1, 1)")
				ctx, cancel := context.WithCancel(t.Context())
				transport.SetAfter(func(r *http.Request, status int) {
					if strings.HasSuffix(r.URL.Path, "$batch") {
						cancel() // the change is announced
					}
				})
				if _, err := db.ExecContext(ctx, "ALTER TABLE t MODIFY COLUMN v VARCHAR(10)"); err == nil {
					t.Fatal("the change was made")
				}
				transport.SetAfter(nil)
				exec(t, db, become.statement)
				exec(t, db, "INSERT INTO "+become.table+" VALUES (2, 2)")
				exec(t, db, "CREATE INDEX v ON "+become.table+" (v)")
				if n := count(t, db, "SELECT COUNT(*) FROM "+become.table+" WHERE v = 2"); n != 1 {
					t.Errorf("%d rows of 1", n)
				}
				if name == "a parent" {
					exec(t, db, "INSERT INTO child VALUES (2, 1)")
					if _, err := db.Exec("DELETE FROM t WHERE id = 2"); err == nil {
						t.Error("a parent was deleted that has a child")
					}
				}
			})
		}
	}
}

// TestTruncateBesideChange empties a table while an index of it is dropped or changed: what is written afterwards is
// where the table is then.
func TestTruncateBesideChange(t *testing.T) {
	t.Parallel()
	for _, change := range []string{"DROP INDEX v ON t", "ALTER TABLE t MODIFY COLUMN v VARCHAR(10)", "CREATE INDEX w ON t (v)"} {
		for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutTable, nearlyfree.LayoutSingle} {
			t.Run(fmt.Sprint(change, " ", layout), func(t *testing.T) {
				config := overService(0, false)
				config.SchemaLease, config.Layout = 50*time.Millisecond, layout
				transport := config.Transport.(*azuretest.Transport)
				a, b := nearlyfreetest.OpenConfig(t, config), nearlyfreetest.OpenConfig(t, config)
				exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY v (v))")
				exec(t, a, "INSERT INTO t VALUES (1, 1)")
				begun := batches(transport, 1)
				ended := make(chan error)
				go func() {
					_, err := a.Exec(change)
					ended <- err
				}()
				<-begun // its first step is published, and it waits for two leases
				exec(t, b, "TRUNCATE TABLE t")
				if err := <-ended; err != nil {
					t.Log(err) // it may be refused, and run again
				}
				exec(t, b, "INSERT INTO t VALUES (2, 2)")
				if n := count(t, a, "SELECT COUNT(*) FROM t WHERE v = 2"); n != 1 {
					t.Errorf("%d rows of 1", n)
				}
				if n := count(t, a, "SELECT COUNT(*) FROM t"); n != 1 {
					t.Errorf("%d rows of 1 by the table", n)
				}
			})
		}
	}
}

// TestIndexBesideModify has another process make an index of a column while one changes the column's type, which drops
// the indexes that it has: it ends, or the other one does, and can be run again.
func TestIndexBesideModify(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	config.SchemaLease = 50 * time.Millisecond
	other := *config
	transport := &azuretest.Transport{Service: config.Transport.(*azuretest.Transport).Service}
	config.Transport = transport
	a, b := nearlyfreetest.OpenConfig(t, config), nearlyfreetest.OpenConfig(t, &other)
	exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY v (v))")
	exec(t, a, "INSERT INTO t VALUES (1, 1)")
	var begun sync.Once
	transport.SetAfter(func(r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "$batch") { // the index is being retired
			begun.Do(func() { exec(t, b, "CREATE INDEX w ON t (v)") })
		}
	})
	const modify = "ALTER TABLE t MODIFY COLUMN v VARCHAR(10)"
	if _, err := a.Exec(modify); err == nil {
		t.Error("the column was changed beside an index that it did not know")
	}
	retried(t, func() error {
		_, err := a.Exec(modify)
		return err
	})
	exec(t, b, "INSERT INTO t VALUES (2, 'x')")
	for _, index := range []string{"v", "w"} {
		if n := count(t, a, "SELECT COUNT(*) FROM t FORCE INDEX ("+index+") WHERE v >= ''"); n != 2 {
			t.Errorf("%d rows of 2 by index %s", n, index)
		}
	}
}

// TestStricterUnderWriters forbids, by ALTER TABLE, what another process is writing. The change is refused, and the table
// as it was, or made, and then no row breaks it.
func TestStricterUnderWriters(t *testing.T) {
	t.Parallel()
	for change, broken := range map[string]string{
		"ALTER TABLE t MODIFY COLUMN w VARCHAR(10) NOT NULL":         "w IS NULL",
		"ALTER TABLE t ADD CONSTRAINT short CHECK (LENGTH(w) < 4)":   "LENGTH(w) >= 4",
		"ALTER TABLE t MODIFY COLUMN w INT":                          "w LIKE '%x'",
		"ALTER TABLE t CHANGE COLUMN w w VARCHAR(3)":                 "LENGTH(w) >= 4",
		"ALTER TABLE t CHANGE COLUMN w w VARCHAR(10) CHECK (w <> 4)": "w = 4",
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { stricterUnderWriters(t, change, broken) })
		})
	}
}

func stricterUnderWriters(t *testing.T, change, broken string) {
	a, b := twoProcesses(t)
	exec(t, a, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, w VARCHAR(10))")
	exec(t, a, "INSERT INTO t (w) VALUES (1), (2), (3)")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, v := range []any{nil, "4", "12345", "6x"} {
		// LastInsertId takes the connection's mutex. Were the connection another goroutine's by then, virtual time would stand still.
		conn, err := b.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer conn.Close()
			for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
				r, err := conn.ExecContext(t.Context(), "INSERT INTO t (w) VALUES (?)", v)
				if err != nil {
					continue
				}
				id, _ := r.LastInsertId()
				retried(t, func() error {
					_, err := conn.ExecContext(t.Context(), "DELETE FROM t WHERE id = ?", id)
					return err
				})
			}
		})
	}
	for range 3 {
		_, err := a.Exec(change)
		if err == nil {
			if n := count(t, a, "SELECT COUNT(*) FROM t WHERE "+broken); n != 0 {
				t.Errorf("%d rows break it", n)
			}
			break
		}
		exec(t, a, "SELECT * FROM t")
	}
	cancel()
	wg.Wait()
	if n := count(t, a, "SELECT COUNT(*) FROM t"); n != 3 {
		t.Errorf("%d rows", n)
	}
}
