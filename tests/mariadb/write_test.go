package mariadb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// written is a table that statements write to, with what it held last.
type written struct {
	name    string
	declare string
	columns []writtenColumn
	rows    [][]cell
}

type writtenColumn struct{ name, kind string }

// writtenTables are the tables that statements write to.
var writtenTables = []written{
	{name: "w1", declare: "id INT PRIMARY KEY AUTO_INCREMENT, u INT, v VARCHAR(20) DEFAULT 'dflt', n DECIMAL(8,2), g INT AS (u + 1) STORED, UNIQUE KEY (u), KEY (v)",
		columns: []writtenColumn{{"id", "small"}, {"u", "small"}, {"v", "word"}, {"n", "dec"}}},
	{name: "w2", declare: "id INT NOT NULL PRIMARY KEY, ci VARCHAR(20) COLLATE utf8mb4_general_ci, e ENUM('z','a','m') NOT NULL DEFAULT 'a', s SET('x','y','z'), f DOUBLE NOT NULL DEFAULT 1.5, UNIQUE KEY (ci), KEY (e)",
		columns: []writtenColumn{{"id", "small"}, {"ci", "word"}, {"e", "word"}, {"s", "text"}, {"f", "dbl"}}},
	{name: "w3", declare: "a INT, b VARCHAR(10), dt DATETIME(3) DEFAULT '2024-01-31 10:11:12', d DATE, t TIME, bo BOOLEAN NOT NULL DEFAULT TRUE, PRIMARY KEY (a, b), UNIQUE KEY (d), KEY (t)",
		columns: []writtenColumn{{"a", "small"}, {"b", "word"}, {"dt", "dt"}, {"d", "date"}, {"t", "time"}, {"bo", "bool"}}},
	{name: "w4", declare: "id BIGINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, ti TINYINT NOT NULL, c CHAR(4), b BINARY(3), j JSON, x INT NOT NULL DEFAULT 7, KEY (c), UNIQUE KEY (ti, c)",
		columns: []writtenColumn{{"id", "small"}, {"ti", "small"}, {"c", "word"}, {"b", "word"}, {"j", "json"}, {"x", "small"}}},
	{name: "w5", declare: "id INT PRIMARY KEY, bt BIT(4), y YEAR, ts TIMESTAMP NULL, vb VARBINARY(4), g VARCHAR(30) AS (CONCAT(id, '-', y)) VIRTUAL, KEY (bt), UNIQUE KEY (y)",
		columns: []writtenColumn{{"id", "small"}, {"bt", "small"}, {"y", "int"}, {"ts", "dt"}, {"vb", "word"}}},
}

// createWritten makes the tables.
func (r *round) createWritten() {
	for _, w := range writtenTables {
		if r.makes(fmt.Sprintf("CREATE TABLE %s (%s)", w.name, w.declare)) {
			r.written = append(r.written, &w)
		}
	}
}

// writes runs n statements that write, each on what the one before left.
func (r *round) writes(n int) {
	if len(r.written) == 0 {
		return
	}
	w := pick(r.g, r.written)
	for range n {
		r.ran++
		r.write(w)
	}
}

func (r *round) write(w *written) {
	if len(w.rows) > 12 || r.g.one(40) {
		r.refill(w, nil)
	}
	statement := r.g.write(w)
	before := w.rows
	f := r.change(statement.text(), w.state())
	if f == nil {
		w.rows = r.theirs.query(w.state()).rows
		if strings.Contains(w.declare, "AUTO_INCREMENT") {
			r.refill(w, w.rows) // which numbers a statement leaves out is left to the server
		}
		return
	}
	last := *f
	try := func() bool {
		r.refill(w, before)
		g := r.change(statement.text(), w.state())
		if !g.shows(f) {
			return false
		}
		last = *g
		return true
	}
	w.describe(&last, before)
	if r.skips(&last) {
		r.refill(w, nil)
		return
	}
	if try() {
		reduce(statement, nil, try)
		dropColumns(statement, try)
		for i := 0; i < len(before); { // rows that do not matter
			all := before
			before = append(append([][]cell{}, all[:i]...), all[i+1:]...)
			if !try() {
				before = all
				i++
			}
		}
		w.describe(&last, before)
	}
	r.add(last)
	r.refill(w, nil)
}

// describe says what a statement that writes to w stands on.
func (w *written) describe(f *finding, rows [][]cell) {
	f.setup = fmt.Sprintf("(%s) with %s: ", w.declare, answer{read: true, rows: rows})
	f.of = ""
	for _, c := range columnsOf.FindAllStringSubmatch(w.declare, -1) {
		if regexp.MustCompile(`\b` + c[1] + `\b`).MatchString(f.text) {
			f.of += c[2] + ": "
		}
	}
}

// columnsOf finds the columns of a declaration, and their types.
var columnsOf = regexp.MustCompile(`(?:^|, )([a-z]+) ([A-Z]+(?:\([^)]*\))?(?: UNSIGNED)?)`)

// dropColumns leaves out the columns of an INSERT that do not matter.
func dropColumns(insert *node, keep func() bool) {
	if len(insert.kids) != 3 || !insert.kids[0].together {
		return
	}
	of := append([]*node{insert.kids[0]}, insert.kids[1].kids...)
	for i := 0; i < len(of[0].kids) && len(of[0].kids) > 1; {
		var old []node
		for _, n := range of {
			old = append(old, *n)
			n.kids = slices.Delete(slices.Clone(n.kids), i, i+1)
			n.words = slices.Delete(slices.Clone(n.words), 1, 2)
		}
		if keep() {
			continue
		}
		for j, n := range of {
			*n = old[j]
		}
		i++
	}
}

