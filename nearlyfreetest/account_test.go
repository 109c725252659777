package nearlyfreetest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

func openStock(t *testing.T) *nearlyfreetest.Account {
	t.Helper()
	a := nearlyfreetest.OpenAccountConfig(t, &nearlyfree.Config{Retry: nearlyfree.RetryOptions{MaxTries: 3}})
	mustExec(t, a.DB, "CREATE TABLE stock (id INT PRIMARY KEY, n INT, KEY (n))", "INSERT INTO stock VALUES (1, 10), (2, 20)")
	return a
}

func stockOf(t *testing.T, a *nearlyfreetest.Account, id int) (n int) {
	t.Helper()
	if err := a.DB.QueryRow("SELECT n FROM stock WHERE id = ?", id).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestThrottled(t *testing.T) {
	t.Parallel()
	a := openStock(t)
	a.Inject(nearlyfreetest.Throttled, 2)
	if n := stockOf(t, a, 1); n != 10 || a.Pending() != 0 {
		t.Error(n, a.Pending())
	}
	a.Inject(nearlyfreetest.Throttled, 1000)
	if err := a.DB.QueryRow("SELECT n FROM stock WHERE id = 1").Scan(new(int)); !errors.Is(err, nearlyfree.ErrThrottled) {
		t.Error(err)
	}
	if left := a.Pending(); left == 0 || left == 1000 {
		t.Error(left)
	}
	a.Heal()
	if n := stockOf(t, a, 1); n != 10 || a.Pending() != 0 {
		t.Error(n, a.Pending())
	}
}

// TestLostAnswer: the write is done once, and the statement succeeds.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	a := openStock(t)
	a.Inject(nearlyfreetest.LostAnswer, 1)
	if n := stockOf(t, a, 1); n != 10 || a.Pending() != 1 { // it is no write
		t.Error(n, a.Pending())
	}
	mustExec(t, a.DB, "UPDATE stock SET n = n + 1 WHERE id = 1")
	if n := stockOf(t, a, 1); n != 11 || a.Pending() != 0 {
		t.Error(n, a.Pending())
	}
	a.Inject(nearlyfreetest.LostAnswer, 1)
	mustExec(t, a.DB, "INSERT INTO stock VALUES (3, 30)")
	if n := stockOf(t, a, 3); n != 30 || a.Pending() != 0 {
		t.Error(n, a.Pending())
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	a := openStock(t)
	a.Inject(nearlyfreetest.Conflict, 1)
	mustExec(t, a.DB, "UPDATE stock SET n = n + 1 WHERE id = 1")
	if n := stockOf(t, a, 1); n != 11 || a.Pending() != 0 {
		t.Error(n, a.Pending())
	}
	tx, err := a.DB.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("UPDATE stock SET n = n + 1 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	a.Inject(nearlyfreetest.Conflict, 1)
	if err := tx.Commit(); !errors.Is(err, nearlyfree.ErrConflict) {
		t.Error(err)
	}
	if n := stockOf(t, a, 1); n != 11 || a.Pending() != 0 {
		t.Error(n, a.Pending())
	}
}

// TestNoAnswer: the statement ends with its context, or is tried again after TryTimeout; in virtual time.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := openStock(t)
		a.Inject(nearlyfreetest.NoAnswer, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := a.DB.QueryRowContext(ctx, "SELECT n FROM stock WHERE id = 1").Scan(new(int)); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		a.Inject(nearlyfreetest.NoAnswer, 1)
		begun := time.Now()
		if n := stockOf(t, a, 1); n != 10 || a.Pending() != 0 || time.Since(begun) < 2*time.Second || time.Since(begun) > 3*time.Second {
			t.Error(n, a.Pending(), time.Since(begun)) // nobody's test waits for the minute that the driver waits elsewhere
		}
	})
}
