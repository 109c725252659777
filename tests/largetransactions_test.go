package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestLargeTransactions: a transaction over several tables, partitions and thousands of entities is made whole; one that fails
// leaves nothing; a savepoint takes back a part.
func TestLargeTransactions(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE orders (id INT PRIMARY KEY, customer INT, KEY (customer)) PARTITION BY HASH (id) PARTITIONS 8",
			"CREATE TABLE stock (id INT PRIMARY KEY, n INT NOT NULL, CHECK (n >= 0))", "INSERT INTO stock VALUES (1, 1000)")
		counts := func() (n [2]int) {
			t.Helper()
			if err := db.QueryRow("SELECT (SELECT COUNT(*) FROM orders), (SELECT n FROM stock)").Scan(&n[0], &n[1]); err != nil {
				t.Fatal(err)
			}
			return n
		}
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for i := range 500 {
			runAll(t, tx, fmt.Sprintf("INSERT INTO orders VALUES (%d, %d)", i, i%9), "UPDATE stock SET n = n - 1 WHERE id = 1")
		}
		runAll(t, tx, "SAVEPOINT half", "DELETE FROM orders", "ROLLBACK TO half", "DELETE FROM orders WHERE customer = 0")
		if n := counts(); n != [2]int{0, 1000} {
			t.Errorf("before the commit others see %v", n)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if n := counts(); n != [2]int{444, 500} {
			t.Errorf("after the commit there are %v", n)
		}
		// Of a transaction that meets another one nothing stands.
		if tx, err = db.Begin(); err != nil {
			t.Fatal(err)
		}
		runAll(t, tx, "UPDATE orders SET customer = 100", "UPDATE stock SET n = 0")
		runAll(t, db, "UPDATE stock SET n = n - 1")
		if err := tx.Commit(); !errors.Is(err, nearlyfree.ErrConflict) || !strings.Contains(err.Error(), "stock") {
			t.Errorf("a conflict: %v", err)
		}
		var n int
		if err := db.QueryRow("SELECT COUNT(*) FROM orders WHERE customer = 100").Scan(&n); err != nil || n != 0 {
			t.Errorf("%d rows of a transaction that was refused (%v)", n, err)
		}
	})
}

// TestLargeStatement: a statement of many rows in many partitions is made whole or not at all.
func TestLargeStatement(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT, UNIQUE KEY (id, n), KEY (n)) PARTITION BY HASH (id) PARTITIONS 8")
		insertOnes(t, db, "t", 3000)
		var values []string
		for i := range 2000 {
			values = append(values, fmt.Sprintf("(%d, 2)", 5000-i))
		}
		if _, err := db.Exec("INSERT INTO t VALUES " + strings.Join(values, ", ") + ", (7, 7)"); !errors.Is(err, nearlyfree.ErrDuplicateKey) || !strings.Contains(err.Error(), "'7'") {
			t.Errorf("a key that is taken: %v", err)
		}
		var e *nearlyfree.Error
		_, err := db.Exec("UPDATE t SET n = 5, id = CASE WHEN id = 2999 THEN 17 ELSE id END")
		if !errors.As(err, &e) || e.Applied != nearlyfree.AppliedNo {
			t.Errorf("an UPDATE that meets its own rows: %v", err)
		}
		var n, sum int
		if err := db.QueryRow("SELECT COUNT(*), SUM(n) FROM t").Scan(&n, &sum); err != nil || n != 3000 || sum != 3000 {
			t.Errorf("%d rows, sum %d (%v)", n, sum, err)
		}
	})
}

// TestTransactionMemory: max_memory bounds what a transaction holds, what it has read included, and what a statement writes.
func TestTransactionMemory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mem://", "file:"} {
		config := &nearlyfree.Config{Store: name, MaxMemory: 1 << 20}
		if name == "file:" {
			config.Store += t.TempDir() + "/store"
		}
		db := nearlyfreetest.OpenConfig(t, config)
		runAll(t, db, "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(1000))", "CREATE TABLE u (id INT PRIMARY KEY, s VARCHAR(1000))")
		text := strings.Repeat("x", 1000)
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; err == nil && n < 2000; n++ {
			_, err = tx.Exec("INSERT INTO t VALUES (?, ?)", n, text)
		}
		if !errors.Is(err, nearlyfree.ErrMemory) || n < 300 {
			t.Fatalf("%s: %d rows of 1,000 octets: %v", name, n, err)
		}
		tx.Rollback()
		if tx, err = db.Begin(); err != nil {
			t.Fatal(err)
		}
		for i := range 300 { // what the one before held was given back
			if _, err := tx.Exec("INSERT INTO t VALUES (?, ?)", i, text); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		_, err = db.Exec("INSERT INTO u SELECT a.id * 1000 + b.id, a.s FROM t a CROSS JOIN t b")
		if !errors.Is(err, nearlyfree.ErrMemory) {
			t.Errorf("%s: 90,000 rows in one statement: %v", name, err)
		}
		if err := db.QueryRow("SELECT COUNT(*) FROM u").Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows stand (%v)", name, n, err)
		}
	}
}

// TestLargeCascade: a row is deleted with any number of rows inside it.
func TestLargeCascade(t *testing.T) {
	t.Parallel()
	embeddedStores(t, func(t *testing.T, db *sql.DB) {
		runAll(t, db, "CREATE TABLE expense (id INT PRIMARY KEY)", `CREATE TABLE item (expense INT, n INT, PRIMARY KEY (expense, n), KEY (n),
			FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE) INTERLEAVE IN PARENT expense`, "INSERT INTO expense VALUES (1), (2)")
		var values []string
		for n := range 250 {
			values = append(values, fmt.Sprintf("(1, %d)", n))
		}
		runAll(t, db, "INSERT INTO item VALUES (2, 1), "+strings.Join(values, ", "), "DELETE FROM expense WHERE id = 1")
		var n int
		if err := db.QueryRow("SELECT COUNT(*) FROM item").Scan(&n); err != nil || n != 1 {
			t.Errorf("%d rows are left inside (%v)", n, err)
		}
		if err := nearlyfreetest.Check(db); err != nil {
			t.Error(err)
		}
	})
}
