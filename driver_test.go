package nearlyfree_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("nearlyfree", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, q string, args ...any) sql.Result {
	t.Helper()
	r, err := db.Exec(q, args...)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return r
}

func TestColumnTypes(t *testing.T) {
	db := open(t, "mem://")
	mustExec(t, db, `CREATE TABLE t (id BIGINT PRIMARY KEY, n INT, u BIGINT UNSIGNED, f DOUBLE, d DECIMAL(10,2) NOT NULL, b BOOL,
		s VARCHAR(30), x TEXT, y VARBINARY(8), z BLOB, at DATETIME(3), day DATE, span TIME, j JSON, g UUID)`)
	rows, err := db.Query("SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range types {
		null, ok := c.Nullable()
		line := fmt.Sprintf("%s %s %s null=%v/%v", c.Name(), c.DatabaseTypeName(), c.ScanType(), null, ok)
		if n, ok := c.Length(); ok {
			if n == math.MaxInt64 {
				line += " length=max"
			} else {
				line += fmt.Sprintf(" length=%d", n)
			}
		}
		if p, s, ok := c.DecimalSize(); ok {
			line += fmt.Sprintf(" size=%d,%d", p, s)
		}
		got = append(got, line)
	}
	want := []string{
		"id BIGINT int64 null=false/true",
		"n INT sql.NullInt64 null=true/true",
		"u UNSIGNED BIGINT sql.Null[uint64] null=true/true",
		"f DOUBLE sql.NullFloat64 null=true/true",
		"d DECIMAL string null=false/true size=10,2",
		"b BOOL sql.NullBool null=true/true",
		"s VARCHAR sql.NullString null=true/true length=30",
		"x TEXT sql.NullString null=true/true length=max",
		"y VARBINARY []uint8 null=true/true length=8",
		"z BLOB []uint8 null=true/true length=max",
		"at DATETIME sql.NullTime null=true/true size=3,3",
		"day DATE sql.NullTime null=true/true",
		"span TIME sql.NullString null=true/true size=0,0",
		"j JSON sql.NullString null=true/true length=max",
		"g UUID sql.NullString null=true/true length=36",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestValuesComeBack: what goes in comes out, at the extremes of each type, in a column, as a key, and by a filter.
func TestValuesComeBack(t *testing.T) {
	day := time.Date(2026, 2, 28, 23, 59, 59, 123456700, time.UTC)
	for _, c := range []struct {
		kind string
		in   []any
	}{
		{"BIGINT", []any{int64(math.MinInt64), int64(math.MaxInt64), int64(0), int64(-1)}},
		{"BIGINT UNSIGNED", []any{uint64(math.MaxUint64), uint64(0), uint64(7)}},
		{"DOUBLE", []any{math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, -1.5, 1e300, 0.1}},
		{"BOOL", []any{true, false}},
		{"VARCHAR(100)", []any{"", "it's", "😀 emoji", "a\x00b", "%_\\", "日本語", "trailing "}},
		{"VARBINARY(100)", []any{[]byte{}, []byte{0, 255, 1}}},
		{"DATETIME(7)", []any{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999900, time.UTC), day, time.Date(1600, 12, 31, 0, 0, 0, 100, time.UTC)}},
		{"DATE", []any{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}},
		{"DECIMAL(20,4)", []any{"-9999999999999999.9999", "0.0001", "12.5000"}},
		{"TIME(7)", []any{"-838:59:59.0000000", "00:00:00.0000001"}},
		{"UUID", []any{"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			db := open(t, "mem://")
			mustExec(t, db, fmt.Sprintf("CREATE TABLE t (id INT, v %s, w %s, PRIMARY KEY (v))", c.kind, c.kind))
			for i, in := range c.in {
				mustExec(t, db, "INSERT INTO t VALUES (?, ?, ?)", i, in, in)
				for _, where := range []string{"v = ?", "w = ?"} {
					var id int
					var out any
					if err := db.QueryRow("SELECT id, w FROM t WHERE "+where, in).Scan(&id, &out); err != nil {
						t.Errorf("%v where %s: %v", in, where, err)
						continue
					}
					if !sameValue(in, out) || id != i {
						t.Errorf("%v (%T) where %s came back as %v (%T), row %d of %d", in, in, where, out, out, id, i)
					}
				}
			}
		})
	}
}

func sameValue(in, out any) bool {
	switch a := in.(type) {
	case time.Time:
		b, ok := out.(time.Time)
		return ok && a.Equal(b)
	case float64:
		b, ok := out.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	}
	return reflect.DeepEqual(in, out)
}

// TestRefusedValues: what a column cannot hold is refused, with the column's name; with exact=true what it would round, too.
func TestRefusedValues(t *testing.T) {
	db := open(t, "mem://?exact=true")
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, tiny TINYINT, u INT UNSIGNED, f DOUBLE, d DECIMAL(4,2), s VARCHAR(3), at DATETIME, b BOOL, e ENUM('a','b'), j JSON, big TEXT)")
	for _, c := range []struct {
		column string
		v      any
	}{
		{"tiny", 128}, {"tiny", 1.5}, {"tiny", "x"}, {"u", -1}, {"f", math.NaN()}, {"f", math.Inf(1)}, {"d", "123.45"}, {"d", "1.234"},
		{"s", "four"}, {"s", "\xff"}, {"at", "2026-02-30"}, {"at", "2026-01-01 00:00:00.00000001"}, {"b", 2}, {"e", "c"}, {"j", "{"},
		{"id", int64(1) << 40}, {"big", strings.Repeat("x", 600_000)},
	} {
		_, err := db.Exec("INSERT INTO t (id, "+c.column+") VALUES (1, ?)", c.v)
		if c.column == "id" {
			_, err = db.Exec("INSERT INTO t (id) VALUES (?)", c.v)
		}
		var e *nearlyfree.Error
		if !errors.As(err, &e) || !errors.Is(err, nearlyfree.ErrBadValue) && !errors.Is(err, nearlyfree.ErrTooLarge) {
			t.Errorf("%s = %.30v: got %v", c.column, c.v, err)
		} else if c.column != "big" && !strings.Contains(e.Message, "'"+c.column+"'") {
			t.Errorf("%s = %.30v: the error does not name the column: %v", c.column, c.v, err)
		}
	}
	var n int
	if err := db.QueryRow("SELECT COUNT(*) FROM t").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows stand, %v", n, err)
	}
	for _, statement := range []string{"CREATE TABLE x (d DECIMAL(5,2) DEFAULT 1.239)", "ALTER TABLE t ADD c INT DEFAULT 1.5", "ALTER TABLE t ALTER tiny SET DEFAULT '1.5'"} {
		var e *nearlyfree.Error
		if _, err := db.Exec(statement); !errors.As(err, &e) || e.Number != 1067 {
			t.Errorf("%s: got %v", statement, err)
		}
	}
	mustExec(t, db, "CREATE TABLE y (d DECIMAL(5,2) DEFAULT 1.230, b BIT(8) DEFAULT b'1', n INT DEFAULT '7')")
}

