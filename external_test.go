package nearlyfree_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
)

// account is a store that another program writes to as well: raw is its way in.
type account struct {
	before    map[string]bool // RowKeys; see leave
	raw       engine.Engine
	connector *nearlyfree.Connector
	db        *sql.DB
	transport *azuretest.Transport
}

func openAccount(t *testing.T) *account {
	t.Helper()
	return openAccountWith(t, time.Hour)
}

func openAccountWith(t *testing.T, lease time.Duration) *account {
	t.Helper()
	return openAccountBy(t, nearlyfree.Config{SchemaLease: lease})
}

// openAccountBy opens a new account with settings that do not say where it is.
func openAccountBy(t *testing.T, config nearlyfree.Config) *account {
	t.Helper()
	a := &account{raw: embedded.OpenMemory(embedded.Options{}), before: map[string]bool{}}
	a.transport = &azuretest.Transport{Service: azuretest.NewService(a.raw)}
	config.Store = fmt.Sprintf("DefaultEndpointsProtocol=https;AccountName=%s;AccountKey=%s;TableEndpoint=%s", azuretest.Account, azuretest.Key, azuretest.Endpoint)
	config.Transport = a.transport
	var err error
	a.connector, err = nearlyfree.NewConnector(&config)
	if err != nil {
		t.Fatal(err)
	}
	a.db = sql.OpenDB(a.connector)
	t.Cleanup(func() { a.db.Close() })
	return a
}

func (a *account) table(t *testing.T, name string) {
	t.Helper()
	if err := a.raw.CreateTable(t.Context(), name, nil); err != nil {
		t.Fatal(err)
	}
}

type props map[string]engine.Value

func (a *account) put(t *testing.T, table, partition, row string, p props) {
	t.Helper()
	e := engine.Entity{PartitionKey: partition, RowKey: row}
	for name, v := range p {
		e.Names, e.Values = append(e.Names, name), append(e.Values, v)
	}
	err := a.raw.Commit(t.Context(), engine.Commit{Table: table, PartitionKey: partition, Ops: []engine.Op{{Kind: engine.Upsert, Entity: e}}})
	if err != nil {
		t.Fatal(err)
	}
}

func (a *account) get(t *testing.T, table, partition, row string) props {
	t.Helper()
	e, err := a.raw.Get(t.Context(), engine.Get{Table: table, PartitionKey: partition, RowKey: row})
	if err != nil {
		t.Fatal(err)
	}
	p := props{}
	for i, v := range e.Values {
		if v.Type != engine.Absent {
			p[e.Names[i]] = v
		}
	}
	return p
}

