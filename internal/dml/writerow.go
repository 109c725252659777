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
	Entries []*codec.Codec // by index: of its entries; the same as row where they are whole copies
	// building says that an index is being made or dropped, so that a row may or may not have its entry.
	building bool
	children []*RowWriter // of the tables interleaved in it
}

// NewRowWriter makes the writer of a table; children are the tables interleaved in it, whose rows go with its rows.
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

// isParent says whether tables are interleaved in the table: a statement that only inserts does not know them, and no children.
func (rw *RowWriter) isParent() bool { return len(rw.Table.Children) > 0 }

// Stored is a row as it was read: the table's columns from 0, and the ETag of the entity that they came from.
type Stored struct {
	Row            []value.Value
	Etag           string
	from           *schema.Index // the index whose entry it was; nil: the row's own entity
	partition, key string        // of the row's own entity; key "": not known yet
}

// entity makes an entity of a codec under a key.
func (rw *RowWriter) entity(c *codec.Codec, partition, key string, row []value.Value) (engine.Entity, error) {
	e, err := c.EncodeRow(row)
	e.PartitionKey, e.RowKey = partition, key
	if err == nil {
		err = rw.checkSize(c, &e, row)
	}
	return e, err
}

// EntryKey says where an index entry lies.
type EntryKey struct{ Partition, Key string }

// KeysOf gives the keys of a row and of its index entries.
func (rw *RowWriter) KeysOf(row []value.Value) (partition, key string, entries []EntryKey, err error) {
	return rw.keysOf(&Stored{Row: row})
}

// keysOf is KeysOf of a row some of whose keys may be known.
func (rw *RowWriter) keysOf(old *Stored) (partition, key string, entries []EntryKey, err error) {
	if partition, key = old.partition, old.key; key == "" {
		if partition, key, err = rowPlace(rw.Table, old.Row); err != nil {
			return "", "", nil, err
		}
	}
	if n := len(rw.Table.Indexes); n > 0 {
		entries = make([]EntryKey, n)
	}
	for i, ix := range rw.Table.Indexes {
		if entries[i], err = rw.entryKey(ix, partition, old.Row); err != nil {
			return "", "", nil, err
		}
	}
	return partition, key, entries, nil
}

// entryKey says where the entry of a row of a partition lies.
func (rw *RowWriter) entryKey(ix *schema.Index, partition string, row []value.Value) (EntryKey, error) {
	var buf [256]byte
	b, err := rw.Table.AppendIndexKey(buf[:0], ix, row)
	at := EntryKey{partition, string(b)}
	if err == nil && ix.Global > 0 {
		b, err = rw.Table.AppendEntryPartition(buf[:0], ix, row)
		at.Partition = string(b)
	}
	return at, err
}

// keysAfter gives the keys of a row that replaces old, which has these. Most stay the same, and need not be computed.
func (rw *RowWriter) keysAfter(old, row []value.Value, partition, key string, entries []EntryKey) (string, string, []EntryKey, error) {
	if !rw.Table.SameKey(old, row) {
		return rw.KeysOf(row)
	}
	next, shared := entries, true
	for i, ix := range rw.Table.Indexes {
		if rw.Table.SameEntryKey(ix, old, row) {
			continue
		}
		if shared {
			next, shared = slices.Clone(entries), false
		}
		var err error
		if next[i], err = rw.entryKey(ix, partition, row); err != nil {
			return "", "", nil, err
		}
	}
	return partition, key, next, nil
}

// insert makes the operations of a new row. They fail where a row of the same primary or unique key is.
func (rw *RowWriter) insert(r *RowWrite, row []value.Value) error {
	rw.note(r, rowChange{row: row})
	return rw.put(r, row)
}

