package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// steps make a change, in this order. A step that publishes a definition waits until no statement uses the one before it;
// schema.CheckStep says what such a step may change. A step that the change does not need does nothing.
func steps() []func(*making, context.Context) error {
	return []func(*making, context.Context) error{
		(*making).look,          // for rows that the next definition refuses
		(*making).retireDropped, // takes dropped indexes to write-only, then to delete-only
		(*making).announce,      // columns and checks, and looks for such rows again
		(*making).publishNext,   // the next definition, with its new indexes delete-only
		(*making).clear,         // deletes the entries of dropped indexes
		(*making).fill,          // takes new indexes to write-only, rewrites rows, makes the indexes public
	}
}

// making is a change that is being made.
type making struct {
	*definition
	*change
	table   *schema.Table   // as it is published now
	former  *schema.Table   // as it was before the next definition was published: rows have its form
	dropped []*schema.Index // as they were before
}

func (m *making) look(ctx context.Context) error {
	if err := m.unannounced(); err != nil {
		return err
	}
	return m.verify(ctx, m.table, m.to, &m.Change)
}

// unannounced gives ErrConflict if another process has announced a change of the table's columns meanwhile. Taking that back
// would also take back a change of columns made since, though not one of indexes.
func (m *making) unannounced() error {
	if !m.table.Announces() || m.only(dialect.AddIndex, dialect.DropIndexAction) {
		return nil
	}
	return catalog.ErrConflict
}

func (m *making) retireDropped(ctx context.Context) (err error) {
	if len(m.Drop) == 0 {
		return nil
	}
	if m.table, err = m.retire(ctx, m.table, m.Drop); err != nil {
		return err
	}
	// Another process may have changed something else about the table meanwhile: its place, if it was emptied.
	planned := len(m.actions)
	if m.change, err = m.together(ctx, m.table, m.actions); err != nil {
		return err
	}
	sameName := func(a, b *schema.Index) bool { return a.Name == b.Name }
	if len(m.actions) != planned || !slices.EqualFunc(m.dropped, m.Drop, sameName) {
		return catalog.ErrConflict // it has made an index that this change drops, too
	}
	return m.unannounced()
}

func (m *making) announce(ctx context.Context) (err error) {
	m.table, err = m.prepare(ctx, m.table, m.to, &m.Change)
	return err
}

func (m *making) publishNext(ctx context.Context) error {
	for _, ix := range m.Fill {
		ix.State = schema.DeleteOnly
	}
	if first := m.to.FirstAutoIncrement; first != m.table.FirstAutoIncrement && first > 0 {
		if err := m.Catalog.Raise(ctx, m.table, first-1, m.meter); err != nil {
			return err
		}
	}
	before, after := m.counts()
	greatest, err := m.raise(ctx, m.table, before, 0)
	if err != nil {
		return err
	}
	m.former = m.table
	if err := m.publish(ctx, m.table, m.to, m.Rewrite || m.Outdates || len(m.Fill) > 0 || len(m.Drop) > 0); err != nil {
		return err
	}
	if _, err := m.raise(ctx, m.to, after, greatest); err != nil { // other processes wrote rows until none used the former definition
		return err
	}
	now, err := m.published(ctx, m.to)
	if errors.Is(err, catalog.ErrConflict) && !m.writes() {
		err = nil
	}
	m.table = now
	return err
}

// writes says whether rows are rewritten.
func (m *making) writes() bool { return m.Rewrite || len(m.Fill) > 0 }

func (m *making) clear(ctx context.Context) error {
	for i, ix := range m.Drop {
		if err := m.deleteEntries(ctx, m.table, ix); err != nil {
			return err
		}
		if m.dropped[i].State != schema.Public {
			if err := m.Catalog.ClearProgress(ctx, m.table, m.meter); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *making) fill(ctx context.Context) (err error) {
	if m.writes() {
		m.table, err = m.build(ctx, m.former, m.table, m.Change)
	}
	return err
}
