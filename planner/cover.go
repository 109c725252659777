package planner

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// Cover tells whether a DELETE deletes all rows of some parts and none of others: then their tables are deleted
// instead of rows.
//
//	DELETE FROM log WHERE created < '2027-01-01'  →  the tables of the parts before
type Cover struct {
	table *Table
	tests []*test
}

// newCover gives the cover of a DELETE whose condition is about the one dividing column alone.
func newCover(d *Delete) *Cover {
	ps := d.Table.Parts
	s, ok := d.Source.(*Scan)
	if !ok || ps == nil || len(ps.Columns) != 1 || len(d.Children) > 0 {
		return nil
	}
	c := &Cover{table: d.Table}
	conds := append(expr.Conjuncts(s.Recheck), expr.Conjuncts(s.Residual)...)
	constrain := &constrainer{table: d.Table, offset: s.Offset}
	for _, n := range conds {
		ordinal, t := constrain.test(n)
		if t == nil || ordinal != ps.Columns[0] || t.loose || hasSubqueryNode(n) {
			return nil
		}
		c.tests = append(c.tests, t)
	}
	if len(c.tests) == 0 {
		return nil
	}
	return c
}

func hasSubqueryNode(n expr.Node) bool {
	found := false
	expr.Walk(n, func(n expr.Node) bool {
		_, is := n.(*expr.Subquery)
		found = found || is
		return !found
	})
	return found
}

// Parts gives the parts all of whose rows are deleted; none when others lose some too.
func (c *Cover) Parts(env *expr.Env) ([]*Part, error) {
	ps := c.table.Parts
	p := &keyPart{ordinal: ps.Columns[0], column: c.table.Columns[ps.Columns[0]], part: ps.codes[0]}
	set, exact, err := evalAll(env, c.tests, p)
	if err != nil || !exact {
		return nil, err
	}
	whole, exactly := ps.covered(set)
	if !exactly {
		return nil, nil
	}
	return whole, nil
}
