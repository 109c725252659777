package tests

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
)

// firsts gives the first column of a query's rows.
func firsts(t *testing.T, q interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string, args ...any) (all []string) {
	t.Helper()
	rows, err := q.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%s: %v", query, err)
	}
	return all
}

// TestDatabasesOfProcesses: what a process creates, changes and drops others see within the lease, whatever they knew before.
func TestDatabasesOfProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		maker, other := s.enter(false), s.enter(false)
		mustExec(t, other.DB, "CREATE TABLE here (id INT PRIMARY KEY)")
		if _, err := other.Exec("SELECT * FROM made.t"); numberOf(err) != nearlyfree.CodeUnknownDatabase {
			t.Errorf("a database that nobody has made: %v", err)
		}
		mustExec(t, maker.DB, "CREATE DATABASE made")
		mustExec(t, maker.DB, "CREATE TABLE made.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT, KEY v (v))")
		if got := firsts(t, other, "SHOW DATABASES"); !slices.Equal(got, []string{"information_schema", "made", "nearlyfree"}) {
			t.Errorf("databases %q", got)
		}
		for i := range 5 {
			mustExec(t, []*shopper{maker, other}[i%2].DB, "INSERT INTO made.t (v) VALUES (?)", i)
		}
		mustExec(t, maker.DB, "ALTER TABLE made.t ADD COLUMN w INT NOT NULL DEFAULT 3")
		mustExec(t, other.DB, "INSERT INTO made.t (v, w) VALUES (9, 9)")
		mustExec(t, other.DB, "INSERT INTO here SELECT id FROM made.t WHERE v = 9")
		if got := firsts(t, maker, "SELECT w FROM made.t WHERE v >= 3 ORDER BY v"); !slices.Equal(got, []string{"3", "3", "9"}) {
			t.Errorf("rows %q", got)
		}
		mustExec(t, maker.DB, "DROP DATABASE made")
		for _, query := range []string{"SELECT * FROM made.t", "INSERT INTO made.t (v) VALUES (1)", "CREATE TABLE made.u (id INT)", "SHOW TABLES FROM made", "USE made"} {
			if _, err := other.Exec(query); numberOf(err) != nearlyfree.CodeUnknownDatabase {
				t.Errorf("%s of a database that was dropped: %v", query, err)
			}
		}
		mustExec(t, other.DB, "CREATE DATABASE made")
		mustExec(t, other.DB, "CREATE TABLE made.t (id INT PRIMARY KEY, other INT)")
		mustExec(t, maker.DB, "INSERT INTO made.t VALUES (1, 2)")
		if got := firsts(t, maker, "SELECT other FROM made.t"); !slices.Equal(got, []string{"2"}) {
			t.Errorf("rows %q", got)
		}
	})
}

// TestRequestsOfDatabases: within the lease, a statement over another database takes as many requests as one over its own.
func TestRequestsOfDatabases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		maker, p := s.enter(false), s.enter(false)
		mustExec(t, maker.DB, "CREATE DATABASE d")
		mustExec(t, maker.DB, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT, KEY v (v))")
		mustExec(t, maker.DB, "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY v (v))")
		for _, name := range []string{"t", "d.t"} {
			mustExec(t, p.DB, "INSERT INTO "+name+" VALUES (1, 1)")
			for _, c := range []struct {
				statement string
				requests  int64
			}{
				{"SELECT v FROM " + name + " WHERE id = 1", 1}, {"SELECT id FROM " + name + " WHERE v = 1", 1},
				{"INSERT INTO " + name + " VALUES (2, 2)", 1}, {"UPDATE " + name + " SET v = 3 WHERE id = 2", 2},
				{"SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 't'", -1},
				{"SELECT v FROM " + name + " WHERE id = 1", 1},
			} {
				if _, n := p.took(t, c.statement); n != c.requests && c.requests >= 0 {
					t.Errorf("%s sent %d requests, not %d", c.statement, n, c.requests)
				}
			}
		}
		if _, n := p.took(t, "SELECT x.v, y.v FROM t x JOIN d.t y ON y.id = x.id WHERE x.id = 1"); n != 2 {
			t.Errorf("a join over databases sent %d requests, not 2", n)
		}
		conn, err := p.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		before := p.requests.Load()
		for _, statement := range []string{"USE d", "SELECT v FROM t WHERE id = 1", "USE nearlyfree", "SELECT v FROM t WHERE id = 1"} {
			if _, err := conn.ExecContext(t.Context(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
		if n := p.requests.Load() - before; n != 2 {
			t.Errorf("USE and two point reads sent %d requests, not 2", n)
		}
	})
}

