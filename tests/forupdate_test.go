package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// eachStoreInBubble is eachStore in virtual time. home: the store is in this process, and shows its moments.
func eachStoreInBubble(t *testing.T, do func(t *testing.T, db *sql.DB, home bool)) {
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				config := s.configInBubble(t)
				do(t, nearlyfreetest.OpenConfig(t, config), !isAccount(config))
			})
		})
	}
}

// beginAt begins a transaction that is rolled back at the end of the test, if it is open still.
func beginAt(t *testing.T, db *sql.DB, level sql.IsolationLevel) *sql.Tx {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Rollback() })
	return tx
}

// rowsQueryer is a transaction, or what has none.
type rowsQueryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// reply is what came of a query of whole numbers.
type reply struct {
	numbers []int
	err     error
}

// asks runs a query beside others. In virtual time it has ended, or waits, when it is returned.
func asks(ctx context.Context, tx rowsQueryer, query string) <-chan reply {
	got := make(chan reply, 1)
	go func() {
		numbers, err := idsOf(ctx, tx, query)
		got <- reply{numbers, err}
	}()
	synctest.Wait()
	return got
}

// waits makes sure that a query has not ended.
func waits(t *testing.T, got <-chan reply) {
	t.Helper()
	synctest.Wait()
	select {
	case a := <-got:
		t.Fatalf("it did not wait: %v", a)
	default:
	}
}

// gives makes sure that a query has ended, and with what: an error of a number, or numbers.
func gives(t *testing.T, got <-chan reply, number int, want ...int) {
	t.Helper()
	synctest.Wait()
	select {
	case a := <-got:
		if int(numberOf(a.err)) != number || number == 0 && (a.err != nil || !slices.Equal(a.numbers, want)) {
			t.Fatalf("%v %v, want %v or error %d", a.numbers, a.err, want, number)
		}
	default:
		t.Fatal("it waits still")
	}
}

func commit(t *testing.T, tx *sql.Tx) {
	t.Helper()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// forUpdateLevels are the levels at which transactions behave otherwise.
var forUpdateLevels = []sql.IsolationLevel{sql.LevelDefault, sql.LevelSerializable}

// eachLevelInBubble is eachStoreInBubble at each of these levels.
func eachLevelInBubble(t *testing.T, do func(t *testing.T, db *sql.DB, level sql.IsolationLevel, home bool)) {
	for _, level := range forUpdateLevels {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			eachStoreInBubble(t, func(t *testing.T, db *sql.DB, home bool) { do(t, db, level, home) })
		})
	}
}

// TestForUpdateCounts: many transactions that each read a row FOR UPDATE, by whatever leads to it, and write what they have computed of
// it, all succeed, and none of what they wrote is lost.
func TestForUpdateCounts(t *testing.T) {
	t.Parallel()
	const clients, times = 6, 4
	for _, by := range []string{"id = 1", "id IN (1, 2)", "mail = 'ann'", "city = 'Rome'", "id > 0", "n >= 0 AND LENGTH(note) > 1"} {
		for _, level := range forUpdateLevels {
			t.Run(by+"/"+level.String(), func(t *testing.T) {
				t.Parallel()
				eachStore(t, func(t *testing.T, db *sql.DB) {
					runAll(t, db, "CREATE TABLE account (id INT PRIMARY KEY, mail VARCHAR(10), city VARCHAR(10), n INT, note TEXT, UNIQUE KEY (mail), KEY (city))",
						"INSERT INTO account VALUES (1, 'ann', 'Rome', 0, 'one'), (2, 'bob', 'Rome', 0, 'on')")
					together(clients, func(int) {
						for range times {
							if err := countOne(t.Context(), db, level, by); err != nil {
								t.Error(err)
								return
							}
						}
					})
					if n := count(t, db, "SELECT n FROM account WHERE id = 1"); n != clients*times {
						t.Errorf("%d of %d are there", n, clients*times)
					}
				})
			})
		}
	}
}

