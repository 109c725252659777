package tests

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// observed keeps what an Observer was told of.
type observed struct {
	mu  sync.Mutex
	all []*nearlyfree.Statement
}

func (o *observed) Statement(_ context.Context, s *nearlyfree.Statement) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, s)
}

// take gives what came since the last call.
func (o *observed) take() []*nearlyfree.Statement {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.all
	o.all = nil
	return all
}

// TestObserver: an Observer is told of each statement once, with what the Connector has counted meanwhile.
func TestObserver(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*nearlyfree.Config{"memory": {Store: "mem://"}, "service": overService(0, false)} {
		t.Run(name, func(t *testing.T) {
			o := &observed{}
			config.Observer = o
			connector, conn := connect(t, config)
			runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, n INT, s VARCHAR(20), KEY n (n))", "CREATE TABLE b (id INT PRIMARY KEY, a INT)",
				"INSERT INTO a VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 1, 'z')", "INSERT INTO b VALUES (1, 1), (2, 1)")
			o.take()
			for _, c := range []struct {
				statement, plan string
				args            []any
				rows            int64
				scans, fails    bool
			}{
				{statement: "SELECT * FROM a WHERE id = ?", args: []any{1}, rows: 1, plan: "point read a"},
				{statement: "SELECT * FROM a WHERE id = 2", rows: 1, plan: "point read a"},
				{statement: "SELECT * FROM a WHERE n = 1", rows: 2, plan: "row-key range a.n"},
				{statement: "SELECT * FROM a WHERE s = 'x'", rows: 1, plan: "partition scan a", scans: true},
				{statement: "SELECT a.s FROM b JOIN a ON a.id = b.a WHERE b.id < 3", rows: 2, plan: "row-key range b; partition scan a", scans: true},
				{statement: "SELECT 1", rows: 1},
				{statement: "UPDATE a SET n = n + 1 WHERE id = 1", rows: 1, plan: "update a: point read a"},
				{statement: "INSERT INTO a VALUES (4, 4, 'v'), (5, 5, 'w')", rows: 2, plan: "insert a"},
				{statement: "INSERT INTO a VALUES (4, 4, 'v')", plan: "insert a", fails: true},
				{statement: "DELETE FROM a WHERE id > 3", rows: 2, plan: "delete a: row-key range a"},
				{statement: "SELECT (SELECT n FROM a) FROM b", plan: "partition scan b; partition scan a", scans: true, fails: true},
				{statement: "SELECT COUNT(*) INTO @n FROM a", rows: 1, plan: "partition scan a", scans: true},
				{statement: "SET @x = (SELECT MAX(id) FROM a)", plan: "partition scan a", scans: true},
				{statement: "PREPARE p FROM 'SELECT * FROM a WHERE id = 3'"},
				{statement: "EXECUTE p", rows: 1, plan: "point read a"},
				{statement: "EXPLAIN ANALYZE SELECT * FROM a", rows: 3, plan: "partition scan a", scans: true},
				{statement: "SHOW TABLES", rows: 2, plan: "virtual table tables"},
				{statement: "ANALYZE TABLE a", rows: 2},
				{statement: "BEGIN"},
				{statement: "COMMIT"},
			} {
				before := connector.Stats()
				var err error
				if strings.HasPrefix(c.statement, "SELECT") && !strings.Contains(c.statement, "INTO") || strings.HasPrefix(c.statement, "EX") || strings.HasPrefix(c.statement, "SHOW") {
					err = readAll(conn, c.statement, c.args...)
				} else {
					_, err = conn.ExecContext(t.Context(), c.statement, c.args...)
				}
				cost := connector.Stats().Sub(before)
				cost.Requests, cost.SchemaRequests = cost.Requests-cost.SchemaRequests, 0
				cost.BytesIn, cost.BytesOut = 0, 0
				told := o.take()
				if len(told) != 1 {
					t.Fatalf("%s: told of %d statements", c.statement, len(told))
				}
				s := told[0]
				got := s.Stats
				got.BytesIn, got.BytesOut = 0, 0
				if (err != nil) != c.fails || (s.Err != nil) != c.fails {
					t.Errorf("%s: %v, and was told %v", c.statement, err, s.Err)
				}
				if s.Text != c.statement || got != cost || s.Rows != c.rows && !c.fails || s.Plan() != c.plan || (s.Scans() != nil) != c.scans || s.Duration <= 0 || s.Connection == 0 {
					t.Errorf("%s: told %+v, plan %q, scans %v; the Connector counted %+v", c.statement, s, s.Plan(), s.Scans(), cost)
				}
				if fmt.Sprint(s.Args()) != fmt.Sprint(c.args) && len(c.args) > 0 {
					t.Errorf("%s: arguments %v", c.statement, s.Args())
				}
			}
			tx, err := conn.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			// A second statement while the rows of the first are open: each has its own figures.
			rows, err := tx.QueryContext(t.Context(), "SELECT id FROM a WHERE n < 100")
			if err != nil || !rows.Next() {
				t.Fatal(err)
			}
			runAll(t, tx, "INSERT INTO a VALUES (9, 9, 'n')")
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
			before := connector.Stats()
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			cost := connector.Stats().Sub(before)
			var texts []string
			told := o.take()
			for _, s := range told {
				texts = append(texts, s.Text)
			}
			if got := strings.Join(texts, "; "); got != "BEGIN; INSERT INTO a VALUES (9, 9, 'n'); SELECT id FROM a WHERE n < 100; COMMIT" {
				t.Fatal(got)
			}
			if last := told[3].Stats; last.EntitiesWritten != cost.EntitiesWritten || last.EntitiesWritten == 0 || told[1].Stats.EntitiesWritten != 0 || told[2].Stats.Requests == 0 {
				t.Errorf("%+v, %+v, %+v", told[1].Stats, told[2].Stats, last)
			}
		})
	}
}

