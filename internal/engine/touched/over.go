package touched

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Over gives a store that counts for contexts that ask for it. It offers the same interfaces as the store.
func Over(e engine.Engine) engine.Engine {
	base := &counting{reader{e}, e}
	whole, ok := e.(engine.Transactor)
	if !ok {
		if m, ok := e.(engine.Maintainer); ok {
			return struct {
				engine.Engine
				engine.Maintainer
			}{base, m}
		}
		return base
	}
	t := &transactor{base, whole}
	bounded, isBounded := e.(engine.Bounded)
	sweeper, sweeps := e.(engine.Sweeper)
	if isBounded && sweeps {
		return &shared{t, sweeper, bounded}
	}
	if m, ok := e.(engine.Maintainer); ok {
		return &local{t, m}
	}
	return t
}

type reader struct{ of engine.Reader }

// Get implements engine.Reader.
func (r reader) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	e, err := r.of.Get(ctx, g)
	if err == nil {
		counterOf(ctx).add(g.Table, g.PartitionKey, 1, 0)
	}
	return e, err
}

// Scan implements engine.Reader.
func (r reader) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	c := r.of.Scan(ctx, s)
	if p := counterOf(ctx); p != nil {
		return &cursor{c, p, s.Table}
	}
	return c
}

type cursor struct {
	engine.Cursor
	count *Partitions
	table string
}

// Next implements engine.Cursor.
func (c *cursor) Next(ctx context.Context) ([]engine.Entity, error) {
	entities, err := c.Cursor.Next(ctx)
	c.count.entities(c.table, entities)
	return entities, err
}

type counting struct {
	reader
	engine.Engine
}

// Get implements engine.Reader.
func (c *counting) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	return c.reader.Get(ctx, g)
}

// Scan implements engine.Reader.
func (c *counting) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return c.reader.Scan(ctx, s)
}

// Commit implements engine.Engine.
func (c *counting) Commit(ctx context.Context, commit engine.Commit) error {
	err := c.Engine.Commit(ctx, commit)
	if err == nil {
		counterOf(ctx).commit(&commit)
	}
	return err
}

// transactor is over a store with transactions of any size.
type transactor struct {
	*counting
	store engine.Transactor
}

// Transact implements engine.Transactor.
func (t *transactor) Transact(ctx context.Context, tx engine.Transaction) error {
	tx.Since = bare(tx.Since)
	err := t.store.Transact(ctx, tx)
	if p := counterOf(ctx); p != nil && err == nil {
		for i := range tx.Commits {
			p.commit(&tx.Commits[i])
		}
	}
	return err
}

// Snapshots implements engine.Transactor.
func (t *transactor) Snapshots() bool { return t.store.Snapshots() }

// Moment implements engine.Transactor.
func (t *transactor) Moment() engine.Moment {
	m := t.store.Moment()
	return &moment{reader{m}, m}
}

// moment is a moment of the store.
type moment struct {
	reader
	of engine.Moment
}

// Begin implements engine.Moment.
func (m *moment) Begin() error { return m.of.Begin() }

// Release implements engine.Moment.
func (m *moment) Release() { m.of.Release() }

// bare gives the store's own moment, which the store recognizes.
func bare(m engine.Moment) engine.Moment {
	if of, ok := m.(*moment); ok {
		return of.of
	}
	return m
}

// local is over a store within this process.
type local struct {
	*transactor
	engine.Maintainer
}

// shared is over a store that several processes use.
type shared struct {
	*transactor
	engine.Sweeper
	bounded engine.Bounded
}

// Fit implements engine.Bounded.
func (s *shared) Fit(o *engine.Outline) error {
	own := *o
	own.Since = bare(o.Since)
	return s.bounded.Fit(&own)
}
