package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// shop is a store that several processes share, in virtual time.
type shop struct {
	*testing.T
	service *azuretest.Service
}

const shopLease = 5 * time.Second

func newShop(t *testing.T) *shop {
	return &shop{t, azuretest.NewService(embedded.OpenMemory(embedded.Options{}))}
}

// shopper is a process that uses the store.
type shopper struct {
	*sql.DB
	requests atomic.Int64
	dead     atomic.Bool // nothing that it sends reaches the store
	reader   atomic.Bool // the store lets it read only
	before   atomic.Pointer[func(r *http.Request)]
}

// watch has f be told of each request, of several at once.
func (p *shopper) watch(f func(r *http.Request)) { p.before.Store(&f) }

func (s *shop) enter(reader bool) *shopper {
	s.Helper()
	p := &shopper{}
	p.reader.Store(reader)
	p.DB = s.connect(func(r *http.Request) azuretest.Fault {
		p.requests.Add(1)
		if f := p.before.Load(); f != nil {
			(*f)(r)
		}
		if p.reader.Load() && r.Method != http.MethodGet {
			return azuretest.Fault{Status: http.StatusForbidden, Code: "AuthorizationPermissionMismatch"}
		}
		return azuretest.Fault{Refuse: p.dead.Load()}
	})
	return p
}

// connect opens the store for a process whose requests have faults.
func (s *shop) connect(fault func(*http.Request) azuretest.Fault) *sql.DB {
	s.Helper()
	return s.connectBy(0, fault)
}

// connectBy is connect for a process that has so many requests under way at once.
func (s *shop) connectBy(parallel int, fault func(*http.Request) azuretest.Fault) *sql.DB {
	s.Helper()
	db, _ := openConfig(s.T, &nearlyfree.Config{
		Store:       fmt.Sprintf("AccountName=%s;AccountKey=%s;TableEndpoint=%s", azuretest.Account, azuretest.Key, azuretest.Endpoint),
		Transport:   &azuretest.Transport{Service: s.service, Fault: func(_ int, r *http.Request) azuretest.Fault { return fault(r) }},
		SchemaLease: shopLease, Retry: nearlyfree.RetryOptions{MaxTries: 1}, Parallel: parallel,
	})
	return db
}

// took runs a statement, and gives how long it took and how many requests it sent.
func (p *shopper) took(t *testing.T, text string) (time.Duration, int64) {
	t.Helper()
	began, sent := time.Now(), p.requests.Load()
	mustExec(t, p.DB, text)
	return time.Since(began), p.requests.Load() - sent
}

// TestChangesAlone: the only process that is there waits for nobody, and what a change costs is a few requests.
func TestChangesAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newShop(t).enter(false)
		for _, c := range []struct {
			text     string
			requests int64
		}{
			{"CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(10))", 8},
			{"CREATE INDEX n ON t (n)", 19},
			{"ALTER TABLE t ADD COLUMN x INT NOT NULL DEFAULT 7", 10},
			{"ALTER TABLE t MODIFY COLUMN n BIGINT", 5},
			{"ALTER TABLE t ADD INDEX x (x), ADD UNIQUE INDEX s (s), DROP INDEX n, DROP COLUMN n", 35},
			{"RENAME TABLE t TO u", 5},
			{"TRUNCATE TABLE u", 11},
			{"DROP TABLE u", 9},
			{"CREATE TABLE m (id INT PRIMARY KEY) PARTITION BY RANGE (id) INTERVAL (10)", 5}, // one looks whether foreign keys wait for a table of this name
			{"INSERT INTO m VALUES (5)", 14},
		} {
			took, requests := p.took(t, c.text)
			if took != 0 {
				t.Errorf("%s took %v", c.text, took)
			}
			if requests != c.requests {
				t.Errorf("%s sent %d requests, not %d", c.text, requests, c.requests)
			}
		}
	})
}

