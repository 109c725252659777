package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// alterParts is ADD, DROP and TRUNCATE PARTITION. Physical tables follow the definition: a part without one
// gets it, and one that no part has any more is deleted.
func (m *alteration) alterParts(a *dialect.AlterAction) error {
	ps := m.t.Parts
	if in := m.t.Inside; in != nil && ps != nil {
		return notSupported(a.Pos, "%s PARTITION of a table INSIDE '%s', whose partitions it shares, is", partVerbs[a.Kind], in.Parent)
	}
	if ps == nil {
		if m.t.Partition != nil {
			return newError(codeOnlyRangeList, a.Pos, "%s PARTITION can only be used on RANGE/LIST partitions", partVerbs[a.Kind])
		}
		return newError(codeNoPartitions, a.Pos, "Partition management on a not partitioned table is not possible")
	}
	if a.Kind == dialect.AddPartition {
		for _, c := range ps.Columns {
			ps.codes = append(ps.codes, m.t.keymapPart(KeyPart{Column: c}))
		}
		before := len(ps.List)
		if err := m.addParts(a.Parts, a.Pos); err != nil {
			return err
		}
		for _, p := range ps.List[before:] {
			p.Opening = true
		}
		return nil
	}
	names := a.Names
	if a.Kind == dialect.TruncatePartition && len(names) == 0 {
		for _, p := range ps.List {
			names = append(names, p.Name)
		}
	}
	parts, err := m.partNames(names, partVerbs[a.Kind])
	if err != nil {
		return err
	}
	if a.Kind == dialect.TruncatePartition {
		for _, p := range parts {
			p.Physical = ""
		}
		return nil
	}
	m.t.dropParts(parts)
	if len(ps.List) == 0 && !ps.grows() {
		return newError(codePartitionsAll, a.Pos, "Cannot remove all partitions, use DROP TABLE instead")
	}
	return nil
}

var partVerbs = map[dialect.AlterKind]string{
	dialect.AddPartition: "ADD", dialect.DropPartition: "DROP", dialect.TruncatePartition: "TRUNCATE",
}

// dropParts takes parts out of the definition. As in MySQL the range of one that was declared goes to the
// part behind it.
func (t *Table) dropParts(parts []*Part) {
	ps := t.Parts
	from, open := "", false
	var left []*Part
	for _, p := range ps.List {
		switch {
		case slices.Contains(parts, p):
			if !open {
				from, open = p.Spans[0].From, true
			}
			continue
		case open && ps.Kind == PartsByRange && ps.Every == 0:
			p.Spans[0].From = from
		}
		open = false
		left = append(left, p)
	}
	ps.List = left
}

// EmptyParts makes parts empty, by their names: those that were made as rows arrived go. The table is a Clone.
func (t *Table) EmptyParts(names []string) {
	var gone []*Part
	for _, p := range t.Parts.List {
		if !slices.Contains(names, p.Name) {
			continue
		}
		p.Physical = ""
		if t.Parts.isMade(p) {
			gone = append(gone, p)
		}
	}
	t.dropParts(gone)
}

// ForgetMade leaves the parts that were declared, for a table that has no rows yet. The table is a Clone.
func (t *Table) ForgetMade() {
	if t.Parts != nil {
		t.Parts.List = slices.DeleteFunc(t.Parts.List, t.Parts.isMade)
	}
}

// isMade says whether a part was made as rows arrived. All of an INTERVAL were, those too that do not say so.
func (ps *Parts) isMade(p *Part) bool { return p.Made || ps.Every > 0 }

// divides says whether a column is among those that divide the table into parts or partitions.
func (m *alteration) divides(column int) bool { return slices.Contains(m.t.spreadBy(), column) }

// partNames resolves the names of ALTER TABLE … PARTITION.
func (m *alteration) partNames(names []string, verb string) ([]*Part, error) {
	var out []*Part
	for _, name := range names {
		p := m.t.Parts.named(name)
		if p == nil {
			return nil, newError(codePartitionUnknown, noPos, "Error in list of partitions to %s: table %s has no partition %s", verb, m.t.Name, name)
		}
		out = append(out, p)
	}
	return out, nil
}
