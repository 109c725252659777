package tests

import (
	"fmt"
	"slices"
	"strings"
)

// given are the columns that an INSERT names.
func (w *twins) given() (columns []int) {
	for i, c := range w.columns {
		if c.made == "" {
			columns = append(columns, i)
		}
	}
	return columns
}

func (w *twins) value(c twinColumn) string {
	if !c.notNull && w.IntN(5) == 0 {
		return "NULL"
	}
	return w.pick(c.values...)
}

func (w *twins) insert(verb string, n int) string {
	var rows []string
	columns := w.given()
	for range n {
		var values []string
		for _, i := range columns {
			values = append(values, w.value(w.columns[i]))
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	return fmt.Sprintf("%s INTO t (%s) VALUES %s", verb, w.names(columns), strings.Join(rows, ", "))
}

// set gives a column that may be set in several rows, and a value; "" where there is none.
func (w *twins) set() (column, value string) {
	for _, i := range w.Perm(len(w.columns)) {
		if c := w.columns[i]; c.made == "" && !slices.Contains(w.unique, i) {
			return c.name, w.value(c)
		}
	}
	return "", ""
}

// change gives a statement that writes.
func (w *twins) change() string {
	n := 1 + w.IntN(4)
	column, value := w.set()
	switch w.IntN(13) {
	case 0:
		return w.insert("INSERT IGNORE", n)
	case 1:
		return w.insert("REPLACE", n)
	case 2:
		return "DELETE FROM t WHERE " + w.where(2, "")
	case 3:
		return fmt.Sprintf("DELETE FROM t WHERE %s ORDER BY %s LIMIT %d", w.where(1, ""), w.order(true), w.IntN(4))
	case 4:
		return fmt.Sprintf("DELETE t FROM t JOIN t AS o ON %s WHERE %s", w.partners(), w.where(1, "o."))
	case 5: // another key for one row
		k := w.unique[w.IntN(len(w.unique))]
		if c := w.columns[k]; c.made == "" {
			var conds []string
			for _, k := range w.key {
				conds = append(conds, w.columns[k].name+" = "+w.pick(w.columns[k].values...))
			}
			return fmt.Sprintf("UPDATE t SET %s = %s WHERE %s", c.name, w.pick(c.values...), strings.Join(conds, " AND "))
		}
	}
	if column == "" {
		return w.insert("INSERT", n)
	}
	switch w.IntN(6) {
	case 0:
		return w.insert("INSERT", n) + fmt.Sprintf(" ON DUPLICATE KEY UPDATE %s = %s", column, w.pick("VALUES("+column+")", value))
	case 1, 2:
		return fmt.Sprintf("UPDATE t SET %s = %s WHERE %s", column, value, w.where(2, ""))
	case 3:
		return fmt.Sprintf("UPDATE t SET %s = %s WHERE %s ORDER BY %s LIMIT %d", column, value, w.where(1, ""), w.order(true), w.IntN(4))
	case 4:
		return fmt.Sprintf("UPDATE t JOIN t AS o ON %s SET t.%s = %s WHERE %s", w.partners(), column, value, w.where(1, "o."))
	}
	return w.insert("INSERT", n)
}

// partners joins t with itself, o: by a column or by the key.
func (w *twins) partners() string {
	columns := w.key
	if w.IntN(2) == 0 {
		columns = []int{w.IntN(len(w.columns))}
	}
	var conds []string
	for _, i := range columns {
		conds = append(conds, fmt.Sprintf("t.%[1]s = o.%[1]s", w.columns[i].name))
	}
	return strings.Join(conds, " AND ")
}

// some gives the columns of a key or an index, or one column.
func (w *twins) some() []int {
	switch n := w.IntN(3); {
	case n == 0 && len(w.indexes) > 0:
		return w.indexes[w.IntN(len(w.indexes))]
	case n < 2:
		return w.key
	}
	return []int{w.IntN(len(w.columns))}
}

// order is one by some columns; total: it leaves no two rows equal.
func (w *twins) order(total bool) string {
	var parts []string
	direction := w.pick("", " DESC")
	add := func(columns []int) {
		for _, c := range columns {
			if w.IntN(5) == 0 {
				direction = w.pick("", " DESC")
			}
			if w.columns[c].sql != "JSON" {
				parts = append(parts, w.columns[c].name+direction)
			}
		}
	}
	if add(w.some()); total || len(parts) == 0 {
		add(w.key)
	}
	return strings.Join(parts, ", ")
}

// where is a condition on the columns, whose names follow prefix.
func (w *twins) where(depth int, prefix string) string {
	if depth > 0 {
		switch w.IntN(6) {
		case 0, 1:
			return w.where(depth-1, prefix) + " AND " + w.where(depth-1, prefix)
		case 2:
			return "(" + w.where(depth-1, prefix) + " OR " + w.where(depth-1, prefix) + ")"
		case 3:
			return "NOT (" + w.where(depth-1, prefix) + ")"
		}
	}
	parts := w.some()
	plain := !slices.ContainsFunc(parts, func(p int) bool { return w.columns[p].sql == "JSON" })
	if len(parts) > 1 && plain && w.IntN(4) == 0 {
		var names []string
		for _, p := range parts {
			names = append(names, prefix+w.columns[p].name)
		}
		row := func() string {
			var values []string
			for _, p := range parts {
				values = append(values, w.pick(w.columns[p].values...))
			}
			return "(" + strings.Join(values, ", ") + ")"
		}
		if w.IntN(3) == 0 {
			return fmt.Sprintf("(%s) IN (%s, %s)", strings.Join(names, ", "), row(), row())
		}
		return fmt.Sprintf("(%s) %s %s", strings.Join(names, ", "), w.pick("<", ">", "<=", ">=", "="), row())
	}
	var conds []string
	for i, p := range parts {
		if i == 0 || w.IntN(3) > 0 {
			conds = append(conds, w.simple(w.columns[p], prefix))
		}
	}
	return strings.Join(conds, " AND ")
}

// simple is a condition on one column.
func (w *twins) simple(c twinColumn, prefix string) string {
	name, v := prefix+c.name, func() string { return w.pick(c.values...) }
	n := w.IntN(10)
	switch {
	case n == 0 || c.sql == "JSON":
		return name + " IS " + w.pick("", "NOT ") + "NULL"
	case n < 3:
		return fmt.Sprintf("%s IN (%s, %s, %s)", name, v(), v(), w.pick(v(), v(), "NULL"))
	case n == 3:
		return fmt.Sprintf("%s %sBETWEEN %s AND %s", name, w.pick("", "", "NOT "), v(), v())
	case n == 4 && c.text:
		return fmt.Sprintf("%s %sLIKE CONCAT(LEFT(%s, %d), '%s')", name, w.pick("", "", "NOT "), v(), w.IntN(4), w.pick("%", "%", "", "_", "%a%"))
	case n == 5:
		return fmt.Sprintf("%s <=> %s", name, w.pick(v(), v(), "NULL"))
	case n == 6:
		return fmt.Sprintf("(%s > %s AND %s <= %s)", name, v(), name, v())
	}
	return fmt.Sprintf("%s %s %s", name, w.pick("=", "=", "=", "<", "<=", ">", ">=", "<>"), v())
}

// query compares an answer.
func (w *twins) query() {
	where := w.where(2, "")
	c := w.columns[w.some()[0]]
	// Which of several values that are equal but for case or blanks comes out is not said.
	same := !slices.ContainsFunc(w.columns, func(c twinColumn) bool { return strings.Contains(c.sql, "COLLATE") })
	switch w.IntN(8) {
	case 0:
		w.compare(fmt.Sprintf("SELECT * FROM t WHERE %s ORDER BY %s LIMIT %d OFFSET %d", where, w.order(true), w.IntN(5), w.IntN(3)*w.IntN(8)), true)
	case 1: // ties
		if order := w.order(false); same {
			w.compare(fmt.Sprintf("SELECT %s FROM t WHERE %s ORDER BY %s LIMIT %d OFFSET %d", strings.ReplaceAll(order, " DESC", ""), where, order, 1+w.IntN(6), w.IntN(3)), true)
		}
	case 2:
		if same && c.sql != "JSON" {
			w.compare(fmt.Sprintf("SELECT MIN(%[1]s), MAX(%[1]s), COUNT(*), COUNT(%[1]s), COUNT(DISTINCT %[1]s) FROM t WHERE %[2]s", c.name, where), true)
			w.compare(fmt.Sprintf("SELECT %s(%s) FROM t", w.pick("MIN", "MAX"), c.name), true)
			w.compare(fmt.Sprintf("SELECT %[1]s, COUNT(*) FROM t WHERE %[2]s GROUP BY %[1]s", c.name, where), false)
		}
	case 3: // the parts are the whole
		all, n := w.compare("SELECT * FROM t", false), 0
		for _, q := range []string{where, "NOT (" + where + ")", "(" + where + ") IS NULL"} {
			n += len(w.compare("SELECT * FROM t WHERE "+q, false))
		}
		if n != len(all) {
			w.Errorf("%d rows of %d where %s is true, false or unknown", n, len(all), where)
		}
	case 4:
		w.compare(fmt.Sprintf("SELECT t.*, o.c0 FROM t JOIN t o ON %s WHERE %s", w.partners(), w.where(1, "t.")), false)
	case 5:
		w.compare(fmt.Sprintf("SELECT * FROM t WHERE %[1]s %[3]sIN (SELECT %[1]s FROM t WHERE %[2]s)", c.name, where, w.pick("", "NOT ")), false)
	case 6:
		w.pages()
	default:
		w.compare("SELECT * FROM t WHERE "+where, false)
	}
}

// pages turns pages by the values of the last row.
func (w *twins) pages() {
	var columns []int
	for _, p := range append(slices.Clone(w.some()), w.key...) {
		switch base, _, _ := strings.Cut(w.columns[p].sql, "("); {
		case base == "ENUM", base == "SET": // sorted by their numbers, and compared with texts as texts
			return
		case base == "BIT": // octets are no number beside one
			return
		}
		if w.columns[p].notNull && !slices.Contains(columns, p) {
			columns = append(columns, p)
		}
	}
	direction, op := "", ">"
	if w.IntN(2) == 0 {
		direction, op = " DESC", "<"
	}
	names := w.names(columns)
	order := strings.ReplaceAll(names, ",", direction+",") + direction
	var marks []string
	for _, p := range columns {
		mark := "?"
		if sql := w.columns[p].sql; strings.HasPrefix(sql, "DECIMAL") { // texts compare with it as floats
			mark = "CAST(? AS " + sql + ")"
		}
		marks = append(marks, mark)
	}
	want := w.compare("SELECT "+names+" FROM t ORDER BY "+order, true)
	var got []string
	var last []any
	for where := ""; len(got) <= len(want); where = fmt.Sprintf(" WHERE (%s) %s (%s)", names, op, strings.Join(marks, ", ")) {
		n := 0
		if err := w.each(w.stored, fmt.Sprintf("SELECT %s FROM t%s ORDER BY %s LIMIT 3", names, where, order), last, func(row []any) {
			n++
			got, last = append(got, cells(row)), row
		}); err != nil {
			w.Error(err)
			return
		}
		if n < 3 {
			break
		}
	}
	if !slices.Equal(got, want) {
		w.Errorf("pages by %s\ngot  %s\nwant %s", order, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
