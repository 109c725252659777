package schema

import "slices"

// DropPartitions takes partitions out of the definition. As in MySQL the range of one that was declared goes to the
// partition behind it.
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

// EmptyPartitions makes partitions empty, by their names: those that were made as rows arrived go. The table is a Clone.
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

// ForgetMade leaves the partitions that were declared, for a table that has no rows yet. The table is a Clone.
func (t *Table) ForgetMade() {
	if t.IsDivided() {
		t.Partitions.List = slices.DeleteFunc(t.Partitions.List, t.Partitions.isMade)
	}
}

// isMade says whether a partition was made as rows arrived. All of an INTERVAL were, those too that do not say so.
func (ps *Partitions) isMade(p *Partition) bool { return p.Made || ps.Every > 0 }
