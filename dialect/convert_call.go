package dialect

import (
	"strings"

	"github.com/xwb1989/sqlparser"
)

// aliases are the second names of functions that have a form of their own.
var aliases = map[string]string{"substr": "substring", "mid": "substring"}

// call converts the call of a function, and forms rewritten as calls: EXISTS, CAST, DEFAULT.
func (c converter) call(e *sqlparser.FuncExpr) Expr {
	n, pos := c.posOf(e.Name.String())
	p := c.p
	if p.toks[n].word == "EXISTS" {
		if q, ok := p.queries[n+1]; ok {
			return &Exists{Query: q}
		}
	}
	if t := &p.toks[n]; t.kind == tokUser {
		out := &Call{Name: ":=", Pos: pos}
		if out.Args = c.args(n, e.Exprs, out); len(out.Args) != 1 {
			p.fail(n, "expected one expression after :=")
		}
		out.Args = append([]Expr{&Literal{Kind: StringLiteral, Text: p.variableName(t)}}, out.Args...)
		return out
	}
	out := &Call{Name: lower(c.nameOf(e.Name.String())), Distinct: e.Distinct, Over: p.windows[n], Pos: pos}
	if a := aliases[out.Name]; a != "" {
		out.Name = a
	}
	args := c.args(n, e.Exprs, out)
	if f := p.forms[n]; f != nil {
		if f.cast != nil {
			if len(args) != 1 || out.Star || out.Distinct {
				p.fail(n, "expected one expression and a type")
				return nil
			}
			return &Cast{X: args[0], Type: *f.cast}
		}
		args = append(append(f.first[:len(f.first):len(f.first)], args...), f.last...)
	}
	if p.toks[n].word == "DEFAULT" {
		if len(args) == 1 {
			if col, ok := args[0].(*Column); ok {
				return &Default{Column: col}
			}
		}
		p.fail(n, "expected a column: DEFAULT(column)")
	}
	out.Args = args
	if f := p.forms[n]; f != nil && f.using != nil {
		return &Cast{X: out, Type: *f.using}
	}
	return out
}

// args converts the arguments of the call at token n; a star is noted in out.
func (c converter) args(n int, list sqlparser.SelectExprs, out *Call) []Expr {
	var args []Expr
	if len(list) > 0 {
		args = make([]Expr, 0, len(list))
	}
	for _, a := range list {
		switch a := a.(type) {
		case *sqlparser.StarExpr:
			if !a.TableName.IsEmpty() || len(list) > 1 || out.Distinct {
				c.p.fail(n, "a * is not allowed here")
			}
			out.Star = true
			return nil
		case *sqlparser.AliasedExpr:
			if !a.As.IsEmpty() {
				i, _ := c.posOf(a.As.String())
				c.p.unexpected(i)
			}
			args = append(args, c.expr(a.Expr))
		}
	}
	return args
}

// groupConcat converts GROUP_CONCAT, whose separator string holds the token of its name.
func (c converter) groupConcat(e *sqlparser.GroupConcatExpr) Expr {
	n, pos := c.posOf(strings.Trim(strings.TrimPrefix(e.Separator, " separator "), "'"))
	out := &Call{Name: "group_concat", Distinct: e.Distinct != "", OrderBy: c.order(e.OrderBy), Over: c.p.windows[n], Pos: pos}
	out.Args = c.args(n, e.Exprs, out)
	if out.Star {
		c.p.fail(n, "a * is not allowed here")
	}
	if f := c.p.forms[n]; f != nil {
		out.Separator = f.separator
	}
	return out
}