// TestDatabaseDied ends the process that creates or drops a database before each of its writes, and after each whose answer it does
// not get. Another process then sees all of it or nothing, and the same statement, or its opposite, leads to what it says.
func TestDatabaseDied(t *testing.T) {
	t.Parallel()
	for _, change := range []string{"CREATE DATABASE d COLLATE utf8mb4_0900_ai_ci", "DROP DATABASE d"} {
		for _, layout := range []nearlyfree.Layout{nearlyfree.LayoutTable, nearlyfree.LayoutSingle} {
			for _, lost := range []bool{false, true} {
				t.Run(fmt.Sprint(change[:4], " ", layout, " ", lost), func(t *testing.T) {
					t.Parallel()
					drops := change[:4] == "DROP"
					last := 0
					for died := true; died && !t.Failed(); {
						last++
						for _, next := range []string{change, "CREATE DATABASE d", "DROP DATABASE IF EXISTS d"} {
							synctest.Test(t, func(t *testing.T) { died = dieInDatabase(t, change, next, drops, layout, last, lost) })
						}
					}
					t.Log(last, "writes")
				})
			}
		}
	}
}

func dieInDatabase(t *testing.T, change, next string, drops bool, layout nearlyfree.Layout, at int, lost bool) (died bool) {
	s := newShop(t)
	process := func(fault func(_ int, r *http.Request) azuretest.Fault) *sql.DB {
		db, _ := openConfig(t, &nearlyfree.Config{
			Store:     fmt.Sprintf("AccountName=%s;AccountKey=%s;TableEndpoint=%s", azuretest.Account, azuretest.Key, azuretest.Endpoint),
			Transport: &azuretest.Transport{Service: s.service, Fault: fault},
			Layout:    layout, SchemaLease: shopLease, Retry: nearlyfree.RetryOptions{MaxTries: 1}, Parallel: 1,
		})
		return db
	}
	other := process(nil)
	fill := func() {
		mustExec(t, other, "CREATE TABLE d.a (id INT PRIMARY KEY AUTO_INCREMENT, v INT, KEY v (v))")
		mustExec(t, other, "CREATE TABLE d.b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id))")
		mustExec(t, other, "CREATE TABLE d.c (id INT, v INT, PRIMARY KEY (id, v)) PARTITION BY RANGE (v) (PARTITION p VALUES LESS THAN (10), PARTITION q VALUES LESS THAN MAXVALUE)")
		mustExec(t, other, "CREATE VIEW d.e AS SELECT * FROM d.a")
		mustExec(t, other, "INSERT INTO d.a (v) VALUES (1), (2), (3)")
		mustExec(t, other, "INSERT INTO d.b VALUES (1, 1)")
		mustExec(t, other, "INSERT INTO d.c VALUES (1, 1), (2, 20)")
	}
	mustExec(t, other, "CREATE TABLE kept (id INT PRIMARY KEY)")
	if drops {
		mustExec(t, other, "CREATE DATABASE d")
		fill()
	}
	written := 0
	maker := process(func(_ int, r *http.Request) azuretest.Fault {
		if died {
			return azuretest.Fault{Refuse: true}
		}
		if !ofStatement(r) {
			return azuretest.Fault{}
		}
		written++
		died = written == at
		return azuretest.Fault{Refuse: died && !lost, LoseAnswer: died && lost}
	})
	if _, err := maker.Exec(change); !died && err != nil {
		t.Errorf("without an interruption: %v", err)
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s, died at write %d, lost %v, then %s: %s", change, at, lost, next, fmt.Sprintf(format, args...))
	}
	time.Sleep(shopLease) // until then it goes by what it knows
	there := slices.Contains(firsts(t, other, "SHOW DATABASES"), "d")
	_, err := other.Exec("SELECT * FROM d.a")
	switch {
	case drops && there && err != nil, !there && numberOf(err) != nearlyfree.CodeUnknownDatabase, !drops && there && numberOf(err) != nearlyfree.CodeNoSuchTable:
		fail("there: %v, a table: %v", there, err)
	}
	if there && drops {
		if got := firsts(t, other, "SELECT v FROM d.e ORDER BY v"); len(got) != 3 {
			fail("rows %q", got)
		}
	}
	_, err = other.Exec(next)
	switch {
	case strings.HasPrefix(next, "CREATE") && there:
		if numberOf(err) != nearlyfree.CodeDatabaseExists {
			fail("%v", err)
		}
	case next == "DROP DATABASE d" && !there: // it may have been finished, or not
		if err != nil && numberOf(err) != nearlyfree.CodeNoDatabaseToDrop {
			fail("%v", err)
		}
	case err != nil:
		fail("%v", err)
	}
	if !strings.HasPrefix(next, "CREATE") {
		mustExec(t, other, "CREATE DATABASE d")
	}
	if drops && strings.HasPrefix(next, "CREATE") && there {
		return died
	}
	if got := firsts(t, other, "SHOW TABLES FROM d"); len(got) > 0 {
		fail("tables of the new database: %q", got)
	}
	fill()
	if got := firsts(t, other, "SELECT CONCAT(id, v) FROM d.e ORDER BY id"); !slices.Equal(got, []string{"11", "22", "33"}) {
		fail("rows of the new database: %q", got)
	}
	for _, table := range []string{"a", "b", "c"} {
		var name, op, kind, text string
		if err := other.QueryRow("CHECK TABLE d."+table).Scan(&name, &op, &kind, &text); err != nil || text != "OK" {
			fail("CHECK TABLE %s: %s %v", table, text, err)
		}
	}
	return died
}

