package dialect

// atOperator reads what follows an operand: an operator, an alias, the end of a parenthesis or the next
// clause. It returns the token behind it.
func (r *rewriter) atOperator(i int) int {
	switch t := &r.p.toks[i]; t.kind {
	case tokOp:
		return r.operatorMark(i)
	case tokWord:
		return r.operatorWord(i)
	case tokQuoted:
		return r.alias(i)
	case tokString:
		if r.top().kind == blockFrame || r.top().clause == inTables {
			return r.alias(i)
		}
	}
	r.p.unexpected(i)
	return i
}

// alias writes the name after an operand: the unit of an INTERVAL, or an alias; the parser refuses it where none is allowed.
func (r *rewriter) alias(i int) int {
	if f := r.top(); f.intervals > 0 {
		f.intervals--
	} else {
		r.endAlias(i)
	}
	r.nameAt(i)
	return i + 1
}

// operatorMark reads a mark where an operator is expected.
func (r *rewriter) operatorMark(i int) int {
	p, f := r.p, r.top()
	t := &p.toks[i]
	if f.clause == inTables && t.word != "," && t.word != ")" {
		p.unexpected(i)
		return i
	}
	switch t.word {
	case "=":
		if f.clause == inSet && f.assign {
			f.assign = false
			r.boundary(i, "=")
			return i + 1
		}
		r.comparison(i, "=")
	case "<=>", "<>", "<", "<=", ">", ">=":
		r.comparison(i, t.word)
	case "!=":
		r.comparison(i, "<>")
	case "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "->", "->>":
		r.infix(i, t.word)
	case "&&":
		r.boundary(i, "AND")
		f.operators++
	case "||":
		if p.opt.ANSIQuotes {
			r.infix(i, "^")
			r.raw(i, concatMark)
			r.infix(i, "^")
		} else {
			r.boundary(i, "OR")
			f.operators++
		}
	case ",":
		r.comma(i)
	case ")":
		return r.closeParen(i)
	case ":=":
		if f.clause == inSet && f.assign {
			f.assign = false
			r.boundary(i, "=")
			return i + 1
		}
		p.fail(i, "expected a variable before :=, such as @name")
	default:
		p.unexpected(i)
	}
	return i + 1
}

func (r *rewriter) infix(i int, text string) {
	r.raw(i, text)
	r.operand = true
	r.top().operators++
}

// comma reads a comma between two elements of the frame's list.
func (r *rewriter) comma(i int) {
	f := r.top()
	f.operators = 0
	r.finish(i)
	switch f.clause {
	case inOn, inTables:
		f.clause = inTables
		r.countJoin(i)
	case inSet:
		f.assign = true
	case inList:
		r.endItem(i)
		r.items = append(r.items, item{lo: i + 1, hi: -1})
	}
	r.boundary(i, ",")
}

// operatorWord reads an unquoted word where an operator is expected.
func (r *rewriter) operatorWord(i int) int {
	p, f := r.p, r.top()
	t, next := &p.toks[i], &p.toks[i+1]
	switch t.word {
	case "AND":
		if f.between > 0 {
			f.between--
			r.raw(i, "AND")
			f.upper = len(r.out)
			r.operand = true
			return i + 1
		}
		r.boundary(i, "AND")
		f.operators++
		return i + 1
	case "OR":
		r.boundary(i, "OR")
		f.operators++
		return i + 1
	case "XOR":
		r.boundary(i, "OR")
		r.raw(i, xorMark)
		r.boundary(i, "OR")
		f.operators++
		return i + 1
	case "DIV":
		r.infix(i, "DIV")
		return i + 1
	case "MOD":
		r.infix(i, "%")
		return i + 1
	case "IS":
		return r.is(i)
	case "NOT":
		switch next.word {
		case "IN", "LIKE", "REGEXP", "RLIKE", "BETWEEN":
			return r.predicateWord(i+1, true)
		case "ILIKE", "SIMILAR", "GLOB":
			p.unsupported(i+1, next.word)
		default:
			p.unexpected(i)
		}
		return i
	case "IN", "LIKE", "REGEXP", "RLIKE", "BETWEEN":
		return r.predicateWord(i, false)
	case "SOUNDS":
		if next.word == "LIKE" {
			// x REGEXP sounds(y), where conversion finds the token of this name.
			r.predicate(i, false, "REGEXP")
			r.nameAt(i)
			r.raw(i, "(")
			f.closeAfter++
			return i + 2
		}
	case "ESCAPE":
		r.raw(i, "ESCAPE")
		r.operand = true
		return i + 1
	case "COLLATE":
		if !next.isName() && next.kind != tokString && next.word != "BINARY" {
			p.fail(i+1, "expected the name of a collation")
			return i
		}
		r.raw(i, "COLLATE")
		r.nameAt(i + 1)
		f.operators++
		return i + 2
	case "AS":
		if !next.isName() && next.kind != tokString {
			p.fail(i+1, "expected a name after AS; a keyword needs backticks")
			return i
		}
		r.endAlias(i)
		r.raw(i, "AS")
		r.nameAt(i + 1)
		return r.aliasColumns(i + 2)
	case "WHEN", "THEN", "ELSE", "END":
		if f.kind == caseFrame {
			return r.caseWord(i)
		}
	case "MEMBER":
		open := i + 1
		if next.word == "OF" {
			open++
		}
		if f.clause != inTables && p.isAt(open, "(") {
			r.predicate(i, false, "IN")
			r.raw(open, "(")
			r.raw(open, memberMark)
			r.raw(open, ",")
			r.push(frame{kind: groupFrame, clause: inExprs, end: int(p.toks[open].match), name: open})
			return open + 1
		}
	case "ILIKE", "SIMILAR", "GLOB", "OVERLAPS":
		if f.clause != inTables && f.clause != inList || next.kind == tokString {
			p.unsupported(i, t.word)
			return i
		}
	}
	if f.kind == blockFrame || f.clause == inTables || f.clause == inOn {
		if j, ok := r.clauseWord(i); ok {
			return j
		}
	}
	if f.form != nil && f.form.groupConcat {
		if j, ok := r.order(i); ok {
			return j
		}
	}
	if reserved[t.word] {
		p.unexpected(i)
		return i
	}
	return r.aliasColumns(r.alias(i))
}

