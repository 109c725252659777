package planner

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// besideAlias is a name that ORDER BY cannot contain.
const besideAlias = "(beside)"

// besideValues is what ON DUPLICATE KEY UPDATE refers to in the tables of an INSERT … SELECT. The query also selects it, after the values.
type besideValues struct {
	query   dialect.Query // the statement's, with the columns
	columns []*dialect.Column
}

// besideValues finds the names that are not columns of the table. As in MySQL they may be columns of a query that does not group and is no
// UNION.
func (b *builder) besideValues(to *rowTarget, st *dialect.Insert) (*besideValues, error) {
	out := &besideValues{query: st.Query}
	sel, ok := st.Query.(*dialect.Select)
	if !ok || len(st.OnDup) == 0 || sel.From == nil || groups(sel) {
		return out, nil
	}
	c, err := b.rowContext(to, "field list")
	if err != nil {
		return nil, err
	}
	for i := range st.OnDup {
		walkExpr(st.OnDup[i].Value, func(e dialect.Expr) bool {
			col, ok := e.(*dialect.Column)
			if !ok {
				return true
			}
			if f, err := c.scope.lookup(col, "field list"); f == nil && err == nil {
				out.columns = append(out.columns, col)
			}
			return true
		})
	}
	if len(out.columns) == 0 {
		return out, nil
	}
	with := *sel
	with.Exprs = slices.Clone(sel.Exprs)
	for _, col := range out.columns {
		if sel.Distinct && !selects(sel, col) { // rows that DISTINCT makes one could become several
			return nil, sqlerr.NotSupported(col.Pos, "ON DUPLICATE KEY UPDATE by '%s', which SELECT DISTINCT does not select, is", columnText(col))
		}
		with.Exprs = append(with.Exprs, dialect.SelectExpr{Expr: col, As: besideAlias})
	}
	out.query = &with
	return out, nil
}

// selects says whether the query selects the column as it is.
func selects(sel *dialect.Select, col *dialect.Column) bool {
	same := func(a, b string) bool { return a == "" || b == "" || strings.EqualFold(a, b) }
	return slices.ContainsFunc(sel.Exprs, func(item dialect.SelectExpr) bool {
		if item.Star {
			return item.Table == "" || strings.EqualFold(item.Table, col.Table)
		}
		c, ok := item.Expr.(*dialect.Column)
		return ok && strings.EqualFold(c.Name, col.Name) && same(c.Table, col.Table)
	})
}

// find gives a function that finds the values of the names, once the query is planned.
func (v *besideValues) find(ins *Insert) func(*dialect.Column) expr.Node {
	if v == nil || len(v.columns) == 0 {
		return nil
	}
	return func(col *dialect.Column) expr.Node {
		i := slices.Index(v.columns, col)
		if i < 0 {
			return nil
		}
		return &expr.InsertValue{Index: ins.Table.RowWidth() + i, Name: columnText(col), T: ins.Beside[i].Type, Beside: true}
	}
}
