package intent_test

import (
	"context"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// literal is a store that, as Azurite does, knows a table only as it was spelled when it was made.
type literal struct{ engine.Engine }

func (l literal) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if g.Table != "Table" && g.Table != records {
		return engine.Entity{}, engine.Errorf(engine.CodeNoTable, "there is no table %s", g.Table)
	}
	return l.Engine.Get(ctx, g)
}

// TestSpelled: what was read is validated under the name by which it was read.
func TestSpelled(t *testing.T) {
	ctx := t.Context()
	base := literal{embedded.OpenMemory(embedded.Options{})}
	for _, table := range []string{"Table", records} {
		if err := base.CreateTable(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
	}
	s := intent.New(base, intent.Options{Records: inRecords, Parallel: 1})
	defer s.Close()
	m := s.Moment()
	defer m.Release()
	for _, partition := range []string{"a", "b"} {
		_, _ = m.Get(ctx, engine.Get{Table: "Table", PartitionKey: partition, RowKey: "x"})
	}
	if err := s.Transact(ctx, engine.Transaction{Since: m, Commits: []engine.Commit{
		{Table: "Table", PartitionKey: "a", Ops: []engine.Op{put(engine.Insert, "a", "y", "", 1)}},
		{Table: "Table", PartitionKey: "c", Ops: []engine.Op{put(engine.Insert, "c", "z", "", 1)}},
	}}); err != nil {
		t.Error(err)
	}
}