func TestLongValues(t *testing.T) {
	db := open(t, "mem://")
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, s TEXT, b BLOB)")
	s := strings.Repeat("é😀x", 30_000)
	b := []byte(strings.Repeat("\x00\xff", 60_000))
	mustExec(t, db, "INSERT INTO t VALUES (1, ?, ?)", s, b)
	var gotS string
	var gotB []byte
	if err := db.QueryRow("SELECT s, b FROM t WHERE id = 1").Scan(&gotS, &gotB); err != nil {
		t.Fatal(err)
	}
	if gotS != s || string(gotB) != string(b) {
		t.Error("long values came back as others")
	}
	mustExec(t, db, "UPDATE t SET s = 'short', b = NULL WHERE id = 1")
	var null sql.NullString
	if err := db.QueryRow("SELECT s, b FROM t WHERE id = 1").Scan(&gotS, &null); err != nil || gotS != "short" || null.Valid {
		t.Errorf("after the update: %q, %v, %v", gotS, null, err)
	}
	if err := db.QueryRow("SELECT id FROM t WHERE s = ?", "short").Scan(new(int)); err != nil {
		t.Error(err)
	}
}

// TestLargeUnsignedArguments: an argument above int64 is taken whatever its type is called.
func TestLargeUnsignedArguments(t *testing.T) {
	type id uint64
	db := open(t, "mem://")
	const large = math.MaxUint64 - 1
	named := id(large)
	for _, in := range []any{uint64(large), uint(large), named, &named} {
		var out uint64
		if err := db.QueryRow("SELECT ?", in).Scan(&out); err != nil || out != large {
			t.Errorf("%T: %d, %v", in, out, err)
		}
	}
}

