package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// embeddedStores runs a test over the stores of this process.
func embeddedStores(t *testing.T, test func(t *testing.T, db *sql.DB)) {
	overStores(t, test, "memory", "file")
}

// overStores runs a test over some of the stores.
func overStores(t *testing.T, test func(t *testing.T, db *sql.DB), names ...string) {
	if len(names) == 0 {
		t.Fatal("over no store")
	}
	for _, s := range stores {
		if slices.Contains(names, s.name) {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				config := s.config(t)
				db := nearlyfreetest.OpenConfig(t, config)
				test(t, db)
			})
		}
	}
}

// run runs statements.
func runAll(t testing.TB, db interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%.100s: %v", s, err)
		}
	}
}

// insertOnes inserts rows (1, 1) to (n, 1).
func insertOnes(t testing.TB, db *sql.DB, table string, n int) {
	t.Helper()
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, 1)", i+1)
	}
	runAll(t, db, "INSERT INTO "+table+" VALUES "+strings.Join(values, ", "))
}

// TestCounter: writers of one row wait for one another, and none fails, nor waits without end, whatever level they ask for.
func TestCounter(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"READ COMMITTED", "SERIALIZABLE"} {
		t.Run(strings.ToLower(level), func(t *testing.T) { counter(t, level) })
	}
}

func counter(t *testing.T, level string) {
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		const writers = 50
		each := 40
		if strings.HasSuffix(t.Name(), "memory") && level == "READ COMMITTED" && !testing.Short() {
			each = 200
		}
		runAll(t, db, "CREATE TABLE counter (id INT PRIMARY KEY, n INT)", "INSERT INTO counter VALUES (1, 0), (2, 0)")
		var slowest [writers]time.Duration
		together(writers, func(i int) {
			c, err := db.Conn(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			runAll(t, c, "SET SESSION TRANSACTION ISOLATION LEVEL "+level)
			for range each {
				began := time.Now()
				if _, err := c.ExecContext(t.Context(), "UPDATE counter SET n = n + 1 WHERE id = 1"); err != nil {
					t.Error(err)
					return
				}
				slowest[i] = max(slowest[i], time.Since(began))
			}
		})
		var n int
		if err := db.QueryRow("SELECT n FROM counter WHERE id = 1").Scan(&n); err != nil || n != writers*each {
			t.Fatalf("the counter is at %d, want %d (%v)", n, writers*each, err)
		}
		worst := time.Duration(0)
		for _, d := range slowest {
			worst = max(worst, d)
		}
		t.Logf("the slowest of %d took %v", writers*each, worst)
	})
}

// TestLargeAmongSmall: a statement that changes all rows gets through although others change some of them all the time.
func TestLargeAmongSmall(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)")
		insertOnes(t, db, "t", 2000)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		done := make(chan int)
		for w := range 4 {
			go func() {
				n := 0
				defer func() { done <- n }()
				for ctx.Err() == nil {
					if _, err := db.ExecContext(ctx, "UPDATE t SET n = n + 1 WHERE id = ?", 1+(w*31+n)%2000); err == nil {
						n++
					} else if !errors.Is(err, context.Canceled) {
						t.Error(err)
						return
					}
				}
			}()
		}
		for range 5 {
			runAll(t, db, "UPDATE t SET n = n + 100")
		}
		stop()
		small := 0
		for range 4 {
			small += <-done
		}
		var sum int
		if err := db.QueryRow("SELECT SUM(n) FROM t").Scan(&sum); err != nil || sum < 2000+5*100*2000+small || sum > 2000+5*100*2000+small+4 {
			t.Fatalf("the sum is %d with %d small changes that were acknowledged, want %d (%v)", sum, small, 2000+5*100*2000+small, err)
		}
	})
}

// TestWaitEnds: who waits in line goes when his context ends.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE counter (id INT PRIMARY KEY, n INT)", "INSERT INTO counter VALUES (1, 0)")
		deadline, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer stop()
		together(20, func(i int) {
			for deadline.Err() == nil {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(50+i*40)*time.Microsecond)
				if _, err := db.ExecContext(ctx, "UPDATE counter SET n = n + 1 WHERE id = 1"); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				cancel()
			}
		})
		runAll(t, db, "UPDATE counter SET n = n + 1 WHERE id = 1") // nobody holds a turn any more
	})
}
