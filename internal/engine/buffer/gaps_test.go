package buffer_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestGaps: what lies behind a key that is inserted is read once, for all keys that come before it.
func TestGaps(t *testing.T) {
	e := open(t, 1000)
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "b5"), op(engine.Insert, "d"))))
	b := buffer.New(e, 8)
	var m engine.Meter
	insert := func(want int64, keys ...string) {
		t.Helper()
		before := m.Requests.Load()
		var ops []engine.Op
		for _, key := range keys {
			ops = append(ops, op(engine.Insert, key))
		}
		c := commitOf(ops...)
		c.Meter = &m
		must(t, b.Apply(t.Context(), c))
		if got := m.Requests.Load() - before; got != want {
			t.Errorf("%v: %d requests, want %d", keys, got, want)
		}
	}
	insert(1, "a1")             // looked at by itself
	insert(1, "a2")             // from here to b5 there is nothing
	insert(0, "a3", "b1", "b4") // so these are free
	insert(1, "b6", "b7", "c1") // to d
	insert(0, "c2")
	insert(1, "e2", "e1") // to the end
	insert(0, "f", "g")
	must(t, b.Commit(t.Context(), &m))
	if got := len(dump(t, e, engine.Scan{PartitionKey: "p"})); got != 15 {
		t.Errorf("%d entities, want 15", got)
	}
}

// TestGapsAreNoMore: keys far from each other cost no more than a look at each; those that are there are found.
func TestGapsAreNoMore(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		e := open(t, 1000)
		there := map[string]bool{}
		for range rnd.IntN(300) {
			key := fmt.Sprintf("%03d", rnd.IntN(400))
			if !there[key] {
				there[key] = true
				must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, key))))
			}
		}
		b := buffer.New(e, 8)
		for range 10 {
			var m engine.Meter
			var ops []engine.Op
			taken := -1
			used := map[string]bool{}
			for range 1 + rnd.IntN(8) {
				key := fmt.Sprintf("%03d", rnd.IntN(400))
				if used[key] || there[key] && taken >= 0 {
					continue
				}
				if used[key] = true; there[key] {
					taken = len(ops)
				}
				ops = append(ops, op(engine.Insert, key))
			}
			if len(ops) == 0 {
				continue
			}
			c := commitOf(ops...)
			c.Meter = &m
			err := b.Apply(t.Context(), c)
			most := int64(len(ops))
			if taken >= 0 {
				wantCode(t, err, engine.CodeExists, taken)
				most++ // it is looked at when it was found
			} else {
				must(t, err)
				for key := range used {
					there[key] = true // in the transaction
				}
			}
			if got := m.Requests.Load(); got > most {
				t.Errorf("seed %d: %d requests for %d keys", seed, got, len(ops))
			}
		}
	}
}

// TestGapsOfOthers: a transaction that read a gap does not mind what others write there, but for its own keys.
func TestGapsOfOthers(t *testing.T) {
	for _, validate := range []bool{false, true} {
		e := open(t, 1000)
		begin := func() *buffer.Buffer {
			b, err := buffer.NewAt(e, 8, validate, nil)
			must(t, err)
			t.Cleanup(b.Release)
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "a"), op(engine.Insert, "b"))))
			must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "d"))))
			return b
		}
		b := begin()
		must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "c"), op(engine.Insert, "e"))))
		must(t, b.Commit(t.Context(), nil))

		b = buffer.New(e, 8)
		must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "f"), op(engine.Insert, "g"))))
		must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "h"))))
		must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "h"))))
		wantCode(t, b.Commit(t.Context(), nil), engine.CodeExists, 2)
	}

	// What it has deleted again it has found not to be there all the same.
	e := open(t, 1000)
	b, err := buffer.NewAt(e, 8, true, nil)
	must(t, err)
	defer b.Release()
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "a"), op(engine.Insert, "b"))))
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "d"))))
	must(t, b.Apply(t.Context(), commitOf(op(engine.Delete, "d"))))
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "d"))))
	if err := b.Commit(t.Context(), nil); err == nil {
		t.Error("another one's insert of a key that was not there was overlooked")
	}
}

// TestGapsEndWithCommit: a buffer that was committed is empty, and may be used again: it has to find what it has inserted itself.
func TestGapsEndWithCommit(t *testing.T) {
	e := open(t, 1000)
	b := buffer.New(e, 8)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "a"), op(engine.Insert, "b"))))
	must(t, b.Commit(t.Context(), nil))
	wantCode(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "b"))), engine.CodeExists, 0)
}

