package catalog

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// Refer makes the definition of a table name a table of another database whose rows will refer to its own. The definition is
// published even if nothing in it changes: a process that looked at it earlier, to change it, must look again.
func (c *Catalog) Refer(ctx context.Context, name string, from schema.Relative, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error {
		t, err := s.Table(ctx, name)
		if err != nil {
			return err
		}
		next := t.Clone()
		next.Refer(from, true)
		return c.publish(ctx, s, m, nil, next)
	})
}

// ConfirmReferrer publishes the definition of a table once more, if it still names the other table and check finds nothing wrong
// with it. It gives ErrConflict if it does not name it.
func (c *Catalog) ConfirmReferrer(ctx context.Context, name string, from schema.Relative, check func(*schema.Table) error, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error {
		t, err := s.Table(ctx, name)
		if err != nil {
			return err
		}
		if !t.IsReferredBy(from) {
			return ErrConflict
		}
		if err := check(t); err != nil {
			return err
		}
		return c.publish(ctx, s, m, nil, t.Clone())
	})
}

// Release makes the definition of a table no longer name a table of another database, unless that table refers to it.
func (c *Catalog) Release(ctx context.Context, name string, from schema.Relative, refers func() (bool, error), m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error {
		t, err := s.Table(ctx, name)
		if err != nil || !t.IsReferredBy(from) {
			return err
		}
		if is, err := refers(); err != nil || is {
			return err
		}
		next := t.Clone()
		next.Refer(from, false)
		return c.publish(ctx, s, m, nil, next)
	})
}
