package nearlyfreetest_test

import (
	"database/sql"
	"fmt"
	"log"

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

// Texts that are the same statement match; SQL that the driver would refuse does not.
func ExampleMatcher() {
	fmt.Println(nearlyfreetest.QueryMatcher.Match("DELETE FROM book WHERE id = ?", "delete from `book` where ID=? -- by key"))
	fmt.Println(nearlyfreetest.QueryMatcher.Match("DELETE FROM book", "DELETE FROM book LIMIT"))
	// Output:
	// <nil>
	// the driver refuses the SQL that was sent: syntax error at line 1, column 23 at the end of the text: the statement is not complete
}
