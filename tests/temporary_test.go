package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
)

// answers runs a query and gives its rows, or the number of its error.
func answers(ctx context.Context, q interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string, args ...any) string {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Sprint("error ", numberOf(err))
	}
	defer rows.Close()
	lines, err := table(rows)
	if err != nil {
		return fmt.Sprint("error ", numberOf(err))
	}
	return strings.Join(lines[1:], "; ")
}

// sessions opens connections to a fresh store of its own.
func sessions(t *testing.T, config *nearlyfree.Config, n int) (*nearlyfree.Connector, []*sql.Conn) {
	t.Helper()
	db, connector := openConfig(t, config)
	all := make([]*sql.Conn, n)
	for i := range all {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		all[i] = conn
	}
	return connector, all
}

// TestTemporaryOfSession: a temporary table is there for its session alone, for statements that were prepared before as for others, and
// hides a table of its name there.
func TestTemporaryOfSession(t *testing.T) {
	t.Parallel()
	for _, s := range plainStores() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			_, conns := sessions(t, s.config(t), 3)
			a, b, c := conns[0], conns[1], conns[2]
			ctx := t.Context()
			runAll(t, a, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
			const query = "SELECT n FROM t WHERE id = ?"
			var prepared [2]*sql.Stmt
			for i, conn := range conns[:2] {
				stmt, err := conn.PrepareContext(ctx, query)
				if err != nil {
					t.Fatal(err)
				}
				defer stmt.Close()
				prepared[i] = stmt
			}
			holds := func(when string, wants ...string) {
				t.Helper()
				for i, want := range wants {
					conn := conns[i]
					got := []string{answers(ctx, conn, "SELECT n FROM t WHERE id = 1"), answers(ctx, conn, query, 1)}
					if i < len(prepared) {
						var n string
						if err := prepared[i].QueryRowContext(ctx, 1).Scan(&n); err != nil {
							n = fmt.Sprint("error ", numberOf(err))
						}
						got = append(got, n)
					}
					for j, text := range got {
						if text != want {
							t.Errorf("%s: session %d, way %d: %s, want %s", when, i, j, text, want)
						}
					}
				}
			}
			holds("before", "1", "1", "1")
			runAll(t, a, "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, n VARCHAR(10))", "INSERT INTO t VALUES (1, 'own')")
			holds("with one", "own", "1", "1")
			runAll(t, b, "CREATE TEMPORARY TABLE t (n INT, id INT, PRIMARY KEY (id))", "INSERT INTO t VALUES (20, 1)")
			holds("with two", "own", "20", "1")
			runAll(t, c, "DROP TABLE t")
			holds("without the stored one", "own", "20", "error 1146")
			runAll(t, a, "DROP TEMPORARY TABLE t")
			holds("and without the first", "error 1146", "20", "error 1146")
			runAll(t, c, "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 5)")
			runAll(t, b, "ALTER TABLE t MODIFY n VARCHAR(5)", "UPDATE t SET n = 'x'")
			if s.name != "service" { // where others learn of it when their lease is over
				holds("at the end", "5", "x", "5")
			}
		})
	}
}