// readAll reads the rows of a query.
func readAll(conn *sql.Conn, query string, args ...any) error {
	rows, err := conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return rows.Close()
}

// TestStatementLog: slow, wasteful and failed statements are warnings, and arguments are logged only when they are asked for.
func TestStatementLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := &nearlyfree.StatementLog{Logger: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})), Level: slog.LevelDebug, Slow: time.Hour, Requests: 5}
	_, conn := connect(t, &nearlyfree.Config{Store: "mem://", Observer: log})
	runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20))")
	var rows []string
	for i := range 2500 {
		rows = append(rows, fmt.Sprintf("(%d, 'secret%d')", i, i))
	}
	runAll(t, conn, "INSERT INTO a VALUES "+strings.Join(rows, ", "))
	for _, c := range []struct {
		statement string
		args      []any
		change    func()
		want      []string
		not       string
	}{
		{statement: "SELECT id FROM a WHERE id = ?", args: []any{7}, want: []string{"level=DEBUG", "msg=statement ", `statement="SELECT id FROM a WHERE id = ?"`, "rows=1", "requests=1", `plan="point read a"`}, not: "arguments"},
		{statement: "SELECT id FROM a WHERE s = ?", args: []any{"secret7"}, want: []string{"level=WARN", `msg="statement without a key"`, "requests=3", "index on (s) would"}, not: "secret7"},
		{statement: "SELECT id FROM a WHERE s = ?", args: []any{"secret7"}, change: func() { log.Requests = 2 }, want: []string{"level=WARN", `msg="statement of many requests"`}},
		{statement: "SELECT id FROM a WHERE id = ?", args: []any{7}, change: func() { log.Slow = time.Nanosecond }, want: []string{"level=WARN", `msg="slow statement"`}},
		{statement: "SELECT id FROM a WHERE id = ?", args: []any{7}, change: func() { log.Arguments, log.Slow = true, -1 }, want: []string{"level=DEBUG", "arguments=[7]"}},
		{statement: "SELECT id FROM a WHERE s = 'secret7'", change: func() { log.Arguments = false; log.Requests = 5 }, want: []string{`scans=`, "index on (s) would", "s = ?"}, not: "secret7"},
		{statement: "SELECT n FROM b", want: []string{"level=WARN", `msg="statement failed"`, "error=", "doesn't exist"}},
	} {
		if c.change != nil {
			c.change()
		}
		out.Reset()
		_ = readAll(conn, c.statement, c.args...)
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %s lacks %s", c.statement, out.String(), want)
			}
		}
		if c.not != "" && strings.Contains(out.String(), c.not) {
			t.Errorf("%s: %s", c.statement, out.String())
		}
	}
}

