package intent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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
		x := intent.New(way, intent.Options{Records: inRecords, Parallel: 1})
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
			x := intent.New(way, intent.Options{Records: inRecords, Parallel: 1})
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

// TestManyNewParents: a transaction that validates inserts as many rows that others may touch as one that does not. Where its process has
// died when it was decided, the guards stand for nothing.
func TestManyNewParents(t *testing.T) {
	ctx := t.Context()
	for _, n := range []int{49, 50, 99, 100} {
		for _, commits := range []int{1, 2, 9} { // that the process lives for: it prepares, decides, goes on
			base, s := left(t, nil, 0)
			x := intent.New(&mortal{base, commits}, intent.Options{Records: inRecords, Parallel: 1})
			m := x.Moment()
			for _, partition := range []string{"x", "y"} {
				_, _ = m.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "none"})
			}
			c := engine.Commit{Table: "table", PartitionKey: "p"}
			for i := range n {
				op := put(engine.Insert, "p", fmt.Sprint("parent", i), "", 1)
				op.Parent = true
				c.Ops = append(c.Ops, op)
			}
			err := x.Transact(ctx, engine.Transaction{Since: m, Commits: []engine.Commit{c}})
			var known *engine.Error
			decided := commits > 1 && n < 100
			if decided != (err == nil) || n == 100 && (!errors.As(err, &known) || known.Code != engine.CodeTooLarge) {
				t.Errorf("%d rows, %d commits: %v", n, commits, err)
			}
			m.Release()
			_ = x.Close()
			want := 0
			if decided {
				want = n
			}
			found := 0
			if err := engine.Each(ctx, s, engine.Scan{Table: "table", PartitionKey: "p", Decided: decided}, func(*engine.Entity) error { found++; return nil }); err != nil || found != want {
				t.Errorf("%d rows, %d commits: %d are there, want %d (%v)", n, commits, found, want, err)
			}
			if !decided {
				continue
			}
			guards := 0
			if err := engine.Each(ctx, base, engine.Scan{Table: "table", PartitionKey: "p"}, func(e *engine.Entity) error {
				if strings.HasSuffix(e.RowKey, "!") {
					guards++
				}
				return nil
			}); err != nil || (guards > 0) != (commits == 2 && n >= 50) {
				t.Errorf("%d rows, %d commits: %d guards (%v)", n, commits, guards, err)
			}
			// A row goes and comes again, its guard in the way or not.
			for _, op := range []engine.Op{put(engine.Delete, "p", "parent7", "", 0), put(engine.Insert, "p", "parent7", "", 2)} {
				op.Parent = true
				again := engine.Transaction{Commits: []engine.Commit{commitOf(op), commitOf(put(engine.Upsert, "q", "r", "", 1))}, Since: s.Moment()}
				_, _ = again.Since.Get(ctx, engine.Get{Table: "table", PartitionKey: "x", RowKey: "none"})
				for try := 0; ; try++ {
					if err = s.Transact(ctx, again); err == nil || try == 3 {
						break
					}
				}
				if err != nil {
					t.Errorf("%d rows, %d commits: %v", n, commits, err)
				}
			}
			if _, err := s.Sweep(ctx, []string{"table"}, false, nil); err != nil {
				t.Error(err)
			}
		}
	}
}
