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
		ranges := make([]engine.Scan, len(keys))
		for i, k := range keys {
			ranges[i] = engine.Point("table", "p", k)
			ranges[i].Select, ranges[i].Meter = []string{}, &meter
		}
		answered, err := engine.Near(t.Context(), e.Scan, e.Limits(), ranges, func(i int, e *engine.Entity) error {
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
		if requests > answered || len(keys) <= engine.FewRanges && requests > 0 {
			t.Errorf("round %d: %d requests for %d of %d keys", round, requests, answered, len(keys))
		}
		if len(keys) > engine.FewRanges {
			least, few = least+requests+len(keys)-answered, few+len(keys)
		}
		_ = e.Close()
	}
	t.Logf("%d requests for %d keys", least, few)
	if _, err := engine.Near(t.Context(), func(context.Context, engine.Scan) engine.Cursor { panic("it must not read") }, engine.Limits{}, make([]engine.Scan, 100), nil); err != nil {
		t.Error(err)
	}
}

// TestNearRanges: of ranges of several entities each, those that are answered have all of theirs, each once.
func TestNearRanges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	saved := 0
	for round := range 200 {
		e := embedded.OpenMemory(embedded.Options{PageEntities: 1 + rnd.IntN(100)})
		if err := e.CreateTable(t.Context(), "table", nil); err != nil {
			t.Fatal(err)
		}
		rows, spread := 1+rnd.IntN(1500), 1+rnd.IntN(4)
		ops := make([]engine.Op, 0, 100)
		send := func() {
			if err := e.Commit(t.Context(), engine.Commit{Table: "table", PartitionKey: "p", Ops: ops}); err != nil {
				t.Fatal(err)
			}
			ops = ops[:0]
		}
		there := map[string]bool{}
		for i := range rows {
			if rnd.IntN(spread) > 0 {
				continue
			}
			key := fmt.Sprintf("%05d", i)
			there[key] = true
			if ops = append(ops, engine.Op{Kind: engine.Insert, Entity: engine.Entity{PartitionKey: "p", RowKey: key}}); len(ops) == 100 {
				send()
			}
		}
		if len(ops) > 0 {
			send()
		}
		var ranges []engine.Scan
		var meter engine.Meter
		for at := 0; at < rows; {
			from := at + rnd.IntN(1+30*(round%3))
			at = from + 1 + rnd.IntN(8)
			ranges = append(ranges, engine.Scan{Table: "table", PartitionKey: "p", From: fmt.Sprintf("%05d", from), To: fmt.Sprintf("%05d", at), Select: []string{}, Meter: &meter})
		}
		found := map[string]int{}
		answered, err := engine.Near(t.Context(), e.Scan, e.Limits(), ranges, func(i int, e *engine.Entity) error {
			if found[e.RowKey]++; found[e.RowKey] > 1 || e.RowKey < ranges[i].From || e.RowKey >= ranges[i].To {
				t.Errorf("round %d: %s is found %d times, in %v", round, e.RowKey, found[e.RowKey], ranges[i])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range ranges[:answered] {
			for key := range there {
				if key >= s.From && key < s.To && found[key] != 1 {
					t.Errorf("round %d: %s is not found", round, key)
				}
			}
		}
		if left := len(ranges) - answered; left > 0 && left <= engine.FewRanges || answered > 0 {
			saved += answered - int(meter.Requests.Load())
		}
		_ = e.Close()
	}
	if saved < 1000 {
		t.Errorf("only %d requests were saved", saved)
	}
}
