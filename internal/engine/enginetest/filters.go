package enginetest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

var comparisons = []engine.FilterOp{engine.Eq, engine.Gt, engine.Ge, engine.Lt, engine.Le}

// testFilters: every operator with every constant, over a table with values of every type in one property. Everything that matches is returned;
// an engine with exact filters returns nothing else.
func testFilters(f *fixture) {
	values := []engine.Value{
		{}, str(""), str("a"), str("A"), str("b"), str("ab"), str("5"), str("it's"), str("''"), str("größe"), str("\uff21"), str("😀"), str("true"),
		str("a%b_c"), str("x eq 'y' or 1 eq 1"),
		i32(0), i32(5), i32(-5), i32(math.MaxInt32), i32(math.MinInt32),
		i64(0), i64(5), i64(-5), i64(math.MaxInt64), i64(math.MinInt64), i64(1 << 53), i64(1<<53 + 1),
		dbl(0), dbl(math.Copysign(0, -1)), dbl(5), dbl(-5), dbl(0.1), dbl(0.1 + 0.2), dbl(0.3), dbl(1e10), dbl(1e-10), dbl(1e300), dbl(5e-324),
		dbl(math.Inf(1)), dbl(math.Inf(-1)), dbl(math.NaN()), dbl(1e21), dbl(123456789.125),
		boolean(true), boolean(false),
		ticks(engine.MinDateTime), ticks(engine.MaxDateTime), ticks(637134336000000000), ticks(637134336000000001), ticks(637134336000009999),
		ticks(637134336000010000), ticks(637134335999999999),
		guid("00000000-0000-0000-0000-000000000000"), guid("0123abcd-4567-89ef-8000-fedcba987654"), guid("ffffffff-ffff-ffff-ffff-ffffffffffff"),
		bin(""), bin("\x00"), bin("\x00\x01"), bin("\xff"), bin("a"),
	}
	var ops []engine.Op
	var stored []engine.Entity
	for i, v := range values {
		o := op(engine.Insert, "p", fmt.Sprintf("%02d", i), props{"V": v, "I": i32(int32(i)), "Even": boolean(i%2 == 0)})
		ops, stored = append(ops, o), append(stored, o.Entity)
	}
	f.must(ops...)
	for _, c := range values[1:] {
		for _, o := range comparisons {
			f.filters(stored, &engine.Filter{Op: o, Property: "V", Value: c})
		}
	}
	v := func(o engine.FilterOp, c engine.Value) *engine.Filter {
		return &engine.Filter{Op: o, Property: "V", Value: c}
	}
	i := func(o engine.FilterOp, n int32) *engine.Filter {
		return &engine.Filter{Op: o, Property: "I", Value: i32(n)}
	}
	and := func(kids ...*engine.Filter) *engine.Filter { return &engine.Filter{Op: engine.And, Kids: kids} }
	or := func(kids ...*engine.Filter) *engine.Filter { return &engine.Filter{Op: engine.Or, Kids: kids} }
	nothing := &engine.Filter{Op: engine.Eq, Property: "Nothing", Value: i32(1)}
	for _, filter := range []*engine.Filter{
		and(v(engine.Ge, str("a")), v(engine.Lt, str("b"))),
		or(v(engine.Eq, str("a")), v(engine.Eq, i64(5)), v(engine.Eq, boolean(true))),
		and(or(i(engine.Lt, 5), i(engine.Ge, 40)), &engine.Filter{Op: engine.Eq, Property: "Even", Value: boolean(true)}),
		or(and(i(engine.Gt, 3), i(engine.Lt, 6)), and(i(engine.Ge, 20), i(engine.Le, 22))),
		and(v(engine.Eq, str("a")), v(engine.Eq, str("b"))),
		or(nothing, i(engine.Eq, 7)), and(nothing, i(engine.Eq, 7)), or(nothing), and(nothing), nothing,
		and(i(engine.Ge, 0)), or(i(engine.Lt, 0)),
		and(v(engine.Ge, bin("\x00")), i(engine.Ge, 0)),
		or(v(engine.Ge, bin("\x00")), i(engine.Eq, 3)),
		or(v(engine.Eq, dbl(math.NaN())), v(engine.Eq, dbl(math.Inf(1)))),
		and(or(v(engine.Lt, ticks(637134336000000001)), v(engine.Gt, ticks(637134336000000001))), i(engine.Ge, 0)),
	} {
		f.filters(stored, filter)
	}
	// Filters as long as they get: hundreds of comparisons, and long texts.
	var many, long []*engine.Filter
	for n := range int32(300) {
		many = append(many, i(engine.Eq, n*7))
	}
	for n := range 40 {
		long = append(long, v(engine.Eq, str(fmt.Sprintf("%01000d", n))))
	}
	f.filters(stored, or(many...))
	f.filters(stored, and(or(many...), i(engine.Ge, 10), i(engine.Le, 30)))
	f.filters(stored, or(append(long, i(engine.Eq, 3))...))
}

