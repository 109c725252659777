package nearlyfree_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// mortal opens a connector of its own to the account, which dies as a process does: from the n-th request that writes
// on, nothing reaches the store.
func (a *account) mortal(t *testing.T, n int64) (db *sql.DB, died func() bool) {
	t.Helper()
	var written atomic.Int64
	transport := &azuretest.Transport{Service: a.transport.Service, Fault: func(_ int, r *http.Request) azuretest.Fault {
		if r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "members") { // those come by themselves
			written.Add(1)
		}
		return azuretest.Fault{Refuse: written.Load() >= n}
	}}
	c, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store:     fmt.Sprintf("DefaultEndpointsProtocol=https;AccountName=%s;AccountKey=%s;TableEndpoint=%s", azuretest.Account, azuretest.Key, azuretest.Endpoint),
		Transport: transport, SchemaLease: time.Millisecond, Retry: nearlyfree.RetryOptions{MaxTries: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	db = sql.OpenDB(c)
	t.Cleanup(func() { db.Close() })
	return db, func() bool { return written.Load() >= n }
}

func (a *account) clean(t *testing.T, table string) {
	t.Helper()
	for _, line := range a.rows(t, "CHECK TABLE "+table) {
		if !strings.HasSuffix(line, "string status|string OK") {
			t.Error(line)
		}
	}
}

// TestIndexCrash kills the process that makes an index before each of its writes. Others go on writing meanwhile.
// Whoever comes next makes the index by the same statement, or gives it up.
func TestIndexCrash(t *testing.T) {
	t.Parallel()
	const rows = 250
	values := make([]string, rows)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, %d, 'row')", i, i*97%rows)
	}
	for _, c := range []struct{ name, create, by string }{
		{"Index", "CREATE INDEX made ON t (n)", "SELECT COUNT(*) FROM t WHERE n >= 0"},
		{"Unique", "CREATE UNIQUE INDEX made ON t (n)", "SELECT COUNT(*) FROM t WHERE n >= 0"},
		{"Keys", "ALTER TABLE t ADD INDEX made (n DESC) COPY KEYS", "SELECT COUNT(*) FROM t WHERE n <= 1000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			crashes := 0
			for n := int64(1); ; n += 1 + n/3 {
				a := openAccountWith(t, time.Millisecond)
				a.exec(t, "CREATE TABLE t (id INT PRIMARY KEY, n INT, note VARCHAR(10), KEY kept (note))")
				a.exec(t, "INSERT INTO t VALUES "+strings.Join(values, ", "))
				db, died := a.mortal(t, n)
				_, err := db.Exec(c.create)
				if !died() {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				crashes++
				if err == nil {
					t.Fatalf("died at write %d, and all is well", n)
				}
				a.exec(t, "UPDATE t SET n = n + 100000 WHERE id < 10")
				a.exec(t, "DELETE FROM t WHERE id BETWEEN 10 AND 19")
				a.exec(t, "INSERT INTO t VALUES (5000, 5000, 'new'), (5001, NULL, 'new')")
				a.clean(t, "t")
				if n%2 == 0 && len(a.rows(t, "SHOW INDEX FROM t WHERE Key_name = 'made'")) > 0 {
					a.exec(t, "DROP INDEX made ON t")
					a.clean(t, "t")
				}
				if len(a.rows(t, "SHOW INDEX FROM t WHERE Key_name = 'made' AND Comment = ''")) == 0 { // else it died when all was made
					a.exec(t, c.create)
				}
				a.clean(t, "t")
				want := fmt.Sprint("int64 ", rows-10+1)
				if got := a.rows(t, c.by); got[0] != want {
					t.Fatalf("died at write %d: %s rows by the index, want %s", n, got[0], want)
				}
				if plan := a.rows(t, "EXPLAIN "+c.by); !strings.Contains(strings.Join(plan, "\n"), "t.made") {
					t.Fatalf("the index is not used: %v", plan)
				}
				if left := a.rows(t, "SHOW INDEX FROM t WHERE Comment <> ''"); len(left) > 0 {
					t.Fatalf("died at write %d: %v", n, left)
				}
			}
			if crashes < 6 {
				t.Errorf("only %d crashes", crashes)
			}
		})
	}
}

