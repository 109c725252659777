package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// runText runs a text on a database of its own and gives what it prints.
func runText(t *testing.T, format, text string) (out, notes string, err error) {
	t.Helper()
	db, err := open(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	p, err := formatOf(format)
	if err != nil {
		t.Fatal(err)
	}
	var rows, said bytes.Buffer
	r := &runner{db: db, out: &rows, notes: &said, format: p, quiet: true}
	err = r.text(t.Context(), "test", text)
	return rows.String(), said.String(), err
}

const sample = `CREATE TABLE t (id INT PRIMARY KEY, n VARCHAR(20), d DATE, at DATETIME(6), price DECIMAL(6,2), raw VARBINARY(9), doc JSON, ok BOOL);
INSERT INTO t VALUES (1, 'a,"b"', '2026-01-02', '2026-01-02 03:04:05.5', 1.50, X'00FF', '{"a": [1]}', TRUE), (20, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
`

func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		"csv": "id,n,d,at,price,raw,doc,ok\n1,\"a,\"\"b\"\"\",2026-01-02,2026-01-02 03:04:05.500000,1.50,0x00FF,\"{\"\"a\"\": [1]}\",1\n20,,,,,,,\n",
		"tsv": "id\tn\td\tat\tprice\traw\tdoc\tok\n1\ta,\"b\"\t2026-01-02\t2026-01-02 03:04:05.500000\t1.50\t0x00FF\t{\"a\": [1]}\t1\n20\t\t\t\t\t\t\t\n",
		"json": `[
  {"id": 1, "n": "a,\"b\"", "d": "2026-01-02", "at": "2026-01-02 03:04:05.500000", "price": 1.50, "raw": "AP8=", "doc": {"a": [1]}, "ok": true},
  {"id": 20, "n": null, "d": null, "at": null, "price": null, "raw": null, "doc": null, "ok": null}
]
`,
		"jsonl": `{"id": 1, "n": "a,\"b\"", "d": "2026-01-02", "at": "2026-01-02 03:04:05.500000", "price": 1.50, "raw": "AP8=", "doc": {"a": [1]}, "ok": true}
{"id": 20, "n": null, "d": null, "at": null, "price": null, "raw": null, "doc": null, "ok": null}
`,
	} {
		got, notes, err := runText(t, format, sample+"SELECT * FROM t ORDER BY id;")
		if got != want || err != nil {
			t.Errorf("%s: %v %s\n%s\nwant\n%s", format, err, notes, got, want)
		}
	}
	for format, want := range map[string]string{
		"table":    "┌────┬───────┬───────┐\n│ id │ n     │ price │\n├────┼───────┼───────┤\n│  1 │ a,\"b\" │  1.50 │\n│ 20 │ NULL  │  NULL │\n└────┴───────┴───────┘\n",
		"markdown": "| id | n | price |\n| ---:| --- | ---:|\n| 1 | a,\"b\" | 1.50 |\n| 20 | NULL | NULL |\n",
		"record":   "   id: 1\n    n: a,\"b\"\nprice: 1.50\n\n   id: 20\n    n: NULL\nprice: NULL\n\n",
	} {
		if got, _, err := runText(t, format, sample+"SELECT id, n, price FROM t ORDER BY id"); got != want || err != nil {
			t.Errorf("%s: %v\n%s\nwant\n%s", format, err, got, want)
		}
	}
}

// TestTimeDigits: a time shows the digits of a second that its column declares, as in MySQL.
func TestTimeDigits(t *testing.T) {
	t.Parallel()
	const text = "CREATE TABLE t (id INT PRIMARY KEY, none DATETIME, three TIMESTAMP(3) NULL, six DATETIME(6), seven DATETIME(7), clock TIME(2), day DATE);" +
		"INSERT INTO t VALUES (1, '2026-01-02', '2026-01-02', '2026-01-02 03:04:05.1', '2026-01-02 03:04:05.1234567', '1:2:3', '2026-01-02'); SELECT *, MAX(six) OVER () FROM t"
	got, _, err := runText(t, "tsv", text)
	want := "1\t2026-01-02 00:00:00\t2026-01-02 00:00:00.000\t2026-01-02 03:04:05.100000\t2026-01-02 03:04:05.1234567\t01:02:03.00\t2026-01-02\t2026-01-02 03:04:05.100000\n"
	if _, rows, _ := strings.Cut(got, "\n"); rows != want || err != nil {
		t.Errorf("%v %s\nwant\n%s", err, rows, want)
	}
}

