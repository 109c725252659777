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
