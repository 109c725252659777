package sqlite

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// sql is a piece of SQL in both dialects.
type sql struct{ ours, lite string }

func both(format string, args ...any) sql {
	s := fmt.Sprintf(format, args...)
	return sql{s, s}
}

// join formats pieces into one: each %s takes the piece's text of the dialect.
func join(format string, parts ...sql) sql {
	ours, lite := make([]any, len(parts)), make([]any, len(parts))
	for i, p := range parts {
		ours[i], lite[i] = p.ours, p.lite
	}
	return sql{fmt.Sprintf(format, ours...), fmt.Sprintf(format, lite...)}
}

func list(parts []sql, separator string) sql {
	ours, lite := make([]string, len(parts)), make([]string, len(parts))
	for i, p := range parts {
		ours[i], lite[i] = p.ours, p.lite
	}
	return sql{strings.Join(ours, separator), strings.Join(lite, separator)}
}

// kind is what a column or an expression holds.
type kind int

const (
	number kind = iota
	text
	float
)

type column struct {
	name    string
	kind    kind
	notNull bool
	unique  bool // or part of the primary key: only changed one row at a time
}

// table is a random table: a primary key of one or two columns, three to five others, and some indexes.
type table struct {
	name    string
	columns []column
	key     []int
	indexes []string // DDL, without CREATE
	uniques [][]int
}

// generator makes statements for one table.
type generator struct {
	*rand.Rand
	t *table
}

var texts = []string{"", "a", "A", "ab", "abc", "aB", "b", "ba", "Smith", "Smith 2", "smith", "Smithe", "x%y", "x_y", "it''s", "é", "zürich", "日本", "😀", "a!b", "a/b", "~", " a", "0", "10"}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	t := &table{name: "t"}
	for i := range 5 + g.IntN(3) {
		t.columns = append(t.columns, column{name: fmt.Sprintf("c%d", i), kind: kind(g.IntN(3)), notNull: g.IntN(4) == 0})
	}
	t.key = []int{0}
	t.columns[0].kind = kind(g.IntN(2))
	if g.IntN(3) == 0 {
		t.key = []int{0, 1}
		t.columns[1].kind = kind(g.IntN(2))
	}
	for _, k := range t.key {
		t.columns[k].notNull, t.columns[k].unique = true, true
	}
	for i := range g.IntN(4) {
		parts := []int{len(t.key) + g.IntN(len(t.columns)-len(t.key))}
		if g.IntN(2) == 0 {
			if p := g.IntN(len(t.columns)); p != parts[0] {
				parts = append(parts, p)
			}
		}
		unique := ""
		if i == 0 && g.IntN(3) == 0 {
			unique = "UNIQUE "
			t.uniques = append(t.uniques, parts)
			for _, p := range parts {
				t.columns[p].unique = true
			}
		}
		names := make([]string, len(parts))
		for j, p := range parts {
			names[j] = t.columns[p].name
		}
		t.indexes = append(t.indexes, fmt.Sprintf("%sINDEX i%d ON t (%s)", unique, i, strings.Join(names, ", ")))
	}
	g.t = t
	return g
}

// create gives the statements that make the table; plain ones leave out indexes that are not unique.
func (g *generator) create(plain bool) []sql {
	var columns []sql
	for _, c := range g.t.columns {
		def := sql{c.name, c.name}
		switch c.kind {
		case number:
			def = join("%s BIGINT", def)
		case text:
			def = join("%s VARCHAR(40)", def)
		case float:
			def = join("%s DOUBLE", def)
		}
		if c.notNull {
			def = join("%s NOT NULL", def)
		}
		columns = append(columns, def)
	}
	var key []string
	for _, k := range g.t.key {
		key = append(key, g.t.columns[k].name)
	}
	statements := []sql{join(fmt.Sprintf("CREATE TABLE t (%%s, PRIMARY KEY (%s))", strings.Join(key, ", ")), list(columns, ", "))}
	for _, ix := range g.t.indexes {
		if !plain || strings.HasPrefix(ix, "UNIQUE") {
			statements = append(statements, both("CREATE %s", ix))
		}
	}
	return statements
}

func (g *generator) number() string {
	switch g.IntN(12) {
	case 0:
		return "1000000007"
	case 1:
		return "-1000000007"
	}
	return fmt.Sprint(g.IntN(13) - 6)
}

// literal gives a literal of the kind; floats are quarters, exact everywhere.
func (g *generator) literal(k kind) string {
	switch k {
	case number:
		return g.number()
	case text:
		return "'" + texts[g.IntN(len(texts))] + "'"
	}
	return fmt.Sprintf("%d.%se0", g.IntN(9)-4, []string{"0", "5", "25"}[g.IntN(3)])
}

