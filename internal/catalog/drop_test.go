package catalog

import (
	"errors"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
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
	create := func() *schema.Table {
		t.Helper()
		parsed, err := dialect.Parse("CREATE TABLE t (id INT PRIMARY KEY)", dialect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := define.Define(parsed.Statement.(*dialect.CreateTable), planner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Create(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
		return table
	}
	drop := func(table *schema.Table) {
		t.Helper()
		if err := c.Drop(ctx, []*schema.Table{table}, nil); err != nil {
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
	for _, g := range []*tombstone{{name: "t", tables: []string{first.Physical}, deleted: true}, {name: "left", tables: []string{left}}} {
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

// TestDropDied: where a store is one process's alone, the next drop finishes those of a process that died, however
// short a time ago.
func TestDropDied(t *testing.T) {
	ctx := t.Context()
	store := embedded.OpenMemory(embedded.Options{})
	defer store.Close()
	c := Open(store, "", 0, nil)
	kept, gone := defined(t, "CREATE TABLE kept (id INT PRIMARY KEY, KEY (id))", nil), defined(t, "CREATE TABLE gone (id INT PRIMARY KEY, KEY (id))", nil)
	last := defined(t, "CREATE TABLE last (id INT PRIMARY KEY)", nil)
	for _, table := range []*schema.Table{kept, gone, last} {
		if err := c.CreateShared(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
	}
	left := keymap.TableName("", "left")
	if err := store.CreateTable(ctx, left, nil); err != nil {
		t.Fatal(err)
	}
	commit := func(table string, ops ...engine.Op) {
		t.Helper()
		for i := range ops {
			ops[i].Entity.PartitionKey = partition
		}
		if err := store.Commit(ctx, engine.Commit{Table: table, PartitionKey: partition, Ops: ops}); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []*schema.Table{kept, gone} {
		for _, name := range []string{table.RowName, table.Indexes[0].KeyName} {
			commit(table.Physical, engine.Op{Kind: engine.Insert, Entity: engine.Entity{RowKey: name + "!1"}})
		}
	}
	commit(c.table, (&tombstone{name: "left", tables: []string{left}}).note(), keysOf(gone, gone.Physicals()).note(),
		engine.Op{Kind: engine.Delete, Entity: engine.Entity{RowKey: tableKey("gone")}})
	c.Forget()
	if err := c.Drop(ctx, []*schema.Table{last}, nil); err != nil {
		t.Fatal(err)
	}
	if names, err := store.Tables(ctx, "", nil); err != nil || len(names) != 2 { // with the catalog's own
		t.Errorf("tables %q, %v", names, err)
	}
	for table, want := range map[string]string{
		kept.Physical: kept.RowName + "!1 " + kept.Indexes[0].KeyName + "!1 ",
		c.table:       versionKey + " " + tableKey("kept") + " ",
	} {
		got := ""
		err := engine.Each(ctx, store, engine.Scan{Table: table, PartitionKey: partition}, func(e *engine.Entity) error { got += e.RowKey + " "; return nil })
		if err != nil || got != want {
			t.Errorf("%s holds %q, want %q; %v", table, got, want, err)
		}
	}
}

// TestSharedNames: a table gets keys that no other one has, nor one that was dropped and that somebody may still write
// to. Definitions that were made against another place of the parent are refused.
func TestSharedNames(t *testing.T) {
	ctx := t.Context()
	store := sharedMemory{embedded.OpenMemory(embedded.Options{})}
	defer store.Close()
	c := Open(store, "", time.Millisecond, nil)
	seen := map[string]bool{}
	create := func(sql string) *schema.Table {
		t.Helper()
		table := defined(t, sql, nil)
		if err := c.CreateShared(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
		if seen[table.RowName] {
			t.Errorf("%s: the keys %s were taken", sql, table.RowName)
		}
		seen[table.RowName] = true
		for _, ix := range table.Indexes {
			if ix.KeyName != keymap.NestedName(table.RowName, ix.Name) {
				t.Errorf("%s: index %s has the keys %s", sql, ix.Name, ix.KeyName)
			}
		}
		return table
	}
	now := func(name string) *schema.Table {
		t.Helper()
		s, err := c.Latest(ctx)
		if err != nil {
			t.Fatal(err)
		}
		table, err := s.Table(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	const sql = "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))"
	first := create(sql)
	if first.RowName != "t" || first.Physical != "Z8Z2tables" {
		t.Errorf("%s in %s", first.RowName, first.Physical)
	}
	create("CREATE TABLE t_3 (id INT PRIMARY KEY)") // as the next name of t would be
	for range 3 {
		old := now("t")
		if err := c.Truncate(ctx, old, nil); err != nil {
			t.Fatal(err)
		}
		next := now("t")
		if seen[next.RowName] || next.Indexes[0].KeyName == old.Indexes[0].KeyName {
			t.Errorf("TRUNCATE gives the keys %s, which were taken", next.RowName)
		}
		seen[next.RowName] = true
	}
	if err := c.Drop(ctx, []*schema.Table{now("t")}, nil); err != nil {
		t.Fatal(err)
	}
	create(sql)
	next := now("t").Clone()
	next.Name = "u"
	if err := c.Replace(ctx, now("t"), next, nil); err != nil {
		t.Fatal(err)
	}
	create(sql)

	// While a table is interleaved in t, t is emptied: the child would have the keys of nothing.
	parent := now("t")
	child := defined(t, "CREATE TABLE c (t INT REFERENCES t (id), n INT, PRIMARY KEY (t, n)) INTERLEAVE IN PARENT t", parent)
	if err := c.Truncate(ctx, parent, nil); err != nil {
		t.Fatal(err)
	}
	err := c.changing(ctx, func(s *Snapshot) error { return c.createInterleavedBy(ctx, s, child, parent, nil) })
	if !errors.Is(err, ErrConflict) {
		t.Errorf("a child of a table that was emptied: %v", err)
	}
}
