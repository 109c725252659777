package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// bindGroupBy binds what rows are grouped by, if they are.
func (q *selection) bindGroupBy() error {
	if !groups(q.sel) {
		return nil
	}
	g := &grouping{step: q.b.step, implicit: len(q.sel.GroupBy) == 0, rollup: q.sel.Rollup}
	for _, e := range q.sel.GroupBy {
		n, err := q.groupExpression(e)
		if err != nil {
			return err
		}
		if _, constant := n.(*expr.Const); constant && !g.rollup {
			continue // makes no groups
		}
		if g.rollup || g.find(n) < 0 {
			g.group = append(g.group, n)
		}
	}
	if len(g.group) == 0 && !g.implicit {
		// GROUP BY a constant makes one group, but none if there are no rows.
		g.group = append(g.group, null())
	}
	if q.keys != nil {
		g.implicit = false
		for _, c := range q.keys.inner {
			g.group = append(g.group, c)
		}
	}
	g.determine(q.tree, q.where)
	q.grouping, q.scope.grouped = g, g
	return nil
}

// groupExpression binds an element of GROUP BY: a position in the select list, a column, an alias of the
// select list, or an expression.
func (q *selection) groupExpression(e dialect.Expr) (expr.Node, error) {
	c := q.context("group statement")
	if i, ok, err := q.listPosition(e, "group statement"); err != nil {
		return nil, err
	} else if ok {
		return c.groupItem(i, q)
	}
	col, ok := e.(*dialect.Column)
	if !ok || col.Table != "" {
		return c.expression(e)
	}
	f, err := q.scope.lookup(col, c.clause)
	if err != nil {
		return nil, err
	}
	if f == nil {
		for i, item := range q.sel.Exprs {
			if !item.Star && strings.EqualFold(item.As, col.Name) {
				return c.groupItem(i, q)
			}
		}
	}
	return c.expression(e)
}

// groupItem binds the select list's element i as something to group by.
func (c *context) groupItem(i int, q *selection) (expr.Node, error) {
	item := q.sel.Exprs[i]
	if hasAggregate(item.Expr) {
		name := item.As
		if name == "" {
			name = item.Text
		}
		return nil, sqlerr.New(sqlerr.CodeWrongGroupField, sqlerr.NoPos, "Can't group on '%s'", name)
	}
	n, err := c.expression(item.Expr)
	if err == nil && expr.HasSubquery(n) {
		if q.groupItems == nil {
			q.groupItems = map[int]expr.Node{}
		}
		q.groupItems[i] = n
	}
	return n, err
}
