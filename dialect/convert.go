package dialect

import (
	"errors"
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"
)

// A converter turns the parser's tree, made of the text of a rewriter, into ours.
type converter struct {
	*rewriter
}

// run makes the parser read the rewritten text; nil, and an error noted in p, if it cannot.
func (r *rewriter) run(hi int) (stmt sqlparser.Statement, c converter) {
	p := r.p
	c = converter{r}
	if p.err != nil || !p.countBlock(hi) {
		return nil, c
	}
	text, ends := r.render()
	defer func() {
		// The text holds nothing known to crash the parser; anything unknown must not end the program.
		if v := recover(); v != nil {
			p.fail(hi, "this statement cannot be read")
			stmt = nil
		}
	}()
	stmt, err := sqlparser.ParseStrictDDL(text)
	if err != nil {
		i := r.place(err, ends, hi)
		if strings.Contains(err.Error(), "nesting") {
			p.fail(i, "too many nested operators")
		}
		p.unexpected(i)
		return nil, c
	}
	return stmt, c
}

// place is the token that an error of the parser is about: it tells the offset behind it.
func (r *rewriter) place(err error, ends []int, hi int) int {
	var pos int
	msg := err.Error()
	if i := strings.Index(msg, "at position "); i >= 0 {
		num, _, _ := strings.Cut(msg[i+len("at position "):], " ")
		pos, _ = strconv.Atoi(num)
	}
	for i, end := range ends {
		if end+1 >= pos {
			return int(r.out[i].tok)
		}
	}
	return hi
}

// errIndex is for a name that is not a token's index: the parser made it up.
var errIndex = errors.New("no token")

// index is the token of a name or a value in the rewritten text.
func index(s string) (int, error) {
	s = strings.TrimPrefix(s, ":n")
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, errIndex
	}
	return n, nil
}

// nameOf is the original name of a name in the rewritten text, "" for none.
func (c converter) nameOf(s string) string {
	n, err := index(s)
	if err != nil {
		return ""
	}
	t := &c.p.toks[n]
	if t.kind == tokString {
		return c.p.text(t)
	}
	return c.p.name(t)
}

// posOf is the place of the first name that is given.
func (c converter) posOf(names ...string) (int, Pos) {
	for _, s := range names {
		if n, err := index(s); err == nil {
			return n, Pos(c.p.toks[n].start)
		}
	}
	return 0, -1
}

// exprs converts a list.
func (c converter) exprs(list []sqlparser.Expr) []Expr {
	if len(list) == 0 {
		return nil
	}
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = c.expr(e)
	}
	return out
}

// opt converts an expression that may be missing.
func (c converter) opt(e sqlparser.Expr) Expr {
	if e == nil {
		return nil
	}
	return c.expr(e)
}

// expr converts one expression.
func (c converter) expr(e sqlparser.Expr) Expr {
	switch e := e.(type) {
	case *sqlparser.SQLVal:
		return c.value(e)
	case *sqlparser.ColName:
		return c.column(e)
	case *sqlparser.ParenExpr:
		return c.expr(e.Expr)
	case *sqlparser.AndExpr:
		return &Binary{Op: "and", L: c.expr(e.Left), R: c.expr(e.Right)}
	case *sqlparser.OrExpr:
		return c.or(e)
	case *sqlparser.NotExpr:
		return &Unary{Op: "not", X: c.expr(e.Expr)}
	case *sqlparser.ComparisonExpr:
		return c.comparison(e)
	case *sqlparser.RangeCond:
		return &Between{Not: e.Operator == sqlparser.NotBetweenStr, X: c.expr(e.Left), Low: c.expr(e.From), High: c.expr(e.To)}
	case *sqlparser.IsExpr:
		return c.is(e)
	case sqlparser.ValTuple:
		return &Tuple{List: c.exprs(e)}
	case *sqlparser.BinaryExpr:
		return c.binary(e)
	case *sqlparser.UnaryExpr:
		return &Unary{Op: strings.TrimSpace(e.Operator), X: c.expr(e.Expr)}
	case *sqlparser.IntervalExpr:
		return &Interval{X: c.expr(e.Expr), Unit: lower(c.nameOf(e.Unit))}
	case *sqlparser.CollateExpr:
		return &Collate{X: c.expr(e.Expr), Name: lower(c.nameOf(e.Charset))}
	case *sqlparser.FuncExpr:
		return c.call(e)
	case *sqlparser.GroupConcatExpr:
		return c.groupConcat(e)
	case *sqlparser.CaseExpr:
		return c.caseExpr(e)
	case *sqlparser.Default:
		c.p.fail(c.end(), "DEFAULT is a column's whole value; it cannot be part of an expression")
		return nil
	}
	c.p.fail(c.end(), "an expression that cannot be read")
	return nil
}

