package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

var little = effort{writes: 50, pages: 50 * time.Millisecond}

// simulated gives the service that azuretest plays.
func simulated(t *testing.T) (store engine.Engine, service *azuretest.Service) {
	service = azuretest.NewService(embedded.OpenMemory(embedded.Options{}))
	store, err := azure.Open(azure.Options{
		Endpoint: azuretest.Endpoint, Account: azuretest.Account, Key: azuretest.Key, Transport: &azuretest.Transport{Service: service},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store, service
}

// asked gives what is printed, and checks that no table is left.
func asked(t *testing.T, store engine.Engine) (bad int, out string) {
	t.Helper()
	var text strings.Builder
	bad, err := answers(t.Context(), &text, store, little)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := store.Tables(t.Context(), "NfLive", nil); err != nil || len(left) > 0 {
		t.Errorf("tables %v are left, %v", left, err)
	}
	return bad, text.String()
}

func TestYes(t *testing.T) {
	t.Parallel()
	store, _ := simulated(t)
	if bad, out := asked(t, store); bad > 0 || strings.Count(out, "yes  ") != len(questions) {
		t.Errorf("%d answers are not yes:\n%s", bad, out)
	}
}

// TestExplained: a no is counted and explained.
func TestExplained(t *testing.T) {
	t.Parallel()
	store, service := simulated(t)
	service.NoBatchETags = true
	if bad, out := asked(t, store); bad != 1 || !strings.Contains(out, "no   "+questions[0].text+": 0 of 300 operations\n     "+questions[0].no) {
		t.Errorf("%d answers are not yes:\n%s", bad, out)
	}
}

// liar is a store that does something else than it should.
type liar struct {
	engine.Engine
	get    func(e *engine.Entity, g engine.Get)
	scan   func(s *engine.Scan, e *engine.Entity) bool // false: it is left out
	commit func(ctx context.Context, c engine.Commit) error
}

func (l *liar) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	e, err := l.Engine.Get(ctx, g)
	if l.get != nil {
		l.get(&e, g)
	}
	return e, err
}

func (l *liar) Commit(ctx context.Context, c engine.Commit) error {
	if l.commit != nil {
		return l.commit(ctx, c)
	}
	return l.Engine.Commit(ctx, c)
}

func (l *liar) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	if l.scan == nil {
		return l.Engine.Scan(ctx, s)
	}
	asked := s
	s.Filter = nil
	return &lying{l.Engine.Scan(ctx, s), func(e engine.Entity) bool { return !l.scan(&asked, &e) }}
}

type lying struct {
	engine.Cursor
	out func(engine.Entity) bool
}

func (l *lying) Next(ctx context.Context) ([]engine.Entity, error) {
	for {
		chunk, err := l.Cursor.Next(ctx)
		if chunk = slices.DeleteFunc(chunk, l.out); err != nil || len(chunk) > 0 {
			return chunk, err
		}
	}
}

