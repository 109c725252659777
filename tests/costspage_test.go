package tests

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestCostsPage runs the statements of docs/costs.md, and holds what it shows of the last of each to what the driver says. -update writes
// that anew.
func TestCostsPage(t *testing.T) {
	const path = "../docs/costs.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	var out strings.Builder
	rest, filled := string(page), false
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
			if got = answer(t.Context(), conn, strings.TrimSuffix(statement, ";")); strings.HasPrefix(got, "error: ") {
				t.Errorf("%s: %s", statement, got)
			}
		}
		if !filled {
			fillShop(t, func(s string) { runAll(t, conn, s) })
			filled = true
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
		t.Errorf("docs/costs.md is not what the driver says: -update writes\n%s", out.String())
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
