package sqlite

import (
	"fmt"
	"slices"
	"strings"
)

// write gives a statement that changes t.
func (g *generator) write(t *table) statement {
	g.aliases, g.named, g.queries, g.params = 0, nil, 0, nil
	var s statement
	switch g.IntN(14) {
	case 0, 1, 2:
		n := 1 + g.IntN(4)
		if t.spread != "" { // rows of several partitions are written on their own
			n = 1
		}
		s = g.insert(t, n)
	case 3:
		s = g.insertRows(t, "INSERT IGNORE", "INSERT OR IGNORE")
	case 4:
		s = g.insertRows(t, "REPLACE", "REPLACE")
	case 5:
		s = g.upsert(t)
	case 6:
		if s = g.insert(t, 1); t.spread == "" {
			s = g.insertQuery(t)
		}
	case 7:
		s = g.rekey(t)
	case 8, 9, 10:
		s = g.update(t)
	case 11:
		s = g.updateByQuery(t)
	default:
		if s = g.remove(t); g.one(20) && !g.held { // TRUNCATE ends a transaction
			s = statement{sql: sql{pick(g, "TRUNCATE TABLE ", "DELETE FROM ") + t.name, "DELETE FROM " + t.name}}
			s.params, g.params = nil, nil
		}
	}
	s.plain, s.params = true, g.params
	return s
}

// value gives a column's value for INSERT.
func (g *generator) value(c column) sql {
	if g.one(25) || !c.notNull && g.one(4) {
		return both("NULL")
	}
	if c.standard.ours != "" && g.one(6) {
		return sql{"DEFAULT", c.standard.lite}
	}
	return constant(c.kind, g.draw(c.kind))
}

