package schema

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// SharesPhysical says whether other tables have entities in the physical table, too: it belongs to a parent, or
// to a database with layout=single.
func (t *Table) SharesPhysical() bool { return t.RowName != "" }

// Rehome gives the keys of t new prefixes: rowName for rows ("" if the physical table is its own), and separate names for its
// index entries. t must not have entities yet, nor interleaved tables.
func (t *Table) Rehome(rowName string) {
	t.RowName, t.KeyNames = rowName, nil
	for _, ix := range t.Indexes {
		ix.KeyName = t.KeyName(ix.Name)
	}
}

// StorePartitions are the store partitions that rows of the table can be in; nil if only the rows tell.
func (t *Table) StorePartitions() []string { return t.Layout.partitions() }

func (l *KeyLayout) partitions() []string {
	switch {
	case l.Buckets > 0:
		return keymap.Buckets(l.Buckets)
	case len(l.Partition) == 1 && l.Partition[0].Text != "":
		return []string{l.Partition[0].Text}
	}
	return nil
}

// KeyName finds a name for an index's row keys that was never used: entries of a dropped index may still
// exist.
func (t *Table) KeyName(name string) string {
	key := t.keyNameOf(name)
	for n := 2; slices.Contains(t.KeyNames, key); n++ {
		key = t.keyNameOf(Numbered(name, n))
	}
	t.KeyNames = append(t.KeyNames, key)
	return key
}

// keyNameOf gives the prefix of the keys of an index, or of the rows of a table interleaved in this one. If other
// tables share the physical table, it contains RowName, so that it is different from theirs.
func (t *Table) keyNameOf(name string) string {
	if t.RowName != "" {
		return keymap.NestedName(t.RowName, name)
	}
	return keymap.IndexName(name)
}
