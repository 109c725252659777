package schema

import "slices"

// DropParts takes parts out of the definition. As in MySQL the range of one that was declared goes to the
// part behind it.
func (t *Table) DropParts(parts []*Part) {
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
	t.DropParts(gone)
}

// ForgetMade leaves the parts that were declared, for a table that has no rows yet. The table is a Clone.
func (t *Table) ForgetMade() {
	if t.Parts != nil {
		t.Parts.List = slices.DeleteFunc(t.Parts.List, t.Parts.isMade)
	}
}

// isMade says whether a part was made as rows arrived. All of an INTERVAL were, those too that do not say so.
func (ps *Parts) isMade(p *Part) bool { return p.Made || ps.Every > 0 }
