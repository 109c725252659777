package exec

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/schema/schematest"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// runNode runs a hand-made tree of operators.
func (db *testDB) runNode(n planner.Node) [][]value.Value {
	db.t.Helper()
	rows, err := db.read(&planner.Plan{Root: n})
	if err != nil {
		db.t.Fatal(err)
	}
	return rows
}

func column(i int, t *schema.Table, ordinal int) *expr.Column {
	return &expr.Column{Index: i, Name: t.Columns[ordinal].Name, T: t.Columns[ordinal].Type, Nullable: true}
}

func must(n expr.Node, err error) expr.Node {
	if err != nil {
		panic(err)
	}
	return n
}

// wholeScan reads all columns of a table.
func wholeScan(t *schema.Table, offset, total int) *access.Scan {
	keys := access.NewKeyPlan(t, nil)
	keys.Narrow(nil)
	return &access.Scan{Table: t, Offset: offset, Total: total, Access: access.TableScan, Keys: keys, Columns: Positions(0, len(t.Columns))}
}

// bruteJoin is what a join means: left(i) and right(j) match where match says so.
func bruteJoin(kind planner.JoinKind, left, right [][]value.Value, match func(l, r []value.Value) bool) []string {
	var out []string
	for _, l := range left {
		matched := false
		for _, r := range right {
			if !match(l, r) {
				continue
			}
			if kind == planner.InnerJoin || kind == planner.LeftJoin || !matched && kind == planner.SemiJoin {
				out = append(out, rowText(kind, l, r))
			}
			matched = true
		}
		if !matched && (kind == planner.LeftJoin || kind == planner.AntiJoin) {
			out = append(out, rowText(kind, l, make([]value.Value, len(l))))
		}
	}
	return out
}

func rowText(kind planner.JoinKind, l, r []value.Value) string {
	if kind == planner.SemiJoin || kind == planner.AntiJoin {
		return texts([][]value.Value{l})[0]
	}
	return texts([][]value.Value{append(slices.Clone(l), r...)})[0]
}

// randomRows makes rows of an id and two values, NULLs among them.
func randomRows(r *rand.Rand, n, values int) [][]value.Value {
	rows := make([][]value.Value, n)
	for i := range rows {
		rows[i] = []value.Value{value.FromInt(int64(i)), value.NullValue, value.NullValue}
		for c := 1; c < 3; c++ {
			if r.IntN(6) > 0 {
				rows[i][c] = value.FromInt(r.Int64N(int64(values)))
			}
		}
	}
	return rows
}

// TestJoinOperators holds each join operator against the meaning of a join, and against the order of the
// left rows, which all keep.
func TestJoinOperators(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 30 {
		db := newTestDB(t, 1+round%3, 7)
		a, b := schematest.NewTable(t, "a", 1, "id INT", "x INT", "y INT"), schematest.NewTable(t, "b", 1, "id INT", "x INT", "y INT")
		schematest.AddIndex(b, "x", 1)
		db.create(a)
		db.create(b)
		left, right := randomRows(r, r.IntN(40), 8), randomRows(r, r.IntN(40), 8)
		db.insert(a, left...)
		db.insert(b, right...)
		const offset, total = 4, 8
		lx, rx := column(1, a, 1), column(offset+1, b, 1)
		ly, ry := column(2, a, 2), column(offset+2, b, 2)
		more := must(expr.NewCompare(expr.Le, ly, ry))
		for _, nullSafe := range []bool{false, true} {
			op := expr.Eq
			if nullSafe {
				op = expr.NullEq
			}
			equal := must(expr.NewCompare(op, lx, rx))
			match := func(l, r []value.Value) bool {
				if l[2].IsNull() || r[2].IsNull() || l[2].Int() > r[2].Int() {
					return false
				}
				return l[1] == r[1] && (nullSafe || !l[1].IsNull())
			}
			for kind := planner.InnerJoin; kind <= planner.AntiJoin; kind++ {
				want := bruteJoin(kind, left, right, match)
				nodes := map[string]planner.Node{
					"hash": &planner.HashJoin{
						Kind: kind, Left: wholeScan(a, 0, total), Right: wholeScan(b, offset, total), On: more,
						LeftKeys: []expr.Node{lx}, RightKeys: []expr.Node{rx}, NullSafe: []bool{nullSafe}, Collation: []value.Collation{value.Binary},
					},
					"loop": &planner.LoopJoin{
						Kind: kind, Left: wholeScan(a, 0, total), Right: wholeScan(b, offset, total),
						On: must(expr.NewLogic(expr.And, equal, more)),
					},
				}
				for name, n := range nodes {
					exprs := []expr.Node{column(0, a, 0), lx, ly}
					if kind == planner.InnerJoin || kind == planner.LeftJoin {
						exprs = append(exprs, column(offset, b, 0), rx, ry)
					}
					got := texts(db.runNode(&planner.Project{Input: n, Exprs: exprs}))
					if !slices.Equal(got, want) {
						t.Fatalf("round %d: %s join, kind %d, null safe %v\n got %q\nwant %q", round, name, kind, nullSafe, got, want)
					}
				}
			}
		}
		// By key and by index, as the planner makes it.
		db.expectSet("SELECT a.id, a.x, a.y, b.id, b.x, b.y FROM a JOIN b ON b.id = a.x AND b.y >= a.y",
			bruteJoin(planner.InnerJoin, left, right, func(l, r []value.Value) bool {
				return l[1] == r[0] && !l[2].IsNull() && !r[2].IsNull() && r[2].Int() >= l[2].Int()
			}))
		db.expectSet("SELECT a.id, a.x, a.y, b.id, b.x, b.y FROM a LEFT JOIN b ON b.x = a.x AND b.y > 3",
			bruteJoin(planner.LeftJoin, left, right, func(l, r []value.Value) bool {
				return l[1] == r[1] && !l[1].IsNull() && !r[2].IsNull() && r[2].Int() > 3
			}))
	}
}

