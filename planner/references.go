package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// references counts how often a query names a table, in its subqueries too.
func references(q dialect.Query, name string) int {
	r := referenceCounter{name: name}
	r.query(q)
	return r.n
}

type referenceCounter struct {
	name string
	n    int
}

func (r *referenceCounter) query(q dialect.Query) {
	switch q := q.(type) {
	case *dialect.Select:
		if r.with(q.With) {
			return
		}
		r.from(q.From)
		for _, e := range q.Exprs {
			r.exprs(e.Expr)
		}
		r.exprs(q.Where, q.Having)
		r.exprs(q.GroupBy...)
		r.order(q.OrderBy)
	case *dialect.Union:
		if r.with(q.With) {
			return
		}
		r.query(q.Left)
		r.query(q.Right)
		r.order(q.OrderBy)
	case *dialect.JSONTable:
		r.exprs(q.X)
	case *dialect.Values:
		if r.with(q.With) {
			return
		}
		for _, row := range q.Rows {
			r.exprs(row...)
		}
		r.order(q.OrderBy)
	}
}

// with says whether WITH declares the name again: later uses then mean that query.
func (r *referenceCounter) with(list []dialect.CTE) bool {
	for i := range list {
		r.query(list[i].Query)
		if strings.EqualFold(list[i].Name, r.name) {
			return true
		}
	}
	return false
}

func (r *referenceCounter) from(te dialect.TableExpr) {
	switch te := te.(type) {
	case *dialect.Derived:
		r.query(te.Query)
	case *dialect.Join:
		r.from(te.Left)
		r.from(te.Right)
		r.exprs(te.On)
	default:
		n, _ := ofFrom(te, r.name, false)
		r.n += n
	}
}

func (r *referenceCounter) order(list []dialect.Order) {
	for _, o := range list {
		r.exprs(o.Expr)
	}
}

func (r *referenceCounter) exprs(list ...dialect.Expr) {
	for _, e := range list {
		walkExpr(e, r.expr)
	}
}

func (r *referenceCounter) expr(e dialect.Expr) bool {
	switch e := e.(type) {
	case *dialect.Subquery:
		r.query(e.Query)
	case *dialect.Exists:
		r.query(e.Query)
	case *dialect.In:
		if e.Query != nil {
			r.query(e.Query)
		}
	}
	return true
}
