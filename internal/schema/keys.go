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

// AppendPartitionKey appends the PartitionKey of a row and of its index entries. The row has the
// table's columns at 0….
func (t *Table) AppendPartitionKey(dst []byte, row []value.Value) ([]byte, error) {
	if t.Foreign != nil {
		return t.appendForeign(dst, t.Foreign.Partition, row)
	}
	p := t.Partition
	if p == nil {
		return append(dst, keymap.SinglePartition...), nil
	}
	begin := len(dst)
	for i, c := range p.Columns {
		if i > 0 {
			dst = append(dst, keymap.Separator)
		}
		var err error
		if dst, _, err = keymap.AppendValue(dst, row[c], t.PartitionCodes[i]); err != nil {
			return dst, t.keyError(c, err)
		}
	}
	return t.FinishPartition(dst, begin), nil
}

// FinishPartition turns the codes of the partition columns, which begin at dst[begin], into the
// PartitionKey: the codes themselves, or the bucket of their hash.
func (t *Table) FinishPartition(dst []byte, begin int) []byte {
	if t.Partition.Kind != PartitionByHash {
		return dst
	}
	return append(dst[:begin], keymap.Bucket(string(dst[begin:]), t.Partition.Count)...)
}

// AppendRowKey appends the RowKey of a row.
func (t *Table) AppendRowKey(dst []byte, row []value.Value) ([]byte, error) {
	if t.Foreign != nil {
		return t.appendForeign(dst, t.Foreign.Row, row)
	}
	dst = append(dst, t.RowPrefix()...)
	return t.appendCodes(dst, t.Key, t.KeyCodes, row)
}

// AppendIndexKey appends the RowKey of a row's entry in an index: the index's name, its values and, so
// that equal values have entries of their own, the primary key. A unique index leaves the primary key
// out, which makes a second entry of the same values impossible, except where one of the values is
// NULL: those are not equal to each other.
func (t *Table) AppendIndexKey(dst []byte, ix *Index, row []value.Value) ([]byte, error) {
	dst = append(dst, ix.KeyName...)
	dst, err := t.appendCodes(dst, ix.Key, ix.Codes, row)
	if err != nil || ix.Beside != "" || ix.Unique && !hasNull(ix.Key, row) {
		return dst, err
	}
	return t.appendCodes(dst, t.Key, t.KeyCodes, row)
}

// appendCodes appends the separator and the code of each part.
func (t *Table) appendCodes(dst []byte, parts []KeyColumn, codes []keymap.Part, row []value.Value) ([]byte, error) {
	for i := range codes {
		dst = append(dst, keymap.Separator)
		var err error
		if dst, _, err = keymap.AppendValue(dst, row[parts[i].Column], codes[i]); err != nil {
			return dst, t.keyError(parts[i].Column, err)
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
