package intent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// pausing has the commit of the owner wait behind the decision.
type pausing struct {
	engine.Engine
	isDecided bool
}

func (d *pausing) Commit(ctx context.Context, c engine.Commit) error {
	if last := c.Ops[len(c.Ops)-1].Entity; strings.HasPrefix(last.RowKey, "!t!") && len(last.Values) > 1 && last.Values[1].S == "committed" {
		time.Sleep(50 * time.Millisecond)
		d.isDecided = true
	} else if d.isDecided {
		time.Sleep(300 * time.Millisecond) // forward takes a while
	}
	return d.Engine.Commit(ctx, c)
}

// gets counts Gets.
type gets struct {
	engine.Engine
	n atomic.Int64
}

func (g *gets) Get(ctx context.Context, q engine.Get) (engine.Entity, error) {
	g.n.Add(1)
	return g.Engine.Get(ctx, q)
}

// TestWaitersLookOnce: who waits for a transaction that settles its own intents does not look for more of them.
func TestWaitersLookOnce(t *testing.T) {
	for _, waiters := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			base := emptyBase(t)
			ctx := t.Context()
			owner := intent.New(&pausing{Engine: base}, intent.Options{Records: inRecords, Parallel: 1})
			defer owner.Close()
			for i := range waiters {
				if err := base.Commit(ctx, commitOf(put(engine.Insert, "x", fmt.Sprint("r", i), "", 1))); err != nil {
					t.Fatal(err)
				}
			}
			var deletes []engine.Op
			for i := range waiters {
				deletes = append(deletes, put(engine.Delete, "x", fmt.Sprint("r", i), "", 1))
			}
			go func() {
				if err := owner.Transact(ctx, engine.Transaction{Commits: []engine.Commit{commitOf(deletes...),
					commitOf(put(engine.Insert, "y", "1", "", 1), put(engine.Insert, "y", "2", "", 1), put(engine.Insert, "y", "3", "", 1))}}); err != nil {
					t.Error(err)
				}
			}()
			time.Sleep(time.Millisecond) // prepared
			g := &gets{Engine: base}
			s := intent.New(g, intent.Options{Records: inRecords, Parallel: 4})
			defer s.Close()
			done := make(chan error)
			for i := range waiters {
				go func() {
					for {
						var commits []engine.Commit
						commits = append(commits, commitOf(put(engine.Insert, "x", fmt.Sprint("r", i), "", 2)))
						var many []engine.Op
						for j := range 2000 {
							many = append(many, put(engine.Insert, fmt.Sprint("w", i), fmt.Sprint(j), "", 1))
						}
						commits = append(commits, commitOf(many...))
						err := s.Transact(ctx, engine.Transaction{Commits: commits})
						var known *engine.Error
						if errors.As(err, &known) && known.Code == engine.CodeStale {
							continue
						}
						done <- err
						return
					}
				}()
			}
			for range waiters {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if n := g.n.Load(); n > 200 {
				t.Errorf("%d waiters: %d Gets", waiters, n)
			}
		})
	}
}
