package planner_test

import (
	"database/sql"
	"errors"
	"fmt"
	"log"

	_ "github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Why a statement was refused by scan=deny, for a program that makes the index, or tells somebody to.
func ExampleScanRefusedError() {
	db, err := sql.Open("nearlyfree", "mem://?scan=deny")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE book (id INT PRIMARY KEY, title VARCHAR(100), year INT)"); err != nil {
		log.Fatal(err)
	}
	_, err = db.Query("SELECT id FROM book WHERE title = 'Emma' AND year > 1800")
	var refused *planner.ScanRefusedError
	if errors.As(err, &refused) {
		for _, r := range refused.Reasons {
			fmt.Println(r.Table, r.Conditions, r.Index)
		}
	}
	// Output: book [title = 'Emma' year > 1800] [title year]
}
