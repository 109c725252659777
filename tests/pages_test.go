package tests

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestPages runs the statements of guides, and holds what these show of the last of each block to what the driver says. -update writes
// that anew.
func TestPages(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]page{
		"costs":   {fill: fillShop},
		"tenants": {},
		"mysql":   {},
		"aztables": {before: []string{ // the other program's table
			"CREATE EXTERNAL TABLE made (a TEXT, b TEXT) LOCATION 'Expenses' PARTITION KEY '{a}' ROW KEY '{b}'", "DROP TABLE made",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.run(t, "../docs/"+name+".md")
		})
	}
}

// page is what a page takes for granted.
type page struct {
	before []string
	fill   func(t *testing.T, run func(string)) // puts rows into the tables of the page's first block
}

// run runs the statements of a page.
func (p page) run(t *testing.T, path string) {
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	runAll(t, conn, p.before...)
	var out strings.Builder
	rest := string(page)
	for {
		before, block, found := strings.Cut(rest, "```sql\n")
		out.WriteString(before)
		if !found {
			break
		}
		sql, after, _ := strings.Cut(block, "```\n")
		out.WriteString("```sql\n" + sql + "```\n")
		got := ""
		for _, statement := range strings.Split(strings.TrimSpace(sql), ";\n") {
			if got = answer(t.Context(), conn, strings.TrimSuffix(statement, ";")); strings.HasPrefix(got, "error: ") && !strings.Contains(statement, "-- fails") {
				t.Errorf("%s: %s", statement, got)
			}
		}
		if p.fill != nil {
			p.fill(t, func(s string) { runAll(t, conn, s) })
			p.fill = nil
		}
		rest = after
		if _, shown, ok := strings.Cut(after, "```text\n"); ok && strings.HasPrefix(after, "```text\n") {
			_, rest, _ = strings.Cut(shown, "```\n")
			out.WriteString("```text\n" + strings.TrimPrefix(got, "plan\n") + "\n```\n")
		}
	}
	switch {
	case out.String() == string(page):
	case *update:
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the driver says: go test ./tests -run TestPages -update\n%s", path, out.String())
	}
}

// fillShop fills the tables of the page.
func fillShop(t *testing.T, run func(string)) {
	t.Helper()
	random := rand.New(rand.NewSource(1))
	cities := []string{"Bern", "Basel", "Chur", "Genf"}
	for len(cities) < 40 {
		cities = append(cities, fmt.Sprint("City ", len(cities)))
	}
	insert := func(table string, n int, row func(i int) string) {
		for i := 0; i < n; {
			var rows []string
			for ; len(rows) < 1000 && i < n; i++ {
				rows = append(rows, row(i))
			}
			run("INSERT INTO " + table + " VALUES " + strings.Join(rows, ", "))
		}
	}
	insert("customer", 2000, func(i int) string { return fmt.Sprintf("(%d, 'Customer %d', '%s')", i, i, cities[i%len(cities)]) })
	insert("orders", 20_000, func(i int) string {
		state := "done"
		if i%500 == 0 {
			state = "open"
		}
		return fmt.Sprintf("(%d, %d, %d.50, '%s')", i, random.Intn(2000), random.Intn(500), state)
	})
}