func (g *generator) value(c column) string {
	if !c.notNull && g.IntN(5) == 0 {
		return "NULL"
	}
	return g.literal(c.kind)
}

func (g *generator) row() string {
	values := make([]string, len(g.t.columns))
	for i, c := range g.t.columns {
		values[i] = g.value(c)
	}
	return "(" + strings.Join(values, ", ") + ")"
}

func (g *generator) columnOf(k kind) (column, bool) {
	start := g.IntN(len(g.t.columns))
	for i := range g.t.columns {
		if c := g.t.columns[(start+i)%len(g.t.columns)]; c.kind == k {
			return c, true
		}
	}
	return column{}, false
}

// expr gives an expression of a kind.
func (g *generator) expr(k kind, depth int) sql {
	c, ok := g.columnOf(k)
	choice := g.IntN(10)
	if depth <= 0 || choice < 4 {
		if ok && g.IntN(4) > 0 {
			return both("%s", c.name)
		}
		return both("%s", g.literal(k))
	}
	if choice == 4 {
		return join("CASE WHEN %s THEN %s ELSE %s END", g.cond(depth-1), g.expr(k, depth-1), g.expr(k, depth-1))
	}
	if choice == 5 {
		return join("COALESCE(%s, %s)", g.expr(k, depth-1), g.expr(k, depth-1))
	}
	if choice == 6 {
		return join("NULLIF(%s, %s)", g.expr(k, depth-1), g.expr(k, depth-1))
	}
	if k == text {
		return g.expr(text, depth-1)
	}
	a, b := g.expr(k, depth-1), g.expr(k, depth-1)
	switch g.IntN(6) {
	case 0:
		return join("(%s + %s)", a, b)
	case 1:
		return join("(%s - %s)", a, b)
	case 2:
		return join("(%s * %s)", a, both("%d", g.IntN(5)-2))
	case 3:
		return join("(- %s)", a)
	case 4:
		if k == number {
			return sql{fmt.Sprintf("(%s DIV %s)", a.ours, b.ours), fmt.Sprintf("(%s / %s)", a.lite, b.lite)}
		}
	case 5:
		if k == number {
			return join("(%s %% %s)", a, b)
		}
	}
	return join("ABS(%s)", a)
}

// cond gives a condition.
func (g *generator) cond(depth int) sql {
	k := kind(g.IntN(3))
	if depth > 0 {
		switch g.IntN(6) {
		case 0:
			return join("(%s AND %s)", g.cond(depth-1), g.cond(depth-1))
		case 1:
			return join("(%s OR %s)", g.cond(depth-1), g.cond(depth-1))
		case 2:
			return join("NOT (%s)", g.cond(depth-1))
		}
	}
	x := g.expr(k, depth-1)
	if c, ok := g.columnOf(k); ok && g.IntN(3) > 0 {
		x = both("%s", c.name)
	}
	not := both("%s", []string{"", "", "NOT "}[g.IntN(3)])
	switch g.IntN(9) {
	case 0, 1, 2:
		op := []string{"=", "<>", "<", "<=", ">", ">=", "="}[g.IntN(7)]
		return join("%s "+op+" %s", x, g.expr(k, depth-1))
	case 3:
		var all []sql
		for range 1 + g.IntN(4) {
			if g.IntN(12) == 0 {
				all = append(all, both("NULL"))
			} else {
				all = append(all, g.expr(k, 0))
			}
		}
		return join("%s %sIN (%s)", x, not, list(all, ", "))
	case 4:
		return join("%s %sBETWEEN %s AND %s", x, not, g.expr(k, 0), g.expr(k, 0))
	case 5:
		return join("%s IS %sNULL", x, not)
	case 6:
		y := g.expr(k, depth-1)
		return sql{fmt.Sprintf("%s <=> %s", x.ours, y.ours), fmt.Sprintf("%s IS %s", x.lite, y.lite)}
	case 7:
		t := g.expr(text, 0)
		pattern := texts[g.IntN(len(texts))] + []string{"%", "%", "", "_", "%b%"}[g.IntN(5)]
		if g.IntN(4) == 0 {
			pattern = "%" + pattern
		}
		if g.IntN(5) == 0 {
			return join("%s %sLIKE %s ESCAPE '|'", t, not, both("'%s'", strings.ReplaceAll(pattern, "_", "|_")))
		}
		return join("%s %sLIKE %s", t, not, both("'%s'", pattern))
	}
	return join("%s = %s", x, g.expr(k, 0))
}

// where gives a WHERE clause, or nothing.
func (g *generator) where() sql {
	switch g.IntN(6) {
	case 0:
		return sql{}
	case 1: // by key
		var parts []sql
		for _, i := range g.t.key {
			parts = append(parts, both("%s = %s", g.t.columns[i].name, g.literal(g.t.columns[i].kind)))
		}
		return join(" WHERE %s", list(parts, " AND "))
	}
	return join(" WHERE %s", g.cond(2))
}

