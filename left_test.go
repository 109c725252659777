package nearlyfree_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

var leftTables = []string{
	"CREATE TABLE t (id INT, n INT, s VARCHAR(20), u INT, big TEXT, PRIMARY KEY (id), KEY n (n), UNIQUE KEY u (u) COPY KEYS, KEY s (s) INCLUDE (n))",
	"CREATE TABLE h (id INT PRIMARY KEY, n INT, s VARCHAR(20), KEY n (n), KEY s (s) COPY KEYS) PARTITION BY HASH (id) PARTITIONS 4",
	"CREATE TABLE expense (id INT PRIMARY KEY, who VARCHAR(20), KEY who (who))",
	"CREATE TABLE item (expense INT, line INT, what VARCHAR(20), PRIMARY KEY (expense, line), FOREIGN KEY (expense) REFERENCES expense (id) ON DELETE CASCADE, KEY what (what)) INTERLEAVE IN PARENT expense WITH PARENT",
	"CREATE TABLE p (id INT PRIMARY KEY, n INT)",
	"CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))",
}

// leftRows fills the tables: some of them are changed by the transaction, some are not.
func leftRows() []string {
	var t, h []string
	for i := 1; i <= 30; i++ {
		t = append(t, fmt.Sprintf("(%d, %d, 's%d', %d, '%s')", i, i%5, i%7, i+100, strings.Repeat("x", i%3*40_000*min(1, 6/i))))
		h = append(h, fmt.Sprintf("(%d, %d, 's%d')", i, i%5, i%7))
	}
	return []string{
		"INSERT INTO t VALUES " + strings.Join(t, ", "), "INSERT INTO h VALUES " + strings.Join(h, ", "),
		"INSERT INTO expense VALUES (1, 'Ann'), (2, 'Ben'), (3, 'Cat')",
		"INSERT INTO item VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c')",
		"INSERT INTO p VALUES (1, 1), (2, 1), (3, 1)", "INSERT INTO c VALUES (1, 1), (2, 2)",
	}
}

// leftTransaction is what a process has not finished.
var leftTransaction = []string{
	"UPDATE h SET n = n + 1, s = CONCAT(s, 'x') WHERE id BETWEEN 5 AND 12",
	"DELETE FROM h WHERE id BETWEEN 13 AND 18",
	"INSERT INTO h VALUES (31, 3, 's3'), (32, 4, 's4'), (33, 5, 's5'), (34, 6, 'new')",
	"UPDATE t SET n = 9, big = REPLACE(big, 'x', 'y') WHERE id IN (3, 4, 5)",
	"UPDATE t SET u = 1 WHERE id = 1", "UPDATE t SET u = 101 WHERE id = 2", "UPDATE t SET u = 102 WHERE id = 1",
	"UPDATE t SET id = 40 WHERE id = 6",
	"DELETE FROM t WHERE id IN (7, 8)",
	"INSERT INTO t VALUES (7, 70, 'again', 108, NULL), (50, 50, 'new', 50, NULL)",
	"UPDATE item SET what = 'z' WHERE expense = 1 AND line = 1", "INSERT INTO item VALUES (2, 7, 'new')",
	"UPDATE p SET n = 2 WHERE id = 2", "INSERT INTO c VALUES (3, 3)",
}

