package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestCountedByScans: EXPLAIN goes by what the process has seen of a table without statistics. No plan does.
func TestCountedByScans(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*nearlyfree.Config{"memory": {Store: "mem://"}, "service": overService(0, false)} {
		t.Run(name, func(t *testing.T) {
			connector, conn := connect(t, config)
			runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, n INT, s VARCHAR(9), KEY n (n))", "CREATE TABLE b (t INT, id INT, PRIMARY KEY (t, id)) PARTITION BY KEY (t)", "CREATE TABLE c (id INT PRIMARY KEY)")
			var rows []string
			for i := range 2500 {
				rows = append(rows, fmt.Sprintf("(%d, %d, 's%d')", i, i%7, i%50))
			}
			runAll(t, conn, "INSERT INTO a VALUES "+strings.Join(rows, ", "), "INSERT INTO b VALUES (1, 1), (1, 2), (2, 1)", "INSERT INTO c VALUES (5), (6)")
			explain := func(query string) string { return answer(t.Context(), conn, "EXPLAIN "+query) }
			const all = "SELECT * FROM a WHERE s <> 'x'"
			before := explain(all)
			if strings.Contains(before, "about") {
				t.Fatal(before)
			}
			for _, partly := range []string{"SELECT * FROM a LIMIT 5", "SELECT * FROM a WHERE id < 99", "SELECT * FROM a WHERE s = 's7'", "SELECT * FROM a WHERE n = 3"} {
				if err := readAll(conn, partly); err != nil {
					t.Fatal(err)
				}
				if text := explain(all); text != before && partly != "SELECT * FROM a WHERE s = 's7'" {
					t.Errorf("after %s:\n%s", partly, text)
				}
			}
			for _, table := range []string{"a", "b", "c"} {
				if err := readAll(conn, "SELECT COUNT(*) FROM "+table); err != nil {
					t.Fatal(err)
				}
			}
			for query, want := range map[string]string{
				all:                                    "about 3 requests, $0.11 for a million",
				"SELECT COUNT(*) FROM a":               "about 2500 rows, 3 requests, counted by a scan a moment ago",
				"SELECT * FROM a ORDER BY n":           "about 3 requests",
				"SELECT * FROM b":                      "about 3 rows, 1 request, counted",
				"SELECT * FROM a LIMIT 10":             "about 1 request",
				"SELECT * FROM a WHERE id = 7":         "about 1 request",
				"SELECT * FROM a WHERE id < 70":        "",
				"SELECT * FROM c, a WHERE a.id = c.id": "about ",
				"DELETE FROM c":                        "about 2 requests",
			} {
				text := explain(query)
				if want != "" && !strings.Contains(text, want) || want == "" && strings.Contains(text, "about") {
					t.Errorf("%s:\n%s", query, text)
				}
				m := aboutRequests.FindStringSubmatch(text)
				if m == nil || strings.HasPrefix(query, "DELETE") || strings.Contains(query, " c, a ") {
					continue
				}
				was := connector.Stats()
				if err := readAll(conn, query); err != nil {
					t.Fatal(err)
				}
				cost := connector.Stats().Sub(was)
				if got := fmt.Sprint(cost.Requests - cost.SchemaRequests); got != m[2] {
					t.Errorf("%s took %s requests:\n%s", query, got, text)
				}
			}
			plain := func(text string) string {
				var out []string
				for _, line := range strings.Split(text, "\n") {
					line, _, _ = strings.Cut(line, "  about ")
					out = append(out, line)
				}
				return strings.Join(out, "\n")
			}
			if got := plain(explain(all)); got != before {
				t.Errorf("the plan was\n%s\nand is\n%s", before, got)
			}
			runAll(t, conn, "TRUNCATE TABLE a")
			if text := explain(all); strings.Contains(text, "about") {
				t.Errorf("after TRUNCATE:\n%s", text)
			}
		})
	}
}
