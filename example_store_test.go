package nearlyfree_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// openWith opens a database, and runs statements.
func openWith(c *nearlyfree.Config, statements ...string) (*nearlyfree.Connector, *sql.DB) {
	connector, err := nearlyfree.NewConnector(c)
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			log.Fatal(err)
		}
	}
	return connector, db
}

// What a data source name says is a Config, and FormatDSN its text. Printing a Config shows no secret.
func ExampleParseDSN() {
	c, err := nearlyfree.ParseDSN("AccountName=shop;AccountKey=c2VjcmV0;Scan=deny")
	if err != nil {
		log.Fatal(err)
	}
	c.Layout = nearlyfree.LayoutSingle
	fmt.Println(c.FormatDSN())
	fmt.Println(c)
	_, err = nearlyfree.ParseDSN("file:shop.db?scann=deny")
	fmt.Println(errors.Is(err, nearlyfree.ErrConfig))
	// Output:
	// AccountName=shop;AccountKey=c2VjcmV0;layout=single;scan=deny
	// AccountName=shop;AccountKey=REDACTED;layout=single;scan=deny
	// true
}

// Settings that a data source name has, too, and how requests to Azure are tried again.
func ExampleConfig() {
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store:        os.Getenv("NEARLYFREE_EXAMPLE_STORE") + "mem://", // a connection string in production
		Layout:       nearlyfree.LayoutSingle,
		Transactions: nearlyfree.TransactionsGroup,
		Bulk:         nearlyfree.BulkChunked,
		Scan:         nearlyfree.ScanWarn,
		MaxRequests:  1000,
		MaxMemory:    nearlyfree.DefaultMaxMemory / 4,
		Retry:        nearlyfree.RetryOptions{MaxTries: 3, TryTimeout: 10 * time.Second},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(connector)
	// Output:
	// nearlyfree.Connector(mem://?layout=single&max_requests=1000&max_memory=67108864&scan=warn&bulk=chunked&transactions=group)
}

// The type of a Go value decides whether it can be an argument, and as what.
func ExampleConvertArgument() {
	for _, v := range []any{7, time.Second, []string{"a"}} {
		fmt.Println(nearlyfree.ConvertArgument(v))
	}
	// Output:
	// 7 <nil>
	// 1000000000 <nil>
	// <nil> nearlyfree: argument 1: unsupported type []string, a slice of string: IN takes a placeholder for each value, a JSON column the text of json.Marshal
}

// A store in memory is filled once, and forked for each use.
func ExampleConnector_Fork() {
	full, db := openWith(&nearlyfree.Config{Store: "mem://"}, "CREATE TABLE book (id INT PRIMARY KEY)", "INSERT INTO book VALUES (1), (2)")
	defer db.Close()
	fork, err := full.Fork(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	forked := sql.OpenDB(fork)
	defer forked.Close()
	if _, err := forked.Exec("DELETE FROM book WHERE id = 1"); err != nil {
		log.Fatal(err)
	}
	for _, one := range []*sql.DB{db, forked} {
		var n int
		if err := one.QueryRow("SELECT COUNT(*) FROM book").Scan(&n); err != nil {
			log.Fatal(err)
		}
		fmt.Println(n)
	}
	// Output:
	// 2
	// 1
}

// What tables take, and what it costs to keep them.
func ExampleConnector_Sizes() {
	connector, db := openWith(&nearlyfree.Config{Store: "mem://"},
		"CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), KEY (title))", "INSERT INTO book VALUES (1, 'Emma'), (2, 'Dracula')")
	defer db.Close()
	sizes, err := connector.Sizes(context.Background(), 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range sizes {
		fmt.Printf("%s: %d rows, %d index entries, $%.3f a month for a million times that\n", s.Table, s.Rows, s.Entries, nearlyfree.ListPrice.MonthlyCost(s.Bytes*1e6))
	}
	// Output:
	// book: 2 rows, 2 index entries, $0.020 a month for a million times that
}

// How rows and index entries lie in the store.
func ExampleConnector_Entities() {
	connector, db := openWith(&nearlyfree.Config{Store: "mem://"},
		"CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), KEY (title))", "INSERT INTO book VALUES (1, 'Emma'), (2, 'Dracula')")
	defer db.Close()
	for e, err := range connector.Entities(context.Background(), nearlyfree.EntityRange{Table: "book"}) {
		if err != nil {
			log.Fatal(err)
		}
		kind := e.Table
		if e.Index != "" {
			kind = "entry of " + e.Index
		}
		fmt.Println(e.RowKey, kind, e.Properties[1].Value)
	}
	// Output:
	// PK!8000000000000001 book Emma
	// PK!8000000000000002 book Dracula
	// title!Dracula!8000000000000002 entry of title Dracula
	// title!Emma!8000000000000001 entry of title Emma
}

// A file is copied while others write to it.
func ExampleBackupFile() {
	folder, err := os.MkdirTemp("", "shop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path, monday := filepath.Join(folder, "shop.db"), filepath.Join(folder, "monday.db")
	_, db := openWith(&nearlyfree.Config{Store: "file:" + path}, "CREATE TABLE book (id INT PRIMARY KEY)", "INSERT INTO book VALUES (1), (2)")
	defer db.Close()
	if err := nearlyfree.BackupFile(context.Background(), path, monday); err != nil {
		log.Fatal(err)
	}
	_, backup := openWith(&nearlyfree.Config{Store: "file:" + monday, ReadOnly: true})
	defer backup.Close()
	var n int
	if err := backup.QueryRow("SELECT COUNT(*) FROM book").Scan(&n); err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "books")
	// Output: 2 books
}

// A transaction is run again when it met another one.
func ExampleRunTx() {
	_, db := openWith(&nearlyfree.Config{Store: "mem://"}, "CREATE TABLE stock (id INT PRIMARY KEY, n INT)", "INSERT INTO stock VALUES (1, 10)")
	defer db.Close()
	ctx := context.Background()
	err := nearlyfree.RunTx(ctx, db, nil, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT n FROM stock WHERE id = 1 FOR UPDATE").Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			return errors.New("none is left")
		}
		_, err := tx.ExecContext(ctx, "UPDATE stock SET n = ? WHERE id = 1", n-1)
		return err
	})
	fmt.Println(err)
	// Output: <nil>
}

