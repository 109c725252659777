package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// together runs do for 0 ≤ i < n at the same time.
func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}

// retried runs do again as long as it fails for a reason that passes.
func retried(t *testing.T, do func() error) {
	t.Helper()
	for range 1000 {
		err := do()
		var e *nearlyfree.Error
		if errors.As(err, &e) && e.Retryable {
			continue
		}
		if err != nil {
			t.Error(err)
		}
		return
	}
	t.Error("a thousand tries were not enough")
}

// repeated is retried for a statement that may be run again where some of its rows stand and others do not.
func repeated(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	retried(t, func() error {
		for {
			_, err := db.Exec(statement)
			if e := (*nearlyfree.Error)(nil); !errors.As(err, &e) || e.Applied != nearlyfree.AppliedPartly {
				return err
			}
		}
	})
}

func eachStore(t *testing.T, do func(t *testing.T, db *sql.DB)) {
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			do(t, nearlyfreetest.OpenConfig(t, s.config(t)))
		})
	}
}

func TestNoUpdateIsLost(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, db *sql.DB) {
		exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT, m INT, KEY (n), KEY (m))")
		exec(t, db, "INSERT INTO t VALUES (1, 0, 5), (2, 0, 6)")
		const writers, times = 8, 12
		together(writers, func(i int) {
			for range times {
				retried(t, func() error {
					if i%2 == 0 {
						_, err := db.Exec("UPDATE t SET n = n + 1 WHERE id = ?", 1+i%4/2)
						return err
					}
					_, err := db.Exec("UPDATE t SET n = n + 1 WHERE m = ?", 5+i%4/2) // by an index
					return err
				})
			}
		})
		if n := count(t, db, "SELECT SUM(n) FROM t"); n != writers*times {
			t.Errorf("%d of %d increments are there", n, writers*times)
		}
	})
}

func TestOneOfManyWins(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, db *sql.DB) {
		exec(t, db, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(50), KEY (id, email), UNIQUE KEY (email))")
		const writers, rounds = 8, 6
		for round := range rounds {
			var won, refused atomic.Int64
			together(writers, func(int) {
				_, err := db.Exec("INSERT INTO t (email) VALUES (?)", fmt.Sprint("a", round))
				switch {
				case err == nil:
					won.Add(1)
				case errors.Is(err, nearlyfree.ErrDuplicateKey):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
			if won.Load() != 1 || refused.Load() != writers-1 {
				t.Errorf("%d won and %d were refused, of %d", won.Load(), refused.Load(), writers)
			}
		}
		var inserted, updated atomic.Int64
		together(writers, func(int) {
			retried(t, func() error {
				r, err := db.Exec("INSERT INTO t (id, email) VALUES (1000, 'upsert') ON DUPLICATE KEY UPDATE email = CONCAT(email, '+')")
				if err != nil {
					return err
				}
				if n, _ := r.RowsAffected(); n == 1 {
					inserted.Add(1)
				} else {
					updated.Add(1)
				}
				return nil
			})
		})
		if inserted.Load() != 1 || updated.Load() != writers-1 {
			t.Errorf("%d inserted and %d updated, of %d", inserted.Load(), updated.Load(), writers)
		}
		if n := count(t, db, "SELECT LENGTH(email) FROM t WHERE id = 1000"); n != len("upsert")+writers-1 {
			t.Errorf("email has %d characters", n)
		}
	})
}

func TestTransfersKeepTheSum(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, db *sql.DB) {
		exec(t, db, "CREATE TABLE account (id INT PRIMARY KEY, balance INT, KEY (balance))")
		exec(t, db, "INSERT INTO account VALUES (0, 100), (1, 100), (2, 100)")
		together(6, func(i int) {
			r := rand.New(rand.NewPCG(uint64(i), 5))
			for range 10 {
				from, to, amount := r.IntN(3), r.IntN(3), r.IntN(20)
				retried(t, func() error { return transfer(db, from, to, amount, i%2 == 0) })
			}
		})
		if n := count(t, db, "SELECT SUM(balance) FROM account"); n != 300 {
			t.Errorf("the sum is %d", n)
		}
	})
}

// transfer moves an amount by what SQL computes, or by what was read FOR UPDATE.
func transfer(db *sql.DB, from, to, amount int, read bool) error {
	ctx := context.Background()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, move := range []struct{ id, by int }{{from, -amount}, {to, amount}} {
		if !read {
			if _, err := tx.Exec("UPDATE account SET balance = balance + ? WHERE id = ?", move.by, move.id); err != nil {
				return err
			}
			continue
		}
		var balance int
		if err := tx.QueryRow("SELECT balance FROM account WHERE id = ? FOR UPDATE", move.id).Scan(&balance); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE account SET balance = ? WHERE id = ?", balance+move.by, move.id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// meeting lets no read of a row's own key through until so many of them are under way.
type meeting struct {
	policy.Transporter
	places atomic.Int32
	met    chan struct{}
}

func (m *meeting) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "RowKey='PK!") {
		if m.places.Add(-1) == 0 {
			close(m.met)
		}
		select {
		case <-m.met:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return m.Transporter.Do(r)
}

// TestTransactionLooksSideBySide: the rows of an INSERT in a transaction ask for their keys at once.
func TestTransactionLooksSideBySide(t *testing.T) {
	t.Parallel()
	config := overService(0, false)
	m := &meeting{Transporter: config.Transport, met: make(chan struct{})}
	m.places.Store(3)
	config.Transport = m
	db := nearlyfreetest.OpenConfig(t, config)
	exec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}
