package buffer

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Group is the transactions of one process, as far as they must know what the others have: those that read FOR UPDATE. A transaction has the
// rows that it has written to or read FOR UPDATE. Whether other processes have them shows at the commit.
type Group struct {
	asked atomic.Bool   // a transaction has asked
	clock atomic.Uint64 // changes under mu

	mu      sync.Mutex
	open    map[*Buffer]struct{}
	left    map[point]uint64 // what ended transactions had, and when they ended: a reader that began earlier may have read the older content
	waiting map[point][]*waiter
}

// mostLeft is the maximum number of entities that a Group remembers: those of the latest transactions.
const mostLeft = 1 << 16

// Join adds b until it is released. It must come before anything is read, and before the moment that all reads are of.
func (g *Group) Join(b *Buffer) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open, g.left = map[*Buffer]struct{}{}, map[point]uint64{}
	}
	g.open[b] = struct{}{}
	b.group, b.joined = g, g.clock.Load()
}

// leave ends b's membership; it does nothing if b is in no group.
func (g *Group) leave(b *Buffer) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaveLocked(b)
}

func (g *Group) leaveLocked(b *Buffer) {
	if _, is := g.open[b]; !is {
		return
	}
	delete(g.open, b)
	if !g.asked.Load() {
		return
	}
	g.remember(b)
	b.taken = nil
	g.advanceAll()
}

// remember notes what b had. If no transaction is left, none began before.
func (g *Group) remember(b *Buffer) {
	now := g.clock.Add(1)
	if len(g.open) == 0 {
		clear(g.left)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, t := range b.tables {
		t.entries.Scan(func(e *entry) bool {
			g.left[point{name, e.partitionKey, e.rowKey}] = now
			return true
		})
	}
	for at := range b.taken { // others may rely on an index entry that it has kept
		g.left[at] = now
	}
	if len(g.left) > mostLeft {
		for at, when := range g.left {
			if when+mostLeft/64 < now || len(g.left) > 2*mostLeft {
				delete(g.left, at)
			}
		}
	}
}

// beganAt is the time on the group's clock from which on a reader of b sees what others commit.
func (b *Buffer) beganAt() uint64 {
	switch g := b.group; {
	case g == nil:
		return 0
	case b.since == nil:
		return g.clock.Load()
	}
	return b.joined
}

// asks notes that from now on it matters what other transactions have.
func (b *Buffer) asks() {
	if g := b.group; g != nil && !g.asked.Load() {
		g.asked.Store(true)
	}
}

// takeFree makes b keep an entity, which is at a place or is an index entry of the row there. It gives false if another transaction has the row,
// or has had it since the reader began, and hold says that this is no error.
func (b *Buffer) takeFree(table string, e *engine.Entity, at point, began uint64, hold engine.Hold) (bool, error) {
	if g := b.group; g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.left[at] > began || g.holder(b, at) != nil {
			if hold == engine.HoldOrFail {
				return false, &engine.Error{Code: engine.CodeBusy}
			}
			return false, nil
		}
		g.give(b, at)
	}
	return true, b.pin(table, []engine.Entity{*e})
}

// give lets b have an entity until b ends, even if it goes back to a savepoint.
func (g *Group) give(b *Buffer, at point) {
	if _, is := g.open[b]; !is {
		return // its rows are kept open after its end
	}
	if b.taken == nil {
		b.taken = map[point]struct{}{}
	}
	b.taken[at] = struct{}{}
}

// holder is a transaction other than b that has an entity; nil: none has.
func (g *Group) holder(b *Buffer, at point) *Buffer {
	for other := range g.open {
		if other != b && other.has(at) {
			return other
		}
	}
	return nil
}

// has says whether b has an entity. The group is locked.
func (b *Buffer) has(at point) bool {
	if _, is := b.taken[at]; is {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tables[at.table].find(at.partitionKey, at.rowKey) != nil
}

// takingCursor gives entities one at a time, and makes its transaction keep each: no more of them than are wanted.
type takingCursor struct {
	engine.Cursor
	taker
	rest []engine.Entity
}

func (c *takingCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	for {
		for len(c.rest) > 0 {
			next := c.rest[:1:1]
			c.rest = c.rest[1:]
			have, err := c.take(ctx, &next[0])
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
