package catalog

import (
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// TestDropKeepsTheName: what is made in place of a dropped table lies elsewhere, until the note of it is past; a drop
// that was cut off is finished then.
func TestDropKeepsTheName(t *testing.T) {
	ctx := t.Context()
	store := sharedMemory{embedded.OpenMemory(embedded.Options{})}
	defer store.Close()
	c := Open(store, "", time.Millisecond, nil)
	create := func() *planner.Table {
		t.Helper()
		parsed, err := dialect.Parse("CREATE TABLE t (id INT PRIMARY KEY)", dialect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := planner.Define(parsed.Statement.(*dialect.CreateTable), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Create(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
		return table
	}
	drop := func(table *planner.Table) {
		t.Helper()
		if err := c.Drop(ctx, []*planner.Table{table}, nil); err != nil {
			t.Fatal(err)
		}
	}
	tables := func() int {
		names, err := store.Tables(ctx, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(names) - 1 // the catalog's own
	}
	first := create()
	drop(first)
	second := create()
	if second.Physical == first.Physical || tables() != 1 {
		t.Errorf("made again as %s, behind %s; %d tables", second.Physical, first.Physical, tables())
	}
	// One note is long past, and another one of a process that went before it deleted its table.
	left := keymap.TableName("", "left")
	if err := store.CreateTable(ctx, left, nil); err != nil {
		t.Fatal(err)
	}
	for _, g := range []*grave{{name: "t", tables: []string{first.Physical}, deleted: true}, {name: "left", tables: []string{left}}} {
		op := g.note()
		op.Entity.Values[1] = int64Value(time.Now().Add(-2 * noteAge).Unix())
		err := store.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{op}})
		if err != nil {
			t.Fatal(err)
		}
	}
	drop(second)
	if n := tables(); n != 0 {
		t.Errorf("%d tables are left", n)
	}
	if third := create(); third.Physical != first.Physical {
		t.Errorf("the name %s is not free again: %s", first.Physical, third.Physical)
	}
}
