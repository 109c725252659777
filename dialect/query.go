package dialect

// maxBlocks bounds the SELECTs, defaults and other expressions of one statement that are parsed separately: each costs a run of the parser,
// about 30 µs and 20 kB.
const maxBlocks = 3000

// isQuery says whether the parenthesis at token i holds a query: (SELECT …), ((SELECT …) UNION …).
func (p *parser) isQuery(i int) bool {
	if p.toks[i].word != "(" {
		return false
	}
	for p.toks[i].word == "(" {
		end := int(p.toks[i].match)
		if i++; p.toks[i].word == "(" {
			next := int(p.toks[i].match) + 1
			if next != end && !queryTail[p.toks[next].word] {
				return false
			}
		}
	}
	return p.beginsQuery(i)
}

// beginsQuery says whether a query without parentheses begins at token i.
func (p *parser) beginsQuery(i int) bool {
	switch p.toks[i].word {
	case "SELECT", "WITH", "TABLE":
		return true
	case "VALUES":
		return p.isAt(i+1, "ROW", "(")
	}
	return false
}

// queryTail are the words that may follow a query in parentheses that is part of a larger one.
var queryTail = set("UNION EXCEPT INTERSECT ORDER LIMIT FOR LOCK")

// subquery reads the query in the parentheses that open at token i and keeps it by that token.
func (p *parser) subquery(i int) Query {
	p.nested++
	q := p.query(i+1, int(p.toks[i].match))
	p.nested--
	if p.queries == nil {
		p.queries = make(map[int]Query)
	}
	p.queries[i] = q
	return q
}

// query reads the query of the tokens lo to hi-1:
//
//	[WITH …] block [UNION|EXCEPT|INTERSECT [ALL] block …] [ORDER BY …] [LIMIT …] [FOR UPDATE]
//
// where a block is SELECT … or a query in parentheses. Each SELECT goes to the parser by itself.
func (p *parser) query(lo, hi int) Query {
	with, lo := p.with(lo, hi)
	tail := p.tail(lo, hi)
	if i := p.until(tail, hi, setOps...); i < hi {
		p.fail(i, "ORDER BY and LIMIT before %s need parentheses round their SELECT", p.toks[i].word)
		return nil
	}
	end, lock := p.lock(tail, hi)
	if p.until(lo, tail, setOps...) == tail {
		return p.single(with, lo, tail, end, lock)
	}
	q := p.united(lo, tail, lock)
	u, ok := q.(*Union)
	if !ok || p.err != nil {
		return nil
	}
	u.With = with
	if tail < end {
		s := p.selectBlock("SELECT 1", tail, end, inTail)
		u.OrderBy, u.Limit = s.OrderBy, s.Limit
	}
	return u
}

// setOps are the words between the blocks of a query.
var setOps = []string{"UNION", "EXCEPT", "INTERSECT"}

// united reads blocks with UNION and EXCEPT between them, from left to right; INTERSECT binds tighter.
func (p *parser) united(lo, hi int, lock *locks) Query {
	q, at := p.intersected(lo, hi, lock)
	for at < hi && p.err == nil {
		u := &Union{Left: q}
		if p.toks[at].word == "EXCEPT" {
			u.Op = ExceptOp
		}
		u.All, at = p.setOp(at)
		u.Right, at = p.intersected(at, hi, lock)
		q = u
	}
	return q
}

// intersected reads blocks with INTERSECT between them and returns the token behind.
func (p *parser) intersected(lo, hi int, lock *locks) (Query, int) {
	at := p.until(lo, hi, setOps...)
	q := p.block(lo, at, lock)
	for at < hi && p.toks[at].word == "INTERSECT" && p.err == nil {
		u := &Union{Op: IntersectOp, Left: q}
		u.All, lo = p.setOp(at)
		at = p.until(lo, hi, setOps...)
		u.Right = p.block(lo, at, lock)
		q = u
	}
	return q, at
}

