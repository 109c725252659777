package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	execution "github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// heap watches the largest heap while do runs.
func heap(do func()) (most uint64) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(64 << 20)) // so that what is garbage goes soon
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	before := stats.HeapAlloc
	var peak atomic.Uint64
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			if stats.HeapAlloc > peak.Load() {
				peak.Store(stats.HeapAlloc)
			}
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	do()
	close(ended)
	<-watched
	return peak.Load() - min(before, peak.Load())
}

// greedy are short statements that would take gigabytes if nobody counted.
func greedy() []string {
	wide := make([]string, 50)
	for i := range wide {
		wide[i] = "REPEAT('x', 16000000 + n)"
	}
	return []string{
		"SELECT " + strings.Join(wide, ", ") + " FROM t WHERE n < 2",
		"SELECT LENGTH(CONCAT(" + strings.Join(wide, ", ") + ")) FROM t",
		"SELECT GREATEST(" + strings.Join(wide, ", ") + ") FROM t WHERE n < 2",
		"SELECT FIELD(" + strings.Join(wide, ", ") + ") FROM t WHERE n < 2",
		"SELECT n FROM t ORDER BY REPEAT(s, 1000000), n",
		"SELECT n FROM t ORDER BY REPEAT(s, 1000000) LIMIT 500",
		"SELECT REPEAT(s, 1000000 + n) AS r, COUNT(*) FROM t GROUP BY r",
		"SELECT DISTINCT REPEAT(s, 1000000 + n) FROM t",
		"SELECT GROUP_CONCAT(REPEAT(s, 1000000)) FROM t",
		"SELECT JSON_ARRAYAGG(REPEAT(s, 1000000)) FROM t",
		"SELECT COUNT(*) FROM t a JOIN t b ON REPEAT(a.s, 1000000 + a.n) = REPEAT(b.s, 1000000 + b.n)",
		"SELECT n FROM t WHERE REPEAT(s, 1000000) IN (SELECT REPEAT(s, 1000000 + n) FROM t)",
		"SELECT REPEAT(s, 1000000 + n) FROM t UNION SELECT REPEAT(s, 2000000 + n) FROM t",
		"SELECT JSON_ARRAY(" + strings.Join(wide, ", ") + ") FROM t WHERE n < 2",
		"SELECT JSON_OBJECT('a', " + strings.Join(wide, ", 'b', ") + ") FROM t WHERE n < 2",
		"SELECT QUOTE(QUOTE(QUOTE(REPEAT('\\'', 16000000 + n)))) FROM t WHERE n < 3",
		"SELECT JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(REPEAT('\"', 1000000 + n))))))) FROM t WHERE n < 3",
		"SELECT HEX(HEX(HEX(HEX(REPEAT('x', 4000000 + n))))) FROM t WHERE n < 3",
		"SELECT 'x' REGEXP '((((x{1,100}){1,100}){1,100}){1,100})' FROM t",
		"SELECT 'x' REGEXP REPEAT('a{1000}', 2000) FROM t WHERE n < 3",
		"SELECT 'x' REGEXP REPEAT('\\\\pL', 20000) FROM t WHERE n < 3",
		"SELECT 'x' REGEXP REPEAT('ab|cd', 3000000) FROM t WHERE n < 3",
		"SELECT REGEXP_REPLACE(REPEAT('x', 1000), REPEAT('(x)|', 4000), '') FROM t WHERE n < 3",
		"SELECT REGEXP_SUBSTR(REPEAT('x', 16000000 + n), 'x', 1, 15000000) FROM t WHERE n < 3",
		"SELECT REGEXP_INSTR(REPEAT('x', 16000000 + n), '', 1, 15000000) FROM t WHERE n < 3",
		"SELECT REGEXP_REPLACE(REPEAT('x', 16000000 + n), 'x', 'y') FROM t WHERE n < 3",
		"SELECT REGEXP_REPLACE(REPEAT('x', 100000 + n), 'x', REPEAT('y', 100000)) FROM t WHERE n < 3",
		"SELECT REPLACE(REPEAT('x', 100000 + n), 'x', REPEAT('y', 100000)) FROM t WHERE n < 3",
		"INSERT INTO u (s) SELECT REPEAT(s, 30000 + n) FROM t a, (SELECT n AS m FROM t) b",
		"DELETE FROM big",
		"UPDATE big SET v = CONCAT(v, 'x')",
	}
}

