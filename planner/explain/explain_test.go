package explain_test

import (
	"database/sql"
	"fmt"
	"log"
	"strings"
	"testing"

	_ "github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/planner/explain"
)

const schema = `
	CREATE TABLE customer (id INT PRIMARY KEY AUTO_INCREMENT, surname VARCHAR(50) NOT NULL, city VARCHAR(50), KEY (surname));
	CREATE TABLE expense (id INT, customer INT, amount DECIMAL(10,2), PRIMARY KEY (id));
	ALTER TABLE expense ADD COLUMN paid BOOL NOT NULL DEFAULT FALSE;
	CREATE INDEX customer ON expense (customer);
	CREATE TABLE item (expense INT, line INT, text VARCHAR(100), PRIMARY KEY (expense, line), FOREIGN KEY (expense) REFERENCES expense (id)) INTERLEAVE IN PARENT expense;
	CREATE TABLE visit (id INT PRIMARY KEY, customer INT, FOREIGN KEY (customer) REFERENCES customer (id) ON DELETE CASCADE);
	ALTER TABLE item ADD COLUMN visit INT;
	ALTER TABLE item ADD FOREIGN KEY (visit) REFERENCES visit (id);`

func ExampleStatement() {
	const definitions = `
		CREATE TABLE customer (id INT PRIMARY KEY, surname VARCHAR(50), city VARCHAR(50));
		CREATE INDEX surname ON customer (surname)`
	for _, statement := range []string{"SELECT id FROM customer WHERE surname LIKE ?", "SELECT id FROM customer WHERE city LIKE ?"} {
		p, err := explain.Statement(definitions, statement, "Sm%")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(p.Text)
		if p.Refused != nil {
			fmt.Println(p.Refused)
		}
	}
	// Output:
	// project id
	//   row-key range customer.surname  span [surname!Sm, surname!Sn)  columns id, surname  requests ≥ 1
	// requests ≥ 1
	// project id
	//   partition scan customer  check city LIKE 'Sm%'  columns id, city  requests ≥ 1
	// requests ≥ 1
	// the statement reads the whole table of customer: no key serves city LIKE ?; an index on (city) would. The hint /*+ allow_scan */ allows it
}

// TestSameAsDriver: the plan is the one that EXPLAIN prints.
func TestSameAsDriver(t *testing.T) {
	db, err := sql.Open("nearlyfree", "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(schema); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		text    string
		args    []any
		refused bool
	}{
		{"SELECT * FROM customer WHERE id = ?", []any{7}, false},
		{"DELETE FROM customer WHERE id = ?", []any{7}, false},
		{"INSERT INTO item VALUES (1, 1, 'x', 5)", nil, false},
		{"DELETE FROM visit WHERE id = ?", []any{7}, false},
		{"SELECT * FROM customer WHERE city = ?", []any{"Bern"}, true},
		{"SELECT /*+ allow_scan */ * FROM customer WHERE city = ?", []any{"Bern"}, false},
		{"SELECT * FROM expense e JOIN customer c ON c.id = e.customer WHERE c.surname = ?", []any{"Smith"}, false},
		{"SELECT * FROM item WHERE expense = :id", []any{int8(3)}, false},
		{"SELECT paid FROM expense WHERE customer IN (?, ?)", []any{1, uint64(2)}, false},
		{"INSERT INTO customer (surname) VALUES (?), (?)", []any{"a", nil}, false},
		{"UPDATE expense SET amount = ? WHERE id = ?", []any{1.5, 2}, false},
		{"DELETE FROM expense WHERE customer = ?", []any{2}, false},
	} {
		p, err := explain.Statement(schema, s.text, s.args...)
		if err != nil {
			t.Errorf("%s: %v", s.text, err)
			continue
		}
		rows, err := db.Query("EXPLAIN "+s.text, s.args...)
		if err != nil {
			t.Fatal(s.text, err)
		}
		var want strings.Builder
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			want.WriteString(line + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if p.Text != want.String() || !strings.Contains(p.Text, fmt.Sprintf("\nrequests ≥ %d", p.Requests)) || (p.Refused != nil) != s.refused {
			t.Errorf("%s: %d requests, %v\n%swant\n%s", s.text, p.Requests, p.Refused, p.Text, want.String())
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		definitions, statement string
		args                   []any
		want                   string
	}{
		{"CREATE TABLE", "SELECT 1", nil, "definition 1: "},
		{"CREATE TABLE t (a INT); DROP TABLE t", "SELECT 1", nil, "definition 2: a definition is CREATE TABLE, CREATE VIEW, CREATE INDEX or ALTER TABLE"},
		{"CREATE TABLE t (a INT); CREATE TABLE u LIKE t", "SELECT 1", nil, "definition 2: a definition is CREATE TABLE with columns"},
		{"CREATE INDEX a ON t (a)", "SELECT 1", nil, "definition 1: "},
		{"CREATE TABLE t (a INT)", "SELECT b FROM t", nil, "Unknown column 'b'"},
		{"CREATE TABLE t (a INT)", "SELECT a FROM u", nil, "'u' doesn't exist"},
		{"CREATE TABLE t (a INT)", "SELECT a FROM t WHERE a = ?", []any{1, 2}, "the statement has 1 placeholder, and the call 2 arguments"},
		{"CREATE TABLE t (a INT)", "SELECT a FROM t WHERE a = ?", []any{struct{}{}}, "argument 1: "},
		{"CREATE TABLE t (a INT)", "SHOW TABLES", nil, "only SELECT, INSERT"},
	} {
		_, err := explain.Statement(c.definitions, c.statement, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s; %s: %v, want %q", c.definitions, c.statement, err, c.want)
		}
	}
}
