package buffer

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Group is the transactions of one process, as far as they ask what others have: those that read FOR UPDATE with NOWAIT or SKIP LOCKED.
// A transaction has the rows that it has written to or read FOR UPDATE. Whether other processes have them shows at the commit.
type Group struct {
	asked atomic.Bool // somebody has

	mu    sync.Mutex
	clock uint64
	open  map[*Buffer]struct{}
	left  map[busyPlace]uint64 // what transactions had that are over, and when: a reader that began before may have read what was there before
}

// busyPlace names an entity.
type busyPlace struct{ table, partitionKey, rowKey string }

// mostLeft is how many entities a Group remembers at most: those of the last transactions.
const mostLeft = 1 << 16

// Join adds b until it is released. It must come before anything is read.
func (g *Group) Join(b *Buffer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open, g.left = map[*Buffer]struct{}{}, map[busyPlace]uint64{}
	}
	g.open[b] = struct{}{}
	b.group, b.joined = g, g.clock
}

// leave is the end of b; nil: b is in no group.
func (g *Group) leave(b *Buffer) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, is := g.open[b]; !is {
		return
	}
	delete(g.open, b)
	if !g.asked.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	g.clock++
	for name, t := range b.tables {
		t.entries.Scan(func(e *entry) bool {
			g.left[busyPlace{name, e.partitionKey, e.rowKey}] = g.clock
			return true
		})
	}
	if len(g.left) > mostLeft {
		for at, when := range g.left {
			if when+mostLeft/64 < g.clock || len(g.left) > 2*mostLeft {
				delete(g.left, at)
			}
		}
	}
}

// beganAt is the moment of the group's clock from which on a reader of b sees what others commit.
func (b *Buffer) beganAt() uint64 {
	g := b.group
	switch {
	case g == nil:
		return 0
	case b.since != nil:
		return b.joined
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.clock
}

// asks notes that what others have matters from now on.
func (b *Buffer) asks(hold engine.Hold) {
	if g := b.group; g != nil && hold >= engine.HoldOrFail && !g.asked.Load() {
		g.asked.Store(true)
	}
}

// take has b keep an entity from others' changes; false where another transaction has it, or had it since the reader began, and where
// hold says that this is no error.
func (b *Buffer) take(table string, e *engine.Entity, began uint64, hold engine.Hold) (bool, error) {
	if g := b.group; g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.has(b, busyPlace{engine.FoldTable(table), e.PartitionKey, e.RowKey}, began) {
			if hold == engine.HoldOrFail {
				return false, &engine.Error{Code: engine.CodeBusy}
			}
			return false, nil
		}
	}
	return true, b.pin(table, []engine.Entity{*e})
}

// has says whether a transaction beside b has an entity, or had it since began.
func (g *Group) has(b *Buffer, at busyPlace, began uint64) bool {
	if g.left[at] > began {
		return true
	}
	for other := range g.open {
		if other != b && other.has(at) {
			return true
		}
	}
	return false
}

func (b *Buffer) has(at busyPlace) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tables[at.table].find(at.partitionKey, at.rowKey) != nil
}

// takingCursor gives one entity after the other, and has its transaction keep each: no more of them than are wanted.
type takingCursor struct {
	engine.Cursor
	v     View
	table string
	hold  engine.Hold
	rest  []engine.Entity
}

func (c *takingCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	for {
		for len(c.rest) > 0 {
			next := c.rest[:1:1]
			c.rest = c.rest[1:]
			have, err := c.v.b.take(c.table, &next[0], c.v.began, c.hold)
			if err != nil {
				return nil, err
			}
			if have {
				return next, nil
			}
		}
		chunk, err := c.Cursor.Next(ctx)
		if err != nil {
			return nil, err
		}
		c.rest = chunk
	}
}
