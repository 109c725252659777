package enginetest

import (
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// testKinds: what each kind of operation leaves.
func testKinds(f *fixture) {
	absent := engine.Value{}
	f.must(op(engine.Insert, "p", "r", props{"A": i32(1), "B": str("b"), "None": absent}))
	f.holds("p", "r", props{"A": i32(1), "B": str("b")})
	f.must(op(engine.Merge, "p", "r", props{"A": absent, "B": str("B"), "C": boolean(true)}))
	f.holds("p", "r", props{"A": i32(1), "B": str("B"), "C": boolean(true)})
	f.must(op(engine.Replace, "p", "r", props{"A": absent, "C": boolean(false)}))
	f.holds("p", "r", props{"C": boolean(false)})
	f.must(op(engine.Upsert, "p", "r", props{"D": i64(4)}))
	f.holds("p", "r", props{"D": i64(4)})
	f.must(op(engine.Merge, "p", "r", nil))
	f.holds("p", "r", props{"D": i64(4)})
	f.must(op(engine.Replace, "p", "r", nil))
	f.holds("p", "r", nil)
	f.must(op(engine.Delete, "p", "r", nil))
	f.missing("p", "r")
	f.must(op(engine.Upsert, "p", "r", props{"E": i64(5)}))
	f.holds("p", "r", props{"E": i64(5)})
	f.must(op(engine.Delete, "p", "r", nil))
	f.must(op(engine.Insert, "p", "r", nil))
	f.holds("p", "r", nil)

	// The same within one batch, on entities of their own.
	f.must(op(engine.Insert, "p", "1", props{"A": i32(1), "B": i32(2)}), op(engine.Insert, "p", "2", props{"A": i32(1), "B": i32(2)}),
		op(engine.Insert, "p", "3", props{"A": i32(1)}), op(engine.Insert, "p", "4", props{"A": i32(1)}))
	f.must(op(engine.Merge, "p", "1", props{"A": i32(9)}), op(engine.Replace, "p", "2", props{"A": i32(9)}),
		op(engine.Delete, "p", "3", nil), op(engine.Upsert, "p", "4", props{"B": i32(9)}), op(engine.Upsert, "p", "5", props{"B": i32(9)}),
		op(engine.Insert, "p", "6", nil))
	f.holds("p", "1", props{"A": i32(9), "B": i32(2)})
	f.holds("p", "2", props{"A": i32(9)})
	f.missing("p", "3")
	f.holds("p", "4", props{"B": i32(9)})
	f.holds("p", "5", props{"B": i32(9)})
	f.holds("p", "6", nil)
}

// testFailures: what each kind fails with, alone and at a place in a batch.
func testFailures(f *fixture) {
	f.must(op(engine.Insert, "p", "there", props{"A": i32(1)}))
	old := f.get("p", "there").ETag
	f.must(op(engine.Replace, "p", "there", props{"A": i32(2)}))
	for _, c := range []struct {
		op   engine.Op
		code engine.Code
	}{
		{op(engine.Insert, "p", "there", nil), engine.CodeExists},
		{op(engine.Replace, "p", "gone", nil), engine.CodeNotFound},
		{op(engine.Merge, "p", "gone", nil), engine.CodeNotFound},
		{op(engine.Delete, "p", "gone", nil), engine.CodeNotFound},
		{opIf(engine.Replace, "p", "there", nil, old), engine.CodeStale},
		{opIf(engine.Merge, "p", "there", nil, old), engine.CodeStale},
		{opIf(engine.Delete, "p", "there", nil, old), engine.CodeStale},
	} {
		f.fails(c.code, 0, c.op)
		f.fails(c.code, 0, c.op, op(engine.Insert, "p", "x", nil))
		f.fails(c.code, 2, op(engine.Insert, "p", "x", nil), op(engine.Insert, "p", "y", nil), c.op)
		f.missing("p", "x")
		f.missing("p", "y")
		f.missing("p", "gone")
		f.holds("p", "there", props{"A": i32(2)})
	}
	// With an ETag and no entity: not found, whatever the ETag says.
	f.fails(engine.CodeNotFound, 0, opIf(engine.Replace, "p", "gone", nil, old))
}

// testAllOrNothing: the last operation of a batch fails, and the others have not happened.
func testAllOrNothing(f *fixture) {
	f.must(op(engine.Insert, "p", "a", props{"A": i32(1)}), op(engine.Insert, "p", "b", props{"A": i32(1)}),
		op(engine.Insert, "p", "c", props{"A": i32(1)}), op(engine.Insert, "p", "z", nil))
	etag := f.get("p", "a").ETag
	f.fails(engine.CodeExists, 5,
		op(engine.Replace, "p", "a", props{"A": i32(2)}), op(engine.Merge, "p", "b", props{"B": i32(2)}), op(engine.Delete, "p", "c", nil),
		op(engine.Insert, "p", "d", nil), op(engine.Upsert, "p", "e", nil), op(engine.Insert, "p", "z", nil))
	f.gives(engine.Scan{PartitionKey: "p"}, "p/a", "p/b", "p/c", "p/z")
	f.holds("p", "a", props{"A": i32(1)})
	f.holds("p", "b", props{"A": i32(1)})
	if got := f.get("p", "a").ETag; got != etag {
		f.Fatalf("the ETag has changed from %q to %q", etag, got)
	}
}

// testFullBatch: as many operations as there may be.
func testFullBatch(f *fixture) {
	n := f.e.Limits().BatchOps
	var ops []engine.Op
	for i := range n {
		ops = append(ops, op(engine.Insert, "p", fmt.Sprintf("%03d", i), props{"I": i32(int32(i)), "S": str(fmt.Sprint("value ", i))}))
	}
	f.must(ops...)
	got := f.scan(engine.Scan{PartitionKey: "p"})
	if len(got) != n {
		f.Fatalf("%d entities, want %d", len(got), n)
	}
	for i, e := range got {
		f.same(e, "p", fmt.Sprintf("%03d", i), props{"I": i32(int32(i)), "S": str(fmt.Sprint("value ", i))})
	}
	for i := range ops {
		ops[i] = opIf(engine.Delete, "p", ops[i].Entity.RowKey, nil, got[i].ETag)
	}
	f.must(ops...)
	f.gives(engine.Scan{PartitionKey: "p"})
}

// testETags: every write gives a new ETag, a read none; conditions hold for the newest alone.
func testETags(f *fixture) {
	f.must(op(engine.Insert, "p", "r", props{"N": i32(0)}))
	seen := map[string]bool{}
	var last int64
	for i := range int32(4) {
		e := f.get("p", "r")
		if seen[e.ETag] {
			f.Fatalf("write %d left the ETag %q, which was there before", i, e.ETag)
		}
		seen[e.ETag] = true
		if again := f.get("p", "r"); again.ETag != e.ETag {
			f.Fatalf("two reads give the ETags %q and %q", e.ETag, again.ETag)
		}
		if s := f.scan(engine.Scan{PartitionKey: "p", Select: []string{}}); len(s) != 1 || s[0].ETag != e.ETag {
			f.Fatalf("a scan gives other ETags than a Get: %q", s)
		}
		if e.Timestamp != 0 && e.Timestamp < last {
			f.Fatalf("the timestamp went back from %d to %d", last, e.Timestamp)
		}
		last = e.Timestamp
		kind := []engine.OpKind{engine.Replace, engine.Merge}[i%2]
		f.must(opIf(kind, "p", "r", props{"N": i32(i)}, e.ETag)) // the same content is a write, too
		f.fails(engine.CodeStale, 0, opIf(kind, "p", "r", props{"N": i32(100)}, e.ETag))
	}
	f.must(opIf(engine.Delete, "p", "r", nil, f.get("p", "r").ETag))
	f.must(op(engine.Insert, "p", "r", props{"N": i32(0)}))
	if e := f.get("p", "r"); seen[e.ETag] {
		f.Fatalf("a new entity has the ETag %q of one that is gone", e.ETag)
	}
}

// testOwnership: what is stored does not change when the writer uses its slices again.
func testOwnership(f *fixture) {
	names, values := []string{"A", "B"}, []engine.Value{i32(1), str("one")}
	ops := []engine.Op{{Entity: engine.Entity{PartitionKey: "p", RowKey: "1", Names: names, Values: values}}}
	f.must(ops...)
	names[0], names[1] = "X", "Y"
	values[0], values[1] = i32(2), str("two")
	ops[0].Entity.RowKey = "2"
	f.must(ops...)
	f.holds("p", "1", props{"A": i32(1), "B": str("one")})
	f.holds("p", "2", props{"X": i32(2), "Y": str("two")})
}
