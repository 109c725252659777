package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// above are the levels that are serializable here.
var above = []sql.IsolationLevel{sql.LevelWriteCommitted, sql.LevelRepeatableRead, sql.LevelSnapshot, sql.LevelSerializable, sql.LevelLinearizable}

// TestBank: money goes between accounts of two tables, some of it in single statements that touch many rows, while others sum it up:
// by one statement, by a transaction that only reads, by a serializable one. No sum is ever another one.
func TestBank(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE giro (id INT PRIMARY KEY, n INT NOT NULL, branch INT NOT NULL, KEY branch (branch) INCLUDE (n)) PARTITION BY HASH (id) PARTITIONS 4",
			"CREATE TABLE saving (id INT PRIMARY KEY, n INT NOT NULL)")
		const accounts, start = 600, 100
		var giro, saving []string
		for i := range accounts {
			giro, saving = append(giro, fmt.Sprintf("(%d, %d, %d)", i, start, i%7)), append(saving, fmt.Sprintf("(%d, %d)", i, start))
		}
		runAll(t, db, "INSERT INTO giro VALUES "+strings.Join(giro, ", "), "INSERT INTO saving VALUES "+strings.Join(saving, ", "))
		const whole = "SELECT (SELECT SUM(n) FROM giro) + (SELECT SUM(n) FROM saving)"
		const want = 2 * accounts * start
		ctx, stop := context.WithTimeout(t.Context(), testrun.Of(3*time.Second, time.Second))
		defer stop()
		transfers, sums := 0, 0
		counted := make(chan [2]int)
		check := func(what string, sum int, err error) bool {
			if err == nil && sum != want {
				t.Errorf("%s: the sum is %d, want %d", what, sum, want)
			}
			if err != nil && ctx.Err() == nil {
				t.Errorf("%s: %v", what, err)
			}
			return err == nil && sum == want
		}
		inTx := func(what string, o sql.TxOptions, queries ...string) bool {
			total := 0
			err := nearlyfree.RunTx(ctx, db, &o, func(tx *sql.Tx) error {
				total = 0
				for _, q := range queries {
					var n int
					if err := tx.QueryRowContext(ctx, q).Scan(&n); err != nil {
						return err
					}
					total += n
				}
				return nil
			})
			return check(what, total, err)
		}
		for reader := range 3 {
			go func() {
				n := 0
				for ok := true; ok && ctx.Err() == nil; {
					switch reader {
					case 0:
						var sum int
						ok = check("one statement", sum, db.QueryRowContext(ctx, whole).Scan(&sum)) || sum == want
						ok = ok && check("rows by an index", sumOf(ctx, db, "SELECT n FROM giro WHERE branch >= 0 UNION ALL SELECT n FROM saving"), ctx.Err())
					case 1:
						ok = inTx("a transaction that only reads", sql.TxOptions{ReadOnly: true}, "SELECT SUM(n) FROM giro", "SELECT SUM(n) FROM saving")
					case 2:
						ok = inTx("a serializable transaction", sql.TxOptions{Isolation: sql.LevelSerializable}, "SELECT SUM(n) FROM giro WHERE branch < 4", "SELECT SUM(n) FROM giro WHERE branch >= 4", "SELECT SUM(n) FROM saving")
					}
					if ok {
						n++
					}
				}
				counted <- [2]int{0, n}
			}()
		}
		for w := range 3 {
			go func() {
				rnd, n := rand.New(rand.NewPCG(uint64(w), 17)), 0
				for ctx.Err() == nil {
					from, to, amount := rnd.IntN(accounts), rnd.IntN(accounts), 1+rnd.IntN(5)
					err := nearlyfree.RunTx(ctx, db, nil, func(tx *sql.Tx) error {
						if _, err := tx.ExecContext(ctx, "UPDATE giro SET n = n - ?, branch = ? WHERE id = ?", amount, rnd.IntN(7), from); err != nil {
							return err
						}
						_, err := tx.ExecContext(ctx, "UPDATE saving SET n = n + ? WHERE id = ?", amount, to)
						return err
					})
					if err == nil && n%5 == 0 { // 300 rows at once
						_, err = db.ExecContext(ctx, "UPDATE saving SET n = n + CASE WHEN id % 2 = 0 THEN 1 ELSE -1 END WHERE id >= ? AND id < ?", from/2*2%300, from/2*2%300+300)
					}
					if err == nil {
						n++
					} else if ctx.Err() == nil {
						t.Errorf("a transfer: %v", err)
						return
					}
				}
				counted <- [2]int{n, 0}
			}()
		}
		for range 6 {
			n := <-counted
			transfers, sums = transfers+n[0], sums+n[1]
		}
		var sum int
		if err := db.QueryRow(whole).Scan(&sum); err != nil || sum != want {
			t.Errorf("the sum is %d in the end, want %d (%v)", sum, want, err)
		}
		if transfers == 0 || sums == 0 {
			t.Errorf("%d transfers, %d sums", transfers, sums)
		}
		t.Logf("%d transfers, %d sums", transfers, sums)
	})
}

