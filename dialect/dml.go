package dialect

import (
	"strings"

	"github.com/xwb1989/sqlparser"
)

// hintWords are the words of the comments /*+ … */ in front of token i, in lower case.
func (p *parser) hintWords(i int) []string {
	var words []string
	for _, h := range p.hints[i] {
		words = append(words, strings.Fields(lower(h))...)
	}
	return words
}

// insert reads INSERT and REPLACE, the cursor behind the verb.
func (p *parser) insert(replace bool) *Insert {
	out := &Insert{Replace: replace, Hints: p.hintWords(p.pos)}
	for p.accept("LOW_PRIORITY") || p.accept("HIGH_PRIORITY") || p.accept("DELAYED") {
	}
	switch {
	case p.accept("IGNORE"), p.accept("OR", "IGNORE"):
		out.Ignore = true
	case p.accept("OR", "REPLACE"):
		out.Replace = true
	case p.is("OR"):
		p.unsupported(p.pos, "INSERT OR "+p.peek(1).word)
	}
	p.accept("INTO")
	out.Table = p.tableName()
	if p.is("PARTITION", "(") {
		p.unsupported(p.pos, "INSERT … PARTITION (…)")
	}
	if p.accept("AS") {
		out.Table.As = p.ident()
	}
	if p.is("(") && !p.isQuery(p.pos) {
		out.Columns = p.insertColumns()
	}
	hi := p.insertEnd()
	switch {
	case p.accept("VALUES"), p.accept("VALUE"):
		out.Rows = p.rows(p.pos, hi)
	case p.accept("SET"):
		row := []Expr{}
		for _, a := range p.assignments(p.pos, hi) {
			out.Columns = append(out.Columns, a.Column)
			row = append(row, a.Value)
		}
		out.Rows = [][]Expr{row}
	case p.accept("DEFAULT", "VALUES"):
		out.Rows = [][]Expr{{}}
		hi = p.pos
	case p.beginsQuery(p.pos), p.is("("):
		out.Query = p.query(p.pos, hi)
	default:
		p.fail(p.pos, "expected VALUES, SET or SELECT")
	}
	p.finish(hi)
	p.upsert(out)
	out.Returning = p.returning()
	return out
}