func countOne(ctx context.Context, db *sql.DB, level sql.IsolationLevel, by string) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	n, err := idsOf(ctx, tx, "SELECT n FROM account WHERE "+by+" ORDER BY id FOR UPDATE")
	if err != nil {
		return fmt.Errorf("SELECT: %w", err)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE account SET n = ? WHERE id = 1", n[0]+1); err != nil {
		return fmt.Errorf("UPDATE: %w", err)
	}
	return tx.Commit()
}

// TestForUpdateWaits: who wants a row that another transaction has waits for its end, and sees what it has left.
func TestForUpdateWaits(t *testing.T) {
	t.Parallel()
	eachLevelInBubble(t, func(t *testing.T, db *sql.DB, level sql.IsolationLevel, home bool) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT, state VARCHAR(10), KEY (state))",
			"INSERT INTO t VALUES (1, 10, 'new'), (2, 20, 'new'), (3, 30, 'done'), (4, 40, 'new')")
		begin := func() *sql.Tx { return beginAt(t, db, level) }
		one := func(tx *sql.Tx, query string) <-chan reply { return asks(t.Context(), tx, query) }

		a, b, c := begin(), begin(), begin()
		gives(t, one(a, "SELECT n FROM t WHERE id = 1 FOR UPDATE"), 0, 10)
		gives(t, one(a, "SELECT n FROM t WHERE id = 1 FOR UPDATE"), 0, 10)
		ofB := one(b, "SELECT n FROM t WHERE id = 1 FOR UPDATE")
		waits(t, ofB)
		ofC := one(c, "SELECT n FROM t WHERE id IN (1, 2) ORDER BY id LOCK IN SHARE MODE")
		waits(t, ofC)
		runAll(t, a, "UPDATE t SET n = 11 WHERE id = 1")
		commit(t, a)
		gives(t, ofB, 0, 11) // who came first
		waits(t, ofC)
		b.Rollback()
		gives(t, ofC, 0, 11, 20)
		c.Rollback()

		// written, not read
		a, b = begin(), begin()
		runAll(t, a, "UPDATE t SET n = 12 WHERE id = 1", "DELETE FROM t WHERE id = 2", "INSERT INTO t VALUES (5, 50, 'new')")
		ofB = one(b, "SELECT id FROM t WHERE state = 'new' ORDER BY id FOR UPDATE")
		waits(t, ofB)
		commit(t, a)
		gives(t, ofB, 0, 1, 4, 5)
		b.Rollback()

		// no longer wanted
		a, b = begin(), begin()
		gives(t, one(a, "SELECT id FROM t WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE"), 0, 1)
		ofB = one(b, "SELECT id FROM t WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE")
		waits(t, ofB)
		runAll(t, a, "UPDATE t SET state = 'done' WHERE id = 1")
		commit(t, a)
		gives(t, ofB, 0, 4)
		runAll(t, b, "UPDATE t SET state = 'done' WHERE id = 4")
		commit(t, b)

		// outside of a transaction
		a = begin()
		runAll(t, a, "UPDATE t SET n = 13 WHERE id = 1")
		alone := asks(t.Context(), db, "SELECT n FROM t WHERE id = 1 FOR UPDATE")
		all := asks(t.Context(), db, "SELECT n FROM t WHERE id < 3 FOR SHARE")
		gives(t, asks(t.Context(), db, "SELECT n FROM t WHERE id = 1"), 0, 12)
		waits(t, alone)
		waits(t, all)
		commit(t, a)
		gives(t, alone, 0, 13)
		gives(t, all, 0, 13)
		runAll(t, db, "UPDATE t SET n = 12 WHERE id = 1")
		gives(t, asks(t.Context(), db, "SELECT n FROM t WHERE id = 1 FOR UPDATE NOWAIT"), 0, 12)

		// what is not there is nobody's
		a, b = begin(), begin()
		gives(t, one(a, "SELECT id FROM t WHERE id = 9 FOR UPDATE"), 0)
		gives(t, one(b, "SELECT id FROM t WHERE id = 9 FOR UPDATE"), 0)
		a.Rollback()
		b.Rollback()

		// tables that are not named, and subqueries
		a, b = begin(), begin()
		gives(t, one(a, "SELECT id FROM t WHERE id = 1 FOR UPDATE"), 0, 1)
		gives(t, one(b, "SELECT o.id FROM t o JOIN t i ON i.id = o.id - 4 WHERE o.id = 5 FOR UPDATE OF o"), 0, 5)
		gives(t, one(b, "SELECT id FROM t WHERE id = (SELECT MAX(id) FROM t WHERE id < 4) FOR UPDATE"), 0, 3)
		gives(t, one(b, "SELECT n FROM t WHERE id = 1"), 0, 12)
		gives(t, asks(t.Context(), b, "SELECT id FROM t WHERE id = 1 FOR UPDATE NOWAIT"), nearlyfree.CodeLockNoWait)
		gives(t, asks(t.Context(), b, "SELECT id FROM t WHERE id <= 3 FOR UPDATE SKIP LOCKED"), 0, 3)
	})
}

