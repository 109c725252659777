package sqlite

import "slices"

// from gives what stands behind FROM, the scope that it makes, and for whole queries WITH to stand before it.
func (g *generator) from(outer *scope, whole bool) (from sql, s *scope, with sql) {
	s = &scope{outer: outer}
	n := 1
	if !g.wide && g.one(2) {
		n += 1 + g.IntN(2)
	}
	if whole && n == 1 && g.one(2) { // a table alone, its columns perhaps too
		t := pick(g, g.tables...)
		src := t.source(t.name)
		if g.queries == 0 {
			src.alias = pick(g, "", t.name)
		}
		s.sources = []source{src}
		return both("%s", t.name), s, sql{}
	}
	first, src, with := g.item(whole)
	s.sources = []source{src}
	if g.wide {
		if whole && g.one(3) {
			first = g.equalJoin(first, s)
		}
		return first, s, with
	}
	from = first
	if n == 3 && g.one(4) {
		return g.nested(first, s), s, with
	}
	comma := g.one(5)
	for range n - 1 {
		item, src, _ := g.item(false)
		if comma {
			from = join("%s, %s", from, item)
			s.sources = append(s.sources, src)
			continue
		}
		from = g.joined(from, item, s, src)
	}
	return from, s, with
}

// item is a table or a query.
func (g *generator) item(mayName bool) (item sql, src source, with sql) {
	alias := g.alias()
	if len(g.named) > 0 && g.one(4) {
		src = pick(g, g.named...)
		name := src.alias
		src.alias = alias
		return both("%s AS %s", name, alias), src, sql{}
	}
	if g.queries == 0 || g.one(2) {
		t := pick(g, g.tables...)
		return both("%s "+pick(g, "AS ", "")+"%s", t.name, alias), t.source(alias), sql{}
	}
	g.queries--
	k := g.someKinds()
	cond := g.inCond
	g.inCond = false
	var q sql
	g.inside(nil, func() {
		q = g.body(k, nil)
		if g.one(6) {
			q = join("%s "+pick(g, "UNION", "UNION ALL")+" %s", q, g.body(k, nil))
		}
	})
	g.inCond = cond
	outputs := g.names(k, false)
	if g.one(4) {
		var s statement
		order := g.byOutputs(&s, outputs)
		q = join("%s ORDER BY %s", q, list(order, ", "))
		if len(s.order) == len(outputs) {
			q = join("%s LIMIT %s", q, both("%d", g.IntN(8)))
		}
	}
	src = source{alias: alias, columns: outputs}
	if mayName && g.one(2) {
		g.named = append(g.named, source{alias: "c" + alias, columns: outputs})
		return both("c%s AS %s", alias, alias), src, join("WITH c"+alias+" AS (%s) ", q)
	}
	return join("(%s) AS %s", q, both("%s", alias)), src, sql{}
}

// nested joins first with a join of two others.
func (g *generator) nested(first sql, s *scope) sql {
	item, src, _ := g.item(false)
	inner := &scope{sources: []source{src}, outer: s.outer}
	item2, src2, _ := g.item(false)
	right := g.joined(item, item2, inner, src2)
	left := s.sources
	s.sources = append(slices.Clip(left), inner.sources...)
	on := g.onEqual(left, pick(g, inner.sources...))
	if on.ours == "" {
		g.inside(s, func() { on = g.cond(1) })
	}
	return join("%s "+pick(g, "JOIN", "LEFT JOIN", "RIGHT JOIN")+" (%s) ON %s", first, right, on)
}

// joined joins one more source, and adds it to the scope.
func (g *generator) joined(from, item sql, s *scope, src source) sql {
	kind := pick(g, "JOIN", "INNER JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "CROSS JOIN")
	left := *s
	s.sources = append(s.sources, src)
	if kind == "CROSS JOIN" {
		return join("%s CROSS JOIN %s", from, item)
	}
	var on sql
	if common := commonColumns(left.sources, src); common != nil && len(left.sources) == 1 && g.one(3) {
		if g.one(4) {
			return join("%s NATURAL "+kind+" %s", from, item)
		}
		return join("%s "+kind+" %s USING (%s)", from, item, both("%s", pick(g, common...).name))
	}
	g.inside(s, func() {
		cond := g.inCond
		g.inCond = true
		on = g.onEqual(left.sources, src)
		if on.ours == "" || g.one(4) {
			more := g.cond(1)
			if on.ours == "" {
				on = more
			} else {
				on = join("%s AND %s", on, join("(%s)", more))
			}
		}
		g.inCond = cond
	})
	return join("%s "+kind+" %s ON %s", from, item, on)
}

// onEqual gives an equality of a column of the left side with one of the right, of the same kind.
func (g *generator) onEqual(left []source, right source) sql {
	for range 8 {
		l := pick(g, left...)
		a, b := pick(g, l.columns...), pick(g, right.columns...)
		if a.kind == b.kind {
			op := sql{"=", "="}
			if g.one(10) {
				op = sql{"<=>", "IS"}
			}
			return join("%s %s %s", l.column(a), op, right.column(b))
		}
	}
	return sql{}
}

// commonColumns gives the columns that both sides have, by name.
func commonColumns(left []source, right source) []column {
	var common []column
	for _, l := range left {
		for _, a := range l.columns {
			for _, b := range right.columns {
				if a.name == b.name && a.kind == b.kind {
					common = append(common, a)
				}
			}
		}
	}
	return common
}

// equalJoin joins a second table by equality, for tables that are too large for anything else.
func (g *generator) equalJoin(first sql, s *scope) sql {
	t := pick(g, g.tables...)
	alias := g.alias()
	src := t.source(alias)
	on := g.onEqual(s.sources, src)
	if on.ours == "" {
		return first
	}
	s.sources = append(s.sources, src)
	return join("%s "+pick(g, "JOIN", "LEFT JOIN", "RIGHT JOIN")+" %s ON %s", first, both("%s AS %s", t.name, alias), on)
}
