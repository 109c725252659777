package tests

import (
	"database/sql"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

var didNumber = regexp.MustCompile(`(rows|requests|entities read|entities written|runs) (\d+)`)

// did reads what EXPLAIN ANALYZE says of a line.
func did(line string) map[string]int64 {
	_, text, found := strings.Cut(line, "  did: ")
	if !found {
		return nil
	}
	out := map[string]int64{}
	for _, m := range didNumber.FindAllStringSubmatch(text, -1) {
		out[m[1]], _ = strconv.ParseInt(m[2], 10, 64)
	}
	return out
}

// TestExplainAnalyze: what EXPLAIN ANALYZE says is what the statement costs without it, and the operators' parts are the whole.
func TestExplainAnalyze(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*nearlyfree.Config{"memory": {Store: "mem://"}, "service": overService(0, false)} {
		t.Run(name, func(t *testing.T) {
			connector, conn := connect(t, config)
			runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, n INT, s VARCHAR(20), KEY n (n))",
				"CREATE TABLE b (t INT, id INT, n INT, PRIMARY KEY (t, id), KEY n (n)) PARTITION BY KEY (t)",
				"CREATE TABLE c (a INT, line INT, n INT, PRIMARY KEY (a, line), FOREIGN KEY (a) REFERENCES a (id) ON DELETE CASCADE) INTERLEAVE IN PARENT a WITH PARENT",
				"INSERT INTO a VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 1, 'z'), (4, 9, 'w')",
				"INSERT INTO b VALUES (1, 1, 1), (1, 2, 2), (2, 1, 1), (7, 7, 7)", "INSERT INTO c VALUES (1, 1, 5), (1, 2, 6), (3, 1, 7)")
			for _, c := range []struct {
				statement string
				rows      int64
			}{
				{"SELECT * FROM a WHERE id = 1", 1},
				{"SELECT * FROM a WHERE id = 77", 0},
				{"SELECT * FROM a WHERE id IN (1, 2, 99)", 2},
				{"SELECT s FROM a WHERE n = 1 ORDER BY id LIMIT 1", 1},
				{"SELECT a.s, b.id FROM a JOIN b ON b.t = a.id WHERE a.id < 4", 3},
				{"SELECT a.s, b.id FROM a LEFT JOIN b ON b.t = a.id AND b.id = a.n WHERE a.id = 1", 1},
				{"SELECT a.s, c.n FROM a JOIN c ON c.a = a.id WHERE a.id < 3", 2},
				{"SELECT id, (SELECT COUNT(*) FROM b WHERE b.t = a.id) FROM a", 4},
				{"SELECT id FROM a WHERE n > (SELECT MIN(n) FROM b)", 2},
				{"SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.t = a.id)", 2},
				{"SELECT id FROM a UNION SELECT id FROM b", 5},
				{"SELECT n, COUNT(*) FROM a GROUP BY n HAVING COUNT(*) > 1", 1},
				{"SELECT 1", 1},
				{"INSERT INTO a VALUES (10, 10, 'i'), (11, 11, 'j')", 2},
				{"INSERT INTO a SELECT t + 20, n, 'b' FROM b WHERE id = 1", 2},
				{"UPDATE a SET n = n + 1 WHERE n = 1", 4},
				{"UPDATE b SET n = 0 WHERE t = 1 AND id = 2", 1},
				{"DELETE FROM a WHERE id > 9", 4},
			} {
				before := connector.Stats()
				var lines []string
				rows, err := conn.QueryContext(t.Context(), "EXPLAIN ANALYZE "+c.statement)
				if err != nil {
					t.Fatalf("%s: %v", c.statement, err)
				}
				for rows.Next() {
					var line string
					if err := rows.Scan(&line); err != nil {
						t.Fatal(err)
					}
					lines = append(lines, line)
				}
				if err := rows.Close(); err != nil {
					t.Fatal(err)
				}
				cost := connector.Stats().Sub(before)
				total := did(lines[len(lines)-1])
				if total["rows"] != c.rows || total["requests"] != (cost.Requests-cost.SchemaRequests) || total["entities read"] != cost.EntitiesReturned || total["entities written"] != cost.EntitiesWritten {
					t.Errorf("%s: %v, %+v\n%s", c.statement, total, cost, strings.Join(lines, "\n"))
				}
				var requests, entities int64
				for _, line := range lines[:len(lines)-1] {
					requests += did(line)["requests"]
					entities += did(line)["entities read"]
				}
				if cost.EntitiesWritten == 0 && (requests != (cost.Requests-cost.SchemaRequests) || entities != cost.EntitiesReturned) || requests > (cost.Requests-cost.SchemaRequests) {
					t.Errorf("%s: the operators have read %d entities by %d requests, the statement %d by %d\n%s", c.statement, entities, requests, cost.EntitiesReturned, (cost.Requests - cost.SchemaRequests), strings.Join(lines, "\n"))
				}
				if cost.EntitiesWritten > 0 {
					continue
				}
				before = connector.Stats()
				if n := int64(len(queryStrings(t, conn, c.statement))); n != c.rows {
					t.Errorf("%s: %d rows", c.statement, n)
				}
				if again := connector.Stats().Sub(before); again.Requests-again.SchemaRequests != (cost.Requests - cost.SchemaRequests) {
					t.Errorf("%s: %d requests with EXPLAIN ANALYZE, %d without", c.statement, cost.Requests-cost.SchemaRequests, again.Requests-again.SchemaRequests)
				}
			}
		})
	}
}