// TestForUpdateByAnyKey: a row is waited for by whatever leads to it.
func TestForUpdateByAnyKey(t *testing.T) {
	t.Parallel()
	eachLevelInBubble(t, func(t *testing.T, db *sql.DB, level sql.IsolationLevel, home bool) {
		runAll(t, db, "CREATE TABLE u (id INT PRIMARY KEY, mail VARCHAR(10), state VARCHAR(10), n INT, note TEXT, UNIQUE KEY (mail), KEY (state), KEY (n) INCLUDE (state))",
			"INSERT INTO u VALUES (1, 'a', 'done', 10, ''), (2, 'b', 'new', 20, ''), (3, 'c', 'new', 30, '')")
		for _, first := range []string{"id = 2", "mail = 'b'", "state = 'new' AND id < 3", "n = 20 AND id > 1"} {
			for _, second := range []string{"id = 2", "mail = 'b'", "mail IN ('b', 'x')", "state = 'new' AND id < 3", "n = 20"} {
				waitsForRow2(t, db, level, first, second)
			}
		}
	})
}

// waitsForRow2 has one transaction take row 2 by a condition, and another one by a second condition.
func waitsForRow2(t *testing.T, db *sql.DB, level sql.IsolationLevel, first, second string) {
	t.Helper()
	begin := func() *sql.Tx { return beginAt(t, db, level) }
	one := func(tx *sql.Tx, query string) <-chan reply { return asks(t.Context(), tx, query) }
	a, b := begin(), begin()
	gives(t, one(a, "SELECT id FROM u WHERE "+first+" FOR UPDATE"), 0, 2)
	ofB := one(b, "SELECT n FROM u WHERE "+second+" FOR UPDATE")
	waits(t, ofB)
	gives(t, asks(t.Context(), db, "SELECT n FROM u WHERE "+second+" AND id = 2"), 0, 20)
	c := begin()
	gives(t, one(c, "SELECT n FROM u WHERE "+second+" FOR UPDATE NOWAIT"), nearlyfree.CodeLockNoWait)
	gives(t, one(c, "SELECT n FROM u WHERE "+second+" FOR UPDATE SKIP LOCKED"), 0)
	c.Rollback()
	runAll(t, a, "UPDATE u SET note = CONCAT(note, '!'), n = 20 WHERE id = 2")
	commit(t, a)
	gives(t, ofB, 0, 20)
	runAll(t, b, "UPDATE u SET note = CONCAT(note, '?') WHERE id = 2")
	commit(t, b)
}

// TestForUpdateFirst: a transaction of one moment that begins by reading FOR UPDATE sees what others have committed before that.
func TestForUpdateFirst(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 10)")
		for i, where := range []string{"id = 1", "id > 0"} {
			b := beginAt(t, db, sql.LevelSerializable)
			runAll(t, db, "UPDATE t SET n = n + 1 WHERE id = 1")
			if n, err := idsOf(t.Context(), b, "SELECT n FROM t WHERE "+where+" FOR UPDATE"); err != nil || !slices.Equal(n, []int{11 + 2*i}) {
				t.Errorf("%s: %v %v", where, n, err)
			}
			runAll(t, b, "UPDATE t SET n = n + 1 WHERE id = 1")
			commit(t, b)
		}
	})
}