func (a *account) exec(t *testing.T, query string, args ...any) int64 {
	t.Helper()
	r, err := a.db.Exec(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	n, _ := r.RowsAffected()
	return n
}

// rows gives the rows of a query as text, the columns joined by |.
func (a *account) rows(t *testing.T, query string, args ...any) []string {
	t.Helper()
	rows, err := a.db.Query(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for rows.Next() {
		cells, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			pointers[i] = &cells[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = fmt.Sprintf("%T %v", c, c)
		}
		out = append(out, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

var everyType = props{
	"S": {Type: engine.String, S: "it's <é😀>"}, "Empty": {Type: engine.String},
	"I": {Type: engine.Int32, N: math.MaxUint64}, "L": {Type: engine.Int64, N: 1 << 60},
	"D": {Type: engine.Double, N: math.Float64bits(1)}, "Nine": {Type: engine.Double, N: math.Float64bits(9.75)},
	"B": {Type: engine.Boolean, N: 1}, "T": {Type: engine.DateTime, N: uint64(engine.MaxDateTime)},
	"G": {Type: engine.Guid, S: "0123abcd-4567-89ef-8000-fedcba987654"}, "Y": {Type: engine.Binary, S: "\x00\xff"},
}

// TestForeignKeepsTypes: what an UPDATE does not name stays as it is to the bit, whichever way it is written; what
// it names keeps its type.
func TestForeignKeepsTypes(t *testing.T) {
	a := openAccount(t)
	a.table(t, "Things")
	for _, c := range []struct {
		set  string
		args []any
		want props
		gone []string
	}{
		{set: "S = ?", args: []any{"new"}, want: props{"S": {Type: engine.String, S: "new"}}},
		{set: "I = I + 8", want: props{"I": {Type: engine.Int32, N: 7}}},
		{set: "I = ?", args: []any{int64(1) << 40}, want: props{"I": {Type: engine.Int64, N: 1 << 40}}},
		{set: "L = 5", want: props{"L": {Type: engine.Int64, N: 5}}},
		{set: "D = 2, B = FALSE", want: props{"D": {Type: engine.Double, N: math.Float64bits(2)}, "B": {Type: engine.Boolean}}},
		{set: "T = ?", args: []any{time.Date(1700, 1, 1, 0, 0, 0, 100, time.UTC)}, want: props{"T": {Type: engine.DateTime, N: uint64(time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC).Unix()+62135596800)*1e7 + 1}}},
		{set: "S = NULL, Y = NULL", gone: []string{"S", "Y"}},
		{set: "S = NULL, Added = 1.5", gone: []string{"S"}, want: props{"Added": {Type: engine.Double, N: math.Float64bits(1.5)}}},
		{set: "RowKey = 'r'", want: props{}},
		{set: "G = ?", args: []any{"11111111-1111-1111-1111-111111111111"}, want: props{"G": {Type: engine.Guid, S: "11111111-1111-1111-1111-111111111111"}}},
	} {
		t.Run(c.set, func(t *testing.T) {
			a.put(t, "Things", "p", "r", everyType)
			if c.set == "RowKey = 'r'" {
				a.put(t, "Things", "p", "old", everyType)
				a.exec(t, "DELETE FROM Things WHERE RowKey = 'r' AND PartitionKey = 'p'")
				a.exec(t, "UPDATE Things SET "+c.set+" WHERE PartitionKey = 'p' AND RowKey = 'old'")
			} else if n := a.exec(t, "UPDATE Things SET "+c.set+" WHERE PartitionKey = 'p' AND RowKey = 'r'", c.args...); n != 1 {
				t.Fatalf("%d rows", n)
			}
			want := props{}
			for name, v := range everyType {
				want[name] = v
			}
			for name, v := range c.want {
				want[name] = v
			}
			for _, name := range c.gone {
				delete(want, name)
			}
			if got := a.get(t, "Things", "p", "r"); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

// TestForeignMixed: a property of several types is read as it is, and compared by MySQL's rules, whatever a filter
// of one type would have hidden.
func TestForeignMixed(t *testing.T) {
	a := openAccount(t)
	a.table(t, "Mixed")
	for i, v := range []engine.Value{
		{Type: engine.Int32, N: 5}, {Type: engine.Int64, N: 5}, {Type: engine.Double, N: math.Float64bits(5)},
		{Type: engine.String, S: "5"}, {Type: engine.String, S: "x"}, {Type: engine.Boolean, N: 1},
	} {
		a.put(t, "Mixed", "p", fmt.Sprint(i), props{"V": v})
	}
	a.put(t, "Mixed", "p", "none", props{"Other": {Type: engine.Int32, N: 1}})
	for query, want := range map[string]string{
		"SELECT RowKey, V FROM Mixed WHERE V = 5":                                "string 0|int64 5, string 1|int64 5, string 2|float64 5, string 3|string 5",
		"SELECT RowKey FROM Mixed WHERE V = '5'":                                 "string 0, string 1, string 2, string 3",
		"SELECT RowKey FROM Mixed WHERE V IS NULL":                               "string none",
		"SELECT RowKey FROM Mixed WHERE V > 0 AND V < 5":                         "string 5",
		"SELECT COUNT(DISTINCT V), COUNT(*) FROM Mixed":                          "int64 4|int64 7",
		"SELECT V FROM Mixed WHERE RowKey = 'none'":                              "<nil> <nil>",
		"SELECT Other + 1 FROM Mixed WHERE Nothing <=> NULL AND RowKey = 'none'": "int64 2",
	} {
		if got := strings.Join(a.rows(t, query), ", "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", query, got, want)
		}
	}
}

// TestForeignRequests: what a statement by key sends.
func TestForeignRequests(t *testing.T) {
	a := openAccount(t)
	a.table(t, "Costs")
	for i := range 30 {
		a.put(t, "Costs", fmt.Sprint("p", i/10), fmt.Sprintf("r%02d", i), props{"N": {Type: engine.Int32, N: uint64(i)}})
	}
	a.rows(t, "SELECT * FROM Costs LIMIT 1") // the sample
	for _, c := range []struct {
		query          string
		requests, read int64
	}{
		{"SELECT N FROM Costs WHERE PartitionKey = 'p1' AND RowKey = 'r15'", 1, 1},
		{"SELECT N FROM Costs WHERE PartitionKey = 'p1' AND RowKey = 'none'", 1, 0},
		{"SELECT N FROM Costs WHERE PartitionKey = 'p1' AND RowKey LIKE 'r1%'", 1, 10},
		{"SELECT N FROM Costs WHERE PartitionKey = 'p1' AND RowKey >= 'r12' AND RowKey < 'r14'", 1, 2},
		{"SELECT N FROM Costs WHERE PartitionKey = 'p1' ORDER BY RowKey LIMIT 3", 1, 3},
		{"SELECT N FROM Costs WHERE PartitionKey = 'p1' AND RowKey > 'r12' ORDER BY RowKey LIMIT 3", 1, 3},
		{"SELECT N FROM Costs WHERE PartitionKey LIKE 'p1%'", 1, 10},
		{"SELECT N FROM Costs WHERE PartitionKey > 'p1'", 1, 10},
		{"SELECT N FROM Costs WHERE PartitionKey >= 'p1' AND RowKey = 'r15'", 1, 1},
		{"SELECT N FROM Costs WHERE PartitionKey = 'p1' AND RowKey IN ('r11', 'r12', 'r99')", 3, 2},
		{"SELECT N FROM Costs WHERE (PartitionKey = 'p1' AND RowKey = 'r11') OR (PartitionKey = 'p2' AND RowKey = 'r22')", 2, 2},
		{"SELECT N FROM Costs WHERE PartitionKey = NULL", 0, 0},
		{"SELECT N FROM Costs WHERE PartitionKey LIKE 'p0%' OR PartitionKey LIKE 'p2%'", 2, 20},
		{"SELECT N FROM Costs WHERE PartitionKey LIKE 'p0%' OR PartitionKey BETWEEN 'p0' AND 'p1' OR PartitionKey = 'p1'", 1, 20},
		{"SELECT N FROM Costs WHERE (PartitionKey < 'p1' OR PartitionKey >= 'p2') AND RowKey IN ('r02', 'r03')", 2, 2},
		{"SELECT N FROM Costs WHERE PartitionKey = 'p0' AND RowKey = 'r01' OR PartitionKey LIKE 'p2%' AND RowKey > 'r25'", 2, 5},
		{"SELECT N FROM Costs WHERE PartitionKey IN ('p0', 'p1') AND (RowKey < 'r02' OR RowKey >= 'r19')", 4, 3},
		{"SELECT N FROM Costs LIMIT 3", 1, 3},
		{"SELECT N FROM Costs WHERE PartitionKey > 'p0' LIMIT 3", 1, 3},
		{"SELECT N FROM Costs WHERE PartitionKey LIKE 'p0%' OR PartitionKey LIKE 'p2%' LIMIT 12", 2, 12},
	} {
		before := a.connector.Stats()
		a.rows(t, c.query)
		cost := a.connector.Stats().Sub(before)
		if n := cost.Requests - cost.SchemaRequests; n != c.requests || cost.EntitiesReturned != c.read {
			t.Errorf("%s: %d requests, %d entities; want %d, %d", c.query, n, cost.EntitiesReturned, c.requests, c.read)
		}
	}
}

// TestForeignListing: the tables of other programs are listed by one request (and SHOW asks for the catalog's version),
// in the default database only; their columns by one more each, a minute long.
func TestForeignListing(t *testing.T) {
	a := openAccount(t)
	a.exec(t, "CREATE TABLE own (id INT PRIMARY KEY)")
	for _, name := range []string{"Alpha", "Order", "shopZ8items", "OWN"} {
		a.table(t, name)
	}
	a.put(t, "Alpha", "p", "1", props{"N": {Type: engine.Int32, N: 1}})
	a.rows(t, "SHOW TABLES") // definitions are known from here on
	for _, c := range []struct {
		query    string
		requests int64
		want     string
	}{
		{"SHOW TABLES", 2, "string Alpha, string Order, string own"},
		{"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()", 1, "string Alpha, string Order, string own"},
		{"SELECT COUNT(*) FROM information_schema.VIEWS WHERE TABLE_SCHEMA IN (SCHEMA(), 'nosuch')", 1, "int64 0"}, // the look for nosuch
		{"SELECT COUNT(*) FROM information_schema.VIEWS WHERE 'nearlyfree' = TABLE_SCHEMA", 0, "int64 0"},
		{"SELECT COUNT(*) FROM information_schema.VIEWS", 1, "int64 0"}, // which databases there are
		{"SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = (SELECT DATABASE()) AND TABLE_NAME = 'Alpha'", 3,
			"string PartitionKey, string RowKey, string Timestamp, string N, string ETag"},
		{"SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = SCHEMA() AND TABLE_NAME = 'Order'", 1, "int64 4"},
		{"SELECT N FROM `Order` WHERE PartitionKey = 'p' AND RowKey = '1'", 1, ""},
	} {
		before := a.connector.Stats()
		got := strings.Join(a.rows(t, c.query), ", ")
		if n := a.connector.Stats().Sub(before).Requests; got != c.want || n != c.requests {
			t.Errorf("%s: %s, %d requests; want %s, %d", c.query, got, n, c.want, c.requests)
		}
	}
	named, err := nearlyfree.NewConnector(&nearlyfree.Config{
		Store:     "AccountName=" + azuretest.Account + ";AccountKey=" + azuretest.Key,
		Transport: a.transport, Database: "shop",
	})
	if err != nil {
		t.Fatal(err)
	}
	a.db = sql.OpenDB(named)
	defer a.db.Close()
	if got := a.rows(t, "SHOW TABLES"); len(got) > 0 {
		t.Errorf("a database with a name lists %q", got)
	}
}

// TestForeignTimestamp: conditions on the Timestamp are sent, for undeclared and for mapped tables, and lose no row,
// however near it was written.
func TestForeignTimestamp(t *testing.T) {
	a := openAccount(t)
	a.exec(t, "CREATE EXTERNAL TABLE mapped (p TEXT, r TEXT, changed DATETIME(7) PROPERTY 'Timestamp', n INT PROPERTY 'N' EDM Int32) LOCATION 'Timed' PARTITION KEY '{p}' ROW KEY '{r}'")
	for i := range 6 {
		a.put(t, "Timed", "p", fmt.Sprint(i), props{"N": {Type: engine.Int32, N: uint64(i)}})
		time.Sleep(2 * time.Millisecond)
	}
	var times []time.Time
	rows, err := a.db.Query("SELECT Timestamp FROM Timed WHERE PartitionKey = 'p' ORDER BY RowKey")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var at time.Time
		if err := rows.Scan(&at); err != nil {
			t.Fatal(err)
		}
		times = append(times, at)
	}
	if len(times) != 6 || !times[0].Before(times[5]) {
		t.Fatal(times)
	}
	for _, at := range times {
		for _, near := range []time.Duration{-time.Millisecond, -100, 0, 100, time.Millisecond} {
			v := at.Add(near)
			for op, holds := range map[string]func(time.Time) bool{
				"=": v.Equal, "<": v.After, ">": v.Before,
				"<=": func(x time.Time) bool { return !x.After(v) }, ">=": func(x time.Time) bool { return !x.Before(v) },
			} {
				var want []string
				near := int64(0) // within a millisecond, which stores may not tell apart
				for i, x := range times {
					if holds(x) {
						want = append(want, fmt.Sprint("int64 ", i))
					} else if x.Sub(v).Abs() <= time.Millisecond {
						near++
					}
				}
				for _, query := range []string{"SELECT N FROM Timed WHERE Timestamp " + op + " ?", "SELECT n FROM mapped WHERE changed " + op + " ? LIMIT 10"} {
					before := a.connector.Stats()
					got := a.rows(t, query, v)
					read := a.connector.Stats().Sub(before).EntitiesReturned
					if strings.Join(got, ", ") != strings.Join(want, ", ") || read > int64(len(want))+near {
						t.Errorf("%s, %v: %v, want %v; %d entities read", query, v, got, want, read)
					}
				}
			}
		}
	}
	// In a transaction nobody knows yet when what it has written will have been written.
	tx, err := a.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec("UPDATE Timed SET N = 100 WHERE PartitionKey = 'p' AND RowKey = '3'"); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		"SELECT COUNT(*) FROM Timed WHERE Timestamp > '2020-01-01'": 5,
		"SELECT COUNT(*) FROM Timed WHERE Timestamp IS NULL":        1,
	} {
		var n int
		if err := tx.QueryRow(query).Scan(&n); err != nil || n != want {
			t.Errorf("%s: %d, %v; want %d", query, n, err, want)
		}
	}
}

// TestETag: an ETag that was read holds a later write to what was read, for ordinary tables, too.
func TestETag(t *testing.T) {
	a := openAccount(t)
	a.table(t, "Tagged")
	a.put(t, "Tagged", "p", "1", props{"V": {Type: engine.Int32, N: 1}})
	a.exec(t, "CREATE TABLE own (RowKey VARCHAR(10) PRIMARY KEY, V INT, KEY (V))")
	a.exec(t, "INSERT INTO own VALUES ('1', 1)")
	for _, table := range []string{"Tagged", "own"} {
		for _, by := range []string{"RowKey = '1'", "V = 1 AND RowKey = '1'"} {
			var tag string
			if err := a.db.QueryRow("SELECT ETag FROM " + table + " WHERE " + by).Scan(&tag); err != nil || tag == "" {
				t.Fatalf("%s: %v %q", table, err, tag)
			}
			a.exec(t, "UPDATE "+table+" SET V = 2 WHERE RowKey = '1'")
			a.exec(t, "UPDATE "+table+" SET V = 1 WHERE RowKey = '1'")
			if n := a.exec(t, "UPDATE "+table+" SET V = 3 WHERE "+by+" AND ETag = ?", tag); n != 0 {
				t.Errorf("%s by %s: a stale ETag changed %d rows", table, by, n)
			}
			if n := a.exec(t, "DELETE FROM "+table+" WHERE "+by+" AND ETag = ?", tag); n != 0 {
				t.Errorf("%s by %s: a stale ETag deleted %d rows", table, by, n)
			}
			if err := a.db.QueryRow("SELECT ETag FROM " + table + " WHERE " + by).Scan(&tag); err != nil {
				t.Fatal(err)
			}
			if n := a.exec(t, "UPDATE "+table+" SET V = V + 0, V = 1 WHERE "+by+" AND ETag = ?", tag); n != 0 {
				t.Errorf("%s by %s: a write of nothing changed %d rows", table, by, n)
			}
			if n := a.exec(t, "UPDATE "+table+" SET V = 4 WHERE "+by+" AND ETag = ?", tag); n != 1 {
				t.Errorf("%s by %s: a fresh ETag changed %d rows", table, by, n)
			}
			a.exec(t, "UPDATE "+table+" SET V = 1 WHERE RowKey = '1'")
		}
	}
}

// TestForeignETagRace: an entity that another program changes between the reading and the writing of an UPDATE is
// read again.
func TestForeignETagRace(t *testing.T) {
	a := openAccount(t)
	a.table(t, "Race")
	a.put(t, "Race", "p", "1", props{"V": {Type: engine.Int32, N: 1}})
	a.rows(t, "SELECT * FROM Race")
	raced := false
	a.transport.SetAfter(func(r *http.Request, status int) {
		if !raced && r.Method == "GET" {
			raced = true
			a.put(t, "Race", "p", "1", props{"V": {Type: engine.Int32, N: 10}, "W": {Type: engine.Int32, N: 1}})
		}
	})
	if n := a.exec(t, "UPDATE Race SET V = V + 1 WHERE PartitionKey = 'p' AND RowKey = '1'"); n != 1 {
		t.Fatalf("%d rows", n)
	}
	want := props{"V": {Type: engine.Int32, N: 11}, "W": {Type: engine.Int32, N: 1}}
	if got := a.get(t, "Race", "p", "1"); !raced || !reflect.DeepEqual(got, want) {
		t.Errorf("raced %v: %v, want %v", raced, got, want)
	}
}

// mapping is a definition over the physical table Raw, with what values its columns may have.
type mapping struct {
	columns, partition, row string
	values                  map[string][]string // SQL literals
}

var texts = []string{"'a'", "'b'", "'ab'", "'a b'", "'é'", "'😀'", "''", "'a!'", "'B'", "'a\uffee'", "'_'"}

var mappings = []mapping{
	{"p TEXT, r TEXT, v INT", "{p}", "{r}", map[string][]string{"p": texts, "r": texts}},
	{"tenant TEXT, n BIGINT, id UUID, v INT", "{tenant}", "{n:D20}_{id}", map[string][]string{
		"tenant": texts, "n": {"0", "1", "2", "10", "99", "9223372036854775807", "-1", "1.5", "'7'"},
		"id": {"'00000000-0000-0000-0000-000000000001'", "'ffffffff-0000-0000-0000-000000000001'", "'10000000-0000-0000-0000-00000000000a'"}}},
	{"expense TEXT, item TEXT, v INT", "x", "{expense}_{item}", map[string][]string{"expense": texts, "item": texts}},
	{"at DATETIME(7), seq INT, v INT", "{seq}", "log-{at:R19}", map[string][]string{
		"at":  {"'2024-01-01'", "'2024-01-01 00:00:00.0000001'", "'0001-01-01'", "'9999-12-31 23:59:59.9999999'", "'2023-05-05 05:05:05'"},
		"seq": {"0", "1", "7", "10", "100"}}},
	{"a UUID, b SMALLINT, c TEXT, v INT", "{b:D3}{a:N}", "{c}", map[string][]string{
		"a": {"'00000000-0000-0000-0000-000000000001'", "'ffffffff-0000-0000-0000-000000000001'"}, "b": {"0", "5", "50", "999"}, "c": texts}},
}

// TestMappings: whatever part of a condition the keys serve, the rows are those that a scan finds, and in the order
// that was asked for. The same condition over IFNULL(column, column) is out of the keys' reach.
func TestMappings(t *testing.T) {
	t.Parallel()
	for i, m := range mappings {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			a := openAccount(t)
			a.exec(t, "CREATE EXTERNAL TABLE m ("+m.columns+") LOCATION 'Raw' PARTITION KEY '"+m.partition+"' ROW KEY '"+m.row+"'")
			rnd := rand.New(rand.NewPCG(8, uint64(i)))
			var names []string
			for _, c := range strings.Split(m.columns, ", ") {
				if name := strings.Fields(c)[0]; name != "v" {
					names = append(names, name)
				}
			}
			pick := func(name string) string { return m.values[name][rnd.IntN(len(m.values[name]))] }
			made := 0
			for n := range 120 {
				values := []string{fmt.Sprint(n)}
				for _, name := range names {
					values = append(values, pick(name))
				}
				if r, err := a.db.Exec("INSERT IGNORE INTO m (v, " + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"); err == nil {
					inserted, _ := r.RowsAffected()
					made += int(inserted)
				}
			}
			if made < 20 {
				t.Fatalf("%d rows could be made", made)
			}
			// The definition is forgotten and made again by its own text; the data stays.
			var name, text, again string
			if err := a.db.QueryRow("SHOW CREATE TABLE m").Scan(&name, &text); err != nil {
				t.Fatal(err)
			}
			a.exec(t, "DROP TABLE m")
			a.exec(t, text)
			if err := a.db.QueryRow("SHOW CREATE TABLE m").Scan(&name, &again); err != nil || again != text {
				t.Fatalf("%v\n%s\n%s", err, text, again)
			}
			if got := a.rows(t, "SELECT COUNT(*) FROM m"); got[0] != fmt.Sprint("int64 ", made) {
				t.Fatalf("%d rows were made, and there are %s", made, got[0])
			}
			a.put(t, "Raw", "other", "form", nil)
			a.put(t, "Raw", "x", "form", nil)
			a.put(t, "Raw", "7", "log-12", nil)
			ops := []string{"=", "<", "<=", ">", ">=", "<=>"}
			for n := range 250 {
				var plain, opaque []string
				for range 1 + rnd.IntN(3) {
					name := names[rnd.IntN(len(names))]
					var cond func(x string) string
					switch isText := &m.values[name][0] == &texts[0]; rnd.IntN(9) {
					case 0:
						list := pick(name) + ", " + pick(name)
						cond = func(x string) string { return x + " IN (" + list + ")" }
					case 1:
						lo, hi := pick(name), pick(name)
						cond = func(x string) string { return x + " BETWEEN " + lo + " AND " + hi }
					case 2:
						if isText {
							p := strings.TrimSuffix(pick(name), "'")
							cond = func(x string) string { return x + " LIKE " + p + "%'" }
							break
						}
						fallthrough
					case 3:
						other, v, w := names[rnd.IntN(len(names))], pick(name), ""
						w = pick(other)
						cond = func(x string) string {
							y := strings.ReplaceAll(x, name, other)
							return "(" + x + " = " + v + " OR " + y + " >= " + w + ")"
						}
					case 4: // two ranges of one column
						lo, hi, above := pick(name), pick(name), pick(name)
						cond = func(x string) string {
							return "(" + x + " BETWEEN " + lo + " AND " + hi + " OR " + x + " > " + above + ")"
						}
					case 5: // ranges of two columns, which may overlap
						other, v, w := names[rnd.IntN(len(names))], pick(name), pick(name)
						a, b := pick(other), pick(other)
						cond = func(x string) string {
							y := strings.ReplaceAll(x, name, other)
							return "(" + x + " >= " + v + " AND " + y + " < " + a + " OR " + x + " < " + w + " AND " + y + " = " + b + ")"
						}
					default:
						op, v := ops[rnd.IntN(len(ops))], pick(name)
						if rnd.IntN(3) > 0 {
							op = "="
						}
						cond = func(x string) string { return x + " " + op + " " + v }
					}
					plain = append(plain, cond(name))
					opaque = append(opaque, cond("IFNULL("+name+", "+name+")"))
				}
				tail := " ORDER BY " + strings.Join(names, ", ")
				switch rnd.IntN(3) {
				case 0:
					tail = " ORDER BY " + names[len(names)-1] + []string{"", " DESC"}[rnd.IntN(2)] + ", v"
				case 1:
					tail = " ORDER BY " + names[0] + " DESC, " + names[1] + ", v LIMIT 4"
				}
				get := func(conds []string) []string {
					return a.rows(t, "SELECT "+strings.Join(names, ", ")+", v FROM m WHERE "+strings.Join(conds, " AND ")+tail)
				}
				got, want := get(plain), get(opaque)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("condition %d, %s%s:\ngot  %v\nwant %v\nplan %v", n, strings.Join(plain, " AND "), tail, got, want,
						a.rows(t, "EXPLAIN SELECT v FROM m WHERE "+strings.Join(plain, " AND ")))
				}
			}
		})
	}
}

// TestForeignTransaction: statements in a transaction see what it did to another program's table, and it is there
// or not as a whole.
func TestForeignTransaction(t *testing.T) {
	a := openAccount(t)
	a.table(t, "Trans")
	a.put(t, "Trans", "p", "1", everyType)
	tx, err := a.db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		"UPDATE Trans SET I = 3, S = NULL WHERE PartitionKey = 'p' AND RowKey = '1'",
		"UPDATE Trans SET I = I + 1 WHERE PartitionKey = 'p' AND RowKey = '1'",
		"INSERT INTO Trans (PartitionKey, RowKey, I) VALUES ('p', '2', 9)",
	} {
		if _, err := tx.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	var sum int
	if err := tx.QueryRow("SELECT SUM(I) FROM Trans WHERE PartitionKey = 'p'").Scan(&sum); err != nil || sum != 13 {
		t.Fatalf("%d, %v", sum, err)
	}
	if got := a.get(t, "Trans", "p", "1"); !reflect.DeepEqual(got, everyType) {
		t.Error("written before the commit")
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	want := props{}
	for name, v := range everyType {
		want[name] = v
	}
	want["I"] = engine.Value{Type: engine.Int32, N: 4}
	delete(want, "S")
	if got := a.get(t, "Trans", "p", "1"); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