// endAlias notes that the alias of a select list's element begins at token i.
func (r *rewriter) endAlias(i int) {
	r.finish(i)
	if f := r.top(); f.kind == blockFrame && f.clause == inList {
		r.items[len(r.items)-1].hi = i
	}
}

// aliasColumns reads the columns after the alias of a query in FROM, (SELECT …) AS t (a, b), if they begin at token i, and gives the token after
// them.
func (r *rewriter) aliasColumns(i int) int {
	p := r.p
	if r.top().clause != inTables || p.toks[i].word != "(" {
		return i
	}
	at := len(r.out) - 2 // before the alias
	if r.out[at].kind == rawPiece && r.out[at].text == "AS" {
		at--
	}
	of := int(r.out[at].tok)
	if r.out[at].kind != namePiece || p.queries[of] == nil {
		p.unsupported(i, "a list of columns after a table's alias")
		return i
	}
	saved := p.pos
	p.pos = i
	names := p.identList()
	p.finish(saved)
	if p.derived == nil {
		p.derived = map[int][]string{}
	}
	p.derived[of] = names
	return p.after(i)
}

// caseWord reads WHEN, THEN, ELSE or END of the CASE that is open.
func (r *rewriter) caseWord(i int) int {
	w := r.p.toks[i].word
	r.finish(i)
	if w != "END" {
		r.boundary(i, w)
		return i + 1
	}
	r.raw(i, "END")
	r.frames = r.frames[:len(r.frames)-1]
	r.done()
	return i + 1
}

// is reads IS [NOT] NULL, TRUE, FALSE or UNKNOWN.
func (r *rewriter) is(i int) int {
	p, f := r.p, r.top()
	r.settle(i)
	r.raw(i, "IS")
	f.state, f.upper = predicated, 0
	f.operators++
	i++
	if p.isAt(i, "NOT") {
		r.raw(i, "NOT")
		i++
	}
	switch w := p.toks[i].word; w {
	case "NULL", "TRUE", "FALSE":
		r.raw(i, w)
	case "UNKNOWN":
		r.raw(i, "NULL")
	case "DISTINCT":
		p.unsupported(i, "IS DISTINCT FROM", "<=> compares NULLs as equal")
	default:
		p.fail(i, "expected NULL, TRUE, FALSE or UNKNOWN after IS; <=> compares NULLs as equal")
	}
	return i + 1
}

// predicateWord reads IN, LIKE, REGEXP or BETWEEN at token i.
func (r *rewriter) predicateWord(i int, not bool) int {
	p := r.p
	switch w := p.toks[i].word; w {
	case "IN":
		r.predicate(i, not, "IN")
		next := i + 1
		if p.toks[next].word != "(" {
			p.fail(next, "expected ( after IN")
			return i
		}
		r.raw(next, "(")
		if p.isQuery(next) {
			p.subquery(next)
			r.valueAt(next)
			r.raw(next, ")")
			r.done()
			return p.after(next)
		}
		r.push(frame{kind: groupFrame, clause: inExprs, end: int(p.toks[next].match), name: next})
		return next + 1
	case "BETWEEN":
		r.predicate(i, not, "BETWEEN")
		r.top().between++
	case "RLIKE", "REGEXP":
		r.predicate(i, not, "REGEXP")
	default:
		r.predicate(i, not, w)
	}
	return i + 1
}