// TestChangesBesideOthers: who changes a definition waits until those who are there go by it, and not for those who left.
func TestChangesBesideOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		a, b := s.enter(false), s.enter(false)
		mustExec(t, a.DB, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
		use := func(p *shopper, d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second / 2) {
				count(t, p.DB, "SELECT COUNT(*) FROM t")
			}
		}
		use(b, 20*time.Second)
		var stop atomic.Bool
		var all sync.WaitGroup
		all.Go(func() {
			for !stop.Load() {
				use(b, time.Second)
			}
		})
		took, _ := a.took(t, "CREATE INDEX n ON t (n)")
		if took == 0 || took > shopLease {
			t.Errorf("with another process that runs statements it took %v", took)
		}
		stop.Store(true)
		all.Wait()
		time.Sleep(5 * shopLease) // it says that it left
		before := b.requests.Load()
		if took, _ := a.took(t, "DROP INDEX n ON t"); took != 0 {
			t.Errorf("with another process that runs no statements it took %v", took)
		}
		time.Sleep(time.Hour)
		if n := b.requests.Load() - before; n != 0 {
			t.Errorf("a process without statements sent %d requests", n)
		}

		// One that dies is waited for once, until its lease is over.
		use(b, 20*time.Second)
		b.dead.Store(true)
		if took, _ := a.took(t, "CREATE INDEX n ON t (n)"); took == 0 || took > 2*shopLease+time.Second {
			t.Errorf("with one that has died it took %v", took)
		}
		if took, _ := a.took(t, "DROP INDEX n ON t"); took != 0 {
			t.Errorf("with one that has died long ago it took %v", took)
		}
	})
}

// TestOpenRowsDelayChange: rows that another process reads by an index are right though the index is dropped, and delay that for
// two leases at most.
func TestOpenRowsDelayChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		a, b := s.enter(false), s.enter(false)
		mustExec(t, a.DB, "CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY n (n))")
		mustExec(t, a.DB, "INSERT INTO t VALUES (1, 1), (2, 2)")
		rows, err := b.Query("SELECT id FROM t WHERE n > 0")
		if err != nil || !rows.Next() {
			t.Fatal(err)
		}
		took, _ := a.took(t, "DROP INDEX n ON t")
		if took == 0 || took > 3*2*shopLease+time.Second {
			t.Errorf("it took %v", took)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil && !strings.Contains(err.Error(), "was changed meanwhile") {
			t.Error(err)
		}
		rows.Close()
	})
}

// TestReaderWithoutRights: a process that may only read is not known to others. It finds out itself that definitions were changed
// since it read by them.
func TestReaderWithoutRights(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		a, b := s.enter(false), s.enter(true)
		mustExec(t, a.DB, "CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(10), KEY n (n))")
		mustExec(t, a.DB, "INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b')")
		read := func(query string) {
			t.Helper()
			var n sql.NullInt64
			err := b.QueryRow(query).Scan(&n)
			if errors.Is(err, nearlyfree.ErrSchemaChanged) { // its result is of another type now
				err = b.QueryRow(query).Scan(&n)
			}
			if err != nil || n.Int64 != 2 {
				t.Errorf("%s: %v, %v", query, n, err)
			}
		}
		read("SELECT id FROM t WHERE n = 2")
		if _, err := b.Exec("INSERT INTO t VALUES (3, 3, 'c')"); err == nil {
			t.Error("it writes")
		}
		for _, change := range []string{
			"DROP INDEX n ON t", "CREATE INDEX n ON t (n)", "ALTER TABLE t MODIFY COLUMN n BIGINT", "ALTER TABLE t MODIFY COLUMN n VARCHAR(20)",
			"ALTER TABLE t MODIFY COLUMN n INT", "TRUNCATE TABLE t",
		} {
			query := "SELECT id FROM t WHERE n = 2"
			if strings.Contains(change, "MODIFY") {
				query = "SELECT n FROM t WHERE id = 2"
			}
			// The change is made between the plan and the answer.
			var once sync.Once
			b.watch(func(r *http.Request) {
				if strings.Contains(r.URL.Path, "catalog") {
					return
				}
				once.Do(func() {
					if took, _ := a.took(t, change); took != 0 {
						t.Errorf("%s took %v: it waited for a process that it cannot know of", change, took)
					}
					if change == "TRUNCATE TABLE t" {
						mustExec(t, a.DB, "INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b')")
					}
				})
			})
			read(query)
			b.before.Store(nil)
			read(query)
		}

		// Where it is given the right, others find it from then on.
		b.reader.Store(false)
		time.Sleep(2 * time.Minute)
		read("SELECT id FROM t WHERE id = 2")
		mustExec(t, b.DB, "INSERT INTO t VALUES (3, 3, 'c')")
		if took, _ := a.took(t, "DROP INDEX n ON t"); took == 0 {
			t.Error("nobody waits for a process that writes")
		}
	})
}
