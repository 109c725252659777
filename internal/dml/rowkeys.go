package dml

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// EntryKey says where an index entry is stored.
type EntryKey struct{ Partition, Key string }

// keysOf gives the keys of a row and of its index entries.
func (rw *RowWriter) keysOf(row []value.Value) (partition, key string, entries []EntryKey, err error) {
	return rw.keysOfStored(&Stored{Row: row})
}

// keysOfStored is keysOf for a row some of whose keys may be known.
func (rw *RowWriter) keysOfStored(old *Stored) (partition, key string, entries []EntryKey, err error) {
	if partition, key = old.partition, old.key; key == "" {
		if partition, key, err = RowPlace(rw.Table, old.Row); err != nil {
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

// entryKey says where the entry of a row of a partition is stored.
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

// keysAfter gives the keys of a row that replaces old, given old's. Most stay the same, and need not be computed.
func (rw *RowWriter) keysAfter(old, row []value.Value, partition, key string, entries []EntryKey) (string, string, []EntryKey, error) {
	if !rw.Table.SameKey(old, row) {
		return rw.keysOf(row)
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

// rowID distinguishes a row from all others of the statement: its table, partition and key.
func rowID(t *schema.Table, row []value.Value) (string, error) {
	s := Stored{Row: row}
	return s.identify(t)
}

// RowPlace gives the keys of a row.
func RowPlace(t *schema.Table, row []value.Value) (partition, key string, err error) {
	var buf [256]byte
	b, err := t.AppendPartitionKey(buf[:0], row)
	if err != nil {
		return "", "", err
	}
	partition = string(b)
	b, err = t.AppendRowKey(buf[:0], row)
	return partition, string(b), err
}

// placeID distinguishes an entity from all others.
func placeID(physical, partition, key string) string {
	return physical + "\x00" + partition + "\x00" + key
}
