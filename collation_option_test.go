package nearlyfree_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestCollationOption: the option is about literals and about tables that say nothing; a connection may say otherwise.
func TestCollationOption(t *testing.T) {
	if _, err := nearlyfree.ParseDSN("mem://?collation=klingon"); err == nil || !strings.Contains(err.Error(), "utf8mb4_0900_ai_ci") {
		t.Errorf("an unknown collation: %v", err)
	}
	if _, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://", Collation: "klingon"}); err == nil {
		t.Error("an unknown Config.Collation was taken")
	}
	db, err := sql.Open("nearlyfree", "mem://?collation=utf8mb4_0900_ai_ci")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask := func(query string, args ...any) string {
		t.Helper()
		rows, err := c.QueryContext(t.Context(), query, args...)
		if err != nil {
			return err.Error()
		}
		defer rows.Close()
		columns, _ := rows.Columns()
		var out []string
		for rows.Next() {
			cells, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range cells {
				to[i] = &cells[i]
			}
			if err := rows.Scan(to...); err != nil {
				t.Fatal(err)
			}
			for _, cell := range cells {
				out = append(out, cell.String)
			}
		}
		if err := rows.Err(); err != nil {
			return err.Error()
		}
		return fmt.Sprint(out)
	}
	do := func(statement string) {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	do("CREATE TABLE person (id INT PRIMARY KEY, name VARCHAR(20), code VARCHAR(9) COLLATE utf8mb4_0900_bin, kind ENUM('a', 'b'), UNIQUE KEY (name))")
	do("INSERT INTO person VALUES (1, 'Ann', 'Ann', 'A'), (2, 'Zoé', 'Zoé', 'b')")
	do("CREATE TABLE copy AS SELECT name, code, 'x' AS x FROM person")
	for _, test := range []struct{ query, want string }{
		{"SELECT id FROM person WHERE name = 'ANN'", "[1]"},
		{"SELECT id FROM person WHERE name LIKE 'zoE%'", "[2]"},
		{"SELECT id FROM person WHERE code = 'ANN'", "[]"},
		{"SELECT id FROM person WHERE kind = 'A'", "[1]"},
		{"SELECT 'a' = 'Ä', 'a' = 'a ', 'a' LIKE 'A', CAST('a' AS CHAR) = 'A', UPPER('x') = 'x', COLLATION('a')", "[1 0 1 1 1 utf8mb4_0900_ai_ci]"},
		{"SELECT @@collation_connection, @@collation_database, @@collation_server", "[utf8mb4_0900_ai_ci utf8mb4_0900_ai_ci utf8mb4_0900_ai_ci]"},
		{"SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_NAME = 'copy' ORDER BY ORDINAL_POSITION", "[utf8mb4_0900_ai_ci utf8mb4_0900_bin utf8mb4_0900_ai_ci]"},
		{"SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME <> 'information_schema'", "[utf8mb4_0900_ai_ci]"},
		{"SELECT COUNT(DISTINCT x) FROM (SELECT 'a' AS x UNION ALL SELECT 'A') d", "[1]"},
		{"SELECT CASE 'A' WHEN 'a' THEN 1 END, 'A' IN ('b', 'a'), FIELD('A', 'a'), NULLIF('a', 'A'), INSTR('xA', 'a')", "[1 1 1  2]"},
	} {
		if got := ask(test.query); got != test.want {
			t.Errorf("%s: %s, want %s", test.query, got, test.want)
		}
	}
	if got := ask("SELECT ? = ?, ? = 'A'", "a", "A", "a"); got != "[1 1]" {
		t.Errorf("arguments compare as %s", got)
	}
	do("SET NAMES utf8mb4 COLLATE utf8mb4_0900_bin")
	if got := ask("SELECT ? = ?, ? = 'A'", "a", "A", "a"); got != "[0 0]" {
		t.Errorf("arguments compare as %s after SET NAMES", got)
	}
	if got := ask("SELECT id FROM person WHERE name = 'ANN'"); got != "[1]" {
		t.Errorf("a column compares by the connection's collation: %s", got)
	}
	do("SET collation_connection = utf8mb4_general_ci")
	if got := ask("SELECT 'a' = 'A ', @@collation_connection"); got != "[1 utf8mb4_general_ci]" {
		t.Errorf("SET collation_connection: %s", got)
	}
	if got := ask("SELECT name FROM person WHERE name = 'x' COLLATE klingon"); !strings.Contains(got, "1273") {
		t.Errorf("an unknown collation: %s", got)
	}
}
