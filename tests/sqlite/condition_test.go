package sqlite

import "strings"

// cond gives a condition.
func (g *generator) cond(depth int) sql {
	if depth > 0 {
		switch g.IntN(9) {
		case 0, 1:
			return join("(%s AND %s)", g.cond(depth-1), g.cond(depth-1))
		case 2:
			return join("(%s OR %s)", g.cond(depth-1), g.cond(depth-1))
		case 3:
			return join("NOT (%s)", g.cond(depth-1))
		case 4:
			return g.logic(depth)
		}
	}
	if g.queries > 0 && g.one(4) {
		return g.subqueryCond()
	}
	if g.one(4) {
		if c, ok := g.indexCond(); ok {
			return c
		}
	}
	if g.one(8) && !g.defining {
		if c, ok := g.foldedCond(); ok {
			return c
		}
	}
	if g.one(12) && !g.defining {
		return g.tupleCond()
	}
	return g.simpleCond(kind(g.IntN(int(kinds))), depth)
}

// logic is what conditions and their three values are made into.
func (g *generator) logic(depth int) sql {
	switch g.IntN(4) {
	case 0:
		return join2("(%s XOR %s)", "((NOT (%s)) <> (NOT (%s)))", g.cond(depth-1), g.cond(depth-1))
	case 1:
		return join(pick(g, "(%s) IS TRUE", "(%s) IS NOT TRUE", "(%s) IS FALSE", "(%s) IS NOT FALSE", "(%s) IS NULL"), g.cond(depth-1))
	case 2:
		return g.leaf(pick(g, number, float, decimal, boolean))
	}
	return join("NOT %s", g.leaf(pick(g, number, float, decimal, boolean)))
}

// left is the left side of a comparison: most times a column, for the sake of keys and indexes.
func (g *generator) left(k kind, depth int) sql {
	if !g.one(3) {
		if c, ok := g.column(k); ok {
			return c
		}
	}
	return g.expr(k, depth-1)
}

// right is the right side: most times a constant.
func (g *generator) right(k kind, depth int) sql {
	if g.one(2) {
		return g.argument(k)
	}
	if k == number || k == float || k == decimal {
		if g.one(4) && !g.flat { // another kind of number
			return g.expr(pick(g, number, float, decimal), depth-1)
		}
	}
	return g.expr(k, depth-1)
}

func (g *generator) simpleCond(k kind, depth int) sql {
	x := g.left(k, depth)
	not := both("%s", pick(g, "", "", "NOT "))
	switch g.IntN(10) {
	case 0:
		var all []sql
		for range 1 + g.IntN(4) {
			if g.one(12) {
				all = append(all, both("NULL"))
			} else {
				all = append(all, g.right(k, 0))
			}
		}
		return join("%s %sIN (%s)", x, not, list(all, ", "))
	case 1, 2:
		return join("%s %sBETWEEN %s AND %s", x, not, g.right(k, 0), g.right(k, 0))
	case 3:
		return join("%s IS %sNULL", x, not)
	case 4:
		return join2("%s <=> %s", "(%s) IS (%s)", x, g.right(k, depth))
	case 5, 6:
		if (k == text || k == word) && !g.defining {
			return g.like(x, not)
		}
	}
	op := pick(g, "=", "<>", "<", "<=", ">", ">=", "=", "!=")
	return join("%s "+op+" %s", x, g.right(k, depth))
}

func (g *generator) like(x, not sql) sql {
	pattern := pick(g, texts[:25]...) + pick(g, "%", "%", "", "_", "%b%")
	if g.one(4) {
		pattern = "%" + pattern
	}
	if g.one(5) {
		return join("%s %sLIKE %s ESCAPE '|'", x, not, constant(text, strings.ReplaceAll(pattern, "_", "|_")))
	}
	return join("%s %sLIKE %s", x, not, constant(text, pattern))
}

