package intent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/intent"
)

// TestTakenEntry: an index entry passes from one row to another in a transaction of several groups, so that the row which had it is in another
// group than the entry. Another transaction that is about to delete the first row, and the entry with it, is not disturbed.
func TestTakenEntry(t *testing.T) {
	ctx := t.Context()
	base := embedded.OpenMemory(embedded.Options{})
	if err := base.CreateTable(ctx, "table", nil); err != nil {
		t.Fatal(err)
	}
	s, other := newStore(t, base), intent.New(engine.InGroups(base), intent.Options{Records: inRecords, Parallel: 4})
	defer s.Close()
	defer other.Close()
	const rows = 120
	rowKey := func(i int) string { return fmt.Sprintf("row%03d", i) }
	entryKey := func(i int) string { return fmt.Sprintf("u!%03d", i) }
	etags := map[int]string{}
	for i := range rows {
		c := commitOf(put(engine.Insert, "a", rowKey(i), "", i), put(engine.Insert, "a", entryKey(i), rowKey(i), i))
		c.ETags = make([]string, 2)
		if err := s.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
		etags[i] = c.ETags[0]
	}
	// Each row takes the next one's entry, and the last one a new one: as UPDATE … SET u = u + 1 writes it.
	var shift []engine.Op
	for i := range rows {
		row := put(engine.Replace, "a", rowKey(i), "", i+1)
		row.IfMatch = etags[i]
		entry := put(engine.Replace, "a", entryKey(i+1), rowKey(i), i+1)
		if entry.Taken = i < rows-1; !entry.Taken {
			entry.Kind = engine.Insert
		}
		shift = append(shift, row, entry)
	}
	shift = append(shift, engine.Op{Kind: engine.Delete, Row: rowKey(0), Entity: engine.Entity{PartitionKey: "a", RowKey: entryKey(0)}})
	// Groups have 99 operations: this row's entry is in the group before the row's.
	const gone = 98
	row := engine.Op{Kind: engine.Delete, IfMatch: etags[gone], Entity: engine.Entity{PartitionKey: "a", RowKey: rowKey(gone)}}
	entry := engine.Op{Kind: engine.Delete, Row: rowKey(gone), Entity: engine.Entity{PartitionKey: "a", RowKey: entryKey(gone)}}
	home := commitOf(put(engine.Insert, "b", "1", "", 1), put(engine.Insert, "b", "2", "", 1), put(engine.Insert, "b", "3", "", 1))
	err := other.Transact(ctx, engine.Transaction{
		Commits: []engine.Commit{commitOf(row, entry), home},
		Current: func(context.Context) error {
			short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			if err := s.Transact(short, engine.Transaction{Commits: []engine.Commit{commitOf(shift...)}}); err == nil {
				t.Error("both transactions are applied")
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{rowKey(gone), entryKey(gone)} {
		var e *engine.Error
		if _, err := s.Get(ctx, engine.Get{Table: "table", PartitionKey: "a", RowKey: key}); !errors.As(err, &e) || e.Code != engine.CodeNotFound {
			t.Errorf("%s is there though its row was deleted: %v", key, err)
		}
	}
}
