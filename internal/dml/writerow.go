package dml

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// RowWriter makes the operations of a table's rows and their index entries.
type RowWriter struct {
	Table   *schema.Table
	Row     *codec.Codec
	Entries []*codec.Codec // by index: of its entries; the same as row if they are whole copies
	// building says that an index is being made or dropped, so that a row may or may not have its entry.
	building bool
	children []*RowWriter // of the tables interleaved in it
}

// NewRowWriter makes the writer of a table; children are the tables interleaved in it, whose rows are deleted with its rows.
func NewRowWriter(t *schema.Table, children ...schema.Family) *RowWriter {
	rw := &RowWriter{Table: t, Row: codec.NewCodec(t), Entries: make([]*codec.Codec, len(t.Indexes))}
	for i, ix := range t.Indexes {
		rw.Entries[i] = rw.Row
		if ix.Copy != schema.CopyRow {
			rw.Entries[i] = exec.NewIndexCodec(t, ix)
		}
		rw.building = rw.building || ix.State != schema.Public
	}
	for _, c := range children {
		rw.children = append(rw.children, NewRowWriter(c.Table, c.Children...))
	}
	return rw
}

// isParent says whether tables are interleaved in the table. An insert does not know them, and has no children here.
func (rw *RowWriter) isParent() bool { return len(rw.Table.Children) > 0 }

// entity makes an entity of a codec under a key.
func (rw *RowWriter) entity(c *codec.Codec, partition, key string, row []value.Value) (engine.Entity, error) {
	e, err := c.EncodeRow(row)
	e.PartitionKey, e.RowKey = partition, key
	if err == nil {
		err = rw.checkSize(c, &e, row)
	}
	return e, err
}

// insert makes the operations of a new row. They fail if a row with the same primary or unique key exists.
func (rw *RowWriter) insert(r *RowWrite, row []value.Value) error {
	rw.note(r, rowChange{row: row})
	return rw.put(r, row)
}

// put makes the operations that write a row where none exists.
func (rw *RowWriter) put(r *RowWrite, row []value.Value) error {
	partition, key, entries, err := rw.keysOf(row)
	if err != nil {
		return err
	}
	e, err := rw.entity(rw.Row, partition, key, row)
	if err != nil {
		return err
	}
	r.Table, r.PartitionKey, r.row = rw.Table, partition, row
	if r.Partition, err = rw.Table.PartitionOf(row); err != nil {
		return err
	}
	r.expect(1 + len(entries))
	r.unit = key
	r.Add(engine.Op{Kind: engine.Insert, Entity: e, Parent: rw.isParent()}, nil)
	if err := rw.touchParent(r, partition, row); err != nil {
		return err
	}
	for i, ix := range rw.Table.Indexes {
		if ix.State == schema.DeleteOnly {
			continue
		}
		if err := rw.addEntry(r, i, entries[i], e, row); err != nil {
			return err
		}
	}
	return nil
}

// expect makes room for so many operations.
func (r *RowWrite) expect(n int) { r.ops, r.keys = slices.Grow(r.ops, n), slices.Grow(r.keys, n) }

// Add adds an operation on the row itself (key nil) or on its entry in an index. An entry stored elsewhere is a unit of its own.
func (r *RowWrite) Add(op engine.Op, key *schema.Index) {
	if op.Entity.RowKey != r.unit && !isGlobal(key) {
		op.Row = r.unit
	}
	if r.deletes {
		for i := range r.ops {
			if r.ops[i].Entity.RowKey == op.Entity.RowKey && fold(&r.ops[i], &op) {
				return
			}
		}
	}
	r.deletes = r.deletes || op.Kind == engine.Delete
	r.ops = append(r.ops, op)
	r.keys = append(r.keys, key)
}

// isGlobal says whether an index's entries are in store partitions of their own; nil is the row itself.
func isGlobal(ix *schema.Index) bool { return ix != nil && ix.Global > 0 }

