package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLateral compares random LATERAL queries, which MariaDB has not, with the same written by window functions and by joins with
// groups, asked of both sides.
func TestLateral(t *testing.T) {
	needServer(t)
	n := 200
	if testing.Short() {
		n = 40
	}
	for seed := range uint64(5) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			g := windows{rand.New(rand.NewPCG(seed, 17))}
			ours, theirs := openNth(t, "ours", seed), openTheirs(t)
			for _, text := range append(g.table(), "CREATE TABLE g (k INT PRIMARY KEY, m INT)", "INSERT INTO g VALUES (0, 3), (1, -2), (2, 8), (3, NULL), (7, 1)") {
				for _, s := range []*side{ours, theirs} {
					if a := s.exec(text); a.err != nil {
						t.Fatalf("%s: %s: %v", s.name, text, a.err)
					}
				}
			}
			for range n {
				lateral, other := lateralQuery(g)
				a := ours.query(lateral)
				for _, of := range []*side{theirs, ours} {
					if b := of.query(other); a.differs(b) != "" {
						t.Errorf("%s: %s\n%s: %s\nours %v\nthey %v", a.differs(b), lateral, of.name, other, a, b)
					}
				}
			}
		})
	}
}

// lateralQuery gives a query with LATERAL, and one of the same rows without.
func lateralQuery(g windows) (string, string) {
	inner := g.of("", " AND w.i > g.m", " AND w.id % 2 = 0", " AND (w.s <> 'b' OR g.m > 0)")
	outer := g.of("", " WHERE g.m IS NOT NULL", " WHERE g.k < 3", " WHERE x.id > 5 AND g.k > 0")
	left := g.IntN(2) == 0
	join, on := "JOIN", " ON "+g.of("TRUE", "x.id <> 4", "x.i >= g.m")
	if left {
		join = "LEFT JOIN"
	}
	rows := "SELECT w.id, w.i, w.p FROM w WHERE w.p = g.k" + inner
	if g.IntN(3) == 0 { // an aggregate
		agg := g.of("COUNT(*)", "SUM(w.i)", "MAX(w.id)", "MIN(w.d)")
		order := " ORDER BY g.k" + g.of("", " DESC")
		where := strings.ReplaceAll(outer, "x.id", "x.a")
		lateral := fmt.Sprintf("SELECT g.k, x.a FROM g %s LATERAL (SELECT %s AS a FROM w WHERE w.p = g.k%s) AS x ON TRUE%s%s", join, agg, inner, where, order)
		other := fmt.Sprintf("SELECT k, a FROM (SELECT g.k, g.m, (SELECT %s FROM w WHERE w.p = g.k%s) AS a FROM g) AS x%s%s", agg, inner,
			strings.NewReplacer("g.", "x.").Replace(where), strings.ReplaceAll(order, "g.k", "x.k"))
		return lateral, other
	}
	key, count := g.of("w.i", "w.d", "w.s", "w.id"), 1+g.IntN(3)
	by := key + g.of("", " DESC") + ", w.id"
	order := " ORDER BY g.k, x.id" + g.of("", " DESC")
	lateral := fmt.Sprintf("SELECT g.k, x.id, x.i FROM g %s LATERAL (%s ORDER BY %s LIMIT %d) AS x%s%s%s", join, rows, by, count, on, outer, order)
	numbered := fmt.Sprintf("SELECT g.k, w.id, w.i, ROW_NUMBER() OVER (PARTITION BY g.k ORDER BY %s) AS n FROM g JOIN w ON w.p = g.k%s", by, inner)
	other := fmt.Sprintf("SELECT g.k, x.id, x.i FROM g %s (%s) AS x%s AND x.k = g.k AND x.n <= %d%s%s", join, numbered, strings.Replace(on, "ON ", "ON (", 1)+")", count, outer, order)
	return lateral, other
}
