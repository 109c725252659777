package tests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestViewChanges: a prepared statement goes by the view as it is, whichever process has changed it.
func TestViewChanges(t *testing.T) {
	t.Parallel()
	config, _ := fakeService(t)
	here, there := nearlyfreetest.OpenConfig(t, config), nearlyfreetest.OpenConfig(t, config)
	run(t, here, "CREATE TABLE t (id INT PRIMARY KEY, a INT)")
	run(t, here, "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
	run(t, here, "CREATE VIEW v AS SELECT * FROM t WHERE a > 10")
	run(t, here, "CREATE VIEW w AS SELECT id FROM v")
	read, err := here.Prepare("SELECT COUNT(*) FROM w WHERE id < ?")
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	write, err := here.Prepare("UPDATE v SET a = a + 1 WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	for _, c := range []struct {
		change  string
		rows    int // of w
		changed int64
	}{
		{"", 2, 0},
		{"CREATE OR REPLACE VIEW v AS SELECT * FROM t", 3, 1},
		{"ALTER VIEW v AS SELECT id, a FROM t WHERE id = 2", 1, 0},
		{"ALTER TABLE t ADD COLUMN more INT", 1, 0},
		{"ALTER VIEW v AS SELECT id, a, more FROM t WHERE id = 1", 1, 1},
	} {
		if c.change != "" {
			run(t, there, c.change)
			time.Sleep(2 * config.SchemaLease)
		}
		var n int
		if err := read.QueryRow(9).Scan(&n); err != nil || n != c.rows {
			t.Errorf("%s: %d rows, want %d: %v", c.change, n, c.rows, err)
		}
		r, err := write.Exec(1)
		if err != nil {
			t.Fatalf("%s: %v", c.change, err)
		}
		if n, _ := r.RowsAffected(); n != c.changed {
			t.Errorf("%s: %d rows changed, want %d", c.change, n, c.changed)
		}
	}
}

// TestViewsAsWritten: a view means what it meant where it was made, whatever the session says that uses it.
func TestViewsAsWritten(t *testing.T) {
	t.Parallel()
	name := "mem://" + t.Name()
	ansi, plain := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: name, ANSIQuotes: true}), nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: name})
	run(t, ansi, `CREATE TABLE "a b" ("x y" VARCHAR(20), at TIMESTAMP, PRIMARY KEY ("x y"))`)
	run(t, ansi, `INSERT INTO "a b" VALUES ('One', '2024-01-01 12:00:00'), ('two', '2024-06-01 12:00:00')`)
	run(t, ansi, `CREATE VIEW "v ""v" AS SELECT "x y" || '!' AS "e e", at, HOUR(at) AS h FROM "a b" WHERE "x y" || 'x' LIKE '%x'`)
	conn, err := plain.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, c := range []struct{ statement, want string }{
		{"SELECT `e e`, h FROM `v \"v` ORDER BY h", "e e | h\nOne! | 12\ntwo! | 12"},
		{"SET time_zone = '+05:00'", "affected 0"},
		{"SELECT `e e`, h FROM `v \"v` WHERE at > '2024-03-01' AND h = 17", "e e | h\ntwo! | 17"},
		{"SET collation_connection = utf8mb4_0900_ai_ci", "affected 0"},
		{"CREATE VIEW blind AS SELECT 'A' = 'a' AS same", "affected 0"},
		{"SET collation_connection = utf8mb4_0900_bin", "affected 0"},
		{"CREATE VIEW seeing AS SELECT 'A' = 'a' AS same", "affected 0"},
		{"SELECT b.same, s.same FROM blind b, seeing s", "same | same\n1 | 0"},
		{"SET collation_connection = utf8mb4_0900_ai_ci", "affected 0"},
		{"SELECT b.same, s.same, 'A' = 'a' AS now FROM blind b, seeing s", "same | same | now\n1 | 0 | 1"},
	} {
		if got := answer(context.Background(), conn, c.statement); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.statement, got, c.want)
		}
	}
}

