package nearlyfreetest_test

import (
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

func TestTemplate(t *testing.T) {
	t.Parallel()
	var filled atomic.Int32
	template := nearlyfreetest.Template{
		Config: &nearlyfree.Config{Database: "shop", Scan: nearlyfree.ScanDeny},
		Fill: func(t testing.TB, db *sql.DB) {
			if filled.Add(1) == 1 {
				t.Fatal("not today")
			}
			mustExec(t, db, "CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(20), UNIQUE KEY (s))", "INSERT INTO a (s) VALUES ('x'), ('y')", "CREATE DATABASE other")
			nearlyfreetest.AssertRequests(t, db, 1, func() { all(t, db, "SELECT s FROM a WHERE id = 1") })
		},
	}
	if got := failure(func(t testing.TB) { template.Open(t) }); got != "not today" {
		t.Fatal(got)
	}
	before := template.Open(t)
	t.Run("copies", func(t *testing.T) {
		for i := range 20 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				db := template.Open(t)
				mustExec(t, db, fmt.Sprintf("INSERT INTO a (s) VALUES ('copy %d')", i), "DELETE FROM a WHERE id = 1", fmt.Sprintf("CREATE TABLE b%d (id INT PRIMARY KEY)", i),
					fmt.Sprintf("INSERT INTO b%d VALUES (1)", i))
				if got, want := fmt.Sprint(rowsOf(t, db, "SELECT * FROM a WHERE id > 0")), fmt.Sprintf("[2|y 3|copy %d]", i); got != want {
					t.Errorf("%s, want %s", got, want)
				}
				if got, want := fmt.Sprint(rowsOf(t, db, "SHOW TABLES")), fmt.Sprintf("[a b%d]", i); got != want {
					t.Errorf("%s, want %s", got, want)
				}
				if _, err := db.Exec("UPDATE a SET s = 'z' WHERE id + 1 = 3"); err == nil {
					t.Error("the settings are not those of the template")
				}
			})
		}
	})
	mustExec(t, before, "UPDATE a SET s = 'z' WHERE id = 1")
	for db, want := range map[*sql.DB]string{before: "[1|z 2|y]", template.Open(t): "[1|x 2|y]"} {
		if got := fmt.Sprint(rowsOf(t, db, "SELECT * FROM a WHERE id > 0")); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if n := filled.Load(); n != 2 {
		t.Errorf("it was filled %d times", n)
	}
}

func TestTemplateInMemoryOnly(t *testing.T) {
	t.Parallel()
	template := nearlyfreetest.Template{Config: &nearlyfree.Config{Store: "mem://named"}, Fill: func(testing.TB, *sql.DB) {}}
	if got := failure(func(t testing.TB) { template.Open(t) }); !strings.Contains(got, "must be mem://") {
		t.Error(got)
	}
}

// BenchmarkOpen is what a database of its own costs a test: to open it, to ask it something, to write to it; with the check at the end.
func BenchmarkOpen(b *testing.B) {
	template := nearlyfreetest.Template{Fill: func(t testing.TB, db *sql.DB) {
		for i := range 20 {
			mustExec(t, db, fmt.Sprintf("CREATE TABLE t%d (id INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(20), n INT, KEY (s), KEY (n))", i))
		}
		nearlyfreetest.SeedSQL(t, db, "INSERT INTO t1 (s, n) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT CONCAT('row ', i), i FROM n")
	}}
	for name, f := range map[string]func(testing.TB){
		"empty":          func(t testing.TB) { nearlyfreetest.Open(t) },
		"template":       func(t testing.TB) { template.Open(t) },
		"template/query": func(t testing.TB) { all(t, template.Open(t), "SELECT s FROM t1 WHERE id = 500") },
		"template/write": func(t testing.TB) { mustExec(t, template.Open(t), "UPDATE t1 SET n = 7 WHERE id = 500") },
		"empty/write": func(t testing.TB) {
			mustExec(t, nearlyfreetest.Open(t), "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20))", "INSERT INTO a VALUES (1, 'x')")
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				t := &fakeT{}
				f(t)
				for i := len(t.cleanups) - 1; i >= 0; i-- {
					t.cleanups[i]()
				}
				if t.failures != nil {
					b.Fatal(t.failures)
				}
			}
		})
	}
}
