package planner

import (
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// expressions calls f for each expression that an operator computes itself, not those of its inputs.
func expressions(n Node, f func(expr.Node)) {
	each := func(list ...expr.Node) {
		for _, x := range list {
			if x != nil {
				f(x)
			}
		}
	}
	switch n := n.(type) {
	case *access.Scan:
		// The conditions of the key are not repeated: they are in Recheck or Residual.
		each(n.Recheck, n.Residual, n.Limit)
	case *FamilyScan:
		for _, s := range [...]*access.Scan{n.Parent, n.Child} {
			expressions(s, f)
		}
		each(n.On)
	case *Values:
		for _, row := range n.Rows {
			each(row...)
		}
	case *Filter:
		each(n.Cond)
	case *Project:
		each(n.Exprs...)
	case *Sort:
		for _, k := range n.Keys {
			each(k.Expr)
		}
	case *Limit:
		each(n.Count, n.Offset)
	case *Aggregate:
		each(n.Group...)
		for _, a := range n.Aggs {
			each(a.Args...)
			for _, o := range a.OrderBy {
				each(o.X)
			}
		}
	case *Window:
		n.expressions(f)
	case *HashJoin:
		each(n.LeftKeys...)
		each(n.RightKeys...)
		each(n.On)
	case *LookupJoin:
		each(n.On)
	case *LoopJoin:
		each(n.On)
	case *Apply:
		each(n.On)
	case *JSONTable:
		each(n.Of.X)
	}
}

// writeExpressions calls f for each expression of a write itself.
func writeExpressions(w Write, f func(expr.Node)) {
	each := func(list []expr.Node) {
		for _, x := range list {
			if x != nil {
				f(x)
			}
		}
	}
	assign := func(list []Assign) {
		for _, a := range list {
			if a.Value != nil {
				f(a.Value)
			}
		}
	}
	switch w := w.(type) {
	case *Insert:
		for _, row := range w.Rows {
			each(row)
		}
		assign(w.OnDup)
		if w.OnDupCond != nil {
			f(w.OnDupCond)
		}
		each(w.Returning)
	case *Update:
		for i := range w.Targets {
			assign(w.Targets[i].Set)
		}
		each(w.Returning)
	case *Delete:
		each(w.Returning)
	}
}

// writeSource is the query that a write takes its rows from; nil for INSERT … VALUES.
func writeSource(w Write) Node {
	switch w := w.(type) {
	case *Insert:
		return w.Source
	case *Update:
		return w.Source
	case *Delete:
		return w.Source
	}
	return nil
}

// subqueries calls f for each subquery in n.
func subqueries(n expr.Node, f func(*expr.Subquery, *Plan)) {
	expr.Walk(n, func(n expr.Node) bool {
		if s, ok := n.(*expr.Subquery); ok {
			if p, ok := s.Plan.(*Plan); ok {
				f(s, p)
			}
		}
		return true
	})
}

// Scans are the tables that the statement reads, subqueries included, in the order in which EXPLAIN prints them. For a join that can change over
// to another way, what it reads then comes before its tables.
func (p *Plan) Scans() []*access.Scan { return p.scans(true) }

// scans is Scans, with or without what joins read after changing over.
func (p *Plan) scans(all bool) []*access.Scan {
	var out []*access.Scan
	p.operators(func(n Node, _ bool) {
		switch n := n.(type) {
		case *access.Scan:
			out = append(out, n)
		case *FamilyScan:
			out = append(out, n.Parent, n.Child)
		case *LookupJoin:
			if all && n.Whole != nil {
				out = append(out, n.otherWay())
			}
		}
	})
	return out
}