// namedBy puts names of databases of its own in place of @a and @b: an account may have others'.
func namedBy(config *nearlyfree.Config) func(string) string {
	return strings.NewReplacer("@a", config.Database+"a", "@b", config.Database+"b").Replace
}

// TestUseAndPool: USE lasts as long as the connection is held, a statement stays where it was prepared, and several in one text go by
// a USE among them.
func TestUseAndPool(t *testing.T) {
	t.Parallel()
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			config := s.config(t)
			db, _ := openConfig(t, config)
			named := namedBy(config)
			db.SetMaxOpenConns(1)
			for _, statement := range []string{
				"CREATE DATABASE @a", "CREATE DATABASE @b", "CREATE TABLE @a.t (v VARCHAR(10) PRIMARY KEY)", "CREATE TABLE @b.t (v VARCHAR(10) PRIMARY KEY)",
				"INSERT INTO @a.t VALUES ('in a')", "INSERT INTO @b.t VALUES ('in b')",
			} {
				mustExec(t, db, named(statement))
			}
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			run := func(text string) {
				t.Helper()
				if _, err := conn.ExecContext(t.Context(), named(text)); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
			sees := func(query, want string) {
				t.Helper()
				if got := firsts(t, conn, named(query)); !slices.Equal(got, []string{named(want)}) {
					t.Errorf("%s: %q, want %s", query, got, want)
				}
			}
			run("USE @a")
			sees("SELECT v FROM t", "in a")
			sees("SELECT v FROM t WHERE v = 'in a'", "in a")
			prepared, err := conn.PrepareContext(t.Context(), "SELECT v FROM t WHERE v <> ?")
			if err != nil {
				t.Fatal(err)
			}
			run("PREPARE p FROM 'SELECT v FROM t'")
			run("USE @b")
			sees("SELECT v FROM t", "in b")
			sees("SELECT v FROM t WHERE v = 'in b'", "in b")
			sees("EXECUTE p", "in a")
			var v string
			if err := prepared.QueryRow("x").Scan(&v); err != nil || v != "in a" {
				t.Errorf("a prepared statement gives %q, %v", v, err)
			}
			run("USE @a; INSERT INTO t VALUES ('more'); USE @b; DELETE FROM t")
			sees("SELECT COUNT(*) FROM @a.t", "2")
			sees("SELECT COUNT(*) FROM t", "0")
			sees("SELECT db FROM information_schema.processlist", "@b")
			run("DROP DATABASE @b")
			sees("SELECT COALESCE(DATABASE(), 'none')", "none")
			if _, err := conn.ExecContext(t.Context(), "SELECT * FROM t"); numberOf(err) != nearlyfree.CodeNoDatabase {
				t.Errorf("without a database: %v", err)
			}
			prepared.Close()
			conn.Close()
			if got := firsts(t, db, "SELECT DATABASE()"); !slices.Equal(got, []string{cmp.Or(config.Database, "nearlyfree")}) {
				t.Errorf("behind the pool it is %q", got)
			}
			mustExec(t, db, named("DROP DATABASE @a"))
		})
	}
}

