package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDerived asks for rows of random derived tables and WITHs by random conditions, which are asked beneath GROUP BY, DISTINCT, UNION and
// window functions where that means the same. Answers must be MariaDB's, and those of the same queries with a LIMIT that nothing is asked
// beneath. Which of equal texts a group shows hangs on the order of its rows. So what tells these apart is asked of tables without an
// index alone, and not of MariaDB.
func TestDerived(t *testing.T) {
	needServer(t)
	n := max(*statements/40, 60)
	if testing.Short() {
		n /= 8
	}
	for i := range uint64(5) {
		t.Run(fmt.Sprintf("seed=%d", *seed+i), func(t *testing.T) {
			g := &deriveds{Rand: rand.New(rand.NewPCG(*seed+i, 17))}
			ours, theirs := openNth(t, "ours", i), openTheirs(t)
			for _, text := range g.tables() {
				for _, s := range []*side{ours, theirs} {
					if a := s.exec(text); a.err != nil {
						t.Fatalf("%s: %s: %v", s.name, text, a.err)
					}
				}
			}
			failed := 0
			for range n {
				text := g.query()
				plain := strings.ReplaceAll(text, limited, "")
				a := ours.query(plain)
				others := map[*side]string{ours: strings.ReplaceAll(text, limited, " LIMIT 1000000")}
				if !g.tellsApart && !strings.Contains(text, "ROLLUP") { // MariaDB loses rows of it in a subquery
					others[theirs] = plain
				}
				for of, text := range others {
					if b := of.query(text); a.differs(b) != "" {
						t.Errorf("%s: %s\n%s: %s\nours %v %v\nthey %v %v", a.differs(b), plain, of.name, text, a.rows, a.err, b.rows, b.err)
						failed++
					}
				}
				if failed > 5 {
					return
				}
			}
		})
	}
}

// limited is where a LIMIT may stand.
const limited = " /*limit*/"

// deriveds makes queries at random.
type deriveds struct {
	*rand.Rand
	tellsApart bool // the query may tell texts apart that are equal
}

// derivedColumn is a column of a derived table.
type derivedColumn struct{ name, kind string }

func (g *deriveds) of(list ...string) string { return list[g.IntN(len(list))] }

var derivedKinds = map[string]string{"id": "int", "a": "int", "b": "int", "d": "decimal", "f": "double", "s": "text", "u": "bin", "e": "date"}

func (g *deriveds) tables() (out []string) {
	maybe := func(v string) string {
		if g.IntN(8) == 0 {
			return "NULL"
		}
		return v
	}
	for _, name := range []string{"w", "x", "y", "z"} {
		keys := ", KEY (a, b), KEY (s), KEY (e), KEY (u, a)"
		if name > "x" {
			keys = ""
		}
		rows := make([]string, 30)
		for i := range rows {
			rows[i] = fmt.Sprintf("(%d, %s, %s, %s, %s, %s, %s, %s)", i, maybe(fmt.Sprint(g.IntN(4))), maybe(fmt.Sprint(g.IntN(4))), maybe(fmt.Sprintf("%d.%d0", g.IntN(3), 5*g.IntN(2))),
				maybe(g.of("0e0", "-0e0", "1e0", "2.5e0")), maybe(g.text()), maybe(g.text()), maybe(fmt.Sprintf("'2024-01-0%d'", 1+g.IntN(4))))
		}
		out = append(out, "CREATE TABLE "+name+" (id INT PRIMARY KEY, a INT, b INT, d DECIMAL(6,2), f DOUBLE, s VARCHAR(10) COLLATE utf8mb4_general_ci, "+
			"u VARCHAR(10) COLLATE utf8mb4_bin, e DATE"+keys+")", "INSERT INTO "+name+" VALUES "+strings.Join(rows, ", "))
	}
	return out
}

func (g *deriveds) text() string {
	return g.of("'a'", "'A'", "'á'", "'a '", "'b'", "'B'", "'1'", "'1 '", "'s'", "'ß'", "''")
}

func (g *deriveds) table() string {
	if g.tellsApart {
		return g.of("y", "z")
	}
	return g.of("w", "x")
}

// derived gives a query and its columns.
func (g *deriveds) derived(depth int) (string, []derivedColumn) {
	if depth > 0 && g.IntN(3) == 0 {
		return g.nested(depth)
	}
	switch g.IntN(6) {
	case 0:
		return g.union()
	case 1:
		names := g.names(1 + g.IntN(3))
		columns := g.columns(names)
		return "SELECT DISTINCT " + g.list(names) + " FROM " + g.table() + g.where() + limited, columns
	case 2:
		return g.windowed()
	}
	return g.grouped()
}

