package sqlite

import (
	databasesql "database/sql"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/tests/tpch"
)

var scale = flag.Float64("tpch", 0.001, "scale factor of TPC-H; 0.01 is its benchmark's")

// liteWords turns MySQL's words of the queries into SQLite's.
var liteWords = strings.NewReplacer("DATE '", "'", "YEAR(l_shipdate)", "CAST(SUBSTR(l_shipdate, 1, 4) AS INTEGER)", "YEAR(o_orderdate)", "CAST(SUBSTR(o_orderdate, 1, 4) AS INTEGER)")

// openTPCH makes the data in memory, here and in SQLite.
func openTPCH(t testing.TB, scale float64) (ours, lite *databasesql.DB) {
	t.Helper()
	var err error
	if ours, err = databasesql.Open("nearlyfree", "mem://"); err != nil {
		t.Fatal(err)
	}
	if lite, err = databasesql.Open("sqlite", "file::memory:"); err != nil {
		t.Fatal(err)
	}
	lite.SetMaxOpenConns(1)
	t.Cleanup(func() {
		ours.Close()
		lite.Close()
	})
	if _, err := lite.Exec("PRAGMA case_sensitive_like = ON"); err != nil {
		t.Fatal(err)
	}
	for statement := range tpch.Load(scale) {
		for _, db := range []*databasesql.DB{ours, lite} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatalf("%.200s: %v", statement, err)
			}
		}
	}
	if _, err := lite.Exec("ANALYZE"); err != nil {
		t.Fatal(err)
	}
	return ours, lite
}

// analyze finds out what the tables hold.
const analyze = "ANALYZE TABLE region, nation, supplier, customer, part, partsupp, orders, lineitem"

// TestTPCH holds the answers of TPC-H's queries against SQLite's, before and after ANALYZE TABLE.
func TestTPCH(t *testing.T) {
	ours, lite := openTPCH(t, *scale)
	for _, when := range []string{"", " analyzed"} {
		for i, query := range tpch.Queries {
			t.Run(strconv.Itoa(i+1)+when, func(t *testing.T) {
				got, want := answerOf(t, ours, query), answerOf(t, lite, liteWords.Replace(query))
				if len(got) != len(want) {
					t.Fatalf("%d rows, SQLite has %d", len(got), len(want))
				}
				for r := range got {
					for c := range got[r] {
						if !sameAnswer(got[r][c], want[r][c]) {
							t.Fatalf("row %d: %v, SQLite has %v", r+1, got[r], want[r])
						}
					}
				}
			})
		}
		answerOf(t, ours, analyze)
	}
}

// sameAnswer compares texts, and numbers but for what SQLite, which has no decimals, rounds.
func sameAnswer(a, b string) bool {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	if errA != nil || errB != nil {
		return a == b
	}
	return math.Abs(x-y) <= 1e-6*max(1, math.Abs(x))
}

func answerOf(t testing.TB, db *databasesql.DB, query string) (out [][]string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(columns))
		for i, v := range values {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			row[i] = fmt.Sprint(v)
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// BenchmarkTPCH runs each query side by side: go test -run '^$' -bench TPCH -tpch 0.01 -benchtime 3x .
func BenchmarkTPCH(b *testing.B) {
	ours, lite := openTPCH(b, *scale)
	answerOf(b, ours, analyze)
	for i, query := range tpch.Queries {
		for _, side := range []struct {
			name, query string
			db          *databasesql.DB
		}{{"ours", query, ours}, {"sqlite", liteWords.Replace(query), lite}} {
			b.Run(fmt.Sprintf("%02d/%s", i+1, side.name), func(b *testing.B) {
				for b.Loop() {
					answerOf(b, side.db, side.query)
				}
			})
		}
	}
}
