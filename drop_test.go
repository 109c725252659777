package nearlyfree_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// age makes the notes of dropped tables as old as they must be to be done with. It gives how many there are.
func (a *account) age(t *testing.T) int {
	t.Helper()
	n := 0
	span := keymap.PrefixSpan("drop!")
	scan := engine.Scan{Table: keymap.CatalogTable(""), PartitionKey: keymap.SinglePartition, From: span.From, To: span.To}
	err := engine.Each(t.Context(), a.raw, scan, func(e *engine.Entity) error {
		n++
		a.merge(t, scan.Table, e.PartitionKey, e.RowKey, "Dropped", engine.Value{Type: engine.Int64, N: uint64(time.Now().Add(-2 * time.Hour).Unix())})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (a *account) merge(t *testing.T, table, partition, row, name string, v engine.Value) {
	t.Helper()
	e := engine.Entity{PartitionKey: partition, RowKey: row, Names: []string{name}, Values: []engine.Value{v}}
	if err := a.raw.Commit(t.Context(), engine.Commit{Table: table, PartitionKey: partition, Ops: []engine.Op{{Kind: engine.Merge, Entity: e}}}); err != nil {
		t.Fatal(err)
	}
}

// keys gives the keys of all entities of a physical table; none when there is no table.
func (a *account) keys(t *testing.T, physical string) []string {
	t.Helper()
	tables, err := a.raw.Tables(t.Context(), physical, nil)
	if err != nil || !slices.Contains(tables, physical) {
		return nil
	}
	var keys []string
	err = engine.Each(t.Context(), a.raw, engine.Scan{Table: physical, AllPartitions: true, Select: []string{}}, func(e *engine.Entity) error {
		if !strings.HasPrefix(e.RowKey, "!t!") { // the record of a transaction, which its process deletes later
			keys = append(keys, e.PartitionKey+"/"+e.RowKey)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestDropCrash kills the process that drops or empties a table before each of its writes. Others go on meanwhile, and
// make a table of the same name, which has nothing of the old one. Whoever drops a table later, when no process can
// know the old one any more, finishes the work: nothing is left in the physical table, and no note.
func TestDropCrash(t *testing.T) {
	t.Parallel()
	const rows = 110
	values := make([]string, rows)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, %d, 'row')", i/10, i)
	}
	parents := make([]string, rows/10)
	for i := range parents {
		parents[i] = fmt.Sprintf("(%d, 'Ann')", i)
	}
	const columns = "(p INT, id INT, note VARCHAR(10), KEY (note), UNIQUE KEY (p, id, note), PRIMARY KEY (p, id)"
	const parent = "CREATE TABLE parent (id INT PRIMARY KEY, who VARCHAR(10), KEY (who))"
	const child = "CREATE TABLE t " + columns + ", FOREIGN KEY (p) REFERENCES parent (id)) INTERLEAVE IN PARENT parent"
	step := testrun.Of[int64](1, 2) // between the writes at which it dies
	for i, c := range []struct {
		name      string
		layout    nearlyfree.Layout
		physical  string
		tables    []string
		statement string
	}{
		{"Single", nearlyfree.LayoutSingle, "Z8Z2tables", []string{parent, "CREATE TABLE t " + columns + ")"}, "DROP TABLE t"},
		{"SingleTruncate", nearlyfree.LayoutSingle, "Z8Z2tables", []string{parent, "CREATE TABLE t " + columns + ")"}, "TRUNCATE TABLE t"},
		{"SingleKey", nearlyfree.LayoutSingle, "Z8Z2tables", []string{parent, "CREATE TABLE t " + columns + ") PARTITION BY KEY (p)"}, "DROP TABLE t"},
		{"SingleHash", nearlyfree.LayoutSingle, "Z8Z2tables", []string{parent, "CREATE TABLE t " + columns + ") PARTITION BY HASH (p) PARTITIONS 3"}, "DROP TABLE t"},
		{"SingleChild", nearlyfree.LayoutSingle, "Z8Z2tables", []string{parent, child}, "DROP TABLE t"},
		{"SingleFamily", nearlyfree.LayoutSingle, "Z8Z2tables", []string{parent, child}, "DROP TABLE parent, t"},
		{"Child", nearlyfree.LayoutTable, "Z8parent", []string{parent, child}, "DROP TABLE t"},
		{"ChildWithParent", nearlyfree.LayoutTable, "Z8parent", []string{parent, child + " WITH PARENT"}, "DROP TABLE t"},
		{"Family", nearlyfree.LayoutTable, "Z8parent", []string{parent, child}, "DROP TABLE parent, t"},
		{"Index", nearlyfree.LayoutSingle, "Z8Z2tables", []string{parent, "CREATE TABLE t " + columns + ")"}, "DROP INDEX note ON t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			crashes, noted := 0, 0
			for n := 1 + int64(i)%step; ; n += step {
				a := openAccountBy(t, nearlyfree.Config{SchemaLease: time.Millisecond, Layout: c.layout})
				for _, s := range c.tables {
					a.exec(t, s)
				}
				a.exec(t, "INSERT INTO parent VALUES "+strings.Join(parents, ", "))
				a.exec(t, "INSERT INTO t VALUES "+strings.Join(values, ", "))
				db, died := a.mortal(t, n)
				if _, err := db.Exec(c.statement); died() == (err == nil) {
					t.Fatalf("write %d: died %v, %v", n, died(), err)
				}
				if died() {
					crashes++
				}
				// Others drop tables meanwhile, which is too early to finish what was begun.
				a.exec(t, "CREATE TABLE other (id INT PRIMARY KEY)")
				a.exec(t, "DROP TABLE other")
				has := func(table string) bool { return slices.Contains(a.rows(t, "SHOW TABLES"), "string "+table) }
				if has("parent") {
					a.clean(t, "parent")
					if got := a.rows(t, "SELECT COUNT(*) FROM parent WHERE who = 'Ann'"); got[0] != fmt.Sprint("int64 ", len(parents)) {
						t.Fatalf("write %d: %s parents", n, got[0])
					}
				}
				if !has("t") {
					a.exec(t, "CREATE TABLE t "+columns+")")
					a.exec(t, "INSERT INTO t VALUES (1, 1, 'new')")
					if got := a.rows(t, "SELECT * FROM t"); len(got) != 1 {
						t.Fatalf("write %d: the new table has %d rows", n, len(got))
					}
				}
				a.clean(t, "t")
				a.exec(t, "DROP TABLE IF EXISTS t, parent")
				noted += a.age(t)
				a.exec(t, "CREATE TABLE other (id INT PRIMARY KEY)")
				a.exec(t, "DROP TABLE other") // finishes what is old enough
				a.age(t)
				a.exec(t, "CREATE TABLE other (id INT PRIMARY KEY)")
				a.exec(t, "DROP TABLE other") // forgets it
				if left := a.keys(t, c.physical); len(left) > 0 {
					t.Fatalf("write %d: %d entities are left: %q …", n, len(left), left[0])
				}
				if left := a.age(t); left != 1 { // that of the last drop
					t.Fatalf("write %d: %d notes are left", n, left)
				}
				if !died() {
					break
				}
			}
			if crashes*int(step) < 3 || noted == 0 {
				t.Errorf("%d crashes, %d notes", crashes, noted)
			}
		})
	}
}