// end is a token to blame if the parser's tree does not say which.
func (c converter) end() int { return int(c.out[0].tok) }

// value converts a constant, a placeholder, a variable or a subquery.
func (c converter) value(v *sqlparser.SQLVal) Expr {
	n, err := index(string(v.Val))
	if err != nil {
		c.p.fail(c.end(), "an expression that cannot be read")
		return nil
	}
	p := c.p
	t := &p.toks[n]
	switch t.kind {
	case tokArg:
		a := &Placeholder{Index: int(t.arg)}
		if p.names != nil {
			a.Name = p.names[t.arg]
		}
		return a
	case tokSystem:
		name := lower(strings.ReplaceAll(p.sql[t.start+2:t.end], "`", ""))
		for _, scope := range []string{"session.", "global.", "local."} {
			name = strings.TrimPrefix(name, scope)
		}
		p.diagnostic = p.diagnostic || name == "warning_count" || name == "error_count"
		return &Variable{Name: name, System: true}
	case tokUser:
		return &Variable{Name: p.variableName(t)}
	case tokOp:
		return &Subquery{Query: p.queries[n]}
	}
	return p.literal(n)
}

// column converts a column's name. excluded.c, a column of the row that an upsert could not insert, is VALUES(c).
func (c converter) column(e *sqlparser.ColName) Expr {
	db, table, name := e.Qualifier.Qualifier.String(), e.Qualifier.Name.String(), e.Name.String()
	_, pos := c.posOf(db, table, name)
	col := &Column{Database: c.nameOf(db), Table: c.nameOf(table), Name: c.nameOf(name), Pos: pos}
	if c.p.newRow != "" && strings.EqualFold(col.Table, c.p.newRow) {
		return &Call{Name: "values", Args: []Expr{&Column{Name: col.Name, Pos: pos}}, Pos: pos}
	}
	return col
}

// or converts a chain of OR. A mark between two operands says that their operator is XOR, which binds tighter.
func (c converter) or(e *sqlparser.OrExpr) Expr {
	var chain []sqlparser.Expr // from the right
	var left sqlparser.Expr = e
	for {
		o, ok := left.(*sqlparser.OrExpr)
		if !ok {
			break
		}
		chain = append(chain, o.Right)
		left = o.Left
	}
	return c.regroup(append(chain, left), xorMark, "xor", "or")
}

// binary converts an arithmetic or bit operator; a mark in a chain of ^ says that || is meant.
func (c converter) binary(e *sqlparser.BinaryExpr) Expr {
	if e.Operator == sqlparser.BitXorStr {
		var chain []sqlparser.Expr
		var left sqlparser.Expr = e
		for {
			b, ok := left.(*sqlparser.BinaryExpr)
			if !ok || b.Operator != sqlparser.BitXorStr {
				break
			}
			chain = append(chain, b.Right)
			left = b.Left
		}
		return c.regroup(append(chain, left), concatMark, "||", "^")
	}
	l, r := c.expr(e.Left), c.expr(e.Right)
	if e.Operator != sqlparser.PlusStr && e.Operator != sqlparser.MinusStr {
		return &Binary{Op: e.Operator, L: l, R: r}
	}
	// x + INTERVAL 1 DAY is DATE_ADD(x, INTERVAL 1 DAY).
	name, pos := "date_add", Pos(-1)
	if e.Operator == sqlparser.MinusStr {
		name = "date_sub"
	}
	if _, ok := r.(*Interval); ok {
		return &Call{Name: name, Args: []Expr{l, r}, Pos: pos}
	}
	if _, ok := l.(*Interval); ok && e.Operator == sqlparser.PlusStr {
		return &Call{Name: name, Args: []Expr{r, l}, Pos: pos}
	}
	return &Binary{Op: e.Operator, L: l, R: r}
}

