package planner

import (
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// context says what names in an expression mean, and whether it may aggregate.
type context struct {
	b        *builder
	scope    *scope
	ctes     *cteEnv
	clause   string     // as MySQL's errors call it: "field list", "where clause"
	grouping *grouping  // collects aggregates; nil: none are allowed here
	aliases  []output   // names of the select list that may be meant if no table has such a column
	having   bool       // aliases come before columns that are not grouped by
	windows  *windowing // collects window functions; nil: none are allowed here
	number   int        // of the element of the clause that is bound, from 1
	// windowSpec is the name of the window whose definition is bound; "": none is.
	windowSpec string
	insert     *rowTarget // VALUES(col) is a value of the row to be inserted into it
	// beside gives the meaning of a name in ON DUPLICATE KEY UPDATE that is not a column of the table; nil: it has none.
	beside func(*dialect.Column) expr.Node
}

// output is a bound element of a select list.
type output struct {
	name string
	node expr.Node
	expr dialect.Expr // nil for a column that * expands to
}

var comparisons = map[string]expr.CompareOp{
	"=": expr.Eq, "<=>": expr.NullEq, "<>": expr.Ne, "!=": expr.Ne,
	"<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge,
}

var logic = map[string]expr.LogicOp{"and": expr.And, "or": expr.Or, "xor": expr.Xor}

// expression binds e, one value.
func (c *context) expression(e dialect.Expr) (expr.Node, error) {
	n, err := c.row(e)
	if err != nil {
		return nil, err
	}
	if size := operandSize(n); size != 1 {
		return nil, sqlerr.New(sqlerr.CodeOperandColumns, sqlerr.NoPos, "Operand should contain 1 column(s)")
	}
	return n, nil
}

// condition binds e as a condition.
func (c *context) condition(e dialect.Expr) (expr.Node, error) { return c.expression(e) }

func operandSize(n expr.Node) int {
	switch n := n.(type) {
	case *expr.Tuple:
		return len(n.List)
	case *expr.Subquery:
		if n.Kind == expr.ScalarSubquery {
			return n.Columns
		}
	}
	return 1
}

func (c *context) expressions(es []dialect.Expr) ([]expr.Node, error) {
	nodes := make([]expr.Node, len(es))
	for i, e := range es {
		n, err := c.expression(e)
		if err != nil {
			return nil, err
		}
		nodes[i] = n
	}
	return nodes, nil
}

// row binds e, which may be a row of values.
func (c *context) row(e dialect.Expr) (expr.Node, error) {
	if err := c.b.step(); err != nil {
		return nil, err
	}
	switch e := e.(type) {
	case *dialect.Literal:
		return c.constant(literal(e))
	case *dialect.Placeholder:
		return c.constant(expr.NewParam(e.Index), nil)
	case *dialect.Column:
		return c.column(e)
	case *dialect.Variable:
		if e.System {
			return expr.NewSystemVariable(e.Name), nil
		}
		return expr.NewUserVariable(e.Name), nil
	case *dialect.Default:
		return c.defaultOf(e)
	case *dialect.Unary:
		return c.unary(e)
	case *dialect.Binary:
		return c.binary(e)
	case *dialect.Like:
		return c.like(e)
	case *dialect.Regexp:
		n, err := c.expressions([]dialect.Expr{e.X, e.Pattern})
		if err != nil {
			return nil, err
		}
		return expr.NewRegexp(n[0], n[1], e.Not)
	case *dialect.In:
		return c.in(e)
	case *dialect.Between:
		n, err := c.rows(e.X, e.Low, e.High)
		if err != nil {
			return nil, err
		}
		if expr.LocalOf(n[0]) != nil {
			return localBetween(n, e.Not)
		}
		return expr.NewBetween(n[0], n[1], n[2], e.Not)
	case *dialect.Is:
		x, err := c.expression(e.X)
		if err != nil {
			return nil, err
		}
		what := expr.IsNull
		switch e.What {
		case "true":
			what = expr.IsTrue
		case "false":
			what = expr.IsFalse
		}
		return expr.NewIs(x, what, e.Not)
	case *dialect.Tuple:
		list, err := c.expressions(e.List)
		return &expr.Tuple{List: list}, err
	case *dialect.Subquery:
		return c.subquery(e.Query, expr.ScalarSubquery)
	case *dialect.Exists:
		return c.subquery(e.Query, expr.ExistsSubquery)
	case *dialect.Case:
		return c.caseOf(e)
	case *dialect.Call:
		return c.call(e)
	case *dialect.Cast:
		x, err := c.expression(e.X)
		if err != nil {
			return nil, err
		}
		if err := castCharset(&e.Type); err != nil {
			return nil, err
		}
		t, err := value.NewType(e.Type.Name, e.Type.Args, e.Type.Members, e.Type.Unsigned, c.b.opt.Collation)
		if err != nil {
			return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "CAST: %s", err)
		}
		if len(e.Type.Args) == 0 && (t.Base == value.TypeDateTime || t.Base == value.TypeTime) {
			t.Precision = 0
		}
		if len(e.Type.Args) == 0 && (t.Base == value.TypeChar || t.Base == value.TypeBinary) {
			t.Length = 0 // one character in a column's type, any number in a cast
		}
		return expr.NewCast(x, t)
	case *dialect.Collate:
		x, err := c.expression(e.X)
		if err != nil {
			return nil, err
		}
		collation, err := schema.CollationNamed(e.Name)
		if err != nil {
			return nil, err
		}
		return expr.NewCollate(x, collation)
	case *dialect.Interval:
		return nil, sqlerr.New(sqlerr.CodeSyntax, sqlerr.NoPos, "INTERVAL is for + and - and for functions of dates only")
	}
	return nil, sqlerr.NotSupported(sqlerr.NoPos, "this expression is")
}

