package sqlite

import (
	"fmt"
	"slices"
	"strings"
)

// where gives a WHERE clause over the scope, or nothing.
func (g *generator) where() sql {
	if g.one(6) {
		return sql{}
	}
	g.inCond = true
	defer func() { g.inCond = false }()
	if g.one(5) { // by key
		from := pick(g, g.scope.sources...)
		var parts []sql
		for _, name := range from.key {
			for _, c := range from.columns {
				if c.name == name {
					parts = append(parts, join("%s = %s", from.column(c), g.literal(c.kind)))
				}
			}
		}
		if parts != nil {
			return join(" WHERE %s", list(parts, " AND "))
		}
	}
	if from := g.scope.sources; len(from) > 1 && g.one(4) { // as joins were written once
		var parts []sql
		for i := 1; i < len(from); i++ {
			if on := g.onEqual(from[:i], from[i]); on.ours != "" {
				parts = append(parts, on)
			}
		}
		parts = append(parts, g.simpleCond(kind(g.IntN(int(kinds))), 1))
		return join(" WHERE %s", list(parts, " AND "))
	}
	return join(" WHERE %s", g.cond(2))
}

// names gives outputs of the kinds. Those of queries in FROM are named as tables' columns, for NATURAL and USING;
// those of the whole otherwise, as ORDER BY finds them before columns.
func (g *generator) names(k []kind, whole bool) []column {
	var all []column
	for i, k := range k {
		name := fmt.Sprintf("%s%d", letters[k], i)
		if whole {
			name = fmt.Sprintf("o%d", i)
		}
		all = append(all, column{name: name, kind: k})
	}
	return all
}

func (g *generator) someKinds() []kind {
	var all []kind
	for range 1 + g.IntN(3) {
		all = append(all, kind(g.IntN(int(kinds))))
	}
	return all
}

// query gives a whole query.
func (g *generator) query() statement {
	g.aliases, g.named, g.queries, g.params = 0, nil, g.IntN(4), nil
	if g.wide {
		g.queries = min(g.queries, 1)
	}
	var s statement
	switch {
	case g.one(8):
		s = g.union()
	case g.one(3):
		s = g.grouped()
	default:
		s = g.plain()
	}
	s.rows, s.plain, s.params = true, true, g.params
	return s
}

