package catalog

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// makePartitions makes the physical tables that partitions of t lack. Each name contains the version that the change will have,
// and is never used again. An existing table of that name was thus made by a process that did not get to publish it, and is
// empty.
func (c *Catalog) makePartitions(ctx context.Context, s *Snapshot, t *schema.Table, m *engine.Meter) error {
	if !t.IsDivided() {
		return nil
	}
	if t.Physical == "" { // used only to tell this table's sequence from those of others
		t.Physical = keymap.PartitionTable(c.database, t.Name, "", s.version+1)
	}
	for _, p := range t.Partitions.List {
		if p.Physical != "" {
			continue
		}
		p.Physical = keymap.PartitionTable(c.database, t.Name, p.Name, s.version+1)
		if p.Opening {
			p.Published = time.Now().Unix()
		}
		if err := c.engine.CreateTable(ctx, p.Physical, m); err != nil && !engine.Is(err, engine.CodeExists) {
			return err
		}
	}
	return nil
}

// orphans are the physical tables of old that next does not use.
func orphans(old, next *schema.Table) []string {
	have := next.Physicals()
	return slices.DeleteFunc(old.Physicals(), func(name string) bool { return slices.Contains(have, name) })
}

// ReplacePartitions is Replace for a definition with other partitions. It makes the new physical tables, and deletes those that next
// lacks once no statement writes by the old definition. Tables interleaved in this one get the same partitions. If next lacks none,
// rows written meanwhile by the old definition are right by the new one too, unless rows of the table refer to others.
func (c *Catalog) ReplacePartitions(ctx context.Context, old, next *schema.Table, m *engine.Meter) error {
	return c.changing(ctx, func(s *Snapshot) error { return c.replacePartitionsBy(ctx, s, old, next, m) })
}

func (c *Catalog) replacePartitionsBy(ctx context.Context, s *Snapshot, old, next *schema.Table, m *engine.Meter) error {
	d, err := s.unchanged(ctx, old)
	if err != nil {
		return err
	}
	if err := c.makePartitions(ctx, s, next, m); err != nil {
		return err
	}
	tables, err := s.sharingPartitions(ctx, next)
	if err != nil {
		return err
	}
	tables = append(tables, next)
	gone := physicalTombstones(old.Name, orphans(d.table, next))
	stamp := c.stamp
	if len(gone) == 0 && !(len(orphans(next, d.table)) > 0 && slices.ContainsFunc(tables, refers)) {
		stamp = c.stampGrown
	}
	ops := noteOps(gone)
	for _, t := range tables {
		e, err := stamp(s, t)
		if err != nil {
			return err
		}
		ops = append(ops, engine.Op{Kind: engine.Replace, Entity: e})
	}
	err = c.commit(ctx, s, m, ops, func(known map[string]*definition) { learn(known, tables) })
	if err != nil || len(gone) == 0 {
		return err
	}
	if err = c.WaitCurrent(ctx); err == nil {
		err = c.finishDrop(ctx, gone, m)
	}
	if err != nil {
		return &LeftError{err}
	}
	return nil
}

// refers says whether rows of a table refer to others. A statement that deletes those others must look into all partitions of the
// table, even if it got the definition before one was added, and does not write to the table.
func refers(t *schema.Table) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(k schema.ForeignKey) bool { return !k.NotEnforced })
}

// LeftError says that a change of a definition was made, but that physical tables which it no longer uses could not be
// deleted. A drop of any table an hour later deletes them.
type LeftError struct{ Cause error }

func (e *LeftError) Error() string { return e.Cause.Error() }

// Unwrap gives the cause.
func (e *LeftError) Unwrap() error { return e.Cause }

// nameTaken says whether a defined table uses a physical table.
func (s *Snapshot) nameTaken(ctx context.Context, physical string) (bool, error) {
	tables, err := s.Tables(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(tables, func(t *schema.Table) bool { return t.Physical == physical }), nil
}

// openingPartitions keeps how long this process has known each partition that is being opened. For two leases from then,
// another process may use a definition without the partition, and would miss its rows.
type openingPartitions struct {
	mu    sync.Mutex
	since map[string]time.Time // by physical name, which is never used again
}

// read decodes a definition that was read just now.
func (c *Catalog) read(e *engine.Entity) (*definition, error) {
	d, err := decodeDefinition(e)
	if err != nil || !d.table.IsDivided() {
		return d, err
	}
	c.opening.mu.Lock()
	defer c.opening.mu.Unlock()
	for _, p := range d.table.Partitions.List {
		_, known := c.opening.since[p.Physical]
		switch {
		case p.Opening && !known:
			if c.opening.since == nil {
				c.opening.since = map[string]time.Time{}
			}
			c.opening.since[p.Physical] = time.Now()
		case !p.Opening:
			delete(c.opening.since, p.Physical)
		}
	}
	return d, nil
}

// MayOpen says whether every process that uses the store knows a partition, so that rows may be written to it.
func (c *Catalog) MayOpen(p *schema.Partition) bool { return c.untilOpen(p) <= 0 }

// untilOpen is how long to wait before a partition may be written to.
func (c *Catalog) untilOpen(p *schema.Partition) time.Duration {
	if !p.Opening || !c.engine.Shared() {
		return 0
	}
	if p.Published > 0 && time.Since(time.Unix(p.Published, 0)) > noteAge+2*c.lease {
		return 0 // however far the clocks of two machines differ
	}
	c.opening.mu.Lock()
	defer c.opening.mu.Unlock()
	since, known := c.opening.since[p.Physical]
	if !known {
		return 2 * c.lease
	}
	return 2*c.lease - time.Since(since)
}

// WaitOpen returns when all partitions of t may be written to.
func (c *Catalog) WaitOpen(ctx context.Context, t *schema.Table) error {
	var longest time.Duration
	for _, p := range t.Partitions.List {
		longest = max(longest, c.untilOpen(p))
	}
	if longest <= 0 {
		return ctx.Err()
	}
	return c.waitKnown(ctx, longest)
}
