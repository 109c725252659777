package nearlyfreetest_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

func mustExec(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// all reads the rows of a query.
func all(t testing.TB, db *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestAssertRequests(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB) *sql.DB{
		"memory":  nearlyfreetest.Open,
		"account": func(t testing.TB) *sql.DB { return nearlyfreetest.OpenAccount(t).DB },
	} {
		t.Run(name, func(t *testing.T) {
			work := func(expected int64) string {
				return failure(func(t testing.TB) {
					db := open(t)
					mustExec(t, db, "CREATE TABLE a (id INT PRIMARY KEY, n INT, KEY (n))")
					nearlyfreetest.AssertRequests(t, db, 1, func() { mustExec(t, db, "INSERT INTO a VALUES (1, 1), (2, 1), (3, 2)") })
					nearlyfreetest.AssertRequests(t, db, expected, func() {
						all(t, db, "SELECT * FROM a WHERE id = ?", 2)
						all(t, db, "SELECT id FROM a WHERE n = 1")
						nearlyfreetest.AssertRequests(t, db, 1, func() { mustExec(t, db, "UPDATE a SET n = 4 WHERE id = 9") })
					})
					nearlyfreetest.AssertRequests(t, db, 0, func() {})
				})
			}
			if got := work(3); got != "" {
				t.Error(got)
			}
			want := "nearlyfreetest: 3 requests were made, and 2 expected:\n\t1 by SELECT * FROM a WHERE id = ? (point read a)\n\t1 by SELECT id FROM a WHERE n = 1 (row-key range a.n)\n\t1 by UPDATE a SET n = 4 WHERE id = 9 (update a: point read a)"
			if got := work(2); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestWatchOfOthers(t *testing.T) {
	t.Parallel()
	told := 0
	watch := &nearlyfreetest.Watch{}
	connector, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://", Observer: nearlyfree.Observers{
		watch, nearlyfree.ObserverFunc(func(context.Context, *nearlyfree.Statement) { told++ }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	mustExec(t, db, "CREATE TABLE a (id INT PRIMARY KEY)")
	nearlyfreetest.AssertRequests(t, watch, 1, func() { all(t, db, "SELECT * FROM a WHERE id = 1") })
	if told != 2 {
		t.Errorf("the other observer was told of %d statements", told)
	}
	if got := failure(func(t testing.TB) { nearlyfreetest.AssertRequests(t, db, 1, func() {}) }); !strings.Contains(got, "opened elsewhere") {
		t.Error(got)
	}
}

func TestAssertNoScan(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		"SELECT * FROM a WHERE id = 1":                         "",
		"SELECT * FROM a WHERE n = 1":                          "",
		"SELECT * FROM a WHERE s = 'x'":                        "SELECT * FROM a WHERE s = 'x': nearlyfree: the statement reads the whole table of a: no key serves s = 'x'; an index on (s) would",
		"SELECT /*+ allow_scan */ * FROM a WHERE s = 'x'":      "",
		"SELECT * FROM a":                                      "", // it wants all
		"SELECT COUNT(*) FROM a":                               "no condition that a key could serve",
		"SELECT * FROM a ORDER BY s LIMIT 1":                   "reads the whole table of a",
		"SELECT * FROM a LIMIT 1":                              "",
		"UPDATE a SET s = 'z'":                                 "",
		"DELETE FROM a WHERE s = 'nobody'":                     "an index on (s) would",
		"UPDATE a SET s = 'y' WHERE s LIKE 'y%' AND n + 1 = 2": "an index on (s) would",
	} {
		got := failure(func(t testing.TB) {
			db := nearlyfreetest.Open(t)
			mustExec(t, db, "CREATE TABLE a (id INT PRIMARY KEY, n INT, s VARCHAR(20), KEY (n))", "INSERT INTO a VALUES (1, 1, 'x'), (2, 2, 'y')")
			nearlyfreetest.AssertNoScan(t, db, func() {
				if strings.HasPrefix(statement, "SELECT") {
					all(t, db, statement)
				} else {
					mustExec(t, db, statement)
				}
			})
		})
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", statement, got, want)
		}
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	got := failure(func(t testing.TB) {
		db := nearlyfreetest.Open(t)
		mustExec(t, db, "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20))")
		server := httptest.NewServer(nearlyfreetest.Handler(t, db, 2, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/scan":
				all(t, db, "SELECT * FROM a WHERE s = ?", "x")
			case "/many":
				for i := range 3 {
					all(t, db, "SELECT * FROM a WHERE id = ?", i)
				}
			default:
				all(t, db, "SELECT * FROM a WHERE id = ?", 1)
			}
		})))
		defer server.Close()
		for _, path := range []string{"/", "/scan", "/many"} {
			answer, err := http.Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
		}
	})
	lines := strings.Split(got, "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[0], "nearlyfreetest: GET /scan: SELECT * FROM a WHERE s = ?: nearlyfree: the statement reads") ||
		lines[1] != "nearlyfreetest: GET /many: 3 requests were made, and 2 are allowed:" || !strings.HasSuffix(lines[4], "\t1 by SELECT * FROM a WHERE id = ? (point read a)") {
		t.Error(got)
	}
}