func TestMemoryByName(t *testing.T) {
	one, two := open(t, "mem://shared-"+t.Name()), open(t, "mem://shared-"+t.Name()+"?readonly=true")
	mustExec(t, one, "CREATE TABLE t (id INT PRIMARY KEY)")
	mustExec(t, one, "INSERT INTO t VALUES (1)")
	var n int
	if err := two.QueryRow("SELECT COUNT(*) FROM t").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d %v", n, err)
	}
	if _, err := two.Exec("INSERT INTO t VALUES (2)"); !errors.Is(err, nearlyfree.ErrReadOnly) {
		t.Errorf("readonly: %v", err)
	}
	one.Close()
	if err := two.QueryRow("SELECT COUNT(*) FROM t").Scan(&n); err != nil || n != 1 {
		t.Errorf("after the first was closed: %d %v", n, err)
	}
	two.Close()
	if err := two.Ping(); err == nil {
		t.Error("a closed database answers")
	}
}

func TestFileIsDurable(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "a b%25.db")
	db := open(t, dsn)
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, s TEXT, KEY (s))")
	mustExec(t, db, "INSERT INTO t (s) VALUES ('a'), ('b')")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, dsn)
	r := mustExec(t, db, "INSERT INTO t (s) VALUES ('c')")
	if id, _ := r.LastInsertId(); id != 3 {
		t.Errorf("the next id is %d", id)
	}
	var n int
	if err := db.QueryRow("SELECT COUNT(*) FROM t WHERE s >= 'a'").Scan(&n); err != nil || n != 3 {
		t.Errorf("%d %v", n, err)
	}
}

// TestReadOnlyFile: a file that is opened with readonly is neither made nor written to, and who would write waits for
// its end.
func TestReadOnlyFile(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(link, "a.db")
	dsn := "file:" + path
	missing := open(t, dsn+"?readonly=true")
	if err := missing.Ping(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("a missing file was made")
	}

	writer, reader := open(t, dsn), open(t, dsn+"?readonly=true")
	rows := func(want int) {
		t.Helper()
		var n int
		if err := reader.QueryRow("SELECT COUNT(*) FROM t").Scan(&n); err != nil || n != want {
			t.Errorf("%d rows, want %d: %v", n, want, err)
		}
	}
	if err := writer.Ping(); err != nil {
		t.Fatal(err)
	}
	if err := reader.Ping(); err != nil { // no definitions are there yet
		t.Fatal(err)
	}
	mustExec(t, writer, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT)")
	mustExec(t, writer, "INSERT INTO t (n) VALUES (1), (2)")
	rows(2)
	for _, db := range []*sql.DB{writer, reader} {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}

	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reader = open(t, dsn+"?readonly=true")
	rows(2)
	if _, err := reader.Exec("INSERT INTO t (n) VALUES (3)"); !errors.Is(err, nearlyfree.ErrReadOnly) {
		t.Errorf("a write: %v", err)
	}
	if _, err := reader.Exec("CREATE TABLE u (id INT PRIMARY KEY)"); !errors.Is(err, nearlyfree.ErrReadOnly) {
		t.Errorf("a definition: %v", err)
	}
	var table, op, kind, text string
	if err := reader.QueryRow("CHECK TABLE t EXTENDED").Scan(&table, &op, &kind, &text); err != nil || text != "OK" {
		t.Errorf("CHECK TABLE: %s, %v", text, err)
	}
	if _, err := reader.Exec("REPAIR TABLE t"); !errors.Is(err, nearlyfree.ErrReadOnly) || !strings.Contains(err.Error(), "REPAIR TABLE writes") {
		t.Errorf("REPAIR TABLE: %v", err)
	}
	writer = open(t, dsn)
	if err := writer.Ping(); !errors.Is(err, nearlyfree.ErrLocked) || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("a writer beside a reader: %v", err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed: %v", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	mustExec(t, writer, "INSERT INTO t (n) VALUES (3)")
}

// TestIndexDroppedWhileReading: a query that reads by an index which is dropped meanwhile gives all rows, or says
// that it cannot.
func TestIndexDroppedWhileReading(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"mem://", "file:" + filepath.Join(t.TempDir(), "data")} {
		db := open(t, dsn)
		mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, x INT, KEY (x))")
		values := make([]string, 3000)
		for i := range values {
			values[i] = fmt.Sprintf("(%d, 1)", i)
		}
		mustExec(t, db, "INSERT INTO t VALUES "+strings.Join(values, ", "))
		rows, err := db.Query("SELECT id FROM t WHERE x = 1")
		if err != nil {
			t.Fatal(err)
		}
		mustExec(t, db, "DROP INDEX x ON t")
		n := 0
		for rows.Next() {
			n++
		}
		if rows.Err() != nil || n != 3000 {
			t.Errorf("%s: %d rows, %v", dsn, n, rows.Err())
		}
		rows.Close()

		mustExec(t, db, "CREATE INDEX x ON t (x)")
		if rows, err = db.Query("SELECT id FROM t WHERE x = 1"); err != nil {
			t.Fatal(err)
		}
		for n = 0; n < 10 && rows.Next(); n++ {
			continue
		}
		mustExec(t, db, "DROP INDEX x ON t")
		for rows.Next() {
			n++
		}
		if !errors.Is(rows.Err(), nearlyfree.ErrSchemaChanged) && (rows.Err() != nil || n != 3000) {
			t.Errorf("%s: after the first rows: %d rows, %v", dsn, n, rows.Err())
		}
		rows.Close()
	}
}

