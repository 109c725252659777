package exec

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// lookupJoinOf finds the lookup join of a plan.
func lookupJoinOf(n planner.Node) *planner.LookupJoin {
	if l, ok := n.(*planner.LookupJoin); ok {
		return l
	}
	for _, kid := range planner.Children(n) {
		if l := lookupJoinOf(kid); l != nil {
			return l
		}
	}
	return nil
}

// TestJoinsChangeOver has joins change over from lookups to a scan at each place, and holds them against the meaning of a join.
func TestJoinsChangeOver(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 30 {
		db := newTestDB(t, 1+round%3, 2+round%5)
		a, b := schematest.NewTable(t, "a", 1, "id INT", "x INT", "y INT"), schematest.NewTable(t, "b", 1, "id INT", "x INT", "y INT")
		schematest.AddIndex(b, "x", 1)
		db.create(a)
		db.create(b)
		left, right := randomRows(r, r.IntN(60), 30), randomRows(r, r.IntN(60), 30)
		db.insert(a, left...)
		db.insert(b, right...)
		match := func(l, r []value.Value) bool {
			return l[1] == r[1] && !l[1].IsNull() && !l[2].IsNull() && !r[2].IsNull() && r[2].Int() >= l[2].Int()
		}
		for _, c := range []struct {
			kind planner.JoinKind
			sql  string
		}{
			{planner.InnerJoin, "SELECT a.id, a.x, a.y, b.id, b.x, b.y FROM a STRAIGHT_JOIN b ON b.x = a.x AND b.y >= a.y"},
			{planner.LeftJoin, "SELECT a.id, a.x, a.y, b.id, b.x, b.y FROM a LEFT JOIN b ON b.x = a.x AND b.y >= a.y"},
			{planner.SemiJoin, "SELECT id, x, y FROM a WHERE EXISTS (SELECT * FROM b WHERE b.x = a.x AND b.y >= a.y)"},
			{planner.AntiJoin, "SELECT id, x, y FROM a WHERE NOT EXISTS (SELECT * FROM b WHERE b.x = a.x AND b.y >= a.y)"},
		} {
			want := bruteJoin(c.kind, left, right, match)
			slices.Sort(want)
			for _, after := range []float64{0, 1, 5, 20, 1000} {
				p := db.plan(c.sql)
				n := lookupJoinOf(p.Root)
				if n == nil || n.Whole == nil {
					t.Fatalf("%s: cannot change over", c.sql)
				}
				n.After = after
				rows, err := db.read(p)
				if err != nil {
					t.Fatal(err)
				}
				got := texts(rows)
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Fatalf("round %d: %s, after %v\n got %q\nwant %q", round, c.sql, after, got, want)
				}
			}
		}
	}
}

// TestChangeOverCost holds joins to twice the requests of the better way, whatever the sizes, and whichever way the planner
// took for the better one.
func TestChangeOverCost(t *testing.T) {
	const page = 8 // as many entities as a request is worth here
	for _, n := range []int{1, 2, 9, 40, 300} {
		for _, m := range []int{1, 9, 60, 400, 2000} {
			db := newTestDB(t, 1, page)
			a, b := schematest.NewTable(t, "a", 1, "id INT", "x INT"), schematest.NewTable(t, "b", 1, "id INT")
			db.create(a)
			db.create(b)
			for i := range n {
				db.insert(a, ints(int64(i), int64(i*7)))
			}
			for i := range m {
				db.insert(b, ints(int64(i)))
			}
			left := (n + page - 1) / page
			for _, after := range []float64{0, 10, 50} {
				p := db.plan("SELECT a.id FROM a LEFT JOIN b ON b.id = a.x AND b.id >= 0")
				join := lookupJoinOf(p.Root)
				if after > 0 {
					join.After = after
				}
				before := db.meter.Requests.Load()
				if rows, err := db.read(p); err != nil || len(rows) != n {
					t.Fatal(len(rows), err)
				}
				got := float64(db.meter.Requests.Load()-before) - float64(left)
				most := 2 * min(float64(n), max(after, float64(m+page-1)/page))
				if got > most+2 {
					t.Errorf("%d left rows, %d right ones, after %v: %v requests for the join, and %v are enough", n, m, after, got, most)
				}
			}
		}
	}
}

// TestChangeBack has a join go back to lookups where the right side does not fit into the memory of a statement.
func TestChangeBack(t *testing.T) {
	db := newTestDB(t, 1, 0)
	a, b := schematest.NewTable(t, "a", 1, "id INT", "x INT"), schematest.NewTable(t, "b", 1, "id INT", "name VARCHAR(20)")
	db.create(a)
	db.create(b)
	for i := range int64(2000) {
		if i < 300 {
			db.insert(a, ints(i, i))
		}
		db.insert(b, []value.Value{value.FromInt(i), value.FromString(fmt.Sprint("name ", i))})
	}
	db.rt.MaxMemory, db.rt.Account = 120_000, NewAccount("TotalMemory", 0)
	rows, err := db.read(db.plan("SELECT a.id, b.name FROM a LEFT JOIN b ON b.id = a.x"))
	if err != nil || len(rows) != 300 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if held := db.rt.Account.Held(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// TestLookupsShareMemory: a lookup needs little memory beside the rows that it finds: what it reads them with is that of the one before.
func TestLookupsShareMemory(t *testing.T) {
	db := newTestDB(t, 1, 1000)
	a, b := schematest.NewTable(t, "a", 1, "id INT", "x INT"), schematest.NewTable(t, "b", 1, "id INT", "x INT", "y INT")
	schematest.AddIndex(b, "x", 1)
	db.create(a)
	db.create(b)
	const rows = 1000
	var left, right [][]value.Value
	for i := range int64(rows) {
		left, right = append(left, ints(i, i)), append(right, ints(i, i, 0))
	}
	db.insert(a, left...)
	db.insert(b, right...)
	p := db.plan("SELECT COUNT(*) FROM a STRAIGHT_JOIN b ON b.x = a.x AND b.y >= 0")
	lookupJoinOf(p.Root).Whole = nil
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		if got, err := db.read(p); err != nil || got[0][0].Int() != rows {
			t.Fatal(got, err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 10 / rows; each > 3000 {
		t.Errorf("%d bytes for each lookup", each)
	}
}
