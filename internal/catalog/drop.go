package catalog

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Drop deletes the definitions of tables in one change, then their data. An interleaved table comes before
// its parent. If another process has dropped or renamed one of the tables meanwhile, the error is a *schema.NoTableError. If it
// has interleaved a table in one of them, or made rows of another table refer to one, the error is ErrConflict. In both cases
// nothing is dropped.
//
// The change also stores a note of what is to be deleted, so that a later drop finishes what a process has left undone. If other
// processes may still trust the definition, the note stays for a while. Until it goes, no new table gets the names in it, because
// those processes would write rows of the old form there.
func (c *Catalog) Drop(ctx context.Context, tables []*schema.Table, m *engine.Meter) error {
	var gone []*schema.Table
	var tombstones []*tombstone
	err := c.changing(ctx, func(s *Snapshot) (err error) {
		gone, tombstones, err = c.dropBy(ctx, s, tables, m)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.dropSequences(ctx, gone, m); err != nil {
		return err
	}
	return c.deleteData(ctx, tombstones, m)
}

// dropBy makes one attempt at Drop. It gives the tables whose data is to be deleted, and the notes of that.
func (c *Catalog) dropBy(ctx context.Context, s *Snapshot, tables []*schema.Table, m *engine.Meter) (gone []*schema.Table, tombstones []*tombstone, err error) {
	d := &dropping{snapshot: s, dropped: map[string]bool{}, relatives: s.newRelatives()}
	for _, was := range tables {
		t, err := s.Table(ctx, was.Name)
		if err != nil {
			return nil, nil, err
		}
		if len(t.Referrers) > 0 && t.WriteVersion != was.WriteVersion {
			return nil, nil, ErrConflict // rows of another table may have come to refer to it since the check
		}
		if err := d.add(ctx, t); err != nil {
			return nil, nil, err
		}
	}
	var ops []engine.Op
	for _, t := range d.tables {
		ops = append(ops, engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: tableKey(t.Name)}})
		if !t.IsExternal() && !t.IsView() { // else there is no data, or it is not the driver's
			gone = append(gone, t)
		}
	}
	tombstones = tombstonesOf(gone)
	ops = append(ops, noteOps(tombstones)...)
	relatives := d.relatives.list(d.dropped)
	if ops, err = c.replacing(ops, s, relatives); err != nil {
		return nil, nil, err
	}
	return gone, tombstones, c.commit(ctx, s, m, ops, func(known map[string]*definition) {
		for name := range d.dropped {
			known[name] = nil
		}
		learn(known, relatives)
	})
}

// dropping collects tables that are dropped in one change.
type dropping struct {
	snapshot  *Snapshot
	tables    []*schema.Table
	dropped   map[string]bool // by folded name
	relatives *relatives      // that named a dropped table
}

func (d *dropping) add(ctx context.Context, t *schema.Table) error {
	if t.Unwritable != nil {
		return t.Unwritable
	}
	if err := d.snapshot.childless(ctx, t, d.dropped); err != nil {
		return err
	}
	folded := strings.ToLower(t.Name)
	d.tables = append(d.tables, t)
	d.dropped[folded] = true
	if err := d.relatives.rename(ctx, t, ""); err != nil {
		return err
	}
	return d.relatives.retie(ctx, t, nil)
}

// deleteData deletes what dropped tables held. In a shared store, a physical table that belongs to one table alone goes at
// once: the store then refuses other processes' writes. Otherwise, and for rows in a shared physical table, it waits until no
// statement writes by the old definition. Physical tables that the tables had before another process truncated them also go at
// once, because some statements may still write to them.
func (c *Catalog) deleteData(ctx context.Context, tombstones []*tombstone, m *engine.Meter) error {
	if len(tombstones) == 0 {
		return nil
	}
	others, err := c.notes(ctx, tombstones)
	if err != nil {
		return err
	}
	if err := c.emptyFormer(ctx, tombstones, others, m); err != nil {
		return err
	}
	atOnce := 0
	for c.engine.Shared() && atOnce < len(tombstones) && len(tombstones[atOnce].within) == 0 {
		atOnce++
	}
	if err := c.empty(ctx, tombstones[:atOnce], m); err != nil {
		return err
	}
	if atOnce < len(tombstones) {
		if err := c.WaitCurrent(ctx); err != nil {
			return err
		}
		if err := c.empty(ctx, tombstones[atOnce:], m); err != nil {
			return err
		}
	}
	return c.conclude(ctx, tombstones, others, m)
}

// emptyFormer deletes the physical tables that the tables of tombstones had before a TRUNCATE, if that is still to be done.
func (c *Catalog) emptyFormer(ctx context.Context, tombstones, others []*tombstone, m *engine.Meter) error {
	if !c.engine.Shared() {
		return nil // changes are made one at a time
	}
	former := slices.DeleteFunc(slices.Clone(others), func(n *tombstone) bool {
		return n.deleted || len(n.within) > 0 || !slices.ContainsFunc(tombstones, func(tomb *tombstone) bool { return tomb.name == n.name })
	})
	return c.empty(ctx, former, m)
}

