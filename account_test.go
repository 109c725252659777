package nearlyfree

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// The limits of an account. Source: Microsoft Learn, "Scalability and performance targets for Table storage".
const (
	partitionRate = 2_000  // entities a second
	accountRate   = 20_000 // entities a second, of 1 KiB
	requestTime   = 20 * time.Millisecond
)

// account is an engine that takes the time that an account of the service would. In a synctest bubble that costs none.
// Where the service would refuse and be asked again, a request waits for its turn.
type account struct {
	engine.Engine
	mu         sync.Mutex
	partitions map[string]time.Time // until when each is busy
	busy       time.Time            // until when the account is
	most       int                  // requests under way at once, at most
	underway   int
}

// use waits until n entities of a partition have been dealt with. request: they are asked for by a request of their own.
func (a *account) use(table, partition string, n int, request bool) {
	a.mu.Lock()
	a.underway++
	a.most = max(a.most, a.underway)
	now := time.Now()
	place := table + "/" + partition
	start := now
	for _, t := range []time.Time{a.partitions[place], a.busy} {
		if t.After(start) {
			start = t
		}
	}
	a.partitions[place] = start.Add(time.Duration(n) * time.Second / partitionRate)
	if a.busy.Before(now) {
		a.busy = now
	}
	a.busy = a.busy.Add(time.Duration(n) * time.Second / accountRate)
	a.mu.Unlock()
	wait := start.Sub(now)
	if request {
		wait += requestTime
	}
	time.Sleep(wait)
	a.mu.Lock()
	a.underway--
	a.mu.Unlock()
}

func (a *account) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	a.use(g.Table, g.PartitionKey, 1, true)
	return a.Engine.Get(ctx, g)
}

func (a *account) Commit(ctx context.Context, c engine.Commit) error {
	a.use(c.Table, c.PartitionKey, len(c.Ops), true)
	return a.Engine.Commit(ctx, c)
}

func (a *account) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return &accountCursor{Cursor: a.Engine.Scan(ctx, s), account: a, scan: s}
}

// accountCursor takes the time of a request for each page, and that of the entities in it.
type accountCursor struct {
	engine.Cursor
	account *account
	scan    engine.Scan
	left    int // of the page
}

func (c *accountCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	chunk, err := c.Cursor.Next(ctx)
	if err != nil && err != io.EOF {
		return nil, err
	}
	request := c.left < len(chunk) || err == io.EOF && c.left == 0
	if request {
		c.left += c.account.Limits().PageEntities
	}
	c.left -= len(chunk)
	c.account.use(c.scan.Table, c.scan.PartitionKey, len(chunk), request)
	return chunk, err
}

// openAccount opens a database on a new account.
func openAccount(t *testing.T, parallel int, bulk Bulk) (*sql.DB, *account) {
	a := &account{Engine: embedded.OpenMemory(embedded.Options{}), partitions: map[string]time.Time{}}
	name := shareName("file:" + filepath.Join(t.TempDir(), "account")) // no file is opened: a store of this name is open
	shared.Lock()
	shared.stores[name] = &store{engine: a, name: name, catalogs: map[string]*catalog.Catalog{}}
	shared.Unlock()
	k, err := NewConnector(&Config{Store: name, Parallel: parallel, Bulk: bulk})
	if err != nil {
		t.Fatal(err)
	}
	return sql.OpenDB(k), a
}

