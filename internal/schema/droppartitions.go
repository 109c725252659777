package schema

import "slices"

// DropPartitions removes partitions from the definition. As in MySQL the range of a declared one goes to the
// partition after it.
func (t *Table) DropPartitions(parts []*Partition) {
	ps := t.Partitions
	from, open := "", false
	var left []*Partition
	for _, p := range ps.List {
		switch {
		case slices.Contains(parts, p):
			if !open {
				from, open = p.Spans[0].From, true
			}
			continue
		case open && ps.Kind == PartitionByRange && ps.Every == 0:
			p.Spans[0].From = from
		}
		open = false
		left = append(left, p)
	}
	ps.List = left
}

// EmptyPartitions empties partitions, given by name: those that were made as rows arrived are removed. The table is a Clone.
func (t *Table) EmptyPartitions(names []string) {
	var gone []*Partition
	for _, p := range t.Partitions.List {
		if !slices.Contains(names, p.Name) {
			continue
		}
		p.Physical = ""
		if t.Partitions.isMade(p) {
			gone = append(gone, p)
		}
	}
	t.DropPartitions(gone)
}

// ForgetMade keeps only the declared partitions, for a table that has no rows yet. The table is a Clone.
func (t *Table) ForgetMade() {
	if t.IsDivided() {
		t.Partitions.List = slices.DeleteFunc(t.Partitions.List, t.Partitions.isMade)
	}
}

// isMade says whether a partition was made as rows arrived. All of an INTERVAL were, even those that do not say so.
func (ps *Partitions) isMade(p *Partition) bool { return p.Made || ps.Every > 0 }
