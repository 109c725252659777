package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// within fails the test when f has not returned after some minutes.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		stacks := make([]byte, 1<<18)
		t.Fatalf("%s hangs:\n%s", what, stacks[:runtime.Stack(stacks, true)])
	}
}

// fill makes a table of n rows with an index.
func fill(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	run(t, db, "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(100), n INT, KEY (n))")
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d, 'row %d', %d)", i, i, i%10)
	}
	run(t, db, "INSERT INTO t VALUES "+strings.Join(rows, ","))
}

// begin opens a query and reads its first row.
func begin(t *testing.T, db *sql.DB, q string) *sql.Rows {
	t.Helper()
	rows, err := db.Query(q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	if !rows.Next() {
		t.Fatalf("%s: no row, %v", q, rows.Err())
	}
	return rows
}

// rest reads rows to their end and counts them.
func rest(rows *sql.Rows) (n int, err error) {
	defer rows.Close()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

// TestChangeWhileReading: rows that are being read stand no matter what is done to their table; nobody waits for
// anybody, and what is inserted meanwhile does not come for ever.
func TestChangeWhileReading(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, db *sql.DB) {
		fill(t, db, 1000)
		within(t, "changing what is read", func() {
			rows := begin(t, db, "SELECT id FROM t")
			n := 1
			for ; rows.Next() && n < 5000; n++ {
				if n < 300 {
					run(t, db, "INSERT INTO t VALUES (?, 'new', 1)", 10_000+n)
				}
			}
			if err := rows.Err(); err != nil || n < 1000 || n > 1300 {
				t.Errorf("%d rows, %v", n, err)
			}
			if r, err := db.Exec("UPDATE t SET id = id + 100000, n = 5"); err != nil {
				t.Error(err)
			} else if got, _ := r.RowsAffected(); got != 1299 {
				t.Errorf("%d of 1299 rows get other keys", got)
			}
			run(t, db, "INSERT INTO t SELECT id + 1000000, s, n FROM t WHERE n = 5")
			if got := ids(t, db, "SELECT COUNT(*) FROM t"); got[0] != 2598 {
				t.Errorf("%d rows of 2598 after an INSERT from the same table", got[0])
			}
			for _, change := range []string{"DELETE FROM t WHERE id > 1000000", "ALTER TABLE t DROP COLUMN s", "ALTER TABLE t ADD COLUMN s INT", "TRUNCATE TABLE t", "DROP TABLE t"} {
				rows := begin(t, db, "SELECT id, n FROM t")
				run(t, db, change)
				if n, err := rest(rows); err != nil && !errors.Is(err, nearlyfree.ErrNoTable) {
					t.Errorf("%s while it is read: %d rows, %v", change, n, err)
				}
				if change == "TRUNCATE TABLE t" {
					run(t, db, "INSERT INTO t (id) VALUES (1)")
				}
			}
		})
	})
}

// TestOneConnection: statements of one connection and one transaction, nested and from many goroutines.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, db *sql.DB) {
		fill(t, db, 200)
		within(t, "one transaction", func() {
			tx, err := db.Begin()
			if err != nil {
				t.Error(err)
				return
			}
			defer tx.Rollback()
			rows, err := tx.Query("SELECT id FROM t WHERE id < 60 ORDER BY id")
			if err != nil {
				t.Error(err)
				return
			}
			n := 0
			for ; rows.Next(); n++ {
				var id, was int
				if err := rows.Scan(&id); err != nil {
					t.Error(err)
				}
				if n < 20 {
					if _, err := tx.Exec("UPDATE t SET n = n + 100 WHERE id = ?", id); err != nil {
						t.Error(err)
					}
					if err := tx.QueryRow("SELECT n FROM t WHERE id = ?", id).Scan(&was); err != nil || was != id%10+100 {
						t.Errorf("row %d: %d, %v", id, was, err)
					}
				}
			}
			if n != 60 || rows.Err() != nil {
				t.Errorf("%d rows, %v", n, rows.Err())
			}
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					for j := range 5 {
						if _, err := tx.Exec("UPDATE t SET n = n + 1000 WHERE id = ?", i+j); err != nil {
							t.Error(err)
						}
						if rows, err := tx.Query("SELECT id FROM t"); err != nil {
							t.Error(err)
						} else if n, err := rest(rows); n != 200 || err != nil {
							t.Errorf("%d rows, %v", n, err)
						}
					}
				})
			}
			wg.Wait()
			if err := tx.Commit(); err != nil {
				t.Error(err)
			}
			for _, f := range []func() error{tx.Commit, tx.Rollback, func() error { _, err := tx.Exec("DELETE FROM t"); return err }} {
				if err := f(); !errors.Is(err, sql.ErrTxDone) {
					t.Errorf("after Commit: %v", err)
				}
			}
			if got := ids(t, db, "SELECT SUM(n) FROM t"); got[0] != 20*45+20*100+20*1000 {
				t.Errorf("the sum is %d", got[0])
			}
		})
	})
}