// sumOf adds up the first column of a query, read row by row.
func sumOf(ctx context.Context, db *sql.DB, query string) (sum int) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return 0
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if rows.Scan(&n) == nil {
			sum += n
		}
	}
	return sum
}

// TestLevels: what each level lets happen.
func TestLevels(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE duty (day INT, name VARCHAR(10), PRIMARY KEY (day, name))", "CREATE TABLE other (id INT PRIMARY KEY, n INT)")
		// skew has two transactions read the whole of duty and write what the other one's reading depends on.
		skew := func(level sql.IsolationLevel, a, b string) (conflict bool) {
			runAll(t, db, "DELETE FROM duty", "INSERT INTO duty VALUES (1, 'ann'), (1, 'bob'), (2, 'cyd')")
			var tx [2]*sql.Tx
			for i, write := range []string{a, b} {
				var err error
				if tx[i], err = db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level}); err != nil {
					t.Fatal(err)
				}
				var n int
				if err := tx[i].QueryRow("SELECT COUNT(*) FROM duty WHERE day = 1").Scan(&n); err != nil || n != 2 {
					t.Fatalf("%d are on duty (%v)", n, err)
				}
				runAll(t, tx[i], write)
			}
			if err := tx[0].Commit(); err != nil {
				t.Fatal(err)
			}
			err := tx[1].Commit()
			var e *nearlyfree.Error
			if err != nil && (!errors.Is(err, nearlyfree.ErrConflict) || !errors.As(err, &e) || !e.Retryable || !strings.Contains(e.Message, "duty")) {
				t.Fatal(err)
			}
			return err != nil
		}
		for name, writes := range map[string][2]string{
			"write skew":         {"DELETE FROM duty WHERE day = 1 AND name = 'ann'", "DELETE FROM duty WHERE day = 1 AND name = 'bob'"},
			"phantom":            {"INSERT INTO duty VALUES (1, 'dan')", "INSERT INTO duty VALUES (1, 'eve')"},
			"phantom, by delete": {"DELETE FROM duty WHERE day = 1", "INSERT INTO duty VALUES (1, 'eve')"},
		} {
			for _, level := range []sql.IsolationLevel{sql.LevelDefault, sql.LevelReadUncommitted, sql.LevelReadCommitted} {
				if skew(level, writes[0], writes[1]) {
					t.Errorf("%s, %s: a conflict", name, level)
				}
			}
			for _, level := range above {
				if !skew(level, writes[0], writes[1]) {
					t.Errorf("%s, %s: no conflict", name, level)
				}
			}
		}
		// What others write where nothing was read is no conflict.
		for _, level := range above {
			if skew(level, "INSERT INTO duty VALUES (3, 'dan')", "INSERT INTO duty VALUES (3, 'eve')") {
				t.Errorf("%s: a conflict over what was not read", level)
			}
		}
	}, "memory", "file", "service")
}

