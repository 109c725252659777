package sqlite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// kind is what a column or an expression holds.
type kind int

const (
	number kind = iota
	text
	word // text of ASCII letters, for functions that SQLite knows for these alone
	float
	decimal
	boolean
	date
	moment
	kinds
	folded = kinds // a COLLATE nocase column, which only some clauses use
)

// types are the kinds' types, ours and SQLite's, whose affinities must not change what is stored.
var types = [...]sql{
	number:  {"BIGINT", "BIGINT"},
	text:    {"VARCHAR(900)", "TEXT"},
	word:    {"VARCHAR(900)", "TEXT"},
	float:   {"DOUBLE", "REAL"},
	decimal: {"DECIMAL(20,2)", "REAL"},
	boolean: {"BOOL", "INTEGER"},
	date:    {"DATE", "TEXT"},
	moment:  {"DATETIME", "TEXT"},
	folded:  {"VARCHAR(40) COLLATE nocase", "TEXT COLLATE NOCASE"},
}

var letters = [...]string{number: "n", text: "s", word: "w", float: "f", decimal: "p", boolean: "b", date: "d", moment: "m", folded: "i"}

type column struct {
	name      string
	kind      kind
	notNull   bool
	unique    bool // part of a unique key: only changed one row at a time
	generated sql  // the expression that it is computed from
	standard  sql  // the default
	check     sql
}

type index struct {
	name   string
	unique bool
	parts  []int
	how    []string // by part: a prefix's length, the direction; ours alone
	copies []int    // INCLUDE: ordinals; ours alone
	bare   bool     // COPY KEYS; ours alone
}

// table is a random table. Its key may be empty.
type table struct {
	name    string
	columns []column
	key     []int
	indexes []index
	spread  string // PARTITION BY …; ours alone
	made    int    // columns and indexes so far, for new names
}

// generator makes statements over its tables.
type generator struct {
	*rand.Rand
	tables []*table
	wide   bool // many different values
	held   bool // in a transaction
	flat   bool // values at the ends of their types, which nothing can be added to

	scope   *scope
	aliases int      // so far in the statement
	named   []source // the queries of WITH
	queries int      // how many more may stand in the statement
	inCond  bool     // parameters may stand here
	fixed   bool     // but not in definitions
	// defining: of a generated column, for which SQLite knows no lists of rows
	defining bool
	params   []param // of the statement
}

// one is true once in n times.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	g.wide, g.flat = seed%8 == 5, seed%8 == 3
	for i := range 1 + g.IntN(3) {
		g.tables = append(g.tables, g.newTable(fmt.Sprintf("t%d", i)))
	}
	return g
}

func (g *generator) newTable(name string) *table {
	t := &table{name: name}
	for range 3 + g.IntN(5) {
		t.columns = append(t.columns, g.newColumn(t))
	}
	if !g.one(10) {
		t.key = []int{0}
		if g.one(3) {
			t.key = []int{0, 1}
		}
		for _, k := range t.key {
			c := &t.columns[k]
			if c.kind == boolean || c.kind == folded || g.wide {
				c.kind = number
			}
			c.notNull, c.unique, c.standard, c.check = true, true, sql{}, sql{}
			c.name = fmt.Sprintf("%s%d", letters[c.kind], k)
		}
	}
	if t.key != nil && g.one(6) {
		t.spread = g.spread(t)
	}
	for range g.IntN(4) {
		if x, ok := g.newIndex(t); ok {
			t.add(x)
		}
	}
	if g.one(4) {
		t.columns = append(t.columns, g.newGenerated(t))
	}
	return t
}

func (g *generator) newColumn(t *table) column {
	c := column{kind: kind(g.IntN(int(kinds) + 1)), notNull: g.one(4)}
	if g.one(3) {
		c.kind = pick(g, number, text)
	}
	c.name = fmt.Sprintf("%s%d", letters[c.kind], t.made)
	t.made++
	if g.one(5) {
		c.standard = constant(c.kind, g.draw(c.kind))
	}
	if c.kind == number && g.one(10) {
		c.check = both("%s <> 3", c.name)
	}
	return c
}

func (g *generator) newGenerated(t *table) column {
	g.scope = &scope{sources: []source{{columns: t.columns}}}
	g.defining = true
	defer func() { g.scope, g.defining = nil, false }()
	k := pick(g, number, text, float)
	c := column{name: fmt.Sprintf("%s%d", letters[k], t.made), kind: k, unique: true, generated: g.storable(k)}
	t.made++
	return c
}

