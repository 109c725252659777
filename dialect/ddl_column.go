package dialect

// columnDef reads a column of CREATE TABLE or ALTER TABLE; the attributes after the type may have any order.
func (p *parser) columnDef() ColumnDef {
	c := ColumnDef{Pos: Pos(p.tok().start), Name: p.ident()}
	if p.is("SERIAL") {
		p.pos++
		c.Type = TypeName{Name: "BIGINT", Unsigned: true}
		c.NotNull, c.AutoIncrement, c.Unique = true, true, true
	} else {
		c.Type = p.typeName()
	}
	for p.err == nil && p.columnAttribute(&c) {
	}
	return c
}

// columnAttribute reads one attribute of a column, if there is one at the cursor.
func (p *parser) columnAttribute(c *ColumnDef) bool {
	constraint := ""
	if p.is("CONSTRAINT") {
		p.pos++
		if t := p.tok(); t.isName() {
			constraint = p.ident()
		}
		if !p.oneOf("CHECK", "PRIMARY", "UNIQUE", "NOT", "REFERENCES") {
			p.fail(p.pos, "expected a constraint")
		}
	}
	switch {
	case p.accept("NOT", "NULL"):
		c.NotNull = true
	case p.accept("NULL"):
		c.Null = true
	case p.accept("DEFAULT"):
		c.Default, c.DefaultText = p.defaultValue()
	case p.accept("ON", "UPDATE"):
		c.OnUpdate, _ = p.defaultValue()
	case p.accept("AUTO_INCREMENT"), p.accept("AUTOINCREMENT"):
		c.AutoIncrement = true
	case p.accept("PRIMARY"):
		p.accept("KEY")
		c.PrimaryKey = true
		if p.is("DESC") {
			p.unsupported(p.pos, "PRIMARY KEY DESC at a column", "write PRIMARY KEY (column DESC)")
		}
		p.accept("ASC")
	case p.accept("KEY"):
		c.PrimaryKey = true
	case p.accept("UNIQUE"):
		p.accept("KEY")
		c.Unique, c.Global = true, p.accept("GLOBAL")
	case p.accept("COMMENT"):
		c.Comment = p.str()
	case c.Type.Spatial() && p.accept("SRID"):
		p.integer() // for geometries, which are not supported
	case p.accept("PROPERTY"):
		c.Property = p.str()
	case p.accept("EDM"):
		c.Edm = p.word()
	case p.accept("VISIBLE"):
		c.Invisible = false
	case p.accept("INVISIBLE"):
		c.Invisible = true
	case p.accept("COLLATE"):
		c.Type.Collate = p.word()
	case p.accept("CHARACTER", "SET"), p.accept("CHARSET"):
		c.Type.Charset = p.word()
	case p.accept("CHECK"):
		if c.Check != nil {
			p.unsupported(p.pos-1, "two CHECKs at one column", "write the second after the columns")
		}
		c.Check, c.CheckText = p.inParens()
		c.CheckName = constraint
		c.CheckRests = p.notEnforced()
	case p.accept("GENERATED"):
		if p.is("BY") || p.is("ALWAYS", "AS", "IDENTITY") {
			p.unsupported(p.pos, "IDENTITY")
		}
		p.accept("ALWAYS")
		p.expect("AS")
		p.generated(c)
	case p.is("AS", "("):
		p.pos++
		p.generated(c)
	case p.is("REFERENCES"):
		f := p.references()
		f.Name = constraint
		f.Columns = []string{c.Name}
		c.References = &f
	case p.is("ON", "CONFLICT"):
		p.unsupported(p.pos, "ON CONFLICT at a column")
	default:
		return false
	}
	return true
}

// generated reads (expression) [VIRTUAL | STORED].
func (p *parser) generated(c *ColumnDef) {
	c.Generated, c.GeneratedText = p.inParens()
	if p.accept("STORED") || p.accept("PERSISTENT") {
		c.Stored = true
	} else {
		p.accept("VIRTUAL")
	}
}

