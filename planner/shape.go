package planner

import (
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// maxTaken is how many literals Takes looks at.
const maxTaken = 63

// Takes says whether the plan stays the same with literals of these kinds in place of the parameters. It does in two cases:
//
//   - One row is read by its key, and each literal is compared with a column of the key, or assigned to a column, of its own kind. So
//     no estimate counts, and no value has to be converted.
//   - Each literal is a value of a row that is inserted. Those are converted when the statement runs.
//
// The plan computes nothing else, so that no error can name a place in the text.
func (p *Plan) Takes(kinds []value.Kind) bool {
	if len(kinds) != p.Params || len(kinds) > maxTaken {
		return false
	}
	var source Node
	var taken uint64 // a bit for each parameter
	takes := func(t value.Type, n expr.Node) bool {
		if _, constant := n.(*expr.Const); constant {
			return true
		}
		param, ok := n.(*expr.Param)
		if !ok {
			return false
		}
		taken |= 1 << param.Index
		switch kinds[param.Index] {
		case value.String:
			return t.IsFreeText()
		case value.Int:
			return t.IsInteger()
		}
		return false
	}
	switch w := p.Write.(type) {
	case nil:
		project, ok := p.Root.(*Project)
		if !ok {
			return false
		}
		for _, e := range project.Exprs {
			if _, ok := e.(*expr.Column); !ok {
				return false
			}
		}
		source = project.Input
	case *Update:
		if len(w.Targets) != 1 || len(w.Returning) > 0 {
			return false
		}
		t := &w.Targets[0]
		for _, set := range t.Set {
			if !takes(t.Table.Columns[set.Column].Type, set.Value) {
				return false
			}
		}
		source = w.Source
	case *Delete:
		if len(w.Targets) != 1 || len(w.Returning) > 0 || w.Whole != nil {
			return false
		}
		source = w.Source
	case *Insert:
		return w.takes(len(kinds))
	}
	scan, ok := source.(*access.Scan)
	if !ok || scan.Access != access.PointRead || scan.Index != nil || scan.Residual != nil || scan.Table.IsExternal() {
		return false
	}
	for _, cond := range expr.Conjuncts(scan.Recheck) {
		c, ok := cond.(*expr.Compare)
		if !ok || c.Op != expr.Eq {
			return false
		}
		column, ok := c.L.(*expr.Column)
		if !ok || !takes(column.T, c.R) {
			return false
		}
	}
	return taken == 1<<len(kinds)-1
}

// takes is Plan.Takes of rows with so many literals.
func (n *Insert) takes(literals int) bool {
	if n.Source != nil || n.Replace || n.Ignore || len(n.OnDup) > 0 || len(n.Returning) > 0 || n.Table.IsExternal() {
		return false
	}
	taken := 0
	for _, row := range n.Rows {
		for _, x := range row {
			switch x.(type) {
			case nil, *expr.Const:
			case *expr.Param:
				taken++
			default:
				return false
			}
		}
	}
	return taken == literals
}
