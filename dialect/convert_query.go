package dialect

import (
	"strings"

	"github.com/xwb1989/sqlparser"
)

// selectBlock reads a SELECT without its WITH and lock: head and the tokens lo to hi-1, which begin in
// the clause first. Nil, and an error noted, if it cannot be read.
func (p *parser) selectBlock(head string, lo, hi int, first clause) *Select {
	stmt, c := p.rewrite(head, lo, hi, first).run(hi)
	s, ok := stmt.(*sqlparser.Select)
	if !ok {
		return &Select{}
	}
	out := &Select{
		Distinct: s.Distinct != "",
		From:     c.from(s.From),
		Where:    c.where(s.Where),
		GroupBy:  c.exprs(s.GroupBy),
		Rollup:   c.rollup,
		Having:   c.where(s.Having),
		OrderBy:  c.order(s.OrderBy),
		Limit:    c.limit(s.Limit),
		Windows:  c.windows,
	}
	if first == inList {
		out.CountAll = c.countAll
		out.Exprs = c.list(s.SelectExprs)
	}
	return out
}

// expression reads the tokens lo to hi-1 as one expression.
func (p *parser) expression(lo, hi int) Expr {
	list := p.expressions(lo, hi)
	if len(list) != 1 {
		p.fail(lo, "expected one expression")
		return nil
	}
	return list[0]
}

// expressions reads the tokens lo to hi-1 as a list of expressions.
func (p *parser) expressions(lo, hi int) []Expr {
	if t := &p.toks[lo]; hi == lo+1 && tokString <= t.kind && t.kind <= tokBit {
		return []Expr{p.literal(lo)} // most defaults and variables; not worth a run of the parser
	}
	stmt, c := p.rewrite("SELECT", lo, hi, inExprs).run(hi)
	s, ok := stmt.(*sqlparser.Select)
	if !ok {
		return nil
	}
	out := make([]Expr, len(s.SelectExprs))
	for i, e := range s.SelectExprs {
		e, ok := e.(*sqlparser.AliasedExpr)
		if !ok || !e.As.IsEmpty() {
			p.fail(lo, "expected an expression")
			return nil
		}
		out[i] = c.expr(e.Expr)
	}
	return out
}

// where converts the condition of WHERE or HAVING.
func (c converter) where(w *sqlparser.Where) Expr {
	if w == nil {
		return nil
	}
	return c.expr(w.Expr)
}

// list converts a select list, each element with its text.
func (c converter) list(list sqlparser.SelectExprs) []SelectExpr {
	if len(list) != len(c.items) {
		c.p.fail(c.end(), "a select list that cannot be read")
		return nil
	}
	out := make([]SelectExpr, len(list))
	for i, e := range list {
		it := c.items[i]
		s := SelectExpr{Text: c.p.textOf(it.lo, it.hi)}
		if c.p.marks {
			s.At = &Span{int(c.p.toks[it.lo].start), int(c.p.toks[it.hi-1].end)}
		}
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			s.Star = true
			s.Database = c.nameOf(e.TableName.Qualifier.String())
			s.Table = c.nameOf(e.TableName.Name.String())
		case *sqlparser.AliasedExpr:
			s.Expr = c.expr(e.Expr)
			s.As = c.nameOf(e.As.String())
		}
		out[i] = s
	}
	return out
}

// from converts a list of tables; nil if there is none.
func (c converter) from(list sqlparser.TableExprs) TableExpr {
	var out TableExpr
	for _, t := range list {
		if next := c.table(t); out == nil {
			out = next
		} else {
			out = &Join{Kind: CrossJoin, Left: out, Right: next}
		}
	}
	if t, ok := out.(*TableName); ok && t.Name == "" {
		return nil // the parser's table of a SELECT without FROM
	}
	return out
}