// indexCond is about the columns of a key or an index, as those who made it would ask: values of the first ones,
// a range of the next, or all that is behind a row.
func (g *generator) indexCond() (sql, bool) {
	from, parts := g.index()
	var conds, columns, values []sql
	for i, p := range parts {
		c := from.columns[p]
		x := from.column(c)
		if c.kind == folded {
			break
		}
		columns, values = append(columns, x), append(values, g.argument(c.kind))
		switch {
		case i < len(parts)-1 && g.one(2):
			conds = append(conds, join("%s = %s", x, g.argument(c.kind)))
		case g.one(3):
			conds = append(conds, join("%s IN (%s, %s, %s)", x, g.argument(c.kind), g.argument(c.kind), g.argument(c.kind)))
		case g.one(3):
			conds = append(conds, join("(%s > %s AND %s <= %s)", x, g.argument(c.kind), x, g.argument(c.kind)))
		case g.one(3):
			conds = append(conds, join("(%s < %s OR %s >= %s OR %s IS NULL)", x, g.argument(c.kind), x, g.argument(c.kind), x))
		case g.one(2) && (c.kind == text || c.kind == word):
			conds = append(conds, join("%s LIKE %s", x, constant(text, pick(g, "a%", "Sm%", "a_", "k%", "%", "", "日%", "😀%", "a!%"))))
		default:
			conds = append(conds, join("%s "+pick(g, "=", "<", ">", "<=", ">=", "<>")+" %s", x, g.argument(c.kind)))
		}
	}
	if len(columns) > 1 && g.one(4) {
		return join("(%s) "+pick(g, ">", "<", ">=", "<=", "=")+" (%s)", list(columns, ", "), list(values, ", ")), true
	}
	if len(conds) == 0 {
		return sql{}, false
	}
	return join("(%s)", list(conds, pick(g, " AND ", " AND ", " AND ", " OR "))), true
}

// foldedCond is about a COLLATE nocase column.
func (g *generator) foldedCond() (sql, bool) {
	c, ok := g.column(folded)
	if !ok {
		return sql{}, false
	}
	not := both("%s", pick(g, "", "", "NOT "))
	switch g.IntN(5) {
	case 0:
		return join("%s %sIN (%s, %s)", c, not, g.literal(folded), g.literal(folded)), true
	case 1:
		return join("%s %sBETWEEN %s AND %s", c, not, g.literal(folded), g.literal(folded)), true
	case 2:
		pattern := constant(text, pick(g, "sm%", "a%", "SMITH%", "%b", "a_", "Ab"))
		return join2("%s %sLIKE %s", "LOWER(%s) %sLIKE LOWER(%s)", c, not, pattern), true
	case 3:
		return join("%s IS %sNULL", c, not), true
	}
	return join("%s "+pick(g, "=", "<>", "<", ">=", "=")+" %s", c, g.literal(folded)), true
}

// tupleCond compares rows.
func (g *generator) tupleCond() sql {
	k := []kind{kind(g.IntN(int(kinds))), kind(g.IntN(int(kinds)))}
	left := join("(%s, %s)", g.left(k[0], 0), g.left(k[1], 0))
	row := func() sql { return join("(%s, %s)", g.expr(k[0], 0), g.expr(k[1], 0)) }
	if g.one(2) {
		not := both("%s", pick(g, "", "NOT "))
		return join2("%s %sIN (%s, %s)", "%s %sIN (VALUES %s, %s)", left, not, row(), row())
	}
	return join("%s "+pick(g, "=", "<>", "<", "<=", ">", ">=")+" %s", left, row())
}

// subqueryCond asks another query.
func (g *generator) subqueryCond() sql {
	not := both("%s", pick(g, "", "NOT "))
	switch g.IntN(4) {
	case 0:
		return join("%sEXISTS (%s)", not, g.subquery([]kind{number}, true))
	case 1:
		k := []kind{kind(g.IntN(int(kinds))), kind(g.IntN(int(kinds)))}
		return join("(%s, %s) %sIN (%s)", g.left(k[0], 0), g.left(k[1], 0), not, g.subquery(k, g.one(2)))
	case 2:
		k := kind(g.IntN(int(kinds)))
		return join("%s "+pick(g, "=", "<", ">=", "<>")+" %s", g.left(k, 0), g.scalarQuery(k))
	}
	k := kind(g.IntN(int(kinds)))
	return join("%s %sIN (%s)", g.left(k, 1), not, g.subquery([]kind{k}, g.one(2)))
}
