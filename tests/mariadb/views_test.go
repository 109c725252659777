package mariadb

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestViews makes random views of tables and of views, merged ones and others, asks random queries of them and writes through them, and
// compares answers, errors and all tables. Where MySQL 8.0 and MariaDB differ nothing is asked: no view is made of one that has a CHECK
// OPTION, which MariaDB forgets there, and none with an outer join is written to.
func TestViews(t *testing.T) {
	needServer(t)
	for n := range uint64(max(*statements/800, 10)) {
		t.Run(fmt.Sprint(*seed+n), func(t *testing.T) {
			store := []string{"mem://", "mem://?layout=single", "file:" + filepath.Join(t.TempDir(), "views.db")}[n%3]
			v := &viewRound{T: t, Rand: rand.New(rand.NewPCG(*seed+n, 79)), ours: openOurs(t, "here", store), theirs: openTheirs(t)}
			v.create()
			for range 150 {
				v.step()
			}
		})
	}
}

// viewRound is one set of tables and views.
type viewRound struct {
	*testing.T
	*rand.Rand
	ours, theirs *side
	sources      []viewSource // tables first
	sent         []string
}

// viewSource is a table or a view.
type viewSource struct {
	name      string
	columns   []string // of numbers
	computed  int      // not 0: some are computed
	updatable bool
	checked   bool
}

const viewTables = 3

func (v *viewRound) of(words ...string) string { return words[v.IntN(len(words))] }

func (v *viewRound) column(s *viewSource) string { return s.columns[v.IntN(len(s.columns))] }

func (v *viewRound) source() *viewSource { return &v.sources[v.IntN(len(v.sources))] }

func (v *viewRound) number() string { return v.of("NULL", "0", "1", "2", "3", "4", "5", "6", "7") }

func (v *viewRound) must(text string) {
	v.sent = append(v.sent, text)
	if ours, theirs := v.ours.exec(text), v.theirs.exec(text); ours.err != nil || theirs.err != nil {
		v.Fatalf("%s: %v, %v", text, ours.err, theirs.err)
	}
}

func (v *viewRound) create() {
	for i := range viewTables {
		name := fmt.Sprintf("t%d", i)
		v.must("CREATE TABLE " + name + " (id INT PRIMARY KEY, k INT, a INT, b INT DEFAULT 4" + v.of("", ", KEY k (k)", ", KEY ka (k, a), KEY b (b)") + ")")
		v.sources = append(v.sources, viewSource{name: name, columns: []string{"id", "k", "a", "b"}, updatable: true})
		for id := 1; id < 8; id++ {
			if v.IntN(4) > 0 {
				v.must(fmt.Sprintf("INSERT INTO %s VALUES (%d, %s, %s, %s)", name, id, v.number(), v.number(), v.number()))
			}
		}
	}
	for i := range 7 {
		v.view(fmt.Sprintf("v%d", i))
	}
}

// base is a source that a view may be made of.
func (v *viewRound) base() *viewSource {
	for {
		if s := v.source(); !s.checked {
			return s
		}
	}
}

func (v *viewRound) view(name string) {
	s := v.base()
	out := viewSource{name: name}
	text := ""
	switch v.IntN(9) {
	case 0:
		c := v.column(s)
		text = fmt.Sprintf("SELECT p.%s AS c0, COUNT(*) AS c1, SUM(p.%s) AS c2 FROM %s p%s GROUP BY p.%s", c, v.column(s), s.name, v.where("p", s), c)
		out.columns = []string{"c0", "c1", "c2"}
	case 1:
		o := v.base()
		text = fmt.Sprintf("SELECT %s AS c0, %s AS c1 FROM %s p%s UNION %sSELECT %s, %s FROM %s q%s", v.column(s), v.column(s), s.name, v.where("p", s),
			v.of("", "ALL "), v.column(o), v.column(o), o.name, v.where("q", o))
		out.columns = []string{"c0", "c1"}
	case 2:
		text = fmt.Sprintf("SELECT DISTINCT %s AS c0, %s AS c1 FROM %s p%s", v.column(s), v.column(s), s.name, v.where("p", s))
		out.columns = []string{"c0", "c1"}
	case 3, 4:
		o, kind := v.base(), v.of("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN")
		text = fmt.Sprintf("SELECT p.%s AS c0, q.%s AS c1, p.%s AS c2, IFNULL(p.%s, 5) - q.%s AS c3 FROM %s p %s %s q ON p.%s = q.%s%s", v.column(s), v.column(o), v.column(s),
			v.column(s), v.column(o), s.name, kind, o.name, v.column(s), v.column(o), v.where("p", s))
		out.columns = []string{"c0", "c1", "c2", "c3"}
	default:
		own := ""
		if v.IntN(2) == 0 {
			own = fmt.Sprintf(", %s AS c3", v.of("p."+v.column(s)+" + 1", "IFNULL(p."+v.column(s)+", 3)", "5", "p."+v.column(s)+" * p."+v.column(s)))
			out.computed = 1
		}
		others := slices.Clone(s.columns[1:])
		v.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		text = fmt.Sprintf("SELECT p.%s AS c0, p.%s AS c1, p.%s AS c2%s FROM %s p%s%s", s.columns[0], others[0], others[len(others)-1], own, s.name, v.where("p", s), v.of("", "", " ORDER BY c0, c1, c2"))
		out.columns = []string{"c0", "c1", "c2", "c3"}[:3+out.computed]
		if out.updatable = s.updatable; out.updatable && v.IntN(3) == 0 {
			text += v.of(" WITH CHECK OPTION", " WITH LOCAL CHECK OPTION")
			out.checked = true
		}
		out.computed += s.computed // any column may be one of those
	}
	v.must("CREATE " + v.of("", "", "ALGORITHM = MERGE ", "OR REPLACE ") + "VIEW " + name + " AS " + text)
	v.sources = append(v.sources, out)
}

