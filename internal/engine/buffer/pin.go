package buffer

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Pinned is a buffer whose reads pin what they give: Commit fails with engine.CodeStale when an entity that was read
// through it has been changed or deleted since. A pin is an operation of the commit, so what is pinned has to be
// in the partition that is written to.
type Pinned struct{ b *Buffer }

// Pin gives the view of b that pins what is read.
func (b *Buffer) Pin() Pinned { return Pinned{b} }

// Get reads an entity and pins it.
func (p Pinned) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	e, err := p.b.Get(ctx, g)
	if err == nil {
		p.b.pin(g.Table, []engine.Entity{e})
	}
	return e, err
}

// Scan walks a range, and pins what it gives.
func (p Pinned) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return &pinningCursor{Cursor: p.b.Scan(ctx, s), b: p.b, table: s.Table}
}

type pinningCursor struct {
	engine.Cursor
	b     *Buffer
	table string
}

func (c *pinningCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	chunk, err := c.Cursor.Next(ctx)
	if err == nil {
		c.b.pin(c.table, chunk)
	}
	return chunk, err
}

// pin makes each entity that the transaction has not touched yet one that it merges nothing into, as long as it is
// what was read.
func (b *Buffer) pin(table string, entities []engine.Entity) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range entities {
		e := &entities[i]
		if b.tree(table).find(e.PartitionKey, e.RowKey) == nil {
			b.put(table, &entry{partitionKey: e.PartitionKey, rowKey: e.RowKey, op: engine.Merge, ifMatch: e.ETag})
		}
	}
}