func (g *generator) newIndex(t *table) (index, bool) {
	x := index{name: fmt.Sprintf("%s_i%d", t.name, t.made), unique: g.one(5) && t.spread == ""}
	t.made++
	for range 1 + g.IntN(2) {
		p := g.IntN(len(t.columns))
		k := t.columns[p].kind
		if slices.Contains(x.parts, p) || x.unique && k == folded {
			continue
		}
		x.parts = append(x.parts, p)
		how := pick(g, "", "", " DESC")
		if !x.unique && (k == text || k == word) && g.one(4) {
			how = fmt.Sprintf("(%d)", 1+g.IntN(4)) + how
		}
		x.how = append(x.how, how)
	}
	switch {
	case x.unique:
	case g.one(5):
		x.copies = g.Perm(len(t.columns))[:1+g.IntN(2)]
		x.copies = slices.DeleteFunc(x.copies, func(c int) bool { return slices.Contains(x.parts, c) || slices.Contains(t.key, c) })
	case g.one(6):
		x.bare = true
	}
	return x, len(x.parts) > 0
}

// spread divides the table: over partitions, or over physical tables.
func (g *generator) spread(t *table) string {
	c := t.columns[pick(g, t.key...)]
	some := g.Perm(len(t.key))[:1+g.IntN(len(t.key))]
	for i, k := range some {
		some[i] = t.key[k]
	}
	switch {
	case !g.wide && g.one(6):
		return fmt.Sprintf(" PARTITION BY LIST COLUMNS (%s) AUTOMATIC", t.names(some))
	case c.kind == number && g.one(4):
		return fmt.Sprintf(" PARTITION BY RANGE (%s) INTERVAL (%d)", c.name, pick(g, 5, 1000))
	case (c.kind == date || c.kind == moment) && g.one(3):
		return fmt.Sprintf(" PARTITION BY RANGE (%s) INTERVAL (1 %s)", c.name, pick(g, "MONTH", "YEAR", "WEEK"))
	case c.kind == number && g.one(2):
		return fmt.Sprintf(" PARTITION BY RANGE (%s) (PARTITION a VALUES LESS THAN (-3), PARTITION b VALUES LESS THAN (1), PARTITION c VALUES LESS THAN (40), PARTITION d VALUES LESS THAN MAXVALUE)", c.name)
	case c.kind == date && g.one(2):
		return fmt.Sprintf(" PARTITION BY RANGE (YEAR(%s)) (PARTITION a VALUES LESS THAN (2024), PARTITION b VALUES LESS THAN (2025), PARTITION c VALUES LESS THAN MAXVALUE)", c.name)
	case g.one(2):
		return fmt.Sprintf(" PARTITION BY HASH (%s) PARTITIONS %d", t.names(some), 2+g.IntN(4))
	}
	return fmt.Sprintf(" PARTITION BY KEY (%s)", t.names(some))
}

func (t *table) add(x index) {
	t.indexes = append(t.indexes, x)
	if x.unique {
		for _, p := range x.parts {
			t.columns[p].unique = true
		}
	}
}

// directed gives columns, some of them DESC, which SQLite is not told: it is about how rows are stored.
func (t *table) directed(g *generator, parts []int) []string {
	var out []string
	for _, p := range parts {
		out = append(out, t.columns[p].name+pick(g, "", "", " DESC"))
	}
	return out
}

func (t *table) names(parts []int) string {
	var names []string
	for _, p := range parts {
		names = append(names, t.columns[p].name)
	}
	return strings.Join(names, ", ")
}

func (t *table) source(alias string) source {
	s := source{alias: alias, columns: t.columns}
	for _, k := range t.key {
		s.key = append(s.key, t.columns[k].name)
	}
	s.indexes = [][]int{t.key}
	for _, x := range t.indexes {
		s.indexes = append(s.indexes, x.parts)
	}
	return s
}

func (c *column) definition() sql {
	def := join("%s %s", both("%s", c.name), types[c.kind])
	if c.generated.ours != "" {
		return join("%s AS (%s) STORED", def, c.generated)
	}
	if c.notNull {
		def = join("%s NOT NULL", def)
	}
	if c.standard.ours != "" {
		def = join("%s DEFAULT %s", def, c.standard)
	}
	if c.check.ours != "" {
		def = join("%s CHECK (%s)", def, c.check)
	}
	return def
}

// create gives the statements that make the tables.
func (g *generator) create() []statement {
	var all []statement
	for _, t := range g.tables {
		var parts []sql
		for i := range t.columns {
			parts = append(parts, t.columns[i].definition())
		}
		if t.key != nil {
			key := "PRIMARY KEY (" + t.names(t.key) + ")"
			parts = append(parts, sql{"PRIMARY KEY (" + strings.Join(t.directed(g, t.key), ", ") + ")", key})
		}
		create := statement{sql: join("CREATE TABLE "+t.name+" (%s)", list(parts, ", ")), plain: true}
		create.bare = create.ours
		create.ours += t.spread
		all = append(all, create)
		for _, x := range t.indexes {
			all = append(all, t.createIndex(x))
		}
	}
	return all
}