// TestAlterCrash kills the process that changes columns before each of its writes. Others go on meanwhile: at each moment
// a column that is there has the right value in each row. The next ALTER TABLE makes an end of what was begun.
func TestAlterCrash(t *testing.T) {
	t.Parallel()
	const rows = 120
	values := make([]string, rows)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, %d, 'row')", i, i*97%rows)
	}
	for _, c := range []struct {
		name, alter string
		has         string // a condition on all rows wherever the statement has taken effect; none may be false for a row
		by          string // a query by an index that the change makes anew
	}{
		{"Default", "ADD COLUMN x INT DEFAULT 7", "COALESCE(x, -1) = IF(note = 'null', -1, 7)", ""},
		{"NotNull", "ADD COLUMN x VARCHAR(10) NOT NULL DEFAULT ''", "x = ''", ""},
		{"Each", "ADD COLUMN x CHAR(36) DEFAULT (UUID())", "", ""},
		{"Modify", "MODIFY COLUMN n VARCHAR(20)", "n LIKE '%_'", ""},
		{"Key", "MODIFY COLUMN note VARCHAR(20) COLLATE nocase", "note IN ('ROW', 'NULL')", "note = 'ROW'"},
		{"Drop", "DROP COLUMN note", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			crashes := 0
			for n := int64(1); ; n += 1 + n/3 {
				a := openAccountWith(t, time.Millisecond)
				a.exec(t, "CREATE TABLE t (id INT PRIMARY KEY, n INT, note VARCHAR(10), KEY kept (note), KEY n (n) COPY KEYS)")
				a.exec(t, "INSERT INTO t VALUES "+strings.Join(values, ", "))
				before := a.rows(t, "SHOW CREATE TABLE t")[0]
				db, died := a.mortal(t, n)
				_, err := db.Exec("ALTER TABLE t " + c.alter)
				if !died() {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				crashes++
				if err == nil {
					t.Fatalf("died at write %d, and all is well", n)
				}
				effective := a.rows(t, "SHOW CREATE TABLE t")[0] != before
				holds := func() {
					t.Helper()
					if c.has == "" || !effective {
						return
					}
					if bad := a.rows(t, "SELECT * FROM t WHERE NOT ("+c.has+")"); len(bad) > 0 {
						t.Fatalf("died at write %d: %d rows as %s", n, len(bad), bad[0])
					}
				}
				holds()
				a.exec(t, "UPDATE t SET n = n + 100 WHERE id < 10")
				a.exec(t, "DELETE FROM t WHERE id BETWEEN 10 AND 19")
				if c.name == "Default" && effective {
					a.exec(t, "UPDATE t SET x = NULL, note = 'null' WHERE id BETWEEN 20 AND 25")
				}
				if c.name != "Drop" {
					a.exec(t, "INSERT INTO t (id, n, note) VALUES (5000, 5000, 'row')")
				} else {
					a.exec(t, "INSERT INTO t (id, n) VALUES (5000, 5000)")
				}
				holds()
				a.clean(t, "t")
				if !effective {
					a.exec(t, "ALTER TABLE t "+c.alter)
					effective = true
				} else {
					a.exec(t, "ALTER TABLE t COMMENT 'next'")
				}
				holds()
				a.clean(t, "t")
				if c.by != "" {
					if plan := a.rows(t, "EXPLAIN SELECT COUNT(*) FROM t WHERE "+c.by); !strings.Contains(strings.Join(plan, "\n"), "t.kept") {
						t.Fatalf("died at write %d: the index is not used: %v", n, plan)
					}
					if got := a.rows(t, "SELECT COUNT(*) FROM t WHERE "+c.by)[0]; got != fmt.Sprint("int64 ", rows-10+1) {
						t.Fatalf("died at write %d: %s rows by the index", n, got)
					}
				}
				if c.name == "Each" {
					if got := a.rows(t, "SELECT COUNT(DISTINCT x) FROM t")[0]; got != fmt.Sprint("int64 ", rows-10+1) {
						t.Fatalf("died at write %d: %s values of %d", n, got, rows-10+1)
					}
				}
				if c.name == "Drop" {
					if len(a.rows(t, "SHOW COLUMNS FROM t LIKE 'note'")) > 0 { // the change was only announced, and so taken back
						a.exec(t, "ALTER TABLE t "+c.alter)
					}
					a.exec(t, "ALTER TABLE t ADD COLUMN note VARCHAR(10) DEFAULT 'fresh'")
					if got := a.rows(t, "SELECT COUNT(*) FROM t WHERE note = 'fresh'")[0]; got != fmt.Sprint("int64 ", rows-10+1) {
						t.Fatalf("died at write %d: %s rows without what was dropped", n, got)
					}
				}
			}
			if crashes < 2 {
				t.Errorf("only %d crashes", crashes)
			}
			t.Log(crashes, "crashes")
		})
	}
}