func positions(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// plain is a SELECT of rows, in some order.
func (g *generator) plain() (s statement) {
	from, scope, with := g.from(nil, true)
	g.inside(scope, func() {
		k := g.someKinds()
		outputs := g.names(k, true)
		var exprs []sql
		for i, k := range k {
			e := g.expr(k, 2)
			if g.one(2) {
				e = join("%s AS %s", e, both("%s", outputs[i].name))
			} else {
				outputs[i].name = fmt.Sprint(i + 1)
			}
			exprs = append(exprs, e)
		}
		if c, ok := g.column(folded); ok && g.one(8) {
			exprs = append(exprs, c)
			outputs = append(outputs, column{name: fmt.Sprint(len(outputs) + 1)})
			k = append(k, folded)
		}
		distinct := ""
		if g.one(6) && !slices.Contains(k, folded) {
			distinct = "DISTINCT "
		}
		items := list(exprs, ", ")
		merged := strings.Contains(from.ours, " USING ") || strings.Contains(from.ours, " NATURAL ")
		if src := pick(g, scope.sources...); distinct == "" && src.alias != "" && !merged && g.one(12) {
			for _, c := range src.columns {
				outputs = append(outputs, column{name: fmt.Sprint(len(outputs) + 1)})
				k = append(k, c.kind)
			}
			items = join("%s, %s.*", items, both("%s", src.alias))
		}
		s.sql = join("%sSELECT "+distinct+"%s FROM %s%s", with, items, from, g.where())
		if g.one(2) {
			return
		}
		var order []sql
		key := g.key()
		switch {
		case distinct == "" && key != nil && !g.one(4):
			order = g.indexOrder()
			for range g.IntN(3) {
				order = append(order, join("%s%s", g.orderExpr(), g.direction()))
			}
			for _, c := range key {
				order = append(order, join("%s%s", c, g.direction()))
			}
			s.order = positions(len(outputs))
		case !slices.Contains(k, folded):
			order = g.byOutputs(&s, outputs)
		default:
			return
		}
		s.sql = join("%s ORDER BY %s", s.sql, list(order, ", "))
		g.limit(&s, len(outputs))
	})
	return s
}

// indexOrder is the order of a key or an index, forwards or backwards, now and then.
func (g *generator) indexOrder() []sql {
	if g.one(2) {
		return nil
	}
	var order []sql
	direction := g.direction()
	from, parts := g.index()
	for _, p := range parts {
		order = append(order, join("%s%s", from.column(from.columns[p]), direction))
	}
	return order
}

// orderExpr is something to order by that is not in the select list; a constant would be a position.
func (g *generator) orderExpr() sql {
	k := kind(g.IntN(int(kinds) + 1))
	if c, ok := g.column(k); ok && (k == folded || g.one(2)) {
		return c
	}
	if k == folded {
		k = number
	}
	return join("COALESCE(%s, %s)", g.expr(k, 1), g.expr(k, 0))
}

func (g *generator) direction() sql { return both("%s", pick(g, "", "", " ASC", " DESC", " DESC")) }

// byOutputs orders by some of the outputs, or by all, so that LIMIT has one answer.
func (g *generator) byOutputs(s *statement, outputs []column) []sql {
	var order []sql
	places := g.Perm(len(outputs))
	if g.one(3) {
		places = places[:1+g.IntN(len(places))]
	}
	for _, i := range places {
		name := outputs[i].name
		if g.one(3) {
			name = fmt.Sprint(i + 1)
		}
		order = append(order, join("%s%s", both("%s", name), g.direction()))
	}
	s.order = places
	return order
}

// limit adds LIMIT where the order decides all.
func (g *generator) limit(s *statement, width int) {
	if len(s.order) < width || g.one(2) {
		return
	}
	n := g.IntN(6)
	switch offset := g.IntN(4); g.IntN(4) {
	case 0:
		s.sql = join("%s LIMIT %s", s.sql, both("%d", n))
	case 3:
		p := param{name: "limit", kind: number, values: []any{int64(0), int64(1), int64(3), int64(100)}}
		g.params = append(g.params, p)
		s.sql = join("%s LIMIT :limit", s.sql)
	case 1:
		s.sql = join("%s LIMIT %s OFFSET %s", s.sql, both("%d", n), both("%d", offset))
	case 2:
		s.sql = join("%s LIMIT %s, %s", s.sql, both("%d", offset), both("%d", n))
	}
}

// aggregate gives an aggregate of the kind over the scope, or of a number.
func (g *generator) aggregate(k kind) sql {
	outer := g.scope.outer
	queries := g.queries
	g.scope.outer, g.queries = nil, 0
	defer func() { g.scope.outer, g.queries = outer, queries }()
	switch g.IntN(3) {
	case 0:
		return join(pick(g, "MIN", "MAX")+"(%s)", g.expr(k, 1))
	case 1:
		if c, ok := g.column(k); ok {
			return join(pick(g, "MIN", "MAX")+"(%s)", c)
		}
	}
	of := g.expr(kind(g.IntN(int(kinds))), 1)
	if g.flat && (k == number || k == float || k == decimal) {
		if k == number {
			return join("COUNT(%s)", of)
		}
		return join("MAX(%s)", g.expr(k, 1))
	}
	distinct := pick(g, "", "", "DISTINCT ")
	switch k {
	case number:
		switch g.IntN(4) {
		case 0:
			return both("COUNT(*)")
		case 1, 2:
			return join("COUNT("+distinct+"%s)", of)
		}
		return join("SUM("+distinct+"%s %% 1000000007)", g.expr(number, 1)) // SQLite's sums can overflow
	case float, decimal:
		return join("SUM("+distinct+"%s)", g.expr(k, 1))
	}
	return join(pick(g, "MIN", "MAX")+"(%s)", g.expr(k, 1))
}

// top gives an aggregate for the select list of the whole alone, as its digits differ.
func (g *generator) top() sql {
	switch g.IntN(3) {
	case 0:
		return join2("AVG(%s %% 1000)", "ROUND(AVG(%s %% 1000), 4)", g.leaf(number))
	case 1:
		return join2("AVG(CAST(%s AS DECIMAL(20,2)))", "ROUND(AVG(%s), 6)", g.leaf(decimal))
	}
	return join2("GROUP_CONCAT(%[1]s ORDER BY %[1]s SEPARATOR '-')", "group_concat(%[1]s, '-' ORDER BY %[1]s)", g.expr(boolean, 1))
}

// grouped is a SELECT of groups.
func (g *generator) grouped() (s statement) {
	from, scope, with := g.from(nil, true)
	g.inside(scope, func() {
		core, outputs := g.groups(from, g.someKinds(), true)
		s.sql = join("%s%s", with, core)
		if g.one(2) {
			return
		}
		s.sql = join("%s ORDER BY %s", s.sql, list(g.byOutputs(&s, outputs), ", "))
		g.limit(&s, len(outputs))
	})
	return s
}

// groups gives a SELECT with GROUP BY, or one group over all: the outputs are of the kinds given.
func (g *generator) groups(from sql, k []kind, top bool) (sql, []column) {
	outputs := g.names(k, top)
	var exprs, by []sql
	all := g.one(3)
	for i, k := range k {
		name := both("%s", outputs[i].name)
		if !all && (i == 0 || g.one(2)) {
			e := g.groupExpr(k)
			exprs = append(exprs, join("%s AS %s", e, name))
			by = append(by, pick(g, e, e, both("%d", i+1)))
			continue
		}
		exprs = append(exprs, join("%s AS %s", g.aggregate(k), name))
	}
	if top && !g.flat && g.one(3) {
		exprs = append(exprs, join("%s AS a9", g.top()))
		outputs = append(outputs, column{name: "a9"})
	}
	q := join("SELECT %s FROM %s%s", list(exprs, ", "), from, g.where())
	if len(by) > 0 {
		q = join("%s GROUP BY %s", q, list(by, ", "))
	}
	if g.one(3) {
		k := pick(g, number, text, date)
		having := join("%s "+pick(g, "<", ">", "=", "<>")+" %s", g.aggregate(k), g.literal(k))
		if top && g.queries > 0 && g.one(3) {
			left := g.aggregate(k)
			g.inside(nil, func() { having = join("%s "+pick(g, "<", ">", "=", "<>")+" %s", left, g.scalarQuery(k)) })
		}
		if g.one(2) {
			having = join("(%s OR %s)", having, both("COUNT(*) > %d", g.IntN(3)))
		}
		q = join("%s HAVING %s", q, having)
	}
	return q, outputs
}

// groupExpr is something to group by: of the scope alone, and no constant, which would be a position.
func (g *generator) groupExpr(k kind) sql {
	outer, queries := g.scope.outer, g.queries
	g.scope.outer, g.queries = nil, 0
	defer func() { g.scope.outer, g.queries = outer, queries }()
	if c, ok := g.column(k); ok && g.one(2) {
		return c
	}
	return join("COALESCE(%s, %s)", g.expr(k, 1), g.expr(k, 0))
}

// union is two or three queries, one after the other.
func (g *generator) union() (s statement) {
	k := g.someKinds()
	outputs := g.names(k, false)
	s.sql = g.body(k, nil)
	operators := []string{"UNION", "UNION ALL", "EXCEPT", "INTERSECT"}
	for range 1 + g.IntN(2) {
		s.sql = join("%s "+pick(g, operators...)+" %s", s.sql, g.body(k, nil))
		operators = operators[:3] // INTERSECT goes before the others; SQLite takes them from left to right
	}
	if g.one(2) {
		return s
	}
	s.sql = join("%s ORDER BY %s", s.sql, list(g.byOutputs(&s, outputs), ", "))
	g.limit(&s, len(outputs))
	return s
}

// body gives a SELECT without order whose columns are of the kinds, named by names.
func (g *generator) body(k []kind, outer *scope) (q sql) {
	if g.one(20) { // of no table
		g.inside(&scope{outer: outer}, func() {
			var exprs []sql
			for i, c := range g.names(k, false) {
				exprs = append(exprs, join("%s AS %s", g.expr(k[i], 1), both("%s", c.name)))
			}
			q = join("SELECT %s", list(exprs, ", "))
		})
		return q
	}
	from, scope, _ := g.from(outer, false)
	g.inside(scope, func() {
		if g.one(4) {
			q, _ = g.groups(from, k, false)
			return
		}
		outputs := g.names(k, false)
		var exprs []sql
		for i, k := range k {
			if c, ok := g.column(k); ok && g.one(3) {
				exprs = append(exprs, join("%s AS %s", c, both("%s", outputs[i].name)))
				continue
			}
			exprs = append(exprs, join("%s AS %s", g.expr(k, 1), both("%s", outputs[i].name)))
		}
		q = join("SELECT "+pick(g, "", "", "", "DISTINCT ")+"%s FROM %s%s", list(exprs, ", "), from, g.where())
	})
	return q
}

// subquery gives a query for a condition; correlated: it may name what is around it.
func (g *generator) subquery(k []kind, correlated bool) sql {
	g.queries--
	cond := g.inCond
	defer func() { g.inCond = cond }()
	g.inCond = false
	var outer *scope
	if correlated {
		outer = g.scope
	}
	return g.body(k, outer)
}

// scalarQuery gives a query of one value.
func (g *generator) scalarQuery(k kind) (q sql) {
	g.queries--
	cond := g.inCond
	defer func() { g.inCond = cond }()
	g.inCond = false
	var outer *scope
	if g.one(2) {
		outer = g.scope
	}
	t := pick(g, g.tables...)
	alias := g.alias()
	from := both("%s AS %s", t.name, alias)
	g.inside(&scope{sources: []source{t.source(alias)}, outer: outer}, func() {
		key := g.key()
		if key == nil || g.one(2) {
			q = join("(SELECT %s FROM %s%s)", g.aggregate(k), from, g.where())
			return
		}
		q = join("(SELECT %s FROM %s%s ORDER BY %s LIMIT 1)", g.expr(k, 1), from, g.where(), list(key, ", "))
	})
	return q
}