func (g *deriveds) names(n int) []string {
	all := []string{"a", "b", "d", "f", "s", "u", "e", "id"}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

func (g *deriveds) columns(names []string) []derivedColumn {
	out := make([]derivedColumn, len(names))
	for i, n := range names {
		out[i] = derivedColumn{fmt.Sprintf("c%d", i), derivedKinds[n]}
	}
	return out
}

func (g *deriveds) list(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%s AS c%d", n, i)
	}
	return strings.Join(out, ", ")
}

func (g *deriveds) grouped() (string, []derivedColumn) {
	names := g.names(1 + g.IntN(3))
	columns := append(g.columns(names), derivedColumn{"n", "int"})
	list := g.list(names) + ", " + g.of("COUNT(*)", "SUM(id)", "MAX(b)", "COUNT(DISTINCT d)") + " AS n"
	if g.IntN(4) == 0 {
		part := names[g.IntN(len(names))]
		list += ", COUNT(*) OVER (PARTITION BY " + part + ") AS k"
		columns = append(columns, derivedColumn{"k", "int"})
	}
	by := strings.Join(names, ", ")
	if g.IntN(6) == 0 && !strings.Contains(list, "OVER") {
		by += " WITH ROLLUP"
	}
	return "SELECT " + list + " FROM " + g.table() + g.where() + " GROUP BY " + by + g.of("", "", " HAVING COUNT(*) > 1") + limited, columns
}

func (g *deriveds) windowed() (string, []derivedColumn) {
	names := g.names(2 + g.IntN(2))
	columns := append(g.columns(names), derivedColumn{"n", "int"})
	part := func() string {
		if g.IntN(5) == 0 {
			return ""
		}
		return "PARTITION BY " + g.of(names[0], names[0], strings.Join(names, ", "), names[1]) + " "
	}
	list := g.list(names) + ", " + g.of("ROW_NUMBER()", "SUM(id)") + " OVER (" + part() + "ORDER BY id) AS n"
	if g.IntN(3) == 0 {
		list += ", COUNT(*) OVER (" + part() + ") AS k"
		columns = append(columns, derivedColumn{"k", "int"})
	}
	return "SELECT " + g.of("", "", "DISTINCT ") + list + " FROM " + g.table() + g.where() + limited, columns
}

func (g *deriveds) union() (string, []derivedColumn) {
	names := g.names(1 + g.IntN(3))
	columns := g.columns(names)
	other := g.of("same", "same", "grouped", "apart", "constant")
	first, second := "SELECT "+g.list(names)+" FROM "+g.table()+g.where(), ""
	from := " FROM " + g.table() + g.where()
	if other == "apart" {
		for i := range names {
			switch { // of another type
			case columns[i].kind == "int":
				names[i], columns[i].kind = g.of("d", "a", "b", "f"), "double"
			case columns[i].kind == "decimal":
				names[i], columns[i].kind = g.of("a", "f"), "double"
			}
		}
	}
	switch other {
	case "constant":
		i := g.IntN(len(names))
		own := append([]string(nil), names...)
		own[i] = map[string]string{"int": "2", "decimal": "1.5", "double": "1e0", "text": "'a' COLLATE utf8mb4_general_ci", "bin": "'a' COLLATE utf8mb4_bin", "date": "DATE '2024-01-02'"}[columns[i].kind]
		second = "SELECT " + strings.Join(own, ", ") + from
	case "grouped":
		second = "SELECT " + strings.Join(names, ", ") + from + " GROUP BY " + strings.Join(names, ", ")
	default:
		second = "SELECT " + strings.Join(names, ", ") + from
	}
	return first + g.of(" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ", " UNION ALL ") + second + limited, columns
}

func (g *deriveds) nested(depth int) (string, []derivedColumn) {
	inner, columns := g.derived(depth - 1)
	var out []derivedColumn
	var list, by []string
	for _, c := range columns {
		if g.IntN(3) > 0 || len(out) == 0 {
			own := derivedColumn{fmt.Sprintf("m%d%d", depth, len(out)), c.kind} // MariaDB confuses those that have a name in common with inner ones
			out = append(out, own)
			list = append(list, "q."+c.name+" AS "+own.name)
			by = append(by, "q."+c.name)
		}
	}
	where := g.of("", " WHERE "+g.condition("q", columns))
	switch text := strings.Join(list, ", ") + " FROM (" + inner + ") q" + where; g.IntN(3) {
	case 0:
		return "SELECT " + text + limited, out
	case 1:
		return "SELECT DISTINCT " + text + limited, out
	default:
		count := derivedColumn{fmt.Sprintf("n%d", depth), "int"}
		return "SELECT COUNT(*) AS " + count.name + ", " + text + " GROUP BY " + strings.Join(by, ", ") + limited, append(out, count)
	}
}

func (g *deriveds) where() string {
	return g.of("", "", " WHERE id > 5", " WHERE a = 2", " WHERE b <> 1", " WHERE s = 'a'", " WHERE a IN (1, 2) AND b < 3")
}

