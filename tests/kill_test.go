package tests

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// connectionID is that of a session.
func connectionID(t *testing.T, conn *sql.Conn) (id int64) {
	t.Helper()
	if err := conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// TestKillQuery: KILL QUERY ends what another session does, wherever that waits. Its session goes on, and its transaction, too.
func TestKillQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := false
		db := newShop(t).connect(func(*http.Request) azuretest.Fault {
			if slow {
				return azuretest.Fault{Delay: time.Hour}
			}
			return azuretest.Fault{}
		})
		killer, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer killer.Close()
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		id := connectionID(t, conn)
		runAll(t, conn, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 1), (2, 2)", "SET @x = 7")
		runAll(t, killer, "DO GET_LOCK('taken', 0)", fmt.Sprint("KILL QUERY ", id))
		for _, statement := range []string{
			"SELECT SLEEP(100000)", "SELECT * FROM t", "SELECT n FROM t WHERE id = 1", "SELECT GET_LOCK('taken', 100000)", "SET @y = (SELECT SLEEP(100000))",
			"SELECT n FROM t WHERE id = 2 INTO @y", "PREPARE p FROM 'SELECT SLEEP(100000)'; EXECUTE p", "EXPLAIN ANALYZE SELECT * FROM t", "DO SLEEP(100000)",
			"CREATE TABLE IF NOT EXISTS t (id INT)", "SELECT /*+ MAX_EXECUTION_TIME(100000000) */ SLEEP(100000)",
		} {
			slow = strings.Contains(statement, " t")
			done := make(chan error)
			go func() {
				_, err := conn.ExecContext(t.Context(), statement)
				done <- err
			}()
			synctest.Wait()
			if _, err := killer.ExecContext(t.Context(), "KILL QUERY ?", id); err != nil {
				t.Fatal(err)
			}
			err := <-done
			if sleeps := strings.Contains(statement, "SLEEP"); sleeps && err != nil || !sleeps && numberOf(err) != nearlyfree.CodeInterrupted {
				t.Errorf("%s: %v", statement, err)
			}
			slow = false
			runAll(t, killer, fmt.Sprint("KILL QUERY ", id))
			var x, n int
			if err := conn.QueryRowContext(t.Context(), "SELECT @x, (SELECT SUM(n) FROM t)").Scan(&x, &n); err != nil || x != 7 || n != 3 {
				t.Fatalf("behind %s: %d, %d, %v", statement, x, n, err)
			}
		}
	})
}

// TestKillSleep: SLEEP that KILL QUERY ends is 1, and what comes behind it does not run, as in MySQL: no further row is read, and nothing
// is written.
func TestKillSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, conns := sessions(t, &nearlyfree.Config{Store: "mem://"}, 2)
		killer, conn := conns[0], conns[1]
		id := connectionID(t, conn)
		runAll(t, conn, "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)")
		for _, c := range []struct {
			statement string
			value     int // 0: error 1317
		}{
			{"SELECT SLEEP(1000)", 1}, {"SELECT SLEEP(1000) + SLEEP(2000) + 5", 7}, {"SELECT (SELECT SLEEP(1000))", 1},
			{"SELECT id FROM t WHERE SLEEP(1000)", 0}, {"SELECT MAX(SLEEP(1000)) FROM t", 0}, {"SELECT id FROM t ORDER BY SLEEP(1000)", 0},
			{"INSERT INTO t VALUES (SLEEP(1000) + 50) RETURNING id", 0}, {"INSERT INTO t SELECT SLEEP(1000) + 50 RETURNING id", 0},
			{"UPDATE t SET id = id + 5 + SLEEP(1000) RETURNING id", 0}, {"DELETE FROM t WHERE SLEEP(1000) RETURNING id", 0},
		} {
			done := make(chan error)
			sum := 0
			go func() {
				rows, err := conn.QueryContext(t.Context(), c.statement)
				for err == nil && rows.Next() {
					var v int
					err = rows.Scan(&v)
					sum += v
				}
				if err == nil {
					err = errors.Join(rows.Err(), rows.Close())
				}
				done <- err
			}()
			synctest.Wait()
			runAll(t, killer, fmt.Sprint("KILL QUERY ", id))
			err := <-done
			if c.value == 0 && numberOf(err) != nearlyfree.CodeInterrupted || c.value > 0 && (err != nil || sum != c.value) {
				t.Errorf("%s: %d, %v", c.statement, sum, err)
			}
			var n int
			if err := conn.QueryRowContext(t.Context(), "SELECT SUM(id) FROM t").Scan(&n); err != nil || n != 3 {
				t.Fatalf("behind %s: %d, %v", c.statement, n, err)
			}
		}
	})
}

