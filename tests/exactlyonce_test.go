package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// silences are the ways in which a request has no answer: it has arrived, it never does, it arrives later, and it arrives twice.
var silences = map[string]azuretest.Fault{
	"lost answer": {LoseAnswer: true}, "lost": {Lose: true}, "late": {Late: 1}, "later": {Late: 2}, "very late": {Late: 4},
	"twice": {Twice: true, LoseAnswer: true},
}

// TestLostAnswers loses the answers of writes, or the writes themselves: each is done once, and says what it has done.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for name, silence := range silences {
		for _, key := range []string{"UNIQUE KEY (v)", "UNIQUE KEY (v) COPY KEYS"} {
			t.Run(name+"/"+key, func(t *testing.T) { testLostAnswers(t, silence, key) })
		}
	}
}

func testLostAnswers(t *testing.T, silence azuretest.Fault, key string) {
	config, transport := fakeService(t)
	var armed atomic.Bool // there is no answer to the next write
	transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
		if ofStatement(r) && armed.CompareAndSwap(true, false) {
			return silence
		}
		return azuretest.Fault{}
	})
	db := nearlyfreetest.OpenConfig(t, config)
	run(t, db, "CREATE TABLE t (id INT PRIMARY KEY, v INT, "+key+")")
	for _, c := range []struct {
		query    string
		affected int64
		rows     string // id and v of all, then
	}{
		{"INSERT INTO t VALUES (1, 10)", 1, "1 10"},
		{"INSERT INTO t VALUES (2, 20), (3, 30)", 2, "1 10, 2 20, 3 30"},
		{"UPDATE t SET v = v + 1 WHERE id = 1", 1, "1 11, 2 20, 3 30"},
		{"UPDATE t SET v = v + 1 WHERE v = 20", 1, "1 11, 2 21, 3 30"},
		{"UPDATE t SET id = id + 10", 3, "11 11, 12 21, 13 30"},
		{"INSERT INTO t VALUES (11, 0) ON DUPLICATE KEY UPDATE v = t.v + 1", 2, "11 12, 12 21, 13 30"},
		{"INSERT INTO t VALUES (14, 0) ON DUPLICATE KEY UPDATE v = t.v + 1", 1, "11 12, 12 21, 13 30, 14 0"},
		{"REPLACE INTO t VALUES (14, 21)", 3, "11 12, 13 30, 14 21"},
		{"INSERT IGNORE INTO t VALUES (11, 99), (15, 99)", 1, "11 12, 13 30, 14 21, 15 99"},
		{"DELETE FROM t WHERE id = 15", 1, "11 12, 13 30, 14 21"},
		{"DELETE FROM t WHERE v > 20", 2, "11 12"},
		{"INSERT INTO t SELECT id + 100 + n, 1000 + n FROM t, (SELECT 1 n UNION SELECT 2) x", 2, "11 12, 112 1001, 113 1002"},
	} {
		armed.Store(true)
		result, err := db.Exec(c.query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if n, _ := result.RowsAffected(); n != c.affected || armed.Load() {
			t.Errorf("%s: %d rows", c.query, n)
		}
		if rows := allRows(t, db); rows != c.rows {
			t.Errorf("%s: the rows are %s, want %s", c.query, rows, c.rows)
		}
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"UPDATE t SET v = v + 10 WHERE id = 11", "DELETE FROM t WHERE id = 112", "INSERT INTO t VALUES (1, 1)"} {
		if _, err := tx.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	armed.Store(true)
	if err := tx.Commit(); err != nil || armed.Load() {
		t.Errorf("COMMIT: %v", err)
	}
	if rows := allRows(t, db); rows != "1 1, 11 22, 113 1002" {
		t.Errorf("the rows are %s", rows)
	}
}

// TestLostAnswersOfFamilies is TestLostAnswers of rows that live inside others, in each layout: children touch their parents, and
// go with them.
func TestLostAnswersOfFamilies(t *testing.T) {
	t.Parallel()
	for name, silence := range silences {
		for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutTable, nearlyfree.LayoutSingle} {
			config, transport := fakeService(t)
			config.Layout = layout
			var armed atomic.Bool
			transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
				if ofStatement(r) && armed.CompareAndSwap(true, false) {
					return silence
				}
				return azuretest.Fault{}
			})
			db := nearlyfreetest.OpenConfig(t, config)
			run(t, db, "CREATE TABLE parent (id INT PRIMARY KEY, n INT NOT NULL DEFAULT 0) PARTITION BY KEY (id)")
			run(t, db, `CREATE TABLE t (parent INT, id INT, v INT, PRIMARY KEY (parent, id), KEY (v),
				FOREIGN KEY (parent) REFERENCES parent (id) ON DELETE CASCADE) INTERLEAVE IN PARENT parent WITH PARENT`)
			for _, c := range []struct{ query, rows string }{
				{"INSERT INTO parent (id) VALUES (1), (2)", ""},
				{"INSERT INTO t VALUES (1, 1, 10)", "1 10"},
				{"INSERT INTO t VALUES (1, 2, 20), (1, 3, 30), (2, 4, 40)", "1 10, 2 20, 3 30, 4 40"},
				{"UPDATE parent SET n = n + 1 WHERE id = 1", "1 10, 2 20, 3 30, 4 40"},
				{"UPDATE t SET v = v + 1", "1 11, 2 21, 3 31, 4 41"},
				{"UPDATE t SET parent = 1, id = 5 WHERE parent = 1 AND id = 3", "1 11, 2 21, 4 41, 5 31"},
				{"DELETE FROM parent WHERE id = 2", "1 11, 2 21, 5 31"},
				{"DELETE FROM t WHERE v < 20", "2 21, 5 31"},
			} {
				armed.Store(true)
				if _, err := db.Exec(c.query); err != nil || armed.Load() {
					t.Errorf("%s, %s, %s: %v", name, layout, c.query, err)
				}
				if rows := allRows(t, db); rows != c.rows {
					t.Errorf("%s, %s, %s: the rows are %s, want %s", name, layout, c.query, rows, c.rows)
				}
			}
			if n := count(t, db, "SELECT n FROM parent WHERE id = 1"); n != 1 {
				t.Errorf("%s, %s: the parent was changed %d times", name, layout, n)
			}
		}
	}
}

