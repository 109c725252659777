package tests

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestWide: a table of as many columns as an entity has properties, and what is over that refused before it is
// sent.
func TestWide(t *testing.T) {
	t.Parallel()
	const most = 252
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			db := open(t, s)
			create := func(name string, n int, key string) string {
				text := "CREATE TABLE " + name + " (id INT" + key
				for i := range n {
					text += fmt.Sprintf(", c%d TEXT", i)
				}
				return text + ")"
			}
			exec(t, db, create("wide", most-1, " PRIMARY KEY"))
			values := strings.Repeat(", 'x'", most-1)
			exec(t, db, "INSERT INTO wide VALUES (1"+values+")")
			var first, last string
			if err := db.QueryRow("SELECT c0, c250 FROM wide WHERE id = 1").Scan(&first, &last); err != nil || first+last != "xx" {
				t.Errorf("%q %q %v", first, last, err)
			}
			long := strings.Repeat("y", 40000) // of two properties
			_, err := db.Exec("INSERT INTO wide VALUES (2, ?"+strings.Repeat(", 'x'", most-2)+")", long)
			if !errors.Is(err, nearlyfree.ErrTooLarge) || !strings.Contains(err.Error(), "253 properties") {
				t.Errorf("a row of 253 properties: %v", err)
			}
			exec(t, db, "INSERT INTO wide (id, c0, c250) VALUES (3, ?, ?)", long, long)
			if n := count(t, db, "SELECT LENGTH(c0) + LENGTH(c250) FROM wide WHERE id = 3"); n != 80000 {
				t.Errorf("%d characters came back", n)
			}
			for _, sql := range []string{create("wider", most, " PRIMARY KEY"), create("wider", most-1, "")} {
				_, err := db.Exec(sql)
				var e *nearlyfree.Error
				if !errors.As(err, &e) || e.Number != 1117 {
					t.Errorf("%d columns: %v", most+1, err)
				}
			}
		})
	}
}
