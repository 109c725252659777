package dialect

// isIndex says whether KEY or INDEX at the cursor begins an index, and is not the name of a column: an
// index has a list of names in parentheses, a type has numbers.
func (p *parser) isIndex() bool {
	if !p.is("KEY") && !p.is("INDEX") {
		return false
	}
	i := p.pos + 1
	if p.toks[i].isName() {
		i++
	}
	return p.isAt(i, "USING") || p.isAt(i, "(") && (p.toks[i+1].isName() || p.isAt(i+1, "("))
}

// indexDef reads an index from its name on: [name] [USING …] (parts) options.
func (p *parser) indexDef(pos Pos) IndexDef {
	x := IndexDef{Pos: pos}
	if t := p.tok(); t.isName() {
		x.Name = p.ident()
	}
	p.indexBody(&x)
	return x
}

// indexBody reads [USING …] (parts) options.
func (p *parser) indexBody(x *IndexDef) {
	if p.accept("USING") {
		x.Using = upper(p.ident())
	}
	x.Parts = p.keyColumns()
	for p.err == nil {
		switch {
		case p.accept("USING"):
			x.Using = upper(p.ident())
		case p.accept("COMMENT"):
			p.accept("=")
			x.Comment = p.str()
		case p.accept("INCLUDE"):
			x.Include = p.identList()
			x.Copy = "include"
		case p.accept("COPY"):
			p.expect("KEYS")
			x.Copy = "keys"
		case p.accept("GLOBAL"):
			x.Global = true
		case p.accept("KEY_BLOCK_SIZE"):
			p.accept("=")
			p.integer() // MyISAM's
		case p.accept("WITH", "PARSER"):
			p.ident() // of FULLTEXT keys
		case p.accept("VISIBLE"), p.accept("INVISIBLE"): // only MySQL's optimizer heeds it
		case p.is("WHERE"), p.is("WITH"):
			p.unsupported(p.pos, p.tok().word+" at an index")
		case p.is("ON", "CONFLICT"):
			p.unsupported(p.pos, "ON CONFLICT at a key")
		default:
			return
		}
	}
}

// expressionWay is what to do instead of a key over an expression.
const expressionWay = "make a generated column of it, and a key over that"

// overExpression gives the first expression among the parts of a key; "" without one.
func (x *IndexDef) overExpression() string {
	for _, k := range x.Parts {
		if k.Expr != "" {
			return k.Expr
		}
	}
	return ""
}

// keyOf gives a key, which may be over expressions.
func keyOf(x IndexDef) key {
	if e := x.overExpression(); e != "" {
		return key{unsupported: &UnsupportedKey{Name: x.Name, Unique: x.Unique, Expr: e, Pos: x.Pos}}
	}
	return key{index: &x}
}

// keyColumns reads (column [(length)] [ASC | DESC], …).
func (p *parser) keyColumns() []KeyColumn {
	var parts []KeyColumn
	p.expect("(")
	for p.err == nil {
		if p.tok().isName() && p.isAt(p.pos+1, "(") && p.peek(2).kind != tokInt {
			p.unsupported(p.pos, "an expression as a part of a key", expressionWay)
			break
		}
		k := KeyColumn{}
		if p.is("(") {
			hi := p.after(p.pos)
			k.Expr = p.textOf(p.pos, hi)
			p.finish(hi)
		} else {
			k.Column = p.ident()
		}
		if k.Expr == "" && p.accept("(") {
			if k.Length = p.integer(); k.Length == 0 {
				p.fail(p.pos-1, "a length is 1 or more")
			}
			p.expect(")")
		}
		if p.is("COLLATE") {
			p.unsupported(p.pos, "COLLATE at a part of a key", "the column has it")
		}
		if p.accept("DESC") {
			k.Desc = true
		} else {
			p.accept("ASC")
		}
		parts = append(parts, k)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return parts
}

// key is a key, a foreign key or a check, behind the columns of CREATE TABLE or behind ADD.
type key struct {
	index   *IndexDef
	foreign *ForeignKey
	check   *Check

	unsupported *UnsupportedKey
}

// keyDef reads [CONSTRAINT [name]] and what it names, or an index. The second result is false if there is none at the cursor.
func (p *parser) keyDef() (key, bool) {
	name, constraint := "", false
	pos := Pos(p.tok().start)
	if p.is("CONSTRAINT") {
		p.pos++
		constraint = true
		if t := p.tok(); t.isName() {
			name = p.ident()
		}
	}
	switch {
	case p.accept("PRIMARY", "KEY"):
		x := p.indexDef(pos)
		x.Name, x.Primary, x.Unique = "PRIMARY", true, true
		return keyOf(x), true
	case p.accept("UNIQUE"):
		if !p.accept("KEY") {
			p.accept("INDEX")
		}
		x := p.indexDef(pos)
		x.Unique = true
		if x.Name == "" {
			x.Name = name
		}
		return keyOf(x), true
	case p.accept("FOREIGN"):
		p.expect("KEY")
		index := ""
		if t := p.tok(); t.isName() {
			index = p.ident()
		}
		cols := p.identList()
		f := p.references()
		f.Name, f.IndexName, f.Columns, f.Pos = name, index, cols, pos
		return key{foreign: &f}, true
	case p.accept("CHECK"):
		c := Check{Name: name, Pos: pos}
		c.Expr, c.Text = p.inParens()
		c.NotEnforced = p.notEnforced()
		return key{check: &c}, true
	case constraint:
		p.fail(p.pos, "expected PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK")
	case (p.is("FULLTEXT") || p.is("SPATIAL")) && (p.isAt(p.pos+1, "KEY") || p.isAt(p.pos+1, "INDEX") ||
		p.isAt(p.pos+1, "(")):
		kind := p.tok().word
		p.pos++
		if p.is("KEY") || p.is("INDEX") {
			p.pos++
		}
		x := p.indexDef(pos)
		return key{unsupported: &UnsupportedKey{Kind: kind, Name: x.Name, Pos: pos}}, true
	case p.isIndex():
		p.pos++
		x := p.indexDef(pos)
		return keyOf(x), true
	}
	return key{}, false
}