// TestWarnings: warnings are counted behind their statement, without a change of what ROW_COUNT() gives.
func TestWarnings(t *testing.T) {
	t.Parallel()
	var rows, said bytes.Buffer
	r := &runner{db: opened(t, "mem://", "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)"), out: &rows, notes: &said, format: tsvPrinter{}}
	for _, c := range []struct{ text, said, rows string }{
		{"INSERT IGNORE INTO t VALUES (1), (2), (2)", "1 row affected · 2 warnings · ", ""},
		{"SHOW WARNINGS", "2 rows · ", "Level\tCode\tMessage\nWarning\t1062\tDuplicate entry '1' for key 'PRIMARY'\nWarning\t1062\tDuplicate entry '2' for key 'PRIMARY'\n"},
		{"INSERT IGNORE INTO t VALUES (1), (3)", "1 row affected · 1 warning · ", ""},
		{"SELECT ROW_COUNT()", "1 row · ", "ROW_COUNT()\n1\n"},
		{"SELECT CAST('x' AS SIGNED)", "1 row · 1 warning · ", "CAST('x' AS SIGNED)\n0\n"},
		{"DROP TABLE IF EXISTS none", "done · 1 warning · ", ""},
	} {
		rows.Reset()
		said.Reset()
		if err := r.text(t.Context(), "test", c.text); err != nil || !strings.HasPrefix(said.String(), c.said) || rows.String() != c.rows || strings.Count(said.String(), "warning") != strings.Count(c.said, "warning") {
			t.Errorf("%s: %v %s%s", c.text, err, said.String(), rows.String())
		}
	}
}

// TestManyRows: rows of several parts come once each, and the parts fit together.
func TestManyRows(t *testing.T) {
	const n = 2*tableRows + 7
	var insert strings.Builder
	insert.WriteString("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (0)")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&insert, ", (%d)", i)
	}
	insert.WriteString("; SELECT id FROM t ORDER BY id")
	out, _, err := runText(t, "json", insert.String())
	var rows []struct{ ID int }
	if err := errors.Join(err, json.Unmarshal([]byte(out), &rows)); err != nil || len(rows) != n || rows[n-1].ID != n-1 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
	for _, format := range []string{"markdown", "csv", "tsv"} {
		out, _, err := runText(t, format, insert.String())
		if lines := strings.Count(out, "\n"); err != nil || strings.Count(out, "id") != 1 || lines < n || lines > n+2 {
			t.Errorf("%s: %d lines: %v", format, lines, err)
		}
	}
	for _, format := range []string{"json", "jsonl", "csv", "table", "markdown", "record"} {
		out, _, err := runText(t, format, "CREATE TABLE t (id INT PRIMARY KEY); SELECT id FROM t")
		if format == "json" && out != "[]\n" || format == "csv" && out != "id\n" || err != nil {
			t.Errorf("%s: no row is %q: %v", format, out, err)
		}
	}
}

// TestPipedPlan: a plan goes through a pipe as it is, and a value that would break its line is escaped.
func TestPipedPlan(t *testing.T) {
	out, notes, err := runText(t, "tsv", sample+"EXPLAIN SELECT id FROM t WHERE n = 'a'; SELECT 'a\tb\\nc\\\\d' AS x, NULL AS y")
	if err != nil || !strings.Contains(out, "\n  partition scan t ") || strings.ContainsAny(out, `"`) || !strings.HasSuffix(out, "x\ty\na\\tb\\nc\\\\d\t\n") {
		t.Errorf("%v %s\n%s", err, notes, out)
	}
}

