package sqlite

// expr gives an expression of a kind.
func (g *generator) expr(k kind, depth int) sql {
	if depth <= 0 || g.flat || g.one(3) || g.defining && (k == date || k == moment) {
		return g.leaf(k)
	}
	switch g.IntN(9) {
	case 0:
		return join("CASE WHEN %s THEN %s ELSE %s END", g.cond(depth-1), g.expr(k, depth-1), g.expr(k, depth-1))
	case 1:
		return join(pick(g, "COALESCE", "IFNULL")+"(%s, %s)", g.expr(k, depth-1), g.expr(k, depth-1))
	case 2:
		return join("NULLIF(%s, %s)", g.expr(k, depth-1), g.expr(k, depth-1))
	case 3:
		if g.queries > 0 {
			return g.scalarQuery(k)
		}
	case 4:
		return g.choice(k, depth)
	}
	switch k {
	case number:
		return g.numberExpr(depth)
	case text:
		return g.textExpr(depth)
	case word:
		return g.wordExpr(depth)
	case float:
		return g.floatExpr(depth)
	case decimal:
		return g.decimalExpr(depth)
	case boolean:
		if g.one(3) {
			return join("(NOT (%s))", g.cond(depth-1))
		}
		return join("(%s)", g.simpleCond(kind(g.IntN(int(kinds))), depth-1))
	case date:
		return g.dateExpr(depth)
	}
	return g.momentExpr(depth)
}

// leaf is a column or a constant.
func (g *generator) leaf(k kind) sql {
	if !g.one(4) {
		if c, ok := g.column(k); ok {
			return c
		}
	}
	if g.one(30) {
		if k == number { // NULL + 1 is a DOUBLE, which has no room for all numbers
			return sql{"CAST(NULL AS SIGNED)", "NULL"}
		}
		return both("NULL")
	}
	return g.literal(k)
}

// choice picks one of several values.
func (g *generator) choice(k kind, depth int) sql {
	switch g.IntN(3) {
	case 0:
		of := kind(g.IntN(int(kinds)))
		return join("CASE %s WHEN %s THEN %s WHEN %s THEN %s END",
			g.leaf(of), g.expr(of, 0), g.expr(k, depth-1), g.expr(of, 0), g.leaf(k))
	case 1:
		return join2("IF(%s, %s, %s)", "iif(%s, %s, %s)", g.cond(depth-1), g.expr(k, depth-1), g.expr(k, depth-1))
	}
	if g.one(2) {
		return join2("GREATEST(%s, %s)", "max(%s, %s)", g.expr(k, depth-1), g.expr(k, depth-1))
	}
	return join2("LEAST(%s, %s)", "min(%s, %s)", g.expr(k, depth-1), g.expr(k, depth-1))
}

// arithmetic is what all kinds of numbers know.
func (g *generator) arithmetic(k kind, depth int) sql {
	a := g.expr(k, depth-1)
	switch g.IntN(5) {
	case 0:
		return join("(%s + %s)", a, g.expr(k, depth-1))
	case 1:
		return join("(%s - %s)", a, g.expr(k, depth-1))
	case 2:
		return join("(%s * %s)", a, both("%d", g.IntN(5)-2))
	case 3:
		return join("(- %s)", a)
	}
	return join("ABS(%s)", a)
}

func (g *generator) numberExpr(depth int) sql {
	if g.defining { // SQLite wants no dates there
		return g.arithmetic(number, depth)
	}
	switch g.IntN(16) {
	case 0:
		return join2("(%s DIV NULLIF(%s, 0))", "(%s / NULLIF(%s, 0))", g.expr(number, depth-1), g.expr(number, depth-1))
	case 1:
		return join("(%s %% NULLIF(%s, 0))", g.expr(number, depth-1), g.expr(number, depth-1))
	case 2:
		return join2("CHAR_LENGTH(%s)", "length(%s)", g.expr(text, depth-1))
	case 3:
		return join2("LENGTH(%s)", "length(CAST(%s AS BLOB))", g.expr(text, depth-1))
	case 4:
		return join("INSTR(%s, %s)", g.expr(text, depth-1), g.expr(text, depth-1))
	case 5:
		part := pick(g, sql{"YEAR", "%Y"}, sql{"MONTH", "%m"}, sql{"DAY", "%d"}, sql{"DAYOFYEAR", "%j"})
		return join2("%s(%[2]s)", "CAST(strftime('%[1]s', %[2]s) AS INTEGER)", part, g.expr(date, depth-1))
	case 6:
		part := pick(g, sql{"YEAR", "%Y"}, sql{"HOUR", "%H"}, sql{"MINUTE", "%M"}, sql{"SECOND", "%S"})
		return join2("%s(%[2]s)", "CAST(strftime('%[1]s', %[2]s) AS INTEGER)", part, g.expr(moment, depth-1))
	case 7:
		return join2("DATEDIFF(%s, %s)", "CAST(julianday(%s) - julianday(%s) AS INTEGER)", g.expr(date, depth-1), g.expr(date, depth-1))
	case 8:
		return join("SIGN(%s)", g.expr(pick(g, number, float, decimal), depth-1))
	case 9:
		return join2("CAST(ABS(%s) & ABS(%s) AS SIGNED)", "(ABS(%s) & ABS(%s))", g.expr(number, 0), g.expr(number, 0))
	case 10:
		return join2("FLOOR(%s)", "CAST(floor(%s) AS INTEGER)", g.expr(decimal, depth-1))
	case 11:
		return join2("CAST(CEILING(%s) AS SIGNED)", "CAST(ceil(%s) AS INTEGER)", g.expr(float, depth-1))
	}
	return g.arithmetic(number, depth)
}

