package enginetest

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// testTables: tables are made, listed and deleted; their names are the same in any case.
func testTables(f *fixture) {
	prefix := newName()
	names := []string{prefix + "b", prefix + "A", prefix + "c1", prefix + "C2"}
	for _, name := range names {
		f.Cleanup(func() { f.e.DeleteTable(f.ctx, name, nil) })
		if err := f.e.CreateTable(f.ctx, name, nil); err != nil {
			f.Fatalf("CreateTable: %v", err)
		}
	}
	for _, name := range []string{prefix + "b", prefix + "B", strings.ToUpper(prefix + "b"), strings.ToLower(prefix + "A")} {
		if err := f.e.CreateTable(f.ctx, name, nil); code(err) != engine.CodeExists {
			f.Fatalf("CreateTable of %s, which is there: %v", name, err)
		}
	}
	list := func(prefix string) []string {
		f.Helper()
		got, err := f.e.Tables(f.ctx, prefix, nil)
		if err != nil {
			f.Fatalf("Tables: %v", err)
		}
		return got
	}
	slices.Sort(names)
	for _, p := range []string{prefix, strings.ToUpper(prefix), strings.ToLower(prefix)} {
		if got := list(p); !slices.Equal(got, names) {
			f.Fatalf("Tables(%q) gives %q, want %q", p, got, names)
		}
	}
	if got, want := list(prefix+"c"), []string{prefix + "C2", prefix + "c1"}; !slices.Equal(got, want) {
		f.Fatalf("Tables gives %q, want %q", got, want)
	}
	if got := list(""); !slices.Contains(got, prefix+"A") || !slices.Contains(got, f.table) {
		f.Fatalf("Tables of no prefix gives %q", got)
	}
	if got := list(prefix + "zz"); len(got) != 0 {
		f.Fatalf("Tables gives %q, want none", got)
	}
	// Tables share no entities; their names have no case.
	f.table = prefix + "A"
	f.must(op(engine.Insert, "p", "r", props{"T": str("a")}))
	f.table = prefix + "b"
	f.missing("p", "r")
	f.table = prefix + "A"
	if !f.has(TableCase) {
		f.table = strings.ToLower(f.table)
	}
	f.holds("p", "r", props{"T": str("a")})
	f.gives(engine.Scan{PartitionKey: "p"}, "p/r")

	if err := f.e.DeleteTable(f.ctx, strings.ToUpper(prefix+"A"), nil); err != nil {
		f.Fatalf("DeleteTable: %v", err)
	}
	if err := f.e.DeleteTable(f.ctx, prefix+"A", nil); code(err) != engine.CodeNoTable {
		f.Fatalf("DeleteTable of none: %v", err)
	}
	if got := list(prefix + "a"); len(got) != 0 {
		f.Fatalf("Tables gives %q after DeleteTable", got)
	}
	// Created again, it is empty. (A service keeps the name for a while.)
	if err := f.e.CreateTable(f.ctx, prefix+"a", nil); code(err) == engine.CodeDeleting {
		return
	} else if err != nil {
		f.Fatalf("CreateTable: %v", err)
	}
	f.table = prefix + "a"
	f.missing("p", "r")
	f.gives(engine.Scan{AllPartitions: true})
	f.must(op(engine.Insert, "p", "r", props{"U": str("another property")}))
	f.holds("p", "r", props{"U": str("another property")})
	if got, want := list(prefix+"A"), []string{prefix + "a"}; !slices.Equal(got, want) {
		f.Fatalf("Tables gives %q, want %q", got, want)
	}
}

// testNoTable: what a missing table does to each call.
func testNoTable(f *fixture) {
	f.table = newName()
	_, err := f.e.Get(f.ctx, engine.Get{Table: f.table, PartitionKey: "p", RowKey: "r"})
	if code(err) != engine.CodeNoTable {
		f.Fatalf("Get: %v", err)
	}
	for _, s := range []engine.Scan{{PartitionKey: "p"}, {AllPartitions: true}} {
		if _, err := f.tryScan(s); code(err) != engine.CodeNoTable {
			f.Fatalf("Scan: %v", err)
		}
	}
	for _, kind := range []engine.OpKind{engine.Insert, engine.Replace, engine.Merge, engine.Delete, engine.Upsert} {
		if err := f.commit(op(kind, "p", "r", nil)); code(err) != engine.CodeNoTable {
			f.Fatalf("Commit of kind %d: %v", kind, err)
		}
		if err := f.commit(op(kind, "p", "r", nil), op(kind, "p", "s", nil)); code(err) != engine.CodeNoTable {
			f.Fatalf("Commit of two of kind %d: %v", kind, err)
		}
	}
}
