package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// slow is an engine whose transactions take time. most is how many were under way at once.
type slow struct {
	engine.Engine
	mu         sync.Mutex
	sent       int
	under      int
	most       int
	failFrom   int // the transaction from which on they fail; 0: none
	lostAnswer int // the transaction whose answer is lost; 0: none
}

func (s *slow) Commit(ctx context.Context, c engine.Commit) error {
	s.mu.Lock()
	s.sent++
	s.under++
	s.most = max(s.most, s.under)
	fails, lost := s.failFrom > 0 && s.sent >= s.failFrom, s.sent == s.lostAnswer
	s.mu.Unlock()
	time.Sleep(time.Second)
	err := error(engine.Errorf(engine.CodeUnreachable, "no connection"))
	if !fails {
		err = s.Engine.Commit(ctx, c)
	}
	if lost && err == nil {
		err = &engine.Error{Code: engine.CodeUnreachable, Op: -1, Applied: engine.Unknown, Message: "no answer"}
	}
	s.mu.Lock()
	s.under--
	s.mu.Unlock()
	return err
}

func TestClearSideBySide(t *testing.T) {
	const rows, transactions = 1150, 12
	for name, c := range map[string]struct {
		failFrom, lostAnswer, parallel int
		sent                           int // at least, at most as many more as are under way
		fails                          bool
	}{
		"all":     {parallel: 5, sent: transactions},
		"in turn": {parallel: 1, sent: transactions},
		"fails":   {parallel: 3, failFrom: 4, sent: 4, fails: true},
		"lost":    {parallel: 5, lostAnswer: 3, sent: transactions},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				memory := embedded.OpenMemory(embedded.Options{})
				defer memory.Close()
				if err := memory.CreateTable(ctx, "tab", nil); err != nil {
					t.Fatal(err)
				}
				for from := 0; from < rows; from += 50 {
					ops := make([]engine.Op, 50)
					for i := range ops {
						ops[i] = engine.Op{Kind: engine.Insert, Entity: engine.Entity{PartitionKey: "p", RowKey: fmt.Sprintf("r%04d", from+i)}}
					}
					if err := memory.Commit(ctx, engine.Commit{Table: "tab", PartitionKey: "p", Ops: ops}); err != nil {
						t.Fatal(err)
					}
				}
				e := &slow{Engine: memory, failFrom: c.failFrom, lostAnswer: c.lostAnswer}
				err := engine.Clear(ctx, e, engine.Range{Table: "tab", Partitions: []string{"p"}, From: "r"}, c.parallel, nil)
				if (err != nil) != c.fails || e.most != c.parallel || e.sent < c.sent || e.sent >= c.sent+c.parallel {
					t.Errorf("%v; %d transactions, %d at once", err, e.sent, e.most)
				}
				left := 0
				err = engine.Each(ctx, memory, engine.Scan{Table: "tab", AllPartitions: true}, func(*engine.Entity) error { left++; return nil })
				if err != nil || (left > 0) != c.fails {
					t.Errorf("%d entities are left, %v", left, err)
				}
			})
		})
	}
}