// TestSchemaOrder: what .schema prints can be run as it is: parents before children, views behind those that they are of.
func TestSchemaOrder(t *testing.T) {
	const made = `CREATE TABLE z (id INT PRIMARY KEY);
		CREATE TABLE a (id INT PRIMARY KEY, up INT, z INT, FOREIGN KEY (up) REFERENCES a (id), FOREIGN KEY (z) REFERENCES z (id));
		CREATE TABLE item (z INT, n INT, PRIMARY KEY (z, n), FOREIGN KEY (z) REFERENCES z (id)) INTERLEAVE IN PARENT z;
		CREATE VIEW v9 AS SELECT id FROM a WHERE EXISTS (SELECT 1 FROM item WHERE item.z = a.z); CREATE VIEW v5 AS SELECT id FROM v9;
		CREATE VIEW v7 AS WITH c AS (SELECT id FROM v5) SELECT id FROM c UNION SELECT id FROM v9;`
	for _, text := range []string{made, made + `SET foreign_key_checks = 0; CREATE TABLE l (id INT PRIMARY KEY, r INT, FOREIGN KEY (r) REFERENCES r (id));
		CREATE TABLE r (id INT PRIMARY KEY, l INT, FOREIGN KEY (l) REFERENCES l (id)); SET foreign_key_checks = 1;`} {
		first, notes, err := runText(t, "csv", text+".schema")
		if err != nil {
			t.Fatal(err, notes)
		}
		if again, notes, err := runText(t, "csv", first+".schema"); err != nil || again != first {
			t.Errorf("%v %s\n%s\n%s", err, notes, first, again)
		}
	}
}

// TestHostileText: what a value holds does not reach the terminal.
func TestHostileText(t *testing.T) {
	for _, format := range []string{"table", "markdown", "record"} {
		if out, _, err := runText(t, format, "SELECT '\x1b]0;gone\x07\x1b[2J' AS x, 'a\u009bb' AS y"); strings.ContainsAny(out, "\x1b\x07\u009b") || err != nil {
			t.Errorf("%s: %q %v", format, out, err)
		}
	}
}

func TestErrors(t *testing.T) {
	out, notes, err := runText(t, "csv", "SELECT 1;\nSELECT\n  nope FROM t;\nSELECT 3;")
	if !errors.Is(err, errShown) || out != "1\n1\n" {
		t.Errorf("%v, printed %q", err, out)
	}
	if !strings.HasPrefix(notes, "test, line 2: Error 1146") {
		t.Errorf("%s", notes)
	}
	_, notes, _ = runText(t, "csv", "CREATE TABLE t (id INT PRIMARY KEY);\nSELECT\n  nope FROM t;")
	if !strings.Contains(notes, "line 2: Error 1054") || !strings.Contains(notes, "  nope FROM t\n  ^") {
		t.Errorf("%s", notes)
	}
	for _, command := range []string{".nope", ".explain", ".format nope", ".read /nowhere.sql", ".schema nope"} {
		if _, notes, err := runText(t, "csv", command); err == nil || !strings.HasPrefix(notes, "test, line 1: ") {
			t.Errorf("%s: %v, %s", command, err, notes)
		}
	}
}

func TestCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "more.sql")
	if err := os.WriteFile(file, []byte("SELECT COUNT(*) AS n FROM t;"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		".tables":    `(?s)^Tables_in_\w+,Table_type\nt,BASE TABLE\n$`,
		".tables x%": `^Tables_in_\S+,Table_type\n$`,
		".schema t":  "(?s)^CREATE TABLE `t` \\(.*;\n\n$",
		"CREATE VIEW a AS SELECT id FROM t;\n.schema": "(?s)^CREATE TABLE.* VIEW `a` .*;\n\n$",
		".schema":                                "(?s)^CREATE TABLE `t` \\(.*;\n\n$",
		".explain SELECT * FROM t WHERE id = 1;": `(?s)point read t.*requests`,
		".analyze SELECT * FROM t WHERE id = 1":  `(?s)point read t.*rows`,
		".read " + file:                          `^n\n2\n$`,
		".format json\nSELECT 1 AS x":            `^\[\n  {"x": 1}\n\]\n$`,
		".help":                                  `(?m)^\.explain SQL +draws`,
		".stats":                                 `requests, \d+ of them for definitions`,
		".quit\nSELECT 1":                        `^$`,
		"SELECT 1 AS x\\G":                       `^x: 1\n\n$`,
	} {
		if out, notes, err := runText(t, "csv", sample+command); err != nil || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s: %v %s\n%s", command, err, notes, out)
		}
	}
}