func (c *context) rows(es ...dialect.Expr) ([]expr.Node, error) {
	nodes := make([]expr.Node, len(es))
	for i, e := range es {
		n, err := c.row(e)
		if err != nil {
			return nil, err
		}
		nodes[i] = n
	}
	return nodes, nil
}

// constant gives a node that is no column the connection's collation.
func (c *context) constant(n expr.Node, err error) (expr.Node, error) {
	if err != nil {
		return nil, err
	}
	return expr.WithCollation(n, c.b.opt.Collation), nil
}

func (c *context) unary(e *dialect.Unary) (expr.Node, error) {
	if l, ok := e.X.(*dialect.Literal); ok && e.Op == "-" && l.Text != "" && l.Text[0] != '-' {
		switch l.Kind {
		case dialect.IntLiteral, dialect.DecimalLiteral, dialect.FloatLiteral:
			// As one number: the least int64 has no positive counterpart.
			return literal(&dialect.Literal{Kind: l.Kind, Text: "-" + l.Text})
		}
	}
	x, err := c.expression(e.X)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "not", "!":
		return expr.NewNot(x)
	case "binary":
		return expr.NewBinary(x)
	}
	return expr.NewUnary(e.Op, x)
}

func (c *context) binary(e *dialect.Binary) (expr.Node, error) {
	if op, ok := logic[e.Op]; ok {
		kids, err := c.expressions(operands(e, e.Op))
		if err != nil {
			return nil, err
		}
		return expr.NewLogic(op, kids...)
	}
	if interval, ok := e.R.(*dialect.Interval); ok && (e.Op == "+" || e.Op == "-") {
		return c.interval(e.L, interval, e.Op == "-")
	}
	if interval, ok := e.L.(*dialect.Interval); ok && e.Op == "+" {
		return c.interval(e.R, interval, false)
	}
	n, err := c.rows(e.L, e.R)
	if err != nil {
		return nil, err
	}
	if op, ok := comparisons[e.Op]; ok {
		return expr.NewLocalCompare(op, c.spread(n[0]), c.spread(n[1]))
	}
	switch e.Op {
	case "->", "->>":
		return expr.NewJSONPath(n[0], n[1], e.Op == "->>")
	case "member of":
		return expr.NewMemberOf(n[0], n[1])
	case "||":
		return expr.NewConcat(n[0], n[1])
	}
	return expr.NewArith(e.Op, n[0], n[1])
}

// operands gives the operands of a chain of one operator, from left to right. Chains can be long, and nest to the left.
func operands(e *dialect.Binary, op string) []dialect.Expr {
	var reversed []dialect.Expr
	var at dialect.Expr = e
	for {
		b, ok := at.(*dialect.Binary)
		if !ok || b.Op != op {
			break
		}
		reversed = append(reversed, b.R)
		at = b.L
	}
	out := make([]dialect.Expr, 0, len(reversed)+1)
	out = append(out, at)
	for i := len(reversed) - 1; i >= 0; i-- {
		out = append(out, reversed[i])
	}
	return out
}

func (c *context) interval(base dialect.Expr, i *dialect.Interval, negative bool) (expr.Node, error) {
	n, err := c.expressions([]dialect.Expr{base, i.X})
	if err != nil {
		return nil, err
	}
	return expr.NewIntervalArith(n[0], n[1], i.Unit, negative)
}

func (c *context) like(e *dialect.Like) (expr.Node, error) {
	n, err := c.expressions([]dialect.Expr{e.X, e.Pattern})
	if err != nil {
		return nil, err
	}
	escape := '\\'
	if e.Escape != nil {
		l, ok := e.Escape.(*dialect.Literal)
		if !ok || l.Kind != dialect.StringLiteral || utf8.RuneCountInString(l.Text) > 1 {
			return nil, sqlerr.New(sqlerr.CodeWrongArguments, sqlerr.NoPos, "Incorrect arguments to ESCAPE")
		}
		escape = 0
		for _, r := range l.Text {
			escape = r
		}
	}
	return expr.NewLike(n[0], n[1], escape, e.Not)
}

func (c *context) in(e *dialect.In) (expr.Node, error) {
	x, err := c.row(e.X)
	if err != nil {
		return nil, err
	}
	x = c.spread(x)
	if e.Query != nil {
		return c.inSubquery(x, e)
	}
	list, err := c.rows(e.List...)
	if err != nil {
		return nil, err
	}
	if expr.LocalOf(x) != nil {
		return localIn(x, list, e.Not)
	}
	return expr.NewIn(x, list, e.Not)
}

func (c *context) caseOf(e *dialect.Case) (expr.Node, error) {
	var operand, els expr.Node
	var err error
	if e.Operand != nil {
		if operand, err = c.expression(e.Operand); err != nil {
			return nil, err
		}
	}
	whens := make([]expr.When, len(e.Whens))
	for i, w := range e.Whens {
		if whens[i].Cond, err = c.expression(w.Cond); err != nil {
			return nil, err
		}
		if whens[i].Result, err = c.expression(w.Result); err != nil {
			return nil, err
		}
	}
	if e.Else != nil {
		if els, err = c.expression(e.Else); err != nil {
			return nil, err
		}
	}
	return expr.NewCase(operand, whens, els)
}