// setOp reads what follows the word of a set operation: ALL, DISTINCT or nothing.
func (p *parser) setOp(i int) (all bool, next int) {
	switch p.toks[i+1].word {
	case "ALL":
		return true, i + 2
	case "DISTINCT":
		return false, i + 2
	}
	return false, i + 1
}

// tail is the token where ORDER BY, LIMIT or the lock of a query begins. The FOR of an index hint, USE
// INDEX FOR ORDER BY (…), is none.
func (p *parser) tail(lo, hi int) int {
	i := p.until(lo, hi, "ORDER", "LIMIT", "FOR", "LOCK")
	for i < hi && p.toks[i].word == "FOR" && (p.toks[i-1].word == "INDEX" || p.toks[i-1].word == "KEY") {
		i = p.until(p.until(i, hi, "("), hi, "ORDER", "LIMIT", "FOR", "LOCK")
	}
	return i
}

// single reads a query of one block, lo to tail, with its ORDER BY and LIMIT, tail to end.
func (p *parser) single(with []CTE, lo, tail, end int, lock *locks) Query {
	if p.toks[lo].word != "(" {
		if p.toks[lo].word == "SELECT" {
			tail = end // of one text with it
		}
	}
	q := p.block(lo, tail, lock)
	if p.err != nil {
		return nil
	}
	if tail < end {
		s := p.selectBlock("SELECT 1", tail, end, inTail)
		var order *[]Order
		var limit **Limit
		switch q := q.(type) {
		case *Select:
			order, limit = &q.OrderBy, &q.Limit
		case *Union:
			order, limit = &q.OrderBy, &q.Limit
		case *Values:
			order, limit = &q.OrderBy, &q.Limit
		}
		if *order == nil && *limit == nil {
			*order, *limit = s.OrderBy, s.Limit
		} else {
			// The inner LIMIT comes first: the inner query is a table to the outer one.
			q = &Select{Exprs: []SelectExpr{{Star: true, Text: "*"}}, From: &Derived{Query: q, As: "q"},
				OrderBy: s.OrderBy, Limit: s.Limit}
		}
	}
	prependWith(q, with)
	return q
}

// locks are the clauses that lock rows at the end of a query; nil: there is none.
type locks struct{ clauses []Locking }

// to makes every SELECT of a query lock its rows.
func (l *locks) to(q Query) {
	if l == nil {
		return
	}
	switch q := q.(type) {
	case *Select:
		q.Lock, q.Locking = true, l.clauses
	case *Union:
		l.to(q.Left)
		l.to(q.Right)
	}
}

// prependWith puts with before the names that q itself declares.
func prependWith(q Query, with []CTE) {
	switch q := q.(type) {
	case *Select:
		q.With = append(with, q.With...)
	case *Union:
		q.With = append(with, q.With...)
	case *Values:
		q.With = append(with, q.With...)
	}
}

// with reads WITH name [(columns)] AS (query), … and returns the token behind it.
func (p *parser) with(lo, hi int) ([]CTE, int) {
	if p.toks[lo].word != "WITH" {
		return nil, lo
	}
	saved := p.pos
	p.pos = lo + 1
	recursive := p.is("RECURSIVE") && !p.isAt(p.pos+1, "AS") && p.accept("RECURSIVE")
	var with []CTE
	for p.err == nil {
		c := CTE{Name: p.ident(), Recursive: recursive}
		if p.is("(") {
			c.Columns = p.identList()
		}
		p.expect("AS")
		if !p.accept("MATERIALIZED") {
			p.accept("NOT", "MATERIALIZED") // how it is computed is the planner's choice
		}
		if p.err == nil && !p.isQuery(p.pos) {
			p.fail(p.pos, "expected (SELECT …)")
		}
		if p.err != nil {
			break
		}
		p.nested++
		c.Query = p.query(p.pos+1, int(p.tok().match))
		p.nested--
		with = append(with, c)
		if p.err == nil {
			p.pos = p.after(p.pos)
		}
		if !p.accept(",") {
			break
		}
	}
	if p.err != nil {
		return nil, hi
	}
	lo = p.pos
	p.pos = saved
	return with, lo
}

