package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
)

// openDB opens a database of a store of the test's own.
func openDB(t *testing.T, params string) *sql.DB {
	t.Helper()
	t.Setenv(StoreVariable, fmt.Sprintf("mem://%x", t.Name()))
	db, err := sql.Open("mysql", "user:password@tcp(localhost:3306)/shop"+params)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

const typesTable = "CREATE TABLE types (id BIGINT UNSIGNED PRIMARY KEY, i INT NOT NULL, b BOOL, f FLOAT, d DOUBLE NOT NULL, n DECIMAL(8,2), v VARCHAR(20) NOT NULL, " +
	"x TEXT, o VARBINARY(9), l BLOB, dt DATETIME, d3 DATETIME(3), da DATE, ti TIME(2), ts TIMESTAMP NULL, j JSON, e ENUM('a','b'), y YEAR, bi BIT(9))"

// What columns give, as github.com/go-sql-driver/mysql v1.10.1 gives it of MySQL 8.0.
func TestTypes(t *testing.T) {
	for params, want := range map[string]struct{ text, prepared []any }{
		"": {
			text: []any{uint64(1 << 63), int64(-7), int64(1), float32(0.1), 0.5, []byte("3.50"), []byte("é"), []byte("x"), []byte("\xff"), []byte("l"), []byte("2024-05-06 07:08:09"),
				[]byte("2024-05-06 07:08:09.120"), []byte("2024-05-06"), []byte("-01:02:03.40"), []byte("2024-05-06 07:08:09"), []byte(`{"k": 1}`), []byte("b"), int64(2024), []byte{1, 1}},
			prepared: []any{[]byte("9223372036854775808")},
		},
		"?parseTime=true&loc=Europe%2FBerlin": {
			text: []any{10: at(t, "2024-05-06T07:08:09+02:00"), 11: at(t, "2024-05-06T07:08:09.12+02:00"), 12: at(t, "2024-05-06T00:00:00+02:00"), 14: at(t, "2024-05-06T07:08:09+02:00"), 18: nil},
		},
	} {
		t.Run(params, func(t *testing.T) {
			db := openDB(t, params)
			exec(t, db, typesTable, `INSERT INTO types VALUES (9223372036854775808, -7, TRUE, 0.1, 0.5, 3.5, 'é', 'x', x'ff', 'l', '2024-05-06 07:08:09', '2024-05-06 07:08:09.12', '2024-05-06',
				'-01:02:03.4', '2024-05-06 07:08:09', '{"k":1}', 'b', 2024, 257)`)
			text := scan(t, db, "SELECT * FROM types")
			prepared := scan(t, db, "SELECT * FROM types WHERE i = ?", -7)
			for i := range text {
				if w := want.text[i]; w != nil && !same(text[i], w) {
					t.Errorf("column %d of a text: got %T %v, want %T %v", i, text[i], text[i], w, w)
				}
				w := want.text[i]
				if i < len(want.prepared) {
					w = want.prepared[i]
				}
				if w != nil && !same(prepared[i], w) {
					t.Errorf("column %d of a prepared statement: got %T %v, want %T %v", i, prepared[i], prepared[i], w, w)
				}
			}
		})
	}
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	x, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func same(a, b any) bool {
	if x, ok := a.(time.Time); ok {
		y, ok := b.(time.Time)
		return ok && x.Equal(y) && x.Location().String() == "Europe/Berlin"
	}
	return reflect.DeepEqual(a, b)
}

// scan gives the values of one row as the driver gives them.
func scan(t *testing.T, db *sql.DB, query string, args ...any) []any {
	t.Helper()
	rows, err := db.Query(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		t.Fatal(err, rows.Err())
	}
	out, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range out {
		to[i] = &out[i]
	}
	if err := rows.Scan(to...); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestColumnTypes(t *testing.T) {
	db := openDB(t, "")
	exec(t, db, typesTable)
	rows, err := db.Query("SELECT * FROM types")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"UNSIGNED BIGINT uint64", "INT int32", "TINYINT sql.NullInt64", "FLOAT sql.NullFloat64", "DOUBLE float64", "DECIMAL sql.NullString", "VARCHAR string", "TEXT sql.NullString",
		"VARBINARY []uint8", "BLOB []uint8", "DATETIME sql.NullTime", "DATETIME sql.NullTime", "DATE sql.NullTime", "TIME sql.NullString", "TIMESTAMP sql.NullTime", "JSON sql.NullString",
		"ENUM sql.NullString", "YEAR sql.NullInt64", "BIT []uint8"}
	for i, c := range types {
		if got := c.DatabaseTypeName() + " " + c.ScanType().String(); got != want[i] {
			t.Errorf("%s: got %s, want %s", c.Name(), got, want[i])
		}
		if _, ok := c.Length(); ok {
			t.Errorf("%s has a length, which MySQL's driver does not tell", c.Name())
		}
	}
	null, err := db.Query("SELECT NULL")
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if types, err := null.ColumnTypes(); err != nil || types[0].ScanType() != reflect.TypeFor[*any]() {
		t.Errorf("NULL is scanned into a %v, %v", types[0].ScanType(), err)
	}
	if p, s, ok := types[5].DecimalSize(); p != 8 || s != 2 || !ok {
		t.Errorf("DECIMAL(8,2) is %d, %d, %v", p, s, ok)
	}
}

type named string

func (n named) Value() (driver.Value, error) { return "valued " + string(n), nil }

func TestArguments(t *testing.T) {
	db := openDB(t, "?loc=Europe%2FBerlin")
	moment := time.Date(2024, 5, 6, 7, 8, 9, 120_000_000, time.UTC)
	n := 5
	for _, c := range []struct {
		arg  any
		want string
	}{
		{true, "1"}, {uint64(1) << 63, "9223372036854775808"}, {[]byte("é"), "é"}, {json.RawMessage(`{"a":1}`), `{"a":1}`}, {moment, "2024-05-06 09:08:09.12"},
		{time.Time{}, "0000-00-00"}, {named("x"), "valued x"}, {&n, "5"}, {(*int)(nil), "NULL"}, {[]byte(nil), "NULL"}, {(*named)(nil), "NULL"}, {float32(0.5), "0.5"},
	} {
		var got sql.NullString
		if err := db.QueryRow("SELECT ?", c.arg).Scan(&got); err != nil {
			t.Errorf("%T: %v", c.arg, err)
			continue
		}
		if !got.Valid {
			got.String = "NULL"
		}
		if got.String != c.want {
			t.Errorf("%T %v: got %s, want %s", c.arg, c.arg, got.String, c.want)
		}
	}
	if err := db.QueryRow("SELECT ?", sql.Named("x", 1)).Scan(new(int)); err == nil || !strings.Contains(err.Error(), "Named Parameters") {
		t.Errorf("a named argument: %v", err)
	}
	if err := db.QueryRow("SELECT ?", []int{1}).Scan(new(int)); err == nil {
		t.Error("a slice of numbers is taken")
	}
}

// Octets and texts may be written to each other's columns, and found there.
func TestOctets(t *testing.T) {
	db := openDB(t, "")
	exec(t, db, "CREATE TABLE o (id BINARY(2) PRIMARY KEY, v VARCHAR(20), b BLOB, j JSON)")
	for _, id := range []any{[]byte("ab"), []byte("\xff\x00"), "cd", "\xff\x01"} {
		if _, err := db.Exec("INSERT INTO o VALUES (?, ?, ?, ?)", id, []byte("text"), "octets", []byte(`[1]`)); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		var v string
		var j json.RawMessage
		if err := db.QueryRow("SELECT v, j FROM o WHERE id = ? AND v = ? AND b = ?", id, []byte("TEXT"), []byte("octets")).Scan(&v, &j); err != nil || string(j) != "[1]" {
			t.Fatalf("%q: %v %s", id, err, j)
		}
	}
}

func TestErrors(t *testing.T) {
	db := openDB(t, "")
	exec(t, db, "CREATE TABLE e (id INT PRIMARY KEY, n INT NOT NULL)", "INSERT INTO e VALUES (1, 1)")
	for query, want := range map[string]string{
		"INSERT INTO e VALUES (1, 2)":      "Error 1062 (23000): Duplicate entry '1' for key 'PRIMARY'",
		"INSERT INTO e VALUES (2, NULL)":   "Error 1048 (23000): Column 'n' cannot be null",
		"SELECT * FROM none":               "Error 1146 (42S02): Table 'shop.none' doesn't exist",
		"SELEC 1":                          "Error 1064 (42000):",
		"SELECT 1; SELECT 2":               "Error 1064 (42000):",
		"INSERT INTO e VALUES (3, 'word')": "Error 1366 (HY000):",
	} {
		_, err := db.Exec(query)
		var e *MySQLError
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %T %v, want %s", query, err, err, want)
			continue
		}
		if _, exactly := err.(*MySQLError); !exactly {
			t.Errorf("%s: got a %T", query, err)
		}
		var inner *nearlyfree.Error
		if !errors.As(err, &inner) || !errors.Is(err, &MySQLError{Number: e.Number}) {
			t.Errorf("%s: %v holds no *nearlyfree.Error", query, err)
		}
	}
	if _, err := db.Exec(" ;\n"); !errors.Is(err, &MySQLError{Number: 1065}) {
		t.Errorf("no statement: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.ExecContext(ctx, "DELETE FROM e"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelLinearizable}); err == nil {
		t.Error("MySQL has no such level")
	}
}

func TestMultiStatements(t *testing.T) {
	db := openDB(t, "?multiStatements=true&interpolateParams=true")
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Raw(func(c any) error {
		r, err := c.(driver.ExecerContext).ExecContext(t.Context(), "CREATE TABLE m (id INT PRIMARY KEY AUTO_INCREMENT, v TEXT); INSERT INTO m (v) VALUES ('a;'), ('b'); INSERT INTO m (v) VALUES ('c') -- ;\n;", nil)
		if err != nil {
			return err
		}
		if got := fmt.Sprint(r.(Result).AllRowsAffected(), r.(Result).AllLastInsertIds()); got != "[0 2 1] [0 1 3]" {
			t.Errorf("got %s", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE m SET v = ? WHERE id = 1; UPDATE m SET v = ? WHERE id IN (?, ?)", "x", "y", 2, 3); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query("SELECT v FROM m WHERE id = 1; DELETE FROM m WHERE id = 2; SELECT id, v FROM m WHERE id > 1; INSERT INTO m VALUES (9, 'late')")
	if err != nil {
		t.Fatal(err)
	}
	var v string
	if !rows.Next() || rows.Scan(&v) != nil || v != "x" || rows.Next() {
		t.Fatalf("got %q, %v", v, rows.Err())
	}
	var id int
	if !rows.NextResultSet() || !rows.Next() || rows.Scan(&id, &v) != nil || id != 3 || v != "y" {
		t.Fatalf("got %d, %q, %v", id, v, rows.Err())
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow("SELECT COUNT(*) FROM m WHERE id = 9").Scan(&id); err != nil || id != 1 {
		t.Fatalf("the last statement was not run: %d, %v", id, err)
	}
}

// A session keeps what was set in it, as MySQL's driver resets nothing.
func TestPool(t *testing.T) {
	db := openDB(t, "?sql_mode=%27%27&time_zone=%27%2B02%3A00%27&charset=unknown,utf8mb4&collation=utf8mb4_bin")
	db.SetMaxOpenConns(1)
	exec(t, db, "CREATE TABLE p (id INT PRIMARY KEY)", "CREATE TEMPORARY TABLE own AS SELECT 7 AS x", "SET @x = 7", "BEGIN", "INSERT INTO p VALUES (1)", "COMMIT", "BEGIN", "INSERT INTO p VALUES (2)", "ROLLBACK")
	var x, n int
	var mode, zone, collation string
	if err := db.QueryRow("SELECT @x, @@sql_mode, @@time_zone, @@collation_connection, (SELECT COUNT(*) FROM p)").Scan(&x, &mode, &zone, &collation, &n); err != nil {
		t.Fatal(err)
	}
	if x != 7 || strings.Contains(mode, "STRICT") || zone != "+02:00" || collation != "utf8mb4_bin" || n != 1 {
		t.Fatalf("got %d, %q, %q, %q, %d", x, mode, zone, collation, n)
	}
	if err := db.QueryRow("SELECT x FROM own").Scan(&x); err != nil || x != 7 {
		t.Fatalf("a temporary table: %d, %v", x, err)
	}
	wrong := openDB(t, "?no_such_variable=1")
	if err := wrong.Ping(); err == nil || !strings.HasPrefix(err.Error(), "Error 1193") {
		t.Fatalf("an unknown variable: %v", err)
	}
}

// TestANSIMode: "x" is a name and || concatenates where the data source name says so, in any of its spellings.
func TestANSIMode(t *testing.T) {
	for _, mode := range []string{"ansi", "%27ANSI%27", "%27TRADITIONAL,ansi_quotes,PIPES_AS_CONCAT%27"} {
		db := openDB(t, "?sql_mode="+mode)
		var text, words string
		if err := db.QueryRow(`SELECT "x" || 'b', @@sql_mode FROM (SELECT 'a' AS "x") AS "t"`).Scan(&text, &words); err != nil || text != "ab" || !strings.Contains(words, "ANSI_QUOTES") {
			t.Errorf("%s: %q %q %v", mode, text, words, err)
		}
	}
	if err := openDB(t, "?sql_mode=ANSI_QUOTES").Ping(); err == nil || !strings.Contains(err.Error(), "ansi_quotes") {
		t.Error("quotes alone:", err)
	}
}

func TestClientFoundRows(t *testing.T) {
	for params, want := range map[string]int64{"": 0, "?clientFoundRows=true": 1} {
		t.Run(params, func(t *testing.T) {
			db := openDB(t, params)
			exec(t, db, "CREATE TABLE f (id INT PRIMARY KEY, v INT)", "INSERT INTO f VALUES (1, 1)")
			r, err := db.Exec("UPDATE f SET v = 1")
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := r.RowsAffected(); n != want {
				t.Fatalf("got %d, want %d", n, want)
			}
		})
	}
}

func TestStores(t *testing.T) {
	t.Setenv(StoreVariable, "")
	count := func(dsn string) (n int, err error) {
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			return 0, err
		}
		defer db.Close()
		if _, err = db.Exec("CREATE TABLE IF NOT EXISTS s (id INT PRIMARY KEY AUTO_INCREMENT)"); err != nil {
			return 0, err
		}
		if _, err = db.Exec("INSERT INTO s VALUES ()"); err != nil {
			return 0, err
		}
		err = db.QueryRow("SELECT COUNT(*) FROM s").Scan(&n)
		return n, err
	}
	if _, err := count("tcp(a:1)/d"); err == nil || !strings.Contains(err.Error(), StoreVariable) {
		t.Fatalf("no store is named: %v", err)
	}
	t.Setenv(StoreVariable, "mem://TestStores-{addr}")
	for _, c := range []struct {
		dsn  string
		want int
	}{{"tcp(a:1)/d", 1}, {"tcp(a:1)/d", 2}, {"tcp(a:1)/e", 1}, {"tcp(b:1)/d", 1}, {"tcp(a:1)/D", 3}} {
		if n, err := count(c.dsn); n != c.want || err != nil {
			t.Errorf("%s: got %d, want %d, %v", c.dsn, n, c.want, err)
		}
	}
	SetStore(func(c *Config) (string, error) { return "mem://rule-" + c.User, nil })
	defer SetStore(nil)
	if n, err := count("u@tcp(a:1)/d"); n != 1 || err != nil {
		t.Errorf("by a rule: %d, %v", n, err)
	}
}

// Two sql.DB may share a Connector, which MySQL's driver cannot close.
func TestSharedConnector(t *testing.T) {
	t.Setenv(StoreVariable, "mem://")
	c := NewConfig()
	c.DBName = "shared"
	if err := c.Apply(BeforeConnect(func(_ context.Context, c *Config) error {
		c.ParseTime = true
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	k, err := NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	a, b := sql.OpenDB(k), sql.OpenDB(k)
	defer b.Close()
	exec(t, a, "CREATE TABLE c (t DATETIME)", "INSERT INTO c VALUES ('2024-01-01')")
	exec(t, b, "SELECT 1")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	var got time.Time
	if err := b.QueryRow("SELECT t FROM c").Scan(&got); err != nil || got.Year() != 2024 {
		t.Fatal(got, err)
	}
}

// A statement that its context ends takes the connection with it, and what that holds.
func TestCancel(t *testing.T) {
	db := openDB(t, "")
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "DO GET_LOCK('l', 0)"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "DO SLEEP(20)"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if err := conn.PingContext(t.Context()); !errors.Is(err, driver.ErrBadConn) {
		t.Errorf("the connection goes on: %v", err)
	}
	var got int
	if err := db.QueryRow("SELECT GET_LOCK('l', 0)").Scan(&got); err != nil || got != 1 {
		t.Errorf("the lock is held still: %d, %v", got, err)
	}
}

// A query has its first row when it gives its rows, so where its context ends before, it fails.
func TestCancelledQuery(t *testing.T) {
	db := openDB(t, "?multiStatements=true")
	for name, query := range map[string]func(context.Context) (*sql.Rows, error){
		"text":     func(ctx context.Context) (*sql.Rows, error) { return db.QueryContext(ctx, "SELECT SLEEP(20)") },
		"prepared": func(ctx context.Context) (*sql.Rows, error) { return db.QueryContext(ctx, "SELECT SLEEP(?)", 20) },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := query(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := db.QueryContext(ctx, "SELECT 1; SELECT SLEEP(20)")
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	cancel()
	if rows.NextResultSet() {
		t.Error("a statement runs whose context has ended")
	}
	if err := rows.Close(); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A database that was dropped cannot be connected to, until it is made again.
func TestDroppedDatabase(t *testing.T) {
	exec(t, openDB(t, ""), "CREATE DATABASE IF NOT EXISTS dropped", "DROP DATABASE dropped")
	db, err := sql.Open("mysql", "user@/dropped")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var e *MySQLError
	if err := db.Ping(); !errors.As(err, &e) || e.Number != 1049 {
		t.Errorf("got %v, want 1049", err)
	}
	exec(t, openDB(t, ""), "CREATE DATABASE dropped")
	if err := db.Ping(); err != nil {
		t.Error(err)
	}
}

func TestBegin(t *testing.T) {
	db := openDB(t, "?rejectReadOnly=true")
	db.SetMaxOpenConns(1)
	exec(t, db, "CREATE TABLE b (id INT PRIMARY KEY)", "BEGIN", "INSERT INTO b VALUES (1)")
	tx, err := db.Begin() // commits what SQL began
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRow("SELECT COUNT(*) FROM b").Scan(&n); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	exec(t, db, "SET SESSION TRANSACTION READ ONLY")
	if _, err := db.Exec("INSERT INTO b VALUES (2)"); err != nil { // on a connection that may write
		t.Fatal(err)
	}
}