// state reads what a table holds.
func (w *written) state() string {
	return fmt.Sprintf("SELECT * FROM %s ORDER BY 1, 2", w.name)
}

// refill makes the table anew, with these rows. IGNORE keeps what IGNORE has stored: the empty member of an ENUM, a generated
// value that was cut.
func (r *round) refill(w *written, rows [][]cell) {
	w.rows = rows
	all := []string{"TRUNCATE TABLE " + w.name}
	var names []string
	for _, c := range w.columns {
		names = append(names, c.name)
	}
	for _, row := range rows {
		values := make([]string, len(names))
		for i := range names {
			values[i] = quoted(row[i].text)
			if names[i] == "bt" && row[i].text != "NULL" {
				values[i] = row[i].text
			}
		}
		all = append(all, fmt.Sprintf("INSERT IGNORE INTO %s (%s) VALUES (%s)", w.name, strings.Join(names, ", "), strings.Join(values, ", ")))
	}
	for _, text := range all {
		for _, s := range []*side{r.theirs, r.ours, r.bare} {
			if a := s.exec(text); a.err != nil {
				r.add(finding{seed: r.seed, what: s.name + " does not take back what it gave", setup: w.declare + ": ", text: text, ours: a})
			}
		}
	}
}

func quoted(text string) string {
	if text == "NULL" || strings.HasPrefix(text, "0x") {
		return text
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''", "\x00", `\0`).Replace(text) + "'"
}

// write is a statement that writes to w.
func (g *generator) write(w *written) *node {
	g.columns = map[string][]string{}
	defer func(all map[string][]string) { g.columns = all }(g.home)
	switch g.IntN(10) {
	case 0, 1, 2, 3:
		return g.insert(w)
	case 4, 5:
		g.columns = w.byKind()
		return say("UPDATE "+pick(g, []string{"", "", "IGNORE "})+w.name+" SET ###", g.assignments(w), g.whereOf(w), g.limitOf(w)).framed()
	case 6:
		g.columns = w.byKind()
		return say("DELETE FROM "+w.name+"##", g.whereOf(w), g.limitOf(w)).framed()
	}
	return g.insert(w)
}

func (w *written) byKind() map[string][]string {
	m := map[string][]string{}
	for _, c := range w.columns {
		m[c.kind] = append(m[c.kind], c.name)
	}
	m["int"] = append(m["int"], m["small"]...)
	return m
}

func (g *generator) whereOf(w *written) *node {
	c := pick(g, w.columns)
	if g.one(5) {
		return leaf("").framed()
	}
	if g.one(3) {
		return say(" WHERE #", g.expr("bool", 1)).perhaps()
	}
	return say(" WHERE "+c.name+" "+g.comparison()+" #", g.literal(c.kind)).perhaps()
}

func (g *generator) limitOf(w *written) *node {
	if g.one(2) {
		return leaf("").framed()
	}
	return leaf(fmt.Sprintf(" ORDER BY %s%s, %s, %s LIMIT %d", pick(g, w.columns).name, pick(g, []string{"", " DESC"}), w.columns[0].name, w.columns[1].name, 1+g.IntN(3))).perhaps()
}

func (g *generator) assignments(w *written) *node {
	var all []*node
	for range 1 + g.IntN(2) {
		c := pick(g, w.columns)
		all = append(all, say(c.name+" = #", g.stored(c)).framed())
	}
	return listOf(all...)
}

// stored is an expression for a column, mostly of its kind.
func (g *generator) stored(c writtenColumn) *node {
	switch {
	case g.one(8):
		return leaf("DEFAULT")
	case g.one(8):
		return g.literal("any")
	case g.one(3):
		return g.expr(c.kind, 1)
	}
	return g.literal(c.kind)
}

func (g *generator) insert(w *written) *node {
	verb := pick(g, []string{"INSERT", "INSERT", "INSERT", "INSERT IGNORE", "INSERT IGNORE", "REPLACE"})
	columns := w.columns
	if g.one(2) {
		columns = columns[:1+g.IntN(len(columns))]
	}
	if g.one(4) && len(columns) > 1 {
		columns = columns[1:]
	}
	var names []*node
	for _, c := range columns {
		names = append(names, leaf(c.name).framed())
	}
	var rows []*node
	for range 1 + g.IntN(3) {
		var values []*node
		for _, c := range columns {
			values = append(values, g.stored(c))
		}
		rows = append(rows, tuple(values))
	}
	update := leaf("").framed()
	if verb != "REPLACE" && g.one(3) {
		g.columns = w.byKind()
		update = say(" ON DUPLICATE KEY UPDATE #", g.upserts(w, columns)).perhaps()
	}
	return say(verb+" INTO "+w.name+" # VALUES ##", tuple(names), listOf(rows...), update).framed()
}

func (g *generator) upserts(w *written, given []writtenColumn) *node {
	var all []*node
	for range 1 + g.IntN(2) {
		c := pick(g, w.columns[1:])
		value := g.stored(c)
		if g.one(2) {
			value = leaf("VALUES(" + pick(g, given).name + ")")
		}
		all = append(all, say(c.name+" = #", value).framed())
	}
	return listOf(all...)
}

// warnings are the numbers of the last statement's warnings, each once: how often depends on when a server converts a value.
func (s *side) warnings() string {
	a := s.query("SHOW WARNINGS")
	if a.err != nil {
		return a.err.Error()
	}
	var all []string
	for _, row := range a.rows {
		if row[0].text != "Note" {
			all = append(all, row[1].text)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}
