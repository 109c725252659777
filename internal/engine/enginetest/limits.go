package enginetest

import (
	"fmt"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// wide gives n properties of one value.
func wide(n int, v engine.Value) props {
	p := props{}
	for i := range n {
		p[fmt.Sprintf("P%03d", i)] = v
	}
	return p
}

// testLimits: what is at a limit is accepted, and what is over it is refused before anything is sent.
func testLimits(f *fixture) {
	l := f.e.Limits()
	tooLong := strings.Repeat("k", l.KeyUnits+1)
	refused := []struct {
		code engine.Code
		op   engine.Op
	}{
		{engine.CodeBadInput, op(engine.Insert, "p", "a/b", nil)},
		{engine.CodeBadInput, op(engine.Insert, "p", "a\\b", nil)},
		{engine.CodeBadInput, op(engine.Insert, "p", "a#b", nil)},
		{engine.CodeBadInput, op(engine.Insert, "p", "a?b", nil)},
		{engine.CodeBadInput, op(engine.Delete, "p", "a\x00b", nil)},
		{engine.CodeBadInput, op(engine.Insert, "p", "\t", nil)},
		{engine.CodeBadInput, op(engine.Insert, "p", "\x7f", nil)},
		{engine.CodeBadInput, op(engine.Insert, "p", "\u0080", nil)},
		{engine.CodeBadInput, op(engine.Insert, "p", "\u009f", nil)},
		{engine.CodeBadInput, op(engine.Insert, "p", "\xff", nil)},
		{engine.CodeTooLarge, op(engine.Insert, "p", tooLong, nil)},
		{engine.CodeTooLarge, op(engine.Insert, "p", strings.Repeat("😀", l.KeyUnits/2+1), nil)},
		{engine.CodeTooLarge, op(engine.Insert, "p", "r", wide(l.Properties+1, i32(1)))},
		{engine.CodeTooLarge, op(engine.Insert, "p", "r", props{"S": str(strings.Repeat("x", l.StringUnits+1))})},
		{engine.CodeTooLarge, op(engine.Upsert, "p", "r", props{"S": str(strings.Repeat("😀", l.StringUnits/2+1))})},
		{engine.CodeTooLarge, op(engine.Replace, "p", "r", props{"B": bin(strings.Repeat("x", l.BinaryBytes+1))})},
		{engine.CodeTooLarge, op(engine.Merge, "p", "r", wide(17, str(strings.Repeat("x", l.StringUnits))))},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"S": str("a\xffb")})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"S": str("\xed\xa0\x80")})}, // half a pair
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"D": ticks(engine.MinDateTime - 1)})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"D": ticks(engine.MaxDateTime + 1)})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"I": {Type: engine.Int32, N: 1 << 31}})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"B": {Type: engine.Boolean, N: 2}})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"G": guid("0123ABCD-4567-89ef-8000-fedcba987654")})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"G": guid("x")})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"X": {Type: 99}})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"": i32(1)})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"1a": i32(1)})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"a-b": i32(1)})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"a b": i32(1)})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"a\xff": i32(1)})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"Timestamp": i32(1)})},
		{engine.CodeBadInput, op(engine.Insert, "p", "r", props{"RowKey": str("r")})},
		{engine.CodeTooLarge, op(engine.Insert, "p", "r", props{strings.Repeat("n", l.NameUnits+1): i32(1)})},
		{engine.CodeBadInput, opIf(engine.Upsert, "p", "r", nil, "x")},
		{engine.CodeBadInput, op(engine.OpKind(9), "p", "r", nil)},
	}
	var m engine.Meter
	for _, c := range refused {
		f.fails(c.code, 0, c.op)
		f.fails(c.code, 1, op(engine.Insert, "p", "fine", nil), c.op)
		f.e.Commit(f.ctx, engine.Commit{Table: f.table, PartitionKey: "p", Ops: []engine.Op{c.op}, Meter: &m})
	}
	twice := op(engine.Insert, "p", "r", nil)
	twice.Entity.Names, twice.Entity.Values = []string{"A", "A"}, []engine.Value{i32(1), i32(2)}
	f.fails(engine.CodeBadInput, 0, twice)
	uneven := op(engine.Insert, "p", "r", nil)
	uneven.Entity.Names = []string{"A"}
	f.fails(engine.CodeBadInput, 0, uneven)

	// The whole of a commit.
	f.fails(engine.CodeBadInput, 1, op(engine.Insert, "p", "1", nil), op(engine.Insert, "q", "2", nil))
	f.fails(engine.CodeBadInput, 2, op(engine.Insert, "p", "1", nil), op(engine.Insert, "p", "2", nil), op(engine.Upsert, "p", "1", nil))
	f.fails(engine.CodeTooLarge, -1, op(engine.Insert, tooLong, "r", nil))
	f.fails(engine.CodeBadInput, -1, op(engine.Insert, "a/b", "r", nil))
	var many, heavy []engine.Op
	for i := range l.BatchOps + 1 {
		many = append(many, op(engine.Insert, "p", fmt.Sprint(i), nil))
	}
	for i := range 10 {
		heavy = append(heavy, op(engine.Insert, "p", fmt.Sprint(i), wide(14, str(strings.Repeat("x", l.StringUnits)))))
	}
	f.fails(engine.CodeTooLarge, -1, many...)
	f.fails(engine.CodeTooLarge, -1, heavy...)
	if err := f.e.Commit(f.ctx, engine.Commit{Table: f.table, PartitionKey: "p", Meter: &m}); code(err) != engine.CodeBadInput {
		f.Fatalf("Commit of nothing: %v", err)
	}
	for _, name := range []string{"", "ab", "1abc", "a_b", "a-bc", "größe", "tables", "Tables", strings.Repeat("a", 64)} {
		if err := f.e.CreateTable(f.ctx, name, &m); code(err) != engine.CodeBadInput {
			f.Fatalf("CreateTable %q: %v", name, err)
		}
		if err := f.e.DeleteTable(f.ctx, name, &m); code(err) != engine.CodeBadInput {
			f.Fatalf("DeleteTable %q: %v", name, err)
		}
		_, err := f.e.Get(f.ctx, engine.Get{Table: name, PartitionKey: "p", RowKey: "r", Meter: &m})
		if code(err) != engine.CodeBadInput {
			f.Fatalf("Get from table %q: %v", name, err)
		}
		if _, err := f.tryScan(engine.Scan{Table: name + "/", PartitionKey: "p", Meter: &m}); code(err) != engine.CodeBadInput {
			f.Fatalf("Scan of table %q: %v", name, err)
		}
	}
	for _, s := range []engine.Scan{
		{PartitionKey: "\xff"}, {PartitionKey: "p", From: "\xff"}, {PartitionKey: "p", To: "\xff"}, {AllPartitions: true, FromPartition: "\xff"},
		{PartitionKey: "p", Filter: &engine.Filter{Op: engine.Lt, Property: "S", Value: str("\xff")}},
	} {
		s.Meter = &m
		if _, err := f.tryScan(s); code(err) != engine.CodeBadInput {
			f.Fatalf("Scan %+v: %v", s, err)
		}
	}
	for _, key := range []string{"a/b", "\x00", tooLong, "\xff"} {
		if _, err := f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: key, Meter: &m}); code(err) != engine.CodeNotFound {
			f.Fatalf("Get of %q: %v", key, err)
		}
	}
	if n := m.Requests.Load(); n != 0 {
		f.Fatalf("%d requests were sent with what is refused", n)
	}
	f.gives(engine.Scan{AllPartitions: true})

	// At the limit.
	for i, o := range []engine.Op{
		op(engine.Insert, "p", strings.Repeat("😀", l.KeyUnits/2), nil),
		op(engine.Insert, strings.Repeat("k", l.KeyUnits), "r", nil),
		op(engine.Insert, "p", "wide", wide(l.Properties, str("v"))),
		op(engine.Insert, "p", "large", wide(15, str(strings.Repeat("x", l.StringUnits)))),
		op(engine.Insert, "p", "octets", wide(15, bin(strings.Repeat("\xff", l.BinaryBytes)))),
		op(engine.Insert, "p", "name", props{strings.Repeat("n", l.NameUnits): i32(1)}),
	} {
		if err := f.commit(o); err != nil {
			f.Fatalf("operation %d, which is within the limits: %v", i, err)
		}
		e := f.get(o.Entity.PartitionKey, o.Entity.RowKey)
		want := props{}
		for i, name := range o.Entity.Names {
			want[name] = o.Entity.Values[i]
		}
		f.same(e, o.Entity.PartitionKey, o.Entity.RowKey, want)
	}
	f.must(heavy[:2]...) // 2 × 14 × 32,768 escaped at worst are over 4 MiB, and as they are, under
}

// testMergeLimits: a merge that makes an entity too large fails and leaves it as it was.
func testMergeLimits(f *fixture) {
	l := f.e.Limits()
	full := wide(l.Properties, i32(1))
	f.must(op(engine.Insert, "p", "r", full))
	f.must(op(engine.Merge, "p", "r", props{"P000": i32(1)}))
	if err := f.commit(op(engine.Merge, "p", "r", props{"Another": i32(1)})); err == nil && f.has(ExactFilters) {
		f.Fatal("a merge gives an entity of too many properties")
	}
	if f.has(ExactFilters) {
		f.fails(engine.CodeTooLarge, 1, op(engine.Insert, "p", "x", nil), op(engine.Merge, "p", "r", props{"Another": i32(1)}))
		f.missing("p", "x")
		f.holds("p", "r", full)
	}
}