var leftQueries = []string{
	"SELECT * FROM h", "SELECT COUNT(*) FROM h", "SELECT COUNT(*) FROM t", "SELECT * FROM h WHERE n = 3", "SELECT * FROM h FORCE INDEX (n) WHERE n = 3",
	"SELECT COUNT(*) FROM h WHERE n > 2", "SELECT COUNT(*) FROM h WHERE s LIKE 's%x'", "SELECT id FROM h WHERE s <> 's3'", "SELECT MIN(n), MAX(n) FROM h", "SELECT MAX(id), MIN(id) FROM h",
	"SELECT DISTINCT n FROM h", "SELECT DISTINCT s FROM t", "SELECT n, COUNT(*) FROM t GROUP BY n", "SELECT id FROM t WHERE n = 9 ORDER BY id LIMIT 2", "SELECT id FROM t ORDER BY id LIMIT 4 OFFSET 3",
	"SELECT id FROM t ORDER BY id DESC LIMIT 3", "SELECT id FROM h ORDER BY id LIMIT 5", "SELECT id FROM h WHERE n < 3 ORDER BY id LIMIT 3", "SELECT n, id FROM h ORDER BY n, id LIMIT 9",
	"SELECT id, u FROM t WHERE u = 101", "SELECT id FROM t WHERE u = 102", "SELECT id FROM t WHERE u IN (1, 101, 102, 108, 50)", "SELECT * FROM t WHERE id = 4", "SELECT LENGTH(big), MD5(big) FROM t WHERE n = 9",
	"SELECT n FROM t WHERE id = 5", "SELECT * FROM t WHERE id = 6", "SELECT * FROM t WHERE id = 40", "SELECT * FROM t WHERE id = 7", "SELECT * FROM t WHERE id = 8", "SELECT 1 FROM t WHERE id = 8", "SELECT 1 FROM t WHERE id = 50",
	"SELECT s, n FROM t WHERE s = 's3'", "SELECT s, n FROM t WHERE s >= 'a'", "SELECT COUNT(*) FROM t WHERE big LIKE '%y%'", "SELECT id FROM t WHERE big IS NULL",
	"SELECT * FROM item", "SELECT * FROM expense e JOIN item i ON i.expense = e.id", "SELECT * FROM expense e LEFT JOIN item i ON i.expense = e.id WHERE e.id = 2", "SELECT * FROM item WHERE what = 'z'",
	"SELECT COUNT(*) FROM item WHERE expense = 2", "SELECT EXISTS (SELECT 1 FROM h WHERE id = 13), EXISTS (SELECT 1 FROM h WHERE id = 33)", "SELECT a.id, b.id FROM h a JOIN t b ON a.id = b.n",
	"SELECT * FROM h WHERE id IN (5, 13, 31, 33)", "SELECT * FROM h WHERE n = 3 AND s = 's3x'", "SELECT * FROM c JOIN p ON p.id = c.p", "SELECT s FROM h WHERE s BETWEEN 's1' AND 's3' ORDER BY s LIMIT 6", "SELECT COUNT(DISTINCT n) FROM h",
	"SELECT SUM(n) FROM h FORCE INDEX (n) WHERE n > 0", "SELECT id FROM h WHERE NOT n = 3", "SELECT id FROM h WHERE n IS NULL OR n <> 4", "SELECT id FROM t WHERE NOT (n <=> 9)",
}

