package dialect

import "strings"

// CreateView is CREATE VIEW, CREATE OR REPLACE VIEW and ALTER VIEW.
type CreateView struct {
	View        TableName
	OrReplace   bool
	Alter       bool
	IfNotExists bool
	Algorithm   string // "MERGE", "TEMPTABLE", "UNDEFINED"; "" if none is given
	Invoker     bool   // SQL SECURITY INVOKER
	Columns     []string
	Query       Query
	Text        string // of the query; its places are offsets in the statement
	Start       int    // where it begins in the statement
	Check       string // WITH CHECK OPTION: "LOCAL", "CASCADED"; "" without one
	Variable    bool   // it has a variable or a placeholder, which a view cannot have
	ANSIQuotes  bool   // the text was read with this option
}

// DropView is DROP VIEW.
type DropView struct {
	Views    []TableName
	IfExists bool
}

func (*CreateView) statement() {}
func (*DropView) statement()   {}

// Span is the place of something in the text of the statement.
type Span struct{ Start, End int }

// Edit replaces a part of a text by another text.
type Edit struct {
	Span
	Text string
}

// isView says whether what follows CREATE or ALTER makes a view: options, then VIEW.
func (p *parser) isView() bool {
	return p.is("VIEW") || p.oneOf("ALGORITHM", "DEFINER") || p.is("SQL", "SECURITY")
}

// createView reads CREATE VIEW from its options on, and ALTER VIEW.
func (p *parser) createView(replace, alter bool) Statement {
	out := &CreateView{OrReplace: replace, Alter: alter, ANSIQuotes: p.opt.ANSIQuotes}
	if p.accept("ALGORITHM") {
		p.expect("=")
		if !p.oneOf("UNDEFINED", "MERGE", "TEMPTABLE") {
			p.fail(p.pos, "expected UNDEFINED, MERGE or TEMPTABLE")
			return nil
		}
		out.Algorithm = p.tok().word
		p.pos++
	}
	if p.accept("DEFINER") {
		p.expect("=")
		p.user()
	}
	if p.accept("SQL", "SECURITY") {
		if out.Invoker = p.accept("INVOKER"); !out.Invoker {
			p.expect("DEFINER")
		}
	}
	if !p.is("VIEW") {
		return p.refuseObject()
	}
	p.pos++
	out.IfNotExists = !alter && p.accept("IF", "NOT", "EXISTS")
	out.View = p.tableName()
	if p.is("(") {
		out.Columns = p.identList()
	}
	p.expect("AS")
	if p.err != nil {
		return nil
	}
	lo, hi := p.pos, p.viewEnd(out)
	p.marks = true
	p.nested++
	out.Query = p.query(lo, hi)
	p.nested--
	if p.err != nil {
		return nil
	}
	out.Start, out.Text = int(p.toks[lo].start), p.textOf(lo, hi)
	for i := lo; i < hi; i++ {
		kind := p.toks[i].kind
		out.Variable = out.Variable || kind == tokArg || kind == tokSystem || kind == tokUser
	}
	if !out.Variable {
		p.args, p.names = 0, nil // DEFINER = user@host is no argument
	}
	p.finish(hi)
	p.pos = p.end()
	return out
}

// viewEnd reads WITH CHECK OPTION from the end, and gives the token where the query ends.
func (p *parser) viewEnd(out *CreateView) int {
	hi := p.end()
	at := hi - 2
	if at <= p.pos || !p.isAt(at, "CHECK", "OPTION") {
		return hi
	}
	out.Check = "CASCADED"
	if at--; p.isAt(at, "CASCADED") || p.isAt(at, "LOCAL") {
		out.Check = p.toks[at].word
		at--
	}
	if !p.isAt(at, "WITH") {
		p.unexpected(hi - 2)
	}
	return at
}

// user passes the name of a user: name@host, in quotes or not, CURRENT_USER or CURRENT_USER(), which it gives as "".
func (p *parser) user() (name string) {
	switch {
	case p.accept("CURRENT_USER"), p.accept("CURRENT_ROLE"):
		if p.accept("(") {
			p.expect(")")
		}
		return ""
	case p.tok().kind == tokString:
		name = p.str()
	default:
		name = p.ident()
	}
	if t := p.tok(); t.kind == tokUser || t.kind == tokArg && p.sql[t.start] == '@' {
		p.pos++
		name += "@" + strings.Trim(p.sql[t.start+1:t.end], "'\"`")
	}
	return name
}

// dropView reads DROP VIEW, the cursor behind the words.
func (p *parser) dropView() Statement {
	d := &DropView{IfExists: p.accept("IF", "EXISTS"), Views: p.tableNames()}
	p.cascade()
	return d
}
