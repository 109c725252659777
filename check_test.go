package nearlyfree_test

import (
	"database/sql"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
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
			a.exec(t, "CREATE TABLE c (p INT REFERENCES p (id), n INT, v INT, KEY (v), PRIMARY KEY (p, n)) INTERLEAVE IN PARENT p")
			a.exec(t, "INSERT INTO p VALUES (1, 1), (2, 2)")
			a.exec(t, "INSERT INTO c VALUES (1, 1, 10), (1, 2, 20), (2, 1, 30)")
			a.clean(t, "p, c")
			a.lose(t, c.physical, "00", c.parent+first)
			lost := func(n string) string {
				return `row without a parent: partition "00", key ` + strconv.Quote(c.child+first+"!800000000000000"+n) + `; its parent would be "` + c.parent + first + `"`
			}
			want := []string{"error " + lost("1"), "error " + lost("2"), "error Corrupt: 2 rows have no parent in 'p'; REPAIR TABLE deletes these rows"}
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
			if len(got) != 4 || !strings.HasPrefix(got[0], "error missing entry in index v") || got[3] != "error Corrupt: 1 index entries do not match their rows, 2 rows have no parent in 'p'; REPAIR TABLE mends the entries, deletes these rows" {
				t.Errorf("%q", got)
			}

			// The parent comes back behind the walk of all parents, and when both rows have been examined.
			comesBack := func(query, when string, times int) []string {
				t.Helper()
				a.transport.SetAfter(func(r *http.Request, _ int) {
					if r.Method == http.MethodGet && strings.Contains(r.URL.Path+r.URL.Query().Get("$filter"), when) {
						if times--; times == 0 {
							a.put(t, c.physical, "00", c.parent+first, props{"id": {Type: engine.Int64, N: 1}})
						}
					}
				})
				got := a.said(t, query)
				a.transport.SetAfter(nil)
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
	a.exec(t, "CREATE TABLE c (p INT REFERENCES p (id), n INT, v INT, KEY (v), PRIMARY KEY (p, n)) INTERLEAVE IN PARENT p")
	a.exec(t, "INSERT INTO p VALUES (1), (11), (12)")
	a.exec(t, "INSERT INTO c VALUES (1, 1, 10), (11, 1, 20), (12, 1, 30)")
	a.clean(t, "p, c")
	physical := strings.TrimPrefix(a.rows(t, "SELECT TABLESPACE_NAME FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'p' AND PARTITION_NAME = 'p1'")[0], "string ")
	a.lose(t, physical, "00", "PK!800000000000000b")
	lost := `row without a parent: partition "00", key "c!800000000000000b!8000000000000001"; its parent would be "PK!800000000000000b"`
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

// TestCheckUnsound: rows that are not what their keys say are named and left as they are, with the entries that hold
// what was in them, while everything else is mended.
func TestCheckUnsound(t *testing.T) {
	a := openAccountBy(t, nearlyfree.Config{SchemaLease: time.Millisecond})
	a.exec(t, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v)) PARTITION BY HASH (id) PARTITIONS 2")
	a.exec(t, "CREATE TABLE u (id INT PRIMARY KEY, v INT, n INT, UNIQUE KEY (v), KEY (n))")
	a.exec(t, "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)")
	a.exec(t, "INSERT INTO u VALUES (1, 10, 100), (2, 20, 200), (3, 30, 300)")
	text := engine.Value{Type: engine.String, S: "x"}
	number := func(n uint64) engine.Value { return engine.Value{Type: engine.Int64, N: n} }
	const one, two, three, four = "8000000000000001", "8000000000000002", "8000000000000003", "8000000000000004"
	place := map[string]string{} // of the rows and entries of t, their partitions
	for _, key := range a.keys(t, "Z8t") {
		partition, row, _ := strings.Cut(key, "/")
		place[row] = partition
	}
	other := map[string]string{"0000": "0001", "0001": "0000"}

	// What a row of t holds, the key that it has, and the partition that it lies in.
	a.put(t, "Z8t", place["PK!"+one], "PK!"+one, props{"id": number(1), "v": text})
	a.put(t, "Z8t", place["PK!"+two], "PK!"+two, props{"id": number(7), "v": number(20)})
	a.put(t, "Z8t", other[place["PK!"+three]], "PK!"+three, props{"id": number(3), "v": number(30)})
	// Entries of t: one that cannot be read and is nobody's, one that cannot be read, one that is gone.
	a.put(t, "Z8t", "0000", "v!"+one+"!8000000000000009", props{"id": text, "v": number(1)})
	a.put(t, "Z8t", place["PK!"+three], "v!800000000000001e!"+three, props{"id": text})
	a.lose(t, "Z8t", place["PK!"+four], "v!8000000000000028!"+four)
	sound := []string{
		`error table t, entity (` + place["PK!"+one] + `, PK!` + one + `): property v holds "x" (String), which is not a value of column v INT`,
		`error the row under "PK!` + two + `" of table t has the key "PK!8000000000000007"`,
		`error the row under "PK!` + three + `" of table t lies in partition "` + other[place["PK!"+three]] + `", and its own is "` + place["PK!"+three] + `"`,
	}
	mends := []string{
		`orphaned entry in index v: partition "0000", key "v!` + one + `!8000000000000009"`,
		`stale entry in index v: partition "` + place["PK!"+three] + `", key "v!800000000000001e!` + three + `"`,
		`missing entry in index v: partition "` + place["PK!"+four] + `", key "v!8000000000000028!` + four + `"`,
	}
	a.same(t, "CHECK TABLE t", sound, prefixed("error ", mends),
		[]string{"error Corrupt: 3 index entries do not match their rows, 3 rows do not match their keys and cannot be mended; REPAIR TABLE mends the entries"})
	left := []string{"error Corrupt: 3 rows do not match their keys and cannot be mended"}
	a.same(t, "REPAIR TABLE t", sound, prefixed("warning mended: ", mends), left)
	a.same(t, "CHECK TABLE t", sound, left)
	// What the rows had lost is where it was.
	if got := a.rows(t, "SELECT v FROM t WHERE v IN (10, 20) ORDER BY v"); !slices.Equal(got, []string{"int64 10", "int64 20"}) {
		t.Errorf("%q", got)
	}

	// Two rows of u with one unique key, whoever has the entry; and one whose entry says another row that is not there.
	a.put(t, "Z8u", "00", "PK!"+two, props{"id": number(2), "v": number(10), "n": number(200)})
	double := `error the rows under "PK!` + one + `" and "PK!` + two + `" of table u, partition "00", have the same key in index v`
	a.put(t, "Z8u", "00", "v!800000000000001e", props{"id": number(9), "v": number(30), "n": number(300)})
	entries := []string{`orphaned entry in index v: partition "00", key "v!8000000000000014"`, `stale entry in index v: partition "00", key "v!800000000000001e"`,
		`stale entry in index n: partition "00", key "n!80000000000000c8!` + two + `"`}
	left = []string{double, "error Corrupt: 1 rows do not match their keys and cannot be mended"}
	a.same(t, "CHECK TABLE u", []string{double}, prefixed("error ", entries),
		[]string{"error Corrupt: 3 index entries do not match their rows, 1 rows do not match their keys and cannot be mended; REPAIR TABLE mends the entries"})
	a.same(t, "REPAIR TABLE u", prefixed("warning mended: ", entries), left)
	a.same(t, "CHECK TABLE u", left)
	a.exec(t, "DELETE FROM u WHERE id = 2")
	a.exec(t, "INSERT INTO u VALUES (2, 20, 200)")
	a.same(t, "REPAIR TABLE u", []string{`warning mended: missing entry in index v: partition "00", key "v!800000000000000a"`, "status OK"})
	a.clean(t, "u")
}

// same compares what CHECK TABLE or REPAIR TABLE says, in whatever order.
func (a *account) same(t *testing.T, query string, want ...[]string) {
	t.Helper()
	got, all := a.said(t, query), slices.Concat(want...)
	slices.Sort(got)
	slices.Sort(all)
	if !slices.Equal(got, all) {
		t.Errorf("%s\n%s\nwant\n%s", query, strings.Join(got, "\n"), strings.Join(all, "\n"))
	}
}

func prefixed(prefix string, list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, prefix+s)
	}
	return out
}