// TestMoments: a transaction that is serializable, or that only reads, sees what there was when it began.
func TestMoments(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE duty (day INT, name VARCHAR(10), PRIMARY KEY (day, name))", "CREATE TABLE other (id INT PRIMARY KEY, n INT)")
		runAll(t, db, "INSERT INTO duty VALUES (1, 'ann'), (1, 'bob'), (2, 'cyd')")
		// Of one moment: serializable, or only reading.
		for _, o := range []sql.TxOptions{{Isolation: sql.LevelSerializable}, {Isolation: sql.LevelRepeatableRead, ReadOnly: true}, {ReadOnly: true}} {
			tx, err := db.BeginTx(t.Context(), &o)
			if err != nil {
				t.Fatal(err)
			}
			runAll(t, db, "DELETE FROM other", "INSERT INTO duty VALUES (9, 'x')", "INSERT INTO other VALUES (1, 1)")
			var n int
			if err := tx.QueryRow("SELECT (SELECT COUNT(*) FROM duty WHERE day = 9) + (SELECT COUNT(*) FROM other WHERE id = 1 AND n = 1)").Scan(&n); err != nil || n != 0 {
				t.Errorf("%+v sees %d rows that came later (%v)", o, n, err)
			}
			if err := tx.Commit(); err != nil {
				t.Errorf("%+v has written nothing: %v", o, err)
			}
			runAll(t, db, "DELETE FROM duty WHERE day = 9", "DELETE FROM other")
		}

		// A definition that is newer than the transaction's moment: one that has read nothing yet gets a later moment.
		const snapshot = "START TRANSACTION WITH CONSISTENT SNAPSHOT"
		for _, first := range []string{"", "SELECT COUNT(*) FROM other", snapshot} {
			tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			var n int
			switch first {
			case "":
			case snapshot:
				if _, err := tx.Exec(snapshot); err != nil {
					t.Fatal(err)
				}
			default:
				if err := tx.QueryRow(first).Scan(&n); err != nil {
					t.Fatal(err)
				}
			}
			runAll(t, db, "CREATE INDEX name ON duty (name)", "INSERT INTO duty VALUES (3, 'ann')")
			err = tx.QueryRow("SELECT COUNT(*) FROM duty WHERE name = 'ann'").Scan(&n)
			if first == "" && (err != nil || n != 2) || first != "" && !errors.Is(err, nearlyfree.ErrSchemaChanged) {
				t.Errorf("by an index that was made behind %q: %d, %v", first, n, err)
			}
			if err := tx.QueryRow("SELECT COUNT(*) FROM other").Scan(&n); err != nil || n != 0 {
				t.Errorf("behind that: %d, %v", n, err)
			}
			tx.Rollback()
			runAll(t, db, "DROP INDEX name ON duty", "DELETE FROM duty WHERE day = 3")
		}
	})
}

// TestFilledAtOneMoment: the query that fills a new table sees one moment, whatever others write while it runs.
func TestFilledAtOneMoment(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE first (id INT PRIMARY KEY, n INT)", "CREATE TABLE last (id INT PRIMARY KEY, n INT)",
			"INSERT INTO first VALUES (1, 0)", "INSERT INTO last VALUES (1, 0)")
		gate, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer gate.Close()
		do := func(c *sql.Conn, statement string) {
			t.Helper()
			if _, err := c.ExecContext(t.Context(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
		const query = " AS SELECT n, GET_LOCK('begun', 0) + GET_LOCK('gate', 60) AS locked FROM first UNION ALL SELECT n, 0 FROM last"
		for _, statements := range [][]string{{"CREATE TABLE filled" + query}, {"CREATE TEMPORARY TABLE filled" + query}, {"BEGIN", "CREATE TEMPORARY TABLE filled" + query}} {
			runAll(t, db, "UPDATE first, last SET first.n = 0, last.n = 0")
			do(gate, "DO GET_LOCK('gate', 0)")
			c, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for _, s := range statements {
					do(c, s)
				}
			}()
			for begun := false; !begun; time.Sleep(time.Millisecond) {
				if err := gate.QueryRowContext(t.Context(), "SELECT IS_USED_LOCK('begun') IS NOT NULL").Scan(&begun); err != nil {
					t.Fatal(err)
				}
			}
			runAll(t, db, "UPDATE first, last SET first.n = 1, last.n = 1")
			do(gate, "DO RELEASE_LOCK('gate')")
			<-ended
			var n int
			if err := c.QueryRowContext(t.Context(), "SELECT SUM(n) FROM filled").Scan(&n); err != nil || n != 0 {
				t.Errorf("%s: of two rows %d are of a later moment (%v)", statements, n, err)
			}
			do(c, "DO RELEASE_ALL_LOCKS()")
			do(c, "DROP TABLE filled")
			c.Close()
		}
	})
}