func (g *deriveds) condition(alias string, columns []derivedColumn) string {
	one := func() string {
		c := columns[g.IntN(len(columns))]
		name := alias + "." + c.name
		switch g.IntN(8) {
		case 0:
			return name + g.of(" IS NULL", " IS NOT NULL", " <=> NULL")
		case 1:
			return name + g.of(" IN (", " NOT IN (") + g.constant(c.kind) + ", " + g.constant(c.kind) + ")"
		case 2:
			return name + g.of(" BETWEEN ", " NOT BETWEEN ") + g.constant(c.kind) + " AND " + g.constant(c.kind)
		case 3:
			if o := columns[g.IntN(len(columns))]; o.kind == c.kind {
				return name + g.of(" = ", " < ") + alias + "." + o.name
			}
		case 4:
			if g.tellsApart && c.kind == "text" {
				return g.of("LENGTH("+name+") = 1", name+" LIKE 'a'", "HEX("+name+") < '5'", name+" = 1", name+" LIKE '_ '", "BINARY "+name+" = 'a'")
			}
			return "NOT (" + name + g.of(" = ", " < ", " >= ") + g.constant(c.kind) + ")"
		case 5:
			if c.kind == "bin" && !g.tellsApart {
				break // a and a with a blank are equal
			}
			if c.kind == "int" || c.kind == "date" {
				return "LENGTH(" + name + ") " + g.of("= 1", "> 1")
			}
		}
		return name + g.of(" = ", " = ", " = ", " < ", " > ", " >= ", " <> ", " <=> ") + g.constant(c.kind)
	}
	switch g.IntN(5) {
	case 0:
		return one() + " AND " + one()
	case 1:
		return "(" + one() + " OR " + one() + ")"
	case 2:
		return "(" + one() + " OR " + one() + " AND " + one() + ")"
	}
	return one()
}

func (g *deriveds) constant(kind string) string {
	switch kind {
	case "int":
		return g.of("0", "1", "2", "3", "1.5", "'1'")
	case "text", "bin":
		return g.text()
	case "date":
		return g.of("'2024-01-01'", "'2024-01-02'", "DATE '2024-01-03'", "20240102")
	}
	return g.of("0", "1", "1.5", "2", "2.5", "'1.50'")
}

// query gives a query that shows no text.
func (g *deriveds) query() string {
	g.tellsApart = g.IntN(4) == 0
	inner, columns := g.derived(2)
	show := func(alias string) string {
		out := []string{}
		for _, c := range columns {
			switch c.kind {
			case "text", "bin":
				out = append(out, alias+"."+c.name+" IS NULL")
			default:
				out = append(out, alias+"."+c.name+" + 0")
			}
		}
		return strings.Join(out, ", ")
	}
	order := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint(i + 1)
		}
		return " ORDER BY " + strings.Join(out, ", ")
	}
	var on []string
	for _, c := range columns {
		for name, kind := range derivedKinds {
			if kind == c.kind && (kind == "int" || kind == "date") && name < "id" {
				on = append(on, "t."+name+" = d."+c.name)
			}
		}
	}
	g.Shuffle(len(on), func(i, j int) { on[i], on[j] = on[j], on[i] })
	cond := g.condition("d", columns)
	kind := g.IntN(8)
	if len(on) == 0 && kind < 4 {
		kind = 7
	}
	switch table := g.table(); kind {
	case 0, 1:
		return "SELECT t.id, " + show("d") + " FROM " + table + " t " + g.of("JOIN", "LEFT JOIN", "RIGHT JOIN") + " (" + inner + ") d ON " + on[0] + g.of("", " AND "+cond) +
			g.of(" WHERE "+g.of("t.a = 1", "t.a IN (1, 2)", "t.e = '2024-01-02'"), " WHERE "+cond) + order(1+len(columns))
	case 2:
		return "SELECT t.id FROM " + table + " t WHERE " + g.of("", "NOT ") + "EXISTS (SELECT 1 FROM (" + inner + ") d WHERE " + on[0] + " AND " + cond + ")" + order(1)
	case 3:
		return "SELECT t.id, (SELECT COUNT(*) FROM (" + inner + ") d WHERE " + on[0] + " AND " + cond + ") FROM " + table + " t" + order(1)
	case 4:
		c := columns[g.IntN(len(columns))].name
		return "WITH q AS (" + inner + ") SELECT " + show("d") + ", " + show("p") + " FROM q d JOIN q p ON p." + c + " = d." + c + " WHERE " + cond + g.of("", " AND "+g.condition("p", columns)) + order(2*len(columns))
	case 5:
		return "WITH q AS (" + inner + ") SELECT " + show("d") + " FROM q d WHERE " + cond + order(len(columns))
	}
	return "SELECT " + show("d") + " FROM (" + inner + ") d WHERE " + cond + order(len(columns))
}
