package intent_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// beside has others do something when a key is looked at for the first time.
type beside struct {
	engine.Engine
	others func()
	did    atomic.Bool
}

func (b *beside) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if g.Table == "table" && g.Clock == nil && b.did.CompareAndSwap(false, true) {
		b.others()
	}
	return b.Engine.Get(ctx, g)
}

// TestSweepBesideAnother: who settles what another one settles at the same time looks for what is left many keys at a time.
func TestSweepBesideAnother(t *testing.T) {
	for _, commits := range []int{1, 2, 3, 5, 1000} { // that the other one lives to make
		for _, parallel := range []int{1, 4} { // with 1 nothing is done before the other one has ended
			t.Run(fmt.Sprint(commits, parallel), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { sweepBeside(t, commits, parallel) })
			})
		}
	}
}

func sweepBeside(t *testing.T, commits, parallel int) {
	const rows = 230
	ctx := t.Context()
	base := telling{engine.InGroups(embedded.OpenMemory(embedded.Options{}))}
	defer base.Close()
	for _, table := range []string{"table", records} {
		if err := base.CreateTable(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
	}
	var tx engine.Transaction
	for _, partition := range []string{"a", "b", "home"} {
		var ops []engine.Op
		for i := range rows {
			ops = append(ops, put(engine.Insert, partition, fmt.Sprintf("r%03d", i), "", i))
		}
		tx.Commits = append(tx.Commits, commitOf(ops...))
	}
	dying := intent.New(&mortal{base, 10}, intent.Options{Records: inRecords, Parallel: 1})
	_ = dying.Transact(ctx, tx)
	_ = dying.Close()
	time.Sleep(2 * time.Hour)
	if n := storedMarks(t, base, []string{"table"}); n < 2*rows {
		t.Fatalf("only %d entities bear intents", n)
	}
	s := intent.New(&beside{Engine: base, others: func() {
		other := intent.New(&mortal{base, commits}, intent.Options{Records: inRecords, Parallel: 1})
		_, _ = other.Sweep(ctx, []string{"table"}, false, nil)
		_ = other.Close()
	}}, intent.Options{Records: inRecords, Parallel: parallel})
	defer s.Close()
	var meter engine.Meter
	if _, err := s.Sweep(ctx, []string{"table"}, false, &meter); err != nil {
		t.Fatal(err)
	}
	if n := meter.Requests.Load(); n > 100 {
		t.Errorf("%d requests", n)
	}
	intents := 0
	if err := engine.Each(ctx, base, engine.Scan{Table: "table", AllPartitions: true, Select: []string{"nf_t"}}, func(e *engine.Entity) error {
		if e.Values[0].S != "" {
			intents++
		}
		return nil
	}); err != nil || intents > 0 {
		t.Errorf("%d intents are left: %v", intents, err)
	}
}