// TestForUpdateAfterRead: a transaction of one moment goes by what it has read. So a row that it has waited for, and that was changed
// meanwhile, is no use to it.
func TestForUpdateAfterRead(t *testing.T) {
	t.Parallel()
	eachStoreInBubble(t, func(t *testing.T, db *sql.DB, home bool) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 10), (2, 20)")
		for _, query := range []string{"SELECT n FROM t WHERE id = 1 FOR UPDATE", "SELECT n FROM t WHERE id < 2 FOR UPDATE", "SET @n = (SELECT n FROM t WHERE id = 1 FOR UPDATE)"} {
			for _, ends := range []string{"changed", "rolled back"} {
				runAll(t, db, "UPDATE t SET n = 10 WHERE id = 1")
				a, b := beginAt(t, db, sql.LevelSerializable), beginAt(t, db, sql.LevelSerializable)
				gives(t, asks(t.Context(), b, "SELECT n FROM t ORDER BY id"), 0, 10, 20)
				runAll(t, a, "UPDATE t SET n = 11 WHERE id = 1")
				ofB := asks(t.Context(), b, query)
				waits(t, ofB)
				switch {
				case ends == "changed" && !home && !strings.Contains(query, "<"): // the row is read as it is now, and the commit finds that it was another one when b read it first
					commit(t, a)
					if r := <-ofB; r.err != nil {
						t.Error(r.err)
					}
					runAll(t, b, "UPDATE t SET n = 12 WHERE id = 2")
					if err := b.Commit(); numberOf(err) != nearlyfree.CodeDeadlock {
						t.Errorf("%s: commit: %v", query, err)
					}
				case ends == "changed":
					commit(t, a)
					gives(t, ofB, nearlyfree.CodeDeadlock)
					// Its rows are free at once.
					c := beginAt(t, db, sql.LevelDefault)
					gives(t, asks(t.Context(), c, "SELECT n FROM t WHERE id = 1 FOR UPDATE"), 0, 11)
					c.Rollback()
				default:
					a.Rollback()
					if strings.HasPrefix(query, "SET") {
						gives(t, ofB, 0)
					} else {
						gives(t, ofB, 0, 10)
					}
					runAll(t, b, "UPDATE t SET n = 12 WHERE id = 1")
					commit(t, b)
				}
				b.Rollback()
			}
		}
	})
}

// TestForUpdateDeadlock: who would wait for somebody that waits for him is rolled back at once, and the others go on.
func TestForUpdateDeadlock(t *testing.T) {
	t.Parallel()
	eachLevelInBubble(t, func(t *testing.T, db *sql.DB, level sql.IsolationLevel, home bool) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
		a, b, c := beginAt(t, db, level), beginAt(t, db, level), beginAt(t, db, level)
		gives(t, asks(t.Context(), a, "SELECT n FROM t WHERE id = 1 FOR UPDATE"), 0, 10)
		gives(t, asks(t.Context(), b, "SELECT n FROM t WHERE id = 2 FOR UPDATE"), 0, 20)
		runAll(t, c, "UPDATE t SET n = 31 WHERE id = 3")
		ofA := asks(t.Context(), a, "SELECT n FROM t WHERE id = 2 FOR UPDATE")
		waits(t, ofA)
		ofB := asks(t.Context(), b, "SELECT n FROM t WHERE id >= 3 FOR UPDATE")
		waits(t, ofB)
		began := time.Now()
		gives(t, asks(t.Context(), c, "SELECT n FROM t WHERE id = 1 FOR UPDATE"), nearlyfree.CodeDeadlock)
		if time.Since(began) > time.Second {
			t.Errorf("it took %v", time.Since(began))
		}
		gives(t, ofB, 0, 30) // what c wrote is nowhere
		waits(t, ofA)
		runAll(t, c, "UPDATE t SET n = 99 WHERE id = 1")
		if err := c.Commit(); !errors.Is(err, nearlyfree.ErrConflict) {
			t.Errorf("commit of what was rolled back: %v", err)
		}
		runAll(t, b, "UPDATE t SET n = 21 WHERE id = 2")
		commit(t, b)
		if level == sql.LevelDefault || !home {
			gives(t, ofA, 0, 21)
			commit(t, a)
		} else { // it goes by what it has read of row 1
			gives(t, ofA, nearlyfree.CodeDeadlock)
		}
		if n := count(t, db, "SELECT SUM(n) FROM t"); n != 10+21+30 {
			t.Errorf("the sum is %d", n)
		}
	})
}

