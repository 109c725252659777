package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestUpsertOfQuery sends random INSERT … SELECT … ON DUPLICATE KEY UPDATE whose values are computed of the existing row, the new one and
// columns of the tables that rows are selected from.
func TestUpsertOfQuery(t *testing.T) {
	needServer(t)
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1701))
			of := func(words ...string) string { return words[r.IntN(len(words))] }
			ours, theirs := openNth(t, "ours", seed), openTheirs(t)
			both := func(text string, ask func(*side, string) answer) answer {
				t.Helper()
				a, b := ask(ours, text), ask(theirs, text)
				if what := a.differs(b); what != "" {
					t.Errorf("%s: %s\nours %s\nthey %s", what, text, a, b)
				}
				return a
			}
			for _, text := range []string{
				"CREATE TABLE goal (id INT PRIMARY KEY, u INT UNIQUE, n INT, note VARCHAR(40))",
				"CREATE TABLE src (k INT PRIMARY KEY, g INT, w INT, s VARCHAR(10), at DATETIME)",
				"CREATE TABLE more (k INT PRIMARY KEY, z INT)",
				"INSERT INTO goal VALUES (1, 10, 5, 'a'), (2, 20, NULL, 'b'), (3, NULL, 7, NULL)",
				"INSERT INTO src VALUES (1, 1, 4, 'p', '2024-01-02'), (2, 1, NULL, 'q', NULL), (3, 2, 6, NULL, '2023-05-06 07:08:09'), (4, 5, 8, 'r', NULL), (5, 3, 0, 's', '2022-02-02')",
				"INSERT INTO more VALUES (1, 100), (3, 300), (5, NULL)",
			} {
				if a := both(text, (*side).exec); a.err != nil {
					t.Fatal(a.err)
				}
			}
			worked := 0
			for range 60 {
				x := of("x.k", "x.w", "w", "x.g", "IFNULL(x.w, 0)", "LENGTH(x.s)", "k", "YEAR(at)", "goal.n", "n", "VALUES(n)", "goal.u", "x.missing", "z", "1")
				from := of("src x", "src x LEFT JOIN more ON more.k = x.k", "(SELECT k, g, w, s, at FROM src) x", "(SELECT k, g, MAX(w) AS w, 'm' AS s, at FROM src GROUP BY k, g, at) x")
				if strings.Contains(from, "more") {
					x = strings.TrimSpace(strings.Replace(x, "k", "more.k", map[bool]int{true: 1}[x == "k"]))
				}
				value := of(x, x+" + 1", "n + "+x, "IF("+x+" > 3, VALUES(n), goal.n)")
				if r.IntN(4) == 0 {
					both("INSERT INTO goal (id, u) SELECT DISTINCT x.g, x.w FROM src x WHERE x.w > 4 ORDER BY x.g ON DUPLICATE KEY UPDATE n = "+of("x.w", "g", "x.w + g"), (*side).exec)
				}
				set := "n = " + value + of("", ", note = CONCAT(goal.id, '-', VALUES(note))", ", note = x.s")
				query := "SELECT " + of("", "", "", "ALL ") + "x.g, x.k, " + of("x.w", "x.k + x.g") + ", " + of("x.s", "'n'") + " FROM " + from + of("", " WHERE x.k > 2", " WHERE x.w IS NOT NULL") + " ORDER BY x.k"
				if a := both("INSERT INTO goal (id, u, n, note) "+query+" ON DUPLICATE KEY UPDATE "+set, (*side).exec); a.err == nil {
					worked++
				}
				both("SELECT * FROM goal ORDER BY id", (*side).query)
			}
			if worked < 10 {
				t.Errorf("%d statements worked", worked)
			}
		})
	}
}
