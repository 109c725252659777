package catalog

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// DeclareInterleaved adds the name of a table that will be interleaved in parent to the parent's definition. The table may hold no
// rows before every process that deletes a parent row looks for them. CreateInterleaved follows.
func (c *Catalog) DeclareInterleaved(ctx context.Context, t, parent *schema.Table, m *engine.Meter) error {
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
	return c.WaitCurrent(ctx)
}

// CreateInterleaved stores the definition of a table that was declared to be interleaved in parent, whose physical table it
// shares. Any stored parent copies among its rows are complete.
func (c *Catalog) CreateInterleaved(ctx context.Context, t, parent *schema.Table, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error { return c.createInterleavedBy(ctx, s, t, parent, m) })
}

func (c *Catalog) createInterleavedBy(ctx context.Context, s *Snapshot, t, parent *schema.Table, m *engine.Meter) error {
	if err := s.free(ctx, t.Name); err != nil {
		return err
	}
	d, err := s.definition(ctx, parent.Name)
	if err != nil {
		return err
	}
	if d.table.Physical != parent.Physical || d.table.RowName != parent.RowName {
		return ErrConflict // TRUNCATE, or another table of its name
	}
	if copies := d.table.ParentCopies(t.Name); t.Interleaved.WithParent && (copies == nil || copies.State != schema.Public || !d.table.CopiesFor(copies, t)) {
		return ErrConflict // another process has given them up
	}
	t.Database, t.Physical = c.database, parent.Physical
	t.SharePartitions(d.table)
	return c.insertBy(ctx, s, t, m)
}

// childless makes sure that no table is interleaved in t, except those named in but (folded). Another process may have made one
// since t was looked at.
func (s *Snapshot) childless(ctx context.Context, t *schema.Table, but map[string]bool) error {
	for _, name := range t.Children {
		if but[strings.ToLower(name)] {
			continue
		}
		if _, err := s.Table(ctx, name); err == nil {
			return ErrConflict
		} else if !isNoTable(err) {
			return err
		}
	}
	return nil
}

// sharingPartitions gives the definitions of all tables interleaved in a table, with the partitions of its next definition.
func (s *Snapshot) sharingPartitions(ctx context.Context, next *schema.Table) ([]*schema.Table, error) {
	var out []*schema.Table
	for _, name := range next.Children {
		child, err := s.Table(ctx, name)
		if isNoTable(err) {
			continue // declared by a process that died before making it
		}
		if err != nil {
			return nil, err
		}
		child = child.Clone()
		child.SharePartitions(next)
		inside, err := s.sharingPartitions(ctx, child)
		if err != nil {
			return nil, err
		}
		out = append(append(out, child), inside...)
	}
	return out, nil
}
