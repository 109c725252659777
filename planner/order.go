package planner

import (
	"math"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// listPosition says which element of the select list an integer literal of GROUP BY or ORDER BY means.
func (q *selection) listPosition(e dialect.Expr, clause string) (int, bool, error) {
	l, ok := e.(*dialect.Literal)
	if !ok || l.Kind != dialect.IntLiteral {
		return 0, false, nil
	}
	for _, item := range q.sel.Exprs {
		if item.Star {
			return 0, false, sqlerr.NotSupported(sqlerr.NoPos, "a position in the %s beside * in the select list is", clause)
		}
	}
	i, err := strconv.Atoi(l.Text)
	if err != nil || i < 1 || i > len(q.sel.Exprs) {
		return 0, false, sqlerr.New(sqlerr.CodeUnknownColumn, sqlerr.NoPos, "Unknown column '%s' in '%s'", l.Text, clause)
	}
	return i - 1, true, nil
}

// bindOrder binds ORDER BY: positions and names of the select list come before columns.
func (q *selection) bindOrder() error {
	c := q.context("order clause")
	c.grouping, c.aliases, c.windows = q.grouping, q.outputs, q.windows
	if of := q.orderedFrom(); of != nil {
		return q.bindOrderOf(of)
	}
	for i, o := range q.sel.OrderBy {
		c.number = i + 1
		n, err := orderExpression(c, q.outputs, o.Expr)
		if err != nil {
			return err
		}
		if expr.IsConst(n) && expr.Deterministic(n) && operandSize(n) == 1 {
			continue // has no effect on the order
		}
		if column := expr.LocalOf(n); column != nil && q.grouping == nil && !q.sel.Distinct {
			n = column // as in MySQL, by the stored value
		}
		q.order = append(q.order, access.SortKey{Expr: n, Desc: o.Desc})
	}
	return nil
}

// orderedFrom is the query merged into this one that says in which order its rows come, if this query has nothing else in FROM and says no order
// itself; nil: there is none, or the order does not matter.
func (q *selection) orderedFrom() *selection {
	if len(q.sel.OrderBy) > 0 || q.grouping != nil || q.sel.Distinct || !q.position.top && q.sel.Limit == nil {
		return nil
	}
	for names := q.scope.names; len(names) == 1 && names[0].merged != nil; names = names[0].merged.from {
		if m := names[0].merged; m.orders != nil {
			return m.orders
		}
	}
	return nil
}

// bindOrderOf binds the ORDER BY of a query that was merged.
func (q *selection) bindOrderOf(in *selection) error {
	unused := q.block.keepUsed()
	err := in.bindOutputs()
	if unused(); err == nil {
		err = in.bindOrder()
	}
	q.order = in.order
	for _, key := range q.order {
		q.block.use(key.Expr)
	}
	return err
}

// orderExpression binds an element of ORDER BY.
func orderExpression(c *context, outputs []output, e dialect.Expr) (expr.Node, error) {
	if l, ok := e.(*dialect.Literal); ok && l.Kind == dialect.IntLiteral {
		i, err := strconv.Atoi(l.Text)
		if err != nil || i < 1 || i > len(outputs) {
			return nil, sqlerr.New(sqlerr.CodeUnknownColumn, sqlerr.NoPos, "Unknown column '%s' in '%s'", l.Text, c.clause)
		}
		return outputs[i-1].node, nil
	}
	if col, ok := e.(*dialect.Column); ok && col.Table == "" {
		n, err := findOutput(outputs, col, c.clause)
		if n != nil || err != nil {
			return n, err
		}
	}
	return c.expression(e)
}

// limit binds LIMIT and OFFSET: numbers or arguments.
func (c *context) limit(l *dialect.Limit) (*Limit, error) {
	if l == nil {
		return nil, nil
	}
	count, err := c.limitNumber(l.Count)
	if err != nil {
		return nil, err
	}
	offset, err := c.limitNumber(l.Offset)
	if err != nil {
		return nil, err
	}
	if n, ok := constInt(count); ok && n >= manyRows {
		count = nil // "all rows", as MySQL's manual writes it
	}
	if n, ok := constInt(offset); ok && n == 0 {
		offset = nil
	}
	if count == nil && offset == nil {
		return nil, nil
	}
	return &Limit{Count: count, Offset: offset}, nil
}

// manyRows is more rows than there can be.
const manyRows = 1 << 60

func (c *context) limitNumber(e dialect.Expr) (expr.Node, error) {
	switch e := e.(type) {
	case nil:
		return nil, nil
	case *dialect.Placeholder:
		return expr.NewParam(e.Index), nil
	case *dialect.Literal:
		if e.Kind == dialect.IntLiteral {
			return literal(e)
		}
	}
	return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "LIMIT and OFFSET take a number or a placeholder")
}

// constInt is the value of a constant that is a number of rows. A value beyond int64 becomes the greatest int64.
func constInt(n expr.Node) (int64, bool) {
	c, ok := n.(*expr.Const)
	if !ok {
		return 0, false
	}
	switch c.V.Kind() {
	case value.Int:
		return c.V.Int(), true
	case value.Uint, value.Decimal:
		return math.MaxInt64, true
	}
	return 0, false
}

// wantedRows is count + offset, the number of rows to be made; nil if there is no bound. If the sum would overflow, it is count.
func (l *Limit) wantedRows() (expr.Node, error) {
	if l == nil || l.Count == nil || l.Offset == nil {
		if l == nil {
			return nil, nil
		}
		return l.Count, nil
	}
	small, err := expr.NewCompare(expr.Lt, l.Count, expr.NewConst(value.FromInt(manyRows)))
	if err != nil {
		return nil, err
	}
	sum, err := expr.NewArith("+", l.Count, l.Offset)
	if err != nil {
		return nil, err
	}
	if _, known := l.Count.(*expr.Const); known {
		return sum, nil // see context.limit
	}
	return expr.NewCase(nil, []expr.When{{Cond: small, Result: sum}}, l.Count)
}
