package schema

import (
	"fmt"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// KeyError says which column's value cannot be part of a key.
type KeyError struct {
	Table, Column string
	Cause         error
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("column '%s' of table %s as part of a key: %v", e.Column, e.Table, e.Cause)
}

// Unwrap gives the cause.
func (e *KeyError) Unwrap() error { return e.Cause }

// AppendPartitionKey appends the PartitionKey of a row. The row has the table's columns at 0….
func (t *Table) AppendPartitionKey(dst []byte, row []value.Value) ([]byte, error) {
	return t.AppendEntryPartition(dst, nil, row)
}

// AppendEntryPartition appends the PartitionKey of a row's entry in an index; nil is the row itself.
func (t *Table) AppendEntryPartition(dst []byte, ix *Index, row []value.Value) ([]byte, error) {
	begin, l := len(dst), t.LayoutOf(ix)
	dst, err := t.appendKey(dst, l.Partition, row)
	return l.FinishPartition(dst, begin), err
}

// FinishPartition turns what the segments of the partition give, which begins at dst[begin], into the PartitionKey.
func (l *KeyLayout) FinishPartition(dst []byte, begin int) []byte {
	if l.Buckets == 0 {
		return dst
	}
	return append(dst[:begin], keymap.Bucket(string(dst[begin:]), l.Buckets)...)
}

// AppendRowKey appends the RowKey of a row.
func (t *Table) AppendRowKey(dst []byte, row []value.Value) ([]byte, error) {
	return t.appendKey(dst, t.Layout.Row, row)
}

// AppendIndexKey appends the RowKey of a row's entry in an index: the index's name, its values and, so
// that equal values have separate entries, the primary key. A unique index leaves the primary key
// out, so that no second entry of the same values is possible, unless one of the values is
// NULL: NULLs are not equal to each other.
func (t *Table) AppendIndexKey(dst []byte, ix *Index, row []value.Value) ([]byte, error) {
	dst, err := t.appendKey(dst, ix.Segments, row)
	if err != nil || !ix.Unique || !hasNull(ix.Key, row) {
		return dst, err
	}
	return t.appendKey(append(dst, keymap.Separator), t.Layout.Row[1:], row)
}

// SameKey says whether two rows agree, bit by bit, in the values that their own keys are made of. Then they have the same key.
func (t *Table) SameKey(a, b []value.Value) bool {
	return sameKey(t.Layout.Partition, a, b) && sameKey(t.Layout.Row, a, b)
}

// SameEntryKey is SameKey of the entries in an index, for rows with one key.
func (t *Table) SameEntryKey(ix *Index, a, b []value.Value) bool {
	return sameKey(t.LayoutOf(ix).Partition, a, b) && sameKey(ix.Segments, a, b)
}

func sameKey(segments []Segment, a, b []value.Value) bool {
	for i := range segments {
		if s := &segments[i]; s.Text == "" && a[s.Column] != b[s.Column] {
			return false
		}
	}
	return true
}

// appendKey appends a key of these segments.
func (t *Table) appendKey(dst []byte, segments []Segment, row []value.Value) ([]byte, error) {
	for i := range segments {
		s := &segments[i]
		if s.Text != "" {
			dst = append(dst, s.Text...)
			continue
		}
		begin := len(dst)
		var err error
		if dst, err = s.Append(dst, row[s.Column]); err == nil && s.end != "" && !s.GivesBack(string(dst[begin:])) {
			err = errHoldsEnd
		}
		if err != nil {
			return dst, t.keyError(s.Column, err)
		}
	}
	return dst, nil
}

func (t *Table) keyError(column int, err error) error {
	return &KeyError{Table: t.Name, Column: t.Columns[column].Name, Cause: err}
}

func hasNull(parts []KeyColumn, row []value.Value) bool {
	for i := range parts {
		if row[parts[i].Column].IsNull() {
			return true
		}
	}
	return false
}
