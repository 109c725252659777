package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// TestRangeEnds: a walk ends where its range does, whether that is in its first leaf or a later one, and whether or not other rows
// follow.
func TestRangeEnds(t *testing.T) {
	m, ctx := OpenMemory(Options{}), context.Background()
	if err := m.CreateTable(ctx, "rows", nil); err != nil {
		t.Fatal(err)
	}
	const rows = 3 * treeWidth
	for i := range rows {
		op := engine.Op{Kind: engine.Insert, Entity: engine.Entity{PartitionKey: "p", RowKey: fmt.Sprintf("%04d", i)}}
		if err := m.Commit(ctx, engine.Commit{Table: "rows", PartitionKey: "p", Ops: []engine.Op{op}, ETags: make([]string, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	for from := range 3 {
		for to := from; to <= rows+1; to++ {
			c := m.Scan(ctx, engine.Scan{Table: "rows", PartitionKey: "p", From: fmt.Sprintf("%04d", from), To: fmt.Sprintf("%04d", to)})
			got := 0
			for {
				chunk, err := c.Next(ctx)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got += len(chunk)
			}
			if want := min(to, rows) - from; got != want {
				t.Fatalf("from %d to %d: %d rows, want %d", from, to, got, want)
			}
		}
	}
}