// TestForUpdateEnds: a wait ends after innodb_lock_wait_timeout, with its context, by KILL QUERY, and when the database is closed. Then
// the transaction goes on.
func TestForUpdateEnds(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				connector, conns := sessions(t, s.configInBubble(t), 3)
				a, b, killer := conns[0], conns[1], conns[2]
				runAll(t, a, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 10), (2, 20)")
				runAll(t, a, "BEGIN", "UPDATE t SET n = 11 WHERE id = 1")
				runAll(t, b, "BEGIN", "INSERT INTO t VALUES (5, 50)")
				const query = "SELECT n FROM t WHERE id IN (2, 1) FOR UPDATE"
				ends := func(ctx context.Context, query string, after time.Duration, want func(error) bool) {
					t.Helper()
					began := time.Now()
					_, err := b.ExecContext(ctx, query)
					if took := time.Since(began).Round(time.Second); !want(err) || took != after {
						t.Errorf("%v after %v, want %v", err, took, after)
					}
				}
				late := func(err error) bool { return numberOf(err) == nearlyfree.CodeLockWaitTimeout }
				ends(t.Context(), query, 50*time.Second, late)
				runAll(t, b, "SET innodb_lock_wait_timeout = 7")
				ends(t.Context(), query, 7*time.Second, late)
				ends(t.Context(), "SET @n = (SELECT n FROM t WHERE id = 1 FOR UPDATE)", 7*time.Second, late)
				ends(t.Context(), "SELECT /*+ MAX_EXECUTION_TIME(3000) */ n FROM t WHERE id = 1 FOR UPDATE", 3*time.Second, func(err error) bool { return numberOf(err) == nearlyfree.CodeQueryTimeout })
				short, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				ends(short, query, 2*time.Second, func(err error) bool { return errors.Is(err, context.DeadlineExceeded) })
				id := connectionID(t, b)
				var wg sync.WaitGroup
				wg.Go(func() {
					time.Sleep(4 * time.Second)
					runAll(t, killer, fmt.Sprint("KILL QUERY ", id))
				})
				ends(t.Context(), query, 4*time.Second, func(err error) bool { return numberOf(err) == nearlyfree.CodeInterrupted })
				wg.Wait()
				runAll(t, b, "COMMIT")
				var n int
				if err := killer.QueryRowContext(t.Context(), "SELECT n FROM t WHERE id = 5").Scan(&n); err != nil || n != 50 {
					t.Errorf("the transaction did not go on: %d, %v", n, err)
				}

				runAll(t, b, "SET innodb_lock_wait_timeout = 1000", "BEGIN")
				wg.Go(func() {
					time.Sleep(4 * time.Second)
					connector.Close()
				})
				ends(t.Context(), query, 4*time.Second, func(err error) bool { return errors.Is(err, nearlyfree.ErrClosed) })
				wg.Wait()
			})
		})
	}
}

// TestForUpdateGivesBack: what a connection had is free when it is given back or lost, whatever it waits for.
func TestForUpdateGivesBack(t *testing.T) {
	t.Parallel()
	eachStoreInBubble(t, func(t *testing.T, db *sql.DB, home bool) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 10), (2, 20)")
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		runAll(t, conn, "BEGIN", "SELECT n FROM t WHERE id = 1 FOR UPDATE")
		a := beginAt(t, db, sql.LevelDefault)
		ofA := asks(t.Context(), a, "SELECT n FROM t WHERE id = 1 FOR UPDATE")
		waits(t, ofA)
		conn.Close()
		gives(t, ofA, 0, 10)

		// A savepoint gives nothing back.
		runAll(t, a, "SAVEPOINT s")
		gives(t, asks(t.Context(), a, "SELECT n FROM t WHERE id = 2 FOR UPDATE"), 0, 20)
		runAll(t, a, "ROLLBACK TO s")
		b := beginAt(t, db, sql.LevelDefault)
		ofB := asks(t.Context(), b, "SELECT n FROM t WHERE id = 2 FOR UPDATE")
		waits(t, ofB)
		runAll(t, a, "UPDATE t SET n = 21 WHERE id = 2")
		commit(t, a)
		gives(t, ofB, 0, 21)

		// The context of a transaction ends it.
		ctx, cancel := context.WithCancel(t.Context())
		c, err := db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		gives(t, asks(t.Context(), c, "SELECT n FROM t WHERE id = 1 FOR UPDATE"), 0, 10)
		ofB = asks(t.Context(), b, "SELECT n FROM t WHERE id = 1 FOR UPDATE")
		waits(t, ofB)
		cancel()
		gives(t, ofB, 0, 10)
		b.Rollback()
	})
}