func (v *viewRound) where(alias string, s *viewSource) string {
	if v.IntN(2) == 0 {
		return ""
	}
	return " WHERE " + v.condition(alias, s)
}

func (v *viewRound) condition(alias string, s *viewSource) string {
	return alias + "." + v.column(s) + v.of(" = ", " < ", " > ", " <> ", " <=> ") + v.number() + v.of("", "", " OR "+alias+"."+v.column(s)+" IS NULL", " AND "+alias+"."+v.column(s)+" < 6")
}

func (v *viewRound) query() string {
	s, o := v.source(), v.source()
	where := v.where("x", s)
	switch v.IntN(8) {
	case 0:
		c := v.column(s)
		return fmt.Sprintf("SELECT x.%s, COUNT(*), MIN(x.%s), COUNT(DISTINCT x.%s) FROM %s x%s GROUP BY x.%s ORDER BY 1", c, v.column(s), v.column(s), s.name, where, c)
	case 1:
		return fmt.Sprintf("SELECT %s FROM %s x WHERE x.%s %sIN (SELECT y.%s FROM %s y%s) ORDER BY 1, 2", v.list("x", s), s.name, v.column(s), v.of("", "NOT "), v.column(o), o.name, v.where("y", o))
	case 2:
		return fmt.Sprintf("SELECT %s FROM %s x WHERE %sEXISTS (SELECT 1 FROM %s y WHERE y.%s = x.%s AND y.%s %s x.%s) ORDER BY 1, 2", v.list("x", s), s.name, v.of("", "NOT "), o.name,
			v.column(o), v.column(s), v.column(o), v.of("<", ">="), v.column(s))
	case 3:
		return fmt.Sprintf("SELECT %s, (SELECT COUNT(*) FROM %s y WHERE y.%s < x.%s) FROM %s x%s ORDER BY 1, 2, 3", v.list("x", s), o.name, v.column(o), v.column(s), s.name, where)
	case 4:
		return fmt.Sprintf("SELECT COUNT(*), SUM(x.%s), MAX(x.%s) FROM %s x%s", v.column(s), v.column(s), s.name, where)
	}
	return fmt.Sprintf("SELECT %s, %s FROM %s x %s %s y ON x.%s = y.%s%s%s ORDER BY 1, 2, 3, 4", v.list("x", s), v.list("y", o), s.name, v.of("JOIN", "LEFT JOIN", "RIGHT JOIN"), o.name, v.column(s), v.column(o),
		v.of("", " AND "+v.condition("y", o), " AND "+v.condition("x", s)), v.of("", " WHERE "+v.condition("y", o), where))
}

func (v *viewRound) list(alias string, s *viewSource) string {
	return alias + "." + v.column(s) + ", " + alias + "." + v.column(s)
}

func (v *viewRound) write() string {
	for {
		s := v.source()
		if !s.updatable {
			continue
		}
		switch n := v.IntN(4); {
		case n == 0 && s.computed == 0:
			return fmt.Sprintf("INSERT INTO %s (%s, %s) VALUES (%d, %s)", s.name, s.columns[0], s.columns[2], v.IntN(9), v.number())
		case n == 1:
			return fmt.Sprintf("DELETE FROM %s%s LIMIT 9", s.name, strings.ReplaceAll(v.where("", s), ".", ""))
		default:
			c := s.columns[1:3][v.IntN(2)]
			return fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", s.name, c, v.of(v.number(), c+" + 1"), strings.ReplaceAll(v.condition("", s), ".", ""))
		}
	}
}

func (v *viewRound) step() {
	if v.IntN(3) > 0 {
		text := v.query()
		if ours, theirs := v.ours.query(text), v.theirs.query(text); ours.differs(theirs) != "" {
			v.report(ours.differs(theirs), text, ours, theirs)
		}
		return
	}
	for _, side := range []*side{v.ours, v.theirs} {
		side.exec("BEGIN")
	}
	text := v.write()
	ours, theirs := v.ours.exec(text), v.theirs.exec(text)
	if what := ours.differs(theirs); what != "" {
		v.report(what, text, ours, theirs)
	}
	for i := range viewTables {
		all := fmt.Sprintf("SELECT * FROM t%d ORDER BY id", i)
		if ours, theirs := v.ours.query(all), v.theirs.query(all); ours.differs(theirs) != "" {
			v.report("table after "+text, all, ours, theirs)
		}
	}
	end := v.of("COMMIT", "ROLLBACK")
	for _, side := range []*side{v.ours, v.theirs} {
		side.exec(end)
	}
}

func (v *viewRound) report(what, text string, ours, theirs answer) {
	plan := v.ours.query("EXPLAIN " + text)
	v.Fatalf("%s\n%s;\n%s\n  here:    %s\n  MariaDB: %s\n%s", what, strings.Join(v.sent, ";\n"), text, ours, theirs, plan)
}