// inParens reads (expression) and returns it with its text, the parentheses left out.
func (p *parser) inParens() (Expr, string) {
	if !p.is("(") {
		p.fail(p.pos, "expected (")
		return nil, ""
	}
	lo, hi := p.pos+1, int(p.tok().match)
	e := p.expression(lo, hi)
	text := p.textOf(lo, hi)
	p.finish(hi + 1)
	return e, text
}

// defaultValue reads what follows DEFAULT and ON UPDATE: a constant with its sign, a function, or an expression in parentheses; with its text as
// written, so that it can follow DEFAULT again.
func (p *parser) defaultValue() (Expr, string) {
	lo := p.pos
	hi := lo
	switch w := p.toks[hi].word; {
	case w == "(":
		e, text := p.inParens()
		return e, "(" + text + ")"
	case w == "+" || w == "-":
		hi++
	}
	switch t := &p.toks[hi]; {
	case t.kind == tokString, p.toks[hi+min(1, p.end()-hi)].kind == tokString && p.isDate(hi):
		for hi++; p.toks[hi].kind == tokString; hi++ {
		}
	case charsets[t.word] && p.toks[hi+1].kind == tokString:
		hi += 2
	case t.kind == tokWord && p.isAt(hi+1, "("):
		hi = p.after(hi + 1)
	case t.kind == tokWord && (bare[t.word] || t.word == "NULL" || t.word == "TRUE" || t.word == "FALSE"):
		hi++
	case t.kind == tokInt, t.kind == tokDecimal, t.kind == tokFloat, t.kind == tokHex, t.kind == tokBit:
		hi++
	default:
		p.fail(hi, "expected a constant, a function, or an expression in parentheses")
		return nil, ""
	}
	e := p.expression(lo, hi)
	p.finish(hi)
	return e, p.textOf(lo, hi)
}

// isDate says whether token i is a word that makes a date of the string after it.
func (p *parser) isDate(i int) bool {
	w := p.toks[i].word
	return w == "DATE" || w == "TIME" || w == "TIMESTAMP"
}

// notEnforced reads [[NOT] ENFORCED].
func (p *parser) notEnforced() bool {
	return p.accept("NOT", "ENFORCED") || p.accept("ENFORCED") && false
}

// references reads REFERENCES table (columns) [MATCH …] [ON DELETE …] [ON UPDATE …] [[NOT] ENFORCED]. As in MySQL, MATCH changes
// nothing.
func (p *parser) references() ForeignKey {
	f := ForeignKey{Pos: Pos(p.tok().start)}
	p.expect("REFERENCES")
	f.Table = p.tableName()
	if p.is("(") {
		f.RefColumns = p.identList()
	}
	for p.err == nil {
		switch {
		case p.accept("MATCH"):
			if !p.accept("SIMPLE") && !p.accept("FULL") && !p.accept("PARTIAL") {
				p.fail(p.pos, "expected SIMPLE, FULL or PARTIAL")
			}
		case p.accept("ON", "DELETE"):
			f.OnDelete = p.refAction()
		case p.accept("ON", "UPDATE"):
			f.OnUpdate = p.refAction()
		case p.accept("NOT", "ENFORCED"):
			f.NotEnforced = true
		case p.accept("ENFORCED"):
			f.NotEnforced = false
		case p.is("DEFERRABLE"), p.is("NOT", "DEFERRABLE"), p.is("INITIALLY"):
			p.unsupported(p.pos, "DEFERRABLE")
		default:
			return f
		}
	}
	return f
}

// refAction reads what a foreign key does to its rows.
func (p *parser) refAction() string {
	switch {
	case p.accept("CASCADE"):
		return "cascade"
	case p.accept("RESTRICT"):
		return "restrict"
	case p.accept("SET", "NULL"):
		return "set null"
	case p.accept("SET", "DEFAULT"):
		return "set default"
	case p.accept("NO", "ACTION"):
		return "no action"
	}
	p.fail(p.pos, "expected CASCADE, RESTRICT, SET NULL, SET DEFAULT or NO ACTION")
	return ""
}
