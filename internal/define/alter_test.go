package define

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

const alterTable = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), c INT, d INT AS (c + 1) STORED, e INT, KEY ab (a, b), KEY b (b), UNIQUE KEY c (c), CONSTRAINT pos CHECK (e > 0))"

func alter(sql string) (*schema.Table, Change, error) {
	t, err := define(alterTable)
	if err != nil {
		return nil, Change{}, err
	}
	p, err := dialect.Parse("ALTER TABLE t "+sql, dialect.Options{})
	if err != nil {
		return nil, Change{}, err
	}
	return Alter(t, p.Statement.(*dialect.AlterTable).Actions[0], planner.Options{})
}

// describe is the change in short.
func describe(next *schema.Table, ch Change) string {
	var out []string
	if ch.Rewrite {
		var values []string
		for i, from := range ch.From {
			switch {
			case from >= 0:
				values = append(values, fmt.Sprint(from))
			case ch.New[i] == nil:
				values = append(values, "NULL")
			default:
				values = append(values, expr.String(ch.New[i]))
			}
		}
		out = append(out, "rewrite "+strings.Join(values, " "))
	}
	for i, n := range ch.New {
		if n != nil && !ch.Rewrite {
			out = append(out, "new "+next.Columns[i].Name+" "+expr.String(n))
		}
	}
	if ch.Verify {
		out = append(out, "verify")
	}
	for _, ix := range ch.Drop {
		out = append(out, "drop "+ix.KeyName)
	}
	for _, ix := range ch.Fill {
		out = append(out, "fill "+ix.KeyName+next.KeySQL(ix.Key))
	}
	return strings.Join(out, ", ")
}

