package nearlyfreetest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// test runs a test, and prints how it failed. A test of your own has its t from package testing.
func test(f func(t testing.TB)) {
	if failure := failure(f); failure != "" {
		fmt.Println(failure)
		return
	}
	fmt.Println("ok")
}

func ExampleOpen() {
	test(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		if _, err := db.Exec("CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), KEY (title))"); err != nil {
			t.Fatal(err)
		}
	})
	// Output: ok
}

func ExampleOpenConfig() {
	test(func(t testing.TB) {
		db := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://", Scan: nearlyfree.ScanDeny})
		nearlyfreetest.SeedSQL(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))")
		_, err := db.Query("SELECT id FROM book WHERE title = 'Emma'")
		fmt.Println(errors.Is(err, nearlyfree.ErrScanRefused))
	})
	// Output:
	// true
	// ok
}

// Check is what Open does when a test ends; a program may do it to a database of its own.
func ExampleCheck() {
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{
		`CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), KEY (title))`,
		`INSERT INTO book VALUES (1, 'Emma'), (2, 'Dracula')`,
		`UPDATE book SET title = 'Emil' WHERE id = 1`,
	} {
		if _, err := db.Exec(s); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(nearlyfreetest.Check(db))
	// Output: <nil>
}

// A store is filled once; each test gets a copy of its own within microseconds.
func ExampleTemplate() {
	shop := nearlyfreetest.Template{Fill: func(t testing.TB, db *sql.DB) {
		fmt.Println("filling")
		nearlyfreetest.SeedFS(t, db, os.DirFS("testdata"), "schema.sql", "*.csv")
	}}
	for range 2 {
		test(func(t testing.TB) {
			db := shop.Open(t)
			result, err := db.Exec("DELETE FROM orders WHERE id = 1")
			if err != nil {
				t.Fatal(err)
			}
			n, _ := result.RowsAffected()
			fmt.Println("deleted:", n)
		})
	}
	// Output:
	// filling
	// deleted: 1
	// ok
	// deleted: 1
	// ok
}

func ExampleSeedSQL() {
	test(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		nearlyfreetest.SeedSQL(t, db, `
			CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100));
			INSERT INTO book VALUES (1, 'Emma'), (2, 'Dracula');
		`)
	})
	// Output: ok
}

// Files are seeded in the order given: the tables, then the rows of each.
func ExampleSeedFS() {
	test(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		nearlyfreetest.SeedFS(t, db, os.DirFS("testdata"), "schema.sql", "orders.csv")
		var name string
		var total sql.NullString
		if err := db.QueryRow("SELECT c.name, o.total FROM orders o JOIN customer c ON c.id = o.customer WHERE o.id = 1").Scan(&name, &total); err != nil {
			t.Fatal(err)
		}
		fmt.Println(name, total.String)
	})
	// Output:
	// Ann; Bo 19.90
	// ok
}

func ExampleSeedCSV() {
	test(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		nearlyfreetest.SeedSQL(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), year INT)")
		nearlyfreetest.SeedCSV(t, db, "book", strings.NewReader("id,title,year\n1,Emma,1815\n2,\"Dracula, complete\",\n"))
	})
	// Output: ok
}

func ExampleSeedRows() {
	type book struct {
		ID        int
		Name      string    `db:"title"`
		PrintedAt time.Time // the column printed_at
	}
	test(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		nearlyfreetest.SeedSQL(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), printed_at DATE)")
		nearlyfreetest.SeedRows(t, db, "book", []book{
			{1, "Emma", time.Date(1815, 12, 23, 0, 0, 0, 0, time.UTC)},
			{2, "Dracula", time.Date(1897, 5, 26, 0, 0, 0, 0, time.UTC)},
		})
	})
	// Output: ok
}

// Three books by id are three requests, and one by a list of ids: a test holds that.
func ExampleAssertRequests() {
	byID := func(t testing.TB, db *sql.DB, ids ...int) {
		for _, id := range ids {
			var title string
			if err := db.QueryRow("SELECT title FROM book WHERE id = ?", id).Scan(&title); err != nil {
				t.Fatal(err)
			}
		}
	}
	test(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		nearlyfreetest.SeedSQL(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100)); INSERT INTO book VALUES (1, 'Emma'), (2, 'Dracula'), (3, 'Emil')")
		nearlyfreetest.AssertRequests(t, db, 1, func() { byID(t, db, 2) })
		nearlyfreetest.AssertRequests(t, db, 1, func() { byID(t, db, 1, 3) })
	})
	// Output:
	// nearlyfreetest: 2 requests were made, and 1 expected:
	// 	1 by SELECT title FROM book WHERE id = ? (point read book)
	// 	1 by SELECT title FROM book WHERE id = ? (point read book)
}

