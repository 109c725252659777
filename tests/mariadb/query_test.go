package mariadb

// queries asks queries of all other forms: order, groups, joins, subqueries, unions.
func (r *round) queries(n int) {
	for range n {
		r.ran++
		r.settle(r.query().framed())
	}
}

var aggregates = split(`SUM(num)|SUM(int)|SUM(dec)|SUM(dbl)|SUM(text)|AVG(int)|AVG(dec)|AVG(dbl)|AVG(num)|MIN(int)|MIN(any)|MIN(text)|MAX(dec)|MAX(any)|MAX(dt)|MIN(when)|MAX(time)|COUNT(any)|COUNT(DISTINCT any)|
	COUNT(DISTINCT text)|SUM(DISTINCT int)|SUM(bool)|BIT_AND(int)|BIT_OR(int)|BIT_XOR(int)|GROUP_CONCAT(any ORDER BY id)|GROUP_CONCAT(text ORDER BY id SEPARATOR ';')|GROUP_CONCAT(DISTINCT int ORDER BY 1)|
	STDDEV(int)|VARIANCE(int)|STDDEV_SAMP(int)|VAR_SAMP(dec)|VAR_POP(dbl)`)

var orderable = []string{"int", "dec", "dbl", "text", "word", "date", "dt", "time", "bool", "any", "hex"}

// anyColumn gives a column of a random kind.
func (g *generator) anyColumn(of *subject) *node {
	n := leaf(pick(g, of.columns).name)
	n.column = n.words[0]
	return n
}

func (r *round) query() *node {
	g := r.g
	kind := pick(g, orderable)
	switch g.IntN(11) {
	case 0:
		return say("SELECT id FROM t ORDER BY COALESCE(#)"+pick(g, []string{"", " DESC"})+", id", g.expr(kind, 1+g.IntN(2)))
	case 1:
		return say("SELECT id FROM t # ORDER BY #"+pick(g, []string{"", " DESC"})+", id#", r.where(), g.anyColumn(r.subject).framed(), leaf(pick(g, []string{"", " LIMIT 2", " LIMIT 3 OFFSET 1"})).perhaps())
	case 2:
		return say("SELECT MIN(id), COUNT(*), # FROM t # GROUP BY COALESCE(#) ORDER BY MIN(id)", r.aggregates(), r.where(), g.expr(kind, g.IntN(3)))
	case 3:
		return say("SELECT # FROM t #", r.aggregates(), r.where())
	case 4:
		return say("SELECT MIN(id), COUNT(*) FROM t GROUP BY # HAVING # ORDER BY MIN(id)", g.anyColumn(r.subject).framed(), say("# "+g.comparison()+" #", g.shape(pick(g, aggregates), "int", 1).framed(), g.literal("any")).framed())
	case 5, 6:
		return say("SELECT id, r_id FROM t "+pick(g, []string{"JOIN", "LEFT JOIN"})+" t2 ON # "+g.comparison()+" ## ORDER BY id, r_id",
			g.anyColumn(r.subject), g.anyColumn(r.other), say(" AND #", g.expr("bool", 1)).perhaps())
	case 7:
		return say("SELECT id FROM t WHERE # "+pick(g, []string{"IN", "NOT IN", "= ANY", "> ALL", "< ANY", "<> ALL"})+" (SELECT # FROM t2#) ORDER BY id", g.anyColumn(r.subject), g.anyColumn(r.other),
			say(" WHERE # "+g.comparison()+" #", g.anyColumn(r.other), g.literal("any")).perhaps())
	case 8:
		return say("SELECT id FROM t WHERE "+pick(g, []string{"", "NOT "})+"EXISTS (SELECT 1 FROM t2 WHERE # "+g.comparison()+" #) ORDER BY id", g.anyColumn(r.subject), g.anyColumn(r.other))
	case 9:
		return say("SELECT id, (SELECT "+pick(g, []string{"MIN", "MAX", "COUNT", "SUM"})+"(#) FROM t2 WHERE # "+g.comparison()+" #) FROM t ORDER BY id", g.anyColumn(r.other), g.anyColumn(r.subject), g.anyColumn(r.other))
	}
	return say("SELECT # UNION ALL SELECT #", g.literal(kind), g.expr(pick(g, orderable), 0))
}

func (g *generator) comparison() string {
	return pick(g, []string{"=", "=", "=", "<", "<=", ">", ">=", "<>", "<=>"})
}

func (r *round) where() *node {
	if r.g.one(2) {
		return leaf("").framed()
	}
	return say("WHERE #", r.g.expr("bool", 1+r.g.IntN(2))).perhaps()
}

func (r *round) aggregates() *node {
	var all []*node
	for range 1 + r.g.IntN(4) {
		all = append(all, r.g.shape(pick(r.g, aggregates), "int", 1+r.g.IntN(2)).framed())
	}
	return listOf(all...)
}
