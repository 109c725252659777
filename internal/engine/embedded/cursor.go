package embedded

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// A cursor gives few entities first, for readers that want no more, and then more at once.
const (
	firstChunk = 16
	fullChunk  = 256
)

// source is where a cursor's entities come from.
type source interface {
	// walk adds the next entities that pass the scan's filter to the cursor's chunk: at least one and at most size, or none at the end of the
	// range. What it adds is valid as long as the chunk; its strings are valid for ever.
	walk(ctx context.Context, size int) error
	// drop releases what a walk needs.
	drop()
}

// cursor is the common part of both stores' walks: it hands out a scan's entities, a chunk at a time.
type cursor struct {
	source source
	scan   engine.Scan
	err    error // what Next reports from now on
	chunk  []engine.Entity
	values []engine.Value // of the chunk's entities, if only they use it
	tally  tally
}

// Next implements engine.Cursor.
func (c *cursor) Next(ctx context.Context) ([]engine.Entity, error) {
	if c.err == nil {
		c.err = c.fill(ctx)
		c.tally.flush()
	}
	if c.err != nil {
		c.Close()
		return nil, c.err
	}
	return c.chunk, nil
}

// fill makes the next chunk.
func (c *cursor) fill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	size := c.tally.chunk()
	if room := c.scan.Room; room != nil && c.chunk == nil {
		c.chunk, c.values = room.Entities, room.Values
	}
	if c.chunk == nil {
		c.chunk = make([]engine.Entity, 0, size)
	}
	c.chunk, c.values = c.chunk[:0], c.values[:0]
	if size > 0 {
		if err := c.source.walk(ctx, size); err != nil {
			return err
		}
	}
	if err := c.tally.spend(c.scan.Budget); err != nil {
		return err
	}
	if len(c.chunk) == 0 {
		return io.EOF
	}
	c.tally.returned(len(c.chunk))
	return nil
}

// reserve makes room in values for those of one more entity: for a few entities at first, and then for more at once.
func (c *cursor) reserve(n int) {
	if cap(c.values)-len(c.values) < n {
		room := min(max(firstChunk*n, 2*cap(c.values)), max(n, n*cap(c.chunk)))
		c.values = make([]engine.Value, 0, room) // entities keep what they have of the old one
	}
}

// Close implements engine.Cursor.
func (c *cursor) Close() error {
	if c.err == nil {
		c.err = io.EOF
	}
	if room := c.scan.Room; room != nil && c.chunk != nil {
		room.Entities, room.Values = c.chunk, c.values
	}
	c.chunk, c.values = nil, nil
	c.source.drop()
	return nil
}
