package exec

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// rowWriter makes the operations of a table's rows and their index entries.
type rowWriter struct {
	table   *planner.Table
	row     *Codec
	entries []*Codec // by index: of its entries; the same as row where they are whole copies
	// building says that an index is being made or dropped, so that a row may or may not have its entry.
	building bool
	children []*rowWriter // of the tables inside it
}

func newRowWriter(t *planner.Table, children ...planner.Family) *rowWriter {
	rw := &rowWriter{table: t, row: NewCodec(t), entries: make([]*Codec, len(t.Indexes))}
	for i, ix := range t.Indexes {
		rw.entries[i] = rw.row
		if ix.Copy != planner.CopyRow {
			rw.entries[i] = NewIndexCodec(t, ix)
		}
		rw.building = rw.building || ix.State != planner.IndexPublic
	}
	for _, c := range children {
		rw.children = append(rw.children, newRowWriter(c.Table, c.Children...))
	}
	return rw
}

// stored is a row as it was read: the table's columns from 0, and the ETag of the entity that they came from.
type stored struct {
	row  []value.Value
	etag string
	from *planner.Index // the index whose entry it was; nil: the row's own entity
}

// entity makes an entity of a codec under a key.
func (rw *rowWriter) entity(c *Codec, partition, key string, row []value.Value) (engine.Entity, error) {
	e, err := c.EncodeRow(row)
	e.PartitionKey, e.RowKey = partition, key
	return e, err
}

// keysOf gives the keys of a row and of its index entries.
func (rw *rowWriter) keysOf(row []value.Value) (partition, key string, entries []string, err error) {
	var buf [256]byte
	b, err := rw.table.AppendPartitionKey(buf[:0], row)
	if err != nil {
		return "", "", nil, err
	}
	partition = string(b)
	if b, err = rw.table.AppendRowKey(buf[:0], row); err != nil {
		return "", "", nil, err
	}
	key = string(b)
	if len(rw.table.Indexes) == 0 {
		return partition, key, nil, nil
	}
	entries = make([]string, len(rw.table.Indexes))
	for i, ix := range rw.table.Indexes {
		if b, err = rw.table.AppendIndexKey(buf[:0], ix, row); err != nil {
			return "", "", nil, err
		}
		entries[i] = string(b)
	}
	return partition, key, entries, nil
}

// insert makes the operations of a new row. They fail where a row of the same primary or unique key is.
func (rw *rowWriter) insert(r *rowWrite, row []value.Value) error {
	partition, key, entries, err := rw.keysOf(row)
	if err != nil {
		return err
	}
	e, err := rw.entity(rw.row, partition, key, row)
	if err != nil {
		return err
	}
	r.table, r.partition, r.row = rw.table, partition, row
	if r.part, err = rw.table.PartOf(row); err != nil {
		return err
	}
	r.ops = slices.Grow(r.ops, 1+len(entries))
	r.add(engine.Op{Kind: engine.Insert, Entity: e}, nil)
	if err := rw.touchParent(r, partition, row); err != nil {
		return err
	}
	for i, ix := range rw.table.Indexes {
		if ix.State == planner.IndexDeleteOnly {
			continue
		}
		if err := rw.addEntry(r, i, partition, entries[i], e, row); err != nil {
			return err
		}
	}
	return nil
}

// addEntry makes the operation of a new index entry. whole is the row's entity, whose content a whole copy shares.
func (rw *rowWriter) addEntry(r *rowWrite, i int, partition, key string, whole engine.Entity, row []value.Value) error {
	kind := engine.Upsert // the key holds the row's own: nobody else can have it
	if rw.table.Indexes[i].Unique {
		kind = engine.Insert
	}
	e, err := rw.entryEntity(i, partition, key, whole, row)
	if err == nil {
		r.add(engine.Op{Kind: kind, Entity: e}, rw.table.Indexes[i])
	}
	return err
}

