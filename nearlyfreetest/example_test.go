package nearlyfreetest_test

import (
	"database/sql"
	"fmt"
	"log"
	"time"

	"github.com/DATA-DOG/go-sqlmock"

	_ "github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

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

// The mock takes the statement however it is written, and the argument as the driver would send it: in UTC, cut to 100 ns.
// It refuses SQL that the driver would refuse.
func Example_sqlmock() {
	db, mock, err := sqlmock.New(
		sqlmock.QueryMatcherOption(nearlyfreetest.QueryMatcher),
		sqlmock.ValueConverterOption(nearlyfreetest.ValueConverter),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	at := time.Date(2026, 5, 6, 7, 8, 9, 123456700, time.UTC)
	mock.ExpectExec("UPDATE book SET sold = ? WHERE id = ?").WithArgs(at, 7).WillReturnResult(sqlmock.NewResult(0, 1))

	_, err = db.Exec("update `book` set sold = ? where ID = ?", at.Add(89*time.Nanosecond), 7)
	fmt.Println(err, mock.ExpectationsWereMet())
	fmt.Println(nearlyfreetest.QueryMatcher.Match("DELETE FROM book", "DELETE FROM book LIMIT"))
	// Output:
	// <nil> <nil>
	// the driver refuses the SQL that was sent: syntax error at line 1, column 23 at the end of the text: the statement is not complete
}
