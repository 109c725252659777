package sqlite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestFamilies runs random changes of a table and of one inside it here, declared WITH PARENT and not, and on SQLite,
// which keeps the same foreign key; after each of them, joins of the two must agree.
func TestFamilies(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 11))
			lite := open(t, "SQLite", "sqlite", ":memory:")
			sides := []*database{lite, open(t, "alone", "", "mem://"), open(t, "with copies", "", "mem://")}
			for i, d := range sides {
				inside := []string{"", "INTERLEAVE IN PARENT expense", "INTERLEAVE IN PARENT expense WITH PARENT"}[i]
				setup := []string{
					"CREATE TABLE expense (id BIGINT NOT NULL, v BIGINT, s VARCHAR(20), PRIMARY KEY (id))",
					"CREATE TABLE item (expense BIGINT NOT NULL, n BIGINT NOT NULL, v BIGINT, PRIMARY KEY (expense, n), " +
						"FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE) " + inside,
				}
				if d.lite {
					setup = append([]string{"PRAGMA foreign_keys = ON"}, setup...)
				}
				for _, text := range setup {
					if r := d.run(statement{sql: both("%s", text)}, nil); r.err != nil {
						t.Fatalf("%s: %s: %v", d.name, text, r.err)
					}
				}
			}
			rows := 0
			for range 150 {
				agree(t, sides, familyChange(rnd))
				rows += agree(t, sides, familyQuery(rnd))
			}
			if rows < 150 {
				t.Errorf("%d rows came of all queries", rows)
			}
		})
	}
}

// agree runs a statement on all sides, whose rows, or whether there is an error, must be the same, and gives the
// number of rows.
func agree(t *testing.T, sides []*database, s statement) int {
	t.Helper()
	var want result
	for i, d := range sides {
		r := d.run(s, nil)
		if len(s.order) == 0 {
			slices.SortFunc(r.rows, func(a, b []string) int { return slices.Compare(a, b) })
		}
		if i == 0 {
			want = r
		} else if (r.err == nil) != (want.err == nil) || !slices.EqualFunc(r.rows, want.rows, slices.Equal[[]string]) {
			t.Fatalf("%s\n%s: %v %v\n%s: %v %v", s.ours, sides[0].name, want.rows, want.err, d.name, r.rows, r.err)
		}
	}
	return len(want.rows)
}

func familyChange(rnd *rand.Rand) statement {
	id, other, n := rnd.IntN(6), rnd.IntN(6), rnd.IntN(4)
	list := []string{
		fmt.Sprintf("INSERT INTO expense VALUES (%d, %d, 's%d')", id, n, n),
		fmt.Sprintf("INSERT INTO item VALUES (%d, %d, %d)", id, n, other),
		fmt.Sprintf("INSERT INTO item VALUES (%d, %d, NULL)", id, n),
		fmt.Sprintf("UPDATE expense SET v = v + 1, s = 't' WHERE id = %d", id),
		fmt.Sprintf("UPDATE expense SET v = NULL WHERE v = %d", n),
		fmt.Sprintf("UPDATE item SET v = %d WHERE n = %d", other, n),
		fmt.Sprintf("UPDATE item SET expense = %d WHERE expense = %d AND n = %d", other, id, n),
		fmt.Sprintf("DELETE FROM expense WHERE id = %d", id),
		fmt.Sprintf("DELETE FROM item WHERE v = %d", other),
	}
	if rnd.IntN(2) == 0 {
		list = list[:3] // tables that are not empty
	}
	return statement{sql: both("%s", list[rnd.IntN(len(list))])}
}

func familyQuery(rnd *rand.Rand) statement {
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	var conds []string
	for range rnd.IntN(3) {
		conds = append(conds, fmt.Sprintf(pick("e.id = %d", "i.expense = %d", "e.id > %d", "i.expense <= %d", "e.id IN (2, %d)",
			"(e.id = 1 OR i.expense = %d)", "i.n >= %d", "e.v < %d", "i.v <> e.v + %d", "(i.v IS NULL OR i.v = %d)"), rnd.IntN(6)))
	}
	from := " FROM expense e " + pick("", "LEFT ") + "JOIN item i ON i.expense = e.id" + pick("", "", " AND i.n > 1", " AND e.v > 1")
	if len(conds) > 0 {
		from += " WHERE " + strings.Join(conds, " AND ")
	}
	switch rnd.IntN(4) {
	case 0:
		return statement{sql: both("%s", "SELECT COUNT(*), COUNT(i.n), SUM(i.v), MAX(e.v)"+from), rows: true}
	case 1:
		return statement{sql: both("%s", "SELECT e.id, COUNT(i.n), MIN(i.v)"+from+" GROUP BY e.id ORDER BY e.id"), rows: true, order: []int{0}}
	case 2:
		return statement{sql: both("%s", "SELECT e.*, i.*"+from), rows: true}
	}
	text := fmt.Sprintf("SELECT e.s, i.*, e.id%s ORDER BY e.id%s, i.n LIMIT %d OFFSET %d", from, pick("", "", " DESC"), 1+rnd.IntN(5), rnd.IntN(3))
	return statement{sql: both("%s", text), rows: true, order: []int{0}}
}
