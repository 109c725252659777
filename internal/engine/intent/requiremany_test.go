package intent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// TestManyRequired: of many entities that a transaction requires, which are looked at by ranges, one that another transaction is about to
// delete is in its way; one that it only lies beside is not.
func TestManyRequired(t *testing.T) {
	for _, deletes := range []int{0, 7, 29, 30} { // the last one is not required
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			parent := func(i int) string { return fmt.Sprintf("parent%02d", i) }
			stored := engine.Commit{Table: "table", PartitionKey: "a"}
			need := engine.Transaction{Commits: []engine.Commit{commitOf(put(engine.Insert, "c", "child", "", 1))}, Meter: &engine.Meter{}}
			for i := range 32 {
				stored.Ops = append(stored.Ops, put(engine.Insert, "a", parent(i), "", 1))
				if i != 30 {
					need.Requires = append(need.Requires, engine.Requirement{Table: "table", PartitionKey: "a", From: parent(i), To: parent(i) + "\x00", Any: true})
				}
			}
			base, s := left(t, []engine.Commit{stored}, 0)
			var child error
			x := intent.New(&decides{base, func() {
				inner, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				child = s.Transact(inner, need)
			}}, intent.Options{Records: inRecords, Parallel: 1})
			defer x.Close()
			others := engine.Commit{Table: "table", PartitionKey: "b"} // home: so the delete has an intent before it is decided
			for i := range 5 {
				others.Ops = append(others.Ops, put(engine.Insert, "b", fmt.Sprint(i), "", 1))
			}
			if err := x.Transact(ctx, engine.Transaction{Commits: []engine.Commit{commitOf(put(engine.Delete, "a", parent(deletes), "", 0)), others}}); err != nil {
				t.Fatal(err)
			}
			if beside := deletes == 30; (child == nil) != beside {
				t.Errorf("beside the delete of %d: %v", deletes, child)
			}
			if deletes == 30 {
				if n := need.Meter.Requests.Load(); n > 4 {
					t.Errorf("%d requests", n)
				}
				return
			}
			var unmet *engine.Error
			if err := s.Transact(ctx, need); !errors.As(err, &unmet) || unmet.Unmet == nil || unmet.Unmet.From != parent(deletes) {
				t.Errorf("behind the delete of %d: %v", deletes, err)
			}
		})
	}
}
