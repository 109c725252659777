package nearlyfree_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

const pointRead = "SELECT id, name FROM t WHERE id = ?"

// pointReads gives a statement as a driver sees it, whose query is over {0 → "row 0", …, 999 → "row 999"}.
func pointReads(t *testing.T, query string) driver.StmtQueryContext {
	t.Helper()
	k, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	c, err := k.Connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10))",
		"INSERT INTO t SELECT a.n + 10 * b.n + 100 * c.n, CONCAT('row ', a.n + 10 * b.n + 100 * c.n) FROM " +
			digits("a") + " JOIN " + digits("b") + " JOIN " + digits("c")} {
		if _, err := c.(driver.ExecerContext).ExecContext(context.Background(), q, nil); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Prepare(query)
	if err != nil {
		t.Fatal(err)
	}
	return s.(driver.StmtQueryContext)
}

func digits(alias string) string {
	return "(SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5" +
		" UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) " + alias
}

func begin(t *testing.T, s driver.StmtQueryContext, id int64) driver.Rows {
	t.Helper()
	rows, err := s.QueryContext(context.Background(), []driver.NamedValue{{Ordinal: 1, Value: id}})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func wantRow(t *testing.T, rows driver.Rows, id int64) {
	t.Helper()
	dest := make([]driver.Value, 2)
	if err := rows.Next(dest); err != nil || dest[0] != id || dest[1] != fmt.Sprintf("row %d", id) {
		t.Fatalf("row %d: got %v, %v", id, dest, err)
	}
}

// A connection keeps what a point read needed for its next one, and scans use the memory of those before them: none may see another.
func TestPointReadsAreKeptApart(t *testing.T) {
	for _, query := range []string{pointRead, pointRead + " AND name <> ''", "SELECT id, name FROM t WHERE id >= ? AND name <> '' LIMIT 1"} {
		t.Run(query, func(t *testing.T) { keptApart(t, pointReads(t, query)) })
	}
}

func keptApart(t *testing.T, s driver.StmtQueryContext) {
	for id := int64(0); id < 1000; id += 7 {
		first, second := begin(t, s, id), begin(t, s, id+1) // both under way
		wantRow(t, second, id+1)
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
		third := begin(t, s, id+2)
		second.Close() // once more: it is not the third
		wantRow(t, first, id)
		wantRow(t, third, id+2)
		for _, rows := range []driver.Rows{first, third} {
			if err := rows.Next(make([]driver.Value, 2)); err != io.EOF {
				t.Fatalf("behind the row: %v", err)
			}
			rows.Close()
		}
	}
}

func TestPointReadAllocations(t *testing.T) {
	s := pointReads(t, pointRead)
	args, dest := []driver.NamedValue{{Ordinal: 1, Value: int64(700)}}, make([]driver.Value, 2)
	n := testing.AllocsPerRun(100, func() {
		rows, err := s.QueryContext(context.Background(), args)
		if err == nil {
			err = rows.Next(dest)
		}
		if err == nil {
			err = rows.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if n > 5 { // the arguments, the key, the rows, two values
		t.Errorf("%v allocations", n)
	}
}

// TestRangeAllocations: a few rows in the order of their keys take little more than their values.
func TestRangeAllocations(t *testing.T) {
	s := pointReads(t, "SELECT id, name FROM t WHERE id >= ? ORDER BY id LIMIT 10")
	args, dest := []driver.NamedValue{{Ordinal: 1, Value: int64(300)}}, make([]driver.Value, 2)
	n := testing.AllocsPerRun(100, func() {
		rows, err := s.QueryContext(context.Background(), args)
		for err == nil {
			err = rows.Next(dest)
		}
		if err = rows.Close(); err != nil {
			t.Fatal(err)
		}
	})
	most := 20.0 + 17 // 20 values
	if testrun.Race {
		most += 8 // it has a pool forget now and then
	}
	if n > most {
		t.Errorf("%v allocations", n)
	}
}

// TestWriteAllocations: a write of one row by its key makes few things more than the row and its keys.
func TestWriteAllocations(t *testing.T) {
	db := open(t, "mem://") // what nearlyfreetest opens has an Observer, which takes an allocation
	mustExec(t, db, "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(60), n BIGINT, x DOUBLE, KEY (name), KEY (n))")
	for i := range 500 {
		mustExec(t, db, "INSERT INTO t VALUES (?, ?, ?, 0)", i, fmt.Sprint("name ", i), i%10)
	}
	next := 500
	for _, w := range []struct {
		sql  string
		most float64 // the race detector takes one or two of them
		args func() []any
	}{
		{"UPDATE t SET x = x + 1 WHERE id = ?", 33, func() []any { return []any{7} }},
		{"UPDATE t SET n = n + 1 WHERE id = ?", 37, func() []any { return []any{8} }},
		{"INSERT INTO t VALUES (?, 'name', 1, 2)", 32, func() []any { next++; return []any{next} }},
		{"DELETE FROM t WHERE id = ?", 34, func() []any { next--; return []any{next + 1} }},
	} {
		stmt, err := db.Prepare(w.sql)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { mustStmt(t, stmt, w.args()...) }); n > w.most {
			t.Errorf("%s: %v allocations, want at most %v", w.sql, n, w.most)
		}
	}
}

func mustStmt(t *testing.T, stmt *sql.Stmt, args ...any) {
	t.Helper()
	if _, err := stmt.Exec(args...); err != nil {
		t.Fatal(err)
	}
}
