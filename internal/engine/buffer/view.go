package buffer

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// View is a transaction as one statement reads it: its writes from before the statement, over what the statement reads from the store.
type View struct {
	b      *Buffer
	tables map[string]*tree // as they were when the view was made
	on     engine.Reader
	pins   bool
	began  uint64 // by the group's clock: others may have changed what they have released since
}

// Over gives the view of b over a moment of the store; nil: over what b itself is over. What a view that pins gives must still be what is stored
// at Commit, which otherwise fails with engine.CodeStale. A pin is an operation of the commit.
func (b *Buffer) Over(m engine.Moment, pins bool) View {
	began := b.beganAt() // before b is locked: a Group locks itself first
	b.mu.Lock()
	defer b.mu.Unlock()
	b.viewed = true
	v := View{b, b.tables, b.base, pins, began}
	if m != nil {
		v.on = m
	}
	return v
}

// At is v over a moment of the store that came after it.
func (v View) At(m engine.Moment) View {
	v.on = m
	return v
}

func (v View) tree(table string) *tree { return v.tables[engine.FoldTable(table)] }

// Buffer gives the transaction's buffer.
func (v View) Buffer() *Buffer { return v.b }

// Get reads an entity as the transaction sees it.
func (b *Buffer) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	return b.Over(nil, false).Get(ctx, g)
}

// Scan walks a range as the transaction sees it: what it writes later is not seen.
func (b *Buffer) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return b.Over(nil, false).Scan(ctx, s)
}

// Get reads an entity as the transaction sees it.
func (v View) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	hold := v.holds(g.Table, g.Hold)
	if hold == engine.HoldOrWait && g.Row == nil {
		return v.getKept(ctx, g)
	}
	e, err := v.get(ctx, g)
	switch {
	case err != nil:
	case hold >= engine.HoldOrFail:
		t := taker{v, g.Table, g.Row, hold, g.Meter}
		var have bool
		if have, err = t.take(ctx, &e); err == nil && !have {
			return engine.Entity{}, &engine.Error{Code: engine.CodeNotFound}
		}
	case v.pins && hold == engine.HoldAsAll:
		err = v.b.pin(g.Table, []engine.Entity{e})
	}
	return e, err
}

// Scan walks a range as the transaction sees it: what it writes later is not seen.
func (v View) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	hold := v.holds(s.Table, s.Hold)
	c := v.scan(ctx, s)
	switch {
	case hold >= engine.HoldOrFail:
		return &takingCursor{Cursor: c, taker: taker{v, s.Table, s.Row, hold, s.Meter}}
	case v.pins && hold == engine.HoldAsAll:
		return &pinningCursor{Cursor: c, b: v.b, table: s.Table}
	}
	return c
}

// holds gives what to do with entities of a table when a read asks for hold.
func (v View) holds(table string, hold engine.Hold) engine.Hold {
	if hold == engine.HoldOrWait && (!v.pins || v.b.beside(table) != nil) {
		return engine.HoldAsAll
	}
	if hold >= engine.HoldOrFail {
		v.b.asks()
	}
	return hold
}

type pinningCursor struct {
	engine.Cursor
	b     *Buffer
	table string
}

func (c *pinningCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	chunk, err := c.Cursor.Next(ctx)
	if err == nil {
		err = c.b.pin(c.table, chunk)
	}
	if err != nil {
		return nil, err
	}
	return chunk, nil
}

// pin adds a merge of nothing for each entity that the transaction has not touched yet, on condition that it is still what was read.
func (b *Buffer) pin(table string, entities []engine.Entity) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range entities {
		e := &entities[i]
		if b.tree(table).find(e.PartitionKey, e.RowKey) == nil {
			if err := b.put(table, &entry{partitionKey: e.PartitionKey, rowKey: e.RowKey, op: engine.Merge, ifMatch: e.ETag}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Notes says whether reads count for the commit: then no more is read than is wanted.
func (v View) Notes() bool { return v.pins || v.b.since != nil }

// Wrote says whether the transaction has written to an entity, so that a Get is not just a read of the store.
func (v View) Wrote(g *engine.Get) bool {
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	return v.tree(g.Table).find(g.PartitionKey, g.RowKey) != nil
}

// Under walks a range of the store, as if the transaction had written nothing there.
func (v View) Under(ctx context.Context, s engine.Scan) engine.Cursor { return v.b.walk(ctx, v.on, s) }
