package dialect

// partitioning reads PARTITION BY.
func (p *parser) partitioning() *Partitioning {
	out := &Partitioning{Pos: Pos(p.tok().start)}
	p.expect("PARTITION", "BY")
	if p.is("LINEAR") {
		p.unsupported(p.pos, "LINEAR partitions")
	}
	switch {
	case p.accept("KEY"):
		out.Kind = "key"
		if p.accept("ALGORITHM") {
			p.expect("=")
			p.integer()
		}
		if p.is("(") {
			out.Text = p.textOf(p.pos+1, int(p.tok().match))
		}
		if p.is("(", ")") {
			p.pos += 2 // the primary key
		} else {
			out.Columns = p.identList()
		}
	case p.accept("HASH"):
		out.Kind = "hash"
		p.partitionExpr(out)
	case p.accept("RANGE"):
		out.Kind = "range"
		p.partitionExpr(out)
	case p.accept("LIST"):
		out.Kind = "list"
		p.partitionExpr(out)
		out.Automatic = p.accept("AUTOMATIC")
	default:
		p.fail(p.pos, "expected KEY, HASH, RANGE or LIST")
	}
	if p.accept("INTERVAL") {
		p.partitionInterval(out)
	}
	if p.accept("PARTITIONS") {
		if out.Count = p.integer(); out.Count == 0 {
			p.fail(p.pos-1, "the number of partitions is 1 or more")
		}
	}
	if p.is("SUBPARTITION") {
		p.unsupported(p.pos, "subpartitions")
	}
	if p.is("(") && !p.isQuery(p.pos) {
		out.Parts = p.partitionDefs()
	}
	return out
}

// partitionInterval reads (n) or (n unit).
func (p *parser) partitionInterval(out *Partitioning) {
	p.expect("(")
	if out.Every = p.integer(); out.Every == 0 {
		p.fail(p.pos-1, "an interval is 1 or more")
	}
	switch {
	case p.oneOf("HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"):
		out.Unit = p.tok().word
		p.pos++
	case p.tok().kind == tokWord:
		p.fail(p.pos, "expected HOUR, DAY, WEEK, MONTH, QUARTER or YEAR")
	}
	p.expect(")")
}

// partitionExpr reads [COLUMNS] (columns or an expression). Plain names are Columns; a single one is the
// expression too, as the two mean the same.
func (p *parser) partitionExpr(out *Partitioning) {
	if out.Kind != "hash" && p.accept("COLUMNS") {
		out.Kind += " columns"
	}
	if !p.is("(") {
		p.fail(p.pos, "expected (")
		return
	}
	lo, hi := p.pos+1, int(p.tok().match)
	out.Text = p.textOf(lo, hi)
	names := hi > lo
	for i := lo; i < hi; i += 2 {
		names = names && p.toks[i].isName() && (i+1 == hi || p.toks[i+1].word == ",")
	}
	if names {
		out.Columns = p.identList()
		if len(out.Columns) > 1 {
			return
		}
	}
	if out.Kind == "hash" || out.Kind == "range" || out.Kind == "list" {
		out.Expr = p.expression(lo, hi)
	} else if !names {
		p.fail(lo, "expected columns")
	}
	p.finish(hi + 1)
}

var partitionOptionWords = set("ENGINE COMMENT MAX_ROWS MIN_ROWS TABLESPACE")

// partitionDefs reads (PARTITION name VALUES …, …).
func (p *parser) partitionDefs() []PartitionDef {
	var defs []PartitionDef
	p.expect("(")
	for p.err == nil {
		p.expect("PARTITION")
		d := PartitionDef{Name: p.ident()}
		switch {
		case p.accept("VALUES", "LESS", "THAN"):
			if p.accept("MAXVALUE") {
				d.Max = true
			} else {
				d.LessThan = p.partitionValues()
				d.Max = len(d.LessThan) == 1 && d.LessThan[0] == nil
			}
		case p.accept("VALUES", "IN"):
			d.In = p.partitionValues()
			for _, e := range d.In {
				if e == nil {
					p.fail(p.pos-1, "MAXVALUE in a list")
				}
			}
		}
		if p.is("(") {
			p.unsupported(p.pos, "subpartitions")
		}
		for p.err == nil && !p.is(",") && !p.is(")") {
			p.accept("STORAGE")
			start := p.pos
			name, value, ok := p.tableOption()
			if !ok || !partitionOptionWords[name] {
				p.unexpected(start)
			}
			if d.Options == nil {
				d.Options = map[string]string{}
			}
			d.Options[name] = value
		}
		defs = append(defs, d)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return defs
}

// partitionValues reads (expression, …), nil for MAXVALUE.
func (p *parser) partitionValues() []Expr {
	if !p.is("(") {
		p.fail(p.pos, "expected (")
		return nil
	}
	var list []Expr
	end := int(p.tok().match)
	for i := p.pos; i < end && p.err == nil; {
		lo := i + 1
		i = p.until(lo, end, ",")
		if p.isAt(lo, "MAXVALUE") && lo+1 == i {
			list = append(list, nil)
		} else {
			list = append(list, p.expression(lo, i))
		}
	}
	p.finish(end + 1)
	return list
}