// TestKillRows: KILL QUERY ends the reading of rows, and an UPDATE that is half-way writes nothing.
func TestKillRows(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"mem://", "service"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			config := &nearlyfree.Config{Store: store}
			if store == "service" {
				config = overService(0, false)
			}
			_, conns := sessions(t, config, 2)
			killer, conn := conns[0], conns[1]
			id := connectionID(t, conn)
			runAll(t, conn, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t WITH RECURSIVE s AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM s WHERE i < 1000) SELECT i, 1 FROM s")
			tx, err := conn.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := tx.Query("SELECT a.id FROM t a, t b, t c")
			if err != nil {
				t.Fatal(err)
			}
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
			runAll(t, killer, fmt.Sprint("KILL QUERY ", id))
			n := 0
			for rows.Next() {
				n++
			}
			if numberOf(rows.Err()) != nearlyfree.CodeInterrupted || n > 1<<20 {
				t.Errorf("%d rows more, %v", n, rows.Err())
			}
			if _, err := tx.Exec("UPDATE t SET n = 2 WHERE id = 1"); err != nil {
				t.Errorf("the transaction goes on: %v", err)
			}
			if err := tx.Commit(); err != nil {
				t.Error(err)
			}
			var failed error
			var ended sync.WaitGroup
			ended.Go(func() {
				_, failed = conn.ExecContext(t.Context(), "UPDATE t SET n = (SELECT COUNT(*) FROM t a, t b, t c WHERE a.n + b.n + c.n > t.n)")
			})
			for {
				var running int
				const others = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ? AND INFO LIKE 'UPDATE%'"
				if err := killer.QueryRowContext(t.Context(), others, id).Scan(&running); err != nil {
					t.Fatal(err)
				}
				if running == 1 {
					break
				}
			}
			runAll(t, killer, fmt.Sprint("KILL QUERY ", id))
			ended.Wait()
			if got := answers(t.Context(), conn, "SELECT SUM(n), COUNT(*) FROM t"); numberOf(failed) != nearlyfree.CodeInterrupted || got != "1001 | 1000" {
				t.Errorf("an UPDATE: %v, then %s", failed, got)
			}
		})
	}
}

// TestKillConnection: KILL ends a session: what it has not committed is gone, and the pool takes another one in its place.
func TestKillConnection(t *testing.T) {
	t.Parallel()
	db, _ := openConfig(t, &nearlyfree.Config{Store: "mem://"})
	ctx := t.Context()
	killer, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer killer.Close()
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY)")
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	id := connectionID(t, conn)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	runAll(t, killer, fmt.Sprint("KILL ", id))
	if _, err := killer.ExecContext(ctx, fmt.Sprint("KILL CONNECTION ", id)); numberOf(err) != nearlyfree.CodeNoSuchThread {
		t.Errorf("a second time: %v", err)
	}
	if got := answers(ctx, killer, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ?", id); got != "0" {
		t.Errorf("in the list: %s", got)
	}
	if err := tx.Commit(); !errors.Is(err, driver.ErrBadConn) {
		t.Errorf("COMMIT: %v", err)
	}
	if _, err := conn.ExecContext(ctx, "DO 1"); err == nil {
		t.Error("the session goes on")
	}
	conn.Close()
	if got := answers(ctx, db, "SELECT * FROM t"); got != "" {
		t.Errorf("rows: %s", got)
	}
	// One that waits in the pool.
	db.SetMaxIdleConns(1)
	var idle, next int64
	if err := db.QueryRow("SELECT CONNECTION_ID()").Scan(&idle); err != nil {
		t.Fatal(err)
	}
	runAll(t, killer, fmt.Sprint("KILL ", idle))
	if err := db.QueryRow("SELECT CONNECTION_ID()").Scan(&next); err != nil || next == idle {
		t.Errorf("the next session of the pool is %d, %v", next, err)
	}
	// Oneself.
	if _, err := db.Exec("KILL QUERY CONNECTION_ID()"); numberOf(err) != nearlyfree.CodeInterrupted {
		t.Errorf("KILL QUERY of oneself: %v", err)
	}
	if _, err := db.Exec("KILL CONNECTION_ID()"); numberOf(err) != nearlyfree.CodeInterrupted {
		t.Errorf("KILL of oneself: %v", err)
	}
	mustExec(t, db, "INSERT INTO t VALUES (2)")
	for _, statement := range []string{"KILL 123456789", "KILL QUERY -1", "KILL NULL", "KILL QUERY 'x'"} {
		if _, err := db.Exec(statement); numberOf(err) != nearlyfree.CodeNoSuchThread {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// TestKillTogether: however KILL QUERY meets the statements of a session, each is carried out or interrupted, and none that begins later is.
func TestKillTogether(t *testing.T) {
	t.Parallel()
	_, conns := sessions(t, &nearlyfree.Config{Store: "mem://"}, 3)
	ctx := t.Context()
	runAll(t, conns[0], "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 0), (2, 0)")
	const rounds = 2000
	var workers, killers sync.WaitGroup
	over, stop := context.WithCancel(ctx)
	defer stop()
	var did [2]int
	for i, conn := range conns[:2] {
		id := connectionID(t, conn)
		workers.Go(func() {
			for range rounds {
				_, err := conn.ExecContext(ctx, "UPDATE t SET n = n + 1 WHERE id = ?", i+1)
				switch {
				case err == nil:
					did[i]++
				case numberOf(err) != nearlyfree.CodeInterrupted:
					t.Errorf("UPDATE: %v", err)
				}
				if got := answers(ctx, conn, "SELECT COUNT(*) FROM t"); got != "2" && got != fmt.Sprint("error ", nearlyfree.CodeInterrupted) {
					t.Errorf("SELECT: %s", got)
				}
			}
		})
		if i == 0 {
			killers.Go(func() {
				for over.Err() == nil {
					if _, err := conns[2].ExecContext(ctx, "KILL QUERY ?", id); err != nil {
						t.Errorf("KILL: %v", err)
					}
				}
			})
		}
	}
	workers.Wait()
	stop()
	killers.Wait()
	if got, want := answers(ctx, conns[0], "SELECT n FROM t ORDER BY id"), fmt.Sprint(did[0], "; ", rounds); got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
}