func TestCancel(t *testing.T) {
	db := open(t, "mem://")
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY)")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.QueryContext(ctx, "SELECT * FROM t"); !errors.Is(err, context.Canceled) {
		t.Errorf("query: %v", err)
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO t VALUES (1)"); !errors.Is(err, context.Canceled) {
		t.Errorf("exec: %v", err)
	}
}

// TestCloseUnderLoad: Close returns while statements run, and they end.
func TestCloseUnderLoad(t *testing.T) {
	db := open(t, "mem://")
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, s TEXT)")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				if _, err := db.Exec("INSERT INTO t (s) VALUES ('x')"); err != nil {
					return
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// readAll reads a query's rows to the end and gives the error that ended them.
func readAll(db *sql.DB, q string) error {
	rows, err := db.Query(q)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return rows.Err()
}

func TestScanPolicy(t *testing.T) {
	db := open(t, "mem://?scan=deny&max_entities=3")
	mustExec(t, db, "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(10), n INT, KEY (s))")
	mustExec(t, db, "INSERT INTO t VALUES (1,'a',1),(2,'b',2),(3,'c',3),(4,'d',4),(5,'e',5)")
	for q, refused := range map[string]bool{
		"SELECT * FROM t WHERE id = 1":                          false,
		"SELECT * FROM t WHERE s LIKE 'a%'":                     false,
		"SELECT * FROM t WHERE n = 1":                           true,
		"SELECT COUNT(*) FROM t":                                true,
		"SELECT /*+ allow_scan */ * FROM t WHERE n = 1 LIMIT 1": false,
	} {
		err := readAll(db, q)
		if errors.Is(err, nearlyfree.ErrScanRefused) != refused || !refused && err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
	if _, err := db.Exec("DELETE FROM t WHERE n = 1"); !errors.Is(err, nearlyfree.ErrScanRefused) {
		t.Errorf("delete: %v", err)
	}
	if err := readAll(db, "SELECT /*+ allow_scan */ * FROM t"); !errors.Is(err, nearlyfree.ErrTooManyEntities) {
		t.Errorf("max_entities: %v", err)
	}
}

// A Config may spell a policy in any case, as a data source name does.
func TestScanPolicyInCapitals(t *testing.T) {
	k, err := nearlyfree.NewConnector(&nearlyfree.Config{Store: "mem://", Scan: "DENY"})
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(k)
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("DELETE FROM t WHERE v = 1"); !errors.Is(err, nearlyfree.ErrScanRefused) {
		t.Errorf("a scan is not refused: %v", err)
	}
}

func TestUnknownFunction(t *testing.T) {
	db := open(t, "mem://")
	err := readAll(db, "SELECT 1,\n  NOSUCH(2)")
	var e *nearlyfree.Error
	if !errors.As(err, &e) || e.Number != 1305 || e.State != "42000" || e.Line != 2 || e.Column != 3 || !errors.Is(err, nearlyfree.ErrNotSupported) {
		t.Errorf("%v", err)
	}
	err = readAll(db, "SELECT ABS(1, 2)")
	if !errors.As(err, &e) || e.Number != 1582 || e.State != "42000" || e.Line != 1 || e.Column != 8 {
		t.Errorf("%v", err)
	}
}

func TestUnknownSystemVariable(t *testing.T) {
	var e *nearlyfree.Error
	if err := readAll(open(t, "mem://"), "SELECT @@nonsense"); !errors.As(err, &e) || e.Number != 1193 {
		t.Errorf("%v", err)
	}
}
