package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWindows sends queries with random window functions to this driver and to MariaDB. Rows that no order tells apart are asked for
// nothing that hangs on which of them comes first. MariaDB takes a DOUBLE out of a sum again, so they are such that nothing is rounded.
func TestWindows(t *testing.T) {
	needServer(t)
	n := 1500
	if testing.Short() {
		n = 150
	}
	for seed := range uint64(5) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			g := &windows{rand.New(rand.NewPCG(seed, 7))}
			ours, theirs := openNth(t, "ours", seed), openTheirs(t)
			for _, text := range g.table() {
				for _, s := range []*side{ours, theirs} {
					if a := s.exec(text); a.err != nil {
						t.Fatalf("%s: %s: %v", s.name, text, a.err)
					}
				}
			}
			for range n / 5 {
				text := g.query()
				a, b := ours.query(text), theirs.query(text)
				if what := a.differs(b); what != "" {
					t.Errorf("%s: %s\nours   %v %v\ntheirs %v %v", what, text, a.rows, a.err, b.rows, b.err)
				}
			}
		})
	}
}

// windows makes queries at random.
type windows struct{ *rand.Rand }

func (g *windows) of(list ...string) string { return list[g.IntN(len(list))] }

func (g *windows) table() []string {
	rows := make([]string, 40)
	maybe := func(v string) string {
		if g.IntN(6) == 0 {
			return "NULL"
		}
		return v
	}
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d, %s, %s, %s, %s, %s)", i, maybe(fmt.Sprint(g.IntN(4))), maybe(fmt.Sprint(g.IntN(20)-10)),
			maybe(fmt.Sprintf("%d.%02d", g.IntN(50)-20, g.IntN(100))), maybe(fmt.Sprintf("%ge0", float64(g.IntN(900)-300)/8)), maybe(fmt.Sprintf("'%c'", 'a'+g.IntN(5))))
	}
	return []string{
		"CREATE TABLE w (id INT PRIMARY KEY, p INT, i INT, d DECIMAL(8,2), f DOUBLE, s VARCHAR(10), KEY (p, i))",
		"INSERT INTO w VALUES " + strings.Join(rows, ", "),
	}
}

func (g *windows) query() string {
	calls := make([]string, 1+g.IntN(3))
	for i := range calls {
		calls[i] = g.call()
	}
	list, where, limit := strings.Join(calls, ", "), g.of("", "", " WHERE i > -5", " WHERE p = 2", " WHERE id < 0"), g.of("", "", " LIMIT 7")
	key := g.call()
	for strings.Contains(key, "(f") { // whose last digits may differ
		key = g.call()
	}
	if strings.Contains(list+key, "NTILE") {
		limit = "" // MariaDB counts other rows then
	}
	switch g.IntN(6) {
	case 0: // over groups
		return "SELECT p, COUNT(*), SUM(SUM(i)) OVER (ORDER BY p" + g.rows() + "), " + g.of("RANK", "DENSE_RANK") +
			"() OVER (ORDER BY COUNT(*)" + g.of("", " DESC") + ") FROM w" + where + " GROUP BY p ORDER BY p" + limit
	case 1:
		return "SELECT * FROM (SELECT id, " + key + " AS x FROM w" + where + ") AS q ORDER BY id" + g.of("", " DESC") + limit
	case 2:
		return "SELECT id, " + list + " FROM w" + where + " ORDER BY " + key + g.of("", " DESC") + ", id" + limit
	}
	return "SELECT id, " + list + " FROM w" + where + " ORDER BY id" + limit
}

func (g *windows) call() string {
	x := g.of("i", "d", "f", "i + d", "id")
	part := g.of("", "PARTITION BY p ", "PARTITION BY s, p ", "PARTITION BY i % 3 ")
	unique := g.of("ORDER BY id", "ORDER BY i, id", "ORDER BY d DESC, id", "ORDER BY p, s DESC, id DESC", "ORDER BY i DESC, id")
	ties := g.of("ORDER BY i", "ORDER BY d DESC", "ORDER BY p", "ORDER BY s, p", "ORDER BY i % 4")
	aggregate := g.of("SUM", "AVG", "MIN", "MAX", "COUNT") + "(" + x + ")"
	switch g.IntN(9) {
	case 0:
		return "ROW_NUMBER() OVER (" + part + unique + ")"
	case 1:
		if g.IntN(2) == 0 { // of which MariaDB gives ten digits
			return "ROUND(" + g.of("PERCENT_RANK", "CUME_DIST") + "() OVER (" + part + ties + "), 6)"
		}
		return g.of("RANK", "DENSE_RANK") + "() OVER (" + part + ties + ")"
	case 2:
		return fmt.Sprintf("NTILE(%d) OVER (%s)", 1+g.IntN(9), part+unique)
	case 3:
		return fmt.Sprintf("%s(%s, %d) OVER (%s)", g.of("LAG", "LEAD"), x, g.IntN(4), part+unique)
	case 4:
		return g.of("FIRST_VALUE(", "LAST_VALUE(") + x + ") OVER (" + part + unique + g.rows() + ")"
	case 5:
		return aggregate + " OVER (" + part + ties + g.of("", " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING") + ")"
	case 6:
		key, n := g.of("i", "d", "p", "id"), g.of("1", "2", "5")
		if key == "d" { // MariaDB takes whole numbers from integers
			n = g.of(n, "1.5", "0.25")
		}
		return aggregate + " OVER (" + part + "ORDER BY " + key + g.of("", " DESC") + g.between("RANGE", n) + ")"
	case 7:
		// MariaDB loses bits of numbers below zero, and gives four digits of the variance of integers.
		return g.of("BIT_OR(id", "BIT_XOR(id", "BIT_AND(id", "STDDEV_POP(f", "VAR_SAMP(f") + ") OVER (" + part + unique + g.rows() + ")"
	}
	return aggregate + " OVER (" + part + unique + g.rows() + ")"
}

// rows gives a frame by ROWS, or none.
func (g *windows) rows() string {
	if g.IntN(4) == 0 {
		return ""
	}
	return g.between("ROWS", fmt.Sprint(g.IntN(4)))
}

func (g *windows) between(unit, n string) string {
	bounds := []string{"UNBOUNDED PRECEDING", n + " PRECEDING", "CURRENT ROW", n + " FOLLOWING", "UNBOUNDED FOLLOWING"}
	from := g.IntN(4)
	to := max(1, from) + g.IntN(5-max(1, from))
	return " " + unit + " BETWEEN " + bounds[from] + " AND " + bounds[to]
}