// TestSkip: what a dump holds beside tables is left out where that is asked for, and listed.
func TestSkip(t *testing.T) {
	const dump = "-- Table structure for table t\nCREATE TABLE t (id INT PRIMARY KEY, a TEXT, g GEOMETRY, FULLTEXT KEY words (a));\nDELIMITER ;;\n" +
		"--\n-- Trigger y\n--\nCREATE TRIGGER y BEFORE DELETE ON t FOR EACH ROW SET @x = 1 ;;\n" +
		"/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER bump BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 1 */;;\n" +
		"CREATE DEFINER=`root`@`%` PROCEDURE `p`() BEGIN SELECT 1; label: LOOP END LOOP; END ;;\nDELIMITER ;\n" +
		"/*!50003 DROP FUNCTION IF EXISTS f */;\nCREATE TABLE function_of (trigger_of INT PRIMARY KEY);\nSHOW TABLES"
	if _, notes, err := runText(t, "csv", dump); err == nil || !strings.Contains(notes, "the type GEOMETRY is not supported: use BLOB") || !strings.Contains(notes, "--skip leaves such things out") {
		t.Errorf("%v %s", err, notes)
	}
	db, err := open(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	var out, notes bytes.Buffer
	r := &runner{db: db, out: &out, notes: &notes, format: formats["csv"], quiet: true}
	if err := errors.Join(r.beginSkip(t.Context()), r.text(t.Context(), "dump", dump), r.end()); err != nil {
		t.Fatal(err, notes.String())
	}
	if !strings.HasSuffix(out.String(), "\nfunction_of\nt\n") || notes.String() != "left out:\n  GEOMETRY (BLOB instead) of column 'g' of t\n  FULLTEXT KEY words of t\n  TRIGGER y\n  TRIGGER bump\n  PROCEDURE `p`\n" {
		t.Errorf("%s%s", out.String(), notes.String())
	}
}

// TestTransaction: all statements run on one connection.
func TestTransaction(t *testing.T) {
	out, notes, err := runText(t, "csv", "CREATE TABLE t (id INT PRIMARY KEY); BEGIN; INSERT INTO t VALUES (1); ROLLBACK; SET @a = 5; SELECT @a, COUNT(*) AS n FROM t")
	if err != nil || out != "@a,n\n5,0\n" {
		t.Errorf("%v %s %q", err, notes, out)
	}
}

// TestCommandLine runs the command itself, by its arguments.
func TestCommandLine(t *testing.T) {
	dir := t.TempDir()
	schema := filepath.Join(dir, "schema.sql")
	if err := os.WriteFile(schema, []byte("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (7);"), 0o600); err != nil {
		t.Fatal(err)
	}
	dsn := "file:" + filepath.Join(dir, "x.db")
	run := func(args ...string) error {
		c := command()
		c.SetArgs(args)
		c.SetOut(new(bytes.Buffer))
		c.SetErr(new(bytes.Buffer))
		return c.ExecuteContext(context.Background())
	}
	if err := run(dsn, schema); err != nil {
		t.Error(err)
	}
	if err := run(dsn, "-q", "-c", "DELETE FROM t WHERE id = 7", "-c", "SELECT 1/0"); err != nil {
		t.Error(err)
	}
	if err := run(dsn, "--format", "nope", "-c", "SELECT 1"); err == nil || !strings.Contains(err.Error(), `"nope" is not known`) {
		t.Error(err)
	}
	if err := run(dsn, "-c", "SELECT nope"); !errors.Is(err, errShown) {
		t.Error(err)
	}
	if err := run(dsn, filepath.Join(dir, "none.sql")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	t.Setenv("NEARLYFREE_DSN", "")
	if err := run(schema); err == nil || !strings.Contains(err.Error(), "no data source name") {
		t.Error(err)
	}
	t.Setenv("NEARLYFREE_DSN", dsn)
	if err := run("-q", "-c", "INSERT INTO t VALUES (8)"); err != nil {
		t.Error(err)
	}
	if err := run("copy", dsn); err == nil || !strings.Contains(err.Error(), "1 argument given: it is nearlyfree copy FROM TO") {
		t.Error(err)
	}
	none := filepath.Join(dir, "none.db")
	for _, name := range []string{"check", "repair", "dump", "stats", "copy"} {
		err := run(append([]string{name, "file:" + none}, map[string][]string{"copy": {"mem://"}}[name]...)...)
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), name+" needs a database that is there") {
			t.Error(name, err)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a database is made where one is to be read")
	}
	var out bytes.Buffer
	c := command()
	c.SetArgs([]string{"--version"})
	c.SetOut(&out)
	if err := c.Execute(); err != nil || !strings.HasPrefix(out.String(), "nearlyfree version ") || !strings.Contains(out.String(), runtime.Version()) {
		t.Errorf("%v %q", err, out.String())
	}
	if err := run("bolt://nowhere", "-c", "SELECT 1"); err == nil {
		t.Error("no error for a wrong data source name")
	}
}

// TestOneDatabase: what goes through all tables says which other databases there are.
func TestOneDatabase(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "x.db")
	run := func(args ...string) string {
		var out bytes.Buffer
		c := command()
		c.SetArgs(args)
		c.SetOut(&out)
		c.SetErr(&out)
		if err := c.ExecuteContext(t.Context()); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		return out.String()
	}
	const told = "only database nearlyfree: ?database=NAME after the data source name is for sales, sales2\n"
	run(dsn, "-c", "CREATE TABLE t (id INT PRIMARY KEY); CREATE DATABASE empty")
	if got := run("check", dsn); strings.Contains(got, "only database") {
		t.Error(got)
	}
	run(dsn, "-c", "CREATE DATABASE sales; CREATE TABLE sales.u (id INT PRIMARY KEY); CREATE DATABASE sales2; CREATE VIEW sales2.v AS SELECT 1")
	for _, args := range [][]string{{"check", dsn}, {"repair", dsn}, {"dump", dsn}, {"stats", dsn}, {"copy", dsn, "mem://"}} {
		if got := run(args...); !strings.HasSuffix(got, told) {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := run("dump", dsn, "t"); strings.Contains(got, "only database") {
		t.Error(got)
	}
	if got := run("check", dsn+"?database=sales"); !strings.HasPrefix(got, "1 of 1 ") || !strings.HasSuffix(got, " is for nearlyfree, sales2\n") {
		t.Error(got)
	}
}

func TestCompletion(t *testing.T) {
	s := &shell{names: names{tables: []string{"customer", "size"}, columns: []string{"surname", "größe", "customer", "from_day"}, databases: []string{"curious", "sales"}}}
	for _, c := range []struct{ line, head, want string }{
		{"SELECT sur", "SELECT ", "surname"},
		{"sel", "", "select"},
		{"SEL", "", "SELECT"},
		{"SELECT c.cust", "SELECT c.", "customer"},
		{"SELECT c.s", "SELECT c.", "size surname"},
		{"SELECT * FROM cu", "SELECT * FROM ", "customer curious"},
		{"SELECT * FROM a LEFT JOIN cu", "SELECT * FROM a LEFT JOIN ", "customer curious"},
		{"insert into S", "insert into ", "size sales"},
		{"UPDATE cu", "UPDATE ", "customer curious"},
		{"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE su", "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE ", "surname sum"},
		{"desc cu", "desc ", "customer curious"},
		{"SELECT a FROM t ORDER BY a DESC li", "SELECT a FROM t ORDER BY a DESC ", "like limit"},
		{"DROP TABLE `cu", "DROP TABLE `", "customer curious"},
		{"DROP TABLE I", "DROP TABLE ", "IF IN INDEX INDEXES INNER INSERT INTERVAL INTO IS"},
		{"EXTRACT(YEAR FROM fr", "EXTRACT(YEAR FROM ", "from_day from"},
		{"SELECT * FROM ", "SELECT * FROM ", "customer size curious sales"},
		{"use s", "use ", "sales"},
		{"SELECT cu", "SELECT ", "customer current_timestamp"},
		{".for", "", ".format "},
		{"SELECT grö", "SELECT ", "größe"},
		{"SELECT ", "SELECT ", ""},
	} {
		head, found, tail := s.complete(c.line+"!", len([]rune(c.line)))
		if head != c.head || strings.Join(found, " ") != c.want || tail != "!" {
			t.Errorf("%q completes to %q %q %q", c.line, head, found, tail)
		}
	}
	s.asked = []string{"SELECT *", "FROM"} // on lines before
	if _, found, _ := s.complete("cu", 2); strings.Join(found, " ") != "customer curious" {
		t.Errorf("after another line: %q", found)
	}
}
