package tests

import (
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestOutdatedWriter changes a table by one process, and has another one, which trusts the old definition for a
// while, write: it may be refused, and nothing is lost, goes elsewhere, or becomes what the new definition forbids.
func TestOutdatedWriter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes []string // by the one
		write   string   // by the other
		query   string
		want    int
	}{
		"table renamed and made again": {
			[]string{"RENAME TABLE t TO old", "CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT)"},
			"INSERT INTO t VALUES (2, 2, 2)",
			"SELECT COUNT(*) FROM t", 1,
		},
		"tables swapped by ALTER TABLE": {
			[]string{"CREATE TABLE new (id INT PRIMARY KEY, v INT, w INT)", "ALTER TABLE t RENAME TO old", "ALTER TABLE new RENAME TO t"},
			"INSERT INTO t VALUES (2, 2, 2)",
			"SELECT COUNT(*) FROM t", 1,
		},
		"column renamed and made again": {
			[]string{"ALTER TABLE t RENAME COLUMN w TO old", "ALTER TABLE t ADD COLUMN w INT"},
			"UPDATE t SET w = 9",
			"SELECT COUNT(*) FROM t WHERE w = 9 AND old = 1", 1,
		},
		"columns swapped": {
			[]string{"ALTER TABLE t RENAME COLUMN w TO x", "ALTER TABLE t RENAME COLUMN v TO w", "ALTER TABLE t RENAME COLUMN x TO v"},
			"UPDATE t SET w = 9",
			"SELECT COUNT(*) FROM t WHERE w = 9 AND v = 1", 1,
		},
		"column added": {
			[]string{"ALTER TABLE t ADD COLUMN x INT", "UPDATE t SET x = 7"},
			"UPDATE t SET v = 3",
			"SELECT COUNT(*) FROM t WHERE x = 7 AND v = 3", 1,
		},
		"default changed": {
			[]string{"ALTER TABLE t ALTER COLUMN w SET DEFAULT 5"},
			"INSERT INTO t (id) VALUES (2)",
			"SELECT COUNT(*) FROM t WHERE w = 5", 1,
		},
		"NOT NULL": {
			[]string{"ALTER TABLE t MODIFY COLUMN w INT NOT NULL"},
			"INSERT INTO t VALUES (2, 2, NULL)",
			"SELECT COUNT(*) FROM t WHERE w IS NULL", 0,
		},
		"CHECK": {
			[]string{"ALTER TABLE t ADD CHECK (w < 10)"},
			"INSERT INTO t VALUES (2, 2, 20)",
			"SELECT COUNT(*) FROM t WHERE w >= 10", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := overService(0, false)
			config.SchemaLease = 300 * time.Millisecond
			a, b := nearlyfreetest.OpenConfig(t, config), nearlyfreetest.OpenConfig(t, config)
			exec(t, a, "CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT)")
			exec(t, a, "INSERT INTO t VALUES (1, 1, 1)")
			exec(t, b, "UPDATE t SET v = 2, w = 1")
			for _, change := range test.changes {
				exec(t, a, change)
			}
			if _, err := b.Exec(test.write); err != nil {
				t.Log(err)
			}
			if n := count(t, a, test.query); n != test.want {
				t.Errorf("%s: %d instead of %d", test.query, n, test.want)
			}
		})
	}
}
