package planner

import "github.com/nearlyfreedb/nearlyfree/keymap"

// SharesPhysical says whether other tables have their entities in the physical table, too: that of a parent, or
// the one of a database with layout=single.
func (t *Table) SharesPhysical() bool { return t.RowName != "" }

// Rehome gives t, no entity of which is there yet and inside which no other table lives, new names that its keys
// begin with: rowName for rows ("" where the physical table is its own), and names of their own for its index entries.
func (t *Table) Rehome(rowName string) {
	t.RowName, t.KeyNames = rowName, nil
	d := &definer{t: t}
	for _, ix := range t.Indexes {
		ix.KeyName = d.keyName(ix.Name)
	}
}

// Partitions are the partitions that rows of the table can be in; nil where only the rows say so.
func (t *Table) Partitions() []string {
	switch p := t.Partition; {
	case p == nil:
		return []string{keymap.SinglePartition}
	case p.Kind == PartitionByHash:
		return keymap.Buckets(p.Count)
	}
	return nil
}
