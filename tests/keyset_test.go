package tests

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestKeyset turns the pages of a table from its beginning to its end, each by the values of the last row of the
// page before: together they are all rows in order, and each page is one request that reads no row twice.
func TestKeyset(t *testing.T) {
	t.Parallel()
	type row struct {
		created time.Time
		id      int64
	}
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			connector, err := nearlyfree.NewConnector(s.config(t))
			if err != nil {
				t.Fatal(err)
			}
			db := sql.OpenDB(connector)
			defer db.Close()
			exec(t, db, "CREATE TABLE event (created DATETIME(6), id INT, PRIMARY KEY (created DESC, id DESC), KEY oldest (created, id), KEY mixed (created DESC, id))")
			rnd := rand.New(rand.NewPCG(3, 4))
			var rows []row
			for id := range int64(120) {
				r := row{time.Date(2026, 1, 1, 0, 0, rnd.IntN(15), 0, time.UTC), id - 60}
				rows = append(rows, r)
				exec(t, db, "INSERT INTO event VALUES (?, ?)", r.created, r.id)
			}
			for _, c := range []struct {
				order, where string
				args         int // -3: the value of created comes last, too
				byTime, byID int // 1 up, -1 down
			}{
				{"created DESC, id DESC", "(created, id) < (?, ?)", 2, -1, -1},
				{"created, id", "(created, id) > (?, ?)", 2, 1, 1},
				{"created DESC, id", "(created < ? OR created = ? AND id > ?)", 3, -1, 1},
				{"created DESC, id DESC", "created <= ? AND (created < ? OR id < ?)", 3, -1, -1},
				{"created, id", "(created > ? OR id > ?) AND created >= ?", -3, 1, 1},
				{"created DESC, id", "created <= ? AND (created < ? OR id > ?)", 3, -1, 1},
			} {
				want := slices.Clone(rows)
				slices.SortFunc(want, func(a, b row) int {
					if n := a.created.Compare(b.created); n != 0 {
						return c.byTime * n
					}
					return c.byID * int(a.id-b.id)
				})
				const page = 7
				var got []row
				var args []any
				before := connector.Stats()
				pages := 0
				for where := "TRUE"; ; where = c.where {
					result, err := db.Query(fmt.Sprintf("SELECT created, id FROM event WHERE %s ORDER BY %s LIMIT %d", where, c.order, page), args...)
					if err != nil {
						t.Fatal(err)
					}
					pages++
					n := 0
					for ; result.Next(); n++ {
						var r row
						if err := result.Scan(&r.created, &r.id); err != nil {
							t.Fatal(err)
						}
						got = append(got, r)
					}
					if err := result.Err(); err != nil {
						t.Fatal(err)
					}
					if n < page {
						break
					}
					last := got[len(got)-1]
					args = []any{last.created, last.id}
					switch c.args {
					case 3:
						args = []any{last.created, last.created, last.id}
					case -3:
						args = []any{last.created, last.id, last.created}
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("ORDER BY %s: the pages are not the rows", c.order)
				}
				cost := connector.Stats().Sub(before)
				if n := cost.Requests - cost.SchemaRequests; n != int64(pages) || cost.EntitiesReturned != int64(len(rows)) {
					t.Errorf("ORDER BY %s: %d pages took %d requests that gave %d entities", c.order, pages, n, cost.EntitiesReturned)
				}
			}
		})
	}
}
