package dialect

// JSONTable is JSON_TABLE(X, Path COLUMNS (…)) in FROM.
type JSONTable struct {
	X       Expr
	Path    string
	Columns []JSONColumn
	As      string // for errors
	Pos     Pos
}

// JSONColumn is one element of COLUMNS (…).
type JSONColumn struct {
	Name       string
	Ordinality bool // FOR ORDINALITY
	Type       TypeName
	Collate    string
	Exists     bool
	Path       string
	OnEmpty    JSONInstead
	OnError    JSONInstead
	Columns    []JSONColumn // of NESTED PATH; nil: it is a column
}

// JSONInstead is what … ON EMPTY or … ON ERROR says; NULL if nothing is said.
type JSONInstead struct {
	Error   bool
	Default *string
}

func (*JSONTable) statement() {}
func (*JSONTable) query()     {}

// jsonTable reads JSON_TABLE at token i, and keeps it as a lateral query by the parenthesis after it.
func (p *parser) jsonTable(i int) {
	open := i + 1
	hi := int(p.toks[open].match)
	comma := p.until(open+1, hi, ",")
	t := &JSONTable{X: p.expression(open+1, comma), Pos: Pos(p.toks[i].start)}
	saved := p.pos
	p.pos = comma
	p.expect(",")
	t.Path = p.str()
	t.Columns = p.jsonColumns()
	if p.err == nil && p.pos != hi {
		p.unexpected(p.pos)
	}
	p.finish(saved)
	at := hi + 1
	if p.isAt(at, "AS") {
		at++
	}
	if n := &p.toks[at]; n.isName() {
		t.As = p.name(n)
	}
	if p.queries == nil {
		p.queries = make(map[int]Query)
	}
	if p.laterals == nil {
		p.laterals = map[int]bool{}
	}
	p.queries[open], p.laterals[open] = t, true
}

// jsonColumns passes COLUMNS (…).
func (p *parser) jsonColumns() []JSONColumn {
	p.expect("COLUMNS", "(")
	columns := []JSONColumn{}
	for p.err == nil {
		columns = append(columns, p.jsonColumn())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return columns
}

func (p *parser) jsonColumn() (c JSONColumn) {
	if p.is("NESTED") && (p.peek(1).word == "PATH" || p.peek(1).kind == tokString) {
		p.pos++
		p.accept("PATH")
		c.Path = p.str()
		c.Columns = p.jsonColumns()
		return c
	}
	c.Name = p.ident()
	if p.accept("FOR") {
		p.expect("ORDINALITY")
		c.Ordinality = true
		return c
	}
	c.Type = p.typeName()
	if p.accept("COLLATE") {
		c.Collate = p.word()
	}
	c.Exists = p.accept("EXISTS")
	p.expect("PATH")
	c.Path = p.str()
	empty, failing := false, false
	for p.err == nil && !c.Exists && p.oneOf("NULL", "ERROR", "DEFAULT") {
		var instead JSONInstead
		switch {
		case p.accept("NULL"):
		case p.accept("ERROR"):
			instead.Error = true
		case p.accept("DEFAULT"):
			text := p.str()
			instead.Default = &text
		}
		p.expect("ON")
		switch {
		case !empty && !failing && p.accept("EMPTY"):
			c.OnEmpty, empty = instead, true
		case !failing && p.accept("ERROR"):
			c.OnError, failing = instead, true
		default:
			p.unexpected(p.pos)
		}
	}
	return c
}
