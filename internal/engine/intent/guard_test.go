package intent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// newParent is the operations of a row that others may touch, with an entry.
func newParent(partition string) engine.Commit {
	parent := put(engine.Insert, partition, "parent", "", 1)
	parent.Parent = true
	return commitOf(parent, put(engine.Insert, partition, "entry", "parent", 1))
}

// TestTouchOfNewParent: a transaction has prepared a row that others may touch: it is not there before that is decided, whether or not it
// is aborted then.
func TestTouchOfNewParent(t *testing.T) {
	for _, aborts := range []bool{false, true} {
		ctx := t.Context()
		base, s := left(t, []engine.Commit{commitOf(put(engine.Insert, "b", "read", "", 1))}, 0)
		child := commitOf(put(engine.Insert, "a", "parent child", "", 1), engine.Op{Kind: engine.Merge, Touch: true, Entity: engine.Entity{PartitionKey: "a", RowKey: "parent"}})
		var inserted error
		once := sync.OnceFunc(func() { inserted = s.Commit(ctx, child) })
		way := &decides{base, once}
		x := intent.New(way, intent.Options{Records: records, Parallel: 1})
		m := x.Moment()
		for _, partition := range []string{"b", "c"} {
			if _, err := m.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "read"}); (err == nil) != (partition == "b") {
				t.Fatal(err)
			}
		}
		tx := engine.Transaction{Since: m, Commits: []engine.Commit{newParent("a")}}
		if aborts {
			tx.Current = func(ctx context.Context) error { // what others have made of the definitions
				once()
				return engine.Errorf(engine.CodeStale, "changed")
			}
		}
		err := x.Transact(ctx, tx)
		var none *engine.Error
		if (err == nil) == aborts || !errors.As(inserted, &none) || none.Code != engine.CodeNotFound {
			t.Errorf("aborted %v: %v, and the child: %v", aborts, err, inserted)
		}
		c := base.Scan(ctx, engine.Scan{Table: "table", PartitionKey: "a"})
		found := map[string]bool{}
		for {
			chunk, err := c.Next(ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range chunk {
				if e.RowKey[0] != '!' {
					found[e.RowKey] = true
				}
			}
		}
		if want := map[bool]int{true: 0, false: 2}[aborts]; len(found) != want || found["parent"] == aborts {
			t.Errorf("aborted %v: there are %v", aborts, found)
		}
		m.Release()
		_ = x.Close()
	}
}

// TestNewParentIsSeen: who has found no row where a transaction inserts one that others may touch is in its way, though the row is not
// there yet.
func TestNewParentIsSeen(t *testing.T) {
	point := engine.Point("table", "a", "parent")
	for i, reads := range []func(ctx context.Context, r engine.Reader) error{
		func(ctx context.Context, r engine.Reader) error {
			_, err := r.Get(ctx, engine.Get{Table: "table", PartitionKey: "a", RowKey: "parent"})
			var none *engine.Error
			if errors.As(err, &none) && none.Code == engine.CodeNotFound {
				return nil
			}
			return fmt.Errorf("it is there: %w", err)
		},
		func(ctx context.Context, r engine.Reader) error {
			return engine.Each(ctx, r, point, func(*engine.Entity) error { return errors.New("it is there") })
		},
		func(ctx context.Context, r engine.Reader) error {
			return engine.Each(ctx, r, engine.Scan{Table: "table", PartitionKey: "a", To: "parent "}, func(*engine.Entity) error { return errors.New("it is there") })
		},
		nil, // it requires that there is none
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			base, s := left(t, nil, 0)
			none := engine.Get{Table: "table", PartitionKey: "b", RowKey: "other"}
			var other error
			wrote := false
			way := &decides{base, func() {
				if wrote {
					return
				}
				wrote = true
				inner, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				m := s.Moment()
				defer m.Release()
				tx := engine.Transaction{Commits: []engine.Commit{commitOf(put(engine.Insert, "b", "other", "", 1))}}
				if reads == nil {
					tx.Requires = []engine.Requirement{{Table: "table", PartitionKey: "a", From: point.From, To: point.To}}
				} else if tx.Since = m; reads(inner, m) != nil {
					t.Error(reads(inner, m))
				}
				other = s.Transact(inner, tx)
			}}
			x := intent.New(way, intent.Options{Records: records, Parallel: 1})
			defer x.Close()
			m := x.Moment()
			defer m.Release()
			if _, err := m.Get(ctx, none); err == nil {
				t.Fatal("it is there")
			}
			err := x.Transact(ctx, engine.Transaction{Since: m, Commits: []engine.Commit{newParent("a")}})
			if !wrote || err == nil && other == nil {
				t.Errorf("%d: both have written what the other one has not seen", i)
			}
		})
	}
}

// TestManyNewParents: a transaction that validates has a bound to the rows that it inserts and others may touch.
func TestManyNewParents(t *testing.T) {
	ctx := t.Context()
	_, s := left(t, nil, 0)
	for n, code := range map[int]engine.Code{49: 0, 50: engine.CodeTooLarge} {
		m := s.Moment()
		for _, partition := range []string{"x", "y"} {
			_, _ = m.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "none"})
		}
		c := engine.Commit{Table: "table", PartitionKey: fmt.Sprint("p", n)}
		for i := range n {
			op := put(engine.Insert, c.PartitionKey, fmt.Sprint("parent", i), "", 1)
			op.Parent = true
			c.Ops = append(c.Ops, op)
		}
		err := s.Transact(ctx, engine.Transaction{Since: m, Commits: []engine.Commit{c}})
		var known *engine.Error
		if code == 0 && err != nil || code != 0 && (!errors.As(err, &known) || known.Code != code) {
			t.Errorf("%d rows: %v", n, err)
		}
		m.Release()
	}
}
