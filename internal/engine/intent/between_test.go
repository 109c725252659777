package intent_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// hesitant is a process's way to a store that takes a second for requests that decide.
type hesitant struct{ engine.Engine }

func (h hesitant) Commit(ctx context.Context, c engine.Commit) error {
	if slices.ContainsFunc(c.Ops, func(op engine.Op) bool { return strings.HasPrefix(op.Entity.RowKey, "!t!") }) {
		time.Sleep(time.Second)
	}
	return h.Engine.Commit(ctx, c)
}

// TestReadBetween: a transaction has read y, has validated that, and is not decided yet. Then somebody else writes y, and so comes
// after it. Who reads now that nothing is decided comes before it, which cannot be once y was written: the commit of what was read waits, and fails.
func TestReadBetween(t *testing.T) {
	x := engine.Get{Table: "table", PartitionKey: "a", RowKey: "x"}
	y := engine.Get{Table: "table", PartitionKey: "b", RowKey: "y"}
	for name, read := range map[string]func(ctx context.Context, m engine.Moment) error{
		"a point": func(ctx context.Context, m engine.Moment) error { _, err := m.Get(ctx, x); return err },
		"two points": func(ctx context.Context, m engine.Moment) error {
			_, err := m.Get(ctx, y)
			_, other := m.Get(ctx, x)
			return errors.Join(err, other)
		},
		"a range": func(ctx context.Context, m engine.Moment) error {
			c := m.Scan(ctx, engine.Scan{Table: "table", PartitionKey: "a"})
			for {
				if _, err := c.Next(ctx); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				base, s := left(t, []engine.Commit{commitOf(put(engine.Insert, "a", "x", "", 1)), commitOf(put(engine.Insert, "b", "y", "", 1))}, 0)
				slow := intent.New(hesitant{base}, intent.Options{Records: inRecords, Parallel: 1})
				defer slow.Close()
				first := slow.Moment()
				defer first.Release()
				if _, err := first.Get(ctx, y); err != nil {
					t.Fatal(err)
				}
				decided := make(chan error, 1)
				go func() {
					decided <- slow.Transact(ctx, engine.Transaction{Since: first, Commits: []engine.Commit{commitOf(put(engine.Replace, "a", "x", "", 2)), commitOf(put(engine.Insert, "c", "z", "", 2))}})
				}()
				time.Sleep(100 * time.Millisecond)
				if err := s.Commit(ctx, commitOf(put(engine.Replace, "b", "y", "", 3))); err != nil {
					t.Fatal(err)
				}
				m := s.Moment()
				defer m.Release()
				if err := read(ctx, m); err != nil {
					t.Fatal(err)
				}
				var e *engine.Error
				if err := s.Transact(ctx, engine.Transaction{Since: m}); !errors.As(err, &e) || e.Code != engine.CodeStale {
					t.Errorf("what was read before the decision stands: %v", err)
				}
				if err := <-decided; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
