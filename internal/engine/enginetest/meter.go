package enginetest

import (
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// testMeter: requests as the service bills them, entities and operations.
func testMeter(f *fixture) {
	page := f.e.Limits().PageEntities
	wants := func(what string, m *engine.Meter, requests, returned, written int) {
		f.Helper()
		if got := [...]int64{m.Requests.Load(), m.Returned.Load(), m.Written.Load()}; got != [...]int64{int64(requests), int64(returned), int64(written)} {
			f.Fatalf("%s: requests, returned, written are %d, want %d, %d, %d", what, got, requests, returned, written)
		}
		if m.Scanned.Load() < m.Returned.Load() {
			f.Fatalf("%s: %d scanned, %d returned", what, m.Scanned.Load(), m.Returned.Load())
		}
	}
	n := min(3*page+1, 50)
	var ops []engine.Op
	for i := range n {
		ops = append(ops, op(engine.Insert, "p", fmt.Sprintf("%03d", i), props{"N": i32(int32(i))}))
	}
	var m engine.Meter
	commit := engine.Commit{Table: f.table, PartitionKey: "p", Ops: ops, Meter: &m}
	if err := f.e.Commit(f.ctx, commit); err != nil {
		f.Fatal(err)
	}
	wants("commit", &m, 1, 0, n)
	if err := f.e.Commit(f.ctx, commit); code(err) != engine.CodeExists {
		f.Fatal(err)
	}
	if f.has(Intents) {
		wants("commit that fails", &m, 3, 1, n)
	} else {
		wants("commit that fails", &m, 2, 0, n)
	}

	m = engine.Meter{}
	f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: "000", Meter: &m})
	wants("get", &m, 1, 1, 0)
	f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: "none", Meter: &m})
	wants("get of none", &m, 2, 1, 0)

	scan := func(s engine.Scan) *engine.Meter {
		f.Helper()
		m := &engine.Meter{}
		s.Meter = m
		f.scan(s)
		return m
	}
	pages := (n + page - 1) / page
	wants("scan", scan(engine.Scan{PartitionKey: "p"}), pages, n, 0)
	wants("scan of nothing", scan(engine.Scan{PartitionKey: "none"}), 1, 0, 0)
	wants("limited scan", scan(engine.Scan{PartitionKey: "p", Limit: 1}), 1, 1, 0)
	wants("scan of one page", scan(engine.Scan{PartitionKey: "p", To: fmt.Sprintf("%03d", page)}), 1, min(page, n), 0)
	if f.has(CountsScanned) {
		got := scan(engine.Scan{PartitionKey: "p", Filter: &engine.Filter{Op: engine.Eq, Property: "N", Value: i32(1)}})
		wants("filtered scan", got, pages, 1, 0)
		if got.Scanned.Load() != int64(n) {
			f.Fatalf("filtered scan: %d scanned, want %d", got.Scanned.Load(), n)
		}
	}

	m = engine.Meter{}
	name := newName()
	f.e.CreateTable(f.ctx, name, &m)
	f.e.CreateTable(f.ctx, name, &m)
	f.e.DeleteTable(f.ctx, name, &m)
	f.e.DeleteTable(f.ctx, name, &m)
	wants("tables", &m, 4, 0, 0)
	f.e.Tables(f.ctx, name, &m)
	wants("list of tables", &m, 5, 0, 0)
}
