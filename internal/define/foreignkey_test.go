package define

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// TestForeignKeys: a definition gets its foreign keys with their names and the indexes that they need, and its own statement makes
// the same again.
func TestForeignKeys(t *testing.T) {
	for _, c := range []struct{ sql, has string }{
		{"CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES p (id))", "  KEY `a` (`a`),\n  CONSTRAINT `t_ibfk_1` FOREIGN KEY (`a`) REFERENCES `p` (`id`)\n"},
		{"CREATE TABLE t (a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id))", "  KEY `f` (`a`),\n  CONSTRAINT `f` FOREIGN KEY (`a`)"},
		{"CREATE TABLE t (a INT, FOREIGN KEY i (a) REFERENCES p (id))", "  KEY `i` (`a`),\n  CONSTRAINT `t_ibfk_1` FOREIGN KEY (`a`)"},
		{"CREATE TABLE t (a INT, b INT, KEY both (a, b), FOREIGN KEY (a) REFERENCES p (id))", "  KEY `both` (`a`, `b`),\n  CONSTRAINT"},
		{"CREATE TABLE t (a INT, b INT, KEY f (b), CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id))", "  KEY `f` (`b`),\n  KEY `a` (`a`),\n  CONSTRAINT `f`"},
		{"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b), FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (b, a) REFERENCES p (x, y))",
			"  PRIMARY KEY (`a`, `b`),\n  KEY `b` (`b`, `a`),\n  CONSTRAINT `t_ibfk_1` FOREIGN KEY (`a`) REFERENCES `p` (`id`),\n  CONSTRAINT `t_ibfk_2` FOREIGN KEY (`b`, `a`) REFERENCES `p` (`x`, `y`)\n"},
		{"CREATE TABLE t (a INT, CONSTRAINT t_ibfk_7 FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (a) REFERENCES q (id))", "CONSTRAINT `t_ibfk_8` FOREIGN KEY"},
		{"CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES p (id) ON UPDATE CASCADE ON DELETE SET NULL)", "ON DELETE SET NULL ON UPDATE CASCADE"},
		{"CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES p (id) ON UPDATE NO ACTION ON DELETE RESTRICT)", "(`id`) ON DELETE RESTRICT\n"},
		{"CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES p (id) MATCH FULL ON DELETE CASCADE NOT ENFORCED)", "`a` INT,\n  CONSTRAINT `t_ibfk_1` FOREIGN KEY (`a`) REFERENCES `p` (`id`) ON DELETE CASCADE NOT ENFORCED\n"},
		{"CREATE TABLE t (a INT REFERENCES p (id) ON DELETE CASCADE)", "(\n  `a` INT\n)"},
	} {
		table, err := define(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		sql := schema.CreateTableSQL(table)
		if !strings.Contains(sql, c.has) {
			t.Errorf("%s: no %q in\n%s", c.sql, c.has, sql)
		}
		if again, err := define(sql); err != nil || schema.CreateTableSQL(again) != sql {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func wantCode(t *testing.T, what string, err error, code int, text string) {
	t.Helper()
	var known *sqlerr.Error
	if code == 0 && err == nil {
		return
	}
	if !errors.As(err, &known) || known.Code != code || !strings.HasPrefix(known.Message, text) {
		t.Errorf("%s: %v, want %d %s", what, err, code, text)
	}
}

func TestForeignKeyErrors(t *testing.T) {
	for _, c := range []struct {
		columns string
		code    int
		text    string
	}{
		{"FOREIGN KEY (q) REFERENCES p (id)", 1072, "Key column 'q' doesn't exist in table"},
		{"FOREIGN KEY (a, a) REFERENCES p (id, x)", 1060, "Duplicate column name 'a'"},
		{"FOREIGN KEY (a) REFERENCES p", 1239, "Incorrect foreign key definition for 't_ibfk_1': Key reference and table reference don't match"},
		{"FOREIGN KEY (a, b) REFERENCES p (id)", 1239, "Incorrect foreign key definition for 't_ibfk_1'"},
		{"FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET DEFAULT", 1215, "Cannot add foreign key constraint: ON DELETE SET DEFAULT is not supported"},
		{"FOREIGN KEY (a) REFERENCES p (id) ON UPDATE SET DEFAULT", 1215, "Cannot add foreign key constraint: ON UPDATE SET DEFAULT is not supported"},
		{"FOREIGN KEY (b) REFERENCES p (id) ON UPDATE SET NULL", 1830, "Column 'b' cannot be NOT NULL: needed in a foreign key constraint 't_ibfk_1' SET NULL"},
		{"FOREIGN KEY (g) REFERENCES p (id) ON DELETE SET NULL", 3104, "Cannot define foreign key with ON DELETE SET NULL clause on a generated column."},
		{"FOREIGN KEY (g) REFERENCES p (id) ON UPDATE CASCADE", 3104, "Cannot define foreign key with ON UPDATE CASCADE clause on a generated column."},
		{"CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id), CONSTRAINT F FOREIGN KEY (b) REFERENCES p (id)", 1826, "Duplicate foreign key constraint name 'F'"},
	} {
		_, err := define("CREATE TABLE t (a INT, b INT NOT NULL, g INT AS (a + 1), " + c.columns + ")")
		wantCode(t, c.columns, err, c.code, c.text)
	}
}

// TestCheckForeignKey: what a foreign key refers to is a whole unique key of the same types.
func TestCheckForeignKey(t *testing.T) {
	const parent = "CREATE TABLE p (id INT PRIMARY KEY, b BIGINT UNIQUE, u INT UNSIGNED UNIQUE, s VARCHAR(10) UNIQUE, ci VARCHAR(10) COLLATE nocase UNIQUE, " +
		"d DECIMAL(10,2) UNIQUE, at DATETIME UNIQUE, x INT, y INT, z INT, KEY (z), UNIQUE xy (x, y), UNIQUE part (s(3), x))"
	for _, c := range []struct {
		columns, refs string
		code          int
		text          string
	}{
		{"i INT", "id", 0, ""},
		{"i INT", "q", 3734, "Failed to add the foreign key constraint. Missing column 'q' for constraint 't_ibfk_1' in the referenced table 'p'"},
		{"i BIGINT", "id", 3780, "Referencing column 'i' and referenced column 'id' in foreign key constraint 't_ibfk_1' are incompatible."},
		{"i BIGINT", "b", 0, ""},
		{"i INT", "u", 3780, ""},
		{"i VARCHAR(200)", "s", 0, ""},
		{"i VARCHAR(10)", "ci", 3780, ""},
		{"i DECIMAL(10,2)", "d", 0, ""},
		{"i DECIMAL(12,2)", "d", 3780, ""},
		{"i TIMESTAMP NULL", "at", 3780, ""},
		{"i DATE", "at", 3780, ""},
		{"i INT", "z", 6125, "Failed to add the foreign key constraint. Missing unique key for constraint 't_ibfk_1' in the referenced table 'p'"},
		{"i INT", "x", 6125, ""},
		{"i INT", "y", 1822, "Failed to add the foreign key constraint. Missing index for constraint 't_ibfk_1' in the referenced table 'p'"},
		{"i INT, j INT", "x, y", 0, ""},
		{"i INT, j INT", "y, x", 1822, ""},
	} {
		p, err := define(parent)
		if err != nil {
			t.Fatal(err)
		}
		own := "i"
		if strings.Contains(c.refs, ",") {
			own = "i, j"
		}
		child, err := define("CREATE TABLE t (" + c.columns + ", FOREIGN KEY (" + own + ") REFERENCES p (" + c.refs + "))")
		if err != nil {
			t.Fatal(err)
		}
		wantCode(t, c.columns+" of "+c.refs, CheckForeignKey(child, &child.ForeignKeys[0], p), c.code, c.text)
	}
	whole, err := define("CREATE TABLE p (id INT PRIMARY KEY)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		clause string
		code   int
		text   string
	}{
		{"PARTITION BY HASH (id) PARTITIONS 4", 0, ""},
		{"PARTITION BY KEY (id)", 1235, "the foreign key 't_ibfk_1' without the column 'id' is not supported"},
		{"PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (5))", 0, ""},
	} {
		child, err := define("CREATE TABLE t (id INT PRIMARY KEY, i INT, FOREIGN KEY (i) REFERENCES p (id)) " + c.clause)
		if err != nil {
			t.Fatal(err)
		}
		wantCode(t, c.clause, CheckForeignKey(child, &child.ForeignKeys[0], whole), c.code, c.text)
	}
}

// TestAlterForeignKeys: an ALTER TABLE leaves foreign keys what they need, on both sides.
func TestAlterForeignKeys(t *testing.T) {
	const childSQL = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(9), c INT, KEY wide (a, c), CONSTRAINT f FOREIGN KEY (a) REFERENCES p (x) ON DELETE SET NULL, CONSTRAINT g FOREIGN KEY (b) REFERENCES p (y))"
	const parentSQL = "CREATE TABLE p (id INT PRIMARY KEY, x INT, y VARCHAR(9), n INT, UNIQUE ux (x), UNIQUE uy (y), KEY (n))"
	for _, c := range []struct {
		sql  string
		code int
		text string
	}{
		{"ALTER TABLE t DROP COLUMN a", 1828, "Cannot drop column 'a': needed in a foreign key constraint 'f'"},
		{"ALTER TABLE t DROP COLUMN c", 1553, "Cannot drop index 'wide': needed in a foreign key constraint"},
		{"ALTER TABLE t DROP INDEX wide", 1553, "Cannot drop index 'wide': needed in a foreign key constraint"},
		{"ALTER TABLE t DROP INDEX g", 1553, "Cannot drop index 'g': needed in a foreign key constraint"},
		{"ALTER TABLE t RENAME INDEX g TO h", 0, ""},
		{"ALTER TABLE t MODIFY a BIGINT", 1832, "Cannot change column 'a': used in a foreign key constraint 'f'"},
		{"ALTER TABLE t MODIFY a INT NOT NULL", 1830, "Column 'a' cannot be NOT NULL: needed in a foreign key constraint 'f' SET NULL"},
		{"ALTER TABLE t MODIFY b VARCHAR(5)", 0, ""},
		{"ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE nocase", 1832, "Cannot change column 'b': used in a foreign key constraint 'g'"},
		{"ALTER TABLE t RENAME COLUMN a TO aa", 0, ""},
		{"ALTER TABLE t DROP FOREIGN KEY F", 0, ""},
		{"ALTER TABLE t DROP CONSTRAINT g", 0, ""},
		{"ALTER TABLE t DROP FOREIGN KEY q", 1091, "Can't DROP 'q'"},
		{"ALTER TABLE t DROP FOREIGN KEY IF EXISTS q", 0, ""},
		{"ALTER TABLE p DROP COLUMN x", 1829, "Cannot drop column 'x': needed in a foreign key constraint 'f' of table 't'"},
		{"ALTER TABLE p DROP INDEX uy", 1553, "Cannot drop index 'uy': needed in a foreign key constraint"},
		{"ALTER TABLE p RENAME INDEX uy TO yy", 0, ""},
		{"ALTER TABLE p DROP INDEX n", 0, ""},
		{"ALTER TABLE p MODIFY x BIGINT", 1833, "Cannot change column 'x': used in a foreign key constraint 'f' of table 't'"},
		{"ALTER TABLE p MODIFY y VARCHAR(20) NOT NULL FIRST", 0, ""},
		{"ALTER TABLE p CHANGE y z VARCHAR(9)", 0, ""},
		{"ALTER TABLE p DROP COLUMN n", 0, ""},
	} {
		child, err := define(childSQL)
		if err != nil {
			t.Fatal(err)
		}
		parent, err := define(parentSQL)
		if err != nil {
			t.Fatal(err)
		}
		table := map[string]*schema.Table{"t": child, "p": parent}[c.sql[12:13]]
		parsed, err := dialect.Parse(c.sql, dialect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		next, change, err := Alter(table, parsed.Statement.(*dialect.AlterTable).Actions[0], planner.Options{})
		if err == nil && table == parent {
			for i := range child.ForeignKeys {
				if err == nil {
					err = KeepsReferred(parent, next, change.From, child, &child.ForeignKeys[i])
				}
			}
		}
		wantCode(t, c.sql, err, c.code, c.text)
	}
}

// TestForeignKeyStep: everybody who writes keeps a foreign key before anybody relies on it; it may go at once.
func TestForeignKeyStep(t *testing.T) {
	table, err := define("CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id))")
	if err != nil {
		t.Fatal(err)
	}
	in := func(state schema.State) *schema.Table {
		next := table.Clone()
		next.ForeignKeys[0].State = state
		return next
	}
	none := table.Clone()
	none.ForeignKeys = nil
	renamed := in(schema.Public)
	renamed.Name, renamed.ForeignKeys[0].Name, renamed.ForeignKeys[0].Parent = "u", "u_ibfk_1", "q"
	for _, c := range []struct {
		from, to *schema.Table
		refused  bool
	}{
		{none, in(schema.Public), true}, {none, in(schema.WriteOnly), false}, {in(schema.WriteOnly), in(schema.Public), false},
		{in(schema.WriteOnly), none, false}, {in(schema.Public), none, false}, {in(schema.Public), renamed, false},
	} {
		if err := c.from.CheckStep(c.to); (err != nil) != c.refused {
			t.Errorf("from %v to %v: %v", c.from.ForeignKeys, c.to.ForeignKeys, err)
		}
	}
}

// TestReferenceKeys: a row of the child is found where the foreign key looks for it, and leads to the row that it refers to.
func TestReferenceKeys(t *testing.T) {
	long := strings.Repeat("long ", 200)
	for _, c := range []struct {
		parent, child string // the columns behind id, those that refer and are referred to first
		values        []value.Value
	}{
		{"a INT, UNIQUE (a)", "a INT, FOREIGN KEY (a) REFERENCES p (a)", []value.Value{value.FromInt(-5)}},
		{"a INT, b VARCHAR(2000), UNIQUE (a DESC, b)", "a INT, b VARCHAR(1500), n INT, KEY (a, b, n), FOREIGN KEY (a, b) REFERENCES p (a, b)", []value.Value{value.FromInt(5), value.FromString(long)}},
		{"a INT, b VARCHAR(20) COLLATE nocase, UNIQUE (a, b)", "a INT, b VARCHAR(30) COLLATE nocase, UNIQUE (a, b), FOREIGN KEY (a, b) REFERENCES p (a, b)", []value.Value{value.FromInt(5), value.FromString("Ä")}},
	} {
		p, err := define("CREATE TABLE p (id INT PRIMARY KEY, " + c.parent + ")")
		if err != nil {
			t.Fatal(err)
		}
		child, err := define("CREATE TABLE t (id INT PRIMARY KEY, " + c.child + ") PARTITION BY HASH (id) PARTITIONS 5")
		if err != nil {
			child, err = define("CREATE TABLE t (id INT PRIMARY KEY, " + c.child + ")") // a unique key needs the partition's columns
		}
		if err != nil {
			t.Fatal(err)
		}
		ref, err := schema.NewReference(child, &child.ForeignKeys[0], p)
		if err != nil {
			t.Fatal(err)
		}
		row, parent := make([]value.Value, child.RowWidth()), make([]value.Value, p.RowWidth())
		row[0], parent[0] = value.FromInt(7), value.FromInt(8)
		for i, v := range c.values {
			row[1+i], parent[1+i] = v, v
		}
		values, refers := ref.Of(row)
		if !refers {
			t.Fatal("the row refers to none")
		}
		partition, key, err := ref.ParentPlace(values)
		if err != nil {
			t.Fatal(err)
		}
		wantPartition, _ := p.AppendPartitionKey(nil, parent)
		want, _ := p.AppendIndexKey(nil, p.Indexes[0], parent)
		if partition != string(wantPartition) || key != string(want) {
			t.Errorf("%s: the parent is looked for at %s, %s, and is at %s, %s", c.child, partition, key, wantPartition, want)
		}
		partition, key, err = ref.ChildPlace(row)
		if err != nil {
			t.Fatal(err)
		}
		partitions, span, err := ref.ChildSpan(values)
		if err != nil || !slices.Contains(partitions, partition) || !span.Contains(key) {
			t.Errorf("%s: the row is looked for in %v %v, and is at %s, %s (%v)", c.child, partitions, span, partition, key, err)
		}
		values[0] = value.FromInt(6)
		if _, other, err := ref.ChildSpan(values); err != nil || other.Contains(key) {
			t.Errorf("%s: the row is found by other values, too (%v)", c.child, err)
		}
	}
}