// notes reads all notes of what is to be deleted, except those of tombstones.
func (c *Catalog) notes(ctx context.Context, tombstones []*tombstone) (notes []*tombstone, err error) {
	span := keymap.PrefixSpan(dropPrefix)
	err = engine.Each(ctx, c.engine, engine.Scan{Table: c.table, PartitionKey: partition, From: span.From, To: span.To, Meter: c.meter},
		func(e *engine.Entity) error {
			if !slices.ContainsFunc(tombstones, func(tomb *tombstone) bool { return tomb.key() == e.RowKey }) {
				notes = append(notes, readTombstone(e))
			}
			return nil
		})
	return notes, err
}

// conclude notes that tombstones are empty, and collects the garbage of the others. In a shared store the notes stay for a while.
func (c *Catalog) conclude(ctx context.Context, tombstones, others []*tombstone, m *engine.Meter) error {
	if !c.engine.Shared() {
		if err := c.forget(ctx, tombstones, m); err != nil {
			return err
		}
		return c.collectGarbage(ctx, others)
	}
	for _, tomb := range tombstones {
		tomb.deleted = true
	}
	if err := c.commitNotes(ctx, noteOps(tombstones), m); err != nil {
		return err
	}
	return c.collectGarbage(ctx, others)
}

// empty deletes what tombstones name.
func (c *Catalog) empty(ctx context.Context, tombstones []*tombstone, m *engine.Meter) error {
	for _, tomb := range tombstones {
		for _, physical := range tomb.tables {
			if err := c.Rows.DeleteTable(ctx, physical, m); err != nil && !isDeleted(err) {
				return err
			}
		}
		for _, r := range tomb.ranges() {
			if err := engine.Clear(ctx, c.engine, r, c.Parallel, m); err != nil && !isDeleted(err) {
				return err
			}
		}
	}
	return nil
}

func isDeleted(err error) bool {
	return engine.Is(err, engine.CodeNoTable, engine.CodeDeleting)
}

// finishDrop deletes what tombstones name once nothing uses it any more, then their notes.
func (c *Catalog) finishDrop(ctx context.Context, tombstones []*tombstone, m *engine.Meter) error {
	if err := c.empty(ctx, tombstones, m); err != nil {
		return err
	}
	return c.forget(ctx, tombstones, m)
}

// forget deletes notes.
func (c *Catalog) forget(ctx context.Context, tombstones []*tombstone, m *engine.Meter) error {
	var ops []engine.Op
	for _, tomb := range tombstones {
		ops = append(ops, engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: tomb.key()}})
	}
	err := c.commitNotes(ctx, ops, m)
	if engine.Is(err, engine.CodeNotFound) {
		return nil
	}
	return err
}

func (c *Catalog) commitNotes(ctx context.Context, ops []engine.Op, m *engine.Meter) error {
	if len(ops) == 0 {
		return nil
	}
	return c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: ops, Meter: m})
}

// noteAge is the least time that the note of a dropped table stays in a shared store: longer than any lease,
// however far the clocks of two machines differ.
const noteAge = time.Hour

// collectGarbage deletes old notes, and finishes the drops of dead processes. If only this process uses the store, every note is
// a dead process's, because changes are made one at a time.
func (c *Catalog) collectGarbage(ctx context.Context, notes []*tombstone) error {
	release, err := c.change.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, tomb := range notes {
		if c.engine.Shared() && time.Since(tomb.dropped) < noteAge+2*c.lease {
			continue
		}
		if err := c.collectOne(ctx, tomb); err != nil {
			return err
		}
	}
	return nil
}

func (c *Catalog) collectOne(ctx context.Context, tomb *tombstone) error {
	last := tomb.deleted || !c.engine.Shared()
	// Give the note the current time, provided that it is still as it was read. Then no other process deletes this, or gives its
	// names to new tables.
	claim := tomb.note()
	claim.Kind, claim.IfMatch = engine.Replace, tomb.etag
	err := c.commitNotes(ctx, []engine.Op{claim}, c.meter)
	if engine.Is(err, engine.CodeStale, engine.CodeNotFound) {
		return nil // another process is doing it
	}
	if err != nil {
		return err
	}
	// Look again for rows where they were already deleted: a process may have slept longer than its lease.
	if !tomb.deleted || len(tomb.within) > 0 {
		if err := c.empty(ctx, []*tombstone{tomb}, c.meter); err != nil {
			return err
		}
	}
	if last {
		return c.forget(ctx, []*tombstone{tomb}, c.meter)
	}
	tomb.deleted = true
	return c.commitNotes(ctx, noteOps([]*tombstone{tomb}), c.meter)
}
