package intent_test

import (
	"fmt"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// TestCover: an operation without a condition goes by what the transaction has read of its entity, however much else it has read.
func TestCover(t *testing.T) {
	ctx := t.Context()
	for n := range 20 {
		s := newStore(t, embedded.OpenMemory(embedded.Options{}))
		defer s.Close()
		if err := s.CreateTable(ctx, "tab", nil); err != nil {
			t.Fatal(err)
		}
		of := func(kind engine.OpKind, key string) engine.Commit {
			return engine.Commit{Table: "tab", PartitionKey: "p", Ops: []engine.Op{{Kind: kind, Entity: engine.Entity{PartitionKey: "p", RowKey: key,
				Names: []string{"N"}, Values: []engine.Value{{Type: engine.Int64, N: 1}}}}}}
		}
		m := s.Moment()
		defer m.Release()
		for i := range 1 + n {
			key := fmt.Sprint("r", i)
			if err := s.Commit(ctx, of(engine.Insert, key)); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Get(ctx, engine.Get{Table: "tab", PartitionKey: "p", RowKey: key}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Commit(ctx, of(engine.Replace, "r0")); err != nil {
			t.Fatal(err)
		}
		err := s.Transact(ctx, engine.Transaction{Since: m, Commits: []engine.Commit{of(engine.Merge, "r0")}})
		if e, ok := err.(*engine.Error); !ok || e.Code != engine.CodeStale {
			t.Fatalf("%d entities were read, and one changed: %v", 1+n, err)
		}
	}
}