// TestViewsOfOthers: a view may be of a table that nobody declared, and of one of another program.
func TestViewsOfOthers(t *testing.T) {
	t.Parallel()
	for i, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			config := s.config(t)
			config.Database = ""
			_, conn := connect(t, config)
			own := strings.NewReplacer("ViewLog", fmt.Sprintf("ViewLog%d", i)) // stores of one account share the default database
			for _, s := range []string{"DROP VIEW IF EXISTS a, raw, every, later", "DROP TABLE IF EXISTS log"} {
				answer(context.Background(), conn, s)
			}
			for _, c := range []struct{ statement, want string }{
				{"CREATE EXTERNAL TABLE log (tenant TEXT, no INT, words TEXT) LOCATION 'ViewLog' PARTITION KEY '{tenant}' ROW KEY '{no:D5}'", "affected 0"},
				{"INSERT INTO log VALUES ('a', 1, 'one'), ('a', 2, 'two'), ('b', 1, 'three')", "affected 3"},
				{"CREATE VIEW a AS SELECT no, words FROM log WHERE tenant = 'a'", "affected 0"},
				{"CREATE VIEW raw AS SELECT RowKey, words FROM ViewLog WHERE PartitionKey = 'a'", "affected 0"},
				{"CREATE VIEW every AS SELECT * FROM ViewLog", "affected 0"},
				{"CREATE VIEW later AS SELECT RowKey, Later FROM ViewLog", "affected 0"},
				{"SELECT * FROM a ORDER BY no", "no | words\n1 | one\n2 | two"},
				{"SELECT * FROM raw ORDER BY RowKey", "RowKey | words\n00001 | one\n00002 | two"},
				{"SELECT words FROM every WHERE PartitionKey = 'b'", "words\nthree"},
				{"SELECT RowKey FROM later WHERE Later IS NULL AND RowKey = '00002'", "RowKey\n00002"},
				{"UPDATE a SET words = 'new' WHERE no = 2", "affected 1"},
				{"DELETE FROM raw WHERE RowKey = '00001'", "affected 1"},
				{"SELECT words FROM a", "words\nnew"},
			} {
				if got := answer(context.Background(), conn, own.Replace(c.statement)); got != c.want {
					t.Errorf("%s:\ngot  %s\nwant %s", c.statement, got, c.want)
				}
			}
		})
	}
}

// TestViewsOfViews: views upon views cost no more than what they stand for, and end where there are too many.
func TestViewsOfViews(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	run(t, db, "CREATE TABLE t (id INT PRIMARY KEY, a INT)")
	run(t, db, "CREATE VIEW v0 AS SELECT id, a FROM t")
	for i := range 70 {
		_, err := db.Exec(fmt.Sprintf("CREATE VIEW v%d AS SELECT id, a + 1 AS a FROM v%d", i+1, i))
		if (err != nil) != (i >= 63) {
			t.Fatalf("view %d: %v", i+1, err)
		}
		if err != nil {
			break
		}
	}
	run(t, db, "CREATE VIEW d0 AS SELECT x.id FROM t x JOIN t y ON x.id = y.id")
	var err error
	for i := 1; err == nil && i < 20; i++ {
		_, err = db.Exec(fmt.Sprintf("CREATE VIEW d%d AS SELECT x.id FROM d%d x JOIN d%[2]d y ON x.id = y.id", i, i-1))
	}
	if err == nil {
		t.Error("a join of a million tables is planned")
	}
	run(t, db, "CREATE VIEW g0 AS SELECT id, COUNT(*) AS n FROM t GROUP BY id")
	err = nil
	for i := 1; err == nil && i < 20; i++ {
		_, err = db.Exec(fmt.Sprintf("CREATE VIEW g%d AS SELECT x.id, SUM(y.n) AS n FROM g%d x JOIN g%[2]d y ON x.id = y.id GROUP BY x.id", i, i-1))
	}
	var refused *nearlyfree.Error
	if !errors.As(err, &refused) || refused.Number != nearlyfree.CodeTooManyTables {
		t.Errorf("a million groups are planned: %v", err)
	}
}