// TestCheckGlobal: entries that lie in other store partitions than their rows are held against these, and mended.
func TestCheckGlobal(t *testing.T) {
	a := openAccountBy(t, nearlyfree.Config{SchemaLease: time.Millisecond})
	a.exec(t, "CREATE TABLE t (tenant VARCHAR(5), id INT, mail VARCHAR(10), PRIMARY KEY (tenant, id), UNIQUE KEY mail (mail) GLOBAL) PARTITION BY KEY (tenant)")
	a.exec(t, "INSERT INTO t VALUES ('ann', 1, 'a'), ('bob', 1, 'b'), ('cy', 1, 'c'), ('dan', 1, 'd'), ('eve', 1, NULL)")
	a.clean(t, "t")
	const one = "8000000000000001"
	at := map[string]string{} // the store partitions of the entries
	for _, key := range a.keys(t, "Z8t") {
		if partition, row, _ := strings.Cut(key, "/"); strings.HasPrefix(row, "mail!") {
			at[row] = partition
		}
	}
	if len(at) != 5 {
		t.Fatalf("the entries lie at %v", at)
	}
	text := func(s string) engine.Value { return engine.Value{Type: engine.String, S: s} }
	row := func(tenant, mail string) props {
		return props{"tenant": text(tenant), "id": {Type: engine.Int64, N: 1}, "mail": text(mail)}
	}
	a.lose(t, "Z8t", at["mail!a"], "mail!a")                  // missing
	a.put(t, "Z8t", at["mail!b"], "mail!b", row("bill", "b")) // of a row that is not there
	a.put(t, "Z8t", "0003", "mail!z", row("ann", "z"))        // of a row that has another value
	a.put(t, "Z8t", "0099", "mail!c", row("cy", "c"))         // where no entry is looked for
	a.put(t, "Z8t", "dan", "PK!dan!"+one, row("dan", "c"))    // a second one of a value
	null := "mail!!eve!" + one
	for key := range at {
		if strings.HasSuffix(key, "!eve!"+one) {
			null = key
		}
	}
	a.lose(t, "Z8t", at[null], null)
	mends := []string{
		`missing entry in index mail: partition "` + at["mail!a"] + `", key "mail!a"`,
		`stale entry in index mail: partition "` + at["mail!b"] + `", key "mail!b"`,
		`orphaned entry in index mail: partition "0003", key "mail!z"`,
		`orphaned entry in index mail: partition "0099", key "mail!c"`,
		`orphaned entry in index mail: partition "` + at["mail!d"] + `", key "mail!d"`,
		`missing entry in index mail: partition "` + at[null] + `", key ` + strconv.Quote(null),
	}
	double := `error the rows under "PK!cy!` + one + `" and "PK!dan!` + one + `" of table t, partitions "cy" and "dan", have the same key in index mail`
	a.same(t, "CHECK TABLE t", []string{double}, prefixed("error ", mends),
		[]string{"error Corrupt: 6 index entries do not match their rows, 1 rows do not match their keys and cannot be mended; REPAIR TABLE mends the entries"})
	left := []string{double, "error Corrupt: 1 rows do not match their keys and cannot be mended"}
	a.same(t, "REPAIR TABLE t", prefixed("warning mended: ", mends), left)
	a.same(t, "CHECK TABLE t", left)
	a.put(t, "Z8t", "dan", "PK!dan!"+one, row("dan", "d"))
	a.same(t, "REPAIR TABLE t", []string{`warning mended: missing entry in index mail: partition "` + at["mail!d"] + `", key "mail!d"`, "status OK"})
	a.clean(t, "t")
	if got := a.rows(t, "SELECT tenant FROM t WHERE mail IN ('a', 'b', 'c', 'd') ORDER BY mail"); !slices.Equal(got, []string{"string ann", "string bob", "string cy", "string dan"}) {
		t.Errorf("%q", got)
	}
}