// TestTransactionOverDatabases: a transaction over tables of several databases stands as a whole or not at all, also where the database
// of the data source name has no tables, and goes by the definitions of all of them.
func TestTransactionOverDatabases(t *testing.T) {
	t.Parallel()
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			config := s.config(t)
			db, _ := openConfig(t, config)
			named := namedBy(config)
			for _, statement := range []string{
				"CREATE DATABASE @a", "CREATE DATABASE @b", "CREATE TABLE @a.t (id INT PRIMARY KEY, v INT, KEY v (v))", "CREATE TABLE @b.t (id INT PRIMARY KEY, v INT, KEY v (v))",
				"INSERT INTO @a.t VALUES (1, 10)", "INSERT INTO @b.t VALUES (1, 0)",
			} {
				mustExec(t, db, named(statement))
			}
			move := func(by int) error {
				var sum int // on Azure only what a transaction has read whose COMMIT succeeds is of one moment
				err := nearlyfree.RunTx(t.Context(), db, &sql.TxOptions{Isolation: sql.LevelSerializable}, func(tx *sql.Tx) error {
					if err := tx.QueryRow(named("SELECT x.v + y.v FROM @a.t x JOIN @b.t y ON y.id = x.id")).Scan(&sum); err != nil {
						return err
					}
					if _, err := tx.Exec(named("UPDATE @a.t SET v = v - ? WHERE id = 1"), by); err != nil {
						return err
					}
					_, err := tx.Exec(named("UPDATE @b.t SET v = v + ? WHERE id = 1"), by)
					return err
				})
				if err == nil && sum != 10 {
					err = fmt.Errorf("the sum is %d", sum)
				}
				return err
			}
			done := make(chan error)
			for i := range 4 {
				go func() { done <- move(i) }()
			}
			for range 4 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if got := firsts(t, db, named("SELECT v FROM @a.t UNION ALL SELECT v FROM @b.t")); !slices.Equal(got, []string{"4", "6"}) {
				t.Errorf("the rows are %q", got)
			}
			tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable})
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			if got := firsts(t, tx, named("SELECT v FROM @a.t")); len(got) != 1 {
				t.Error(got)
			}
			mustExec(t, db, named("CREATE INDEX w ON @b.t (v)"))
			if _, err := tx.Exec(named("UPDATE @b.t SET v = 7")); !errors.Is(err, nearlyfree.ErrSchemaChanged) && err != nil {
				t.Errorf("a definition that is newer than the transaction: %v", err)
			} else if err == nil && tx.Commit() == nil && !isAccount(config) {
				t.Error("a definition that is newer than the transaction's moment was used")
			}
			mustExec(t, db, named("UPDATE @a.t SET v = 1"))
			mustExec(t, db, named("DROP DATABASE @b"))
			defer func() { mustExec(t, db, named("DROP DATABASE @a")) }()
			if got := firsts(t, db, named("SELECT v FROM @a.t")); !slices.Equal(got, []string{"1"}) {
				t.Errorf("the rows are %q", got)
			}
		})
	}
}

