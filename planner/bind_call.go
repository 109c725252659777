package planner

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// call binds a function's call, an aggregate's too.
func (c *context) call(e *dialect.Call) (expr.Node, error) {
	switch {
	case e.Name == "values":
		return c.insertValue(e)
	case e.Over != nil:
		return c.window(e)
	case expr.IsWindowFunction(e.Name):
		return nil, sqlerr.New(sqlerr.CodeSyntax, e.Pos, "%s needs a window: OVER (…)", strings.ToUpper(e.Name))
	case isAggregate(e):
		return c.aggregate(e)
	case e.Name == "grouping":
		return c.groupingLevel(e)
	case e.Name == ":=":
		x, err := c.expression(e.Args[1])
		if err != nil {
			return nil, err
		}
		return expr.NewAssignment(e.Args[0].(*dialect.Literal).Text, x), nil
	}
	if n := len(e.Args); n > 0 {
		if interval, ok := e.Args[n-1].(*dialect.Interval); ok && n == 2 {
			switch e.Name {
			case "date_add", "adddate", "timestampadd":
				return c.interval(e.Args[0], interval, false)
			case "date_sub", "subdate":
				return c.interval(e.Args[0], interval, true)
			}
		}
	}
	args, err := c.expressions(e.Args)
	if err != nil {
		return nil, err
	}
	if c.b.opt.Zoned && e.Name == "from_unixtime" {
		e = &dialect.Call{Name: expr.ZonedUnixtime, Args: e.Args, Pos: e.Pos}
	}
	n, err := expr.NewCall(e.Name, args)
	if err != nil {
		return nil, exprError(err, e.Pos)
	}
	return n, nil
}

// insertValue binds VALUES(column) in ON DUPLICATE KEY UPDATE.
func (c *context) insertValue(e *dialect.Call) (expr.Node, error) {
	if c.insert == nil {
		return nil, sqlerr.New(sqlerr.CodeSyntax, e.Pos, "VALUES(column) is for ON DUPLICATE KEY UPDATE only")
	}
	var col *dialect.Column
	if len(e.Args) == 1 {
		col, _ = e.Args[0].(*dialect.Column)
	}
	if col == nil {
		return nil, sqlerr.New(sqlerr.CodeSyntax, e.Pos, "VALUES takes the name of a column")
	}
	i, t := c.insert.ordinal(col.Name), c.insert.table
	if i < 0 || i == t.ETagOrdinal() {
		return nil, unknownColumn(col, c.clause).orNear(c.insert.columnNames())
	}
	return c.b.local(&expr.InsertValue{Index: i, Name: t.Columns[i].Name, T: t.Columns[i].Type}), nil
}

// aggregate binds an aggregate's call: its arguments over the ungrouped rows, its result as a value of the group.
func (c *context) aggregate(e *dialect.Call) (expr.Node, error) {
	if !expr.IsAggregate(e.Name) {
		return nil, sqlerr.New(sqlerr.CodeSyntax, e.Pos, "%s takes neither * nor DISTINCT", e.Name)
	}
	if c.grouping == nil {
		return nil, sqlerr.New(sqlerr.CodeInvalidGroupFunc, e.Pos, "Invalid use of group function")
	}
	inner := *c
	inner.grouping, inner.aliases, inner.windows = nil, nil, nil
	grouped := c.scope.grouped
	c.scope.grouped = nil
	defer func() { c.scope.grouped = grouped }()

	args, err := inner.expressions(e.Args)
	if err != nil {
		return nil, err
	}
	own, outer := false, false
	for _, a := range args {
		expr.Columns(a, func(col *expr.Column) {
			own = own || col.Level == 0
			outer = outer || col.Level > 0
		})
	}
	if outer && !own {
		// This aggregate belongs to the enclosing query.
		return nil, sqlerr.NotSupported(e.Pos, "an aggregate of an enclosing query's columns is")
	}
	order := make([]expr.AggOrder, len(e.OrderBy))
	places := make([]output, len(args)) // ORDER BY 1 means the first argument
	for i, a := range args {
		places[i].node = a
	}
	ordered := inner
	ordered.clause = "order clause"
	for i, o := range e.OrderBy {
		n, err := orderExpression(&ordered, places, o.Expr)
		if err != nil {
			return nil, err
		}
		order[i] = expr.AggOrder{X: n, Desc: o.Desc}
	}
	agg, err := expr.NewAggregate(e.Name, args, e.Star, e.Distinct, order, e.Separator)
	if err != nil {
		return nil, exprError(err, e.Pos)
	}
	return c.grouping.add(agg), nil
}

// null is the constant NULL.
func null() expr.Node { return expr.NewConst(value.NullValue) }
