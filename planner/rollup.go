package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// maxGroupingArgs is the most arguments of GROUPING: a bit each.
const maxGroupingArgs = 63

// groupingLevel binds GROUPING(a, b): a bit for each argument, the last argument in the lowest bit, that says whether the row is one of ROLLUP
// that combines all values of the argument.
func (c *context) groupingLevel(e *dialect.Call) (expr.Node, error) {
	g := c.grouping
	switch {
	case g == nil || !g.rollup:
		return nil, sqlerr.New(sqlerr.CodeInvalidGroupFunc, e.Pos, "Invalid use of group function: GROUPING is for SELECT, HAVING and ORDER BY of a query with GROUP BY … WITH ROLLUP")
	case len(e.Args) == 0 || e.Star || e.Distinct:
		return nil, sqlerr.New(sqlerr.CodeSyntax, e.Pos, "GROUPING takes what GROUP BY names")
	case len(e.Args) > maxGroupingArgs:
		return nil, sqlerr.New(sqlerr.CodeGroupingArguments, e.Pos, "Incorrect number of arguments for function GROUPING: %d, at most %d are allowed", len(e.Args), maxGroupingArgs)
	}
	args, err := c.expressions(e.Args)
	if err != nil {
		return nil, err
	}
	masks := make([]int64, len(g.group)) // by level
	for i, arg := range args {
		at := g.find(arg)
		if at < 0 {
			return nil, sqlerr.New(sqlerr.CodeGroupingNoGroup, e.Pos, "Argument #%d of GROUPING function is not in GROUP BY", i+1)
		}
		for level := range at + 1 {
			masks[level] |= 1 << (len(args) - 1 - i)
		}
	}
	level := &expr.Column{Index: levelIndex, Name: "rollup level", T: value.Type{Base: value.TypeBigInt}, Aggregate: true}
	whens := make([]expr.When, len(masks))
	for i, mask := range masks {
		whens[i] = expr.When{Cond: expr.NewConst(value.FromInt(int64(i))), Result: expr.NewConst(value.FromInt(mask))}
	}
	return expr.NewCase(level, whens, expr.NewConst(value.FromInt(0)))
}