// table converts a table, a derived table, a join or a list of tables in parentheses.
func (c converter) table(t sqlparser.TableExpr) TableExpr {
	switch t := t.(type) {
	case *sqlparser.AliasedTableExpr:
		name, _ := t.Expr.(sqlparser.TableName)
		return c.hinted(c.tableName(name, c.nameOf(t.As.String())), t.As.String(), name.Name.String())
	case *sqlparser.ParenTableExpr:
		return c.from(t.Exprs)
	case *sqlparser.JoinTableExpr:
		return c.join(t)
	}
	c.p.fail(c.end(), "a table that cannot be read")
	return nil
}

// hinted gives a table the hints that follow it. Their names are the alias, if any, and the table's.
func (c converter) hinted(t TableExpr, names ...string) TableExpr {
	if len(c.hints) == 0 {
		return t
	}
	last, _ := c.posOf(names...)
	hints := c.hints[last]
	if table, ok := t.(*TableName); ok {
		table.Hints = hints
	} else if len(hints) > 0 {
		c.p.fail(last+1, "USE, FORCE and IGNORE INDEX follow a table, not a query")
	}
	return t
}

func (c converter) tableName(name sqlparser.TableName, as string) TableExpr {
	i, pos := c.posOf(name.Qualifier.String(), name.Name.String())
	if pos >= 0 && c.p.toks[i].word == "(" {
		return &Derived{Query: c.p.queries[i], As: as, Columns: c.p.derived[i], Lateral: c.p.laterals[i]}
	}
	out := &TableName{Database: c.nameOf(name.Qualifier.String()), Name: c.nameOf(name.Name.String()), As: as, Pos: pos}
	if out.Database == "" && pos >= 0 && c.p.toks[i].word == "DUAL" {
		out.Name = "" // MySQL's table of no columns and one row
	}
	return out
}

// join converts one join.
func (c converter) join(t *sqlparser.JoinTableExpr) TableExpr {
	out := &Join{Left: c.table(t.LeftExpr), Right: c.table(t.RightExpr), On: c.opt(t.Condition.On)}
	for _, u := range t.Condition.Using {
		out.Using = append(out.Using, c.nameOf(u.String()))
	}
	kind := strings.TrimPrefix(t.Join, "natural ")
	out.Natural = kind != t.Join
	switch kind {
	case sqlparser.LeftJoinStr:
		out.Kind = LeftJoin
	case sqlparser.RightJoinStr:
		out.Kind = RightJoin
	default:
		if out.Natural || out.On != nil || out.Using != nil {
			out.Kind = InnerJoin
		}
	}
	return out
}

// order converts ORDER BY.
func (c converter) order(list sqlparser.OrderBy) []Order {
	if list == nil {
		return nil
	}
	out := make([]Order, len(list))
	for i, o := range list {
		out[i] = Order{Expr: c.expr(o.Expr), Desc: o.Direction == sqlparser.DescScr}
	}
	return out
}

// limit converts LIMIT. The parser has put count and offset of both forms in their places.
func (c converter) limit(l *sqlparser.Limit) *Limit {
	if l == nil {
		return nil
	}
	return &Limit{Count: c.opt(l.Rowcount), Offset: c.opt(l.Offset)}
}

// assigns converts column = expression, ….
func (c converter) assigns(list sqlparser.UpdateExprs) []Assign {
	out := make([]Assign, len(list))
	for i, e := range list {
		db, table, name := e.Name.Qualifier.Qualifier.String(), e.Name.Qualifier.Name.String(), e.Name.Name.String()
		_, pos := c.posOf(db, table, name)
		out[i].Column = &Column{Database: c.nameOf(db), Table: c.nameOf(table), Name: c.nameOf(name), Pos: pos}
		out[i].Value = c.assigned(e.Expr)
	}
	return out
}

// assigned converts the value assigned to a column, which may be the word DEFAULT alone.
func (c converter) assigned(e sqlparser.Expr) Expr {
	if _, ok := e.(*sqlparser.Default); ok {
		return &Default{}
	}
	return c.expr(e)
}
