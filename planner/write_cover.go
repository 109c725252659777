package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// coverOf tells which partitions a DELETE empties; nil if it never empties one.
func coverOf(d *Delete) *access.Cover {
	s, ok := d.Source.(*access.Scan)
	if !ok || !allCascade(d.Targets[0].Children) {
		return nil
	}
	return access.NewCover(d.Targets[0].Table, s.Offset, append(expr.Conjuncts(s.Recheck), expr.Conjuncts(s.Residual)...))
}

// allCascade says whether deleting a table's rows deletes those of all tables interleaved in it.
func allCascade(families []schema.Family) bool {
	return !slices.ContainsFunc(families, func(f schema.Family) bool { return !f.Table.Interleaved.Cascade || !allCascade(f.Children) })
}

// ByRows gives the plan of a DELETE that deletes no tables, and leaves out the rows of the partitions with these names.
func (p *Plan) ByRows(without []string) *Plan {
	d, ok := p.Write.(*Delete)
	if !ok || d.Whole == nil {
		return p
	}
	scan := *d.Source.(*access.Scan)
	scan.Without = without
	rows := *d
	rows.Source, rows.Whole = &scan, nil
	return &Plan{Write: &rows, Columns: p.Columns, Params: p.Params, Slots: p.Slots, Tables: p.Tables, AllowScan: p.AllowScan}
}