// TestDatabaseOfName: the database of a data source name is there though nobody has created it, until it is dropped; one store is seen
// alike from each of its databases.
func TestDatabaseOfName(t *testing.T) {
	t.Parallel()
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			config := s.config(t)
			if s.shared {
				t.Skip("others have databases in this account, too")
			}
			if config.Store == "mem://" {
				config.Store = "mem://TestDatabaseOfName"
			}
			first, _ := openConfig(t, config)
			tenant := *config
			tenant.Database = "Tenant_1"
			second, _ := openConfig(t, &tenant)
			if got := firsts(t, second, "SHOW DATABASES"); !slices.Equal(got, []string{"information_schema", "Tenant_1"}) {
				t.Errorf("databases %q", got)
			}
			if got := firsts(t, first, "SHOW DATABASES"); !slices.Equal(got, []string{"information_schema", "nearlyfree"}) {
				t.Errorf("databases %q", got)
			}
			mustExec(t, second, "CREATE TABLE t (id INT PRIMARY KEY)")
			mustExec(t, second, "INSERT INTO tenant_1.t VALUES (5)")
			if got := firsts(t, first, "SHOW DATABASES"); !slices.Equal(got, []string{"information_schema", "nearlyfree", "tenant_1"}) {
				t.Errorf("databases %q", got)
			}
			if got := firsts(t, first, "SELECT id FROM Tenant_1.t"); !slices.Equal(got, []string{"5"}) {
				t.Errorf("rows %q", got)
			}
			if got := firsts(t, first, "SELECT table_schema FROM information_schema.tables WHERE table_name = 't'"); !slices.Equal(got, []string{"tenant_1"}) {
				t.Errorf("the table's database is %q", got)
			}
			if got := firsts(t, second, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"); !slices.Equal(got, []string{"t"}) {
				t.Errorf("tables %q", got)
			}
			mustExec(t, first, "CREATE TABLE own (id INT PRIMARY KEY)")
			if got := firsts(t, second, "SELECT CONCAT(table_schema, '.', table_name) AS n FROM information_schema.tables WHERE table_type = 'BASE TABLE' ORDER BY n"); !slices.Equal(got, []string{"Tenant_1.t", "nearlyfree.own"}) {
				t.Errorf("tables %q", got)
			}
			if _, err := second.Exec("CREATE DATABASE TENANT_1"); numberOf(err) != nearlyfree.CodeDatabaseExists {
				t.Errorf("creating what is there: %v", err)
			}
			mustExec(t, first, "DROP DATABASE tenant_1")
			if _, err := second.Exec("SELECT * FROM t"); numberOf(err) != nearlyfree.CodeUnknownDatabase {
				t.Errorf("the database was dropped: %v", err)
			}
			if _, err := second.Exec("CREATE TABLE t (id INT PRIMARY KEY)"); numberOf(err) != nearlyfree.CodeUnknownDatabase {
				t.Errorf("the database was dropped: %v", err)
			}
			mustExec(t, second, "CREATE DATABASE Tenant_1")
			mustExec(t, second, "CREATE TABLE t (id INT PRIMARY KEY)")
			if got := firsts(t, second, "SELECT id FROM t"); len(got) != 0 {
				t.Errorf("rows %q", got)
			}
		})
	}
}