// took measures in the bubble's time.
func took(t *testing.T, what string, do func() error) time.Duration {
	t.Helper()
	begin := time.Now()
	if err := do(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return time.Since(begin)
}

// TestThroughput: a table over n partitions takes in and gives out n times as much, up to what the account can do.
func TestThroughput(t *testing.T) {
	const rows, batch = 8000, 1000
	insert := make(map[int]time.Duration)
	chunked := make(map[int]time.Duration)
	scan := make(map[int]time.Duration)
	inOrder := make(map[int]time.Duration)
	fill := func(t *testing.T, db *sql.DB, n int) time.Duration {
		if _, err := db.Exec(fmt.Sprintf("CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY HASH (id) PARTITIONS %d", n)); err != nil {
			t.Fatal(err)
		}
		return took(t, "insert", func() error {
			var failed error
			var wg sync.WaitGroup
			for first := 0; first < rows; first += batch {
				wg.Go(func() {
					if _, err := db.Exec("INSERT INTO t VALUES (?, ?)"+strings.Repeat(", (?, ?)", batch-1), numbers(first, batch)...); err != nil {
						failed = err
					}
				})
			}
			wg.Wait()
			return failed
		})
	}
	for _, n := range []int{1, 4, 16} {
		synctest.Test(t, func(t *testing.T) {
			db, _ := openAccount(t, 32, BulkChunked)
			defer db.Close()
			chunked[n] = fill(t, db, n)
		})
		synctest.Test(t, func(t *testing.T) {
			db, a := openAccount(t, 32, BulkAtomic)
			defer db.Close()
			insert[n] = fill(t, db, n)
			var count, sum int
			scan[n] = took(t, "scan", func() error { return db.QueryRow("SELECT COUNT(*), SUM(v) FROM t").Scan(&count, &sum) })
			if count != rows || sum != rows*(rows-1)/2 {
				t.Errorf("%d partitions: %d rows, sum %d", n, count, sum)
			}
			inOrder[n] = took(t, "scan in order", func() error {
				r, err := db.Query("SELECT id FROM t ORDER BY id")
				if err != nil {
					return err
				}
				defer r.Close()
				for i := 0; r.Next(); i++ {
					var id int
					if err := r.Scan(&id); err != nil || id != i {
						return fmt.Errorf("row %d is %d, %v", i, id, err)
					}
				}
				return r.Err()
			})
			a.most = 0
			one := took(t, "point read", func() error { return db.QueryRow("SELECT v FROM t WHERE id = 77").Scan(&sum) })
			if one > requestTime || a.most != 1 {
				t.Errorf("%d partitions: a point read takes %v and %d requests", n, one, a.most)
			}
		})
	}
	t.Logf("%d rows over 1, 4, 16 partitions: insert %v, chunked %v, scan %v, in order %v", rows, insert, chunked, scan, inOrder)
	for what, took := range map[string]map[int]time.Duration{"insert": insert, "chunked insert": chunked, "scan": scan, "scan in order": inOrder} {
		if alone := took[1].Seconds(); alone < 0.95*rows/partitionRate {
			t.Errorf("%s: one partition took %v, which is faster than the account is", what, took[1])
		}
		if took[16].Seconds() < 0.95*rows/accountRate {
			t.Errorf("%s: 16 partitions took %v, which is faster than the account is", what, took[16])
		}
		if by4, by16 := took[1].Seconds()/took[4].Seconds(), took[1].Seconds()/took[16].Seconds(); by4 < 3.5 || by16 < 6.5 {
			t.Errorf("%s: 4 partitions are %.1f times as fast as one, 16 are %.1f times", what, by4, by16)
		}
	}
}

func numbers(first, n int) []any {
	args := make([]any, 0, 2*n)
	for i := first; i < first+n; i++ {
		args = append(args, i, i)
	}
	return args
}

// TestParallelBound: no statement has more requests under way than Parallel says, however many partitions there are.
func TestParallelBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, a := openAccount(t, 3, BulkAtomic)
		defer db.Close()
		for _, text := range []string{
			"CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY v (v)) PARTITION BY HASH (id) PARTITIONS 16",
			"CREATE TABLE p (id INT PRIMARY KEY, v INT, KEY v (v)) PARTITION BY RANGE (id) INTERVAL (10)",
		} {
			if _, err := db.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range []string{
			"INSERT INTO %s VALUES (?, ?)" + strings.Repeat(", (?, ?)", 99),
			"SELECT COUNT(*) FROM %s", "SELECT id FROM %s ORDER BY v", "SELECT id FROM %s WHERE v > 5", "SELECT id FROM %s WHERE id IN (1, 20, 40, 60, 80, 99)",
			"UPDATE %s SET v = v + 1",
		} {
			for _, table := range []string{"t", "p"} {
				var args []any
				if strings.HasPrefix(text, "INSERT") {
					args = numbers(0, 100)
				}
				a.most = 0
				if _, err := db.Exec(fmt.Sprintf(text, table), args...); err != nil {
					t.Fatal(err)
				}
				if a.most != 3 {
					t.Errorf("%s of %s has %d requests under way at once", text[:6], table, a.most)
				}
			}
		}
	})
}