// filters checks one filter against what is stored.
func (f *fixture) filters(stored []engine.Entity, filter *engine.Filter) {
	f.Helper()
	got := keysOf(f.scan(engine.Scan{PartitionKey: "p", Filter: filter, Select: []string{"I"}}))
	var want []string
	for i := range stored {
		if matches(filter, &stored[i]) {
			want = append(want, "p/"+stored[i].RowKey)
		}
		if e := &stored[i]; filter.Match(e) != matches(filter, e) ||
			filter.Bind(e.Names).Match(e.PartitionKey, e.RowKey, e.Timestamp, e.Values) != matches(filter, e) {
			f.Fatalf("filter %s: Match and Bind of entity %q do not say %v", text(filter), e.RowKey, matches(filter, e))
		}
	}
	for _, key := range want {
		if !slices.Contains(got, key) {
			f.Errorf("filter %s drops %s, which matches", text(filter), key)
		}
	}
	if f.has(ExactFilters) && len(got) != len(want) {
		f.Errorf("filter %s gives %q, want %q", text(filter), got, want)
	}
}

// matches says what the contract requires of a filter, in the plainest way.
func matches(f *engine.Filter, e *engine.Entity) bool {
	switch f.Op {
	case engine.And:
		return !slices.ContainsFunc(f.Kids, func(kid *engine.Filter) bool { return !matches(kid, e) })
	case engine.Or:
		return slices.ContainsFunc(f.Kids, func(kid *engine.Filter) bool { return matches(kid, e) })
	}
	var v engine.Value
	switch f.Property {
	case "PartitionKey":
		v = str(e.PartitionKey)
	case "RowKey":
		v = str(e.RowKey)
	case engine.Timestamp:
		if v = ticks(e.Timestamp); e.Timestamp == 0 {
			return true
		}
	default:
		if i := slices.Index(e.Names, f.Property); i >= 0 {
			v = e.Values[i]
		}
	}
	c := f.Value
	if v.Type != c.Type || v.Type == engine.Absent {
		return false
	}
	less, equal := v.S < c.S, v.S == c.S
	switch v.Type {
	case engine.Int32, engine.Int64, engine.DateTime, engine.Boolean:
		less, equal = int64(v.N) < int64(c.N), v.N == c.N
	case engine.Double:
		x, y := math.Float64frombits(v.N), math.Float64frombits(c.N)
		if math.IsNaN(x) || math.IsNaN(y) {
			return false
		}
		less, equal = x < y, x == y
	}
	return map[engine.FilterOp]bool{
		engine.Eq: equal, engine.Gt: !less && !equal, engine.Ge: !less, engine.Lt: less, engine.Le: less || equal,
	}[f.Op]
}

func text(f *engine.Filter) string {
	name := map[engine.FilterOp]string{engine.And: "and", engine.Or: "or", engine.Eq: "eq", engine.Gt: "gt", engine.Ge: "ge", engine.Lt: "lt", engine.Le: "le"}[f.Op]
	if len(f.Kids) == 0 {
		return fmt.Sprintf("(%s %s %s)", f.Property, name, show(f.Value))
	}
	s := "(" + name
	for i, kid := range f.Kids {
		if i == 5 {
			return fmt.Sprintf("%s and %d more)", s, len(f.Kids)-i)
		}
		s += " " + text(kid)
	}
	return s + ")"
}