func (g *generator) floatExpr(depth int) sql {
	return g.arithmetic(float, depth)
}

func (g *generator) decimalExpr(depth int) sql {
	switch g.IntN(8) {
	case 0:
		return join2("CAST(%s %% 1000000 AS DECIMAL(20,2))", "(%s %% 1000000)", g.expr(number, depth-1))
	case 1:
		return join("ROUND(%s)", g.expr(decimal, depth-1))
	case 2:
		return join2("TRUNCATE(%s, 0)", "CAST(%s AS INTEGER)", g.expr(decimal, depth-1))
	}
	return g.arithmetic(decimal, depth)
}

func (g *generator) textExpr(depth int) sql {
	a := g.expr(text, depth-1)
	switch g.IntN(9) {
	case 0:
		return join2("CONCAT(%s, %s)", "(%s || %s)", a, g.expr(text, depth-1))
	case 1:
		return join("SUBSTR(%s, %s)", a, both("%d", 1+g.IntN(3)))
	case 2:
		return join(pick(g, "SUBSTR", "SUBSTRING")+"(%s, %s, %s)", a, both("%d", 1+g.IntN(3)), both("%d", g.IntN(3)))
	case 3:
		return join2("LEFT(%s, %s)", "substr(%s, 1, %s)", a, both("%d", g.IntN(4)))
	case 4:
		n := 1 + g.IntN(4)
		return join2("RIGHT(%[1]s, %[2]s)", "substr(%[1]s, max(1, length(%[1]s) - %[2]s + 1))", a, both("%d", n))
	case 5:
		return join("REPLACE(%s, %s, %s)", a, constant(text, g.draw(text)), constant(word, g.draw(word)))
	case 6:
		return join(pick(g, "TRIM(%s)", "LTRIM(%s)", "RTRIM(%s)"), a)
	case 7:
		return join2("CAST(%s AS CHAR)", "CAST(%s AS TEXT)", g.expr(number, depth-1))
	}
	if g.defining {
		return a
	}
	return join2("DATE_FORMAT(%s, '%%Y/%%m.%%d')", "strftime('%%Y/%%m.%%d', %s)", g.expr(date, depth-1))
}

func (g *generator) wordExpr(depth int) sql {
	if c, ok := g.column(folded); ok && g.one(2) {
		return join2("LOWER(%s) COLLATE utf8mb4_bin", "LOWER(%s)", c)
	}
	return join(pick(g, "UPPER(%s)", "LOWER(%s)", "SUBSTR(%s, 2)", "TRIM(%s)"), g.expr(word, depth-1))
}

func (g *generator) dateExpr(depth int) sql {
	days := both("%d", g.IntN(70)-35)
	switch g.IntN(4) {
	case 0:
		return join2("DATE_ADD(%s, INTERVAL %s DAY)", "date(%s, '%s days')", g.expr(date, depth-1), days)
	case 1:
		return join2("(%s + INTERVAL %s DAY)", "date(%s, '%s days')", g.expr(date, depth-1), days)
	case 2:
		return join2("DATE(%s)", "date(%s)", g.expr(moment, depth-1))
	}
	return join2("LAST_DAY(%s)", "date(%s, 'start of month', '+1 month', '-1 day')", g.expr(date, depth-1))
}

func (g *generator) momentExpr(depth int) sql {
	unit := pick(g, "HOUR", "MINUTE", "DAY")
	return join2(pick(g, "DATE_ADD(%s, INTERVAL %s "+unit+")", "(%s + INTERVAL %s "+unit+")"),
		"datetime(%s, '%s "+unit+"s')", g.expr(moment, depth-1), both("%d", g.IntN(40)-20))
}

// storable gives an expression whose value fits into a column of the kind.
func (g *generator) storable(k kind) sql {
	switch k {
	case number, float, decimal:
		if g.one(2) {
			return g.leaf(k)
		}
		return join("CASE WHEN ABS(%[1]s) < 1000000000 THEN %[1]s END", g.expr(k, 2))
	case text, word:
		return join2("LEFT(%s, 400)", "substr(%s, 1, 400)", g.expr(k, 2))
	case folded:
		return g.leaf(folded)
	}
	return g.expr(k, 2)
}
