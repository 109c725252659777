package tests

import (
	"context"
	"database/sql"
	"flag"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

var increments = flag.Int("increments", testrun.Of(40, 4), "how often each writer of TestFairness increments its counter")

// slowly gives faults that let each request take 5 to 15 ms.
func slowly(seed uint64) func(int, *http.Request) azuretest.Fault {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 5))
	return func(int, *http.Request) azuretest.Fault {
		mu.Lock()
		defer mu.Unlock()
		return azuretest.Fault{Delay: 5*time.Millisecond + time.Duration(random.IntN(10_000))*time.Microsecond}
	}
}

// TestFairness: many processes increment one counter of an account. None fails, and none waits for the others to be done: in a long run
// the slowest one has done half of its work well before the end.
func TestFairness(t *testing.T) {
	t.Parallel()
	increment := func(ctx context.Context, db interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}, id int) error {
		_, err := db.ExecContext(ctx, "UPDATE counter SET n = n + 1 WHERE id = ?", id)
		return err
	}
	for name, work := range map[string]func(ctx context.Context, db *sql.DB) error{
		"statements": func(ctx context.Context, db *sql.DB) error { return increment(ctx, db, 1) },
		"transactions": func(ctx context.Context, db *sql.DB) error {
			return nearlyfree.RunTx(ctx, db, nil, func(tx *sql.Tx) error { return increment(ctx, tx, 1) })
		},
		"of two partitions": func(ctx context.Context, db *sql.DB) error {
			return nearlyfree.RunTx(ctx, db, nil, func(tx *sql.Tx) error {
				if err := increment(ctx, tx, 1); err != nil {
					return err
				}
				return increment(ctx, tx, 2)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { fairness(t, work) })
		})
	}
}

func fairness(t *testing.T, work func(ctx context.Context, db *sql.DB) error) {
	const writers = 20
	memory := embedded.OpenMemory(embedded.Options{})
	t.Cleanup(func() { memory.Close() })
	service := azuretest.NewService(memory)
	var dbs []*sql.DB
	for i := range writers {
		db, _ := openConfig(t, &nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key, Transport: &azuretest.Transport{Service: service, Fault: slowly(uint64(i))}})
		dbs = append(dbs, db)
	}
	runAll(t, dbs[0], "CREATE TABLE counter (id INT PRIMARY KEY, n INT) PARTITION BY HASH (id) PARTITIONS 8", "INSERT INTO counter VALUES (1, 0)", "INSERT INTO counter VALUES (2, 0)")
	for _, db := range dbs {
		runAll(t, db, "DO (SELECT COUNT(*) FROM counter)")
	}
	begun := time.Now()
	var took [writers]time.Duration // for half of the work
	var slowest [writers]time.Duration
	together(writers, func(i int) {
		for n := range *increments {
			now := time.Now()
			if err := work(t.Context(), dbs[i]); err != nil {
				t.Errorf("writer %d, after %d times and %v: %v", i, n, time.Since(now), err)
				return
			}
			slowest[i] = max(slowest[i], time.Since(now))
			if n == *increments/2 {
				took[i] = time.Since(begun)
			}
		}
	})
	all := time.Since(begun)
	t.Logf("%d times in %v; half of it by the first after %v, by the last after %v; the slowest one took %v", writers**increments, all.Round(time.Millisecond), slices.Min(took[:]), slices.Max(took[:]), slices.Max(slowest[:]))
	if *increments >= 200 && slices.Max(took[:]) > all*4/5 {
		t.Error("that is not fair")
	}
	if n := count(t, dbs[0], "SELECT n FROM counter WHERE id = 1"); n != writers**increments {
		t.Errorf("the counter is at %d, want %d", n, writers**increments)
	}
}
