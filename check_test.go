package nearlyfree_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// lose deletes an entity behind the driver's back.
func (a *account) lose(t *testing.T, table, partition, row string) {
	t.Helper()
	op := engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: row}}
	if err := a.raw.Commit(t.Context(), engine.Commit{Table: table, PartitionKey: partition, Ops: []engine.Op{op}}); err != nil {
		t.Fatal(err)
	}
}

// said gives the kinds and texts of CHECK TABLE or REPAIR TABLE.
func (a *account) said(t *testing.T, query string) []string {
	t.Helper()
	var out []string
	for _, line := range a.rows(t, query) {
		cells := strings.Split(line, "|string ")
		out = append(out, strings.Join(cells[2:], " "))
	}
	return out
}

// TestCheckParents: CHECK TABLE finds rows that live inside none, REPAIR TABLE deletes them with their index entries.
func TestCheckParents(t *testing.T) {
	const first, second = "8000000000000001", "8000000000000002"
	for _, c := range []struct {
		name, physical, parent, child string
		layout                        nearlyfree.Layout
	}{
		{"Table", "Z8p", "PK!", "c!", nearlyfree.LayoutTable},
		{"Single", "Z8Z2tables", "p!", `p"0c!`, nearlyfree.LayoutSingle},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := openAccountBy(t, nearlyfree.Config{SchemaLease: time.Millisecond, Layout: c.layout})
			a.exec(t, "CREATE TABLE p (id INT PRIMARY KEY, v INT)")
			a.exec(t, "CREATE TABLE c (p INT REFERENCES p (id), n INT, v INT, KEY (v), PRIMARY KEY (p, n)) INSIDE p")
			a.exec(t, "INSERT INTO p VALUES (1, 1), (2, 2)")
			a.exec(t, "INSERT INTO c VALUES (1, 1, 10), (1, 2, 20), (2, 1, 30)")
			a.clean(t, "p, c")
			a.lose(t, c.physical, "00", c.parent+first)
			lost := func(n string) string {
				return `row inside no other one: partition "00", key ` + strconv.Quote(c.child+first+"!800000000000000"+n) + `, and no row "` + c.parent + first + `"`
			}
			want := []string{"error " + lost("1"), "error " + lost("2"), "error Corrupt: 2 rows live inside no row of 'p'; REPAIR TABLE deletes these rows"}
			if got := a.said(t, "CHECK TABLE c"); !slices.Equal(got, want) {
				t.Errorf("%q\nwant %q", got, want)
			}

			// One of them has also lost its index entry.
			for _, key := range a.keys(t, c.physical) {
				if strings.HasSuffix(key, "!"+first+"!"+first) && !strings.HasPrefix(key, "00/"+c.child) {
					a.lose(t, c.physical, "00", strings.TrimPrefix(key, "00/"))
				}
			}
			got := a.said(t, "CHECK TABLE c")
			if len(got) != 4 || !strings.HasPrefix(got[0], "error missing entry in index v") || got[3] != "error Corrupt: 1 index entries do not match their rows, 2 rows live inside no row of 'p'; REPAIR TABLE mends the entries, deletes these rows" {
				t.Errorf("%q", got)
			}

			// The parent comes back behind the walk of all parents, and when both rows have been examined.
			comesBack := func(query, when string, times int) []string {
				t.Helper()
				a.transport.After = func(r *http.Request, _ int) {
					if r.Method == http.MethodGet && strings.Contains(r.URL.Path+r.URL.Query().Get("$filter"), when) {
						if times--; times == 0 {
							a.put(t, c.physical, "00", c.parent+first, props{"id": {Type: engine.Int64, N: 1}})
						}
					}
				}
				got := a.said(t, query)
				a.transport.After = nil
				if times > 0 {
					t.Errorf("%s was not asked for", when)
				}
				a.lose(t, c.physical, "00", c.parent+first)
				return got
			}
			if got := comesBack("CHECK TABLE c", "ge '"+c.parent+"'", 1); len(got) != 2 || got[1] != "error Corrupt: 1 index entries do not match their rows; REPAIR TABLE mends the entries" {
				t.Errorf("%q", got)
			}
			if got := comesBack("REPAIR TABLE c", c.parent+first, 2); len(got) != 2 || got[1] != "status OK" {
				t.Errorf("%q", got)
			}
			want = []string{"warning deleted: " + lost("1"), "warning deleted: " + lost("2"), "status OK"}
			if got := a.said(t, "REPAIR TABLE c"); !slices.Equal(got, want) {
				t.Errorf("%q\nwant %q", got, want)
			}
			a.clean(t, "p, c")
			if got := a.rows(t, "SELECT * FROM c WHERE v > 0"); len(got) != 1 || got[0] != "int64 2|int64 1|int64 30" {
				t.Errorf("%q", got)
			}
			if keys := a.keys(t, c.physical); len(keys) != 3 || !slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(k, second) }) {
				t.Errorf("%q are left", keys)
			}
		})
	}
}

// TestCheckParentsInParts: where the parent is divided by ranges, each row is held against the parents of its part.
func TestCheckParentsInParts(t *testing.T) {
	a := openAccountBy(t, nearlyfree.Config{SchemaLease: time.Millisecond})
	a.exec(t, "CREATE TABLE p (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)")
	a.exec(t, "CREATE TABLE c (p INT REFERENCES p (id), n INT, v INT, KEY (v), PRIMARY KEY (p, n)) INSIDE p")
	a.exec(t, "INSERT INTO p VALUES (1), (11), (12)")
	a.exec(t, "INSERT INTO c VALUES (1, 1, 10), (11, 1, 20), (12, 1, 30)")
	a.clean(t, "p, c")
	physical := strings.TrimPrefix(a.rows(t, "SELECT TABLESPACE_NAME FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'p' AND PARTITION_NAME = 'p1'")[0], "string ")
	a.lose(t, physical, "00", "PK!800000000000000b")
	lost := `row inside no other one: partition "00", key "c!800000000000000b!8000000000000001", and no row "PK!800000000000000b"`
	if got := a.said(t, "CHECK TABLE c"); len(got) != 2 || got[0] != "error "+lost {
		t.Errorf("%q", got)
	}
	if got := a.said(t, "REPAIR TABLE c"); !slices.Equal(got, []string{"warning deleted: " + lost, "status OK"}) {
		t.Errorf("%q", got)
	}
	a.clean(t, "p, c")
	if got := a.rows(t, "SELECT p FROM c WHERE v > 0 ORDER BY p"); !slices.Equal(got, []string{"int64 1", "int64 12"}) {
		t.Errorf("%q", got)
	}
}