// TestRepairRacesInsert: REPAIR TABLE makes a missing entry of a unique key again. Another row that takes the key before that, as nothing
// keeps it from that, keeps the entry, whenever it comes: REPAIR TABLE says that two rows have the key, and nobody else gets it.
func TestRepairRacesInsert(t *testing.T) {
	t.Parallel()
	for _, create := range []string{
		"CREATE TABLE t (tenant VARCHAR(5), id INT, mail VARCHAR(10), n INT, PRIMARY KEY (tenant, id), UNIQUE KEY mail (mail), UNIQUE KEY n (n))",
		"CREATE TABLE t (tenant VARCHAR(5), id INT, mail VARCHAR(10), n INT, PRIMARY KEY (tenant, id), UNIQUE KEY mail (mail) GLOBAL, UNIQUE KEY n (n) GLOBAL) PARTITION BY KEY (tenant)",
	} {
		came := true
		for at := 1; came; at++ {
			synctest.Test(t, func(t *testing.T) { came = repairRacesInsert(t, create, at) })
		}
	}
}

// repairRacesInsert has the other row come before a request of REPAIR TABLE, where there are so many.
func repairRacesInsert(t *testing.T, create string, at int) (came bool) {
	a := openAccountBy(t, nearlyfree.Config{SchemaLease: time.Hour})
	a.exec(t, create)
	a.exec(t, "INSERT INTO t VALUES ('ann', 1, 'a', 1)")
	for _, key := range a.keys(t, "Z8t") {
		if partition, row, _ := strings.Cut(key, "/"); strings.HasPrefix(row, "mail!") {
			a.lose(t, "Z8t", partition, row)
		}
	}
	beside, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key, SchemaLease: time.Hour,
		Transport: &azuretest.Transport{Service: azuretest.NewService(a.raw)}})
	if err != nil {
		t.Fatal(err)
	}
	others := sql.OpenDB(beside)
	t.Cleanup(func() { others.Close() })
	first := a.transport.Sent()
	var taken error
	a.transport.SetFault(func(n int, r *http.Request) azuretest.Fault {
		if n == first+at {
			came = true
			_, taken = others.Exec("INSERT INTO t VALUES ('bob', 1, 'a', 2)")
		}
		return azuretest.Fault{}
	})
	said := a.said(t, "REPAIR TABLE t")
	a.transport.SetFault(nil)
	switch rows := a.rows(t, "SELECT tenant FROM t"); {
	case !came:
	case len(rows) == 1:
		if !errors.Is(taken, nearlyfree.ErrDuplicateKey) {
			t.Errorf("request %d: %v, and the row is not there; REPAIR says %q", at, taken, said)
		}
		a.clean(t, "t")
	default:
		if taken != nil || !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "have the same key in index mail") }) {
			t.Errorf("request %d: %v, and REPAIR says %q", at, taken, said)
		}
		if got := a.rows(t, "SELECT tenant FROM t WHERE mail = 'a'"); !slices.Equal(got, []string{"string bob"}) {
			t.Errorf("request %d: the key leads to %q", at, got)
		}
		if _, err := others.Exec("INSERT INTO t VALUES ('cy', 1, 'a', 3)"); !errors.Is(err, nearlyfree.ErrDuplicateKey) {
			t.Errorf("request %d: a third row gets the key: %v", at, err)
		}
	}
	return came
}
