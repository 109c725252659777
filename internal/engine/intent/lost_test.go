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
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

func emptyBase(t *testing.T) engine.Engine {
	base := engine.InGroups(embedded.OpenMemory(embedded.Options{}))
	t.Cleanup(func() { base.Close() })
	for _, table := range []string{"table", records} {
		if err := base.CreateTable(t.Context(), table, nil); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

// lostWrites answers no write; reads are answered.
type lostWrites struct {
	engine.Engine
	n atomic.Int64
}

func (l *lostWrites) Commit(ctx context.Context, c engine.Commit) error {
	if l.n.Add(1) > 100_000 {
		return errDead
	}
	return &engine.Error{Code: engine.CodeUnreachable, Applied: engine.Unknown, Op: -1, Message: "lost"}
}

// TestAbortWaits: where the answers to writes are lost, an abort is not sent again and again at once.
func TestAbortWaits(t *testing.T) {
	synctest.Test(t, abortWaits)
}

func abortWaits(t *testing.T) {
	base := emptyBase(t)
	l := &lostWrites{Engine: base}
	s := intent.New(l, intent.Options{Records: inRecords, Parallel: 1})
	defer s.Close()
	err := s.Transact(t.Context(), engine.Transaction{Commits: []engine.Commit{
		commitOf(put(engine.Insert, "a", "r", "", 1)), commitOf(put(engine.Insert, "b", "r", "", 1))}})
	if n := l.n.Load(); n > 30 {
		t.Errorf("%d writes: %v", n, err)
	}
}

// twiceLost sends what decides twice, gives the second answer, and has the look for the record fail once.
type twiceLost struct {
	engine.Engine
	lost bool
}

func (d *twiceLost) Commit(ctx context.Context, c engine.Commit) error {
	if last := c.Ops[len(c.Ops)-1].Entity; strings.HasPrefix(last.RowKey, "!t!") && len(last.Values) > 1 && last.Values[1].S == "committed" {
		_ = d.Engine.Commit(ctx, c)
	}
	return d.Engine.Commit(ctx, c)
}

func (d *twiceLost) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if strings.HasPrefix(g.RowKey, "!t!") && !d.lost {
		d.lost = true
		return engine.Entity{}, engine.Errorf(engine.CodeUnreachable, "the store is busy")
	}
	return d.Engine.Get(ctx, g)
}

// TestDecidedTwiceUnknown: a decision that arrives twice is one, though nobody can say so at once.
func TestDecidedTwiceUnknown(t *testing.T) {
	ctx := t.Context()
	base := emptyBase(t)
	for _, p := range []string{"a", "b"} {
		if err := base.Commit(ctx, commitOf(put(engine.Insert, p, "r", "", 1))); err != nil {
			t.Fatal(err)
		}
	}
	x := intent.New(&twiceLost{Engine: base}, intent.Options{Records: inRecords, Parallel: 1})
	defer x.Close()
	var commits []engine.Commit
	for _, partition := range []string{"a", "b"} {
		e, err := base.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "r"})
		if err != nil {
			t.Fatal(err)
		}
		op := put(engine.Replace, partition, "r", "", 2)
		op.IfMatch = e.ETag
		commits = append(commits, commitOf(op))
	}
	err := x.Transact(ctx, engine.Transaction{Commits: commits})
	other := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
	defer other.Close()
	var has []uint64
	for _, partition := range []string{"a", "b"} {
		e, err := other.Get(ctx, engine.Get{Table: "table", PartitionKey: partition, RowKey: "r"})
		if err != nil {
			t.Fatal(err)
		}
		has = append(has, e.Values[0].N)
	}
	if has[0] != has[1] {
		t.Errorf("half of a transaction: %v; %v", has, err)
	}
}

// lostOnce loses the answer to one write, which is applied.
type lostOnce struct {
	engine.Engine
	at, n int
	late  bool
}

func (l *lostOnce) Commit(ctx context.Context, c engine.Commit) error {
	l.n++
	if l.n == l.at {
		if !l.late {
			_ = l.Engine.Commit(ctx, c)
		}
		return &engine.Error{Code: engine.CodeUnreachable, Applied: engine.Unknown, Op: -1, Message: "lost"}
	}
	return l.Engine.Commit(ctx, c)
}