func ExampleAssertNoScan() {
	test(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		nearlyfreetest.SeedSQL(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))")
		nearlyfreetest.AssertNoScan(t, db, func() {
			var id int
			_ = db.QueryRow("SELECT id FROM book WHERE title = ?", "Emma").Scan(&id)
		})
	})
	// Output:
	// nearlyfreetest: SELECT id FROM book WHERE title = ?: nearlyfree: the statement reads the whole table of book: no key serves title = ?; an index on (title) would. The hint /*+ allow_scan */ allows it
}

// Each page may take five requests, and none may scan.
func ExampleHandler() {
	test(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		nearlyfreetest.SeedSQL(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100)); INSERT INTO book VALUES (1, 'Emma')")
		pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var title string
			if err := db.QueryRowContext(r.Context(), "SELECT title FROM book WHERE id = ?", r.URL.Query().Get("id")).Scan(&title); err != nil {
				http.NotFound(w, r)
				return
			}
			fmt.Fprint(w, title)
		})
		answer := httptest.NewRecorder()
		nearlyfreetest.Handler(t, db, 5, pages).ServeHTTP(answer, httptest.NewRequest("GET", "/book?id=1", nil))
		fmt.Println(answer.Body)
	})
	// Output:
	// Emma
	// ok
}

// A Watch is the Observer of a database that was opened in another way.
func ExampleWatch() {
	test(func(t testing.TB) {
		watch := &nearlyfreetest.Watch{}
		connector, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://library", Observer: watch})
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		defer db.Close()
		nearlyfreetest.AssertRequests(t, watch, 0, func() {
			nearlyfreetest.SeedSQL(t, db, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))")
		})
	})
	// Output:
	// nearlyfreetest: 4 requests were made, and 0 expected:
	// 	4 by CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))
}

// The service is busy for two requests, then a write's answer is lost, then it never answers.
func ExampleAccount() {
	test(func(t testing.TB) {
		account := nearlyfreetest.OpenAccount(t)
		db := account.DB
		nearlyfreetest.SeedSQL(t, db, "CREATE TABLE stock (id INT PRIMARY KEY, n INT); INSERT INTO stock VALUES (1, 10)")

		account.Inject(nearlyfreetest.Throttled, 2)
		account.Inject(nearlyfreetest.LostAnswer, 1)
		if _, err := db.Exec("UPDATE stock SET n = n - 1 WHERE id = 1"); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.QueryRow("SELECT n FROM stock WHERE id = 1").Scan(&n); err != nil {
			t.Fatal(err)
		}
		fmt.Println(n)

		account.Inject(nearlyfreetest.Conflict, 5)
		fmt.Println(account.Pending(), "writes will fail")
		account.Heal() // or rather none

		account.Inject(nearlyfreetest.NoAnswer, 1)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		err := db.QueryRowContext(ctx, "SELECT n FROM stock WHERE id = 1").Scan(&n)
		fmt.Println(errors.Is(err, context.DeadlineExceeded))
	})
	// Output:
	// 9
	// 5 writes will fail
	// true
	// ok
}

// The driver gives up after its last try.
func ExampleOpenAccountConfig() {
	test(func(t testing.TB) {
		account := nearlyfreetest.OpenAccountConfig(t, &nearlyfree.Config{Retry: nearlyfree.RetryOptions{MaxTries: 2}})
		account.Inject(nearlyfreetest.Throttled, 2)
		_, err := account.DB.Query("SELECT * FROM stock")
		fmt.Println(errors.Is(err, nearlyfree.ErrThrottled))
	})
	// Output:
	// true
	// ok
}

// Texts that are the same statement match; SQL that the driver would refuse does not.
func ExampleMatcher() {
	fmt.Println(nearlyfreetest.QueryMatcher.Match("DELETE FROM book WHERE id = ?", "delete from `book` where ID=? -- by key"))
	fmt.Println(nearlyfreetest.QueryMatcher.Match("DELETE FROM book", "DELETE FROM book LIMIT"))
	// Output:
	// <nil>
	// the driver refuses the SQL that was sent: syntax error at line 1, column 23 at the end of the text: the statement is not complete
}

// A mock that has this converter takes the arguments that the driver takes.
func ExampleConverter() {
	fmt.Println(nearlyfreetest.ValueConverter.ConvertValue(uint64(1) << 63))
	_, err := nearlyfreetest.ValueConverter.ConvertValue(struct{ A int }{1})
	fmt.Println(err)
	// Output:
	// 9223372036854775808 <nil>
	// nearlyfree: argument 1: unsupported type struct { A int }, a struct
}