// TestGreedyStatements: a statement that needs much more memory than max_memory ends with an error, or does with little.
func TestGreedyStatements(t *testing.T) {
	const maxMemory = 20 << 20
	db := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://", MaxMemory: maxMemory})
	exec(t, db, "CREATE TABLE t (n INT PRIMARY KEY, s VARCHAR(10))")
	exec(t, db, "CREATE TABLE u (id INT AUTO_INCREMENT PRIMARY KEY, s TEXT)")
	exec(t, db, "CREATE TABLE big (id INT PRIMARY KEY, v TEXT)")
	for i := range 1000 {
		exec(t, db, "INSERT INTO t VALUES (?, 'x')", i)
	}
	text := strings.Repeat("v", 60000)
	for i := range 1500 {
		exec(t, db, "INSERT INTO big VALUES (?, ?)", i, text)
	}
	for _, s := range greedy() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var err error
		most := heap(func() { err = drain(ctx, db, s) })
		cancel()
		var e *nearlyfree.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%.80s: %v", s, err)
		}
		if most > 12*maxMemory {
			t.Errorf("%.80s took %d MB: %v", s, most>>20, err)
		}
	}
	if err := drain(t.Context(), db, "SELECT n, REPEAT(s, 100000) FROM t"); err != nil {
		t.Errorf("rows that are handed on one by one: %v", err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for i := range 10 {
		if _, err = conn.ExecContext(t.Context(), fmt.Sprintf("SET @v%d = REPEAT('x', 15000000)", i)); err != nil {
			break
		}
	}
	if !errors.Is(err, nearlyfree.ErrMemory) {
		t.Errorf("variables without end: %v", err)
	}
}

// TestTotalMemory: statements share what TotalMemory allows, and give it back.
func TestTotalMemory(t *testing.T) {
	db := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://", TotalMemory: 4 << 20})
	exec(t, db, "CREATE TABLE t (n INT PRIMARY KEY)")
	for i := range 100 {
		exec(t, db, "INSERT INTO t VALUES (?)", i)
	}
	query := "SELECT n FROM t ORDER BY REPEAT('x', 30000 + n)" // holds 3 MB
	for range 20 {
		first, err := db.Query(query)
		if err != nil || !first.Next() {
			t.Fatalf("the first one: %v, %v", err, first.Err())
		}
		if err := drain(t.Context(), db, query); !errors.Is(err, nearlyfree.ErrMemory) || !strings.Contains(err.Error(), "TotalMemory") {
			t.Fatalf("beside another one: %v", err)
		}
		first.Close()
		if err := drain(t.Context(), db, query); err != nil {
			t.Fatalf("alone again: %v", err)
		}
		exec(t, db, "UPDATE t SET n = n + 1000 WHERE n = 1")
		exec(t, db, "UPDATE t SET n = 1 WHERE n = 1001")
	}
}

// TestMemoryLimit: the statements of all databases of the process share what SetMemoryLimit allows.
func TestMemoryLimit(t *testing.T) {
	limit := execution.Process.Held() + 4<<20 // other tests may have left rows open
	if before := nearlyfree.SetMemoryLimit(limit); before != 0 {
		t.Errorf("there was a limit of %d bytes", before)
	}
	defer nearlyfree.SetMemoryLimit(0)
	var dbs [2]*sql.DB
	for i := range dbs {
		dbs[i] = nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://"})
		exec(t, dbs[i], "CREATE TABLE t (n INT PRIMARY KEY)")
		for n := range 100 {
			exec(t, dbs[i], "INSERT INTO t VALUES (?)", n)
		}
	}
	query := "SELECT n FROM t ORDER BY REPEAT('x', 30000 + n)" // holds 3 MB
	first, err := dbs[0].Query(query)
	if err != nil || !first.Next() {
		t.Fatalf("in the first database: %v, %v", err, first.Err())
	}
	if err := drain(t.Context(), dbs[1], query); !errors.Is(err, nearlyfree.ErrMemory) || !strings.Contains(err.Error(), "SetMemoryLimit") {
		t.Errorf("in the other one, meanwhile: %v", err)
	}
	first.Close()
	if err := drain(t.Context(), dbs[1], query); err != nil {
		t.Errorf("in the other one, alone: %v", err)
	}
	if said := nearlyfree.SetMemoryLimit(-1); said != limit {
		t.Errorf("the limit is said to be %d bytes", said)
	}
}

// TestMemoryIsGivenBack: no statement holds memory once it has ended, those that change definitions included.
func TestMemoryIsGivenBack(t *testing.T) {
	before := execution.Process.Held()
	db := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://"})
	for _, statement := range []string{
		"CREATE TABLE t (n INT PRIMARY KEY, s VARCHAR(1000))",
		"INSERT INTO t SELECT 1, REPEAT('x', 1000)", "INSERT INTO t VALUES (2, 'b'), (3, 'c')",
		"ALTER TABLE t ADD COLUMN u CHAR(36) NOT NULL DEFAULT (UUID())", "CREATE UNIQUE INDEX s ON t (s)",
		"ALTER TABLE t MODIFY COLUMN s VARCHAR(2000)", "CHECK TABLE t", "REPAIR TABLE t", "OPTIMIZE TABLE t",
		"CREATE TABLE c AS SELECT * FROM t ORDER BY s", "UPDATE t SET s = CONCAT(s, 'y')", "DELETE FROM t WHERE n = 2",
		"SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY 1", "TRUNCATE TABLE t", "DROP TABLE c",
	} {
		if err := drain(t.Context(), db, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if held := execution.Process.Held() - before; held != 0 {
			t.Errorf("%s: %d bytes are held behind it", statement, held)
			before += held
		}
	}
}

// drain runs a statement and reads all that it gives.
func drain(ctx context.Context, db *sql.DB, statement string) error {
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