// TestLostAnywhere: what is told of a transaction is so, whichever answer is lost; and who writes the same next waits for nothing.
func TestLostAnywhere(t *testing.T) {
	for at := 1; at <= 10; at++ {
		for _, late := range []bool{false, true} {
			for _, n := range []int{2, 10} {
				synctest.Test(t, func(t *testing.T) {
					base := emptyBase(t)
					ctx := t.Context()
					l := &lostOnce{Engine: base, at: at, late: late}
					s := intent.New(l, intent.Options{Records: inRecords, Parallel: 1})
					defer s.Close()
					var commits []engine.Commit
					for i := range n {
						commits = append(commits, commitOf(put(engine.Insert, fmt.Sprintf("p%02d", i), "r", "", 1)))
					}
					err := s.Transact(ctx, engine.Transaction{Commits: commits})
					other := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
					defer other.Close()
					there := 0
					for i := range n {
						if _, err := other.Get(ctx, engine.Get{Table: "table", PartitionKey: fmt.Sprintf("p%02d", i), RowKey: "r"}); err == nil {
							there++
						}
					}
					if (err == nil) != (there == n) || there != 0 && there != n {
						t.Errorf("at %d, late %v: %d of %d; %v", at, late, there, n, err)
					}
					begun := time.Now()
					for try := 0; ; try++ {
						e := other.Transact(ctx, engine.Transaction{Commits: commits})
						var known *engine.Error
						if errors.As(e, &known) && known.Code == engine.CodeStale && try < 30 {
							continue
						}
						if (e == nil) != (there == 0) {
							t.Errorf("again, try %d: %v", try, e)
						}
						break
					}
					if d := time.Since(begun); d > 0 {
						t.Errorf("at %d, late %v, n %d: the next one took %v", at, late, n, d)
					}
				})
			}
		}
	}
}

// takes has each write take a time, once on.
type takes struct {
	engine.Engine
	on atomic.Bool
}

func (s *takes) Commit(ctx context.Context, c engine.Commit) error {
	err := s.Engine.Commit(ctx, c)
	if s.on.Load() {
		time.Sleep(3 * time.Second) // the answer comes whatever ctx says meanwhile
	}
	if last := c.Ops[len(c.Ops)-1].Entity; err == nil && strings.HasPrefix(last.RowKey, "!t!") && len(last.Values) > 1 && last.Values[1].S == "committed" {
		s.on.Store(true) // from here on the store is slow
	}
	return err
}

// TestForwardTakesLong: a committed transaction keeps what was not begun in time to be made final, and its record.
func TestForwardTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := emptyBase(t)
		slow := &takes{Engine: base}
		s := intent.New(slow, intent.Options{Records: inRecords, Parallel: 2})
		var commits []engine.Commit
		for i := range 20 {
			p := fmt.Sprintf("p%02d", i)
			commits = append(commits, commitOf(put(engine.Insert, p, "r", "", 1), put(engine.Insert, p, "s", "", 1)))
		}
		if err := s.Transact(t.Context(), engine.Transaction{Commits: commits}); err != nil {
			t.Fatal(err)
		}
		slow.on.Store(false)
		time.Sleep(2 * time.Minute)
		s.Leave(t.Context())
		_ = s.Close()
		other := intent.New(base, intent.Options{Records: inRecords, Parallel: 2})
		defer other.Close()
		lost := 0
		for i := range 20 {
			p := fmt.Sprintf("p%02d", i)
			if _, err := other.Get(t.Context(), engine.Get{Table: "table", PartitionKey: p, RowKey: "r"}); err != nil {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%d of 20 rows of a committed transaction are lost", lost)
		}
	})
}

// sleeping has the machine sleep before the request that decides.
type sleeping struct {
	engine.Engine
	before func()
}

func (s *sleeping) Commit(ctx context.Context, c engine.Commit) error {
	err := s.Engine.Commit(ctx, c)
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return err
}

// TestDecidesTooLate: a process that slept between its requests does not commit what others have aborted, and forgotten, meanwhile.
func TestDecidesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		base := emptyBase(t)
		commits := []engine.Commit{commitOf(put(engine.Insert, "a", "r", "", 1)), commitOf(put(engine.Insert, "b", "r", "", 1))}
		s := intent.New(&sleeping{base, func() {
			other := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
			defer other.Close()
			for _, c := range commits { // it clears what is in its way, and leaves nothing
				for try := 0; try < 3; try++ {
					if err := other.Commit(ctx, c); err == nil {
						_ = other.Commit(ctx, commitOf(put(engine.Delete, c.PartitionKey, "r", "", 1)))
						break
					}
				}
			}
			time.Sleep(2 * time.Hour)
			other.Leave(ctx)
		}}, intent.Options{Records: inRecords, Parallel: 1})
		defer s.Close()
		err := s.Transact(ctx, engine.Transaction{Commits: commits})
		there := 0
		for _, c := range commits {
			if _, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: c.PartitionKey, RowKey: "r"}); err == nil {
				there++
			}
		}
		if err == nil || there > 0 {
			t.Errorf("%d of 2 are there: %v", there, err)
		}
	})
}