// TestTemporaryInPool: the pool of a sql.DB gives each call another session, so a temporary table is for a sql.Conn or a sql.Tx, and is
// gone when that ends.
func TestTemporaryInPool(t *testing.T) {
	t.Parallel()
	db, _ := openConfig(t, &nearlyfree.Config{Store: "mem://"})
	db.SetMaxOpenConns(1)
	ctx := t.Context()
	mustExec(t, db, "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY)")
	if _, err := db.Query("SELECT * FROM t"); numberOf(err) != nearlyfree.CodeNoSuchTable || !strings.Contains(err.Error(), "sql.Conn") {
		t.Errorf("in the next session: %v", err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"CREATE TEMPORARY TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)"} {
		if _, err := tx.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if got := answers(ctx, tx, "SELECT COUNT(*) FROM t"); got != "2" {
		t.Errorf("in the transaction: %s", got)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := answers(ctx, db, "SELECT * FROM t"); got != "error 1146" {
		t.Errorf("behind the transaction: %s", got)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	runAll(t, conn, "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)", "BEGIN", "INSERT INTO t VALUES (2)", "ROLLBACK")
	if got := answers(ctx, conn, "SELECT * FROM t"); got != "1" {
		t.Errorf("in the session: %s", got)
	}
	conn.Close()
	if got := answers(ctx, db, "SELECT * FROM t"); got != "error 1146" {
		t.Errorf("behind the session: %s", got)
	}
}

// TestTemporaryWithStored: a transaction that writes temporary tables and others writes all or nothing, at each level, and so does a
// statement. What is not sent is not counted.
func TestTemporaryWithStored(t *testing.T) {
	t.Parallel()
	for _, s := range plainStores() {
		for _, transactions := range []nearlyfree.Transactions{nearlyfree.TransactionsFull, nearlyfree.TransactionsGroup} {
			t.Run(fmt.Sprint(s.name, " ", transactions), func(t *testing.T) {
				t.Parallel()
				config := s.config(t)
				config.Transactions = transactions
				connector, conns := sessions(t, config, 2)
				levels := []string{"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}
				if transactions == nearlyfree.TransactionsGroup {
					levels = levels[:1]
				}
				runAll(t, conns[0], "CREATE TABLE stored (id INT PRIMARY KEY, n INT)", "INSERT INTO stored VALUES (1, 0), (2, 0)",
					"CREATE TEMPORARY TABLE own (id INT PRIMARY KEY, n INT, UNIQUE KEY n (n))", "INSERT INTO own VALUES (1, 0), (2, 1)")
				for _, level := range levels {
					temporaryWithStored(t, connector, conns[0], conns[1], level)
				}
			})
		}
	}
}

func temporaryWithStored(t *testing.T, connector *nearlyfree.Connector, own, other *sql.Conn, level string) {
	ctx := t.Context()
	const both = "SELECT o.id, o.n, s.n FROM own o JOIN stored s ON s.id = o.id ORDER BY o.id"
	runAll(t, own, "UPDATE stored SET n = 0 WHERE id = 1", "UPDATE own SET n = 0 WHERE id = 1")
	was := answers(ctx, own, both)

	// Others are faster.
	runAll(t, own, "SET SESSION TRANSACTION ISOLATION LEVEL "+level, "BEGIN", "UPDATE own SET n = 5 WHERE id = 1", "UPDATE stored SET n = n + 1 WHERE id = 1")
	runAll(t, other, "UPDATE stored SET n = 0, n = 7 WHERE id = 1")
	if _, err := own.ExecContext(ctx, "COMMIT"); numberOf(err) != nearlyfree.CodeDeadlock {
		t.Errorf("%s: COMMIT: %v", level, err)
	}
	if got, want := answers(ctx, own, both), strings.Replace(was, "1 | 0 | 0", "1 | 0 | 7", 1); got != want {
		t.Errorf("%s: after a COMMIT that failed: %s, want %s", level, got, want)
	}

	// A statement of its own that fails in the temporary table.
	if _, err := own.ExecContext(ctx, "UPDATE own o JOIN stored s ON s.id = o.id SET o.n = 1, s.n = 8 WHERE o.id = 1"); numberOf(err) != nearlyfree.CodeDuplicateEntry {
		t.Errorf("%s: a key twice: %v", level, err)
	}
	if got, want := answers(ctx, own, both), strings.Replace(was, "1 | 0 | 0", "1 | 0 | 7", 1); got != want {
		t.Errorf("%s: after a statement that failed: %s, want %s", level, got, want)
	}

	// All is well.
	runAll(t, own, "BEGIN", "UPDATE own SET n = 5 WHERE id = 1", "UPDATE stored SET n = n + 1 WHERE id = 1", "INSERT INTO own VALUES (3, 3)", "DELETE FROM own WHERE id = 3", "COMMIT")
	if got, want := answers(ctx, own, both), strings.Replace(was, "1 | 0 | 0", "1 | 5 | 8", 1); got != want {
		t.Errorf("%s: %s, want %s", level, got, want)
	}
	before := connector.Stats()
	runAll(t, own, "BEGIN", "INSERT INTO own SELECT id + 10, n + 10 FROM own", "SELECT * FROM own FOR UPDATE", "DELETE FROM own WHERE id > 10", "COMMIT")
	runAll(t, own, "INSERT INTO own SELECT id + 10, n + 10 FROM own", "DELETE FROM own WHERE n > 9")
	if did := connector.Stats().Sub(before); did.Requests != did.SchemaRequests {
		t.Errorf("%s: temporary tables alone: %+v", level, did)
	}
}

// TestTemporaryBudgets: what bounds reads and requests of the store does not bound those of temporary tables; what bounds memory does.
func TestTemporaryBudgets(t *testing.T) {
	t.Parallel()
	_, conns := sessions(t, &nearlyfree.Config{Store: "mem://", Scan: nearlyfree.ScanDeny, MaxRequests: 3, TotalMemory: 4 << 20}, 2)
	own, other := conns[0], conns[1]
	ctx := t.Context()
	runAll(t, own, "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(20000))", "INSERT INTO t (s) VALUES ('a'), ('b'), ('c'), ('d')")
	if got := answers(ctx, own, "SELECT a.id FROM t a JOIN t b ON b.id = 5 - a.id WHERE a.s < 'c' ORDER BY 1"); got != "1; 2" {
		t.Errorf("without a key: %s", got)
	}
	long := strings.Repeat("x", 20000)
	insert := func(most int) (n int, err error) {
		for ; n < most && err == nil; n++ {
			_, err = own.ExecContext(ctx, "INSERT INTO t (s) VALUES (?)", long)
		}
		return n, err
	}
	const tooMany = 1000
	n, err := insert(tooMany)
	if err == nil || n < 50 || n > 400 || !strings.Contains(err.Error(), "temporary table") {
		t.Fatalf("%d rows of %d octets, then %v", n, len(long), err)
	}
	runAll(t, own, "DROP TABLE t", "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(20000))")
	for _, gives := range []string{"DELETE FROM t", "UPDATE t SET s = ''", "TRUNCATE TABLE t"} {
		if _, err := insert(n / 3); err != nil {
			t.Fatal(err)
		}
		runAll(t, own, gives)
	}
	if again, err := insert(tooMany); err == nil || again < n-5 {
		t.Errorf("in another table, %d rows, then %v", again, err)
	}
	own.Close()
	own = other
	runAll(t, own, "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(20000))")
	if again, err := insert(tooMany); err == nil || again < n-5 {
		t.Errorf("when the session was over, %d rows, then %v", again, err)
	}
}

// TestTemporaryTwins: a temporary table answers as one of the store does. The same statements, made by chance, with transactions around
// some, go to one of each, beside the same other table.
func TestTemporaryTwins(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		if s.dear || s.name == "file" {
			continue
		}
		for seed := range s.few(60) {
			t.Run(fmt.Sprint(s.name, " ", seed), func(t *testing.T) {
				t.Parallel()
				temporaryTwins(t, s, rand.New(rand.NewPCG(uint64(seed), 13)))
			})
		}
	}
}

func temporaryTwins(t *testing.T, s store, rnd *rand.Rand) {
	_, one := connect(t, s.config(t))
	_, other := connect(t, s.config(t))
	twins := [2]*sql.Conn{one, other}
	ctx := t.Context()
	keys := []string{", KEY n (n)", ", UNIQUE KEY s (s)", ", KEY sn (s, n), UNIQUE KEY n (n)", ""}
	columns := " (id INT PRIMARY KEY AUTO_INCREMENT, n INT, s VARCHAR(10), d INT AS (n * 2), CHECK (n < 90)" + keys[rnd.IntN(len(keys))] + ")"
	for i, word := range []string{"TEMPORARY ", ""} {
		runAll(t, twins[i], "CREATE TABLE o (id INT PRIMARY KEY, n INT, KEY n (n))", "INSERT INTO o VALUES (1, 1), (2, 2), (3, 3), (4, 1)", "CREATE "+word+"TABLE t"+columns)
	}
	var log []string
	for range 60 {
		statement := temporaryStatement(rnd)
		log = append(log, statement)
		var did [2]string
		for i, conn := range twins {
			if strings.HasPrefix(statement, "SELECT") {
				did[i] = answers(ctx, conn, statement)
				continue
			}
			r, err := conn.ExecContext(ctx, statement)
			if err != nil {
				did[i] = fmt.Sprint("error ", numberOf(err))
				continue
			}
			n, _ := r.RowsAffected()
			did[i] = fmt.Sprint(n, " affected")
		}
		for _, query := range []string{"SELECT * FROM t ORDER BY id", "SELECT * FROM o ORDER BY id"} {
			for i, conn := range twins {
				did[i] += "\n" + answers(ctx, conn, query)
			}
		}
		if did[0] != did[1] {
			t.Fatalf("%s\ntemporary: %s\nstored: %s", strings.Join(log, ";\n"), did[0], did[1])
		}
	}
}

func temporaryStatement(rnd *rand.Rand) string {
	n := func(most int) int { return 1 + rnd.IntN(most) }
	text := func() string { return string(rune('a' + rnd.IntN(8))) }
	where := []string{fmt.Sprint("id = ", n(9)), fmt.Sprint("n = ", n(9)), fmt.Sprintf("s >= '%s'", text()), fmt.Sprint("n BETWEEN ", n(5), " AND ", n(9)),
		"n IN (SELECT n FROM o)", fmt.Sprint("d > ", n(15)), "s IS NULL"}[rnd.IntN(7)]
	switch rnd.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprintf("INSERT INTO t (n, s) VALUES (%d, '%s'), (%d, NULL)", n(99), text(), n(30))
	case 3:
		return fmt.Sprintf("INSERT IGNORE INTO t (id, n, s) VALUES (%d, %d, '%s')", n(9), n(9), text())
	case 4:
		return fmt.Sprintf("REPLACE INTO t (id, n, s) VALUES (%d, %d, '%s')", n(9), n(9), text())
	case 5:
		return fmt.Sprintf("INSERT INTO t (id, n) VALUES (%d, %d) ON DUPLICATE KEY UPDATE s = '%s'", n(9), n(9), text())
	case 6:
		return "INSERT INTO t (n, s) SELECT n + 20, s FROM t WHERE " + where
	case 7, 8:
		return fmt.Sprintf("UPDATE t SET n = n + %d, s = '%s' WHERE %s", n(5), text(), where)
	case 9:
		return fmt.Sprintf("UPDATE t JOIN o ON o.n = t.n SET t.s = '%s', o.n = o.n + 1 WHERE o.id = %d", text(), n(4))
	case 10:
		return "DELETE FROM t WHERE " + where
	case 11:
		return []string{"BEGIN", "COMMIT", "ROLLBACK", "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"}[rnd.IntN(4)]
	case 12:
		return []string{"SAVEPOINT here", "ROLLBACK TO here"}[rnd.IntN(2)]
	case 13:
		return []string{"ALTER TABLE t ADD COLUMN x INT DEFAULT 3", "ALTER TABLE t DROP COLUMN x", "CREATE INDEX later ON t (s)", "DROP INDEX later ON t", "TRUNCATE TABLE t"}[rnd.IntN(5)]
	case 14:
		return "SELECT t.id, t.n, t.s, o.id FROM t LEFT JOIN o ON o.n = t.n WHERE t." + strings.Replace(where, "n IN", "id IN", 1) + " ORDER BY t.id, o.id"
	}
	return "SELECT s, COUNT(*), SUM(n) FROM t GROUP BY s ORDER BY s"
}

// TestTemporaryReadOnly: a database that is opened for reading alone takes temporary tables, as a transaction that only reads does.
func TestTemporaryReadOnly(t *testing.T) {
	t.Parallel()
	config := nearlyfree.Config{Store: "file:" + filepath.Join(t.TempDir(), "data")}
	db, err := sql.Open("nearlyfree", config.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	mustExec(t, db, "INSERT INTO t VALUES (1, 10), (2, 20)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	config.ReadOnly = true
	_, conns := sessions(t, &config, 1)
	own := conns[0]
	runAll(t, own, "CREATE TEMPORARY TABLE o AS SELECT * FROM t", "INSERT INTO o VALUES (3, 30)", "UPDATE o JOIN t USING (id) SET o.n = t.n + 1", "DELETE FROM o WHERE id = 1")
	if got := answers(t.Context(), own, "SELECT * FROM o ORDER BY id"); got != "2 | 21; 3 | 30" {
		t.Errorf("got %s", got)
	}
	for _, statement := range []string{"UPDATE t JOIN o USING (id) SET t.n = o.n", "INSERT INTO t SELECT * FROM o", "CREATE TABLE u LIKE o", "DROP TABLE t"} {
		if _, err := own.ExecContext(t.Context(), statement); !errors.Is(err, nearlyfree.ErrReadOnly) {
			t.Errorf("%s: %v", statement, err)
		}
	}
	runAll(t, own, "DROP TEMPORARY TABLE o")
}
