package mariadb

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSeveralTables sends random UPDATEs and DELETEs of several tables, and compares errors, affected rows and all tables. In some
// rounds foreign keys tie the tables. No statement asks for what MySQL leaves open: a value is the same by whichever match of a row,
// and by whichever order of the tables.
func TestSeveralTables(t *testing.T) {
	needServer(t)
	for n := range uint64(max(*statements/800, 10)) {
		t.Run(fmt.Sprint(*seed+n), func(t *testing.T) {
			s := &severalRound{T: t, Rand: rand.New(rand.NewPCG(*seed+n, 78)), tied: n%4 > 1, cascades: n%4 > 2, ours: openNth(t, "here", n), theirs: openTheirs(t)}
			s.create()
			for range 120 {
				s.step()
			}
			for i := range severalTables {
				if a := s.ours.query(fmt.Sprintf("CHECK TABLE t%d", i)); a.err != nil || len(a.rows) != 1 || a.rows[0][3].text != "OK" {
					t.Errorf("CHECK TABLE: %s", a)
				}
			}
		})
	}
}

const severalTables = 3

// severalRound is one set of tables.
type severalRound struct {
	*testing.T
	*rand.Rand
	ours, theirs *side
	sent         []string // what makes the tables
	tied         bool     // by foreign keys
	cascades     bool     // which change and delete rows, that count or not by the order of the tables
}

func (s *severalRound) of(words ...string) string { return words[s.IntN(len(words))] }

func (s *severalRound) both(text string) (ours, theirs answer) {
	return s.ours.exec(text), s.theirs.exec(strings.ReplaceAll(text, " COPY KEYS", ""))
}

func (s *severalRound) create() {
	for i := range severalTables {
		text := fmt.Sprintf("CREATE TABLE t%d (id INT PRIMARY KEY, u INT UNIQUE, k INT, a INT, b INT, v INT AS (IFNULL(a, 0) + 1)", i)
		text += s.of("", ", KEY k (k) COPY KEYS", ", KEY k (k), KEY ab (a, b) COPY KEYS")
		if s.tied && i > 0 {
			text += fmt.Sprintf(", CONSTRAINT f%d FOREIGN KEY (k) REFERENCES t%d (%s)", i, s.IntN(i), s.of("id", "u"))
			if s.cascades {
				text += s.of("", " ON DELETE CASCADE", " ON DELETE SET NULL") + s.of("", " ON UPDATE CASCADE", " ON UPDATE SET NULL")
			}
		}
		s.sent = append(s.sent, text+")")
		if ours, theirs := s.both(text + ")"); ours.err != nil || theirs.err != nil {
			s.Fatalf("%s: %v, %v", text, ours.err, theirs.err)
		}
	}
}

func (s *severalRound) number() string { return s.of("NULL", "1", "2", "3", "4", "5", "6", "7") }

// joined is a table of FROM.
type joined struct {
	name, alias string
	lookedUp    bool // it has one row at most for a row of the first table
}

// from gives the FROM of a statement, and what else its WHERE says.
func (s *severalRound) from(join bool) (text, where string, tables []joined) {
	for i := range 2 + s.IntN(2) {
		j := joined{name: fmt.Sprintf("t%d", s.IntN(severalTables)), alias: string(rune('p' + i))}
		as := j.name + s.of(" ", " AS ") + j.alias
		on := fmt.Sprintf("%s.%s = p.%s", j.alias, s.of("k", "k", "a", "u"), s.of("k", "id", "b"))
		if j.lookedUp = s.IntN(3) == 0; j.lookedUp {
			on = j.alias + ".id = p." + s.of("k", "a", "b")
		}
		switch {
		case i == 0:
			text = as
		case join:
			text += s.of(" JOIN ", " INNER JOIN ", " LEFT JOIN ") + as + " ON " + on
		default:
			text, where = text+", "+as, where+" AND "+on
		}
		tables = append(tables, j)
	}
	if s.IntN(4) == 0 {
		derived, on := fmt.Sprintf("(SELECT k, COUNT(*) AS n FROM t%d GROUP BY k) d", s.IntN(severalTables)), "d.k = p."+s.of("k", "id")
		if join {
			text += " JOIN " + derived + " ON " + on
		} else {
			text, where = text+", "+derived, where+" AND "+on
		}
		tables = append(tables, joined{alias: "d"})
	}
	return text, where, tables
}

func (s *severalRound) condition(tables []joined) string {
	t := tables[s.IntN(len(tables))]
	switch {
	case s.IntN(5) == 0:
		return "1 = 1"
	case t.name == "":
		return "d.n > 0"
	case s.IntN(4) == 0:
		return fmt.Sprintf("%s.%s IN (SELECT %s FROM (SELECT * FROM t%d) x)", t.alias, s.of("id", "a", "k"), s.of("id", "b"), s.IntN(severalTables))
	}
	return fmt.Sprintf("%s.%s %s %d", t.alias, s.of("id", "a", "b", "k"), s.of("=", "<", ">", "<>"), 1+s.IntN(6))
}

