package intent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// deaf fails requests that settle a partition.
type deaf struct {
	engine.Engine
	partition string
	err       error
}

func (d *deaf) Commit(ctx context.Context, c engine.Commit) error {
	if c.PartitionKey == d.partition && !strings.HasPrefix(c.Ops[0].Entity.RowKey, "!t!") {
		return d.err
	}
	return d.Engine.Commit(ctx, c)
}

// TestSweepKeepsWhatIsCommitted: a sweep deletes no record while an intent of its transaction is left: one that could not be settled, and one
// that looks young, as its row was touched.
func TestSweepKeepsWhatIsCommitted(t *testing.T) {
	for name, err := range map[string]error{
		"touched": nil,
		"unsure":  &engine.Error{Code: engine.CodeUnreachable, Op: -1, Applied: engine.Unknown, Message: "no answer"},
		"stale":   engine.StaleRead("table", "p1", "r"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { sweepKeeps(t, err) })
		})
	}
}

func sweepKeeps(t *testing.T, failing error) {
	ctx := t.Context()
	base := telling{engine.InGroups(embedded.OpenMemory(embedded.Options{}))}
	defer base.Close()
	for _, table := range []string{records, "table"} {
		if err := base.CreateTable(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
	}
	var tx engine.Transaction
	for i := range 2 {
		p := fmt.Sprint("p", i)
		if err := base.Commit(ctx, commitOf(put(engine.Insert, p, "r", "", 1), put(engine.Insert, p, "r2", "", 1))); err != nil {
			t.Fatal(err)
		}
		tx.Commits = append(tx.Commits, commitOf(put(engine.Replace, p, "r", "", 2), put(engine.Replace, p, "r2", "", 2)))
	}
	dying := intent.New(&mortal{base, 2}, intent.Options{Records: inRecords, Parallel: 1})
	_ = dying.Transact(ctx, tx)
	dying.Close()
	time.Sleep(2 * time.Hour)
	on := engine.Engine(base)
	if failing != nil {
		on = &deaf{base, "p1", failing}
	}
	s := intent.New(on, intent.Options{Records: inRecords, Parallel: 1})
	if failing == nil {
		child := commitOf(put(engine.Insert, "p1", "r child", "", 1), engine.Op{Kind: engine.Merge, Touch: true, Entity: engine.Entity{PartitionKey: "p1", RowKey: "r"}})
		if err := s.Commit(ctx, child); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = s.Sweep(ctx, []string{"table"}, false, nil)
	s.Close()
	other := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
	defer other.Close()
	for i := range 2 {
		e, err := other.Get(ctx, engine.Get{Table: "table", PartitionKey: fmt.Sprint("p", i), RowKey: "r"})
		if err != nil || e.Values[0].N != 2 {
			t.Errorf("p%d: %v %v: what was committed is lost", i, e.Values, err)
		}
	}
}
