package catalog

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// makeParts makes the physical tables that parts of t lack. Their names hold the version that the change will
// have: so a name is never used again, and a table that is there already was made by somebody who did not get
// to publish it, and is empty.
func (c *Catalog) makeParts(ctx context.Context, s *Snapshot, t *planner.Table, m *engine.Meter) error {
	if t.Parts == nil {
		return nil
	}
	if t.Physical == "" { // which only tells this table's sequence from those of others
		t.Physical = keymap.PartTable(c.database, t.Name, "", s.version+1)
	}
	for _, p := range t.Parts.List {
		if p.Physical != "" {
			continue
		}
		p.Physical = keymap.PartTable(c.database, t.Name, p.Name, s.version+1)
		if err := c.engine.CreateTable(ctx, p.Physical, m); err != nil && !isCode(err, engine.CodeExists) {
			return err
		}
	}
	return nil
}

// orphans are the physical tables of old that next does without.
func orphans(old, next *planner.Table) []string {
	have := next.Physicals()
	return slices.DeleteFunc(old.Physicals(), func(name string) bool { return slices.Contains(have, name) })
}

// ReplaceParts is Replace for a definition with other parts: it makes the physical tables that are new, and deletes
// those that next does without when nobody writes by the old definition any more.
func (c *Catalog) ReplaceParts(ctx context.Context, old, next *planner.Table, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error { return c.replacePartsBy(ctx, s, old, next, m) })
}

func (c *Catalog) replacePartsBy(ctx context.Context, s *Snapshot, old, next *planner.Table, m *engine.Meter) error {
	d, err := s.unchanged(ctx, old)
	if err != nil {
		return err
	}
	if err := c.makeParts(ctx, s, next, m); err != nil {
		return err
	}
	gone := physicalGraves(old.Name, orphans(d.table, next))
	if err := c.publish(ctx, s, m, noteOps(gone), next); err != nil || len(gone) == 0 {
		return err
	}
	if err := c.WaitLease(ctx); err != nil {
		return err
	}
	return c.bury(ctx, gone, m)
}

// nameTaken says whether a table of the definitions uses a physical table.
func (s *Snapshot) nameTaken(ctx context.Context, physical string) (bool, error) {
	tables, err := s.Tables(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(tables, func(t *planner.Table) bool { return t.Physical == physical }), nil
}
