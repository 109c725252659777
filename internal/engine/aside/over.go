package aside

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Over gives a store with tables next to it. It is an engine.Transactor if the store is one.
func Over(store engine.Engine, t *Tables) engine.Engine {
	both := &over{store, t}
	if s, ok := store.(engine.Transactor); ok {
		return &overTransactor{both, s}
	}
	return both
}

// over is a store with tables next to it.
type over struct {
	engine.Engine
	tables *Tables
}

// of says where a table is.
func (o *over) of(table string) engine.Engine {
	if o.tables.Has(table) {
		return o.tables
	}
	return o.Engine
}

// Get implements engine.Reader.
func (o *over) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	return o.of(g.Table).Get(ctx, g)
}

// Scan implements engine.Reader.
func (o *over) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return o.of(s.Table).Scan(ctx, s)
}

// Commit implements engine.Engine.
func (o *over) Commit(ctx context.Context, c engine.Commit) error {
	return o.of(c.Table).Commit(ctx, c)
}

// overTransactor is over a store with transactions of any size.
type overTransactor struct {
	*over
	store engine.Transactor
}

// Transact implements engine.Transactor. It writes to the tables next to the store first, because that can be undone.
func (o *overTransactor) Transact(ctx context.Context, t engine.Transaction) error {
	beside, ofBeside := engine.Pick(t.Commits, func(c *engine.Commit) bool { return o.tables.Has(c.Table) })
	stored, ofStored := engine.Pick(t.Commits, func(c *engine.Commit) bool { return !o.tables.Has(c.Table) })
	undo, err := o.tables.Write(ctx, beside)
	if err != nil {
		return ofBeside(err)
	}
	if len(stored) == 0 {
		return nil
	}
	t.Commits = stored
	if err := o.store.Transact(ctx, t); err != nil {
		undo()
		return ofStored(err)
	}
	return nil
}

// Snapshots implements engine.Transactor.
func (o *overTransactor) Snapshots() bool { return o.store.Snapshots() }

// Moment implements engine.Transactor. The tables next to the store are shown as they are when they are read: only their user changes them.
func (o *overTransactor) Moment() engine.Moment { return &moment{o.store.Moment(), o.tables} }

type moment struct {
	engine.Moment
	tables *Tables
}

// Get implements engine.Reader.
func (m *moment) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if m.tables.Has(g.Table) {
		return m.tables.Get(ctx, g)
	}
	return m.Moment.Get(ctx, g)
}

// Scan implements engine.Reader.
func (m *moment) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	if m.tables.Has(s.Table) {
		return m.tables.Scan(ctx, s)
	}
	return m.Moment.Scan(ctx, s)
}