// given picks the columns that an INSERT names: most times all that can be.
func (g *generator) given(t *table) []column {
	var all []column
	for _, c := range t.columns {
		if c.generated.ours == "" && (c.notNull && c.standard.ours == "" || !g.one(12)) {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		all = t.columns[:1]
	}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func columnList(columns []column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

func (g *generator) row(columns []column) sql {
	var values []sql
	for _, c := range columns {
		values = append(values, g.value(c))
	}
	return join("(%s)", list(values, ", "))
}

func (g *generator) insert(t *table, n int) statement {
	columns := g.given(t)
	var rows []sql
	for range n {
		rows = append(rows, g.row(columns))
	}
	s := statement{sql: join("INSERT INTO %s (%s) VALUES %s", both("%s", t.name), both("%s", columnList(columns)), list(rows, ", ")), counted: true}
	return g.returning(s, t)
}

// fill inserts many rows, those that are there already left out.
func (g *generator) fill(t *table, n int) statement {
	var columns []column
	for _, c := range t.columns {
		if c.generated.ours == "" {
			columns = append(columns, c)
		}
	}
	var rows []sql
	for range n {
		var values []sql
		for _, c := range columns {
			v := constant(c.kind, g.draw(c.kind))
			if !c.notNull && g.one(5) {
				v = both("NULL")
			}
			values = append(values, v)
		}
		rows = append(rows, join("(%s)", list(values, ", ")))
	}
	return statement{plain: true, sql: join2("INSERT IGNORE INTO %s (%s) VALUES %s", "INSERT OR IGNORE INTO %s (%s) VALUES %s",
		both("%s", t.name), both("%s", columnList(columns)), list(rows, ", "))}
}

// insertRows is an INSERT of rows that may be there, one after the other. NULL in a NOT NULL column is another
// matter for IGNORE.
func (g *generator) insertRows(t *table, ours, lite string) statement {
	columns := g.given(t)
	rows := make([]sql, 1)
	if t.spread == "" {
		rows = make([]sql, 1+g.IntN(3))
	}
	for i := range rows {
		var values []sql
		for _, c := range columns {
			v := g.value(c)
			if c.notNull {
				v = constant(c.kind, g.draw(c.kind))
			}
			values = append(values, v)
		}
		rows[i] = join("(%s)", list(values, ", "))
	}
	return statement{sql: join2(ours+" INTO %s (%s) VALUES %s", lite+" INTO %s (%s) VALUES %s",
		both("%s", t.name), both("%s", columnList(columns)), list(rows, ", "))}
}

// upsert changes the row that is there. Of several, MySQL takes that of the primary key, then those of the unique
// indexes in their order; SQLite takes them in the order that is written.
func (g *generator) upsert(t *table) statement {
	c, ok := g.changeable(t)
	if !ok || t.key == nil {
		return g.insert(t, 1)
	}
	s := g.insertRows(t, "INSERT", "INSERT")
	if g.one(3) { // as SQLite writes it
		s.sql = join("%s ON CONFLICT (%s) ", s.sql, both("%s", t.names(t.key)))
		if g.one(3) {
			s.sql = join("%sDO NOTHING", s.sql)
			return s
		}
		s.sql = join("%sDO UPDATE SET %s", s.sql, both("%[1]s = excluded.%[1]s", c.name))
		if g.one(3) {
			g.inside(&scope{sources: []source{t.source(t.name)}}, func() {
				s.sql = join("%s WHERE %s", s.sql, g.simpleCond(number, 0))
			})
		}
		return s
	}
	var lite []string
	targets := [][]int{t.key}
	for _, x := range t.indexes {
		if x.unique {
			targets = append(targets, x.parts)
		}
	}
	for _, parts := range targets {
		lite = append(lite, fmt.Sprintf("ON CONFLICT (%s) DO UPDATE SET %[2]s = excluded.%[2]s", t.names(parts), c.name))
	}
	s.ours += fmt.Sprintf(" ON DUPLICATE KEY UPDATE %[1]s = VALUES(%[1]s)", c.name)
	s.lite += " " + strings.Join(lite, " ")
	return s
}

// insertQuery fills a table from a query; rows that are there already make it fail, or are left out.
func (g *generator) insertQuery(t *table) (s statement) {
	columns := g.given(t)
	from, scope, _ := g.from(nil, false)
	g.inside(scope, func() {
		key := g.key()
		if key == nil { // perhaps too many rows for one entity group transaction
			s = g.insert(t, 1)
			return
		}
		var exprs []sql
		for _, c := range columns {
			x := g.storable(c.kind)
			if c.notNull {
				x = join("COALESCE(%s, %s)", x, constant(c.kind, g.draw(c.kind)))
			}
			if c.unique && !g.wide && c.kind == number {
				x = both("%d", g.IntN(40))
			}
			exprs = append(exprs, x)
		}
		s.sql = join("INSERT INTO %s (%s) SELECT %s FROM %s%s ORDER BY %s LIMIT %s",
			both("%s", t.name), both("%s", columnList(columns)), list(exprs, ", "), from, g.where(), list(key, ", "), both("%d", 1+g.IntN(4)))
	})
	s.counted = true
	return s
}

// changeable gives a column that is in no unique key: which of several rows is first to meet a unique value is
// not the same everywhere.
func (g *generator) changeable(t *table) (column, bool) {
	for _, i := range g.Perm(len(t.columns)) {
		if c := t.columns[i]; !c.unique {
			return c, true
		}
	}
	return column{}, false
}

// rowWhere picks one row by its key.
func (g *generator) rowWhere(t *table) sql {
	var parts []sql
	for _, k := range t.key {
		parts = append(parts, join("%s = %s", both("%s", t.columns[k].name), constant(t.columns[k].kind, g.draw(t.columns[k].kind))))
	}
	return list(parts, " AND ")
}

// rekey changes unique columns of one row.
func (g *generator) rekey(t *table) statement {
	if t.key == nil {
		return g.update(t)
	}
	for _, i := range g.Perm(len(t.columns)) {
		if c := t.columns[i]; c.unique && c.generated.ours == "" {
			return g.returning(statement{sql: join("UPDATE %s SET %s = %s WHERE %s",
				both("%s", t.name), both("%s", c.name), g.value(column{kind: c.kind, notNull: c.notNull}), g.rowWhere(t))}, t)
		}
	}
	return g.update(t)
}

// assignments set one column or two, whose values do not depend on one another.
func (g *generator) assignments(t *table) (sql, bool) {
	first, ok := g.changeable(t)
	if !ok {
		return sql{}, false
	}
	set := []column{first}
	if second, _ := g.changeable(t); second.name != first.name && g.one(3) {
		set = append(set, second)
	}
	from := t.source(t.name)
	from.indexes = nil // they count all columns
	from.columns = slices.DeleteFunc(slices.Clone(from.columns), func(c column) bool { return len(set) > 1 && c.name == set[0].name })
	if len(set) > 1 { // what is computed may be computed from what is set
		from.columns = slices.DeleteFunc(from.columns, func(c column) bool { return c.generated.ours != "" })
	}
	var all []sql
	g.inside(&scope{sources: []source{from}}, func() {
		for _, c := range set {
			x := g.storable(c.kind)
			if c.notNull {
				x = join("COALESCE(%s, %s)", x, constant(c.kind, g.draw(c.kind)))
			}
			if g.one(30) {
				x = both("NULL")
			}
			all = append(all, join2("%[3]s.%[1]s = %[2]s", "%[1]s = %[2]s", both("%s", c.name), x, both("%s", t.name)))
		}
	})
	return list(all, ", "), true
}

func (g *generator) update(t *table) (s statement) {
	set, ok := g.assignments(t)
	if !ok {
		return g.remove(t)
	}
	g.inside(&scope{sources: []source{t.source(t.name)}}, func() {
		g.queries = g.IntN(2)
		where := g.othersOnly(t, g.where)
		if key := g.key(); key != nil && g.one(4) {
			tail := join("%s ORDER BY %s LIMIT %s", where, list(g.someOrder(key), ", "), both("%d", g.IntN(4)))
			s.sql = join2("UPDATE %[1]s SET %[2]s%[3]s", "UPDATE %[1]s SET %[2]s WHERE rowid IN (SELECT rowid FROM %[1]s%[3]s)",
				both("%s", t.name), set, tail)
			return
		}
		s = g.returning(statement{sql: join("UPDATE %s SET %s%s", both("%s", t.name), set, where)}, t)
	})
	return s
}

func (g *generator) someOrder(key []sql) []sql {
	var order []sql
	for range g.IntN(2) {
		order = append(order, join("%s%s", g.orderExpr(), g.direction()))
	}
	for _, c := range key {
		order = append(order, join("%s%s", c, g.direction()))
	}
	return order
}

// othersOnly runs f with no queries over t itself, which a statement that writes it must not read.
func (g *generator) othersOnly(t *table, f func() sql) sql {
	all := g.tables
	g.tables = slices.DeleteFunc(slices.Clone(all), func(o *table) bool { return o == t })
	if len(g.tables) == 0 {
		g.queries = 0
	}
	q := f()
	g.tables, g.queries = all, 0
	return q
}

func (g *generator) remove(t *table) (s statement) {
	g.inside(&scope{sources: []source{t.source(t.name)}}, func() {
		if g.wide || g.one(8) {
			s.sql = join("DELETE FROM %s WHERE %s", both("%s", t.name), g.simpleCond(pick(g, number, text, date), 0))
		} else {
			g.queries = g.IntN(2)
			where := g.othersOnly(t, func() sql {
				g.inCond = true
				defer func() { g.inCond = false }()
				return join("(%s) AND %s", g.cond(1), g.simpleCond(kind(g.IntN(int(kinds))), 1))
			})
			if key := g.key(); key != nil && g.one(4) {
				tail := join("WHERE %s ORDER BY %s LIMIT %s", where, list(g.someOrder(key), ", "), both("%d", g.IntN(4)))
				s.sql = join2("DELETE FROM %[1]s %[2]s", "DELETE FROM %[1]s WHERE rowid IN (SELECT rowid FROM %[1]s %[2]s)", both("%s", t.name), tail)
				return
			}
			s.sql = join("DELETE FROM %s WHERE %s", both("%s", t.name), where)
		}
		s.counted = t.spread == "" // what goes with a whole partition is not counted
		s = g.returning(s, t)
	})
	return s
}

// updateByQuery changes or deletes the rows that have a partner in another table.
func (g *generator) updateByQuery(t *table) (s statement) {
	other := pick(g, g.tables...)
	if other == t {
		return g.update(t)
	}
	left, right := t.source(t.name), other.source("x1")
	g.aliases = 1
	on := g.onEqual([]source{left}, right)
	if on.ours == "" {
		return g.update(t)
	}
	var more sql
	g.inside(&scope{sources: []source{left, right}}, func() { more = g.cond(1) })
	names := []sql{both("%s", t.name), both("%s", other.name), on, more}
	if s, ok := g.updateFrom(t, other); ok && g.one(3) {
		return s
	}
	if g.one(2) {
		return statement{counted: t.spread == "", sql: join2("DELETE %[1]s FROM %[1]s JOIN %[2]s x1 ON %[3]s WHERE %[4]s",
			"DELETE FROM %[1]s WHERE EXISTS (SELECT 1 FROM %[2]s x1 WHERE %[3]s AND (%[4]s))", names...)}
	}
	set, ok := g.assignments(t)
	if !ok {
		return g.remove(t)
	}
	return statement{sql: join2("UPDATE %[1]s JOIN %[2]s x1 ON %[3]s SET %[5]s WHERE %[4]s",
		"UPDATE %[1]s SET %[5]s WHERE EXISTS (SELECT 1 FROM %[2]s x1 WHERE %[3]s AND (%[4]s))", append(names, set)...)}
}

// updateFrom sets a column to a value of another table's row: of the one that has the key.
func (g *generator) updateFrom(t, other *table) (statement, bool) {
	set, ok := g.changeable(t)
	if !ok || other.key == nil {
		return statement{}, false
	}
	on := make([]sql, len(other.key))
	for i, k := range other.key {
		g.inside(&scope{sources: []source{t.source(t.name)}}, func() {
			on[i] = join("x1.%s = %s", both("%s", other.columns[k].name), g.left(other.columns[k].kind, 0))
		})
	}
	var x sql
	g.inside(&scope{sources: []source{other.source("x1"), t.source(t.name)}}, func() { x = g.storable(set.kind) })
	if set.notNull {
		x = join("COALESCE(%s, %s)", x, constant(set.kind, g.draw(set.kind)))
	}
	return statement{sql: join2("UPDATE %[1]s JOIN %[2]s x1 ON %[4]s SET %[1]s.%[3]s = %[5]s",
		"UPDATE %[1]s SET %[3]s = %[5]s FROM %[2]s x1 WHERE %[4]s",
		both("%s", t.name), both("%s", other.name), both("%s", set.name), list(on, " AND "), x)}, true
}

// returning adds RETURNING now and then.
func (g *generator) returning(s statement, t *table) statement {
	if !g.one(4) {
		return s
	}
	g.inside(&scope{sources: []source{{columns: t.columns}}}, func() {
		s.sql = join("%s RETURNING %s, %s", s.sql, both("%s", t.columns[0].name), g.expr(kind(g.IntN(int(kinds))), 1))
	})
	s.rows = true
	return s
}
