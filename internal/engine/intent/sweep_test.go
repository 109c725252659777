package intent_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// telling is a store that tells the time.
type telling struct{ engine.Engine }

func (s telling) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	e, err := s.Engine.Get(ctx, g)
	if g.Clock != nil {
		*g.Clock = time.Now().Unix()*1e7 + ticksAtEpoch
	}
	return e, err
}

// ticksAtEpoch is 1970 in ticks of 100 ns since year 1.
const ticksAtEpoch = 621_355_968_000_000_000

// TestSweep: wherever a process has died, an hour later nothing is left of its transaction but what it wrote, or nothing.
func TestSweep(t *testing.T) {
	for _, partitions := range []int{2, 20} { // with 20 the record is there before the transaction is decided
		for _, tables := range []int{1, 2} {
			for after := 0; ; after++ {
				died := true
				t.Run(fmt.Sprint(partitions, tables, after), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { died = sweepAfter(t, partitions, tables, after) })
				})
				if !died {
					break
				}
			}
		}
	}
}

func sweepAfter(t *testing.T, partitions, tables, after int) (died bool) {
	ctx := t.Context()
	base := telling{engine.InGroups(embedded.OpenMemory(embedded.Options{}))}
	defer base.Close()
	names := []string{"table", "other"}[:tables]
	for _, table := range append([]string{records}, names...) {
		if err := base.CreateTable(ctx, table, nil); err != nil {
			t.Fatal(err)
		}
	}
	var tx engine.Transaction
	for _, table := range names {
		for i := range partitions {
			partition := fmt.Sprint("p", i)
			before := commitOf(put(engine.Insert, partition, "r", "", 1), put(engine.Insert, partition, "x", "r", 1))
			c := commitOf(put(engine.Replace, partition, "r", "", 2), put(engine.Replace, partition, "x", "r", 2), put(engine.Insert, partition, "new", "", 2))
			before.Table, c.Table = table, table
			if err := base.Commit(ctx, before); err != nil {
				t.Fatal(err)
			}
			tx.Commits = append(tx.Commits, c)
		}
	}
	mortal := &mortal{base, after}
	dying := intent.New(mortal, intent.Options{Records: inRecords, Parallel: 1})
	_ = dying.Transact(ctx, tx)
	_ = dying.Close()
	died = mortal.commits < 0

	s := intent.New(base, intent.Options{Records: inRecords, Parallel: 4})
	defer s.Close()
	if swept, err := s.Sweep(ctx, names, false, nil); err != nil || swept != (engine.Swept{}) {
		t.Errorf("what is young was swept: %+v, %v", swept, err)
	}
	time.Sleep(2 * time.Hour)
	synctest.Wait()
	stored := storedMarks(t, base, names)
	if swept, err := s.Sweep(ctx, names, true, nil); err != nil || swept.Entities+swept.Records != stored {
		t.Errorf("%+v counted, there are %d: %v", swept, stored, err)
	}
	for range 2 { // what was pending, or undecided, gets a record that is young
		if _, err := s.Sweep(ctx, names[:1], false, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
	}
	seen := map[uint64]int{}
	for _, table := range names {
		if err := engine.Each(ctx, s, engine.Scan{Table: table, AllPartitions: true, Select: []string{"N"}}, func(e *engine.Entity) error {
			seen[e.Values[0].N]++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if n := partitions * tables; seen[1] != 2*n && (seen[1] != 0 || seen[2] != 3*n) {
		t.Errorf("entities by what they say: %v", seen)
	}
	if seen[1] > 0 { // nobody knows what an aborted transaction has left in the other table
		if _, err := s.Sweep(ctx, names, false, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		if _, err := s.Sweep(ctx, names, false, nil); err != nil {
			t.Fatal(err)
		}
	}
	if stored := storedMarks(t, base, names); stored > 0 {
		t.Errorf("%d entities of the transaction are left", stored)
	}
	return died
}

// storedMarks counts intents and records.
func storedMarks(t *testing.T, base engine.Engine, tables []string) (n int) {
	for _, table := range append([]string{records}, tables...) {
		if err := engine.Each(t.Context(), base, engine.Scan{Table: table, AllPartitions: true, Select: []string{"nf_t"}}, func(e *engine.Entity) error {
			if e.Values[0].S != "" {
				n++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return n
}
