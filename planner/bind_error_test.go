package planner_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// schemaOf makes the tables of CREATE TABLE statements.
func schemaOf(t *testing.T, statements ...string) define.Tables {
	t.Helper()
	f := define.Tables{}
	for _, sql := range statements {
		table, err := tableOf(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		f[strings.ToLower(table.Name)] = table
	}
	return f
}

func tableOf(sql string) (*schema.Table, error) {
	p, err := dialect.Parse(sql, dialect.Options{})
	if err != nil {
		return nil, err
	}
	return define.Define(p.Statement.(*dialect.CreateTable), planner.Options{})
}

func build(f define.Tables, sql string) (*planner.Plan, error) {
	p, err := dialect.Parse(sql, dialect.Options{})
	if err != nil {
		return nil, err
	}
	return planner.Build(p, f, planner.Options{})
}

// TestErrors holds the numbers and texts of what is wrong with a statement: those that MySQL gives.
// doubling is a query whose WITHs use the one before them twice each.
func doubling(levels int, query string) string {
	var b strings.Builder
	b.WriteString("WITH c0 AS (SELECT 1 AS x)")
	for i := range levels {
		fmt.Fprintf(&b, ", c%d AS (%s)", i+1, fmt.Sprintf(query, i))
	}
	fmt.Fprintf(&b, " SELECT x FROM c%d", levels)
	return b.String()
}

func TestErrors(t *testing.T) {
	f := schemaOf(t,
		"CREATE TABLE a (id INT PRIMARY KEY, x INT, y VARCHAR(10) NOT NULL, g INT AS (x + 1) STORED, UNIQUE KEY y (y), KEY x (x))",
		"CREATE TABLE b (id INT PRIMARY KEY, x INT, z INT)",
	)
	for _, c := range []struct {
		sql  string
		code int
		text string
	}{
		{"SELECT q FROM a", 1054, "Unknown column 'q' in 'field list'"},
		{doubling(20, "SELECT x FROM c%[1]d UNION ALL SELECT x FROM c%[1]d"), 1116, "The statement has more than 10000 query blocks, each use of a WITH counted: split it into several"},
		{doubling(20, "SELECT x FROM c%[1]d WHERE x IN (SELECT x FROM c%[1]d)"), 1116, "The statement has more than 10000 query blocks, each use of a WITH counted: split it into several"},
		{"SELECT a.q FROM a", 1054, "Unknown column 'a.q' in 'field list'"},
		{"SELECT c.x FROM a", 1054, "Unknown column 'c.x' in 'field list'"},
		{"SELECT other.a.x FROM a", 1054, "Unknown column 'other.a.x' in 'field list'"},
		{"SELECT x FROM a WHERE q = 1", 1054, "Unknown column 'q' in 'where clause'"},
		{"SELECT x AS q FROM a WHERE q = 1", 1054, "Unknown column 'q' in 'where clause'"},
		{"SELECT x FROM a ORDER BY q", 1054, "Unknown column 'q' in 'order clause'"},
		{"SELECT x FROM a ORDER BY 2", 1054, "Unknown column '2' in 'order clause'"},
		{"SELECT x FROM a GROUP BY q", 1054, "Unknown column 'q' in 'group statement'"},
		{"SELECT x FROM a GROUP BY 0", 1054, "Unknown column '0' in 'group statement'"},
		{"SELECT x FROM a HAVING q = 1", 1054, "Unknown column 'q' in 'having clause'"},
		{"SELECT MIN(id) FROM a GROUP BY x HAVING y = 1", 1054, "Unknown column 'y' in 'having clause'"},
		{"SELECT GROUP_CONCAT(x ORDER BY 2) FROM a", 1054, "Unknown column '2' in 'order clause'"},
		{"SELECT 1 FROM a JOIN b ON a.q = b.id", 1054, "Unknown column 'a.q' in 'on clause'"},
		{"SELECT 1 FROM a JOIN b USING (z)", 1054, "Unknown column 'z' in 'from clause'"},
		{"SELECT 1 FROM a, b JOIN b c ON a.x = c.x", 1054, "Unknown column 'a.x' in 'on clause'"},
		{"SELECT q", 1054, "Unknown column 'q' in 'field list'"},
		{"INSERT INTO a (q) VALUES (1)", 1054, "Unknown column 'q' in 'field list'"},
		{"INSERT INTO a (id) VALUES (xyz)", 1054, "Unknown column 'xyz' in 'field list'"},
		{"UPDATE a SET q = 1", 1054, "Unknown column 'q' in 'field list'"},
		{"INSERT INTO a (id) VALUES (1) ON DUPLICATE KEY UPDATE q = 1", 1054, "Unknown column 'q' in 'field list'"},
		{"SELECT * FROM (SELECT x FROM a) d WHERE d.y = 'b'", 1054, "Unknown column 'd.y' in 'where clause'"},
		{"SELECT * FROM a, (SELECT a.x) d", 1054, "Unknown column 'a.x' in 'field list'"},
		{"SELECT id FROM a, b", 1052, "Column 'id' in field list is ambiguous"},
		{"SELECT 1 FROM a, b WHERE x = 1", 1052, "Column 'x' in where clause is ambiguous"},
		{"SELECT a.x, b.x FROM a, b ORDER BY x", 1052, "Column 'x' in order clause is ambiguous"},
		{"SELECT 1 FROM a, a", 1066, "Not unique table/alias: 'a'"},
		{"SELECT 1 FROM a b, b", 1066, "Not unique table/alias: 'b'"},
		{"SELECT * FROM c", 1146, "Table 'c' doesn't exist"},
		{"SELECT * FROM c WHERE 1 = 0", 1146, "Table 'c' doesn't exist"},
		{"SELECT * FROM d.c", 1146, "Table 'd.c' doesn't exist"},
		{"UPDATE c SET x = 1", 1146, "Table 'c' doesn't exist"},
		{"SELECT c.* FROM a", 1051, "Unknown table 'c'"},
		{"SELECT *", 1096, "No tables used"},
		{"INSERT INTO a (id, x) VALUES (1)", 1136, "Column count doesn't match value count at row 1"},
		{"INSERT INTO a (id) VALUES (1), (2, 3)", 1136, "Column count doesn't match value count at row 2"},
		{"INSERT INTO a (id) SELECT id, x FROM b", 1136, "Column count doesn't match value count at row 1"},
		{"INSERT INTO a (id, ID) VALUES (1, 2)", 1110, "Column 'id' specified twice"},
		{"INSERT INTO a (g) SELECT 1", 3105, "The value specified for generated column 'g' in table 'a' is not allowed."},
		{"UPDATE a SET g = 1", 3105, "The value specified for generated column 'g' in table 'a' is not allowed."},
		{"SELECT x FROM a WHERE COUNT(*) > 1", 1111, "Invalid use of group function"},
		{"SELECT SUM(COUNT(*)) FROM a", 1111, "Invalid use of group function"},
		{"UPDATE a SET x = SUM(x)", 1111, "Invalid use of group function"},
		{"SELECT COUNT(*) AS n FROM a GROUP BY n", 1056, "Can't group on 'n'"},
		{"SELECT y, COUNT(*) FROM a GROUP BY x", 1055, "Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'y'"},
		{"SELECT x FROM a GROUP BY x ORDER BY y", 1055, "Expression #1 of ORDER BY is not in GROUP BY clause"},
		{"SELECT x, COUNT(*) FROM a", 1140, "In aggregated query without GROUP BY, expression #1 of SELECT list contains nonaggregated column 'x'"},
		{"SELECT DISTINCT x FROM a ORDER BY y", 3065, "Expression #1 of ORDER BY clause is not in SELECT list, references column 'y'"},
		{"SELECT (SELECT x, y FROM a) FROM b", 1241, "Operand should contain 1 column(s)"},
		{"SELECT x FROM a WHERE x IN (SELECT id, x FROM b)", 1241, "Operand should contain 1 column(s)"},
		{"SELECT x FROM a WHERE (x, y) IN (SELECT id FROM b)", 1241, "Operand should contain 2 column(s)"},
		{"SELECT (1, 2)", 1241, "Operand should contain 1 column(s)"},
		{"SELECT x FROM a WHERE (x, id) = (1, 2, 3)", 1241, "Operand should contain 2 column(s)"},
		{"SELECT x FROM a UNION SELECT id, x FROM b", 1222, "The used SELECT statements have a different number of columns"},
		{"SELECT x FROM a UNION SELECT id FROM b ORDER BY id", 1054, "Unknown column 'id' in 'order clause'"},
		{"SELECT * FROM (SELECT id, x AS id FROM b) d", 1060, "Duplicate column name 'id'"},
		{"SELECT NOSUCH(x) FROM a", 1305, "FUNCTION NOSUCH does not exist"},
		{"SELECT ABS(x, 1) FROM a", 1582, "Incorrect parameter count in the call to native function 'ABS'"},
		{"SELECT x COLLATE klingon FROM a", 1273, "Unknown collation: 'klingon' (there are utf8mb4_0900_bin, nocase, utf8mb4_bin, utf8mb4_general_ci, utf8mb4_unicode_ci, utf8mb4_unicode_520_ci, utf8mb4_0900_ai_ci, utf8mb4_0900_as_ci, utf8mb4_0900_as_cs)"},
		{"SELECT 1e999", 1367, "Illegal double '1e999' value found during parsing"},
		{"SELECT DATE '2020-13-01'", 1525, "Incorrect DATE value: '2020-13-01'"},
		{"SELECT y LIKE 'a' ESCAPE 'ab' FROM a", 1210, "Incorrect arguments to ESCAPE"},
		{"SELECT x FROM a LIMIT x", 1064, ""},
		{"UPDATE a, b SET a.x = 1, b.x = 2 RETURNING a.x", 1235, "RETURNING of the UPDATE of several tables is not supported"},
		{"DELETE a, b FROM a JOIN b ON a.id = b.id RETURNING a.x", 1235, "RETURNING of the DELETE of several tables is not supported"},
		{"UPDATE a, b SET x = 1", 1052, "Column 'x' in field list is ambiguous"},
		{"UPDATE a, b SET a.x = 1, b.x = 2 LIMIT 1", 1221, "Incorrect usage of multi-table UPDATE and ORDER BY or LIMIT"},
		{"UPDATE a p, a q SET p.x = 1, q.id = 2", 1706, "Primary key/partition key update is not allowed since the table is updated both as 'p' and 'q'."},
		{"UPDATE a, (SELECT id, x FROM b) d SET a.x = 1, d.x = 2", 1288, "The target table d of the UPDATE is not updatable"},
		{"WITH d AS (SELECT id, x FROM b) UPDATE d SET x = 2", 1288, "The target table d of the UPDATE is not updatable"},
		{"WITH d AS (SELECT id, x FROM b) DELETE FROM d", 1288, "The target table d of the DELETE is not updatable"},
		{"DELETE a, d FROM a JOIN (SELECT id, x FROM b) d ON a.id = d.id", 1288, "The target table d of the DELETE is not updatable"},
		{"DELETE a, b, a FROM a JOIN b ON a.id = b.id", 1066, "Not unique table/alias: 'a'"},
		{"DELETE a FROM a p JOIN b ON p.id = b.id", 1109, "Unknown table 'a' in MULTI DELETE"},
		{"DELETE c FROM a JOIN b ON a.id = b.id", 1109, "Unknown table 'c' in MULTI DELETE"},
		{"UPDATE (SELECT COUNT(*) AS n FROM a) d, b SET d.n = 1", 1288, "The target table d of the UPDATE is not updatable"},
		{"INSERT INTO a (id) VALUES (1) ON CONFLICT (x) DO UPDATE SET x = 1", 1176, "ON CONFLICT (x): table 'a' has no primary or unique key on these columns"},
		{"SELECT VALUES(x) FROM a", 1064, "VALUES(column) is for ON DUPLICATE KEY UPDATE only"},
		{"SELECT x FROM a WHERE id = (SELECT SUM(a.x) FROM b)", 1235, "an aggregate of an enclosing query's columns is not supported"},
		{"WITH n (p, q) AS (SELECT 1) SELECT * FROM n", 1353, "In definition of view, derived table or common table expression 'n', SELECT list and column names list have different column counts"},
		{"SELECT ETag FROM a, b", 1052, "Column 'ETag' in field list is ambiguous"},
	} {
		_, err := build(f, c.sql)
		var known *sqlerr.Error
		var syntax *dialect.Error
		switch {
		case errors.As(err, &syntax) && c.code == sqlerr.CodeSyntax:
		case !errors.As(err, &known):
			t.Errorf("%s: %v, want %d %s", c.sql, err, c.code, c.text)
		case known.Code != c.code || !strings.HasPrefix(known.Message, c.text):
			t.Errorf("%s: %d %s, want %d %s", c.sql, known.Code, known.Message, c.code, c.text)
		}
	}
}

// TestErrorPosition: an error says where in the text the name stands.
func TestErrorPosition(t *testing.T) {
	f := schemaOf(t, "CREATE TABLE a (id INT PRIMARY KEY)")
	for sql, name := range map[string]string{
		"SELECT id FROM a WHERE nosuch = 1": "nosuch",
		"SELECT id + NOSUCH(id) FROM a":     "NOSUCH",
		"SELECT id, ABS(id, 1) FROM a":      "ABS",
		"SELECT id, SUM(id, 1) FROM a":      "SUM",
	} {
		_, err := build(f, sql)
		var known *sqlerr.Error
		if !errors.As(err, &known) {
			t.Errorf("%s: %v", sql, err)
		} else if want := strings.Index(sql, name); known.Pos != want {
			t.Errorf("%s: %v at %d, want %d", sql, err, known.Pos, want)
		}
	}
}

// TestErrorInDefinition: expressions of a definition are read apart from the statement, so no place is given.
func TestErrorInDefinition(t *testing.T) {
	for sql, code := range map[string]int{
		"CREATE TABLE a (id INT PRIMARY KEY, x INT DEFAULT (NOSUCH(1)))":        sqlerr.CodeNoSuchFunction,
		"CREATE TABLE a (id INT PRIMARY KEY, x INT CHECK (nosuch > 1))":         sqlerr.CodeUnknownColumn,
		"CREATE TABLE a (id INT PRIMARY KEY, x INT AS ((SELECT 1)) STORED)":     sqlerr.CodeSyntax,
		"CREATE TABLE a (id INT PRIMARY KEY, x INT AS (ABS(id, 1) + 1) STORED)": sqlerr.CodeWrongParameters,
	} {
		_, err := tableOf(sql)
		var known *sqlerr.Error
		if !errors.As(err, &known) || known.Code != code || known.Pos != -1 {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestNames: what a name means where several things have it.
func TestNames(t *testing.T) {
	f := schemaOf(t,
		"CREATE TABLE a (id INT PRIMARY KEY, x INT, y VARCHAR(10) NOT NULL)",
		"CREATE TABLE b (id INT PRIMARY KEY, x INT, Timestamp INT)",
	)
	for _, c := range []struct{ sql, columns string }{
		{"SELECT * FROM a", "id x y"},
		{"SELECT A.ID, X FROM A", "ID X"},
		{"SELECT b.*, a.x FROM a JOIN b ON a.id = b.id", "id x Timestamp x"},
		{"SELECT * FROM a JOIN b USING (id)", "id x y x Timestamp"},
		{"SELECT * FROM a NATURAL JOIN b", "id x y Timestamp"},
		{"SELECT id FROM a NATURAL JOIN b", "id"},
		{"SELECT id, x FROM a NATURAL LEFT JOIN b", "id x"},
		{"SELECT x + 1, x AS y, 'a b' FROM a", "x + 1 y a b"},
		{"SELECT d.n FROM (SELECT id AS n FROM a UNION SELECT 1) d", "n"},
		{"SELECT id FROM a UNION SELECT x FROM b ORDER BY id", "id"},
		{"WITH d (p) AS (SELECT id FROM a) SELECT * FROM d", "p"},
		{"WITH a AS (SELECT 1 AS one) SELECT * FROM a", "one"},
		{"SELECT a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.x AND y = 'k')", "x"},
		{"SELECT x AS id, id AS x FROM a ORDER BY id, x", "id x"},
		{"SELECT COUNT(*) AS n, x FROM a GROUP BY x HAVING n > 1 AND x > 2", "n x"},
		{"SELECT x AS k FROM a GROUP BY k HAVING k > 1", "k"},
		{"SELECT timestamp FROM b", "timestamp"},
		{"SELECT etag FROM a", "etag"},
		{"INSERT INTO a VALUES (1, 2, 'c') RETURNING *", "id x y"},
		{"UPDATE a k SET x = 1 RETURNING k.id, x + 1 AS n", "id n"},
		{"DELETE FROM a RETURNING id", "id"},
	} {
		p, err := build(f, c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var names []string
		for _, col := range p.Columns {
			names = append(names, col.Name)
		}
		if got := strings.Join(names, " "); got != c.columns {
			t.Errorf("%s: columns %q, want %q", c.sql, got, c.columns)
		}
	}
}

// TestNullable: a column of the far side of an outer join can be NULL whatever its definition says.
func TestNullable(t *testing.T) {
	f := schemaOf(t, "CREATE TABLE a (id INT PRIMARY KEY, y VARCHAR(10) NOT NULL)", "CREATE TABLE b (id INT PRIMARY KEY, x INT)")
	for _, c := range []struct {
		sql  string
		want []bool
	}{
		{"SELECT id, y FROM a", []bool{false, false}},
		{"SELECT a.id, b.id FROM a LEFT JOIN b ON a.id = b.id", []bool{false, true}},
		{"SELECT a.id, b.id FROM a RIGHT JOIN b ON a.id = b.id", []bool{true, false}},
		{"SELECT COUNT(*), MAX(id) FROM a", []bool{false, true}},
		{"SELECT id FROM a UNION SELECT x FROM b", []bool{true}},
		{"SELECT d.id FROM (SELECT id FROM a) d LEFT JOIN (SELECT id AS k FROM b) e ON e.k = d.id", []bool{false}},
	} {
		p, err := build(f, c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		for i, col := range p.Columns {
			if col.Nullable != c.want[i] {
				t.Errorf("%s: column %d nullable %v", c.sql, i, col.Nullable)
			}
		}
	}
}