// TestNo has stores that do not do what each question asks for.
func TestNo(t *testing.T) {
	t.Parallel()
	unconditional := func(c engine.Commit) engine.Commit {
		c.Ops = slices.Clone(c.Ops)
		for i := range c.Ops {
			c.Ops[i].IfMatch = ""
		}
		return c
	}
	for name, lie := range map[string]struct {
		question func(ctx context.Context, s *service) (answer, error)
		change   func(l *liar)
	}{
		"no ETags of a batch": {batchETags, func(l *liar) {
			l.commit = func(ctx context.Context, c engine.Commit) error {
				err := l.Engine.Commit(ctx, c)
				c.ETags[len(c.ETags)-1] = ""
				return err
			}
		}},
		"another ETag when read": {sameETags, func(l *liar) {
			l.get = func(e *engine.Entity, _ engine.Get) { e.ETag += "'" }
		}},
		"an ETag twice": {distinctETags, func(l *liar) {
			l.commit = func(ctx context.Context, c engine.Commit) error {
				err := l.Engine.Commit(ctx, c)
				c.ETags[0] = c.ETags[0][:len(c.ETags[0])-2]
				return err
			}
		}},
		"the ETag again after a delete": {reinsertedETag, func(l *liar) {
			l.commit = func(ctx context.Context, c engine.Commit) error {
				err := l.Engine.Commit(ctx, unconditional(c))
				c.ETags[0] = "1"
				return err
			}
		}},
		"a merge of nothing does nothing": {mergeOfNothing, func(l *liar) {
			l.commit = func(ctx context.Context, c engine.Commit) error {
				c.Ops = slices.DeleteFunc(slices.Clone(c.Ops), func(op engine.Op) bool { return op.Kind == engine.Merge })
				c.ETags = nil
				return l.Engine.Commit(ctx, c)
			}
		}},
		"or needs both properties": {orWithAbsent, func(l *liar) {
			l.scan = func(s *engine.Scan, e *engine.Entity) bool { return len(e.Names) == 2 }
		}},
		"or looks at its first part": {orWithAbsent, func(l *liar) {
			l.scan = func(s *engine.Scan, e *engine.Entity) bool {
				return slices.Contains(e.Names, s.Filter.Kids[0].Property)
			}
		}},
		"an empty text passes": {absentPassesNothing, func(l *liar) {
			l.scan = func(s *engine.Scan, e *engine.Entity) bool { return slices.Contains(e.Names, "nf_t") }
		}},
		"an absent property passes": {absentPassesNothing, func(l *liar) {
			l.scan = func(s *engine.Scan, e *engine.Entity) bool {
				return !slices.Contains(e.Values, text(""))
			}
		}},
		"no conditions": {staleBatch, func(l *liar) {
			l.commit = func(ctx context.Context, c engine.Commit) error { return l.Engine.Commit(ctx, unconditional(c)) }
		}},
		"half of a refused batch": {staleBatch, func(l *liar) {
			l.commit = func(ctx context.Context, c engine.Commit) error {
				err := l.Engine.Commit(ctx, c)
				if err != nil {
					c.Ops, c.ETags = c.Ops[:1], nil
					_ = l.Engine.Commit(ctx, c)
				}
				return err
			}
		}},
		"an insert replaces": {doubledBatch, func(l *liar) {
			l.commit = func(ctx context.Context, c engine.Commit) error {
				c.Ops = slices.Clone(c.Ops)
				for i := range c.Ops {
					c.Ops[i].Kind = engine.Upsert
				}
				return l.Engine.Commit(ctx, c)
			}
		}},
		"batches by half": {wholePages, func(l *liar) {
			l.commit = func(ctx context.Context, c engine.Commit) error {
				first, second := c, c
				first.Ops, second.Ops = c.Ops[:len(c.Ops)/2], c.Ops[len(c.Ops)/2:]
				first.ETags, second.ETags = nil, nil
				if err := l.Engine.Commit(ctx, first); err != nil {
					return err
				}
				time.Sleep(time.Millisecond)
				return l.Engine.Commit(ctx, second)
			}
		}},
		"a page without one of a batch": {wholePages, func(l *liar) {
			l.scan = func(s *engine.Scan, e *engine.Entity) bool { return !strings.HasPrefix(e.RowKey, "0000 moved") }
		}},
		"a Timestamp of another clock": {oneClock, func(l *liar) {
			l.get = func(e *engine.Entity, _ engine.Get) { e.Timestamp += int64(time.Minute / 100) }
		}},
		"no Date": {oneClock, func(l *liar) {
			l.get = func(_ *engine.Entity, g engine.Get) {
				if g.Clock != nil {
					*g.Clock = 0
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _ := simulated(t)
			l := &liar{Engine: store}
			lie.change(l)
			s := &service{Engine: l, table: "NfLiveLies", many: little}
			if err := s.CreateTable(t.Context(), s.table, nil); err != nil {
				t.Fatal(err)
			}
			if is, err := lie.question(t.Context(), s); err != nil || is.yes {
				t.Errorf("%v, %v", is, err)
			}
		})
	}
}

// TestNoAnswer: what fails otherwise is neither yes nor no, and counts.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	store, _ := simulated(t)
	l := &liar{Engine: store, commit: func(context.Context, engine.Commit) error {
		return engine.Errorf(engine.CodeAuth, "the signature may not write")
	}}
	bad, out := asked(t, l)
	if bad != len(questions) || strings.Count(out, "?    ") != bad || !strings.Contains(out, "the signature may not write") {
		t.Errorf("%d answers are not yes:\n%s", bad, out)
	}
}

// TestInterrupted: the table goes also where the program is interrupted.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	store, _ := simulated(t)
	ctx, cancel := context.WithCancel(t.Context())
	l := &liar{Engine: store, commit: func(ctx context.Context, c engine.Commit) error {
		cancel()
		return ctx.Err()
	}}
	if bad, err := answers(ctx, io.Discard, l, little); fmt.Sprint(err) != "context canceled" {
		t.Errorf("%d, %v", bad, err)
	}
	if left, err := store.Tables(t.Context(), "NfLive", nil); err != nil || len(left) > 0 {
		t.Errorf("tables %v are left, %v", left, err)
	}
}