// testFilterKeys: keys are properties of a filter, inside a range and over all partitions.
func testFilterKeys(f *fixture) {
	f.fill("p", "1", "2", "3", "4", "5")
	f.fill("q", "1", "2", "3")
	key := func(o engine.FilterOp, name, c string) *engine.Filter {
		return &engine.Filter{Op: o, Property: name, Value: str(c)}
	}
	for _, c := range []struct {
		scan engine.Scan
		want []string
	}{
		{engine.Scan{PartitionKey: "p", Filter: key(engine.Gt, "RowKey", "3")}, []string{"p/4", "p/5"}},
		{engine.Scan{PartitionKey: "p", From: "2", Filter: key(engine.Le, "RowKey", "3")}, []string{"p/2", "p/3"}},
		{engine.Scan{PartitionKey: "p", Filter: key(engine.Eq, "PartitionKey", "q")}, nil},
		{engine.Scan{AllPartitions: true, Filter: key(engine.Eq, "PartitionKey", "q")}, []string{"q/1", "q/2", "q/3"}},
		{engine.Scan{AllPartitions: true, Filter: key(engine.Eq, "RowKey", "2")}, []string{"p/2", "q/2"}},
		{engine.Scan{AllPartitions: true, Filter: &engine.Filter{Op: engine.And, Kids: []*engine.Filter{
			key(engine.Ge, "RowKey", "2"), {Op: engine.Eq, Property: "N", Value: i32(2)}}}}, []string{"p/3", "q/3"}},
	} {
		got := keysOf(f.scan(c.scan))
		for _, key := range c.want {
			if !slices.Contains(got, key) {
				f.Fatalf("filter %s drops %s", text(c.scan.Filter), key)
			}
		}
		if f.has(ExactFilters) && len(got) != len(c.want) {
			f.Fatalf("filter %s gives %q, want %q", text(c.scan.Filter), got, c.want)
		}
	}
}

// testFilterTimestamp: when an entity was written is a property of a filter, to the tick.
func testFilterTimestamp(f *fixture) {
	for _, row := range []string{"1", "2", "3", "4"} {
		f.must(op(engine.Insert, "p", row, props{"N": i32(1)}))
		time.Sleep(3 * time.Millisecond) // so that stores of any precision give another time
	}
	stored := f.scan(engine.Scan{PartitionKey: "p"})
	if len(stored) != 4 || stored[0].Timestamp == 0 || stored[0].Timestamp == stored[3].Timestamp {
		f.Fatalf("the times of four writes: %v", stored)
	}
	for _, e := range stored {
		for _, near := range []int64{-10001, -1, 0, 1, 10001} {
			for _, o := range comparisons {
				filter := &engine.Filter{Op: o, Property: engine.Timestamp, Value: ticks(e.Timestamp + near)}
				for _, s := range []engine.Scan{{}, {Select: []string{engine.Timestamp}}, {Select: []string{"N"}}, {Limit: 4}, {Limit: 4, Select: []string{"N"}}} {
					s.PartitionKey, s.Filter = "p", filter
					f.lets(s, stored)
				}
			}
		}
	}
}

// lets checks which stored entities a scan gives.
func (f *fixture) lets(s engine.Scan, stored []engine.Entity) {
	f.Helper()
	got := keysOf(f.scan(s))
	n := 0
	for i := range stored {
		if !matches(s.Filter, &stored[i]) {
			continue
		}
		n++
		if key := "p/" + stored[i].RowKey; !slices.Contains(got, key) {
			f.Errorf("filter %s drops %s, which matches", text(s.Filter), key)
		}
	}
	if f.has(ExactFilters) && len(got) != n {
		f.Errorf("filter %s gives %q, want %d of them", text(s.Filter), got, n)
	}
}