// TestIsolationBySQL: the levels as SQL asks for them.
func TestIsolationBySQL(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 1), (2, 1)")
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		sees := func(want int) {
			t.Helper()
			var sum int
			if err := c.QueryRowContext(t.Context(), "SELECT SUM(n) FROM t").Scan(&sum); err != nil || sum != want {
				t.Errorf("the sum is %d, want %d (%v)", sum, want, err)
			}
		}
		for i, begin := range [][]string{
			{"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN"},
			{"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "BEGIN"},
			{"SET SESSION transaction_isolation = 'SERIALIZABLE'", "SET autocommit = 0"},
			{"SET transaction_isolation = 'READ-COMMITTED'", "SET autocommit = 1", "START TRANSACTION WITH CONSISTENT SNAPSHOT"},
		} {
			runAll(t, c, begin...)
			sees(2 + i)
			runAll(t, db, "UPDATE t SET n = n + 1 WHERE id = 1")
			sees(2 + i)
			runAll(t, c, "INSERT INTO t VALUES (100, 0)")
			if _, err := c.ExecContext(t.Context(), "COMMIT"); !errors.Is(err, nearlyfree.ErrConflict) {
				t.Errorf("%v: %v, want a conflict", begin, err)
			}
			runAll(t, c, "ROLLBACK")
			sees(3 + i)
			runAll(t, c, "COMMIT")
		}
		runAll(t, c, "SET transaction_isolation = DEFAULT", "START TRANSACTION READ ONLY")
		sees(6)
		runAll(t, db, "UPDATE t SET n = n + 1 WHERE id = 1")
		sees(6)
		runAll(t, c, "COMMIT")
		sees(7)
		runAll(t, c, "CREATE TABLE log (at DATETIME PRIMARY KEY) PARTITION BY RANGE (at) INTERVAL (1 MONTH)")
		// A single statement of a session that asked for a level is a transaction of it.
		runAll(t, c, "SET transaction_isolation = 'SERIALIZABLE'", "INSERT INTO log VALUES ('2024-05-06')")
		done := make(chan error)
		go func() {
			for range 200 {
				if _, err := db.Exec("UPDATE t SET n = n + 1 WHERE id = 1"); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		for i := range 20 {
			runAll(t, c, fmt.Sprintf("INSERT INTO t SELECT %d, 0 FROM t HAVING SUM(n) > 0", 200+i))
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestTransactionsGroup: with the option, more than one entity group transaction is refused.
func TestTransactionsGroup(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://", Transactions: nearlyfree.TransactionsGroup})
	runAll(t, db, "CREATE TABLE a (id INT PRIMARY KEY)", "CREATE TABLE b (id INT PRIMARY KEY)")
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	runAll(t, tx, "INSERT INTO a VALUES (1)")
	if _, err := tx.Exec("INSERT INTO b VALUES (1)"); !errors.Is(err, nearlyfree.ErrTooLarge) {
		t.Errorf("two tables: %v", err)
	}
	runAll(t, tx, "INSERT INTO a VALUES (2)") // which fits
	if err := tx.Commit(); err != nil || count(t, db, "SELECT COUNT(*) FROM a") != 2 || count(t, db, "SELECT COUNT(*) FROM b") != 0 {
		t.Errorf("what fits: %v", err)
	}
	for _, level := range above {
		if _, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level}); !errors.Is(err, nearlyfree.ErrNotSupported) {
			t.Errorf("%s: %v", level, err)
		}
	}
}

// TestRunTx: it runs again on a conflict, not on another error, and ends with its context.
func TestRunTx(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 0)")
		const writers, each = 8, 20
		together(writers, func(int) {
			for range each {
				err := nearlyfree.RunTx(t.Context(), db, &sql.TxOptions{Isolation: sql.LevelSerializable}, func(tx *sql.Tx) error {
					var n int
					if err := tx.QueryRow("SELECT n FROM t WHERE id = 1").Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec("UPDATE t SET n = ? WHERE id = 1", n+1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
		var n int
		if err := db.QueryRow("SELECT n FROM t").Scan(&n); err != nil || n != writers*each {
			t.Errorf("the counter is at %d, want %d (%v)", n, writers*each, err)
		}
		own, runs := errors.New("own"), 0
		if err := nearlyfree.RunTx(t.Context(), db, nil, func(*sql.Tx) error { runs++; return own }); err != own || runs != 1 {
			t.Errorf("%v after %d runs", err, runs)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err := nearlyfree.RunTx(ctx, db, &sql.TxOptions{Isolation: sql.LevelSerializable}, func(tx *sql.Tx) error {
			if err := tx.QueryRow("SELECT n FROM t WHERE id = 1").Scan(&n); err != nil {
				return err
			}
			if _, err := db.Exec("UPDATE t SET n = n + 1 WHERE id = 1"); err != nil {
				return err
			}
			_, err := tx.Exec("INSERT INTO t VALUES (2, 0)")
			return err
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a context that ends: %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		err = nearlyfree.RunTx(ctx, db, nil, func(tx *sql.Tx) error {
			cancel()
			for { // until database/sql has noticed
				if _, err := tx.Exec("DO 1"); err != nil {
					return err
				}
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		func() {
			defer func() { recover() }()
			nearlyfree.RunTx(t.Context(), db, nil, func(tx *sql.Tx) error {
				runAll(t, tx, "INSERT INTO t VALUES (3, 0)")
				panic("own")
			})
		}()
		if err := db.QueryRow("SELECT COUNT(*) FROM t").Scan(&n); err != nil || n != 1 {
			t.Errorf("%d rows, want 1 (%v)", n, err)
		}
	})
}