// TestCancelEndsEverything: an ended context ends whatever a statement is at, soon.
func TestCancelEndsEverything(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, db *sql.DB) {
		fill(t, db, 600)
		holder, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer holder.Close()
		var got int
		if err := holder.QueryRowContext(t.Context(), "SELECT GET_LOCK('taken', 0)").Scan(&got); err != nil || got != 1 {
			t.Fatal(got, err)
		}
		for _, q := range []string{
			"SELECT COUNT(*) FROM t a, t b, t c",
			"SELECT a.id FROM t a, t b, t c ORDER BY a.s, b.s LIMIT 10",
			"SELECT a.id FROM t a, t b, t c WHERE a.s > CONCAT(b.s, c.s, 'zzz')",
			"SELECT COUNT(*) FROM t a WHERE (SELECT COUNT(*) FROM t b, t c WHERE b.s > a.s) < 0",
			"SELECT a.id, COUNT(*) FROM t a, t b, t c GROUP BY a.id",
			"SELECT GET_LOCK('taken', 1e300)", "SELECT GET_LOCK('taken', -1)", "SELECT GET_LOCK('taken', 18)",
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			within(t, q, func() {
				rows, err := db.QueryContext(ctx, q)
				if err == nil {
					_, err = rest(rows)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v", q, err)
				}
			})
			cancel()
		}
	})
}

// countdown is a context that ends when it is asked for the n-th time.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelledWriteSaysWhatStands: a plain context error means that nothing was written; where some rows stand, the
// error tells, wherever it was that the context ended. Only as on Azure do some stand.
func TestCancelledWriteSaysWhatStands(t *testing.T) {
	t.Parallel()
	for _, transactions := range []nearlyfree.Transactions{nearlyfree.TransactionsFull, nearlyfree.TransactionsGroup} {
		t.Run(string(transactions), func(t *testing.T) { testCancelledWrite(t, transactions) })
	}
}

func testCancelledWrite(t *testing.T, transactions nearlyfree.Transactions) {
	db := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://", Transactions: transactions})
	fill(t, db, 300)
	seen := map[nearlyfree.Applied]int{}
	for n := 0; ; n++ {
		_, err := db.ExecContext(&countdown{t.Context(), n}, "UPDATE t SET s = ?", fmt.Sprint("try ", n))
		stand := ids(t, db, "SELECT COUNT(*) FROM t WHERE s = ?", fmt.Sprint("try ", n))[0]
		if err == nil {
			if stand != 300 {
				t.Errorf("%d of 300 rows were written", stand)
			}
			break
		}
		var e *nearlyfree.Error
		applied := nearlyfree.AppliedNo
		if errors.As(err, &e) {
			applied = e.Applied
		}
		seen[applied]++
		if !errors.Is(err, context.Canceled) || (applied == nearlyfree.AppliedPartly) != (stand > 0) {
			t.Errorf("%d rows stand: %T %v", stand, err, err)
		}
	}
	if seen[nearlyfree.AppliedNo] == 0 || (seen[nearlyfree.AppliedPartly] == 0) != (transactions == nearlyfree.TransactionsFull) {
		t.Errorf("of the errors %v are of each kind", seen)
	}
}