func TestAlter(t *testing.T) {
	for _, c := range []struct{ sql, want, has string }{
		{"ADD COLUMN f INT", "", "`f` INT"},
		{"ADD COLUMN f INT DEFAULT 7", "new f 7", "`f` INT DEFAULT 7"},
		{"ADD COLUMN f VARCHAR(3) NOT NULL", "new f ''", "`f` VARCHAR(3) NOT NULL"},
		{"ADD COLUMN f INT NOT NULL DEFAULT 1 AFTER a", "new f 1", "`a` INT,\n  `f` INT NOT NULL DEFAULT 1,\n  `b`"},
		{"ADD COLUMN f DATETIME DEFAULT CURRENT_TIMESTAMP", "new f NOW()", "DEFAULT CURRENT_TIMESTAMP"},
		{"ADD COLUMN f CHAR(36) DEFAULT (UUID())", "rewrite 0 1 2 3 4 5 UUID()", "`f` CHAR(36)"},
		{"ADD COLUMN f DATE NOT NULL", "rewrite 0 1 2 3 4 5 NULL, verify", "`f` DATE NOT NULL"},
		{"ADD COLUMN f INT FIRST", "", "(\n  `f` INT,\n  `id`"},
		{"ADD COLUMN f INT AS (a + e)", "rewrite 0 1 2 3 4 5 NULL, verify", "GENERATED ALWAYS AS (a + e)"},
		{"ADD COLUMN f INT UNIQUE", "fill f(`f`)", "UNIQUE KEY `f` (`f`)"},
		{"ADD COLUMN IF NOT EXISTS a INT", "", "`a` INT"},
		{"DROP COLUMN b", "rewrite 0 1 3 4 5, drop ab, drop b, fill ab_2(`a`)", "KEY `ab` (`a`)"},
		{"DROP COLUMN IF EXISTS q", "", "`a` INT"},
		{"RENAME COLUMN a TO z", "", "KEY `ab` (`z`, `b`)"},
		{"CHANGE COLUMN a z BIGINT NOT NULL", "verify", "`z` BIGINT NOT NULL"},
		{"MODIFY COLUMN a BIGINT", "", "`a` BIGINT"},
		{"MODIFY COLUMN a SMALLINT", "rewrite 0 1 2 3 4 5, verify", "`a` SMALLINT"},
		{"MODIFY COLUMN b VARCHAR(20)", "", "`b` VARCHAR(20)"},
		{"MODIFY COLUMN b VARCHAR(5)", "rewrite 0 1 2 3 4 5, verify", "`b` VARCHAR(5)"},
		{"MODIFY COLUMN b VARCHAR(10) COLLATE nocase", "drop ab, drop b, fill ab_2(`a`, `b`), fill b_2(`b`)", "COLLATE nocase"},
		{"MODIFY COLUMN a VARCHAR(10)", "rewrite 0 1 2 3 4 5, verify, drop ab, fill ab_2(`a`, `b`)", "`a` VARCHAR(10)"},
		{"MODIFY COLUMN id BIGINT", "", "`id` BIGINT NOT NULL"},
		{"MODIFY COLUMN a INT COMMENT 'x' AFTER e", "", "`e` INT,\n  `a` INT COMMENT 'x'"},
		{"ALTER COLUMN a SET DEFAULT 3", "", "`a` INT DEFAULT 3"},
		{"ALTER COLUMN a DROP DEFAULT", "", "`a` INT,"},
		{"ADD INDEX (a)", "fill a(`a`)", "KEY `a` (`a`)"},
		{"ADD UNIQUE KEY u (a, e)", "fill u(`a`, `e`)", "UNIQUE KEY `u` (`a`, `e`)"},
		{"DROP INDEX ab", "drop ab", "KEY `b` (`b`)"},
		{"RENAME INDEX ab TO ba", "", "KEY `ba` (`a`, `b`)"},
		{"RENAME TO u", "", "CREATE TABLE `u`"},
		{"ADD CONSTRAINT small CHECK (a < 100)", "verify", "CONSTRAINT `small` CHECK (a < 100)"},
		{"DROP CHECK pos", "", "`e` INT"},
		{"DROP CONSTRAINT pos", "", "`e` INT"},
		{"DROP CONSTRAINT C", "drop c", "KEY `b` (`b`)"},
		{"DROP CONSTRAINT IF EXISTS q", "", "`a` INT"},
		{"COMMENT = 'hello'", "", "COMMENT='hello'"},
	} {
		next, ch, err := alter(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got := describe(next, ch); got != c.want {
			t.Errorf("%s: %q, want %q", c.sql, got, c.want)
		}
		next.EndChange() // a column that is not filled yet is not shown
		if sql := schema.CreateTableSQL(next); !strings.Contains(sql, c.has) {
			t.Errorf("%s: no %q in\n%s", c.sql, c.has, sql)
		} else if _, err := define(sql); err != nil {
			t.Errorf("%s: %v\n%s", c.sql, err, sql)
		}
	}
}

// TestAlterKeepsProperty: values stay where they are under a new name, and nothing else gets their place.
func TestAlterKeepsProperty(t *testing.T) {
	next, _, err := alter("RENAME COLUMN a TO z")
	if err != nil {
		t.Fatal(err)
	}
	if p := next.Columns[next.Ordinal("z")].Property; p != "a" {
		t.Errorf("property %s", p)
	}
	next, _, err = Alter(next, dialect.AlterAction{Kind: dialect.AddColumn, Column: dialect.ColumnDef{Name: "a", Type: dialect.TypeName{Name: "INT"}}}, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := next.Columns[next.Ordinal("a")].Property; strings.EqualFold(p, "a") {
		t.Errorf("two columns in property %s", p)
	}
}

// TestKeyNamesOnce: an index made after another of the same name was dropped has keys of its own.
func TestKeyNamesOnce(t *testing.T) {
	next, _, err := alter("DROP INDEX b")
	if err != nil {
		t.Fatal(err)
	}
	next, ch, err := Alter(next, dialect.AlterAction{Kind: dialect.AddIndex, Index: dialect.IndexDef{Name: "b", Parts: []dialect.KeyColumn{{Column: "b"}}}}, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if k := ch.Fill[0].KeyName; k == "b" || next.Index("b").KeyName != k {
		t.Errorf("key name %s", k)
	}
}

// TestAlterLeavesOld: the definition that is in use does not change.
func TestAlterLeavesOld(t *testing.T) {
	old, err := define(alterTable)
	if err != nil {
		t.Fatal(err)
	}
	before := stored(t, old)
	for _, sql := range []string{"DROP COLUMN b", "MODIFY COLUMN a VARCHAR(10) FIRST", "ADD COLUMN q INT FIRST", "RENAME COLUMN a TO z", "ADD INDEX (e)"} {
		p, err := dialect.Parse("ALTER TABLE t "+sql, dialect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Alter(old, p.Statement.(*dialect.AlterTable).Actions[0], planner.Options{}); err != nil {
			t.Fatal(err)
		}
		if after := stored(t, old); after != before {
			t.Errorf("%s changed the old definition\n%s\n%s", sql, before, after)
		}
	}
}

func TestAlterErrors(t *testing.T) {
	for _, c := range []struct {
		sql  string
		code int
		text string
	}{
		{"ADD COLUMN A INT", 1060, "Duplicate column name 'A'"},
		{"ADD COLUMN f INT AFTER q", 1054, "Unknown column 'q' in 't'"},
		{"ADD COLUMN f INT PRIMARY KEY", 1068, ""},
		{"DROP COLUMN q", 1091, "Can't DROP 'q'; check that column/key exists"},
		{"DROP COLUMN id", 1235, "dropping 'id', a column of the primary key, is not supported"},
		{"DROP COLUMN c", 3108, "Column 'c' has a generated column dependency."},
		{"DROP COLUMN e", 3959, "Check constraint 'pos' uses column 'e', hence column cannot be dropped or renamed."},
		{"RENAME COLUMN e TO f", 3959, "Check constraint 'pos' uses column 'e'"},
		{"RENAME COLUMN a TO b", 1060, "Duplicate column name 'b'"},
		{"RENAME COLUMN q TO r", 1054, "Unknown column 'q' in 't'"},
		{"MODIFY COLUMN q INT", 1054, "Unknown column 'q' in 't'"},
		{"MODIFY COLUMN id VARCHAR(10)", 1235, "changing 'id', a column of the primary key, from INT to VARCHAR(10) is not supported"},
		{"MODIFY COLUMN id INT NULL", 1171, ""},
		{"ADD PRIMARY KEY (a)", 1068, "Multiple primary key defined"},
		{"DROP PRIMARY KEY", 1235, "ALTER TABLE … DROP PRIMARY KEY is not supported"},
		{"ADD INDEX ab (e)", 1061, "Duplicate key name 'ab'"},
		{"ADD INDEX x (q)", 1072, "Key column 'q' doesn't exist in table"},
		{"DROP INDEX q", 1091, "Can't DROP 'q'"},
		{"RENAME INDEX q TO r", 1176, "Key 'q' doesn't exist in table 't'"},
		{"RENAME INDEX ab TO b", 1061, "Duplicate key name 'b'"},
		{"DROP CONSTRAINT q", 3940, "Constraint 'q' does not exist."},
		{"DROP CONSTRAINT ab", 3940, "Constraint 'ab' does not exist."},
		{"DROP CONSTRAINT `primary`", 1235, "ALTER TABLE … DROP PRIMARY KEY is not supported"},
		{"DROP CHECK q", 3821, "Check constraint 'q' is not found in the table."},
		{"ADD FOREIGN KEY (q) REFERENCES u (x)", 1072, "Key column 'q' doesn't exist in table"},
		{"DROP FOREIGN KEY q", 1091, "Can't DROP 'q'"},
		{"ALTER COLUMN a SET DEFAULT 'x'", 1067, "Invalid default value for 'a'"},
		{"DROP PARTITION p", 1505, "Partition management on a not partitioned table is not possible"},
	} {
		_, _, err := alter(c.sql)
		var known *sqlerr.Error
		if !errors.As(err, &known) || known.Code != c.code || !strings.HasPrefix(known.Message, c.text) {
			t.Errorf("%s: %v, want %d %s", c.sql, err, c.code, c.text)
		}
	}
}