// query gives a SELECT; ordered says whether its rows come in one order only.
func (g *generator) query() (q sql, ordered bool) {
	if g.IntN(3) == 0 {
		return g.aggregate()
	}
	var exprs []sql
	for range 1 + g.IntN(3) {
		exprs = append(exprs, g.expr(kind(g.IntN(3)), 2))
	}
	distinct := ""
	if g.IntN(6) == 0 {
		distinct = "DISTINCT "
	}
	q = join("SELECT "+distinct+"%s FROM t%s", list(exprs, ", "), g.where())
	if distinct != "" || g.IntN(2) == 0 {
		return q, false
	}
	var order []sql
	for range g.IntN(3) {
		c := g.t.columns[g.IntN(len(g.t.columns))]
		order = append(order, both("%s%s", c.name, []string{"", " DESC"}[g.IntN(2)]))
	}
	for _, i := range g.t.key {
		order = append(order, both("%s", g.t.columns[i].name))
	}
	q = join("%s ORDER BY %s", q, list(order, ", "))
	if g.IntN(2) == 0 {
		q = join("%s LIMIT %s", q, both("%d", g.IntN(6)))
		if g.IntN(2) == 0 {
			q = join("%s OFFSET %s", q, both("%d", g.IntN(4)))
		}
	}
	return q, true
}

func (g *generator) aggregate() (sql, bool) {
	var exprs []sql
	for range 1 + g.IntN(3) {
		k := kind(g.IntN(3))
		switch g.IntN(5) {
		case 0:
			exprs = append(exprs, both("COUNT(*)"))
		case 1:
			exprs = append(exprs, join("COUNT(%s)", g.expr(k, 1)))
		case 2:
			exprs = append(exprs, join("MIN(%s)", g.expr(k, 1)))
		case 3:
			exprs = append(exprs, join("MAX(%s)", g.expr(k, 1)))
		case 4:
			exprs = append(exprs, join("SUM(%s)", g.expr(number, 1)))
		}
	}
	if g.IntN(4) == 0 {
		exprs = append(exprs, join("COUNT(DISTINCT %s)", g.expr(kind(g.IntN(3)), 1)))
	}
	if g.IntN(2) == 0 {
		return join("SELECT %s FROM t%s", list(exprs, ", "), g.where()), false
	}
	by := g.t.columns[g.IntN(len(g.t.columns))].name
	having := sql{}
	if g.IntN(3) == 0 {
		having = both(" HAVING COUNT(*) > %d", g.IntN(3))
	}
	return join("SELECT "+by+", %s FROM t%s GROUP BY "+by+"%s", list(exprs, ", "), g.where(), having), false
}

// write gives a statement that changes the table.
func (g *generator) write() sql {
	switch g.IntN(8) {
	case 0, 1:
		rows := make([]string, 1+g.IntN(3))
		for i := range rows {
			rows[i] = g.row()
		}
		return both("INSERT INTO t VALUES %s", strings.Join(rows, ", "))
	case 2:
		row := g.row()
		return sql{"INSERT IGNORE INTO t VALUES " + row, "INSERT OR IGNORE INTO t VALUES " + row}
	case 3:
		return both("REPLACE INTO t VALUES %s", g.row())
	case 4:
		c, ok := g.changeable()
		if !ok {
			return g.remove()
		}
		row := g.row()
		return sql{
			fmt.Sprintf("INSERT INTO t VALUES %s ON DUPLICATE KEY UPDATE %s = VALUES(%s)", row, c.name, c.name),
			fmt.Sprintf("INSERT INTO t VALUES %s ON CONFLICT DO UPDATE SET %s = excluded.%s", row, c.name, c.name),
		}
	case 5, 6:
		c, ok := g.changeable()
		if !ok {
			return g.remove()
		}
		x := g.expr(c.kind, 2)
		if c.notNull {
			x = join("COALESCE(%s, %s)", x, both("%s", g.literal(c.kind)))
		}
		return join("UPDATE t SET "+c.name+" = %s%s", x, g.where())
	}
	return g.remove()
}

func (g *generator) remove() sql { return join("DELETE FROM t WHERE %s", g.cond(1)) }

// changeable gives a column that is in no unique key: which of several rows is first to meet a unique value is
// not the same everywhere.
func (g *generator) changeable() (column, bool) {
	start := g.IntN(len(g.t.columns))
	for i := range g.t.columns {
		if c := g.t.columns[(start+i)%len(g.t.columns)]; !c.unique {
			return c, true
		}
	}
	return column{}, false
}
