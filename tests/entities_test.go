package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestEntities: all that lies in a table's physical tables is told, in the order of its keys, as whose it is.
func TestEntities(t *testing.T) {
	t.Parallel()
	connector, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	runAll(t, conn,
		"CREATE TABLE pk (id INT PRIMARY KEY, a VARCHAR(9), b BLOB, KEY (a))", "INSERT INTO pk VALUES (1, 'x', 0x00ff), (2, 'y', NULL)",
		"CREATE TABLE item (id INT, n INT, PRIMARY KEY (id, n), FOREIGN KEY (id) REFERENCES pk (id)) INTERLEAVE IN PARENT pk WITH PARENT",
		"INSERT INTO item VALUES (1, 1), (1, 2), (2, 1)",
		"CREATE TABLE divided (id INT, y INT, PRIMARY KEY (id, y)) PARTITION BY RANGE (y) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20))",
		"INSERT INTO divided VALUES (1, 1), (2, 11), (3, 12)", "CREATE VIEW v AS SELECT id FROM pk",
		"CREATE DATABASE other", "CREATE TABLE other.t (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 4", "INSERT INTO other.t VALUES (1), (2), (3), (4), (5)")
	short := strings.NewReplacer("800000000000000", "")
	list := func(r nearlyfree.EntityRange, most int) (out []string, last nearlyfree.EntityPlace) {
		for e, err := range connector.Entities(t.Context(), r) {
			if err != nil {
				t.Fatal(err)
			}
			text := short.Replace(e.PartitionKey+" "+e.RowKey) + " " + e.Table
			if e.Index != "" {
				text += "." + e.Index
			}
			if e.Copy {
				text += " copy among " + e.Among
			}
			if r.KeysOnly != (e.Bytes == 0) || r.KeysOnly && e.Properties != nil {
				t.Errorf("%+v", e)
			}
			if out, last = append(out, text), e.EntityPlace; len(out) == most {
				break
			}
		}
		return out, last
	}
	want := []string{"00 PK!1 pk", "00 PK!2 pk", "00 a!x!1 pk.a", "00 a!y!2 pk.a", "00 item!1 pk copy among item", "00 item!1!1 item", "00 item!1!2 item", "00 item!2 pk copy among item", "00 item!2!1 item"}
	for _, keysOnly := range []bool{false, true} {
		for _, table := range []string{"pk", "item"} {
			if got, _ := list(nearlyfree.EntityRange{Table: table, KeysOnly: keysOnly}, -1); !slices.Equal(got, want) {
				t.Errorf("%s: %q", table, got)
			}
		}
	}
	before := connector.Stats()
	if got, last := list(nearlyfree.EntityRange{Table: "pk"}, 4); !slices.Equal(got, want[:4]) {
		t.Errorf("%q", got)
	} else if got, _ := list(nearlyfree.EntityRange{Table: "pk", From: last}, -1); !slices.Equal(got, want[3:]) {
		t.Errorf("%q", got)
	}
	if did := connector.Stats().Sub(before); did.Requests < 2 || did.Requests != did.SchemaRequests {
		t.Errorf("%+v", did)
	}
	if got, last := list(nearlyfree.EntityRange{Table: "divided"}, 2); got[0] != "00 PK!1!1 divided" || got[1] != "00 PK!2!b divided" {
		t.Errorf("%q", got)
	} else if got, _ := list(nearlyfree.EntityRange{Table: "divided", From: last}, -1); !slices.Equal(got, []string{"00 PK!2!b divided", "00 PK!3!c divided"}) {
		t.Errorf("%q", got)
	}
	all, _ := list(nearlyfree.EntityRange{Database: "other", Table: "t"}, -1)
	if len(all) != 5 || !slices.IsSorted(all) || all[0][:4] == all[4][:4] {
		t.Errorf("%q", all)
	}
	for at := range all {
		_, last := list(nearlyfree.EntityRange{Database: "other", Table: "t"}, at+1)
		if got, _ := list(nearlyfree.EntityRange{Database: "other", Table: "t", From: last}, -1); !slices.Equal(got, all[at:]) {
			t.Errorf("from %v: %q", last, got)
		}
	}
	for e, err := range connector.Entities(t.Context(), nearlyfree.EntityRange{Table: "pk"}) {
		if got := fmt.Sprint(e.Properties); err != nil || got != "[{id Int64 1} {a String x} {b Binary [0 255]}]" {
			t.Error(got, err)
		}
		break
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx                   context.Context
		database, table, want string
	}{{t.Context(), "", "nothing", "doesn't exist"}, {t.Context(), "nowhere", "t", "Unknown database"}, {t.Context(), "", "v", "is a view"}, {cancelled, "", "pk", "canceled"}} {
		n := 0
		for e, err := range connector.Entities(c.ctx, nearlyfree.EntityRange{Database: c.database, Table: c.table}) {
			if n++; e != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, %v", c.want, e, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d times", c.want, n)
		}
	}
}
