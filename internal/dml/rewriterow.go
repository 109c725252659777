package dml

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// ClaimedTwice gives the error for two rows that want the same entry of a unique index, neither of which was written.
func (w *Writer) ClaimedTwice() error {
	claimed := map[string]bool{}
	for _, r := range w.Rows {
		if r.Done {
			continue
		}
		for i := range r.ops {
			if r.keys[i] == nil || !r.keys[i].Unique {
				continue
			}
			entry := entityID(r.ops[i].Entity.PartitionKey, r.ops[i].Entity.RowKey)
			if claimed[entry] {
				return DuplicateError(r.Table, r.keys[i], r.row)
			}
			claimed[entry] = true
		}
	}
	return nil
}

// Renews says whether a change of a definition rewrites the entries of an index. It does not rewrite those of a complete Global index
// that hold only keys: their form stays, and each would take a transaction over several store partitions.
func Renews(ix *schema.Index) bool {
	return ix.State != schema.DeleteOnly && (ix.Global == 0 || ix.Copy != schema.CopyKeys || ix.State != schema.Public)
}

// Renew makes the operations that rewrite a row with its entries, including those in indexes under construction. A change of the
// definition writes the entries that Renews names; a repair writes all, and mine says whether the row may have the entry under a unique
// key. Each rewritten entity gets a new ETag, so that no writer relies on what it read before.
func (rw *RowWriter) Renew(ctx context.Context, w *Writer, r *RowWrite, old Stored, mine func(i int, at EntryKey, found *engine.Entity) (bool, error)) error {
	partition, key, entries, err := rw.keysOf(old.Row)
	if err != nil {
		return err
	}
	e, err := rw.entity(rw.Row, partition, key, old.Row)
	if err != nil {
		return err
	}
	r.Table, r.PartitionKey, r.row = rw.Table, partition, old.Row
	if r.Partition, err = rw.Table.PartitionOf(old.Row); err != nil {
		return err
	}
	r.Add(engine.Op{Kind: engine.Replace, Entity: e, IfMatch: old.Etag}, nil)
	for i, ix := range rw.Table.Indexes {
		if ix.State == schema.DeleteOnly || mine == nil && !Renews(ix) {
			continue
		}
		if err := rw.renewEntry(ctx, w, r, i, entries[i], e, mine); err != nil {
			return err
		}
	}
	return nil
}

// renewEntry is Renew of an entry; whole is the row's entity.
func (rw *RowWriter) renewEntry(ctx context.Context, w *Writer, r *RowWrite, i int, at EntryKey, whole engine.Entity, mine func(i int, at EntryKey, found *engine.Entity) (bool, error)) error {
	ix := rw.Table.Indexes[i]
	entry, err := rw.entryEntity(i, at, whole, r.row)
	if err != nil {
		return err
	}
	op := engine.Op{Kind: engine.Upsert, There: ix.State == schema.Public, Entity: entry}
	switch {
	case !ix.Unique:
	case ix.State == schema.Public && mine != nil:
		found, has, err := w.Get(ctx, engine.Get{Table: r.Partition.Physical, PartitionKey: at.Partition, RowKey: at.Key, Meter: w.X.Meter})
		if err != nil {
			return err
		}
		if op.Kind = engine.Insert; has {
			op.Kind, op.IfMatch = engine.Replace, found.ETag
			if may, err := mine(i, at, &found); err != nil || !may {
				return err
			}
		}
	case ix.State != schema.Public:
		taken, own, err := rw.owner(ctx, w, i, at, r.row)
		if err != nil {
			return err
		}
		if taken && !own {
			return DuplicateError(rw.Table, ix, r.row)
		}
		if !taken {
			op.Kind = engine.Insert
		}
	}
	r.Add(op, ix)
	return nil
}