// TestForUpdateOfSeveral: in memory and on a file, transactions of several sql.DB wait for each other.
func TestForUpdateOfSeveral(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, store := range []string{"mem://for-update-of-several", "file:" + filepath.Join(t.TempDir(), "data")} {
			a, b := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: store}), nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: store})
			runAll(t, a, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 10)")
			of := beginAt(t, a, sql.LevelDefault)
			runAll(t, of, "UPDATE t SET n = 11 WHERE id = 1")
			other := asks(t.Context(), b, "SELECT n FROM t WHERE id = 1 FOR UPDATE")
			waits(t, other)
			commit(t, of)
			gives(t, other, 0, 11)
		}
	})
}

// TestForUpdateRandomly: transactions that take rows in any order, by whatever leads to them, and write what they have computed of
// them, some of which give up, lose nothing and wait for nobody for ever. In virtual time a circle of those that wait would end by
// innodb_lock_wait_timeout; none does, as each is found.
func TestForUpdateRandomly(t *testing.T) {
	t.Parallel()
	eachLevelInBubble(t, func(t *testing.T, db *sql.DB, level sql.IsolationLevel, home bool) {
		const accounts, clients = 5, 6
		runAll(t, db, "CREATE TABLE account (id INT PRIMARY KEY, mail INT NOT NULL, branch INT NOT NULL, n INT NOT NULL, UNIQUE KEY (mail), KEY (branch))")
		for id := range accounts {
			runAll(t, db, fmt.Sprintf("INSERT INTO account VALUES (%d, %d, %d, 100)", id, id+10, id%2))
		}
		var conflicts, done, ended atomic.Int64
		together(clients, func(client int) {
			random := rand.New(rand.NewPCG(uint64(level), uint64(client)))
			for range testrun.Of(40, 12) {
				switch err := transferRandomly(t.Context(), db, level, random, accounts); {
				case err == nil:
					done.Add(1)
				case errors.Is(err, errGaveUp):
					ended.Add(1)
				case numberOf(err) == nearlyfree.CodeDeadlock:
					conflicts.Add(1)
				default:
					t.Error(err)
					return
				}
			}
		})
		if n := count(t, db, "SELECT SUM(n) FROM account"); n != accounts*100 {
			t.Errorf("the sum is %d", n)
		}
		if done.Load() == 0 || ended.Load() == 0 {
			t.Errorf("%d were committed, %d given up", done.Load(), ended.Load())
		}
		t.Logf("%d committed, %d given up, %d deadlocks", done.Load(), ended.Load(), conflicts.Load())
		for _, suffix := range []string{"", " FOR UPDATE NOWAIT"} { // nobody has anything any more
			if n, err := idsOf(t.Context(), beginAt(t, db, sql.LevelDefault), "SELECT id FROM account"+suffix); err != nil || len(n) != accounts {
				t.Errorf("afterwards: %v %v", n, err)
			}
		}
	})
}

var errGaveUp = errors.New("given up")