// Remove makes the operations that delete a row.
func (rw *RowWriter) Remove(ctx context.Context, w *Writer, r *RowWrite, old Stored) error {
	old, err := rw.withRowETag(ctx, w, old)
	if err != nil {
		return err
	}
	rw.note(r, rowChange{old: old.Row})
	if err := rw.take(ctx, w, r, old); err != nil {
		return err
	}
	return rw.removeChildren(ctx, w, r, r.PartitionKey, old.Row)
}

// take makes the operations that delete only the row.
func (rw *RowWriter) take(ctx context.Context, w *Writer, r *RowWrite, old Stored) error {
	partition, key, entries, err := rw.keysOfStored(&old)
	if err != nil {
		return err
	}
	r.Table, r.PartitionKey = rw.Table, partition
	if r.Partition, err = rw.Table.PartitionOf(old.Row); err != nil {
		return err
	}
	r.unit = key
	r.expect(1 + len(entries))
	r.Add(engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: key}, IfMatch: old.ifMatch(nil), Parent: rw.isParent()}, nil)
	for i := range rw.Table.Indexes {
		if err := rw.removeEntry(ctx, w, r, i, entries[i], &old); err != nil {
			return err
		}
	}
	return nil
}

// move makes the operations that move a row to another partition: the row is deleted there, and inserted here, in one
// transaction.
func (rw *RowWriter) move(ctx context.Context, w *Writer, r *RowWrite, partition string, old Stored, row []value.Value) error {
	if !w.isWhole() || rw.Table.IsExternal() {
		return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "a row of table %s cannot move to another partition by UPDATE, as no transaction covers both: delete it and insert it anew", rw.Table.Name)
	}
	for _, child := range rw.children {
		if err := child.refuse(ctx, w, rw.Table, partition, old.Row); err != nil {
			return err
		}
	}
	gone := &RowWrite{Number: r.Number, cascaded: true}
	if err := rw.take(ctx, w, gone, old); err != nil {
		return err
	}
	w.moved = true
	rw.note(r, rowChange{old: old.Row, row: row})
	if err := w.Add(gone); err != nil {
		return err
	}
	return rw.put(r, row)
}

// update makes the operations that turn a row into another one. A row whose primary key changes is deleted and inserted in the
// same transaction.
func (rw *RowWriter) update(ctx context.Context, w *Writer, r *RowWrite, old Stored, row []value.Value) error {
	old, err := rw.withRowETag(ctx, w, old)
	if err != nil {
		return err
	}
	partition, key, entries, err := rw.keysOfStored(&old)
	if err != nil {
		return err
	}
	newPartition, newKey, newEntries, err := rw.keysAfter(old.Row, row, partition, key, entries)
	if err != nil {
		return err
	}
	if r.Partition, err = rw.Table.PartitionOf(old.Row); err != nil {
		return err
	}
	part, err := rw.Table.PartitionOf(row)
	if err != nil {
		return err
	}
	if newPartition != partition || part != r.Partition {
		return rw.move(ctx, w, r, partition, old, row)
	}
	e, err := rw.entity(rw.Row, partition, newKey, row)
	if err != nil {
		return err
	}
	r.Table, r.PartitionKey, r.row, r.unit = rw.Table, partition, row, key
	r.expect(1 + len(entries))
	rw.note(r, rowChange{old: old.Row, row: row, stored: &old})
	if newKey == key {
		op := rw.Row.ChangeOf(old.Row, e)
		op.IfMatch = old.ifMatch(nil)
		r.Add(op, nil)
	} else {
		isParent := rw.isParent()
		r.Add(engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: key}, IfMatch: old.ifMatch(nil), Parent: isParent}, nil)
		r.Add(engine.Op{Kind: engine.Insert, Entity: e, Parent: isParent}, nil)
		if err := rw.moves(ctx, w, r, partition, old.Row, row); err != nil {
			return err
		}
	}
	for i := range rw.Table.Indexes {
		if err := rw.updateEntry(ctx, w, r, i, entries[i], newEntries[i], e, &old, row); err != nil {
			return err
		}
	}
	return nil
}