// TestGapsAreGivenUp: what a READ COMMITTED transaction has read itself is there.
func TestGapsAreGivenUp(t *testing.T) {
	e := open(t, 1000)
	b := buffer.New(e, 8)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "a"), op(engine.Insert, "b"))))
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "c"))))
	if got := dump(t, b, engine.Scan{PartitionKey: "p"}); len(got) != 3 {
		t.Fatal(got)
	}
	wantCode(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "c"))), engine.CodeExists, 0)
}

// unsorted gives the entities of a range backwards, as a store may whose Limits say that it does not sort by key.
type unsorted struct{ engine.Engine }

func (u unsorted) Limits() engine.Limits {
	l := u.Engine.Limits()
	l.SortedByKey = false
	return l
}

type list struct{ left []engine.Entity }

func (l *list) Next(context.Context) ([]engine.Entity, error) {
	if len(l.left) == 0 {
		return nil, io.EOF
	}
	out := l.left
	l.left = nil
	return out, nil
}
func (l *list) Close() error { return nil }

func (u unsorted) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	limit := s.Limit
	s.Limit = 0
	var all []engine.Entity
	if err := engine.Each(ctx, u.Engine, s, func(e *engine.Entity) error {
		all = append([]engine.Entity{*e}, all...)
		return nil
	}); err != nil {
		return u.Engine.Scan(ctx, s)
	}
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return &list{all}
}

// TestGapsNeedOrder: where a store does not sort by key there are no gaps.
func TestGapsNeedOrder(t *testing.T) {
	e := unsorted{open(t, 1000)}
	must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, "c"), op(engine.Insert, "f"))))
	b := buffer.New(e, 8)
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "a"))))
	must(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "b"))))
	wantCode(t, b.Apply(t.Context(), commitOf(op(engine.Insert, "c"))), engine.CodeExists, 0)
}

// TestGapsModel holds one transaction to a set of keys.
func TestGapsModel(t *testing.T) {
	keys := []string{"", "!", "a", "a!", "ab", "b", "b~", "bé", "c", "é", "\uE000", "\U00010000", "d", "d!x", "e"}
	for seed := range uint64(testrun.Of(3000, 300)) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		e := open(t, 1+rnd.IntN(3))
		is := map[string]bool{}
		for _, k := range keys[1:] {
			if rnd.IntN(4) == 0 {
				must(t, e.Commit(t.Context(), commitOf(op(engine.Insert, k))))
				is[k] = true
			}
		}
		b := buffer.New(e, 4)
		type saved struct {
			mark int
			is   map[string]bool
		}
		var saves []saved
		for range 30 {
			switch rnd.IntN(8) {
			case 0:
				saves = append(saves, saved{b.Mark(), maps.Clone(is)})
				continue
			case 1:
				if len(saves) > 0 {
					at := rnd.IntN(len(saves))
					b.RollbackTo(saves[at].mark)
					is = maps.Clone(saves[at].is)
					saves = saves[:at+1]
				}
				continue
			}
			var ops []engine.Op
			used := map[string]bool{}
			next := maps.Clone(is)
			fails := false
			for range 1 + rnd.IntN(4) {
				k := keys[1+rnd.IntN(len(keys)-1)]
				if used[k] {
					continue
				}
				used[k] = true
				kind := []engine.OpKind{engine.Insert, engine.Insert, engine.Insert, engine.Delete, engine.Upsert, engine.Replace}[rnd.IntN(6)]
				ops = append(ops, op(kind, k))
				switch {
				case kind == engine.Insert && is[k], (kind == engine.Delete || kind == engine.Replace) && !is[k]:
					fails = true
				case kind == engine.Delete:
					delete(next, k)
				default:
					next[k] = true
				}
			}
			err := b.Apply(t.Context(), commitOf(ops...))
			if (err != nil) != fails {
				t.Fatalf("seed %d: %v: %v, want failure %v", seed, ops, err, fails)
			}
			if err == nil {
				is = next
			}
		}
		must(t, b.Commit(t.Context(), nil))
		if got := dump(t, e, engine.Scan{PartitionKey: "p"}); len(got) != len(is) {
			t.Fatalf("seed %d: %d, want %d", seed, len(got), len(is))
		}
	}
}
