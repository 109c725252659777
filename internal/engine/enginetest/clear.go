package enginetest

import (
	"errors"
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// testClear: everything in the range is deleted, in as few transactions as it fits, even if others are clearing it, too; the rest stays.
func testClear(f *fixture) {
	const rows, partitions = 130, 3
	fill := func() (out []string) {
		for p := range partitions {
			var ops []engine.Op
			pk := fmt.Sprint("p", p)
			for i := range rows {
				ops = append(ops, op(engine.Upsert, pk, fmt.Sprintf("b%03d", i), props{"I": i32(int32(i))}))
			}
			f.must(ops[:100]...)
			f.must(ops[100:]...)
			f.must(op(engine.Upsert, pk, "a", nil), op(engine.Upsert, pk, "c", nil))
			out = append(out, pk+"/a", pk+"/c")
		}
		return out
	}
	left := func(want ...string) {
		f.Helper()
		f.gives(engine.Scan{AllPartitions: true, Select: []string{}}, want...)
	}
	all := engine.Range{Table: f.table, From: "b", To: "c"}
	for _, parallel := range []int{0, 4} {
		out := fill()
		var m engine.Meter
		if err := engine.Clear(f.ctx, f.e, all, parallel, &m); err != nil {
			f.Fatal(err)
		}
		left(out...)
		if n := m.Written.Load(); n != rows*partitions {
			f.Fatalf("%d deletes, want %d", n, rows*partitions)
		}
	}
	// Some partitions, and no upper bound.
	fill()
	some := engine.Range{Table: f.table, Partitions: []string{"p0", "none", "p2"}, From: "b"}
	if err := engine.Clear(f.ctx, f.e, some, 2, nil); err != nil {
		f.Fatal(err)
	}
	f.gives(engine.Scan{PartitionKey: "p0", Select: []string{}}, "p0/a")
	f.gives(engine.Scan{PartitionKey: "p2", Select: []string{}}, "p2/a")
	if n := len(f.scan(engine.Scan{PartitionKey: "p1", Select: []string{}})); n != rows+2 {
		f.Fatalf("%d entities of another partition, want %d", n, rows+2)
	}
	// Several at once.
	out := fill()
	f.together(3, func(int) error { return engine.Clear(f.ctx, f.e, all, 2, nil) })
	left(out...)
	if err := engine.Clear(f.ctx, f.e, all, 2, nil); err != nil {
		f.Fatalf("what is empty: %v", err)
	}
	var e *engine.Error
	all.Table = newName()
	if err := engine.Clear(f.ctx, f.e, all, 2, nil); !errors.As(err, &e) || e.Code != engine.CodeNoTable {
		f.Fatalf("what is no table: %v", err)
	}
}