// TestWithParentCrash kills whoever makes or drops a table WITH PARENT before each of its writes: meanwhile rows are
// written and joined, and the same statement goes on.
func TestWithParentCrash(t *testing.T) {
	t.Parallel()
	const create = `CREATE TABLE item (expense INT, n INT, PRIMARY KEY (expense, n),
		FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE) INTERLEAVE IN PARENT expense WITH PARENT`
	const join = "SELECT COUNT(*), SUM(e.v) FROM expense e LEFT JOIN item i ON i.expense = e.id"
	for _, c := range []struct{ name, statement, before, after string }{
		{"Create", create, "", create},
		{"Drop", "DROP TABLE item", create, "DROP TABLE IF EXISTS item"},
		{"OtherTable", create, "", strings.Replace(create, " WITH PARENT", "", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			crashes := 0
			for n := int64(1); ; n++ {
				a := openAccountWith(t, time.Millisecond)
				a.exec(t, "CREATE TABLE expense (id INT PRIMARY KEY, v INT, KEY (v))")
				a.exec(t, "INSERT INTO expense VALUES (1, 1), (2, 2), (3, 3)")
				if c.before != "" {
					a.exec(t, c.before)
					a.exec(t, "INSERT INTO item VALUES (1, 1), (1, 2)")
				}
				db, died := a.mortal(t, n)
				if _, err := db.Exec(c.statement); !died() {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				crashes++
				a.exec(t, "UPDATE expense SET v = 10 WHERE id = 2")
				a.exec(t, "DELETE FROM expense WHERE id = 3")
				a.exec(t, "INSERT INTO expense VALUES (4, 4)")
				a.clean(t, "expense")
				there := len(a.rows(t, "SHOW TABLES LIKE 'item'")) > 0
				joined := func() {
					t.Helper()
					if got := a.rows(t, join)[0]; got != "int64 4|string 16" {
						t.Fatalf("died at write %d: %s", n, got)
					}
				}
				if there && c.before == "" {
					t.Fatalf("died at write %d, and the table is there", n)
				}
				if there {
					joined()
				}
				a.exec(t, c.after)
				if c.before == "" {
					a.exec(t, "INSERT INTO item VALUES (1, 1), (1, 2), (4, 1)")
					a.clean(t, "item")
					joined()
				}
				a.clean(t, "expense")
				want := 0
				if c.after == create {
					want = 1
				}
				if copies := a.rows(t, "SHOW INDEX FROM expense WHERE Key_name LIKE 'item%' AND Comment = ''"); len(copies) != want {
					t.Fatalf("died at write %d: %q", n, copies)
				}
			}
			if crashes < 4 {
				t.Errorf("only %d crashes", crashes)
			}
		})
	}
}

// TestIndexProgress: how far an index is can be seen from elsewhere, and is forgotten with it.
func TestIndexProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, indexProgress)
}

func indexProgress(t *testing.T) {
	a := openAccountWith(t, time.Millisecond)
	a.exec(t, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	values := make([]string, 1100)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, %d)", i, i)
	}
	a.exec(t, "INSERT INTO t VALUES "+strings.Join(values, ", "))
	var noted atomic.Bool
	seen := make(chan []string, 1)
	slow := &azuretest.Transport{Service: a.transport.Service}
	slow.SetFault(func(_ int, r *http.Request) azuretest.Fault {
		if r.Method == http.MethodGet || !strings.Contains(r.URL.Path, "batch") {
			return azuretest.Fault{}
		}
		return azuretest.Fault{Delay: 600 * time.Millisecond}
	})
	slow.SetAfter(func(r *http.Request, status int) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "progress") && noted.CompareAndSwap(false, true) {
			seen <- a.rows(t, "SHOW INDEX FROM t WHERE Key_name = 'made'")
		}
	})
	c, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store:     fmt.Sprintf("DefaultEndpointsProtocol=https;AccountName=%s;AccountKey=%s;TableEndpoint=%s", azuretest.Account, azuretest.Key, azuretest.Endpoint),
		Transport: slow, SchemaLease: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	defer db.Close()
	if _, err := db.Exec("CREATE INDEX made ON t (n)"); err != nil {
		t.Fatal(err)
	}
	select {
	case lines := <-seen:
		if len(lines) != 1 || !strings.Contains(lines[0], "being filled, not read yet, 500 rows so far") && !strings.Contains(lines[0], "1000 rows so far") {
			t.Errorf("%q", lines)
		}
	default:
		t.Error("nothing was noted")
	}
	if lines := a.rows(t, "SHOW INDEX FROM t WHERE Key_name = 'made' AND Comment <> ''"); len(lines) > 0 {
		t.Errorf("%q", lines)
	}
}
