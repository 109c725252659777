package tests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// noon is what a clock gives: nanoseconds that are no multiple of 100.
var noon = time.Date(2024, 2, 29, 11, 59, 59, 987654350, time.FixedZone("", 3600))

// storing is what Go programs give to columns, and what these keep of it.
var storing = []struct {
	column string
	in     any
	want   any
	exact  bool // the column keeps all of it
	same   bool // in finds it again; what is kept does in any case
}{
	{"DATETIME(7)", noon, noon.UTC().Truncate(100), true, true},
	{"DATETIME(6)", noon, time.Date(2024, 2, 29, 10, 59, 59, 987654000, time.UTC), false, true},
	{"DATETIME(6)", noon.Add(200), time.Date(2024, 2, 29, 10, 59, 59, 987655000, time.UTC), false, true},
	{"DATETIME(6)", noon.Truncate(time.Microsecond), time.Date(2024, 2, 29, 10, 59, 59, 987654000, time.UTC), true, true},
	{"DATETIME(3)", noon, time.Date(2024, 2, 29, 10, 59, 59, 988000000, time.UTC), false, false},
	{"DATETIME", noon, time.Date(2024, 2, 29, 11, 0, 0, 0, time.UTC), false, false},
	{"TIMESTAMP(6)", noon, time.Date(2024, 2, 29, 10, 59, 59, 987654000, time.UTC), false, true},
	{"TIMESTAMP", noon, time.Date(2024, 2, 29, 11, 0, 0, 0, time.UTC), false, false},
	{"DATE", noon, time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), false, false},
	{"TIME", noon, "11:00:00", false, false},
	{"TIME(6)", noon, "10:59:59.987654", false, false},
	{"TIME(6)", "10:59:59.9876543", "10:59:59.987654", false, true},
	{"VARCHAR(30)", noon, "2024-02-29 10:59:59.9876543", true, true},
	{"DECIMAL(10,2)", 19.999, "20.00", false, false},
	{"DECIMAL(10,2)", float32(0.1), "0.10", false, false},
	{"DECIMAL(10,2)", 0.1, "0.10", true, true},
	{"DECIMAL(10,2)", " 19.985 ", "19.99", false, false},
	{"DECIMAL(10,2)", int64(7), "7.00", true, true},
	{"INT", 2.5, int64(2), false, false},
	{"INT", "2.5", int64(3), false, false},
	{"INT", " 7 ", int64(7), true, true},
	{"TINYINT(1)", true, int64(1), true, true},
	{"TINYINT(1)", int64(-128), int64(-128), true, true},
	{"BOOL", true, true, true, true},
	{"BOOL", int64(1), true, true, true},
	{"BIGINT UNSIGNED", uint64(1<<63) + 1, uint64(1<<63) + 1, true, true},
	{"DOUBLE", 0.1, 0.1, true, true},
	{"DOUBLE(8,2)", 19.999, 20.0, false, false},
	{"FLOAT", 0.5, 0.5, true, true},
	{"FLOAT", 0.1, 0.1, true, false}, // single precision is what FLOAT means
	{"FLOAT(8,2)", 0.125, 0.12, false, false},
	{"VARCHAR(3)", "abc  ", "abc", false, false},
	{"TEXT", "abc  ", "abc  ", true, true},
	{"YEAR", "2024", int64(2024), true, true},
}

// TestStoring stores what Go programs have in columns of every kind, reads it back, and finds it by what was kept, under a
// key of its own and under none.
func TestStoring(t *testing.T) {
	t.Parallel()
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			_, db := connect(t, s.config(t))
			ctx := context.Background()
			for i, c := range storing {
				name := fmt.Sprint("t", i)
				key := c.column
				if c.column == "TEXT" {
					key = "VARCHAR(30)"
				}
				if _, err := db.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, k %s, v %s, KEY (k))", name, key, c.column)); err != nil {
					t.Fatal(err)
				}
				if _, err := db.ExecContext(ctx, "INSERT INTO "+name+" VALUES (1, ?, ?), (2, NULL, NULL)", c.in, c.in); err != nil {
					t.Errorf("%s of %v: %v", c.column, c.in, err)
					continue
				}
				var k, v any
				if err := db.QueryRowContext(ctx, "SELECT k, v FROM "+name+" WHERE id = 1").Scan(&k, &v); err != nil || k != c.want || v != c.want {
					t.Errorf("%s of %v: %v (%T), %v (%T), want %v (%T): %v", c.column, c.in, k, k, v, v, c.want, c.want, err)
				}
				for _, column := range []string{"k", "v"} {
					find := func(operand string, arg any) (n int) {
						t.Helper()
						if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+name+" WHERE "+column+" = "+operand, arg).Scan(&n); err != nil {
							t.Errorf("%s = %v: %v", c.column, arg, err)
						}
						return n
					}
					operand := "?"
					if c.column == "FLOAT" || c.column == "FLOAT(8,2)" {
						operand = "CAST(? AS FLOAT)"
					}
					if find(operand, c.want) != 1 {
						t.Errorf("%s: %s = %v finds nothing", c.column, column, c.want)
					}
					if found := find("?", c.in) == 1; found != c.same {
						t.Errorf("%s: %s = %v, which was stored: %v", c.column, column, c.in, found)
					}
				}
			}
		})
	}
}

// TestStoringExactly: with the option exact what would be rounded or cut is refused, by INSERT, UPDATE and ALTER TABLE.
func TestStoringExactly(t *testing.T) {
	t.Parallel()
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			config := s.config(t)
			config.Exact = true
			_, db := connect(t, config)
			ctx := context.Background()
			refused := func(what string, err error) {
				t.Helper()
				var e *nearlyfree.Error
				if !errors.As(err, &e) || e.Number != 1265 || !strings.Contains(e.Message, "column 'v'") || !strings.Contains(e.Message, "option exact") {
					t.Errorf("%s: %v", what, err)
				}
			}
			for i, c := range storing {
				name := fmt.Sprint("t", i)
				if _, err := db.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, v %s)", name, c.column)); err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%s of %v", c.column, c.in)
				_, err := db.ExecContext(ctx, "INSERT INTO "+name+" VALUES (1, ?)", c.in)
				if c.exact {
					if err != nil {
						t.Errorf("%s: %v", what, err)
					}
					continue
				}
				refused(what, err)
				if _, err := db.ExecContext(ctx, "INSERT INTO "+name+" VALUES (1, ?)", c.want); err != nil {
					t.Errorf("%s of %v: %v", c.column, c.want, err)
				}
				_, err = db.ExecContext(ctx, "UPDATE "+name+" SET v = ?", c.in)
				refused("UPDATE of "+what, err)
			}
			if _, err := db.ExecContext(ctx, "CREATE TABLE a (id INT PRIMARY KEY, v DECIMAL(10,4) NOT NULL)"); err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(ctx, "INSERT INTO a VALUES (1, 1.2345)"); err != nil {
				t.Fatal(err)
			}
			_, err := db.ExecContext(ctx, "ALTER TABLE a MODIFY v DECIMAL(10,2) NOT NULL")
			refused("ALTER TABLE", err)
			if _, err := db.ExecContext(ctx, "ALTER TABLE a MODIFY v DECIMAL(10,5) NOT NULL"); err != nil {
				t.Error(err)
			}
		})
	}
}