func (rw *rowWriter) entryEntity(i int, partition, key string, whole engine.Entity, row []value.Value) (engine.Entity, error) {
	if rw.entries[i] == rw.row {
		whole.PartitionKey, whole.RowKey = partition, key
		return whole, nil
	}
	return rw.entity(rw.entries[i], partition, key, row)
}

// add takes an operation on the row itself (key nil) or on its entry in an index.
func (r *rowWrite) add(op engine.Op, key *planner.Index) {
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

// settled makes sure of the ETag of the row itself where an index is being built: only that one tells whether
// the row has an entry in it; and where rows live inside it: only that one tells whether one more does.
func (rw *rowWriter) settled(ctx context.Context, w *writer, old stored) (stored, error) {
	if !rw.building && len(rw.children) == 0 || old.from == nil {
		return old, nil
	}
	partition, key, _, err := rw.keysOf(old.row)
	if err != nil {
		return old, err
	}
	part, err := rw.table.PartOf(old.row)
	if err != nil {
		return old, err
	}
	fresh, found, err := rw.read(ctx, w, part, partition, key)
	if err != nil {
		return old, err
	}
	if !found || !sameRow(fresh.row, old.row, len(rw.table.Columns)) {
		return old, &engine.Error{Code: engine.CodeStale, Op: -1, Message: "the row was changed since it was read"}
	}
	return fresh, nil
}

// read reads a row by its key.
func (rw *rowWriter) read(ctx context.Context, w *writer, part *planner.Part, partition, key string) (stored, bool, error) {
	e, found, err := w.get(ctx, engine.Get{Table: rw.table.PhysicalOf(part), PartitionKey: partition, RowKey: key, Meter: w.x.Meter})
	if err != nil || !found {
		return stored{}, false, err
	}
	row := make([]value.Value, rw.table.RowWidth())
	columns := positions(0, len(rw.table.Columns))
	if err := rw.row.Decoder(columns, 0, nil).DecodeRow(&e, row); err != nil {
		return stored{}, false, err
	}
	return stored{row: row, etag: e.ETag}, true, nil
}

// hasEntry says whether a row has its entry in an index that is being built or dropped.
func (rw *rowWriter) hasEntry(ctx context.Context, w *writer, i int, partition, key string, row []value.Value) (bool, error) {
	if rw.table.Indexes[i].State == planner.IndexPublic {
		return true, nil
	}
	_, mine, err := rw.owner(ctx, w, i, partition, key, row)
	return mine, err
}

// owner says whether an index entry is there, and whether it is that row's. Until a unique index is found free of
// duplicates, the entry of a row's values may be another row's.
func (rw *rowWriter) owner(ctx context.Context, w *writer, i int, partition, key string, row []value.Value) (taken, mine bool, err error) {
	part, err := rw.table.PartOf(row)
	if err != nil {
		return false, false, err
	}
	e, found, err := w.get(ctx, engine.Get{Table: rw.table.PhysicalOf(part), PartitionKey: partition, RowKey: key, Meter: w.x.Meter})
	if err != nil || !found {
		return false, false, err
	}
	columns := make([]int, len(rw.table.Key))
	for j, p := range rw.table.Key {
		columns[j] = p.Column
	}
	slices.Sort(columns)
	owner := make([]value.Value, rw.table.RowWidth())
	if err := rw.entries[i].Decoder(columns, 0, nil).DecodeRow(&e, owner); err != nil {
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
func (old *stored) ifMatch(ix *planner.Index) string {
	if old.from == ix {
		return old.etag
	}
	return ""
}

// remove makes the operations that delete a row.
func (rw *rowWriter) remove(ctx context.Context, w *writer, r *rowWrite, old stored) error {
	old, err := rw.settled(ctx, w, old)
	if err != nil {
		return err
	}
	partition, key, entries, err := rw.keysOf(old.row)
	if err != nil {
		return err
	}
	r.table, r.partition = rw.table, partition
	if r.part, err = rw.table.PartOf(old.row); err != nil {
		return err
	}
	r.add(engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: key}, IfMatch: old.ifMatch(nil)}, nil)
	for i := range rw.table.Indexes {
		if err := rw.removeEntry(ctx, w, r, i, partition, entries[i], &old); err != nil {
			return err
		}
	}
	return rw.removeChildren(ctx, w, r, partition, old.row)
}

func (rw *rowWriter) removeEntry(ctx context.Context, w *writer, r *rowWrite, i int, partition, key string, old *stored) error {
	has, err := rw.hasEntry(ctx, w, i, partition, key, old.row)
	if err != nil || !has {
		return err
	}
	ix := rw.table.Indexes[i]
	r.add(engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: key}, IfMatch: old.ifMatch(ix)}, ix)
	return nil
}

