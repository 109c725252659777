// Tests are in the package itself: an external one would import this module by a name that it does not have where it takes the place of another.

package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log"
	"time"
)

// A program that was written for MySQL. The store is said by a rule here, otherwise by the environment variable that StoreVariable names.
func Example() {
	SetStore(func(c *Config) (string, error) { return "mem://" + c.User, nil })
	defer SetStore(nil)
	db, err := sql.Open("mysql", "shop:password@tcp(localhost:3306)/sales?parseTime=true")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{"CREATE DATABASE IF NOT EXISTS sales", "CREATE TABLE book (id INT PRIMARY KEY)", "INSERT INTO book VALUES (1)", "INSERT INTO book VALUES (1)"} {
		_, err = db.Exec(s)
	}
	var e *MySQLError
	if errors.As(err, &e) {
		fmt.Println(e.Number, string(e.SQLState[:]), e.Message)
	}
	fmt.Println(StoreVariable)
	// Output:
	// 1062 23000 Duplicate entry '1' for key 'PRIMARY'
	// NEARLYFREE_STORE
}

// A Config says what a data source name says, and what it cannot.
func ExampleConfig() {
	c := NewConfig()
	c.User, c.Net, c.Addr, c.DBName = "shop", "tcp", "localhost:3306", "sales"
	if err := c.Apply(TimeTruncate(time.Second), Charset("utf8mb4", ""), BeforeConnect(func(context.Context, *Config) error { return nil })); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Clone().FormatDSN())
	parsed, err := ParseDSN(c.FormatDSN())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(parsed.DBName)
	connector, err := NewConnector(c)
	fmt.Println(connector != nil, err)
	// Output:
	// shop@tcp(localhost:3306)/sales?charset=utf8mb4&timeTruncate=1s
	// sales
	// true <nil>
}

// Several statements of one text have a result each.
func ExampleResult() {
	SetStore(func(*Config) (string, error) { return "mem://results", nil })
	defer SetStore(nil)
	if err := SetLogger(&NopLogger{}); err != nil {
		log.Fatal(err)
	}
	db, err := sql.Open("mysql", "/?multiStatements=true")
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
	if _, err := conn.ExecContext(ctx, "CREATE DATABASE a; USE a; CREATE TABLE book (id INT PRIMARY KEY)"); err != nil {
		log.Fatal(err)
	}
	err = conn.Raw(func(c any) error {
		result, err := c.(driver.ExecerContext).ExecContext(ctx, "INSERT INTO book VALUES (1), (2); DELETE FROM book WHERE id = 1", nil)
		if err == nil {
			fmt.Println(result.(Result).AllRowsAffected())
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [2 1]
	// <nil>
}

// A time that may be NULL.
func ExampleNullTime() {
	var t NullTime
	fmt.Println(t.Scan("2026-01-02 03:04:05"), t.Valid, t.Time)
	// Output: <nil> true 2026-01-02 03:04:05 +0000 UTC
}