func TestHashJoinOfDecimalAndDouble(t *testing.T) {
	db := newTestDB(t, 1, 0)
	a, b := schematest.NewTable(t, "a", 1, "id INT", "x DECIMAL(20,19)"), schematest.NewTable(t, "b", 1, "id INT", "x DOUBLE")
	db.create(a)
	db.create(b)
	db.insert(a, []value.Value{value.FromInt(1), value.FromDecimalText("0.1000000000000000056")})
	db.insert(b, []value.Value{value.FromInt(2), value.FromFloat(0.1)})
	db.expect("SELECT a.id, b.id FROM a JOIN b ON a.x = b.x", []string{"1|2"})
}

func TestHashJoinNoCase(t *testing.T) {
	db := newTestDB(t, 1, 0)
	a, b := schematest.NewTable(t, "a", 1, "id INT", "x VARCHAR(9) nocase"), schematest.NewTable(t, "b", 1, "id INT", "x VARCHAR(9)")
	db.create(a)
	db.create(b)
	db.insert(a, []value.Value{value.FromInt(1), text("Ab")})
	db.insert(b, []value.Value{value.FromInt(2), text("aB")})
	db.expect("SELECT a.id, b.id FROM a JOIN b ON a.x = b.x", []string{"1|2"})
	db.expect("SELECT id FROM a WHERE x IN (SELECT x FROM b)", []string{"1"})
	db.expect("SELECT id FROM a WHERE id > 5 OR x IN (SELECT x FROM b)", []string{"1"})
}

// TestJoinEndsEarly: LIMIT ends what feeds it, and a side without rows ends a join.
func TestJoinEndsEarly(t *testing.T) {
	db := newTestDB(t, 1, 10)
	a, b := schematest.NewTable(t, "a", 1, "id INT", "x INT"), schematest.NewTable(t, "b", 1, "id INT", "x INT")
	none := schematest.NewTable(t, "none", 1, "id INT", "x INT")
	db.create(a)
	db.create(b)
	db.create(none)
	for i := range int64(500) {
		db.insert(a, ints(i, i))
		db.insert(b, ints(i, i))
	}
	ids := make([]string, 40)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	if requests, _ := db.cost("SELECT a.id, b.x FROM a JOIN b ON b.id = a.x WHERE a.id IN (" + strings.Join(ids, ", ") + ") LIMIT 2"); requests > 8 {
		t.Errorf("two rows of a join took %d requests", requests)
	}
	// Without left rows the right side is not read; without right rows no more than the first page of the left.
	for _, n := range []planner.Node{
		&planner.HashJoin{
			Left: wholeScan(none, 0, 6), Right: wholeScan(a, 3, 6),
			LeftKeys: []expr.Node{column(1, none, 1)}, RightKeys: []expr.Node{column(4, a, 1)},
		},
		&planner.LoopJoin{Left: wholeScan(none, 0, 6), Right: wholeScan(a, 3, 6)},
	} {
		if got := costOfNothing(t, db, n); got != 1 {
			t.Errorf("a join of nothing took %d requests", got)
		}
	}
	n := &planner.HashJoin{
		Left: wholeScan(a, 0, 6), Right: wholeScan(none, 3, 6),
		LeftKeys: []expr.Node{column(1, a, 1)}, RightKeys: []expr.Node{column(4, none, 1)},
	}
	if got := costOfNothing(t, db, n); got > 3 {
		t.Errorf("a join with nothing took %d requests", got)
	}
}

// costOfNothing gives the requests of a plan that has no rows.
func costOfNothing(t *testing.T, db *testDB, n planner.Node) int64 {
	t.Helper()
	ctx := context.Background()
	before := db.meter.Requests.Load()
	c, err := db.rt.Query(ctx, db.execution(&planner.Plan{Root: n}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Next(ctx); err != io.EOF {
		t.Errorf("no rows: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return db.meter.Requests.Load() - before
}

func TestLoopJoinLooksAtContext(t *testing.T) {
	db := newTestDB(t, 1, 0)
	v := schematest.NewTable(t, "v", 0, "a INT")
	v.Virtual = func(context.Context, schema.Wanted) ([][]value.Value, error) {
		rows := make([][]value.Value, 3000)
		for i := range rows {
			rows[i] = ints(int64(i))
		}
		return rows, nil
	}
	if err := v.Init(); err != nil {
		t.Fatal(err)
	}
	db.tables["v"] = v
	ctx, cancel := context.WithCancel(context.Background())
	c, err := db.rt.Query(ctx, db.execution(db.plan("SELECT x.a FROM v x JOIN v y ON x.a + y.a = -1")))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cancel()
	if _, err := c.Next(ctx); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestEachGivesTheCause(t *testing.T) {
	db := newTestDB(t, 4, 0)
	var r Run
	r.Init(context.Background(), db.rt, db.execution(&planner.Plan{}))
	cause := fmt.Errorf("cause")
	err := r.Each(context.Background(), 100, func(ctx context.Context, i int) error {
		if i == 7 {
			return cause
		}
		if i > 7 {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	if err != cause {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Each(ctx, 100, func(context.Context, int) error { return nil }); err != context.Canceled {
		t.Errorf("cancelled from outside: %v", err)
	}
}
