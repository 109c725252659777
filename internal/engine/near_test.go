package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// TestNear: what ranges answer is what is there, and it takes no more requests than a read of each key.
func TestNear(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	least, few := 0, 0
	for round := range 100 {
		e := embedded.OpenMemory(embedded.Options{})
		if err := e.CreateTable(t.Context(), "table", nil); err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		rows := rnd.IntN(4000)
		key := func() string { return fmt.Sprintf("%05d", rnd.IntN(1+rows*(1+round%3))) }
		for range rows {
			k := key()
			if there[k] {
				continue
			}
			there[k] = true
			for _, partition := range []string{"a", "p", "q"} {
				op := engine.Op{Kind: engine.Insert, Entity: engine.Entity{PartitionKey: partition, RowKey: k}}
				if err := e.Commit(t.Context(), engine.Commit{Table: "table", PartitionKey: partition, Ops: []engine.Op{op}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		var keys []string
		for range rnd.IntN(400) {
			keys = append(keys, key())
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		var meter engine.Meter
		found := map[string]bool{}
		answered, err := engine.Near(t.Context(), e.Scan, engine.Scan{Table: "table", PartitionKey: "p", Select: []string{}, Meter: &meter}, e.Limits(), keys, func(i int, e *engine.Entity) error {
			if keys[i] != e.RowKey || e.ETag == "" || found[e.RowKey] {
				t.Errorf("key %s gives %s", keys[i], e.RowKey)
			}
			found[e.RowKey] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range keys {
			if i < answered && found[k] != there[k] || i >= answered && found[k] {
				t.Errorf("round %d: key %d of %d, %s, is there: %v; found: %v", round, i, answered, k, there[k], found[k])
			}
		}
		requests := int(meter.Requests.Load())
		if requests > answered || len(keys) <= engine.FewKeys && requests > 0 {
			t.Errorf("round %d: %d requests for %d of %d keys", round, requests, answered, len(keys))
		}
		if len(keys) > engine.FewKeys {
			least, few = least+requests+len(keys)-answered, few+len(keys)
		}
		_ = e.Close()
	}
	t.Logf("%d requests for %d keys", least, few)
	if _, err := engine.Near(t.Context(), func(context.Context, engine.Scan) engine.Cursor { panic("it must not read") }, engine.Scan{}, engine.Limits{}, make([]string, 100), nil); err != nil {
		t.Error(err)
	}
}