func (t *table) createIndex(x index) statement {
	what := "INDEX"
	if x.unique {
		what = "UNIQUE INDEX"
	}
	s := statement{sql: both("CREATE %s %s ON %s (%s)", what, x.name, t.name, t.names(x.parts)), plain: x.unique}
	var parts []string
	for i, p := range x.parts {
		parts = append(parts, t.columns[p].name+x.how[i])
	}
	s.ours = fmt.Sprintf("CREATE %s %s ON %s (%s)", what, x.name, t.name, strings.Join(parts, ", "))
	switch {
	case len(x.copies) > 0:
		s.ours += " INCLUDE (" + t.names(x.copies) + ")"
	case x.bare:
		s.ours += " COPY KEYS"
	}
	return s
}

var texts = []string{"", "a", "A", "ab", "abc", "aB", "b", "ba", "Smith", "Smith 2", "smith", "Smithe", "x%y", "x_y", "it's", "é", "zürich", "日本", "😀", "a!b", "a/b", "~", " a", "0", "10", "a\\b", "a#?", "a\tb", "\uff9f", "\ue000", "\U0010ffff", "a!", "a\"", "!"}

// words are ASCII; the long ones are cut in keys.
var words = []string{"", "a", "A", "ab", "aB", "Ab", "abc", "ABC", "b", "smith", "Smith", "SMITHE", "zz", long, long + "a", long + "b"}

var long = strings.Repeat("k", 600)

// draw gives a value of a kind: an int64, a float64 (quarters, exact everywhere), a bool or a string.
func (g *generator) draw(k kind) any {
	if g.flat && g.one(2) {
		switch k {
		case number:
			return pick[int64](g, math.MaxInt64, math.MinInt64, math.MaxInt64-1, math.MinInt64+1, 1<<31, -1<<31, 1<<53+1, 0, 1, -1)
		case float:
			return pick(g, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e300, -1e300, 0.1, -0.1, 1<<53, 0)
		case decimal:
			return pick(g, 12345678901234.25, -12345678901234.25, 12345678901234.5, 0.25, -0.25)
		case date:
			return pick(g, "0001-01-01", "9999-12-31", "1969-12-31", "1970-01-01", "2024-02-29")
		case moment:
			return pick(g, "0001-01-01 00:00:00", "9999-12-31 23:59:59", "1969-12-31 23:59:59", "1970-01-01 00:00:00", "2024-02-29 12:00:00")
		}
	}
	switch k {
	case number:
		switch {
		case g.one(20):
			return pick[int64](g, 1000000007, -1000000007, 1<<53+1, -1<<53-1)
		case g.wide:
			return int64(g.IntN(600) - 50)
		}
		return int64(g.IntN(13) - 6)
	case text:
		return pick(g, texts...)
	case word:
		return pick(g, words...)
	case folded:
		return pick(g, words[:13]...)
	case float, decimal:
		if g.one(20) {
			return pick(g, 123456.75, -98765.5)
		}
		return float64(g.IntN(33)-16) / 4
	case boolean:
		return g.one(2)
	case date:
		return fmt.Sprintf("20%02d-%02d-%02d", 23+g.IntN(3), 1+g.IntN(12), 1+g.IntN(28))
	}
	return fmt.Sprintf("20%02d-%02d-%02d %02d:%02d:%02d", 23+g.IntN(3), 1+g.IntN(12), 1+g.IntN(4), pick(g, 0, 9, 23), pick(g, 0, 30), pick(g, 0, 59))
}

// constant gives v as SQL.
func constant(k kind, v any) sql {
	switch v := v.(type) {
	case nil:
		return both("NULL")
	case float64:
		if k == decimal {
			return both("%.2f", v)
		}
		return both("%s", strconv.FormatFloat(v, 'e', -1, 64))
	case string:
		s := strings.ReplaceAll(v, "'", "''")
		return sql{"'" + strings.ReplaceAll(s, "\\", "\\\\") + "'", "'" + s + "'"}
	case bool:
		return both("%s", strings.ToUpper(fmt.Sprint(v)))
	}
	return both("%d", v)
}

// literal gives a constant of the kind, or a parameter where one may stand. There is no Go type of exact
// decimals, and functions of floats round otherwise.
func (g *generator) literal(k kind) sql {
	if k == decimal {
		return constant(k, g.draw(k))
	}
	return g.argument(k)
}

// argument is a literal to compare with.
func (g *generator) argument(k kind) sql {
	if g.inCond && !g.fixed && g.one(4) {
		p := param{name: fmt.Sprintf("p%dx", len(g.params)), kind: k}
		g.params = append(g.params, p)
		return both(":%s", p.name)
	}
	return constant(k, g.draw(k))
}
