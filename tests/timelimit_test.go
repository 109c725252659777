package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// TestTimeLimit: a SELECT ends after the time that its hint gives, or the variable max_execution_time; nothing else does. Each request
// takes 400 ms.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	const request = 400 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		slow := false
		db := newShop(t).connect(func(*http.Request) azuretest.Fault {
			if slow {
				return azuretest.Fault{Delay: request}
			}
			return azuretest.Fault{}
		})
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for _, text := range []string{
			"CREATE TABLE t (id INT PRIMARY KEY, n INT)", "CREATE TABLE u (id INT PRIMARY KEY, n INT)",
			"INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO u VALUES (1, 1), (2, 2)",
		} {
			if _, err := conn.ExecContext(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		slow = true
		const inTurn = " t.id, (SELECT MAX(u.n) FROM u WHERE u.n > t.n) FROM t" // two requests or more
		for _, c := range []struct {
			text string
			took time.Duration // 0: more than the limit
		}{
			{"SELECT" + inTurn, 0},
			{"SELECT /*+ MAX_EXECUTION_TIME(600) */" + inTurn, 600 * time.Millisecond},
			{"SELECT /*+ MAX_EXECUTION_TIME(300) */ id FROM t WHERE id = 1", 300 * time.Millisecond},
			{"(SELECT /*+ MAX_EXECUTION_TIME(300) */ id FROM t) UNION (SELECT id FROM u) ORDER BY 1", 300 * time.Millisecond},
			{"SELECT /*+ MAX_EXECUTION_TIME(300) */ id FROM t WHERE id = 1 INTO @a", 300 * time.Millisecond},
			{"SELECT /*+ MAX_EXECUTION_TIME(100000) */" + inTurn, 0},
			{"SELECT /*+ MAX_EXECUTION_TIME(0) */" + inTurn, 0},
			{"SELECT id FROM (SELECT /*+ MAX_EXECUTION_TIME(300) */ id FROM t) AS d", 0},
			{"UPDATE /*+ MAX_EXECUTION_TIME(300) */ t SET n = n + 1", 0},
			{"INSERT INTO t SELECT /*+ MAX_EXECUTION_TIME(300) */ id + 10, n FROM u", 0},
			{"SET SESSION max_execution_time = 500", -1},
			{"SELECT" + inTurn, 500 * time.Millisecond},
			{"SELECT /*+ MAX_EXECUTION_TIME(700) */" + inTurn, 700 * time.Millisecond},
			{"SELECT /*+ MAX_EXECUTION_TIME(0) */" + inTurn, 500 * time.Millisecond},
			{"DELETE FROM t WHERE id = 12", 0},
			{"SET max_execution_time = DEFAULT", -1},
			{"SELECT" + inTurn, 0},
		} {
			time.Sleep(shopLease / 2) // the definitions are read again
			if _, err := conn.ExecContext(t.Context(), "DO (SELECT COUNT(*) FROM t)"); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			err := runOnceOn(t.Context(), conn, c.text)
			took := time.Since(began)
			var e *nearlyfree.Error
			switch {
			case c.took <= 0:
				if err != nil || c.took == 0 && took < request {
					t.Errorf("%s: %v after %v", c.text, err, took)
				}
			case !errors.As(err, &e) || e.Number != nearlyfree.CodeQueryTimeout || e.State != "HY000" || e.Applied != nearlyfree.AppliedNo || took != c.took:
				t.Errorf("%s: %v after %v, want error 3024 after %v", c.text, err, took, c.took)
			}
		}
		// The caller's own deadline is told as that.
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if err := runOnceOn(ctx, conn, "SELECT /*+ MAX_EXECUTION_TIME(300) */"+inTurn); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deadline before the limit: %v", err)
		}
	})
}

func runOnceOn(ctx context.Context, conn *sql.Conn, text string) error {
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// TestTimeLimitInMemory: where nothing waits for a store the limit is heard, too.
func TestTimeLimitInMemory(t *testing.T) {
	t.Parallel()
	db := openName(t, "mem://")
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY)")
	for i := range 300 {
		mustExec(t, db, fmt.Sprintf("INSERT INTO t VALUES (%d)", i))
	}
	for _, text := range []string{
		"SELECT /*+ MAX_EXECUTION_TIME(20) */ COUNT(*) FROM t a, t b, t c, t d WHERE a.id + b.id + c.id + d.id = 7",
		"SELECT /*+ MAX_EXECUTION_TIME(20) */ SLEEP(10), id FROM t",
		"SELECT /*+ MAX_EXECUTION_TIME(20) */ BENCHMARK(1000000000, MD5('a'))",
	} {
		var e *nearlyfree.Error
		if err := runOnce(db, text); !errors.As(err, &e) || e.Number != nearlyfree.CodeQueryTimeout {
			t.Errorf("%s: %v", text, err)
		}
	}
	// As in MySQL, SLEEP alone is interrupted without an error.
	var slept int
	if err := db.QueryRow("SELECT /*+ MAX_EXECUTION_TIME(20) */ SLEEP(1000)").Scan(&slept); err != nil || slept != 1 {
		t.Errorf("SLEEP gives %d, %v", slept, err)
	}
}
