package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestDropBeside: a table is dropped and made anew with other types, again and again, beside prepared queries. They see one of the tables
// whole, or say that there is none or that it was changed; never that a value is not of its column's type.
func TestDropBeside(t *testing.T) {
	k, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://"})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(k)
	defer db.Close()
	create := func(turn int) {
		text := "CREATE TABLE d (id INT PRIMARY KEY, a INT, c DOUBLE)"
		row := "(%[1]d, %[1]d, %[1]d.5)"
		if turn%2 == 1 {
			text, row = "CREATE TABLE d (id INT PRIMARY KEY, c TEXT, a TEXT)", "(%[1]d, 'c', 'a')"
		}
		rows := make([]string, 50)
		for i := range rows {
			rows[i] = fmt.Sprintf(row, i)
		}
		for _, q := range []string{text, "INSERT INTO d VALUES " + strings.Join(rows, ", ")} {
			if _, err := db.Exec(q); err != nil {
				t.Error(err)
			}
		}
	}
	create(0)
	var readers sync.WaitGroup
	ended := make(chan struct{})
	for _, q := range []string{"SELECT a, c FROM d WHERE id = ?", "SELECT a, c FROM d WHERE id >= ?", "SELECT a, c FROM d WHERE id = ?"} {
		stmt, err := db.Prepare(q)
		if err != nil {
			t.Fatal(err)
		}
		readers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-ended:
					return
				default:
				}
				var a, c any
				err := stmt.QueryRow(i%50).Scan(&a, &c)
				var known *nearlyfree.Error
				if err != nil && !errors.Is(err, sql.ErrNoRows) && !(errors.As(err, &known) && (known.Number == sqlerr.CodeNoSuchTable || known.Number == sqlerr.CodeTableChanged)) {
					t.Errorf("%s: %v", q, err)
					return
				}
			}
		})
	}
	for turn := range testrun.Of(1000, 200) {
		if _, err := db.Exec("DROP TABLE d"); err != nil {
			t.Error(err)
		}
		create(turn + 1)
	}
	close(ended)
	readers.Wait()
}
