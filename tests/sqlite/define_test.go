package sqlite

import "slices"

// define gives a statement that changes t's definition.
func (g *generator) define(t *table) statement {
	n := g.IntN(6)
	if t.spread != "" {
		n = 3 + g.IntN(2)
	}
	switch n {
	case 0:
		return g.addColumn(t)
	case 1:
		return g.dropColumn(t)
	case 2:
		return g.renameColumn(t)
	case 3:
		if len(t.indexes) > 0 {
			return g.dropIndex(t)
		}
	}
	x, ok := g.newIndex(t)
	if !ok || len(t.indexes) > 4 {
		return g.addColumn(t)
	}
	s := t.createIndex(x)
	s.done = func() { t.add(x) }
	return s
}

func (g *generator) addColumn(t *table) statement {
	c := g.newColumn(t)
	c.check = sql{}
	if c.notNull && c.standard.ours == "" {
		c.standard = constant(c.kind, g.draw(c.kind))
	}
	return statement{
		sql:   join("ALTER TABLE %s ADD COLUMN %s", both("%s", t.name), c.definition()),
		plain: true,
		done:  func() { t.columns = append(t.columns, c) },
	}
}

// used says whether something depends on column i. What a generated column is computed from is not looked for.
func (t *table) used(i int) bool {
	return slices.Contains(t.key, i) || t.columns[i].check.ours != "" ||
		slices.ContainsFunc(t.indexes, func(x index) bool { return slices.Contains(x.parts, i) || slices.Contains(x.copies, i) }) ||
		slices.ContainsFunc(t.columns, func(c column) bool { return c.generated.ours != "" })
}

func (g *generator) dropColumn(t *table) statement {
	i := g.IntN(len(t.columns))
	if t.used(i) || len(t.columns) < 3 {
		return g.addColumn(t)
	}
	return statement{sql: both("ALTER TABLE %s DROP COLUMN %s", t.name, t.columns[i].name), plain: true, done: func() {
		t.columns = slices.Delete(slices.Clone(t.columns), i, i+1)
		shift := func(parts []int) []int {
			out := slices.Clone(parts)
			for j := range out {
				if out[j] > i {
					out[j]--
				}
			}
			return out
		}
		t.key = shift(t.key)
		for j := range t.indexes {
			t.indexes[j].parts, t.indexes[j].copies = shift(t.indexes[j].parts), shift(t.indexes[j].copies)
		}
	}}
}

func (g *generator) renameColumn(t *table) statement {
	i := g.IntN(len(t.columns))
	if t.columns[i].check.ours != "" || slices.ContainsFunc(t.columns, func(c column) bool { return c.generated.ours != "" }) {
		return g.addColumn(t)
	}
	c := t.columns[i]
	name := c.name + "r"
	return statement{sql: both("ALTER TABLE %s RENAME COLUMN %s TO %s", t.name, c.name, name), plain: true, done: func() {
		t.columns = slices.Clone(t.columns)
		t.columns[i].name = name
	}}
}

func (g *generator) dropIndex(t *table) statement {
	i := g.IntN(len(t.indexes))
	x := t.indexes[i]
	return statement{
		sql:   sql{"DROP INDEX " + x.name + " ON " + t.name, "DROP INDEX " + x.name},
		plain: x.unique,
		done: func() {
			t.indexes = slices.Delete(slices.Clone(t.indexes), i, i+1)
			if x.unique {
				t.unique()
			}
		},
	}
}

// unique finds out anew which columns are part of unique keys.
func (t *table) unique() {
	t.columns = slices.Clone(t.columns)
	for i := range t.columns {
		t.columns[i].unique = slices.Contains(t.key, i) || t.columns[i].generated.ours != "" ||
			slices.ContainsFunc(t.indexes, func(x index) bool { return x.unique && slices.Contains(x.parts, i) })
	}
}

// copied makes a table of a query's rows.
func (g *generator) copied() []statement {
	g.aliases, g.named, g.queries, g.params = 0, nil, 0, nil
	k := g.someKinds()
	g.fixed = true
	q := g.body(k, nil)
	g.fixed = false
	return []statement{
		{sql: join("CREATE TABLE made AS %s", q), plain: true},
		{sql: both("SELECT * FROM made"), rows: true, plain: true},
		{sql: both("INSERT INTO made SELECT * FROM made"), plain: true},
		{sql: both("DELETE FROM made WHERE %s0 IS NULL", letters[k[0]]), plain: true, counted: true},
		{sql: both("SELECT COUNT(*), MIN(%[1]s0) FROM made", letters[k[0]]), rows: true, plain: true},
		{sql: both("DROP TABLE made"), plain: true},
	}
}