// put makes the operations that write a row where none is.
func (rw *RowWriter) put(r *RowWrite, row []value.Value) error {
	partition, key, entries, err := rw.KeysOf(row)
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

// addEntry makes the operation of a new index entry. whole is the row's entity: a whole copy has the same content.
func (rw *RowWriter) addEntry(r *RowWrite, i int, at EntryKey, whole engine.Entity, row []value.Value) error {
	kind := engine.Upsert // the key holds the row's own: nobody else can have it
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

// expect makes room for so many operations.
func (r *RowWrite) expect(n int) { r.ops, r.keys = slices.Grow(r.ops, n), slices.Grow(r.keys, n) }

// Add takes an operation on the row itself (key nil) or on its entry in an index. An entry that lies elsewhere is a unit of its own.
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

// isGlobal says whether an index's entries lie in store partitions of their own; nil is the row itself.
func isGlobal(ix *schema.Index) bool { return ix != nil && ix.Global > 0 }

// withRowETag makes sure that the ETag of the row itself is known where an index is being built, or where rows live inside this
// one. Only that ETag tells whether the row has got an entry, or one more row inside it, since.
func (rw *RowWriter) withRowETag(ctx context.Context, w *Writer, old Stored) (Stored, error) {
	if !rw.building && len(rw.children) == 0 || old.from == nil {
		return old, nil
	}
	partition, key, _, err := rw.KeysOf(old.Row)
	if err != nil {
		return old, err
	}
	part, err := rw.Table.PartitionOf(old.Row)
	if err != nil {
		return old, err
	}
	fresh, found, err := rw.Read(ctx, w, part, partition, key)
	if err != nil {
		return old, err
	}
	if !found || !sameRow(fresh.Row, old.Row, len(rw.Table.Columns)) {
		return old, &engine.Error{Code: engine.CodeStale, Op: -1, Message: "the row was changed since it was read"}
	}
	return fresh, nil
}

// Read reads a row by its key.
func (rw *RowWriter) Read(ctx context.Context, w *Writer, part *schema.Partition, partition, key string) (Stored, bool, error) {
	e, found, err := w.Get(ctx, engine.Get{Table: part.Physical, PartitionKey: partition, RowKey: key, Meter: w.X.Meter})
	if err != nil || !found {
		return Stored{}, false, err
	}
	row := make([]value.Value, rw.Table.RowWidth())
	columns := exec.Positions(0, len(rw.Table.Columns))
	if err := rw.Row.Decoder(columns, 0, nil).DecodeRow(&e, row); err != nil {
		return Stored{}, false, err
	}
	return Stored{Row: row, Etag: e.ETag}, true, nil
}

// hasEntry says whether a row has its entry in an index that is being built or dropped.
func (rw *RowWriter) hasEntry(ctx context.Context, w *Writer, i int, at EntryKey, row []value.Value) (bool, error) {
	if rw.Table.Indexes[i].State == schema.Public {
		return true, nil
	}
	_, mine, err := rw.owner(ctx, w, i, at, row)
	return mine, err
}

// owner says whether an index entry exists, and whether it belongs to that row. Until a unique index is found free of
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

// ifMatch is the condition of an operation on the row's entity (ix nil) or on its entry in ix.
func (old *Stored) ifMatch(ix *schema.Index) string {
	if old.from == ix {
		return old.Etag
	}
	return ""
}

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

// take makes the operations that delete a row alone.
func (rw *RowWriter) take(ctx context.Context, w *Writer, r *RowWrite, old Stored) error {
	partition, key, entries, err := rw.keysOf(&old)
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

func (rw *RowWriter) removeEntry(ctx context.Context, w *Writer, r *RowWrite, i int, at EntryKey, old *Stored) error {
	has, err := rw.hasEntry(ctx, w, i, at, old.Row)
	if err != nil || !has {
		return err
	}
	ix := rw.Table.Indexes[i]
	r.Add(engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: at.Partition, RowKey: at.Key}, IfMatch: old.ifMatch(ix)}, ix)
	return nil
}

// move makes the operations that turn a row into one of another partition: the row is deleted there, and inserted here, in one
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
	partition, key, entries, err := rw.keysOf(&old)
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
		return nil // the entry holds nothing that changes
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

// sameValues says whether these columns of two rows are the same, to the bit.
func sameValues(columns []int, a, b []value.Value) bool {
	for _, c := range columns {
		if a[c] != b[c] {
			return false
		}
	}
	return true
}

// sameRow says whether the first n values of two rows are the same, to the bit.
func sameRow(a, b []value.Value, n int) bool {
	for i := range n {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
