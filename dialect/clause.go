package dialect

// clauseWord reads a word that begins a clause or joins a table, if token i is one.
func (r *rewriter) clauseWord(i int) (int, bool) {
	p, f := r.p, r.top()
	switch w := p.toks[i].word; w {
	case "FROM":
		if f.clause == inSet {
			p.unsupported(i, "UPDATE … FROM", "name the tables before SET")
			return i, true
		}
		return r.clause(i, 1, "FROM", inTables)
	case "WHERE":
		return r.clause(i, 1, "WHERE", inExprs)
	case "GROUP":
		return r.clause(i, 2, "GROUP BY", inExprs)
	case "HAVING":
		return r.clause(i, 1, "HAVING", inExprs)
	case "LIMIT":
		return r.clause(i, 1, "LIMIT", inExprs)
	case "OFFSET":
		if f.clause == inExprs {
			return r.clause(i, 1, "OFFSET", inExprs)
		}
	case "SET":
		if f.clause == inTables || f.clause == inOn {
			f.assign = true
			return r.clause(i, 1, "SET", inSet)
		}
	case "ON":
		return r.clause(i, 1, "ON", inOn)
	case "USING":
		return r.using(i), true
	case "LEFT", "RIGHT", "INNER", "CROSS", "NATURAL", "JOIN", "STRAIGHT_JOIN":
		return r.join(i), true
	case "FULL":
		if p.isAt(i+1, "JOIN") || p.isAt(i+1, "OUTER", "JOIN") {
			p.unsupported(i, "FULL JOIN")
			return i, true
		}
	case "USE", "FORCE", "IGNORE":
		if next := p.toks[i+1].word; f.clause == inTables && (next == "INDEX" || next == "KEY") {
			return r.indexHint(i), true
		}
	case "WITH":
		if p.isAt(i+1, "ROLLUP") {
			return r.withRollup(i), true
		}
	case "WINDOW":
		if p.toks[i+1].isName() && p.isAt(i+2, "AS") {
			return r.windowClause(i), true
		}
	case "INTO":
		r.finish(i)
		if f.clause == inList {
			r.endItem(i)
		}
		return p.selectInto(i), true
	case "TABLESAMPLE":
		p.unsupported(i, w)
		return i, true
	}
	return r.order(i)
}

// withRollup reads WITH ROLLUP, which ends GROUP BY.
func (r *rewriter) withRollup(i int) (next int) {
	f := r.top()
	next = i + 2
	if !r.groups || f.kind != blockFrame {
		r.p.unexpected(i)
		return next
	}
	r.finish(i)
	r.rollup, r.groups, f.clause = true, false, inTail
	if next < f.end && !rollupTail[r.p.toks[next].word] {
		r.p.unexpected(next)
	}
	return next
}

// rollupTail are the words that may follow WITH ROLLUP.
var rollupTail = set("HAVING WINDOW ORDER LIMIT INTO")

// windowClause reads WINDOW, which only the end of the query or its ORDER BY can follow.
func (r *rewriter) windowClause(i int) (next int) {
	f := r.top()
	if f.kind != blockFrame || r.p.tail(f.name, i) < i {
		r.p.unexpected(i)
		return i
	}
	r.finish(i)
	if f.clause == inList {
		r.endItem(i)
	}
	f.clause = inTail
	r.windows, next = r.p.windowClause(i)
	if next < f.end && r.p.tail(next, next+1) > next && !r.p.isAt(next, "INTO") {
		r.p.unexpected(next)
	}
	return next
}

// order reads ORDER BY and the words that may appear in it.
func (r *rewriter) order(i int) (int, bool) {
	switch w := r.p.toks[i].word; w {
	case "ORDER":
		c := inExprs
		if r.top().kind == callFrame {
			c = r.top().clause
		}
		return r.clause(i, 2, "ORDER BY", c)
	case "ASC", "DESC":
		r.finish(i)
		r.raw(i, w)
		return i + 1, true
	case "NULLS":
		r.p.unsupported(i, "NULLS FIRST and NULLS LAST")
		return i, true
	}
	return i, false
}

