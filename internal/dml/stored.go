package dml

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Stored is a row as it was read: the table's columns from 0, and the ETag of the entity that they came from.
type Stored struct {
	Row            []value.Value
	Etag           string
	from           *schema.Index // the index whose entry was read; nil: the row's own entity
	partition, key string        // of the row's own entity; key "": not known yet
}

// identify gives the rowID, and notes the keys, which are parts of it.
func (s *Stored) identify(t *schema.Table) (id string, err error) {
	var buf [256]byte
	b := append(append(buf[:0], t.Physical...), 0)
	partition := len(b)
	if b, err = t.AppendPartitionKey(b, s.Row); err != nil {
		return "", err
	}
	b = append(b, 0)
	key := len(b)
	if b, err = t.AppendRowKey(b, s.Row); err != nil {
		return "", err
	}
	id = string(b)
	s.partition, s.key = id[partition:key-1], id[key:]
	return id, nil
}

// ifMatch is the condition of an operation on the row's entity (ix nil) or on its entry in ix.
func (s *Stored) ifMatch(ix *schema.Index) string {
	if s.from == ix {
		return s.Etag
	}
	return ""
}

// withRowETag makes sure that the row's own ETag is known if an index is being built, or if rows are interleaved in this
// one. Only that ETag tells whether the row has since got an entry, or another child.
func (rw *RowWriter) withRowETag(ctx context.Context, w *Writer, old Stored) (Stored, error) {
	if !rw.building && len(rw.children) == 0 || old.from == nil {
		return old, nil
	}
	partition, key, err := RowPlace(rw.Table, old.Row)
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
	row, err := rw.stored(&e)
	return row, err == nil, err
}

// stored decodes a row.
func (rw *RowWriter) stored(e *engine.Entity) (Stored, error) {
	row := make([]value.Value, rw.Table.RowWidth())
	err := rw.Row.Decoder(exec.Positions(0, len(rw.Table.Columns)), 0, nil).DecodeRow(e, row)
	return Stored{Row: row, Etag: e.ETag}, err
}

// sameRow says whether the first n values of two rows are the same, bit by bit.
func sameRow(a, b []value.Value, n int) bool { return slices.Equal(a[:n], b[:n]) }