// allRows gives the rows of t.
func allRows(t *testing.T, db *sql.DB) (rows string) {
	t.Helper()
	if err := db.QueryRow("SELECT COALESCE(GROUP_CONCAT(CONCAT(id, ' ', v) ORDER BY id SEPARATOR ', '), '') FROM t").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestUnknownStaysUnknown: there is nothing of ours in a table of another program, and what is cancelled is not waited for.
func TestUnknownStaysUnknown(t *testing.T) {
	t.Parallel()
	config, transport := fakeService(t)
	db := nearlyfreetest.OpenConfig(t, config)
	run(t, db, "CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	run(t, db, "CREATE EXTERNAL TABLE other (id TEXT, v INT) PARTITION KEY 'p' ROW KEY '{id}'")
	for query, cancelled := range map[string]bool{"INSERT INTO other VALUES ('a', 1)": false, "INSERT INTO t VALUES (1, 1)": true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		transport.SetFault(func(_ int, r *http.Request) azuretest.Fault { return azuretest.Fault{LoseAnswer: ofStatement(r)} })
		transport.SetAfter(func(r *http.Request, _ int) {
			if ofStatement(r) && cancelled {
				cancel()
			}
		})
		_, err := db.ExecContext(ctx, query)
		var e *nearlyfree.Error
		if !errors.As(err, &e) || e.Applied != nearlyfree.AppliedUnknown || e.Retryable {
			t.Errorf("%s: %v", query, err)
		}
		transport.SetFault(nil)
		transport.SetAfter(nil)
	}
	for query, want := range map[string]int{"SELECT COUNT(*) FROM other": 1, "SELECT COUNT(*) FROM t": 1} {
		if n := count(t, db, query); n != want {
			t.Errorf("%s: %d", query, n)
		}
	}
}

// TestLostDuplicate loses the answer to an INSERT whose key is taken: by a row that was there before, which is the usual error;
// or by one that came a moment ago, of which nobody can tell.
func TestLostDuplicate(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"INSERT INTO t VALUES (1, 2)", "INSERT INTO t VALUES (2, 1)"} {
		for _, silence := range silences {
			synctest.Test(t, func(t *testing.T) {
				config, transport := fakeService(t)
				db := nearlyfreetest.OpenConfig(t, config)
				run(t, db, "CREATE TABLE t (id INT PRIMARY KEY, v INT, UNIQUE KEY (v))")
				run(t, db, "INSERT INTO t VALUES (1, 1)")
				for _, applied := range []nearlyfree.Applied{nearlyfree.AppliedUnknown, nearlyfree.AppliedNo} {
					var armed atomic.Bool
					armed.Store(true)
					transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
						if ofStatement(r) && armed.CompareAndSwap(true, false) {
							return silence
						}
						return azuretest.Fault{}
					})
					_, err := db.Exec(query)
					var e *nearlyfree.Error
					if !errors.As(err, &e) || e.Applied != applied || errors.Is(err, nearlyfree.ErrDuplicateKey) != (applied == nearlyfree.AppliedNo) {
						t.Errorf("%s, %+v: %v, want %v", query, silence, err, applied)
					}
					time.Sleep(time.Minute)
				}
				if rows := allRows(t, db); rows != "1 1" {
					t.Errorf("the rows are %s", rows)
				}
			})
		}
	}
}