// clause writes text in place of the words that begin a clause: words of them, from token i on.
func (r *rewriter) clause(i, words int, text string, c clause) (int, bool) {
	if words == 2 && !r.p.isAt(i+1, "BY") {
		r.p.fail(i+1, "expected BY")
		return i, true
	}
	f := r.top()
	r.finish(i)
	if f.kind == blockFrame && f.clause == inList {
		r.endItem(i)
	}
	f.clause = c
	f.operators = 0
	r.groups = text == "GROUP BY" && f.kind == blockFrame
	r.boundary(i, text)
	return i + words, true
}

// join reads the words of a join; a table is to follow.
func (r *rewriter) join(i int) int {
	p := r.p
	lo := i
	natural := p.toks[i].word == "NATURAL"
	if natural {
		i++
	}
	kind := p.toks[i].word
	text := kind + " JOIN"
	switch kind {
	case "LEFT", "RIGHT":
		if i++; p.isAt(i, "OUTER") {
			i++
		}
	case "INNER":
		text = "JOIN"
		i++
	case "CROSS":
		i++
	case "JOIN":
		text = "JOIN"
	case "STRAIGHT_JOIN": // the order of tables is the planner's choice
		text = "JOIN"
	}
	if natural {
		if kind == "CROSS" || kind == "STRAIGHT_JOIN" {
			p.unexpected(i)
		}
		text = "NATURAL " + text
	}
	if kind != "STRAIGHT_JOIN" && !p.isAt(i, "JOIN") {
		p.fail(i, "expected JOIN")
		return i
	}
	r.countJoin(lo)
	r.top().clause = inTables
	r.boundary(lo, text)
	return i + 1
}

// countJoin notes one more table; the parser's stack and the tree grow with each.
func (r *rewriter) countJoin(i int) {
	if r.joins++; r.joins > maxJoins {
		r.p.fail(i, "more than %d joins", maxJoins)
	}
}

// using reads USING (a, b) of a join.
func (r *rewriter) using(i int) int {
	p := r.p
	r.boundary(i, "USING (")
	i++
	if !p.isAt(i, "(") {
		p.fail(i, "expected (")
		return i
	}
	end := int(p.toks[i].match)
	for i++; ; i++ {
		if !p.toks[i].isName() {
			p.fail(i, "expected a column")
			return i
		}
		r.nameAt(i)
		if i++; i == end {
			break
		}
		if !p.isAt(i, ",") {
			p.unexpected(i)
			return i
		}
		r.raw(i, ",")
	}
	r.raw(end, ")")
	r.done()
	return end + 1
}

// indexHint reads USE INDEX (a, b) and its like, behind a table.
func (r *rewriter) indexHint(i int) int {
	p := r.p
	hint := IndexHint{Pos: Pos(p.toks[i].start)}
	switch p.toks[i].word {
	case "FORCE":
		hint.Kind = ForceIndex
	case "IGNORE":
		hint.Kind = IgnoreIndex
	}
	i += 2
	switch {
	case p.isAt(i, "FOR", "JOIN"):
		hint.For = ForJoin
		i += 2
	case p.isAt(i, "FOR", "ORDER", "BY"):
		hint.For = ForOrderBy
		i += 3
	case p.isAt(i, "FOR", "GROUP", "BY"):
		hint.For = ForGroupBy
		i += 3
	}
	if !p.isAt(i, "(") {
		p.fail(i, "expected (")
		return i
	}
	end := int(p.toks[i].match)
	if end == i+1 && hint.Kind != UseIndex {
		p.fail(end, "expected the name of an index")
	}
	for i++; i < end; i += 2 {
		t := &p.toks[i]
		if !t.isName() && t.word != "PRIMARY" || i+1 < end && (!p.isAt(i+1, ",") || i+2 == end) {
			p.unexpected(i)
			return end + 1
		}
		hint.Names = append(hint.Names, p.name(t))
	}
	if len(r.out) > 0 {
		if r.hints == nil {
			r.hints = map[int][]IndexHint{}
		}
		table := int(r.out[len(r.out)-1].tok)
		r.hints[table] = append(r.hints[table], hint)
	}
	return end + 1
}