var leftWrites = []string{
	"UPDATE h SET n = n + 10", "UPDATE h SET n = 7 WHERE n = 3", "UPDATE h SET s = 'q' WHERE s LIKE 's1%'", "DELETE FROM h", "DELETE FROM h WHERE n > 3", "DELETE FROM h WHERE s = 's5x'", "UPDATE h FORCE INDEX (n) SET n = 3 WHERE n BETWEEN 2 AND 4",
	"INSERT IGNORE INTO h VALUES (13, 1, 'i'), (14, 1, 'i'), (31, 1, 'i'), (5, 1, 'i')", "REPLACE INTO h VALUES (13, 1, 'r'), (5, 1, 'r'), (31, 1, 'r'), (60, 1, 'r')",
	"INSERT INTO h VALUES (13, 1, 'd'), (5, 1, 'd'), (31, 1, 'd') ON DUPLICATE KEY UPDATE n = n + 100", "INSERT INTO h VALUES (13, 1, 'd')", "INSERT INTO h VALUES (31, 1, 'd')", "INSERT INTO h VALUES (5, 1, 'd')",
	"INSERT INTO h SELECT id + 100, n, s FROM h", "DELETE FROM h ORDER BY id LIMIT 8", "UPDATE h SET n = 0 ORDER BY id LIMIT 8",
	"UPDATE t SET n = n + 1", "UPDATE t SET u = u + 1000", "UPDATE t SET u = 101 WHERE id = 30", "UPDATE t SET u = 108 WHERE id = 30", "UPDATE t SET u = 1 WHERE id = 30", "DELETE FROM t WHERE u = 101", "DELETE FROM t WHERE u = 102", "UPDATE t SET s = 'q' WHERE u IN (101, 102, 108)",
	"DELETE FROM t", "DELETE FROM t WHERE s = 's3'", "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2", "DELETE FROM t WHERE id = 6", "DELETE FROM t WHERE id = 40", "UPDATE t SET id = id + 100", "UPDATE t SET big = 'small' WHERE id = 4",
	"INSERT INTO t VALUES (6, 1, 'six', 106, NULL)", "INSERT INTO t VALUES (8, 1, 'six', 108, NULL)", "INSERT INTO t VALUES (99, 1, 'six', 101, NULL)", "INSERT INTO t VALUES (99, 1, 'six', 107, NULL)", "INSERT INTO t VALUES (99, 1, 'six', 1, NULL)",
	"REPLACE INTO t VALUES (99, 1, 'six', 101, NULL)", "REPLACE INTO t VALUES (1, 1, 'six', 101, NULL)", "INSERT INTO t VALUES (99, 1, 'six', 102, NULL) ON DUPLICATE KEY UPDATE n = 77", "INSERT IGNORE INTO t VALUES (99, 1, 'six', 107, NULL), (98, 1, 'six', 101, NULL)",
	"DELETE FROM expense WHERE id = 1", "DELETE FROM expense WHERE id = 2", "DELETE FROM expense", "UPDATE expense SET who = 'X' WHERE id = 2", "DELETE FROM item", "DELETE FROM item WHERE what = 'z'", "DELETE FROM item WHERE what = 'new'", "INSERT INTO item VALUES (2, 7, 'b')",
	"INSERT INTO item VALUES (2, 8, 'b')", "UPDATE item SET what = 'k'", "REPLACE INTO item VALUES (2, 7, 'rr')",
	"DELETE FROM p WHERE id = 3", "DELETE FROM p WHERE id = 2", "INSERT INTO c VALUES (9, 3)", "DELETE FROM c", "UPDATE c SET p = 3",
	"DROP INDEX n ON h", "DROP INDEX u ON t", "DROP INDEX s ON t", "CREATE INDEX made ON h (s, n)", "CREATE UNIQUE INDEX made ON t (id, n)", "ALTER TABLE h ADD COLUMN x INT DEFAULT 3", "ALTER TABLE t MODIFY n BIGINT", "ALTER TABLE t DROP COLUMN s", "ALTER TABLE h RENAME COLUMN n TO m",
	"TRUNCATE TABLE h", "TRUNCATE TABLE c", "OPTIMIZE TABLE t", "REPAIR TABLE h, t", "CHECK TABLE h, t, item, expense", "RENAME TABLE h TO hh", "ALTER TABLE t MODIFY n VARCHAR(10)", "ANALYZE TABLE t",
}

// leftRequests is where an answer tells what it took: a store with intents takes more.
var leftRequests = regexp.MustCompile(`, requests \d+`)

