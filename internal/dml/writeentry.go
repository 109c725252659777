package dml

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// addEntry makes the operation of a new index entry. whole is the row's entity: a whole copy has the same content.
func (rw *RowWriter) addEntry(r *RowWrite, i int, at EntryKey, whole engine.Entity, row []value.Value) error {
	kind := engine.Upsert // the key contains the row's own: no other row can have it
	if rw.Table.Indexes[i].Unique {
		kind = engine.Insert
	}
	e, err := rw.entryEntity(i, at, whole, row)
	if err == nil {
		r.Add(engine.Op{Kind: kind, Entity: e}, rw.Table.Indexes[i])
	}
	return err
}

func (rw *RowWriter) entryEntity(i int, at EntryKey, whole engine.Entity, row []value.Value) (engine.Entity, error) {
	if rw.Entries[i] == rw.Row {
		whole.PartitionKey, whole.RowKey = at.Partition, at.Key
		return whole, nil
	}
	return rw.entity(rw.Entries[i], at.Partition, at.Key, row)
}

// hasEntry says whether a row has its entry in an index that is being built or dropped.
func (rw *RowWriter) hasEntry(ctx context.Context, w *Writer, i int, at EntryKey, row []value.Value) (bool, error) {
	if rw.Table.Indexes[i].State == schema.Public {
		return true, nil
	}
	_, mine, err := rw.owner(ctx, w, i, at, row)
	return mine, err
}

// owner says whether an index entry exists, and whether it belongs to the given row. Until a unique index is found free of
// duplicates, the entry under a row's values may belong to another row.
func (rw *RowWriter) owner(ctx context.Context, w *Writer, i int, at EntryKey, row []value.Value) (taken, mine bool, err error) {
	part, err := rw.Table.PartitionOf(row)
	if err != nil {
		return false, false, err
	}
	e, found, err := w.Get(ctx, engine.Get{Table: part.Physical, PartitionKey: at.Partition, RowKey: at.Key, Meter: w.X.Meter})
	if err != nil || !found {
		return false, false, err
	}
	columns := make([]int, len(rw.Table.Key))
	for j, p := range rw.Table.Key {
		columns[j] = p.Column
	}
	slices.Sort(columns)
	owner := make([]value.Value, rw.Table.RowWidth())
	if err := rw.Entries[i].Decoder(columns, 0, nil).DecodeRow(&e, owner); err != nil {
		return false, false, err
	}
	for _, c := range columns {
		if owner[c] != row[c] {
			return true, false, nil
		}
	}
	return true, true, nil
}

func (rw *RowWriter) removeEntry(ctx context.Context, w *Writer, r *RowWrite, i int, at EntryKey, old *Stored) error {
	has, err := rw.hasEntry(ctx, w, i, at, old.Row)
	if err != nil || !has {
		return err
	}
	ix := rw.Table.Indexes[i]
	r.Add(engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: at.Partition, RowKey: at.Key}, IfMatch: old.ifMatch(ix)}, ix)
	return nil
}

func (rw *RowWriter) updateEntry(ctx context.Context, w *Writer, r *RowWrite, i int, from, to EntryKey, whole engine.Entity, old *Stored, row []value.Value) error {
	ix := rw.Table.Indexes[i]
	if from != to || ix.State == schema.DeleteOnly {
		if err := rw.removeEntry(ctx, w, r, i, from, old); err != nil || ix.State == schema.DeleteOnly {
			return err
		}
		return rw.addEntry(r, i, to, whole, row)
	}
	has, err := rw.hasEntry(ctx, w, i, from, old.Row)
	if err != nil {
		return err
	}
	if !has {
		return rw.addEntry(r, i, to, whole, row)
	}
	if ix.Copy != schema.CopyRow && ix.State == schema.Public && sameValues(rw.Entries[i].Columns, old.Row, row) {
		return nil // the entry contains nothing that changes
	}
	e, err := rw.entryEntity(i, to, whole, row)
	if err != nil {
		return err
	}
	op := engine.Op{Kind: engine.Upsert, There: true, Entity: e} // with an upsert the store need not look
	if match := old.ifMatch(ix); match != "" {
		op.Kind, op.IfMatch = engine.Replace, match
	}
	r.Add(op, ix)
	return nil
}

// sameValues says whether these columns of two rows are the same, bit by bit.
func sameValues(columns []int, a, b []value.Value) bool {
	for _, c := range columns {
		if a[c] != b[c] {
			return false
		}
	}
	return true
}