// TestCancelledWriteIsUnknown: where the context ended while the service was at it, the error says so.
func TestCancelledWriteIsUnknown(t *testing.T) {
	t.Parallel()
	config, transport := fakeService(t)
	db := nearlyfreetest.OpenConfig(t, config)
	fill(t, db, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	transport.SetFault(func(_ int, r *http.Request) azuretest.Fault {
		if ofStatement(r) {
			cancel()
		}
		return azuretest.Fault{}
	})
	_, err := db.ExecContext(ctx, "UPDATE t SET s = 'x'")
	transport.SetFault(nil)
	var e *nearlyfree.Error
	if !errors.As(err, &e) || !errors.Is(err, context.Canceled) || e.Applied != nearlyfree.AppliedUnknown {
		t.Errorf("got %T %v, want an Error of unknown effect", err, err)
	}
}

// TestCloseLeavesNothing: Close returns with rows open and statements under way, which end; no goroutine stays.
func TestCloseLeavesNothing(t *testing.T) {
	for _, kind := range []string{"memory", "file", "azure"} {
		t.Run(kind, func(t *testing.T) {
			before := runtime.NumGoroutine()
			config := &nearlyfree.Config{Store: "mem://"}
			switch kind {
			case "file":
				config.Store = "file:" + filepath.Join(t.TempDir(), "data")
			case "azure":
				var transport *azuretest.Transport
				config, transport = fakeService(t)
				transport.SetFault(func(n int, r *http.Request) azuretest.Fault {
					if r.Method == http.MethodGet && n%3 == 0 {
						return azuretest.Fault{Delay: 5 * time.Millisecond}
					}
					return azuretest.Fault{}
				})
			}
			connector, err := nearlyfree.NewConnector(config)
			if err != nil {
				t.Fatal(err)
			}
			db := sql.OpenDB(connector)
			fill(t, db, 500)
			within(t, "close", func() {
				for i := range 5 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*3*time.Millisecond)
					if rows, err := db.QueryContext(ctx, "SELECT * FROM t a JOIN t b ON a.n = b.id"); err == nil {
						rows.Next() // and is not closed
					}
					defer cancel()
				}
				open := []*sql.Rows{begin(t, db, "SELECT * FROM t"), begin(t, db, "SELECT * FROM t a JOIN t b ON a.n = b.id")}
				holder, err := db.Conn(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				waiter, err := db.Conn(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if err := holder.QueryRowContext(t.Context(), "SELECT GET_LOCK('x', 0)").Scan(new(int)); err != nil {
					t.Error(err)
				}
				waiting := make(chan struct{})
				go func() {
					defer close(waiting)
					waiter.QueryRowContext(t.Context(), "SELECT GET_LOCK('x', 15)").Scan(new(int))
					waiter.Close()
				}()
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				for _, rows := range open {
					if _, err := rest(rows); err != nil && !errors.Is(err, nearlyfree.ErrClosed) {
						t.Errorf("rows of a closed database: %v", err)
					}
				}
				<-waiting
				holder.Close()
			})
			for range 2000 {
				if runtime.NumGoroutine() <= before {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			stacks := make([]byte, 1<<18)
			t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		})
	}
}

// TestOpenRowsInTransaction: rows that are being read in a transaction are those of the moment when their query began, by whatever
// way they come: what the transaction writes meanwhile is not seen.
func TestOpenRowsInTransaction(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE ord (id INT PRIMARY KEY, customer INT)", "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(10))",
			"INSERT INTO customer VALUES (1, 'old')")
		const n = 500 // more than an index join looks up ahead
		var values []string
		for i := range n {
			values = append(values, fmt.Sprintf("(%d, %d)", i, i))
		}
		for _, o := range []sql.TxOptions{{}, {Isolation: sql.LevelSerializable}} {
			tx, err := db.BeginTx(t.Context(), &o)
			if err != nil {
				t.Fatal(err)
			}
			runAll(t, tx, "DELETE FROM ord", "DELETE FROM customer", "INSERT INTO ord VALUES "+strings.Join(values, ", "))
			runAll(t, tx, "INSERT INTO customer SELECT id, 'old' FROM ord")
			rows, err := tx.Query("SELECT c.name, (SELECT x.name FROM customer x WHERE x.id = o.id) FROM ord o LEFT JOIN customer c ON c.id = o.customer ORDER BY o.id LIMIT 500")
			if err != nil {
				t.Fatal(err)
			}
			read := 0
			for ; rows.Next(); read++ {
				if read == 0 {
					runAll(t, tx, "UPDATE customer SET name = 'new' WHERE id > 5", "DELETE FROM customer WHERE id > 300")
				}
				var joined, subquery string
				if err := rows.Scan(&joined, &subquery); err != nil || joined != "old" || subquery != "old" {
					t.Fatalf("row %d: %q, %q, %v", read, joined, subquery, err)
				}
			}
			if rows.Close(); read != n || rows.Err() != nil {
				t.Fatalf("%d rows, %v", read, rows.Err())
			}
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