// The driver of a whole process holds no more than this; what needs more fails, and the process goes on.
func ExampleSetMemoryLimit() {
	before := nearlyfree.SetMemoryLimit(1 << 30)
	fmt.Println(nearlyfree.SetMemoryLimit(before) >> 20)
	// Output: 1024
}

// A write that failed may have taken effect in part, or nobody knows. Number tells what went wrong.
func ExampleApplied() {
	_, db := openWith(&nearlyfree.Config{Store: "mem://"}, "CREATE TABLE book (id INT PRIMARY KEY)", "INSERT INTO book VALUES (1)")
	defer db.Close()
	_, err := db.Exec("INSERT INTO book VALUES (2), (1)")
	var e *nearlyfree.Error
	if errors.As(err, &e) {
		fmt.Println(e.Number == nearlyfree.CodeDuplicateEntry, e.Applied == nearlyfree.AppliedNo, e.Retryable)
	}
	// Output: true true false
}

// The place of an error in the text, for who shows it beside.
func ExampleError_Caret() {
	_, db := openWith(&nearlyfree.Config{Store: "mem://"})
	defer db.Close()
	_, err := db.Exec("SELECT 1 +\n  FROM book")
	var e *nearlyfree.Error
	if errors.As(err, &e) {
		fmt.Println(e.Caret())
	}
	// Output:
	//   FROM book
	//   ^
}

// What a million statements of a kind cost.
func ExampleStats_DollarsPerMillion() {
	connector, db := openWith(&nearlyfree.Config{Store: "mem://"}, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))", "INSERT INTO book VALUES (1, 'Emma')")
	defer db.Close()
	before := connector.Stats()
	if _, err := db.Exec("UPDATE book SET title = 'Emil' WHERE id = 1"); err != nil {
		log.Fatal(err)
	}
	cost := connector.Stats().Sub(before)
	west := nearlyfree.Price{Per10000Operations: 0.0004, PerGBMonth: 0.05} // of some region
	fmt.Printf("$%.3f, $%.3f in another region\n", cost.DollarsPerMillion(nearlyfree.ListPrice), cost.DollarsPerMillion(west))
	// Output:
	// $0.072, $0.080 in another region
}

// What each operator of one statement did.
func ExampleWithAnalysis() {
	_, db := openWith(&nearlyfree.Config{Store: "mem://"}, "CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))", "INSERT INTO book VALUES (1, 'Emma')")
	defer db.Close()
	var a nearlyfree.Analysis
	rows, err := db.QueryContext(nearlyfree.WithAnalysis(context.Background(), &a), "SELECT * FROM book WHERE id = 1")
	if err != nil {
		log.Fatal(err)
	}
	for rows.Next() {
	}
	rows.Close()
	text := a.Text()
	fmt.Println(len(text), "lines;", len(a.JSON()) > 0)
	// Output:
	// 3 lines; true
}

// requestNumber is a key of contexts.
type requestNumber struct{}

// traced gives each statement a context of its own, and prints what it did to which tables.
type traced struct{ n int }

func (o *traced) Begin(ctx context.Context, s *nearlyfree.Statement) context.Context {
	o.n++
	return context.WithValue(ctx, requestNumber{}, o.n) // the Transport finds it with each request
}

func (o *traced) Statement(ctx context.Context, s *nearlyfree.Statement) {
	fmt.Println(ctx.Value(requestNumber{}), s.Operation(), s.Tables(), s.Outline(), len(s.Args()))
	if scans := s.Scans(); scans != nil {
		fmt.Println(scans)
	}
}

func ExampleBeginObserver() {
	slow := &nearlyfree.StatementLog{Logger: slog.New(slog.DiscardHandler), Slow: 10 * nearlyfree.DefaultSlow}
	_, db := openWith(&nearlyfree.Config{Store: "mem://", Observer: nearlyfree.Observers{&traced{}, slow}},
		"CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100))", "DELETE FROM book WHERE title = 'Emma'")
	defer db.Close()
	// Output:
	// 1 CREATE TABLE [book] CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100)) 0
	// 2 DELETE [book] DELETE FROM book WHERE title = ? 0
	// nearlyfree: the statement reads the whole table of book: no key serves title = 'Emma'; an index on (title) would. The hint /*+ allow_scan */ allows it
}

// Package sql finds the driver by its name. A Driver opens a data source name, too.
func ExampleDriver() {
	fmt.Println(slices.Contains(sql.Drivers(), "nearlyfree"))
	connector, err := nearlyfree.Driver{}.OpenConnector("mem://?readonly=true")
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE book (id INT PRIMARY KEY)")
	fmt.Println(errors.Is(err, nearlyfree.ErrReadOnly))
	// Output:
	// true
	// true
}