// leftAnswer gives what a statement answers, in any order where it names none.
func leftAnswer(db *sql.DB, s string) []string {
	rows, err := db.Query(s)
	if err != nil {
		return []string{"error " + err.Error()}
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	out := []string{}
	for rows.Next() {
		cells, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			pointers[i] = &cells[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return []string{"error " + err.Error()}
		}
		text := leftRequests.ReplaceAllString(fmt.Sprint(cells), "")
		if len(text) > 200 {
			text = text[:80] + "…" + text[len(text)-60:]
		}
		out = append(out, text)
	}
	if err := rows.Err(); err != nil {
		return []string{"error " + err.Error()}
	}
	if !strings.Contains(s, "ORDER BY") {
		slices.Sort(out)
	}
	return out
}

// leave has a process die before its n-th write of the transaction, or not.
func (a *account) leave(t *testing.T, n int64) (died bool) {
	t.Helper()
	a.eachEntity(t, func(_ string, e *engine.Entity) { a.before[e.RowKey] = true })
	db, dead := a.mortal(t, n)
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range leftTransaction {
		if _, err := tx.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := tx.Commit(); err != nil && !dead() {
		t.Fatal(err)
	}
	return dead()
}

// eachEntity calls do for all that is stored.
func (a *account) eachEntity(t *testing.T, do func(table string, e *engine.Entity)) {
	t.Helper()
	tables, err := a.raw.Tables(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if err := engine.Each(t.Context(), a.raw, engine.Scan{Table: table, AllPartitions: true}, func(e *engine.Entity) error {
			do(table, e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// left says whether the transaction is committed, and how many intents there are. What nobody has decided is aborted, where that is asked for.
func (a *account) left(t *testing.T, abort bool) (committed bool, intents int) {
	t.Helper()
	state, marker := "", []string{}
	a.eachEntity(t, func(_ string, e *engine.Entity) {
		for i, name := range e.Names {
			switch text := e.Values[i].S; {
			case name == "nf_s" && !a.before[e.RowKey]:
				state = text
			case name == "nf_t" && strings.Count(text, " ") > 0:
				intents++
				marker = strings.Split(text, " ")
			}
		}
	})
	if intents > 0 && abort && state != "committed" {
		e := engine.Entity{PartitionKey: marker[4], RowKey: "!t!" + marker[0], Names: []string{"nf_t", "nf_s"},
			Values: []engine.Value{{Type: engine.String, S: "record"}, {Type: engine.String, S: "aborted"}}}
		if err := a.raw.Commit(t.Context(), engine.Commit{Table: marker[3], PartitionKey: marker[4], Ops: []engine.Op{{Kind: engine.Upsert, Entity: e}}}); err != nil {
			t.Fatal(err)
		}
	}
	return state == "committed", intents
}

// TestLeftIntents: whatever a process that died has left of a transaction, others read all of it or nothing, by each path, and write over it.
func TestLeftIntents(t *testing.T) {
	t.Parallel()
	reference := func(applied bool) *sql.DB {
		db, err := sql.Open("nearlyfree", "mem://")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		db.SetMaxOpenConns(1)
		statements := slices.Concat(leftTables, leftRows())
		if applied {
			statements = slices.Concat(statements, leftTransaction)
		}
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
		return db
	}
	begin := func(n int64) *account {
		a := openAccountBy(t, nearlyfree.Config{SchemaLease: time.Millisecond})
		if service := a.transport.Service.(*azuretest.Service); n%2 == 0 {
			service.PageEntities, service.EmptyPages, service.NoBatchETags = 3, true, true
		}
		for _, s := range slices.Concat(leftTables, leftRows()) {
			a.exec(t, s)
		}
		return a
	}
	refs := map[bool]*sql.DB{false: reference(false), true: reference(true)}
	decided := int64(0) // before this write it was
	for n := int64(1); ; n += testrun.Of[int64](3, 6) {
		a := begin(n)
		died := a.leave(t, n)
		is, intents := a.left(t, false)
		if is && decided == 0 {
			decided = n
		}
		for _, q := range leftQueries {
			if got, want := leftAnswer(a.db, q), leftAnswer(refs[is], q); !slices.Equal(got, want) {
				t.Errorf("write %d, committed %v, %d intents, %s:\n%v\nwant\n%v", n, is, intents, q, got, want)
			}
		}
		a.db.Close()
		if !died {
			break
		}
	}
	for i, s := range leftWrites {
		for _, n := range []int64{decided - 4, decided + 1} {
			if (i+int(n))%testrun.Of(3, 24) != 0 {
				continue
			}
			a := begin(n)
			a.leave(t, n)
			is, intents := a.left(t, true)
			if intents == 0 {
				t.Fatalf("write %d: there are no intents", n)
			}
			ref := reference(is)
			agree := func(s string) {
				if got, want := leftAnswer(a.db, s), leftAnswer(ref, s); !slices.Equal(got, want) {
					t.Errorf("write %d, committed %v, %d intents, after %s, %s:\n%v\nwant\n%v", n, is, intents, leftWrites[i], s, got, want)
				}
			}
			agree(s)
			for _, table := range []string{"h", "t", "item", "expense", "p", "c"} {
				if strings.HasPrefix(s, "RENAME") && table == "h" {
					table = "hh"
				}
				agree("SELECT * FROM " + table)
				agree("CHECK TABLE " + table)
				if table != "item" {
					agree("UPDATE " + table + " SET id = id")
				}
				agree("DELETE FROM " + table)
			}
			a.db.Close()
			ref.Close()
		}
	}
}
