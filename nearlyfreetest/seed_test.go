package nearlyfreetest_test

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// rowsOf gives the rows of a query as text.
func rowsOf(t testing.TB, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		values, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			texts = append(texts, v.String)
		}
		out = append(out, strings.Join(texts, "|"))
	}
	return out
}

func TestSeedFS(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	nearlyfreetest.SeedFS(t, db, os.DirFS("testdata"), "schema.sql", "*.csv")
	if got := fmt.Sprint(rowsOf(t, db, "SELECT c.name, o.id, o.total, o.created_at FROM orders o JOIN customer c ON c.id = o.customer ORDER BY o.id")); got !=
		"[Ann; Bo|1|19.90|2026-01-02T10:00:00Z Ann; Bo|2|NULL|NULL]" {
		t.Error(got)
	}
}

func TestSeedCSV(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	nearlyfreetest.SeedSQL(t, db, "CREATE TABLE `odd name` (`the id` INT PRIMARY KEY, s VARCHAR(20))")
	text := "\uFEFFthe id, s\n1,\"\"\n2,\n3,\"a, \"\"b\"\"\nc\"\n4,\\N\n"
	for i := 5; i <= 250; i++ {
		text += fmt.Sprintf("%d,x\n", i)
	}
	nearlyfreetest.SeedCSV(t, db, "odd name", strings.NewReader(text))
	if got := rowsOf(t, db, "SELECT s FROM `odd name` WHERE `the id` < 6"); fmt.Sprintf("%q", got) != `["" "NULL" "a, \"b\"\nc" "NULL" "x"]` {
		t.Errorf("%q", got)
	}
	if got := fmt.Sprint(rowsOf(t, db, "SELECT COUNT(*) FROM `odd name`")); got != "[250]" {
		t.Error(got)
	}
}

type stamp struct{ CreatedAt time.Time }

type status string

type order struct {
	*stamp
	ID       int64
	Customer int      `db:"customer"`
	Sum      *float64 `db:"total,omitempty"`
	State    status
	Note     sql.NullString
	Lines    []string `db:"-"`
	cached   bool
}

func TestSeedRows(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	nearlyfreetest.SeedSQL(t, db, "CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, customer INT, total DECIMAL(8,2), created_at DATETIME, state VARCHAR(10), note TEXT, other INT DEFAULT 7)")
	sum := 12.5
	orders := []*order{
		{stamp: &stamp{time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)}, Customer: 1, Sum: &sum, State: "open", Note: sql.NullString{String: "x", Valid: true}},
		{ID: 9, Customer: 2, State: "done", cached: true},
	}
	nearlyfreetest.SeedRows(t, db, "orders", orders)
	nearlyfreetest.SeedRows(t, db, "orders", []order{{}})
	nearlyfreetest.SeedRows(t, db, "orders", []order(nil))
	if got := fmt.Sprint(rowsOf(t, db, "SELECT * FROM orders")); got != "[1|1|12.50|2026-02-03T04:05:06Z|open|x|7 9|2|NULL|NULL|done|NULL|7 10|0|NULL|NULL||NULL|7]" {
		t.Error(got)
	}
}

func TestSeedErrors(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"broken.sql":  {Data: []byte("CREATE TABLE u (id INT PRIMARY KEY); INSERT INTO u VALUES (1), (1)")},
		"a.csv":       {Data: []byte("id,n\n1,2\n2,x\n")},
		"short.csv":   {Data: []byte("id,n\n1\n")},
		"missing.csv": {Data: []byte("id\n1\n")},
		"empty.csv":   {},
		"a.json":      {Data: []byte("{}")},
	}
	for name, c := range map[string]struct {
		seed func(testing.TB, *sql.DB)
		want string
	}{
		"SQL":       {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedSQL(t, db, "SELEC 1") }, "syntax error"},
		"statement": {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedFS(t, db, files, "broken.sql") }, "broken.sql: statement 2 of 2 failed; the earlier ones were carried out: Error 1062"},
		"value":     {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedFS(t, db, files, "a.csv") }, "a.csv: Error 1366"},
		"fields":    {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedFS(t, db, files, "short.csv") }, "short.csv: up to line 2: 1 fields, and 2 columns"},
		"table":     {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedFS(t, db, files, "missing.csv") }, "missing.csv: Error 1146"},
		"head":      {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedFS(t, db, files, "empty.csv") }, "the first line must name the columns"},
		"kind":      {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedFS(t, db, files, "*.json") }, "a.json: neither .sql nor .csv"},
		"no file":   {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedFS(t, db, files, "b*.csv") }, `no file matches "b*.csv"`},
		"no column": {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedRows(t, db, "a", []struct{ ID, Other int }{{1, 2}}) }, "a: field Other of struct { ID int; Other int } is no column; there are id, n"},
		"twice": {func(t testing.TB, db *sql.DB) {
			nearlyfreetest.SeedRows(t, db, "a", []struct {
				ID int
				Id int
			}{{1, 2}})
		}, "is the column id, as another one is"},
		"no struct": {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedRows(t, db, "a", []int{1}) }, "rows must be structs, not int"},
		"nil":       {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedRows(t, db, "a", []*struct{ ID int }{nil}) }, "row 0 is nil"},
		"duplicate": {func(t testing.TB, db *sql.DB) { nearlyfreetest.SeedRows(t, db, "a", []struct{ ID int }{{1}, {1}}) }, "a: Error 1062"},
	} {
		got := failure(func(t testing.TB) {
			db := nearlyfreetest.Open(t)
			nearlyfreetest.SeedSQL(t, db, "CREATE TABLE a (id INT PRIMARY KEY, n INT)")
			c.seed(t, db)
			t.Errorf("it went on")
		})
		if !strings.HasPrefix(got, "nearlyfreetest: ") || !strings.Contains(got, c.want) || strings.Contains(got, "it went on") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
