package nearlyfree_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
)

// A table with an index, a search by the beginning of a text, and what it costs. "file:books.db", or a connection string
// of Azure, in place of "mem://" is all that a program changes to keep its rows.
func Example() {
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{
		`CREATE TABLE book (id INT PRIMARY KEY AUTO_INCREMENT, title VARCHAR(100) COLLATE nocase, year INT, KEY (title))`,
		`INSERT INTO book (title, year) VALUES ('Emma', 1815), ('Dracula', 1897), ('EMIL', 1929)`,
	} {
		if _, err := db.Exec(s); err != nil {
			log.Fatal(err)
		}
	}
	const search = `SELECT title, year FROM book WHERE title LIKE ? LIMIT 10`
	for _, s := range []string{search, `EXPLAIN ` + search} {
		rows, err := db.Query(s, "em%")
		if err != nil {
			log.Fatal(err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			log.Fatal(err)
		}
		for rows.Next() {
			texts := make([]string, len(columns))
			into := make([]any, len(columns))
			for i := range texts {
				into[i] = &texts[i]
			}
			if err := rows.Scan(into...); err != nil {
				log.Fatal(err)
			}
			fmt.Println(strings.Join(texts, " "))
		}
		if err := rows.Err(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// EMIL 1929
	// Emma 1815
	// limit 10
	//   project title, year
	//     row-key range book.title  span [title!em, title!en)  limit 10  columns title, year  requests ≥ 1
	// requests ≥ 1
}

// A Config takes what a data source name cannot, and the Connector counts the requests that a program would pay for.
func ExampleNewConnector() {
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://", Scan: nearlyfree.ScanDeny})
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	for _, s := range []string{
		`CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))`,
		`INSERT INTO book VALUES (1, 'Emma'), (2, 'Dracula')`,
	} {
		if _, err := db.Exec(s); err != nil {
			log.Fatal(err)
		}
	}
	before := connector.Stats().Requests
	var title string
	if err := db.QueryRow(`SELECT title FROM book WHERE id = ?`, 2).Scan(&title); err != nil {
		log.Fatal(err)
	}
	fmt.Println(title, "took", connector.Stats().Requests-before, "request")
	err = db.QueryRow(`SELECT title FROM book WHERE title = ?`, "Emma").Scan(&title)
	fmt.Println(errors.Is(err, nearlyfree.ErrScanRefused))
	// Output:
	// Dracula took 1 request
	// true
}

// A transaction that met another writer is run again: ErrConflict says that nothing of it stands.
func ExampleErrConflict() {
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{`CREATE TABLE stock (id INT PRIMARY KEY, n INT)`, `INSERT INTO stock VALUES (1, 10)`} {
		if _, err := db.Exec(s); err != nil {
			log.Fatal(err)
		}
	}
	take := func(try int) error {
		tx, err := db.BeginTx(context.Background(), nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		var n int
		if err := tx.QueryRow(`SELECT n FROM stock WHERE id = 1 FOR UPDATE`).Scan(&n); err != nil {
			return err
		}
		if try == 1 { // somebody else is faster
			if _, err := db.Exec(`UPDATE stock SET n = 7 WHERE id = 1`); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(`UPDATE stock SET n = ? WHERE id = 1`, n-1); err != nil {
			return err
		}
		return tx.Commit()
	}
	for try := 1; try <= 5; try++ {
		err := take(try)
		fmt.Println("try", try, "conflict", errors.Is(err, nearlyfree.ErrConflict))
		if !errors.Is(err, nearlyfree.ErrConflict) {
			break
		}
	}
	var n int
	if err := db.QueryRow(`SELECT n FROM stock WHERE id = 1`).Scan(&n); err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "are left")
	// Output:
	// try 1 conflict true
	// try 2 conflict false
	// 6 are left
}

// An error tells MySQL's number, the place in the statement, and what may be meant.
func ExampleError() {
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))`); err != nil {
		log.Fatal(err)
	}
	_, err = db.Exec("UPDATE book\nSET titel = 'Emma' WHERE id = 1")
	var e *nearlyfree.Error
	if errors.As(err, &e) {
		fmt.Println(e.Number, e.State, e.Line, e.Column)
	}
	fmt.Println(err)
	// Output:
	// 1054 42S22 2 5
	// Error 1054 (42S22): Unknown column 'titel' in 'field list' (did you mean title?), at line 2, column 5
	// SET titel = 'Emma' WHERE id = 1
	//     ^
}

// Where sql.Open hides the Connector, sql.Conn.Raw gives the counters. The difference of two is what the statements between cost.
func ExampleStatsConn() {
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	stats := func() (s nearlyfree.Stats) {
		if err := conn.Raw(func(c any) error {
			s = c.(nearlyfree.StatsConn).Stats()
			return nil
		}); err != nil {
			log.Fatal(err)
		}
		return s
	}
	if _, err := db.Exec("CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), KEY (title))"); err != nil {
		log.Fatal(err)
	}
	before := stats()
	if _, err := db.Exec("INSERT INTO book VALUES (1, 'Emma')"); err != nil {
		log.Fatal(err)
	}
	cost := stats().Sub(before)
	fmt.Println(cost.Requests, "request,", cost.EntitiesWritten, "entities written")
	// Output: 1 request, 2 entities written
}

// A log of what is slow or makes many requests. Of other statements it has a line at the level Debug.
func ExampleStatementLog() {
	plain := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" || a.Key == "connection" {
			return slog.Attr{}
		}
		return a
	}
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: plain})
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store:    "mem://",
		Observer: &nearlyfree.StatementLog{Logger: slog.New(handler), Level: slog.LevelDebug, Requests: 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	for _, s := range []string{
		`CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))`,
		`INSERT INTO book VALUES (1, 'Emma')`,
		`UPDATE book SET title = 'Emma, 2nd ed.' WHERE id = 1`, // it reads the row, and writes it
	} {
		if _, err := db.Exec(s); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// level=WARN msg="statement of many requests" statement="CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))" rows=0 requests=4 entities_written=2 dollars_per_million=0.144
	// level=WARN msg="statement of many requests" statement="UPDATE book SET title = ? WHERE id = ?" rows=1 requests=2 entities_read=1 entities_written=1 dollars_per_million=0.072 plan="update book: point read book"
}

// Which store partitions a statement reads and writes, each of which serves about 2,000 entities a second on Azure.
func ExampleStatement_Partitions() {
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store:      "mem://",
		Partitions: true,
		Observer: nearlyfree.ObserverFunc(func(_ context.Context, s *nearlyfree.Statement) {
			for _, p := range s.Partitions() {
				if s.Operation() != "CREATE TABLE" {
					fmt.Printf("%s: partition %s, %d read, %d written\n", s.Operation(), p.PartitionKey, p.Read, p.Written)
				}
			}
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	for _, s := range []string{
		`CREATE TABLE note (tenant VARCHAR(20), id INT, PRIMARY KEY (tenant, id)) PARTITION BY KEY (tenant)`,
		`INSERT INTO note VALUES ('anna', 1), ('anna', 2)`,
		`DELETE FROM note WHERE tenant = 'anna' AND id = 1`,
	} {
		if _, err := db.Exec(s); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// INSERT: partition anna, 0 read, 2 written
	// DELETE: partition anna, 1 read, 1 written
}

// How long a store partition has to do with what a statement asks of it, at the 2,000 entities a second that one serves on Azure.
func ExamplePartitionUse() {
	busy := func(p nearlyfree.PartitionUse) float64 { return float64(p.Read+p.Written) / 2000 }
	fmt.Printf("%.1f s", busy(nearlyfree.PartitionUse{Physical: "note", PartitionKey: "anna", Read: 2900, Written: 100}))
	// Output: 1.5 s
}

// Counting by plan what statements cost, for a page of metrics.
func ExampleObserverFunc() {
	dollars := map[string]float64{}
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store: "mem://",
		Observer: nearlyfree.ObserverFunc(func(_ context.Context, s *nearlyfree.Statement) {
			dollars[s.Plan()] += s.Dollars() // with several connections, under a lock
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		`CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))`, `INSERT INTO book VALUES (1, 'Emma')`, `INSERT INTO book VALUES (2, 'Emil')`,
	} {
		if _, err := db.Exec(s); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("$%.3f for a million\n", dollars["insert book"]*1e6)
	// Output:
	// $0.072 for a million
}
