package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// twoTables makes two tables whose rows, two and one for each number, join each other.
func twoTables(t *testing.T, db *sql.DB) {
	t.Helper()
	runAll(t, db,
		"CREATE TABLE a (id INT PRIMARY KEY, n INT NOT NULL, KEY n (n))",
		"CREATE TABLE b (id INT PRIMARY KEY, a INT NOT NULL, n INT NOT NULL, u INT UNIQUE, KEY a (a))",
		"INSERT INTO a VALUES (1, 0), (2, 0), (3, 0)",
		"INSERT INTO b VALUES (1, 1, 0, 1), (2, 2, 0, 2), (3, 3, 0, 3), (4, 1, 0, 4), (5, 2, 0, 5), (6, 3, 0, 6)",
	)
}

// bothTables is what they hold.
func bothTables(t *testing.T, db *sql.DB) string {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), "SELECT CONCAT('a', id, ' ', n) FROM a UNION ALL SELECT CONCAT('b', id, ' ', n) FROM b")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ")
}

// TestSeveralTablesEnded ends a statement that writes two tables at each of its requests: all of it is written, or nothing.
func TestSeveralTablesEnded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ statement, after string }{
		{"UPDATE a JOIN b ON b.a = a.id SET a.n = a.n + 1, b.n = b.n + 1", "a1 1, a2 1, a3 1, b1 1, b2 1, b3 1, b4 1, b5 1, b6 1"},
		{"DELETE a, b FROM a JOIN b ON b.a = a.id WHERE a.id < 3", "a3 0, b3 0, b6 0"},
	} {
		const before = "a1 0, a2 0, a3 0, b1 0, b2 0, b3 0, b4 0, b5 0, b6 0"
		var whole, nothing int
		for at, done := int64(1), false; !done; at++ {
			synctest.Test(t, func(t *testing.T) {
				config, transport := fakeService(t)
				db := nearlyfreetest.OpenConfig(t, config)
				twoTables(t, db)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var requests atomic.Int64
				var hit atomic.Bool
				transport.SetFault(func(int, *http.Request) azuretest.Fault {
					if requests.Add(1) != at {
						return azuretest.Fault{}
					}
					hit.Store(true)
					cancel()
					return azuretest.Fault{LoseAnswer: at%2 == 0, Lose: at%2 == 1}
				})
				_, err := db.ExecContext(ctx, c.statement)
				transport.SetFault(nil)
				if done = !hit.Load(); done && err != nil {
					t.Errorf("%s: %v", c.statement, err)
				}
				switch rows := bothTables(t, db); {
				case rows == c.after:
					whole++
				case rows == before && err != nil:
					nothing++
				default:
					t.Errorf("%s, ended at request %d: %v, and the rows are %s", c.statement, at, err, rows)
				}
			})
		}
		if whole < 2 || nothing < 2 {
			t.Errorf("%s: it was written whole %d times, and not at all %d times", c.statement, whole, nothing)
		}
	}
}

// TestSeveralTablesRefused: what a key refuses in one table is not written to the other one, unless bulk=chunked says that each
// group of rows stands for itself. Then the error says which stand.
func TestSeveralTablesRefused(t *testing.T) {
	t.Parallel()
	const statement = "UPDATE a JOIN b ON b.a = a.id SET a.n = 1, b.n = 1, b.u = 7 WHERE b.id < 5"
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			db := nearlyfreetest.OpenConfig(t, s.config(t))
			twoTables(t, db)
			before := bothTables(t, db)
			_, err := db.Exec(statement)
			if rows := bothTables(t, db); !errors.Is(err, nearlyfree.ErrDuplicateKey) || rows != before {
				t.Errorf("%v, and the rows are %s", err, rows)
			}
		})
	}
	config, _ := fakeService(t)
	config.Bulk, config.Parallel = nearlyfree.BulkChunked, 1
	db := nearlyfreetest.OpenConfig(t, config)
	twoTables(t, db)
	_, err := db.Exec(statement)
	const says = "3 of 7 rows were written (rows 1-3); the others were not: "
	if rows := bothTables(t, db); !errors.Is(err, nearlyfree.ErrDuplicateKey) || !strings.Contains(err.Error(), says) || !strings.HasPrefix(rows, "a1 1, a2 1, a3 1, b1 0") {
		t.Errorf("%v, and the rows are %s", err, rows)
	}
}

// TestSeveralTablesRace: statements that write to two tables, in either order, and to one of them meet each other. Each is done
// once, and none waits for another one without end.
func TestSeveralTablesRace(t *testing.T) {
	t.Parallel()
	overStores(t, func(t *testing.T, db *sql.DB) {
		twoTables(t, db)
		statements := []string{
			"UPDATE a JOIN b ON b.a = a.id SET a.n = a.n + 1, b.n = b.n + 1 WHERE b.id = 1",
			"UPDATE b JOIN a ON b.a = a.id SET a.n = a.n + 1, b.n = b.n + 1 WHERE a.id = 1 AND b.id = 1",
			"UPDATE a SET n = n + 1 WHERE id = 1",
			"UPDATE b SET n = n + 1 WHERE a = 1 AND id < 3",
		}
		each := testrun.Few(100)
		together(len(statements), func(i int) {
			for range each {
				retried(t, func() error {
					_, err := db.ExecContext(t.Context(), statements[i])
					return err
				})
			}
		})
		want := fmt.Sprintf("a1 %d, a2 0, a3 0, b1 %d, b2 0", 3*each, 3*each)
		if rows := bothTables(t, db); !strings.HasPrefix(rows, want) {
			t.Errorf("the rows are %s, want %s", rows, want)
		}
	}, "memory", "file", "service", "service, single")
}

// TestSeveralTablesCost: what statements that write to two tables cost on an account, in requests.
func TestSeveralTablesCost(t *testing.T) {
	t.Parallel()
	for layout, costs := range map[nearlyfree.Layout][]int64{nearlyfree.LayoutTable: {7, 7, 7}, nearlyfree.LayoutSingle: {3, 3, 3}} {
		config := overService(0, false)
		config.Layout = layout
		connector, conn := connect(t, config)
		runAll(t, conn,
			"CREATE TABLE orders (id INT PRIMARY KEY, state VARCHAR(10))",
			"CREATE TABLE item (orders INT, n INT, state VARCHAR(10), PRIMARY KEY (orders, n))",
			"INSERT INTO orders VALUES (1, 'open'), (2, 'open')",
			"INSERT INTO item VALUES (1, 1, 'open'), (1, 2, 'open'), (2, 1, 'open')",
		)
		for i, s := range []string{
			"UPDATE orders o JOIN item i ON i.orders = o.id SET o.state = 'sent', i.state = 'sent' WHERE o.id = 1",
			"UPDATE orders o LEFT JOIN item i ON i.orders = o.id SET o.state = 'gone', i.state = 'gone' WHERE o.id = 1",
			"DELETE o, i FROM orders o JOIN item i ON i.orders = o.id WHERE o.id = 1",
		} {
			before := connector.Stats()
			runAll(t, conn, s)
			if d := connector.Stats().Sub(before); d.Requests-d.SchemaRequests != costs[i] {
				t.Errorf("%s, layout=%s: %d requests, want %d", s, layout, d.Requests-d.SchemaRequests, costs[i])
			}
		}
	}
}
