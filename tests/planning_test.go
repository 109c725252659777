package tests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// doubled is a WITH each of whose queries uses the one before twice. Those that only pick columns and rows are planned anew for each use.
func doubled(first, next string, levels int) string {
	var b strings.Builder
	b.WriteString("WITH c0 AS (" + first + ")")
	for i := range levels {
		fmt.Fprintf(&b, ", c%d AS ("+strings.ReplaceAll(next, "@", fmt.Sprintf("c%d", i))+")", i+1)
	}
	return b.String() + fmt.Sprintf(" SELECT * FROM c%d", levels)
}

// TestPlanningListens: a context that ends while a statement is planned ends the statement.
func TestPlanningListens(t *testing.T) {
	db := nearlyfreetest.Open(t)
	run(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(10))")
	sums := strings.Repeat("n + 1, ", 2000)
	const looks = 40 // at the context, before it ends: more than a small statement takes
	if err := drain(&countdown{t.Context(), looks}, db, "EXPLAIN SELECT * FROM t"); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		doubled("SELECT id AS n, s FROM t WHERE "+strings.Repeat("id + 1 > 2 AND ", 100)+"1", "SELECT a.n, a.s FROM @ a JOIN @ b ON a.n = b.n", 6),
		"SELECT " + sums + "1 FROM t GROUP BY " + sums + "id",
	} {
		if err := drain(&countdown{t.Context(), looks}, db, "EXPLAIN "+q); !errors.Is(err, context.Canceled) {
			t.Errorf("%.100s: %v", q, err)
		}
	}
}

// TestPlanningBudget: a statement whose plan would be much larger than its text is refused.
func TestPlanningBudget(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	run(t, db, "CREATE TABLE t (id INT PRIMARY KEY"+manyColumns(240)+")")
	wide := "id NOT IN (" + strings.Repeat("1, ", 25_000) + "1)"
	for q, want := range map[string]uint16{
		doubled("SELECT id FROM t WHERE "+wide, "SELECT a.id FROM @ a JOIN @ b ON a.id = b.id", 7): 3170,
		"SELECT " + strings.Repeat("*, ", 20) + "1 FROM t":                                         1117,
		"SELECT " + strings.Repeat("1, ", 4096) + "1":                                              1117,
	} {
		if want == 3170 && testing.Short() {
			continue // it takes seconds to find out
		}
		err := drain(t.Context(), db, q)
		var e *nearlyfree.Error
		if !errors.As(err, &e) || e.Number != want {
			t.Errorf("%.80s: %v, want %d", q, err, want)
		}
	}
	if err := drain(t.Context(), db, "SELECT "+strings.Repeat("1, ", 4095)+"1"); err != nil {
		t.Error(err)
	}
}
