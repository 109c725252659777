package nearlyfreetest_test

import (
	"testing"

	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

func TestOpenIsFreshEachTime(t *testing.T) {
	for range 2 {
		db := nearlyfreetest.Open(t)
		for _, q := range []string{
			"CREATE TABLE t (id INT PRIMARY KEY, a TEXT, KEY (a))",
			"INSERT INTO t VALUES (1, 'x'), (2, 'y')",
			"UPDATE t SET a = 'z' WHERE id = 1",
		} {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		var n int
		if err := db.QueryRow("SELECT COUNT(*) FROM t WHERE a IN ('y', 'z')").Scan(&n); err != nil || n != 2 {
			t.Fatalf("%d rows, %v", n, err)
		}
		if err := nearlyfreetest.Check(db); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExternal: entities that are no rows of an external table are no fault.
func TestExternal(t *testing.T) {
	db := nearlyfreetest.Open(t)
	for _, s := range []string{
		"CREATE EXTERNAL TABLE item (id INT, n INT) LOCATION 'Mixed' PARTITION KEY 'p' ROW KEY 'item-{id}'",
		"CREATE EXTERNAL TABLE head (id INT, n INT) LOCATION 'Mixed' PARTITION KEY 'p' ROW KEY 'head-{id}'",
		"INSERT INTO item VALUES (1, 1)",
		"INSERT INTO head VALUES (2, 2)",
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	for table, want := range map[string]int{"item": 1, "head": 2, "Mixed": 3} {
		var sum int
		if err := db.QueryRow("SELECT SUM(n) FROM " + table).Scan(&sum); err != nil || sum != want {
			t.Errorf("%s: %d, %v", table, sum, err)
		}
	}
	if err := nearlyfreetest.Check(db); err != nil {
		t.Error(err)
	}
}
