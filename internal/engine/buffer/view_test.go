package buffer_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
)

// TestPin: what was read through Pin must be at the commit what it was then; what is only read otherwise need not.
func TestPin(t *testing.T) {
	for name, read := range map[string]func(t *testing.T, b *buffer.Buffer){
		"get": func(t *testing.T, b *buffer.Buffer) {
			_, err := b.Over(nil, true).Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "a"})
			must(t, err)
		},
		"scan": func(t *testing.T, b *buffer.Buffer) {
			c := b.Over(nil, true).Scan(t.Context(), engine.Scan{Table: "tab", PartitionKey: "p", To: "b", Select: []string{}})
			defer c.Close()
			for {
				if _, err := c.Next(t.Context()); errors.Is(err, io.EOF) {
					return
				} else {
					must(t, err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				change engine.Op // by another
				write  engine.Op // by the transaction, behind its read
				fails  bool
			}{
				{op(engine.Replace, "a", "v", "2"), op(engine.Upsert, "c", "v", "9"), true},
				{op(engine.Delete, "a"), op(engine.Upsert, "c", "v", "9"), true},
				{op(engine.Replace, "b", "v", "2"), op(engine.Upsert, "c", "v", "9"), false},
				{op(engine.Replace, "a", "v", "2"), op(engine.Upsert, "a", "v", "9"), true},
				{op(engine.Replace, "b", "v", "2"), op(engine.Upsert, "a", "v", "9"), false},
				{op(engine.Replace, "b", "v", "2"), op(engine.Delete, "a"), false},
			} {
				e := open(t, 0)
				must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "a", "v", "1"), op(engine.Insert, "b", "v", "1"))))
				b := buffer.New(e, 1)
				read(t, b)
				must(t, e.Commit(t.Context(), commitOf(c.change)))
				must(t, b.Apply(t.Context(), commitOf(c.write)))
				err := b.Commit(t.Context(), nil)
				if !c.fails {
					must(t, err)
					continue
				}
				var failed *engine.Error
				if !errors.As(err, &failed) || failed.Code != engine.CodeStale && failed.Code != engine.CodeNotFound {
					t.Errorf("%v of %s, then %v of %s: the commit gives %v", c.change.Kind, c.change.Entity.RowKey, c.write.Kind, c.write.Entity.RowKey, err)
				}
			}
		})
	}
}

// TestPinIsSeenThrough: a pinned entity reads as what is stored, by a filter, too.
func TestPinIsSeenThrough(t *testing.T) {
	e := open(t, 0)
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "a", "v", "1"), op(engine.Insert, "b", "v", "2"))))
	b := buffer.New(e, 1)
	all := engine.Scan{Table: "tab", PartitionKey: "p"}
	before := dump(t, e, all)
	if got := dump(t, b.Over(nil, true), all); len(got) != len(before) {
		t.Fatalf("%q", got)
	}
	m := &engine.Meter{}
	filtered := engine.Scan{Table: "tab", PartitionKey: "p", Meter: m,
		Filter: &engine.Filter{Op: engine.Eq, Property: "v", Value: str("2")}}
	if got := dump(t, b, filtered); len(got) != 1 || m.Requests.Load() != 1 {
		t.Errorf("%q, in %d requests", got, m.Requests.Load())
	}
}

// TestViewStays: a view does not see what is applied, undone or committed later.
func TestViewStays(t *testing.T) {
	e := open(t, 0)
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "a", "v", "1"), op(engine.Insert, "b", "v", "1"))))
	b := buffer.New(e, 1)
	all := engine.Scan{Table: "tab", PartitionKey: "p"}
	first := b.Over(nil, false)
	want := dump(t, first, all)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Replace, "a", "v", "2"), op(engine.Delete, "b"), op(engine.Insert, "c", "v", "2"))))
	mark := b.Mark()
	second := b.Over(nil, false)
	later := dump(t, second, all)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Merge, "a", "v", "3"), op(engine.Delete, "c"))))
	check := func(when string) {
		t.Helper()
		for _, view := range []struct {
			of   buffer.View
			want []string
		}{{first, want}, {second, later}} {
			if got := dump(t, view.of, all); !slices.Equal(got, view.want) {
				t.Errorf("%s the view gives %q, at first %q", when, got, view.want)
			}
			_, err := view.of.Get(t.Context(), engine.Get{Table: "tab", PartitionKey: "p", RowKey: "c"})
			if is := err == nil; is != slices.Equal(view.want, later) {
				t.Errorf("%s a point read gives %v", when, err)
			}
		}
	}
	check("after a write")
	b.RollbackTo(mark)
	if got := dump(t, b, all); !slices.Equal(got, later) {
		t.Errorf("after the rollback there are %q, want %q", got, later)
	}
	check("after a rollback")
	b.RollbackTo(0)
	check("after all is undone")
}