// TestCountedOnce has several processes insert rows and count in shared ones, where a fifth of the writes has no answer. What
// was done is counted exactly. Each request takes its time, so that an entity is not written over more often than it keeps ids.
func TestCountedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config, transport := fakeService(t)
		fault := someSilent()
		transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
			f := fault(r)
			f.Delay = 5 * time.Millisecond
			return f
		})
		testCountedOnce(t, config, 200)
	})
}

// someSilent gives no answer to a fifth of the writes.
func someSilent() func(r *http.Request) azuretest.Fault {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(silences))
	return func(r *http.Request) azuretest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if !ofStatement(r) || random.IntN(5) > 0 || strings.Contains(r.URL.Path, "catalog") {
			return azuretest.Fault{}
		}
		return silences[names[random.IntN(len(names))]]
	}
}

func testCountedOnce(t *testing.T, config *nearlyfree.Config, rounds int) {
	const processes, counters = 3, 3
	first := nearlyfreetest.OpenConfig(t, config)
	run(t, first, "CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL)")
	run(t, first, "CREATE TABLE entry (id INT PRIMARY KEY AUTO_INCREMENT, process INT NOT NULL, KEY (process))")
	for id := range counters {
		run(t, first, fmt.Sprintf("INSERT INTO counter VALUES (%d, 0)", id))
	}
	var done, entries, unknown [processes]int
	var wg sync.WaitGroup
	for p := range processes {
		db := nearlyfreetest.OpenConfig(t, config)
		random := rand.New(rand.NewPCG(3, uint64(p)))
		wg.Go(func() {
			for range rounds {
				n := &done[p]
				query, args := "UPDATE counter SET n = n + 1 WHERE id = ?", random.IntN(counters)
				if random.IntN(2) == 0 {
					n = &entries[p]
					query, args = "INSERT INTO entry (process) VALUES (?)", p
				}
				_, err := db.Exec(query, args)
				var e *nearlyfree.Error
				switch {
				case err == nil:
					*n++
				case errors.As(err, &e) && e.Applied == nearlyfree.AppliedUnknown:
					unknown[p]++
					t.Logf("%s: %v", query, err)
				case errors.As(err, &e) && e.Applied == nearlyfree.AppliedNo && e.Retryable:
				default:
					t.Errorf("%s: %v", query, err)
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for p := range processes {
		total += done[p]
		if n := count(t, first, fmt.Sprint("SELECT COUNT(*) FROM entry WHERE process = ", p)); n < entries[p] || n > entries[p]+unknown[p] {
			t.Errorf("process %d has %d entries, and was told of %d", p, n, entries[p])
		}
	}
	all := 0
	for _, n := range unknown {
		all += n
	}
	if n := count(t, first, "SELECT SUM(n) FROM counter"); n < total || n > total+all {
		t.Errorf("the counters have %d, and %d was told of, with %d of unknown outcome", n, total, all)
	}
	if all > processes*rounds/20 { // an entity tells of its last writers; on a busy machine more may come before somebody asks
		t.Errorf("what became of %v writes is not known", unknown)
	}
}
