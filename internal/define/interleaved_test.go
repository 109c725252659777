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

// interleaved defines a table in the one that the first statement defines.
func interleaved(t *testing.T, parent, child string) (*schema.Table, *schema.Table, error) {
	t.Helper()
	p, err := define(parent)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := dialect.Parse(child, dialect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := DefineInterleaved(parsed.Statement.(*dialect.CreateTable), p, planner.Options{})
	return p, c, err
}

func TestInterleavedErrors(t *testing.T) {
	const expense = "CREATE TABLE expense (id INT PRIMARY KEY, who VARCHAR(9))"
	const month = "CREATE TABLE month (year INT, month INT, PRIMARY KEY (year, month)) PARTITION BY KEY (year)"
	for _, c := range []struct {
		parent, child string
		code          int
		text          string
	}{
		{expense, "CREATE TABLE item (e INT, n INT, PRIMARY KEY (e, n)) INTERLEAVE IN PARENT expense", 1215, "A table interleaved in 'expense' needs FOREIGN KEY"},
		{expense, "CREATE TABLE item (e INT REFERENCES who (id), n INT, PRIMARY KEY (e, n)) INTERLEAVE IN PARENT expense", 1215, "A table interleaved in 'expense' needs FOREIGN KEY"},
		{expense, "CREATE TABLE item (e INT, n INT, PRIMARY KEY (e, n), FOREIGN KEY (e) REFERENCES expense (id) NOT ENFORCED) INTERLEAVE IN PARENT expense", 1235, "NOT ENFORCED of the foreign key that interleaves a table is not supported"},
		{expense, "CREATE TABLE item (e INT REFERENCES expense (id), n INT, PRIMARY KEY (n, e)) INTERLEAVE IN PARENT expense", 1215, "The primary key of 'item' must begin with"},
		{expense, "CREATE TABLE item (e INT REFERENCES expense (id), n INT) INTERLEAVE IN PARENT expense", 1215, "The primary key of 'item' must begin with"},
		{expense, "CREATE TABLE item (e INT PRIMARY KEY REFERENCES expense (id), n INT) INTERLEAVE IN PARENT expense", 1215, "The primary key of 'item' needs a further column"},
		{expense, "CREATE TABLE item (e VARCHAR(9) REFERENCES expense (id), n INT, PRIMARY KEY (e, n)) INTERLEAVE IN PARENT expense", 3780, "Referencing column 'e' and referenced column 'id' in foreign key constraint 'item_ibfk_1' are incompatible."},
		{expense, "CREATE TABLE item (e INT UNSIGNED REFERENCES expense (id), n INT, PRIMARY KEY (e, n)) INTERLEAVE IN PARENT expense", 3780, ""},
		{expense, "CREATE TABLE item (e VARCHAR(9) REFERENCES expense (who), n INT, PRIMARY KEY (e, n)) INTERLEAVE IN PARENT expense", 1822, "Failed to add the foreign key constraint."},
		{expense, "CREATE TABLE item (e INT, n INT, PRIMARY KEY (e, n), FOREIGN KEY (e, n) REFERENCES expense (id)) INTERLEAVE IN PARENT expense", 1239, "Incorrect foreign key definition for 'item_ibfk_1'"},
		{expense, "CREATE TABLE item (e INT, n INT, PRIMARY KEY (e, n), FOREIGN KEY (x) REFERENCES expense (id)) INTERLEAVE IN PARENT expense", 1072, "Key column 'x' doesn't exist in table"},
		{expense, "CREATE TABLE item (e INT, n INT, PRIMARY KEY (e, n), FOREIGN KEY (e) REFERENCES expense (id) ON DELETE SET NULL) INTERLEAVE IN PARENT expense", 1235, "ON DELETE SET NULL of a column of the primary key is not supported"},
		{expense, "CREATE TABLE item (e INT, n INT, PRIMARY KEY (e, n), FOREIGN KEY (e) REFERENCES expense (id) ON UPDATE CASCADE) INTERLEAVE IN PARENT expense", 1235, "ON UPDATE CASCADE is not supported"},
		{expense, "CREATE TABLE item (e INT REFERENCES expense (id), n INT, PRIMARY KEY (e, n)) INTERLEAVE IN PARENT expense PARTITION BY KEY (e)", 1235, "PARTITION BY of an interleaved table"},
		{month, "CREATE TABLE day (year INT, n INT, PRIMARY KEY (year, n), FOREIGN KEY (year) REFERENCES month (year)) INTERLEAVE IN PARENT month", 1822, "Failed to add the foreign key constraint."},
		{month, "CREATE TABLE day (year INT, month INT, n INT UNIQUE, PRIMARY KEY (year, month, n), FOREIGN KEY (year, month) REFERENCES month (year, month)) INTERLEAVE IN PARENT month", 1503, "A UNIQUE INDEX must include all columns"},
		{"CREATE TABLE log (a INT)", "CREATE TABLE line (id UUID, n INT, PRIMARY KEY (id, n), FOREIGN KEY (id) REFERENCES log (_rowid)) INTERLEAVE IN PARENT log", 1215, "Table 'log' has no primary key"},
	} {
		_, _, err := interleaved(t, c.parent, c.child)
		var known *sqlerr.Error
		if !errors.As(err, &known) || known.Code != c.code || !strings.HasPrefix(known.Message, c.text) {
			t.Errorf("%s: %v, want %d %s", c.child, err, c.code, c.text)
		}
	}
}

// TestInterleavedKeys: keys of the child lie in the parent's partition, under names that nothing else has, and lead to
// the parent's key, whatever order the foreign key is written in.
func TestInterleavedKeys(t *testing.T) {
	p, c, err := interleaved(t, "CREATE TABLE month (year INT, month INT, day INT, PRIMARY KEY (month DESC, year), KEY day (day)) PARTITION BY HASH (year) PARTITIONS 7",
		"CREATE TABLE day (n INT, y INT, m INT, d INT, PRIMARY KEY (m, y, n), KEY day (d), FOREIGN KEY (y, m) REFERENCES month (year, month) ON DELETE CASCADE) INTERLEAVE IN PARENT month")
	if err != nil {
		t.Fatal(err)
	}
	row := func(values ...int64) (out []value.Value) {
		for _, v := range values {
			out = append(out, value.FromInt(v))
		}
		return out
	}
	parent, child := row(2026, 5, 3), row(9, 2026, 5, 4)
	text := func(b []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	key, own := text(p.AppendRowKey(nil, parent)), text(c.AppendRowKey(nil, child))
	if up := text(c.AppendParentKey(nil, child)); up != key {
		t.Errorf("parent's key %s, from the child %s", key, up)
	}
	if a, b := text(p.AppendPartitionKey(nil, parent)), text(c.AppendPartitionKey(nil, child)); a != b {
		t.Errorf("partition %s, of the child %s", a, b)
	}
	if want := "day_2!8000000000000005!80000000000007ea!8000000000000009"; own != want {
		t.Errorf("key %s, want %s", own, want)
	}
	if entry := text(c.AppendIndexKey(nil, c.Indexes[0], child)); entry != `day_2"0day!8000000000000004`+strings.TrimPrefix(own, "day_2") {
		t.Errorf("entry %s", entry)
	}
	span, err := c.ChildSpan(p, parent)
	if err != nil || !span.Contains(own) || p.RowSpan().Contains(own) || !c.RowSpan().Contains(own) {
		t.Errorf("span %v, %v", span, err)
	}
	if other := text(c.AppendRowKey(nil, row(9, 2026, 4, 4))); span.Contains(other) {
		t.Errorf("span %v holds %s", span, other)
	}
	if next := p.AddChild(c); !slices.Contains(next.Children, "day") || !slices.Contains(next.KeyNames, "day_2") || len(p.Children) > 0 {
		t.Errorf("children %v, names %v", next.Children, next.KeyNames)
	}
	// A name that rows inside it have is taken for an index too, for ever.
	parsed, err := dialect.Parse("CREATE INDEX day_2 ON month (day)", dialect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	next, _, err := Alter(p.AddChild(c), dialect.AlterAction{Kind: dialect.AddIndex, Index: parsed.Statement.(*dialect.CreateIndex).Index}, planner.Options{})
	if err != nil || next.Index("day_2").KeyName != "day_2_2" {
		t.Errorf("an index named as the rows inside: %v, %v", next, err)
	}
	sql := schema.CreateTableSQL(c)
	if parsed, err = dialect.Parse(sql, dialect.Options{}); err != nil {
		t.Fatal(err)
	}
	again, err := DefineInterleaved(parsed.Statement.(*dialect.CreateTable), p, planner.Options{})
	if err != nil || stored(t, again) != stored(t, c) {
		t.Errorf("%s\n%v\n%s\n%s", sql, err, stored(t, c), stored(t, again))
	}
}

// TestInterleavedAlter: what ties two tables stays.
func TestInterleavedAlter(t *testing.T) {
	p, c, err := interleaved(t, "CREATE TABLE expense (id INT PRIMARY KEY, who VARCHAR(9))",
		"CREATE TABLE item (x INT, e INT REFERENCES expense (id), n INT, PRIMARY KEY (e, n)) INTERLEAVE IN PARENT expense")
	if err != nil {
		t.Fatal(err)
	}
	p = p.AddChild(c)
	for _, test := range []struct {
		table *schema.Table
		sql   string
		text  string // of the error; "" for none
	}{
		{p, "ALTER TABLE expense CHANGE id number INT", "renaming 'id', which table 'item' references, is not supported"},
		{p, "ALTER TABLE expense MODIFY id BIGINT UNSIGNED", "changing 'id', a column of the primary key"},
		{p, "ALTER TABLE expense RENAME COLUMN who TO whom", ""},
		{c, "ALTER TABLE item DROP FOREIGN KEY item_ibfk_1", "dropping the foreign key of a table interleaved in 'expense' is not supported"},
		{c, "ALTER TABLE item DROP CONSTRAINT item_ibfk_1", "dropping the foreign key of a table interleaved in 'expense' is not supported"},
		{c, "ALTER TABLE item ADD FOREIGN KEY (x) REFERENCES expense (id)", ""},
		{c, "ALTER TABLE item ADD COLUMN y INT REFERENCES expense (id)", ""},
		{c, "ALTER TABLE item MODIFY x BIGINT REFERENCES expense (id)", ""},
		{c, "ALTER TABLE item DROP COLUMN x", ""},
		{c, "ALTER TABLE item RENAME COLUMN e TO expense", ""},
	} {
		parsed, err := dialect.Parse(test.sql, dialect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		next, _, err := Alter(test.table, parsed.Statement.(*dialect.AlterTable).Actions[0], planner.Options{})
		if test.text != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.text) {
				t.Errorf("%s: %v, want %s", test.sql, err, test.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.sql, err)
			continue
		}
		if in := next.Interleaved; in != nil && next.Key[0].Column != in.Key[0].Column {
			t.Errorf("%s: the foreign key is on column %d, the key on %d", test.sql, in.Key[0].Column, next.Key[0].Column)
		}
	}
}
