package sqlite

import (
	databasesql "database/sql"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	_ "github.com/nearlyfreedb/nearlyfree"
)

var (
	statements = flag.Int("statements", 20000, "statements that the differential tests run")
	seed       = flag.Uint64("seed", 1, "first seed of the differential tests")
)

// perTable is how many statements one random table gets.
const perTable = 60

// TestDifferential runs random statements here, here without indexes, and on SQLite: all rows and all errors
// must agree.
func TestDifferential(t *testing.T) {
	n := *statements
	if testing.Short() {
		n /= 20
	}
	ran, failed := 0, 0
	for s := *seed; ran < n; s++ {
		r, f := compareTable(t, s)
		ran, failed = ran+r, failed+f
		if failed > 20 {
			t.Fatalf("too many disagreements; the last seed is %d", s)
		}
	}
	t.Logf("%d statements run, %d disagreements", ran, failed)
}

func compareTable(t *testing.T, seed uint64) (ran, failed int) {
	g := newGenerator(seed)
	ours := open(t, "nearlyfree", "mem://")
	plain := open(t, "nearlyfree", "mem://")
	lite := open(t, "sqlite", ":memory:")
	defer ours.Close()
	defer plain.Close()
	defer lite.Close()
	lite.SetMaxOpenConns(1)
	mustExec(t, lite, "PRAGMA case_sensitive_like = ON")
	for _, s := range g.create(false) {
		mustExec(t, ours, s.ours)
		mustExec(t, lite, s.lite)
	}
	for _, s := range g.create(true) {
		mustExec(t, plain, s.ours)
	}
	var history []string
	report := func(s sql, what string) {
		failed++
		t.Errorf("seed %d: %s\n  ours: %s\n  lite: %s\nafter:\n  %s", seed, what, s.ours, s.lite, strings.Join(history, ";\n  "))
	}
	for _, s := range g.create(false) {
		history = append(history, s.ours)
	}
	for i := 0; i < perTable && failed == 0; i++ {
		ran++
		if i < 8 || g.IntN(3) == 0 {
			s := g.write()
			wantErr := exec(lite, s.lite)
			for name, db := range map[string]*databasesql.DB{"ours": ours, "ours without indexes": plain} {
				if err := exec(db, s.ours); (err == nil) != (wantErr == nil) {
					report(s, fmt.Sprintf("%s says %v, SQLite %v", name, err, wantErr))
				}
			}
			history = append(history, s.ours)
			s = both("SELECT * FROM t")
			if what := compareRows(ours, plain, lite, s, false); what != "" {
				report(s, "after the last write: "+what)
			}
			continue
		}
		s, ordered := g.query()
		if what := compareRows(ours, plain, lite, s, ordered); what != "" {
			report(s, what)
		}
	}
	return ran, failed
}

// compareRows gives "" when all three agree, else what differs.
func compareRows(ours, plain, lite *databasesql.DB, s sql, ordered bool) string {
	want, wantErr := query(lite, s.lite, ordered)
	for name, db := range map[string]*databasesql.DB{"ours": ours, "ours without indexes": plain} {
		got, err := query(db, s.ours, ordered)
		if (err == nil) != (wantErr == nil) {
			return fmt.Sprintf("%s says %v, SQLite %v", name, err, wantErr)
		}
		if !slices.Equal(got, want) {
			return fmt.Sprintf("%s: rows differ\n    got  %s\n    want %s", name, strings.Join(got, "  "), strings.Join(want, "  "))
		}
	}
	return ""
}

func open(t *testing.T, driver, dsn string) *databasesql.DB {
	t.Helper()
	db, err := databasesql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func mustExec(t *testing.T, db *databasesql.DB, s string) {
	t.Helper()
	if err := exec(db, s); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
}

func exec(db *databasesql.DB, s string) error {
	_, err := db.Exec(s)
	return err
}

// query gives the rows as texts, sorted unless their order counts.
func query(db *databasesql.DB, s string, ordered bool) ([]string, error) {
	rows, err := db.Query(s)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all []string
	values, pointers := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		pointers[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cell(v)
		}
		all = append(all, strings.Join(cells, "|"))
	}
	if !ordered {
		slices.Sort(all)
	}
	return all, rows.Err()
}

// cell gives a value as text that is the same for the same number, whatever its type.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case float64:
		return strconv.FormatFloat(v+0, 'g', 15, 64) // +0: -0 is 0
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		if v {
			return "1"
		}
		return "0"
	case []byte:
		return strconv.Quote(string(v))
	case string:
		return strconv.Quote(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}
