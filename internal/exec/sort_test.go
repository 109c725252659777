package exec

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

func TestSortAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		db := newTestDB(t, 1, 0)
		a := schematest.NewTable(t, "a", 1, "id INT", "x INT", "y INT")
		db.create(a)
		rows := randomRows(r, r.IntN(60), 5)
		db.insert(a, rows...)
		want := slices.Clone(rows)
		slices.SortStableFunc(want, func(p, q []value.Value) int {
			if c := value.Order(p[1], q[1], value.Binary); c != 0 {
				return -c
			}
			return value.Order(p[2], q[2], value.Binary)
		})
		keys := []access.SortKey{{Expr: column(1, a, 1), Desc: true}, {Expr: column(2, a, 2)}}
		columns := []expr.Node{column(0, a, 0), column(1, a, 1), column(2, a, 2)}
		run := func(count, offset int64) []string {
			s := &planner.Sort{Input: wholeScan(a, 0, 4), Keys: keys}
			var n planner.Node = s
			if count >= 0 {
				s.Limit, s.Offset = expr.NewConst(value.FromInt(count)), expr.NewConst(value.FromInt(offset))
				n = &planner.Limit{Input: s, Count: s.Limit, Offset: s.Offset}
			}
			return texts(db.runNode(&planner.Project{Input: n, Exprs: columns}))
		}
		if got := run(-1, 0); !slices.Equal(got, texts(want)) {
			t.Fatalf("round %d: sorted\n got %q\nwant %q", round, got, texts(want))
		}
		count, offset := r.IntN(12), r.IntN(12)
		end := min(offset+count, len(want))
		top := want[min(offset, end):end]
		if got := run(int64(count), int64(offset)); !slices.Equal(got, texts(top)) {
			t.Fatalf("round %d: %d behind %d\n got %q\nwant %q", round, count, offset, got, texts(top))
		}
	}
}

func TestSortNoCase(t *testing.T) {
	db := newTestDB(t, 1, 0)
	a := schematest.NewTable(t, "a", 1, "id INT", "s VARCHAR(9) nocase")
	db.create(a)
	for i, s := range []string{"b", "A", "B", "a", "C"} {
		db.insert(a, []value.Value{value.FromInt(int64(i)), text(s)})
	}
	db.expect("SELECT s FROM a ORDER BY s", []string{"A", "a", "b", "B", "C"})
	db.expect("SELECT s FROM a ORDER BY s DESC LIMIT 2", []string{"C", "b"})
	db.expectSet("SELECT DISTINCT s FROM a", []string{"b", "A", "C"})
	db.expectSet("SELECT s, COUNT(*) FROM a GROUP BY s", []string{"b|2", "A|2", "C|1"})
	db.expect("SELECT s FROM a ORDER BY s COLLATE utf8mb4_bin", []string{"A", "B", "C", "a", "b"})
}

// TestAggregateAgainstBruteForce holds grouping by hash and in order against a plain map.
func TestAggregateAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 30 {
		db := newTestDB(t, 1, 0)
		a := schematest.NewTable(t, "a", 1, "id INT", "x INT", "y INT")
		db.create(a)
		rows := randomRows(r, r.IntN(60), 6)
		db.insert(a, rows...)
		type total struct{ count, sum, some int64 }
		totals := map[value.Value]*total{}
		for _, row := range rows {
			g := totals[row[1]]
			if g == nil {
				g = &total{}
				totals[row[1]] = g
			}
			g.count++
			if !row[2].IsNull() {
				g.some++
				g.sum += row[2].Int()
			}
		}
		var want []string
		for x, g := range totals {
			sum := value.FromInt(g.sum)
			if g.some == 0 {
				sum = value.NullValue
			}
			want = append(want, texts([][]value.Value{{x, value.FromInt(g.count), sum}})[0])
		}
		slices.Sort(want)
		count, err := expr.NewAggregate("count", nil, true, false, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := expr.NewAggregate("sum", []expr.Node{column(2, a, 2)}, false, false, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, sorted := range []bool{false, true} {
			n := &planner.Aggregate{Input: wholeScan(a, 0, 4), Group: []expr.Node{column(1, a, 1)}, Aggs: []*expr.Aggregate{count, sum}, Sorted: sorted}
			if sorted {
				n.Input = &planner.Sort{Input: n.Input, Keys: []access.SortKey{{Expr: column(1, a, 1)}}}
			}
			got := texts(db.runNode(n))
			if sorted && !slices.IsSortedFunc(got, func(p, q string) int { return cmp.Compare(groupNumber(p), groupNumber(q)) }) {
				t.Errorf("round %d: groups out of order: %q", round, got)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("round %d: sorted %v\n got %q\nwant %q", round, sorted, got, want)
			}
		}
	}
}

func groupNumber(row string) int {
	n := -1 // NULL
	_, _ = fmt.Sscan(strings.ReplaceAll(row, "|", " "), &n)
	return n
}
