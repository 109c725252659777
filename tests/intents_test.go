package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestTransactionRequests: what transactions cost on an account, in requests of COMMIT.
func TestTransactionRequests(t *testing.T) {
	t.Parallel()
	connector, conn := connect(t, overService(0, false))
	for _, s := range []string{
		"CREATE TABLE account (id INT PRIMARY KEY, n INT NOT NULL) PARTITION BY HASH (id) PARTITIONS 8",
		"CREATE TABLE stock (id INT PRIMARY KEY, n INT NOT NULL)",
		"CREATE TABLE orders (id INT PRIMARY KEY, item INT, KEY item (item))",
		"INSERT INTO account VALUES (1, 100), (2, 100), (3, 100)",
		"INSERT INTO stock VALUES (1, 100), (2, 100)",
	} {
		runAll(t, conn, s)
	}
	for _, c := range []struct {
		what       string
		level      sql.IsolationLevel
		statements []string
		commit     int64
	}{
		{"one row", 0, []string{"UPDATE stock SET n = n - 1 WHERE id = 1"}, 1},
		{"two rows of a partition", 0, []string{"UPDATE stock SET n = n - 1 WHERE id = 1", "UPDATE stock SET n = n - 1 WHERE id = 2"}, 1},
		{"two partitions: one is prepared, one decides, one goes forward", 0, []string{"UPDATE account SET n = n - 1 WHERE id = 1", "UPDATE account SET n = n + 1 WHERE id = 2"}, 3},
		{"three partitions", 0, []string{"UPDATE account SET n = n - 2 WHERE id = 1", "UPDATE account SET n = n + 1 WHERE id = 2", "UPDATE account SET n = n + 1 WHERE id = 3"}, 5},
		{"two tables: the record is one request more", 0, []string{"INSERT INTO orders VALUES (1, 1)", "UPDATE stock SET n = n - 1 WHERE id = 1"}, 5},
		{"serializable, of points of one partition", sql.LevelSerializable, []string{"UPDATE stock SET n = n + (SELECT n FROM stock s WHERE s.id = 2) WHERE id = 1"}, 1},
		{"serializable, two partitions", sql.LevelSerializable, []string{"UPDATE account SET n = n - 1 WHERE id = 1", "UPDATE account SET n = n + 1 WHERE id = 2"}, 3},
		{"serializable, of another table: what was read is read again", sql.LevelSerializable, []string{"UPDATE stock SET n = n + (SELECT COUNT(*) FROM orders) WHERE id = 1"}, 3},
		{"repeatable read that reads one page", sql.LevelRepeatableRead, []string{"SELECT * FROM stock"}, 0},
		{"repeatable read that reads two tables", sql.LevelRepeatableRead, []string{"SELECT * FROM stock", "SELECT * FROM orders"}, 2},
	} {
		tx, err := conn.BeginTx(t.Context(), &sql.TxOptions{Isolation: c.level})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.statements {
			rows, err := tx.QueryContext(t.Context(), s)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			for rows.Next() {
			}
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
		}
		before := connector.Stats()
		if err := tx.Commit(); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		after := connector.Stats()
		if n := after.Requests - after.SchemaRequests - before.Requests + before.SchemaRequests; n != c.commit {
			t.Errorf("%s: COMMIT takes %d requests, want %d", c.what, n, c.commit)
		}
	}
}