// transferRandomly moves something between accounts, which a transaction takes one after the other, or some at a time. What they have
// is in the program meanwhile, so that an update of somebody else's would be lost.
func transferRandomly(ctx context.Context, db *sql.DB, level sql.IsolationLevel, random *rand.Rand, accounts int) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	has := map[int]int{}
	for len(has) < 2 {
		id := random.IntN(accounts)
		where := []string{fmt.Sprint("id = ", id), fmt.Sprint("mail = ", id+10), fmt.Sprintf("id IN (%d, %d)", id, (id+1)%accounts),
			fmt.Sprint("branch = ", id%2), fmt.Sprintf("branch = %d AND n > -1000000 LIMIT 1", id%2)}[random.IntN(5)]
		both, err := idsOf(ctx, tx, "SELECT id * 1000000 + n + 500000 FROM account WHERE "+where+" FOR UPDATE")
		if err != nil {
			return err
		}
		for _, v := range both {
			has[v/1000000] = v%1000000 - 500000
		}
		if random.IntN(3) == 0 {
			time.Sleep(time.Duration(random.IntN(3)) * time.Second)
		}
	}
	ids := slices.Sorted(maps.Keys(has))
	from, to := ids[0], ids[len(ids)-1]
	for id, n := range map[int]int{from: has[from] - 7, to: has[to] + 7} {
		if _, err := tx.ExecContext(ctx, "UPDATE account SET n = ? WHERE id = ?", n, id); err != nil {
			return err
		}
	}
	if random.IntN(5) == 0 {
		return errors.Join(errGaveUp, tx.Rollback())
	}
	return tx.Commit()
}

// TestForUpdateAfterSavepoint: what a transaction has written and taken back to a savepoint is free for those who wait for it. So they do
// not wait for a transaction that waits for them, unseen.
func TestForUpdateAfterSavepoint(t *testing.T) {
	t.Parallel()
	eachStoreInBubble(t, func(t *testing.T, db *sql.DB, home bool) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 10), (2, 20)")
		a, b := beginAt(t, db, sql.LevelDefault), beginAt(t, db, sql.LevelDefault)
		runAll(t, a, "SAVEPOINT s", "UPDATE t SET n = 11 WHERE id = 1")
		gives(t, asks(t.Context(), b, "SELECT n FROM t WHERE id = 2 FOR UPDATE"), 0, 20)
		ofB := asks(t.Context(), b, "SELECT n FROM t WHERE id = 1 FOR UPDATE")
		waits(t, ofB)
		runAll(t, a, "ROLLBACK TO s")
		gives(t, ofB, 0, 10)
		ofA := asks(t.Context(), a, "SELECT n FROM t WHERE id = 2 FOR UPDATE")
		waits(t, ofA)
		runAll(t, b, "UPDATE t SET n = 21 WHERE id = 2")
		commit(t, b)
		gives(t, ofA, 0, 21)
		commit(t, a)
	})
}

// TestForUpdateRequests: the requests that show whether a row has changed while it was waited for are counted.
func TestForUpdateRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := overService(0, false)
		sent := &counting{Transporter: config.Transport}
		config.Transport = sent
		connector, conns := sessions(t, config, 2)
		a, b := conns[0], conns[1]
		runAll(t, a, "CREATE TABLE t (id INT PRIMARY KEY, state VARCHAR(10), n INT, KEY (state))", "INSERT INTO t VALUES (1, 'new', 10), (2, 'new', 20)")
		for _, where := range []string{"id = 1", "id IN (1, 2)", "id > 0", "state = 'new'"} {
			for _, end := range []string{"ROLLBACK", "COMMIT"} {
				runAll(t, a, "BEGIN", "UPDATE t SET n = n + 1 WHERE id = 1")
				sentBefore, countedBefore := sent.requests.Load(), connector.Stats().Requests
				ofB := asks(t.Context(), b, "SELECT n FROM t WHERE "+where+" FOR UPDATE")
				waits(t, ofB)
				runAll(t, a, end)
				<-ofB
				if n, counted := sent.requests.Load()-sentBefore, connector.Stats().Requests-countedBefore; n != counted {
					t.Errorf("%s, %s: of %d requests %d were counted", where, end, n, counted)
				}
			}
		}
	})
}

// counting counts requests.
type counting struct {
	policy.Transporter
	requests atomic.Int64
}

func (c *counting) Do(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.Transporter.Do(r)
}
