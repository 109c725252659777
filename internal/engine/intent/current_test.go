package intent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// TestCurrent: a transaction whose definitions no longer hold when it is about to be decided is not applied, and leaves nothing.
func TestCurrent(t *testing.T) {
	base := embedded.OpenMemory(embedded.Options{})
	s := newStore(t, base)
	defer s.Close()
	ctx := t.Context()
	if err := s.CreateTable(ctx, "tab", nil); err != nil {
		t.Fatal(err)
	}
	var commits []engine.Commit
	for _, pk := range []string{"p", "q"} {
		commits = append(commits, engine.Commit{Table: "tab", PartitionKey: pk, Ops: []engine.Op{{Kind: engine.Insert, Entity: engine.Entity{PartitionKey: pk, RowKey: "r"}}}})
	}
	entities := func() (n int) {
		if err := engine.Each(ctx, base, engine.Scan{Table: "tab", AllPartitions: true}, func(*engine.Entity) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	changed, prepared := errors.New("the definition was changed"), 0
	err := s.Transact(ctx, engine.Transaction{Commits: commits, Current: func(context.Context) error { prepared = entities(); return changed }})
	if !errors.Is(err, changed) || prepared != 1 || entities() != 0 {
		t.Errorf("%v, with %d entities when it was asked, and %d behind it", err, prepared, entities())
	}
	if err := s.Transact(ctx, engine.Transaction{Commits: commits, Current: func(context.Context) error { return nil }}); err != nil {
		t.Error(err)
	}
}
