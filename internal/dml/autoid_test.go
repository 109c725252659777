package dml

import (
	"runtime"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Values that rows leave go to the next rows in their order, and many such rows take no more than a place each.
func TestSpareIDs(t *testing.T) {
	const rows = 5000
	ids := spareIDs{n: &insertNode{columns: &Columns{}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	kept := int64(0)
	for i := range int64(rows) {
		in := &standingRow{row: []value.Value{value.FromInt(i + 1)}, automatic: true}
		if err := ids.take(nil, in); err != nil {
			t.Fatal(err)
		}
		if got := in.row[0].Int(); got != kept+1 {
			t.Fatalf("row %d has %d, and %d are kept", i, got, kept)
		}
		if i%100 == 99 {
			kept++
		} else {
			ids.leave(in)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1000*rows {
		t.Errorf("%d rows took %d bytes", rows, took)
	}
	own := &standingRow{row: []value.Value{value.FromInt(9000)}}
	next := &standingRow{row: []value.Value{value.FromInt(9001)}, automatic: true}
	for _, in := range []*standingRow{own, next} {
		if err := ids.take(nil, in); err != nil {
			t.Fatal(err)
		}
	}
	if got := next.row[0].Int(); got != 9001 {
		t.Errorf("behind a row with a value of its own the next one has %d", got)
	}
}
