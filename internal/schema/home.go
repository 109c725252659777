package schema

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// SharesPhysical says whether other tables have their entities in the physical table, too: that of a parent, or
// the one of a database with layout=single.
func (t *Table) SharesPhysical() bool { return t.RowName != "" }

// Rehome gives t new names for its keys to begin with: rowName for rows ("" where the physical table is its own), and names of
// their own for its index entries. t must not have entities yet, nor interleaved tables.
func (t *Table) Rehome(rowName string) {
	t.RowName, t.KeyNames = rowName, nil
	for _, ix := range t.Indexes {
		ix.KeyName = t.KeyName(ix.Name)
	}
}

// StorePartitions are the store partitions that rows of the table can be in; nil where only the rows say so.
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

// KeyName finds a name for an index's row keys that none ever had: entries of a dropped index may still
// be there.
func (t *Table) KeyName(name string) string {
	key := t.keyNameOf(name)
	for n := 2; slices.Contains(t.KeyNames, key); n++ {
		key = t.keyNameOf(Numbered(name, n))
	}
	t.KeyNames = append(t.KeyNames, key)
	return key
}

// keyNameOf gives the name that the keys of an index, or of the rows of a table inside this one, begin with. Where
// other tables share the physical table it holds RowName, so that it is none of theirs.
func (t *Table) keyNameOf(name string) string {
	if t.RowName != "" {
		return keymap.NestedName(t.RowName, name)
	}
	return keymap.IndexName(name)
}