// TestStatus: SHOW STATUS counts the session's statements, SHOW GLOBAL STATUS those of all, also of sessions that are over.
func TestStatus(t *testing.T) {
	t.Parallel()
	connector, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	db := sql.OpenDB(connector)
	other, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY)", "INSERT INTO a VALUES (1), (2)")
	for range 3 {
		if err := readAll(other, "SELECT * FROM a"); err != nil {
			t.Fatal(err)
		}
	}
	status := func(what, name string) string {
		t.Helper()
		rows := queryStrings(t, conn, "SHOW "+what+" STATUS LIKE '"+name+"'")
		if len(rows) != 1 {
			t.Fatalf("%s: %v", name, rows)
		}
		_, v, _ := strings.Cut(rows[0], "|")
		return v
	}
	check := func(connected string) {
		t.Helper()
		for _, c := range []struct{ what, name, want string }{
			{"", "Com_select", "0"}, {"SESSION", "Com_insert", "1"}, {"", "Com_create_table", "1"}, {"GLOBAL", "Com_select", "3"}, {"GLOBAL", "com_insert", "1"},
			{"GLOBAL", "Threads_connected", connected}, {"", "Threads_running", "1"}, {"", "Slow_queries", "0"},
			{"GLOBAL", "Nearlyfree_entities_read", fmt.Sprint(connector.Stats().EntitiesReturned)}, {"GLOBAL", "Nearlyfree_requests", fmt.Sprint(connector.Stats().Requests)},
			{"", "Nearlyfree_entities_written", fmt.Sprint(connector.Stats().EntitiesWritten)},
		} {
			if got := status(c.what, c.name); got != c.want {
				t.Errorf("%s %s is %s, want %s", c.what, c.name, got, c.want)
			}
		}
	}
	check("2")
	if got := fmt.Sprint(queryStrings(t, conn, "SELECT variable_value FROM performance_schema.global_status WHERE variable_name = 'Com_select'")); got != "[4]" {
		t.Error(got)
	}
	if got := fmt.Sprint(queryStrings(t, conn, "SELECT variable_value FROM performance_schema.global_status WHERE variable_name = 'Com_select'")); got != "[5]" {
		t.Error("the second time", got)
	}
	before := connector.Stats()
	_ = other.Raw(func(any) error { return driver.ErrBadConn }) // its session ends
	if n := status("GLOBAL", "Threads_connected"); n != "1" {
		t.Error(n)
	}
	if after := connector.Stats(); after != before {
		t.Errorf("%+v, and before a session ended %+v", after, before)
	}
	if n := status("GLOBAL", "Com_select"); n != "5" {
		t.Error(n)
	}
}

// TestProcesslist: a session sees what the others do, and what that has cost so far.
func TestProcesslist(t *testing.T) {
	t.Parallel()
	connector, conn := connect(t, &nearlyfree.Config{Store: "mem://"})
	runAll(t, conn, "CREATE TABLE a (id INT PRIMARY KEY)")
	for from := range 3 {
		var rows []string
		for i := range 1000 {
			rows = append(rows, fmt.Sprintf("(%d)", 1000*from+i))
		}
		runAll(t, conn, "INSERT INTO a VALUES "+strings.Join(rows, ", "))
	}
	db := sql.OpenDB(connector)
	other, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const query = "SELECT id, 'a long text, so long that it does not fit into the hundred characters that are shown of it' FROM a"
	rows, err := other.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	for range 1500 {
		rows.Next()
	}
	list := strings.Join(queryStrings(t, conn, "SHOW PROCESSLIST"), "\n")
	for _, want := range []string{"|Query|0|", "requests, ", query[:100], "SHOW PROCESSLIST", "nearlyfree|localhost|"} {
		if !strings.Contains(list, want) {
			t.Errorf("%s\nlacks %s", list, want)
		}
	}
	if strings.Contains(list, query) || !strings.Contains(strings.Join(queryStrings(t, conn, "SHOW FULL PROCESSLIST"), "\n"), query) {
		t.Error(list)
	}
	const running = "SELECT command, requests >= 2 FROM information_schema.processlist WHERE id <> CONNECTION_ID() ORDER BY id"
	if got := fmt.Sprint(queryStrings(t, conn, running)); got != "[Query|1]" {
		t.Error(got)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(queryStrings(t, conn, running)); got != "[Sleep|0]" {
		t.Error(got)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
}