// regroup builds a chain of two operators, given from the right: close, which is where the mark is, binds tighter than loose, and both are read
// from the left.
func (c converter) regroup(chain []sqlparser.Expr, mark, close, loose string) Expr {
	var whole, part Expr
	join := func() {
		if whole == nil {
			whole = part
		} else {
			whole = &Binary{Op: loose, L: whole, R: part}
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if v, ok := chain[i].(*sqlparser.SQLVal); ok && string(v.Val) == mark && i > 0 {
			i--
			part = &Binary{Op: close, L: part, R: c.expr(chain[i])}
			continue
		}
		if part != nil {
			join()
		}
		part = c.expr(chain[i])
	}
	join()
	return whole
}

// comparison converts = and its like, IN, LIKE and REGEXP.
func (c converter) comparison(e *sqlparser.ComparisonExpr) Expr {
	l := c.expr(e.Left)
	switch e.Operator {
	case sqlparser.InStr, sqlparser.NotInStr:
		in := &In{Not: e.Operator == sqlparser.NotInStr, X: l}
		list, _ := e.Right.(sqlparser.ValTuple)
		if len(list) > 0 {
			if v, ok := list[0].(*sqlparser.SQLVal); ok && string(v.Val) == memberMark {
				return c.memberOf(l, list[1:])
			}
		}
		in.List = c.exprs(list)
		if len(in.List) == 1 {
			if s, ok := in.List[0].(*Subquery); ok {
				in.List, in.Query = nil, s.Query
			}
		}
		return in
	case sqlparser.LikeStr, sqlparser.NotLikeStr:
		return &Like{Not: e.Operator == sqlparser.NotLikeStr, X: l, Pattern: c.expr(e.Right), Escape: c.opt(e.Escape)}
	case sqlparser.RegexpStr, sqlparser.NotRegexpStr:
		if f, ok := e.Right.(*sqlparser.FuncExpr); ok {
			if n, pos := c.posOf(f.Name.String()); c.p.isAt(n, "SOUNDS", "LIKE") {
				right := &Call{Name: "soundex", Pos: pos}
				right.Args = c.args(n, f.Exprs, right)
				return &Binary{Op: "=", L: &Call{Name: "soundex", Args: []Expr{l}, Pos: pos}, R: right}
			}
		}
		return &Regexp{Not: e.Operator == sqlparser.NotRegexpStr, X: l, Pattern: c.expr(e.Right)}
	}
	op := e.Operator
	if op == sqlparser.NotEqualStr {
		op = "<>"
	}
	if v, ok := e.Right.(*sqlparser.SQLVal); ok {
		if n, err := index(string(v.Val)); err == nil && c.p.toks[n].kind == tokWord && c.p.queries[n+1] != nil {
			return quantifiedIn(l, op, c.p.toks[n].word == "ALL", c.p.queries[n+1])
		}
	}
	return &Binary{Op: op, L: l, R: c.expr(e.Right)}
}

// memberOf converts MEMBER OF, which was rewritten as IN.
func (c converter) memberOf(x Expr, list []sqlparser.Expr) Expr {
	if len(list) != 1 {
		c.p.fail(c.end(), "expected one array: x MEMBER OF (array)")
		return nil
	}
	return &Binary{Op: "member of", L: x, R: c.expr(list[0])}
}

// quantifiedIn is x op ANY (query), or ALL. = ANY is IN, <> ALL is NOT IN.
func quantifiedIn(x Expr, op string, all bool, query Query) *In {
	if op == "=" && !all || op == "<>" && all {
		return &In{Not: all, X: x, Query: query}
	}
	return &In{X: x, Query: query, Op: op, All: all}
}

// is converts IS [NOT] NULL, TRUE, FALSE.
func (c converter) is(e *sqlparser.IsExpr) Expr {
	what := strings.TrimPrefix(e.Operator, "is ")
	rest := strings.TrimPrefix(what, "not ")
	return &Is{Not: rest != what, X: c.expr(e.Expr), What: rest}
}

// caseExpr converts CASE.
func (c converter) caseExpr(e *sqlparser.CaseExpr) Expr {
	out := &Case{Operand: c.opt(e.Expr), Whens: make([]When, len(e.Whens)), Else: c.opt(e.Else)}
	for i, w := range e.Whens {
		out.Whens[i] = When{Cond: c.expr(w.Cond), Result: c.expr(w.Val)}
	}
	return out
}
