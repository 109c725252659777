package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRollup sends random queries WITH ROLLUP to this driver and to MariaDB. MariaDB has neither GROUPING nor an ORDER BY beside
// ROLLUP: there the query is a UNION ALL of one query for each level, and what GROUPING gives is written out.
func TestRollup(t *testing.T) {
	needServer(t)
	n := 300
	if testing.Short() {
		n = 40
	}
	for seed := range uint64(5) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			g := &rollups{windows{rand.New(rand.NewPCG(seed, 11))}}
			ours, theirs := openNth(t, "ours", seed), openTheirs(t)
			for _, text := range g.table() {
				for _, s := range []*side{ours, theirs} {
					if a := s.exec(text); a.err != nil {
						t.Fatalf("%s: %s: %v", s.name, text, a.err)
					}
				}
			}
			for range n {
				text, other := g.query()
				a := ours.query(text)
				for _, of := range []struct {
					*side
					text string
				}{{theirs, other}, {ours, other}} {
					if b := of.query(of.text); a.differs(b) != "" {
						t.Errorf("%s: %s\n%s: %s\nours %v %v\nthey %v %v", a.differs(b), text, of.name, of.text, a.rows, a.err, b.rows, b.err)
					}
				}
			}
		})
	}
}

// rollups makes queries at random.
type rollups struct{ windows }

// query gives a query with ROLLUP, and one of the same rows without.
func (g *rollups) query() (string, string) {
	groups := []string{"p", "s", "i", "i % 3", "p + 1", "s < 'c'", "d > 0"}
	g.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	groups = groups[:1+g.IntN(3)]
	aggs := make([]string, 1+g.IntN(3))
	for i := range aggs {
		aggs[i] = g.of("SUM", "AVG", "MIN", "MAX", "COUNT", "COUNT(DISTINCT ", "SUM(DISTINCT ")
		if !strings.HasSuffix(aggs[i], " ") {
			aggs[i] += "("
		}
		aggs[i] += g.of("i", "d", "id") + ")"
	}
	where := g.of("", "", " WHERE i > -5", " WHERE p = 2", " WHERE id < 0", " WHERE p > 0 AND s <> 'c'")
	having := g.of("", "", " HAVING COUNT(*) > 2", " HAVING "+aggs[0]+" IS NOT NULL", " HAVING "+groups[0]+" IS NULL")
	computed := g.of("COALESCE(", "IFNULL(")

	list := func(groups []string, levels string) string {
		return strings.Join(groups, ", ") + ", " + levels + ", " + computed + groups[0] + ", 99), " + strings.Join(aggs, ", ")
	}
	order := make([]string, len(groups)+1)
	for i := range order {
		order[i] = fmt.Sprint(i+1) + g.of("", " DESC")
	}
	by := " ORDER BY " + strings.Join(order, ", ")
	grouping := strings.Join(groups, ", ")
	text := "SELECT " + list(groups, "GROUPING("+grouping+")") + " FROM w" + where + " GROUP BY " + grouping + " WITH ROLLUP" + having
	if g.IntN(3) == 0 {
		names := make([]string, len(groups)+2+len(aggs))
		for i := range names {
			names[i] = fmt.Sprintf("c%d", i+1)
		}
		text = "WITH q (" + strings.Join(names, ", ") + ") AS (" + text + ") SELECT " + strings.Join(names, ", ") + " FROM q"
	}
	return text + by, g.levels(groups, where, having, list, by)
}

// levels gives a UNION ALL of a query for each level of a rollup. It is over columns, as MariaDB finds no other groups within expressions.
func (g *rollups) levels(groups []string, where, having string, list func([]string, string) string, by string) string {
	columns, names := make([]string, len(groups)), make([]string, len(groups))
	for i, group := range groups {
		names[i] = fmt.Sprintf("g%d", i)
		columns[i] = group + " AS " + names[i]
	}
	from := " FROM (SELECT w.*, " + strings.Join(columns, ", ") + " FROM w" + where + ") AS w"
	having = strings.Replace(having, " "+groups[0]+" IS NULL", " g0 IS NULL", 1)
	var arms []string
	for level := len(groups); level >= 0; level-- {
		shown, by, having := append([]string{}, names...), "", having
		for i := level; i < len(shown); i++ {
			shown[i] = "NULL"
		}
		if level > 0 {
			by = " GROUP BY " + strings.Join(names[:level], ", ")
		} else {
			having = strings.Replace(having, " g0 IS NULL", " TRUE", 1)
			having = strings.Replace(having, " HAVING ", " HAVING COUNT(*) > 0 AND ", 1)
			if having == "" {
				having = " HAVING COUNT(*) > 0"
			}
		}
		arms = append(arms, "(SELECT "+list(shown, fmt.Sprint(1<<(len(groups)-level)-1))+from+by+having+")")
	}
	return strings.Join(arms, " UNION ALL ") + by
}