// queryStrings gives the rows of a query as texts.
func queryStrings(t *testing.T, conn *sql.Conn, q string) (out []string) {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells, at := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			at[i] = &cells[i]
		}
		if err := rows.Scan(at...); err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = c.String
		}
		out = append(out, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestExplainFormats: the same plan as text, as a drawing and as JSON.
func TestExplainFormats(t *testing.T) {
	_, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, n INT)")
	const query = "SELECT n, (SELECT MAX(n) FROM a b WHERE b.id > a.n) FROM a WHERE id < 5 ORDER BY n"
	want := "project n, (subquery 0)\n" +
		"├─ subquery 0  once for each a.n\n" +
		"│  └─ project MAX(n)\n" +
		"│     └─ aggregate MAX(n)\n" +
		"│        └─ row-key range a as b  span id > a.n  check n IS NOT NULL  columns id, n  requests ≥ 1\n" +
		"└─ sort by n\n" +
		"   └─ row-key range a  span [PK!, PK!8000000000000005)  columns id, n  requests ≥ 1\n" +
		"requests ≥ 1  as 1 for each 1000 entities of a + (1 for each 1000 entities of b) for each a.n"
	if got := strings.Join(queryStrings(t, conn, "EXPLAIN FORMAT=TREE "+query), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	flat := strings.NewReplacer("│  ", "  ", "├─ ", "  ", "└─ ", "  ", "   ", "  ")
	text := strings.Join(queryStrings(t, conn, "EXPLAIN "+query), "\n")
	if got := flat.Replace(want); got != text {
		t.Errorf("EXPLAIN says\n%s\nand its tree\n%s", text, got)
	}
	type node struct {
		Operator, Did string
		How           []string
		Inputs        []*node
	}
	var doc struct {
		Plan          []*node
		LeastRequests int `json:"least_requests"`
		Did           string
	}
	for _, analyze := range []string{"", "ANALYZE "} {
		if err := json.Unmarshal([]byte(queryStrings(t, conn, "EXPLAIN "+analyze+"FORMAT=JSON "+query)[0]), &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Plan) != 1 || len(doc.Plan[0].Inputs) != 2 || doc.LeastRequests != 1 || (doc.Did == "") != (analyze == "") {
			t.Errorf("%+v", doc)
		}
		scan := doc.Plan[0].Inputs[1].Inputs[0]
		if scan.Operator != "row-key range a" || scan.How[0] != "span [PK!, PK!8000000000000005)" {
			t.Errorf("%+v", scan)
		}
	}
	doc.Plan = nil
	if err := json.Unmarshal([]byte(queryStrings(t, conn, "EXPLAIN FORMAT=JSON SELECT id FROM a WHERE CONCAT(n, 'x  y') = '  '")[0]), &doc); err != nil {
		t.Fatal(err)
	}
	if scan := doc.Plan[0].Inputs[0]; len(scan.How) != 3 || scan.How[0] != "check CONCAT(n, 'x  y') = '  '" {
		t.Errorf("%+v", scan)
	}
	if _, err := conn.ExecContext(t.Context(), "EXPLAIN FORMAT=XML SELECT 1"); err == nil || !strings.Contains(err.Error(), "TREE and JSON") {
		t.Error(err)
	}
}