// lock finds FOR UPDATE, FOR SHARE or LOCK IN SHARE MODE at the end of a query's tail, and returns where
// the rest of the tail ends.
func (p *parser) lock(tail, hi int) (end int, lock *locks) {
	end = p.until(tail, hi, "FOR", "LOCK")
	if end == hi {
		return hi, nil
	}
	lock = &locks{}
	i := end
	if p.isAt(i, "LOCK", "IN", "SHARE", "MODE") {
		i += 4
	} else {
		for p.err == nil && i < hi && p.isAt(i, "FOR") {
			i = p.lockClause(i, lock)
		}
	}
	if p.isAt(i, "INTO") {
		i = p.selectInto(i)
	}
	if i != hi {
		p.unexpected(i)
	}
	return end, lock
}

// lockClause reads FOR UPDATE or FOR SHARE [OF table, …] [NOWAIT | SKIP LOCKED] and returns the token behind it.
func (p *parser) lockClause(i int, lock *locks) int {
	if !p.isAt(i+1, "UPDATE") && !p.isAt(i+1, "SHARE") {
		p.unexpected(i)
		return i
	}
	saved := p.pos
	p.pos = i + 2
	var l Locking
	if p.accept("OF") {
		l.Of = p.tableNames()
	}
	switch {
	case p.accept("NOWAIT"):
		l.Busy = BusyFail
	case p.accept("SKIP", "LOCKED"):
		l.Busy = BusySkip
	}
	if l.Of != nil || l.Busy != BusyWait || len(lock.clauses) > 0 {
		lock.clauses = append(lock.clauses, l)
	}
	i = p.pos
	p.finish(saved)
	return i
}

// block reads SELECT … or a query in parentheses, of the tokens lo to hi-1.
func (p *parser) block(lo, hi int, lock *locks) Query {
	if p.err != nil {
		return nil
	}
	switch t := &p.toks[lo]; {
	case lo >= hi:
		p.unexpected(lo)
	case t.word == "SELECT":
		s := p.selectBlock("SELECT", lo+1, hi, inList)
		if s == nil {
			return nil
		}
		lock.to(s)
		s.Hints = p.hintWords(lo + 1)
		return s
	case t.word == "(" && int(t.match) == hi-1:
		q := p.query(lo+1, hi-1)
		lock.to(q)
		return q
	case t.word == "VALUES":
		return p.values(lo, hi)
	case t.word == "TABLE":
		return p.table(lo, hi, lock)
	case t.word == "(":
		p.unexpected(int(t.match) + 1)
	default:
		p.fail(lo, "expected SELECT")
	}
	return nil
}

// values reads VALUES ROW(…), ROW(…) of the tokens lo to hi-1.
func (p *parser) values(lo, hi int) Query {
	for i := lo + 1; ; i++ {
		if !p.isAt(i, "ROW", "(") || i >= hi {
			p.fail(i, "expected ROW (…)")
			return nil
		}
		if i = p.after(i + 1); i >= hi {
			break
		}
		if !p.isAt(i, ",") {
			p.unexpected(i)
			return nil
		}
	}
	return &Values{Rows: p.rows(lo+1, hi), Pos: Pos(p.toks[lo].start)}
}

// table reads TABLE name, which is SELECT * FROM name.
func (p *parser) table(lo, hi int, lock *locks) Query {
	saved := p.pos
	p.pos = lo + 1
	n := p.tableName()
	if p.pos != hi {
		p.unexpected(p.pos)
	}
	p.finish(saved)
	star := SelectExpr{Star: true, Text: "*"}
	if p.marks {
		p.unsupported(lo, "TABLE in a view", "write SELECT * FROM")
	}
	s := &Select{Exprs: []SelectExpr{star}, From: &n}
	lock.to(s)
	return s
}

// countBlock notes one more run of the parser.
func (p *parser) countBlock(i int) bool {
	p.blocks++
	if p.blocks > maxBlocks {
		p.fail(i, "more than %d SELECTs and expressions in one statement", maxBlocks)
	}
	return p.err == nil
}
