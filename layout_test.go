package nearlyfree_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestLayouts: the layout decides for new tables only. Connectors of both read, write and change tables of both.
func TestLayouts(t *testing.T) {
	name := "mem://" + t.Name()
	single := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: name, Layout: nearlyfree.LayoutSingle})
	table := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: name})
	do := func(db interface {
		Exec(string, ...any) (sql.Result, error)
	}, query string) {
		t.Helper()
		if _, err := db.Exec(query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	const columns = " (id INT PRIMARY KEY, v INT, KEY (v))"
	do(single, "CREATE TABLE s1"+columns)
	do(table, "CREATE TABLE t1"+columns)
	do(table, "INSERT INTO s1 VALUES (1, 10), (2, 20)")
	do(single, "INSERT INTO t1 VALUES (3, 30)")
	do(table, "CREATE TABLE t2 LIKE s1")
	do(single, "CREATE TABLE s2 LIKE t1")
	do(table, "CREATE TABLE t3 (KEY (v)) AS SELECT * FROM s1")
	do(single, "CREATE TABLE s3 (KEY (v)) AS SELECT * FROM t1")
	do(single, "CREATE EXTERNAL TABLE e (k VARCHAR(9), v INT) LOCATION 'Other' PARTITION KEY 'p' ROW KEY '{k}'")
	for range 2 {
		places := map[string]string{}
		rows, err := table.Query("SELECT TABLE_NAME, TABLESPACE_NAME FROM information_schema.PARTITIONS")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var name, place string
			if err := rows.Scan(&name, &place); err != nil {
				t.Fatal(err)
			}
			places[name] = place
		}
		for name, place := range places {
			if (name == "e" || name == "Other") && place == "Other" || name[0] == 's' && place == "Z8Z2tables" || name[0] == 't' && strings.HasPrefix(place, "Z8"+name) {
				continue
			}
			t.Errorf("%s is in %s", name, place)
		}
		if len(places) != 8 { // with the physical table itself
			t.Errorf("%v", places)
		}
		// Whoever empties a table, it stays where it is.
		do(table, "TRUNCATE TABLE s1")
		do(single, "TRUNCATE TABLE t1")
		do(table, "ALTER TABLE s1 ADD COLUMN n INT, DROP COLUMN n")
		do(single, "ALTER TABLE t1 ADD COLUMN n INT, DROP COLUMN n")
	}
	tx, err := table.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for _, name := range []string{"s1", "s2", "s3"} {
		do(tx, "INSERT INTO "+name+" VALUES (7, 70)")
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"s1", "s2", "s3"} {
		var id int
		if err := single.QueryRow("SELECT id FROM " + name + " WHERE v = 70").Scan(&id); err != nil || id != 7 {
			t.Errorf("%s: %d, %v", name, id, err)
		}
	}
}

// TestDropMany: more tables than one change takes, whose parent goes with the last of them.
func TestDropMany(t *testing.T) {
	for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutTable, nearlyfree.LayoutSingle} {
		t.Run(string(layout), func(t *testing.T) {
			a := openAccountBy(t, nearlyfree.Config{SchemaLease: 1, Layout: layout})
			a.exec(t, "CREATE TABLE p (id INT PRIMARY KEY)")
			a.exec(t, "INSERT INTO p VALUES (1)")
			names := []string{"p"}
			for i := range 40 {
				name := fmt.Sprint("c", i)
				names = append(names, name)
				a.exec(t, "CREATE TABLE "+name+" (p INT REFERENCES p (id), n INT, KEY (n), PRIMARY KEY (p, n)) INTERLEAVE IN PARENT p")
				a.exec(t, "INSERT INTO "+name+" VALUES (1, 1)")
			}
			a.exec(t, "DROP TABLE "+strings.Join(names, ", "))
			if left := a.rows(t, "SHOW TABLES"); len(left) > 0 {
				t.Errorf("%q are left", left)
			}
			physical := map[nearlyfree.Layout]string{nearlyfree.LayoutTable: "Z8p", nearlyfree.LayoutSingle: "Z8Z2tables"}[layout]
			if left := a.keys(t, physical); len(left) > 0 {
				t.Errorf("%q are left", left)
			}
			tables, err := a.raw.Tables(t.Context(), "", nil)
			if err != nil || slices.Contains(tables, physical) != (layout == nearlyfree.LayoutSingle) {
				t.Errorf("tables %q, %v", tables, err)
			}
		})
	}
}

// TestDropInParts: a table interleaved in one of more partitions than a change has operations is dropped in one change.
func TestDropInParts(t *testing.T) {
	a := openAccountBy(t, nearlyfree.Config{SchemaLease: 1})
	var parts []string
	for i := range 120 {
		parts = append(parts, fmt.Sprintf("PARTITION p%d VALUES LESS THAN (%d)", i, 10*i+10))
	}
	a.exec(t, "CREATE TABLE p (id INT PRIMARY KEY) PARTITION BY RANGE (id) ("+strings.Join(parts, ", ")+")")
	a.exec(t, "CREATE TABLE c (p INT REFERENCES p (id), n INT, KEY (n), PRIMARY KEY (p, n)) INTERLEAVE IN PARENT p")
	for _, id := range []int{5, 605, 1195} {
		a.exec(t, "INSERT INTO p VALUES (?)", id)
		a.exec(t, "INSERT INTO c VALUES (?, 1)", id)
	}
	a.exec(t, "DROP TABLE c")
	tables, err := a.raw.Tables(t.Context(), "Z8p", nil)
	if err != nil || len(tables) != 120 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	left := 0
	for _, physical := range tables {
		left += len(a.keys(t, physical))
	}
	if left != 3 {
		t.Errorf("%d entities are left", left)
	}
	a.exec(t, "DROP TABLE p")
}
