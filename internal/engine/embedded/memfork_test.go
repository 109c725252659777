package embedded_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/enginetest"
)

// TestFork: a fork is a store as any.
func TestFork(t *testing.T) {
	enginetest.Run(t, func(*testing.T) engine.Engine {
		return embedded.OpenMemory(embedded.Options{}).Fork()
	}, enginetest.ExactFilters, enginetest.CountsScanned, enginetest.Snapshots)
}

// TestForksApart writes to stores that were forked from each other at any time: each holds what was written to it, and before the fork.
func TestForksApart(t *testing.T) {
	ctx := context.Background()
	type forked struct {
		store *embedded.Memory
		holds map[string]int32
	}
	random := rand.New(rand.NewPCG(1, 2))
	stores := []forked{{embedded.OpenMemory(embedded.Options{}), map[string]int32{}}}
	if err := stores[0].store.CreateTable(ctx, "forked", nil); err != nil {
		t.Fatal(err)
	}
	check := func(f forked) {
		t.Helper()
		found := 0
		for p := range 3 {
			cursor := f.store.Scan(ctx, engine.Scan{Table: "forked", PartitionKey: fmt.Sprint(p)})
			for {
				chunk, err := cursor.Next(ctx)
				if err != nil {
					break
				}
				for _, e := range chunk {
					found++
					if n, ok := f.holds[e.PartitionKey+e.RowKey]; !ok || int32(e.Values[0].N) != n {
						t.Fatalf("%s %s is %d, want %d %v", e.PartitionKey, e.RowKey, int32(e.Values[0].N), n, ok)
					}
				}
			}
			cursor.Close()
		}
		if found != len(f.holds) {
			t.Fatalf("%d entities, want %d", found, len(f.holds))
		}
	}
	for i := range 20_000 {
		f := stores[random.IntN(len(stores))]
		partition, row := fmt.Sprint(random.IntN(3)), fmt.Sprintf("%03d", random.IntN(200))
		op := engine.Op{Kind: engine.Upsert, Entity: engine.Entity{PartitionKey: partition, RowKey: row, Names: []string{"N"}, Values: []engine.Value{{Type: engine.Int32, N: uint64(i)}}}}
		if _, ok := f.holds[partition+row]; ok && random.IntN(2) == 0 {
			op = engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: row}}
			delete(f.holds, partition+row)
		} else {
			f.holds[partition+row] = int32(i)
		}
		if err := f.store.Commit(ctx, engine.Commit{Table: "forked", PartitionKey: partition, Ops: []engine.Op{op}}); err != nil {
			t.Fatal(err)
		}
		if i%500 == 0 && len(stores) < 12 {
			stores = append(stores, forked{f.store.Fork(), maps.Clone(f.holds)})
		}
		if i%1000 == 999 {
			for _, f := range stores {
				check(f)
			}
		}
	}
}
