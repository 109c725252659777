package buffer

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// reads is what a transaction has read from the store, for its commit to check that it is still the same.
type reads struct {
	mu     sync.Mutex
	points map[point]struct{}
	ranges []*engine.Walked
}

// point names an entity, which need not exist.
type point struct {
	table                string // folded
	partitionKey, rowKey string
}

func pointOf(table, partitionKey, rowKey string) point {
	return point{engine.FoldTable(table), partitionKey, rowKey}
}

// read reads an entity from the store, and notes it.
func (b *Buffer) read(ctx context.Context, on engine.Reader, g engine.Get) (engine.Entity, error) {
	if aside := b.beside(g.Table); aside != nil {
		return aside.Get(ctx, g)
	}
	e, err := on.Get(ctx, g)
	if err == nil && !b.readsOneMoment() {
		b.seen(g.Table, []engine.Entity{{PartitionKey: g.PartitionKey, RowKey: g.RowKey}})
	}
	if b.reads == nil {
		return e, err
	}
	if err == nil || isAbsent(err) {
		if err := b.note(pointOf(g.Table, g.PartitionKey, g.RowKey)); err != nil {
			return engine.Entity{}, err
		}
	}
	return e, err
}

// isAbsent says whether a read found no entity.
func isAbsent(err error) bool {
	return engine.Is(err, engine.CodeNotFound)
}

// readsOneMoment says whether all reads show one moment of the store.
func (b *Buffer) readsOneMoment() bool {
	_, isNone := b.since.(observer)
	return b.since != nil && !isNone
}

func (b *Buffer) note(p point) error {
	const pointOctets = 128
	r := b.reads
	r.mu.Lock()
	_, known := r.points[p]
	if !known {
		if r.points == nil {
			r.points = map[point]struct{}{}
		}
		r.points[p] = struct{}{}
	}
	r.mu.Unlock()
	if known {
		return nil
	}
	return b.held(pointOctets + int64(len(p.partitionKey)+len(p.rowKey)))
}

// walk walks a range of the store, and notes how far.
func (b *Buffer) walk(ctx context.Context, on engine.Reader, s engine.Scan) engine.Cursor {
	if aside := b.beside(s.Table); aside != nil {
		return aside.Scan(ctx, s)
	}
	c := on.Scan(ctx, s)
	if !b.readsOneMoment() {
		c = &seeingCursor{c, b, s.Table}
	}
	if b.reads == nil {
		return c
	}
	const rangeOctets = 512
	if err := b.held(rangeOctets); err != nil {
		c.Close()
		return failedCursor{err}
	}
	r := &engine.Walked{Scan: s}
	b.reads.mu.Lock()
	b.reads.ranges = append(b.reads.ranges, r)
	b.reads.mu.Unlock()
	return &notingCursor{Cursor: c, reads: b.reads, read: r, left: s.Limit}
}

// failedCursor only gives an error.
type failedCursor struct{ err error }

func (c failedCursor) Next(context.Context) ([]engine.Entity, error) { return nil, c.err }
func (c failedCursor) Close() error                                  { return nil }

// notingCursor notes how far a range was read.
type notingCursor struct {
	engine.Cursor
	reads *reads
	read  *engine.Walked
	left  int // entities that the limit leaves; 0 if there is no limit
}

func (c *notingCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	chunk, err := c.Cursor.Next(ctx)
	c.reads.mu.Lock()
	defer c.reads.mu.Unlock()
	r := c.read
	switch {
	case errors.Is(err, io.EOF):
		r.Whole = r.Scan.Limit == 0 || c.left > 0
	case err == nil:
		r.Upto(&chunk[len(chunk)-1])
		c.left -= len(chunk)
	}
	return chunk, err
}

// list gives everything read as ranges.
func (r *reads) list() []engine.Scan {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []engine.Scan
	for p := range r.points {
		all = append(all, engine.Point(p.table, p.partitionKey, p.rowKey))
	}
	for _, read := range r.ranges {
		all = append(all, read.Scans()...)
	}
	return all
}
