package buffer_test

import (
	"errors"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
)

// TestRequire: what was required for an entity counts at the commit as the transaction has left that entity.
func TestRequire(t *testing.T) {
	point := func(rk string, any bool) engine.Requirement {
		return engine.Requirement{Table: "tab", PartitionKey: "p", From: rk, To: rk + "\x00", Any: any}
	}
	child := buffer.Requirement{Requirement: point("parent", true), Of: "tab", PartitionKey: "p", RowKey: "child", While: true}
	parent := buffer.Requirement{Requirement: point("child", false), Of: "tab", PartitionKey: "p", RowKey: "parent"}
	for name, c := range map[string]struct {
		stored []engine.Op
		do     func(b *buffer.Buffer)
		unmet  bool
	}{
		"a child without a parent": {nil, func(b *buffer.Buffer) {
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "child"))))
			must(t, b.Require(child))
		}, true},
		"a child that is deleted again": {nil, func(b *buffer.Buffer) {
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "child"))))
			must(t, b.Require(child))
			must(t, b.Apply(t.Context(), commitOf(op(engine.Delete, "child"), op(engine.Insert, "x"))))
		}, false},
		"a child that is taken back": {nil, func(b *buffer.Buffer) {
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "x"))))
			mark := b.Mark()
			must(t, b.Require(child))
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "child"))))
			must(t, b.Require(child))
			b.RollbackTo(mark)
		}, false},
		"a child with its parent": {nil, func(b *buffer.Buffer) {
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "child"))))
			must(t, b.Require(child))
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "parent"))))
		}, false},
		"a parent that goes and has a child": {[]engine.Op{op(engine.Insert, "parent"), op(engine.Insert, "child")}, func(b *buffer.Buffer) {
			must(t, b.Apply(t.Context(), commitOf(op(engine.Delete, "parent"))))
			must(t, b.Require(parent))
		}, true},
		"a parent that comes back": {[]engine.Op{op(engine.Insert, "parent"), op(engine.Insert, "child")}, func(b *buffer.Buffer) {
			must(t, b.Apply(t.Context(), commitOf(op(engine.Delete, "parent"))))
			must(t, b.Require(parent))
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "parent"))))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, 0)
			if c.stored != nil {
				must(t, e.Commit(t.Context(), commitOf(c.stored...)))
			}
			var held int64
			b := buffer.New(e, 1)
			b.Hold(func(octets int64) error { held += octets; return nil })
			c.do(b)
			err := b.Commit(t.Context(), nil)
			var failed *engine.Error
			if unmet := errors.As(err, &failed) && failed.Unmet != nil; unmet != c.unmet || !unmet && err != nil {
				t.Fatalf("the commit gives %v", err)
			}
			if !c.unmet && held != 0 {
				t.Errorf("%d octets are held at the end", held)
			}
		})
	}
}
