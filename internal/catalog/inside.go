package catalog

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// CreateInside stores the definition of a table that was defined to live inside parent, whose physical table it
// shares. The parent's definition names it first: only when no process deletes a parent any more without looking
// for children can there be some.
func (c *Catalog) CreateInside(ctx context.Context, t, parent *planner.Table, m *engine.Meter) error {
	err := c.changing(ctx, func(s *Snapshot) error {
		if err := s.free(ctx, t.Name); err != nil {
			return err
		}
		if _, err := s.unchanged(ctx, parent); err != nil {
			return err
		}
		return c.publish(ctx, s, m, nil, parent.AddChild(t))
	})
	if err != nil {
		return err
	}
	if err := c.WaitLease(ctx); err != nil {
		return err
	}
	return c.changing(ctx, func(s *Snapshot) error { return c.createInsideBy(ctx, s, t, parent, m) })
}

func (c *Catalog) createInsideBy(ctx context.Context, s *Snapshot, t, parent *planner.Table, m *engine.Meter) error {
	if err := s.free(ctx, t.Name); err != nil {
		return err
	}
	d, err := s.definition(ctx, parent.Name)
	if err != nil {
		return err
	}
	if d.table.Physical != parent.Physical {
		return ErrConflict
	}
	t.Database, t.Physical = c.database, parent.Physical
	e, err := c.stamp(s, t)
	if err != nil {
		return err
	}
	return c.commit(ctx, s, m, []engine.Op{{Kind: engine.Insert, Entity: e}}, func(tables map[string]*definition) {
		tables[strings.ToLower(t.Name)] = &definition{table: t}
	})
}

// DropInside deletes the definition of a table that lives inside another one. Its rows and index entries, which
// nobody sees then, are for the caller to delete, when nobody writes by the definition any more (WaitLease).
func (c *Catalog) DropInside(ctx context.Context, t *planner.Table, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error { return c.dropInsideBy(ctx, s, t, m) })
}

func (c *Catalog) dropInsideBy(ctx context.Context, s *Snapshot, t *planner.Table, m *engine.Meter) error {
	if _, err := s.Table(ctx, t.Name); err != nil {
		return err
	}
	ops := []engine.Op{{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: tableKey(t.Name)}}}
	relatives, err := s.relatives(ctx, t, "")
	if err != nil {
		return err
	}
	if ops, err = c.replacing(ops, s, relatives); err != nil {
		return err
	}
	err = c.commit(ctx, s, m, ops, func(known map[string]*definition) {
		known[strings.ToLower(t.Name)] = nil
		learn(known, relatives)
	})
	if err != nil {
		return err
	}
	return c.dropSequence(ctx, t, m)
}

// childless makes sure that no table lives inside t: another process may have made one since t was looked at.
func (s *Snapshot) childless(ctx context.Context, t *planner.Table) error {
	for _, name := range t.Children {
		if _, err := s.Table(ctx, name); err == nil {
			return ErrConflict
		} else if !isNoTable(err) {
			return err
		}
	}
	return nil
}

// relatives gives the definitions that name a table, when it gets another name; "" when it is dropped.
func (s *Snapshot) relatives(ctx context.Context, t *planner.Table, to string) ([]*planner.Table, error) {
	var out []*planner.Table
	if t.Inside != nil {
		parent, err := s.Table(ctx, t.Inside.Parent)
		if err != nil {
			return nil, err
		}
		out = append(out, parent.RenameChild(t.Name, to))
	}
	for _, name := range t.Children {
		child, err := s.Table(ctx, name)
		if isNoTable(err) {
			continue // declared by a process that did not live to make it
		}
		if err != nil {
			return nil, err
		}
		next := child.Clone()
		if next.Inside != nil {
			next.Inside.Parent = to
		}
		out = append(out, next)
	}
	return out, nil
}