func (s *severalRound) update() string {
	from, where, tables := s.from(s.IntN(2) == 0)
	where = " WHERE " + s.condition(tables) + where
	var set []string
	var columns [][2]string // that are set
	targets := slices.DeleteFunc(slices.Clone(tables), func(t joined) bool { return t.name == "" })
	for range 1 + s.IntN(4) {
		t := targets[s.IntN(len(targets))]
		c := s.of("a", "a", "b", "b", "k", "u", "id")
		// MariaDB may set a column while it goes on to join by it.
		joins := c != "id" && strings.Contains(from+where, t.alias+"."+c)
		if !joins && !slices.ContainsFunc(columns, func(other [2]string) bool { return other == [2]string{t.alias, c} }) {
			columns = append(columns, [2]string{t.alias, c})
		}
	}
	if columns == nil {
		return s.delete()
	}
	for _, c := range columns {
		value := s.number()
		switch n := s.IntN(4); {
		case c[1] == "id":
			value = c[0] + ".id + " + s.of("0", "1", "10")
		case n == 0:
			value = c[0] + "." + c[1] + " + " + s.number()
		case n == 1 && c[0] == "p" && tables[len(tables)-1].alias == "d":
			value = "d.n"
		case n == 2 && c[0] == "p" && c[1] != "u":
			for _, t := range tables[1:] {
				if t.lookedUp && !slices.ContainsFunc(columns, func(other [2]string) bool { return other[1] == "u" && s.name(tables, other[0]) == t.name }) {
					value = t.alias + ".u"
				}
			}
		}
		set = append(set, c[0]+"."+c[1]+" = "+value)
	}
	return "UPDATE " + s.of("", "", "", "IGNORE ") + from + " SET " + strings.Join(set, ", ") + where
}

func (s *severalRound) name(tables []joined, alias string) string {
	return tables[slices.IndexFunc(tables, func(t joined) bool { return t.alias == alias })].name
}

func (s *severalRound) delete() string {
	from, where, tables := s.from(s.IntN(2) == 0)
	var targets []string
	for _, t := range tables {
		if t.name != "" && (targets == nil || s.IntN(2) == 0) {
			targets = append(targets, t.alias+s.of("", "", ".*"))
		}
	}
	s.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	list, where := strings.Join(targets, ", "), " WHERE "+s.condition(tables)+where
	if s.IntN(2) == 0 {
		return "DELETE " + s.of("", "", "IGNORE ") + list + " FROM " + from + where
	}
	return "DELETE " + s.of("", "", "IGNORE ") + "FROM " + list + " USING " + from + where
}

func (s *severalRound) statement() string {
	switch s.IntN(8) {
	case 0, 1, 2:
		var rows []string
		for range 1 + s.IntN(4) {
			rows = append(rows, fmt.Sprintf("(%d, %s, %s, %s, %s)", 1+s.IntN(7), s.number(), s.number(), s.number(), s.number()))
		}
		return fmt.Sprintf("INSERT IGNORE INTO t%d (id, u, k, a, b) VALUES %s", s.IntN(severalTables), strings.Join(rows, ", "))
	case 3:
		return s.delete()
	}
	return s.update()
}

// step runs a statement on both sides, and takes it back where they may differ.
func (s *severalRound) step() {
	s.both("BEGIN")
	text := s.statement()
	ours, theirs := s.both(text)
	ours.lastID, theirs.lastID = 0, 0
	if s.cascades && !strings.HasPrefix(text, "INSERT") {
		ours.affected, theirs.affected = 0, 0
	}
	what := ours.differs(theirs)
	refused := ours.err != nil && theirs.err != nil && refusals[ours.number] && refusals[theirs.number]
	if refused {
		what = "" // which of several reasons is given first hangs on the order of the rows
	}
	if what == "" {
		what = s.states()
	}
	if what == "" {
		s.both("COMMIT")
		return
	}
	s.both("ROLLBACK")
	switch {
	case ours.err == nil && refusals[theirs.number]: // judged row by row there
	case strings.Contains(text, "IGNORE"): // which rows stay hangs on their order
	case s.cascades && strings.HasPrefix(text, "DELETE"): // there, rows may go by a cascade before they are joined
	case s.cascades && refusals[ours.number] && strings.Contains(text, ".k = "): // there, a cascade may change it once more
	default:
		s.report(what, text, ours, theirs)
	}
}

func (s *severalRound) report(what, text string, ours, theirs answer) {
	held := ""
	for i := range severalTables {
		held += fmt.Sprintf("\n  t%d: %s", i, s.ours.query(fmt.Sprintf("SELECT id, u, k, a, b FROM t%d", i)))
	}
	plan := s.ours.query("EXPLAIN " + text)
	s.Fatalf("%s\n%s;%s\n%s\n  here:    %s\n  MariaDB: %s\n%s", what, strings.Join(s.sent, ";\n"), held, text, ours, theirs, plan)
}

// states compares all tables.
func (s *severalRound) states() string {
	for i := range severalTables {
		text := fmt.Sprintf("SELECT * FROM t%d ORDER BY id", i)
		ours, theirs := s.ours.query(text), s.theirs.query(text)
		if what := ours.differs(theirs); what != "" {
			return fmt.Sprintf("%s of t%d: %s here, %s there", what, i, ours, theirs)
		}
	}
	return ""
}
