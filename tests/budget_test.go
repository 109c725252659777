package tests

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// TestMaxRequests: a statement that needs more requests than it may make ends with an error, and has not made more.
func TestMaxRequests(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func() *nearlyfree.Config{
		"memory":  func() *nearlyfree.Config { return &nearlyfree.Config{Store: "mem://"} },
		"file":    func() *nearlyfree.Config { return &nearlyfree.Config{Store: "file:" + t.TempDir() + "/data"} },
		"service": func() *nearlyfree.Config { return overService(0, false) },
	} {
		t.Run(name, func(t *testing.T) {
			config := make()
			config.MaxRequests = 5
			connector, conn := connect(t, config)
			var rows []string
			for i := range 9000 {
				rows = append(rows, fmt.Sprintf("(%d, %d)", i, i%7))
			}
			runAll(t, conn, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "CREATE TABLE h (id INT PRIMARY KEY, n INT) PARTITION BY HASH (id) PARTITIONS 16",
				"INSERT /*+ MAX_REQUESTS(0) */ INTO t VALUES "+strings.Join(rows, ", "), "INSERT /*+ MAX_REQUESTS(0) */ INTO h VALUES "+strings.Join(rows[:100], ", "))
			for _, c := range []struct {
				statement string
				least     int64 // requests; 0: it is refused
				is        error
			}{
				{"SELECT n FROM t WHERE id = 1", 1, nil},
				{"SELECT COUNT(*) FROM t WHERE id < 3000", 3, nil},
				{"SELECT COUNT(*) FROM t", 5, nearlyfree.ErrTooManyRequests},
				{"SELECT n FROM t WHERE id IN (1, 2, 3, 4, 5, 6)", 0, nearlyfree.ErrTooManyRequests},
				{"SELECT /*+ MAX_REQUESTS(6) */ n FROM t WHERE id IN (1, 2, 3, 4, 5, 6)", 6, nil},
				{"SELECT /*+ MAX_COST(0.00000022) */ n FROM t WHERE id IN (1, 2, 3, 4, 5, 6)", 6, nil},
				{"SELECT /*+ MAX_COST(0.0000001) */ n FROM t WHERE id IN (1, 2, 3)", 0, nearlyfree.ErrTooManyRequests},
				{"SELECT /*+ MAX_REQUESTS(0) */ COUNT(*) FROM t", 9, nil},
				{"SELECT n FROM h WHERE n = 3", 0, nearlyfree.ErrTooManyRequests},
				{"SELECT /*+ MAX_ENTITIES(10) */ COUNT(*) FROM t", 1, nearlyfree.ErrTooManyEntities},
				{"UPDATE h SET n = n + 1 WHERE id IN (1, 2, 3, 4)", 4, nearlyfree.ErrTooManyRequests},
				{"DELETE FROM t WHERE id < 500", 1, nearlyfree.ErrTooManyRequests},
				{"INSERT INTO t VALUES (-1, 1)", 1, nil},
				{"EXPLAIN ANALYZE SELECT COUNT(*) FROM t", 5, nearlyfree.ErrTooManyRequests},
			} {
				before := connector.Stats()
				rows, err := conn.QueryContext(t.Context(), c.statement)
				if err == nil {
					_, err = rest(rows)
				}
				made := connector.Stats().Sub(before)
				requests := made.Requests - made.SchemaRequests
				if !errors.Is(err, c.is) || c.is == nil && err != nil {
					t.Errorf("%s: %v, want %v", c.statement, err, c.is)
				}
				if requests < c.least || err != nil && requests > max(c.least, 6) || c.least == 0 && requests > 0 {
					t.Errorf("%s: %d requests, %v", c.statement, requests, err)
				}
			}
			if n := queryStrings(t, conn, "SELECT /*+ MAX_REQUESTS(0) */ COUNT(*) FROM t")[0]; n != "9001" {
				t.Errorf("%s rows", n)
			}
			if n := queryStrings(t, conn, "SELECT /*+ MAX_REQUESTS(0) */ SUM(n) FROM h")[0]; n != queryStrings(t, conn, "SELECT SUM(n) FROM t WHERE id BETWEEN 0 AND 99")[0] {
				t.Errorf("sum %s", n)
			}
		})
	}
}