// TestAccountBank: on an account, money goes between accounts of 16 partitions while others sum it up. No sum of a transaction that
// reads one moment is another one.
func TestAccountBank(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		const start = 100
		accounts := testrun.Of(1000, 48)
		runAll(t, db, "CREATE TABLE account (id INT PRIMARY KEY, n INT NOT NULL, KEY n (n)) PARTITION BY HASH (id) PARTITIONS 16")
		for i := range accounts {
			runAll(t, db, fmt.Sprintf("INSERT INTO account VALUES (%d, %d)", i, start))
		}
		sum := func(ctx context.Context, o *sql.TxOptions, query string) (n int, err error) {
			err = nearlyfree.RunTx(ctx, db, o, func(tx *sql.Tx) error { return tx.QueryRowContext(ctx, query).Scan(&n) })
			return n, err
		}
		together(6, func(i int) {
			rnd := rand.New(rand.NewPCG(uint64(i), 6))
			for range 12 {
				if i == 0 {
					query := []string{"SELECT SUM(n) FROM account", "SELECT SUM(n) FROM account FORCE INDEX (n) WHERE n > -100000"}[rnd.IntN(2)]
					n, err := sum(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: rnd.IntN(2) == 0}, query)
					if err != nil || n != accounts*start {
						t.Errorf("%s gives %d, want %d (%v)", query, n, accounts*start, err)
					}
					continue
				}
				from, to := rnd.IntN(accounts), rnd.IntN(accounts)
				o := &sql.TxOptions{}
				if rnd.IntN(2) == 0 {
					o.Isolation = sql.LevelSerializable
				}
				err := nearlyfree.RunTx(t.Context(), db, o, func(tx *sql.Tx) error {
					if _, err := tx.Exec("UPDATE account SET n = n - 7 WHERE id = ?", from); err != nil {
						return err
					}
					_, err := tx.Exec("UPDATE account SET n = n + 7 WHERE id = ?", to)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
		if n, err := sum(t.Context(), nil, "SELECT SUM(n) FROM account"); err != nil || n != accounts*start {
			t.Errorf("the sum is %d at the end, want %d (%v)", n, accounts*start, err)
		}
		if n, err := sum(t.Context(), nil, "SELECT SUM(n) FROM account FORCE INDEX (n) WHERE n > -100000"); err != nil || n != accounts*start {
			t.Errorf("the sum by the index is %d at the end, want %d (%v)", n, accounts*start, err)
		}
	}, "service", "service, single", "service of tiny pages")
}

// TestManyEntities: on an account a statement and a transaction may have any number of entities, all or none are written.
func TestManyEntities(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT, UNIQUE KEY n (n))", "CREATE TABLE u (id INT PRIMARY KEY)")
		const insert = "INSERT INTO t SELECT a.i * 20 + b.i, a.i * 20 + b.i FROM (%s) a, (%s) b WHERE a.i * 20 + b.i >= %d"
		twenty := "SELECT 0 AS i"
		for i := 1; i < 20; i++ {
			twenty += fmt.Sprintf(" UNION ALL SELECT %d", i)
		}
		runAll(t, db, "INSERT INTO t VALUES (399, 399)")
		_, err := db.Exec(fmt.Sprintf(insert, twenty, twenty, 0))
		var e *nearlyfree.Error
		if !errors.As(err, &e) || e.Number != 1062 || count(t, db, "SELECT COUNT(*) FROM t") != 1 {
			t.Fatalf("%v, and %d rows", err, count(t, db, "SELECT COUNT(*) FROM t"))
		}
		runAll(t, db, "DELETE FROM t", fmt.Sprintf(insert, twenty, twenty, 0))
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		runAll(t, tx, "UPDATE t SET n = n + 1000", "INSERT INTO u SELECT id FROM t WHERE id < 150", "DELETE FROM t WHERE id >= 300")
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if rows, sum := count(t, db, "SELECT COUNT(*) FROM t WHERE n >= 1000"), count(t, db, "SELECT COUNT(*) FROM u"); rows != 300 || sum != 150 {
			t.Errorf("%d and %d rows", rows, sum)
		}
		runAll(t, db, "CHECK TABLE t, u")
	}, "service", "service of tiny pages")
}

// TestSerializableSession: where a session's level is serializable, a query outside of a transaction reads one moment of an account, too.
func TestSerializableSession(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		const accounts, start = 24, 100
		runAll(t, db, "CREATE TABLE account (id INT PRIMARY KEY, n INT NOT NULL) PARTITION BY HASH (id) PARTITIONS 8")
		for i := range accounts {
			runAll(t, db, fmt.Sprintf("INSERT INTO account VALUES (%d, %d)", i, start))
		}
		together(4, func(i int) {
			rnd := rand.New(rand.NewPCG(uint64(i), 8))
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			runAll(t, conn, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE")
			for range 10 {
				if i > 0 {
					if _, err := conn.ExecContext(t.Context(), "UPDATE account SET n = n + CASE id WHEN ? THEN -5 ELSE 5 END WHERE id IN (?, ?)", i, i, 10+rnd.IntN(10)); err != nil {
						t.Error(err)
					}
					continue
				}
				rows, err := conn.QueryContext(t.Context(), "SELECT n FROM account")
				if err != nil {
					if !errors.Is(err, nearlyfree.ErrConflict) {
						t.Error(err)
					}
					continue
				}
				sum, n := 0, 0
				for rows.Next() {
					if err := rows.Scan(&n); err != nil {
						t.Error(err)
					}
					sum += n
				}
				if sum != accounts*start || rows.Err() != nil {
					t.Errorf("the sum is %d, want %d (%v)", sum, accounts*start, rows.Err())
				}
			}
		})
	}, "service", "memory")
}