// insertColumns passes (a, b) or (t.a, t.b); () is all columns.
func (p *parser) insertColumns() []*Column {
	p.expect("(")
	if p.accept(")") {
		return nil
	}
	var cols []*Column
	for p.err == nil {
		c := &Column{Pos: Pos(p.tok().start), Name: p.ident()}
		for p.accept(".") {
			c.Name = p.ident()
		}
		cols = append(cols, c)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return cols
}

// insertEnd is the token where the rows or the query of an INSERT end.
func (p *parser) insertEnd() int {
	hi := p.end()
	for i := p.pos; i < hi; i = p.after(i) {
		switch p.toks[i].word {
		case "RETURNING":
			return i
		case "ON":
			if w := p.toks[i+1].word; w == "DUPLICATE" || w == "CONFLICT" {
				return i
			}
		case "AS":
			// VALUES (…) AS new ON DUPLICATE KEY UPDATE
			if p.toks[i-1].word == ")" && p.toks[i+1].isName() && (p.isAt(i+2, "ON", "DUPLICATE") || p.isAt(i+2, "(")) &&
				!p.is("SELECT") && !p.is("WITH") {
				return i
			}
		}
	}
	return hi
}

// rows reads (…), (…) of the tokens lo to hi-1.
func (p *parser) rows(lo, hi int) [][]Expr {
	if out := p.literalRows(lo, hi); out != nil {
		return out // most long lists; not worth a run of the parser
	}
	stmt, c := p.rewrite("INSERT INTO t VALUES", lo, hi, inRows).run(hi)
	ins, ok := stmt.(*sqlparser.Insert)
	if !ok {
		return nil
	}
	values, _ := ins.Rows.(sqlparser.Values)
	out := make([][]Expr, len(values))
	for i, v := range values {
		out[i] = make([]Expr, len(v))
		for j, e := range v {
			out[i][j] = c.assigned(e)
		}
	}
	return out
}

// literalRows is rows made only of literals; nil for others.
func (p *parser) literalRows(lo, hi int) (out [][]Expr) {
	for i := lo; p.isAt(i, "(") || p.isAt(i, "ROW", "("); i++ {
		if p.toks[i].word == "ROW" {
			i++
		}
		end := int(p.toks[i].match)
		row := make([]Expr, 0, (end-i)/2)
		for i < end {
			t := &p.toks[i+1]
			if after := p.toks[i+2].word; (t.kind < tokString || t.kind > tokBit) && t.word != "NULL" || after != "," && after != ")" {
				return nil
			}
			row = append(row, p.literal(i+1))
			i += 2
		}
		out = append(out, row)
		if i++; i == hi {
			return out
		}
		if !p.isAt(i, ",") {
			return nil
		}
	}
	return nil
}

// assignments reads column = expression, … of the tokens lo to hi-1.
func (p *parser) assignments(lo, hi int) []Assign {
	stmt, c := p.rewrite("UPDATE t SET", lo, hi, inSet).run(hi)
	u, ok := stmt.(*sqlparser.Update)
	if !ok {
		return nil
	}
	return c.assigns(u.Exprs)
}

// upsert reads ON DUPLICATE KEY UPDATE and ON CONFLICT.
func (p *parser) upsert(out *Insert) {
	if p.is("AS") {
		p.pos++
		p.newRow = p.ident()
		if p.is("(") {
			p.unsupported(p.pos, "a list of columns after the alias of new rows")
		}
	}
	switch {
	case out.Replace && p.is("ON"):
		p.fail(p.pos, "REPLACE takes no ON clause, as it replaces duplicates")
	case p.accept("ON", "DUPLICATE"):
		p.expect("KEY", "UPDATE")
		hi := p.until(p.pos, p.end(), "RETURNING")
		out.OnDup = p.assignments(p.pos, hi)
		p.finish(hi)
	case p.accept("ON", "CONFLICT"):
		p.conflict(out)
	}
	p.newRow = ""
}

// conflict reads ON CONFLICT [(columns)] DO NOTHING or DO UPDATE SET …, the cursor behind CONFLICT.
func (p *parser) conflict(out *Insert) {
	out.Conflict = &Conflict{}
	if p.is("(") {
		out.Conflict.Columns = p.identList()
	}
	if p.is("WHERE") || p.is("ON") {
		p.unsupported(p.pos, "ON CONFLICT with "+p.tok().word)
	}
	p.expect("DO")
	if p.accept("NOTHING") {
		out.Conflict.DoNothing = true
		return
	}
	p.expect("UPDATE", "SET")
	p.newRow = "excluded"
	hi := p.until(p.pos, p.end(), "RETURNING")
	where := p.until(p.pos, hi, "WHERE")
	out.OnDup = p.assignments(p.pos, where)
	if where < hi {
		out.Conflict.Where = p.expression(where+1, hi)
	}
	p.finish(hi)
}

// returning reads RETURNING and its list.
func (p *parser) returning() []SelectExpr {
	if !p.accept("RETURNING") {
		return nil
	}
	s := p.selectBlock("SELECT", p.pos, p.end(), inList)
	if s.From != nil || s.Distinct || s.Where != nil || s.GroupBy != nil || s.OrderBy != nil || s.Limit != nil {
		p.fail(p.pos, "RETURNING has a list of expressions and nothing else")
	}
	p.finish(p.end())
	return s.Exprs
}

// update reads UPDATE, the cursor behind the verb.
func (p *parser) update(with []CTE) *Update {
	out := &Update{With: with, Hints: p.hintWords(p.pos)}
	p.accept("LOW_PRIORITY")
	out.Ignore = p.accept("IGNORE") || p.accept("OR", "IGNORE")
	if p.is("OR") {
		p.unsupported(p.pos, "UPDATE OR "+p.peek(1).word)
	}
	hi := p.until(p.pos, p.end(), "RETURNING")
	if p.until(p.pos, hi, "SET") == hi {
		p.fail(p.pos+1, "expected SET")
	}
	stmt, c := p.rewrite("UPDATE", p.pos, hi, inTables).run(hi)
	u, ok := stmt.(*sqlparser.Update)
	if !ok {
		return nil
	}
	from := c.from(u.TableExprs)
	if t, ok := from.(*TableName); ok {
		out.Table = *t
	} else {
		out.From = from
	}
	out.Set = c.assigns(u.Exprs)
	out.Where = c.where(u.Where)
	out.OrderBy = c.order(u.OrderBy)
	out.Limit = c.limit(u.Limit)
	p.finish(hi)
	out.Returning = p.returning()
	return out
}

// delete reads DELETE, with the cursor after the verb. After the tables it is read like a SELECT, so that the table may have an alias.
func (p *parser) delete(with []CTE) *Delete {
	out := &Delete{With: with, Hints: p.hintWords(p.pos)}
	for p.accept("LOW_PRIORITY") || p.accept("QUICK") {
	}
	out.Ignore = p.accept("IGNORE")
	first := p.pos
	from := p.accept("FROM")
	start := p.pos
	out.Targets = p.targets()
	switch {
	case from && p.accept("USING"), !from && p.accept("FROM"):
		start = p.pos
	case from:
		out.Targets = nil
	default:
		p.fail(first, "expected FROM")
	}
	hi := p.until(start, p.end(), "RETURNING")
	s := p.selectBlock("SELECT 1 FROM", start, hi, inTables)
	if s.GroupBy != nil || s.Having != nil {
		p.fail(start, "DELETE has no GROUP BY and no HAVING")
	}
	if out.Targets != nil && (s.OrderBy != nil || s.Limit != nil) {
		p.fail(start, "DELETE of several tables has no ORDER BY and no LIMIT")
	}
	if t, ok := s.From.(*TableName); ok && out.Targets == nil {
		out.Table = *t
	} else if p.err == nil && out.Targets == nil {
		p.fail(start, "DELETE of several tables names those that lose rows: DELETE a FROM a JOIN b …")
	} else {
		out.From = s.From
	}
	out.Where, out.OrderBy, out.Limit = s.Where, s.OrderBy, s.Limit
	p.finish(hi)
	out.Returning = p.returning()
	return out
}

// targets passes the tables of a multi-table DELETE: a, b.*.
func (p *parser) targets() []TableName {
	var out []TableName
	for p.err == nil {
		t := TableName{Pos: Pos(p.tok().start), Name: p.ident()}
		if p.is(".") && p.peek(1).word != "*" {
			p.pos++
			t.Database, t.Name = t.Name, p.ident()
		}
		if p.accept(".") {
			p.expect("*")
		}
		out = append(out, t)
		if !p.accept(",") {
			break
		}
	}
	return out
}
