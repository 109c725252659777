package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// parts are the parts that are read, as they are listed.
func (r *Reads) parts() []*Part {
	var out []*Part
	for _, k := range r.Points {
		out = append(out, k.Part)
	}
	for _, s := range r.Spans {
		out = append(out, s.Part)
	}
	slices.SortFunc(out, compareParts)
	return slices.Compact(out)
}

// partsText names parts.
func partsText(parts []*Part) string {
	if len(parts) == 0 {
		return "no parts"
	}
	var names []string
	for _, p := range parts[:min(mostShown, len(parts))] {
		names = append(names, p.Name)
	}
	return plural("part", names, len(parts))
}

// wholeParts gives the parts whose tables a DELETE deletes, where that can be told now.
func (e *explainer) wholeParts(d *Delete) []*Part {
	s, ok := d.Source.(*Scan)
	if !ok || d.Whole == nil || !e.computable(s) {
		return nil
	}
	parts, err := d.Whole.Parts(&expr.Env{Args: e.args, Session: &expr.Session{}})
	if err != nil {
		return nil
	}
	return parts
}

// deleteRequests is how many requests it takes to delete the tables of parts: one each, and another one where a
// declared part gets an empty table in its place; and two for the definition.
func (t *Table) deleteRequests(parts []*Part) int {
	if t.Parts.Every > 0 {
		return len(parts) + 2
	}
	return 2*len(parts) + 2
}
