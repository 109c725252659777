package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// walkExpr calls f for e and for all expressions in it, but not inside subqueries, until f says false.
// It reports whether f always said true.
func walkExpr(e dialect.Expr, f func(dialect.Expr) bool) bool {
	if e == nil {
		return true
	}
	if !f(e) {
		return false
	}
	all := func(es ...dialect.Expr) bool {
		for _, e := range es {
			if !walkExpr(e, f) {
				return false
			}
		}
		return true
	}
	switch e := e.(type) {
	case *dialect.Unary:
		return all(e.X)
	case *dialect.Binary:
		return all(e.L, e.R)
	case *dialect.Like:
		return all(e.X, e.Pattern, e.Escape)
	case *dialect.Regexp:
		return all(e.X, e.Pattern)
	case *dialect.In:
		return all(e.X) && all(e.List...)
	case *dialect.Between:
		return all(e.X, e.Low, e.High)
	case *dialect.Is:
		return all(e.X)
	case *dialect.Tuple:
		return all(e.List...)
	case *dialect.Case:
		for _, w := range e.Whens {
			if !all(w.Cond, w.Result) {
				return false
			}
		}
		return all(e.Operand, e.Else)
	case *dialect.Call:
		order := e.OrderBy
		if w := e.Over; w != nil {
			if order = w.OrderBy; !all(w.Partition...) {
				return false
			}
		}
		for _, o := range order {
			if !all(o.Expr) {
				return false
			}
		}
		return all(e.Args...)
	case *dialect.Interval:
		return all(e.X)
	case *dialect.Cast:
		return all(e.X)
	case *dialect.Collate:
		return all(e.X)
	}
	return true
}

// hasAggregate says whether e aggregates the rows of its own query.
func hasAggregate(e dialect.Expr) bool {
	return !walkExpr(e, func(e dialect.Expr) bool {
		call, ok := e.(*dialect.Call)
		return !ok || !isAggregate(call)
	})
}

func isAggregate(c *dialect.Call) bool {
	return c.Over == nil && (c.Star || c.Distinct || expr.IsAggregate(c.Name))
}

// hasSubquery says whether e has a query in it.
func hasSubquery(e dialect.Expr) bool {
	return !walkExpr(e, func(e dialect.Expr) bool {
		switch e := e.(type) {
		case *dialect.Subquery, *dialect.Exists:
			return false
		case *dialect.In:
			return e.Query == nil
		}
		return true
	})
}

// conjuncts splits e at its ANDs.
func conjuncts(e dialect.Expr) []dialect.Expr {
	and, ok := e.(*dialect.Binary)
	if !ok || and.Op != "and" {
		if e == nil {
			return nil
		}
		return []dialect.Expr{e}
	}
	var out []dialect.Expr
	for _, o := range operands(and, "and") {
		out = append(out, conjuncts(o)...)
	}
	return out
}
