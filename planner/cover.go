package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// Cover tells whether a DELETE deletes all rows of some parts: then their tables are deleted instead of rows.
//
//	DELETE FROM log WHERE created < '2027-01-01'  →  the tables of the parts before
//	DELETE FROM log WHERE created < '2027-03-15'  →  the same, and rows of the part that the day is in
type Cover struct {
	table *Table
	tests []*test
}

// newCover gives the cover of a DELETE whose condition is about the one dividing column alone.
func newCover(d *Delete) *Cover {
	ps := d.Table.Parts
	s, ok := d.Source.(*Scan)
	if !ok || ps == nil || len(ps.Columns) != 1 || d.Table.Inside != nil || !allCascade(d.Children) {
		return nil
	}
	c := &Cover{table: d.Table}
	conds := append(expr.Conjuncts(s.Recheck), expr.Conjuncts(s.Residual)...)
	constrain := &constrainer{table: d.Table, offset: s.Offset}
	for _, n := range conds {
		ordinal, t := constrain.test(n)
		if t == nil || ordinal != ps.Columns[0] || t.loose || expr.HasSubquery(n) {
			return nil
		}
		c.tests = append(c.tests, t)
	}
	if len(c.tests) == 0 {
		return nil
	}
	return c
}

// allCascade says whether all that lives inside a table goes with its rows.
func allCascade(families []Family) bool {
	return !slices.ContainsFunc(families, func(f Family) bool { return !f.Table.Inside.Cascade || !allCascade(f.Children) })
}

// Parts gives the parts all of whose rows are deleted, and whether others may lose some, too.
func (c *Cover) Parts(env *expr.Env) (whole []*Part, rest bool, err error) {
	ps := c.table.Parts
	p := &keyPart{ordinal: ps.Columns[0], column: c.table.Columns[ps.Columns[0]], part: ps.codes[0]}
	set, exact, err := evalAll(env, c.tests, p)
	if err != nil || !exact {
		return nil, true, err
	}
	whole, rest = ps.covered(set)
	return whole, rest, nil
}

// ByRows gives the plan of a DELETE that deletes no tables, and leaves out the rows of parts of these names.
func (p *Plan) ByRows(without []string) *Plan {
	d, ok := p.Write.(*Delete)
	if !ok || d.Whole == nil {
		return p
	}
	scan := *d.Source.(*Scan)
	scan.Without = without
	rows := *d
	rows.Source, rows.Whole = &scan, nil
	return &Plan{Write: &rows, Columns: p.Columns, Params: p.Params, Slots: p.Slots, Tables: p.Tables, AllowScan: p.AllowScan}
}

// PartNames are the names of parts.
func PartNames(parts []*Part) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return names
}