// update makes the operations that turn a row into another one of the same partition. A row whose primary
// key changes is deleted and inserted in the same transaction.
func (rw *rowWriter) update(ctx context.Context, w *writer, r *rowWrite, old stored, row []value.Value) error {
	old, err := rw.settled(ctx, w, old)
	if err != nil {
		return err
	}
	partition, key, entries, err := rw.keysOf(old.row)
	if err != nil {
		return err
	}
	newPartition, newKey, newEntries, err := rw.keysOf(row)
	if err != nil {
		return err
	}
	if r.part, err = rw.table.PartOf(old.row); err != nil {
		return err
	}
	if part, err := rw.table.PartOf(row); newPartition != partition || err != nil || part != r.part {
		return &Error{Code: 1235, State: "42000", Message: "a row of table " + rw.table.Name + " cannot move to another partition by UPDATE: delete it and insert it anew"}
	}
	e, err := rw.entity(rw.row, partition, newKey, row)
	if err != nil {
		return err
	}
	r.table, r.partition, r.row = rw.table, partition, row
	if newKey == key {
		op := engine.Op{Kind: engine.Replace, Entity: e}
		if rw.table.Foreign != nil {
			op = rw.row.changeOf(old.row, e)
		}
		op.IfMatch = old.ifMatch(nil)
		r.add(op, nil)
	} else {
		r.add(engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: key}, IfMatch: old.ifMatch(nil)}, nil)
		r.add(engine.Op{Kind: engine.Insert, Entity: e}, nil)
		if err := rw.moves(ctx, w, r, partition, old.row, row); err != nil {
			return err
		}
	}
	for i := range rw.table.Indexes {
		if err := rw.updateEntry(ctx, w, r, i, partition, entries[i], newEntries[i], e, &old, row); err != nil {
			return err
		}
	}
	return nil
}

func (rw *rowWriter) updateEntry(ctx context.Context, w *writer, r *rowWrite, i int, partition, key, newKey string, whole engine.Entity, old *stored, row []value.Value) error {
	ix := rw.table.Indexes[i]
	if key != newKey || ix.State == planner.IndexDeleteOnly {
		if err := rw.removeEntry(ctx, w, r, i, partition, key, old); err != nil || ix.State == planner.IndexDeleteOnly {
			return err
		}
		return rw.addEntry(r, i, partition, newKey, whole, row)
	}
	has, err := rw.hasEntry(ctx, w, i, partition, key, old.row)
	if err != nil {
		return err
	}
	if !has {
		return rw.addEntry(r, i, partition, newKey, whole, row)
	}
	if ix.Copy != planner.CopyRow && ix.State == planner.IndexPublic && sameValues(rw.entries[i].columns, old.row, row) {
		return nil // the entry holds nothing that changes
	}
	e, err := rw.entryEntity(i, partition, key, whole, row)
	if err != nil {
		return err
	}
	op := engine.Op{Kind: engine.Upsert, Entity: e} // it is there: an upsert saves a transaction the look
	if match := old.ifMatch(ix); match != "" {
		op.Kind, op.IfMatch = engine.Replace, match
	}
	r.add(op, ix)
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
