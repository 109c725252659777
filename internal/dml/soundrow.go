package dml

import (
	"github.com/nearlyfreedb/nearlyfree/internal/codec"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Sound decodes e as the row that its keys identify, and gives the keys of its index entries. If e is another row, or none, the
// error is one that isCorrupt recognizes.
func (rw *RowWriter) Sound(d *codec.Decoder, e *engine.Entity, part *schema.Partition) (row []value.Value, entries []EntryKey, err error) {
	row = make([]value.Value, rw.Table.RowWidth())
	if err := d.DecodeRow(e, row); err != nil {
		return nil, nil, err
	}
	partition, key, entries, err := rw.keysOf(row)
	switch {
	case err != nil:
		return nil, nil, err
	case key != e.RowKey:
		return nil, nil, engine.Errorf(engine.CodeCorrupt, "the row under %q of table %s has the key %q", e.RowKey, rw.Table.Name, key)
	case partition != e.PartitionKey:
		return nil, nil, engine.Errorf(engine.CodeCorrupt, "the row under %q of table %s lies in partition %q, and its own is %q", e.RowKey, rw.Table.Name, e.PartitionKey, partition)
	}
	if own, err := rw.Table.PartitionOf(row); err != nil || own != part {
		return nil, nil, engine.Errorf(engine.CodeCorrupt, "the row under %q of table %s is in partition %s, which is not its own", e.RowKey, rw.Table.Name, part.Name)
	}
	return row, entries, nil
}
