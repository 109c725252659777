package dialect

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// hostile are texts that panic, hang or take gigabytes in the parser or in whoever walks its tree, each
// made of n parts. ok says that such a text is a statement all the same.
var hostile = []struct {
	name string
	text func(n int) string
	ok   bool
}{
	{"version comments", func(n int) string { return "SELECT " + strings.Repeat("/*! */", n) + "1" }, true},
	{"sum", func(n int) string { return "SELECT 1" + strings.Repeat("+1", n) }, false},
	{"and", func(n int) string { return "SELECT 1" + strings.Repeat(" AND 1", n) }, false},
	{"or", func(n int) string { return "SELECT 1" + strings.Repeat(" OR 1", n) }, false},
	{"xor", func(n int) string { return "SELECT 1" + strings.Repeat(" XOR 1", n) }, false},
	{"equals", func(n int) string { return "SELECT 1" + strings.Repeat("=1", n) }, false},
	{"is null", func(n int) string { return "SELECT 1" + strings.Repeat(" IS NULL", n) }, false},
	{"in", func(n int) string { return "SELECT 1" + strings.Repeat(" IN (1)", n) }, false},
	{"between", func(n int) string { return "SELECT 1" + strings.Repeat(" BETWEEN 1", n) }, false},
	{"json", func(n int) string { return "SELECT a" + strings.Repeat("->'$'", n) }, false},
	{"collate", func(n int) string { return "SELECT a" + strings.Repeat(" COLLATE x", n) }, false},
	{"minus", func(n int) string { return "SELECT " + strings.Repeat("- ", n) + "1" }, false},
	{"not", func(n int) string { return "SELECT " + strings.Repeat("NOT ", n) + "1" }, false},
	{"binary", func(n int) string { return "SELECT " + strings.Repeat("BINARY ", n) + "1" }, false},
	{"interval", func(n int) string { return "SELECT " + strings.Repeat("INTERVAL ", n) + "1" }, false},
	{"parentheses", func(n int) string { return "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) }, false},
	{"open", func(n int) string { return "SELECT " + strings.Repeat("(", n) }, false},
	{"calls", func(n int) string { return "SELECT " + strings.Repeat("f(", n) + "1" + strings.Repeat(")", n) }, false},
	{"case", func(n int) string { return "SELECT " + strings.Repeat("CASE ", n) }, false},
	{"when", func(n int) string { return "SELECT CASE " + strings.Repeat("WHEN 1 THEN 2 ", n) + "END" }, true},
	{"subqueries", func(n int) string { return "SELECT " + strings.Repeat("(SELECT ", n) + "1" + strings.Repeat(")", n) }, false},
	{"subquery list", func(n int) string { return "SELECT 1" + strings.Repeat(",(SELECT 1)", n) }, false},
	{"unions", func(n int) string { return "SELECT 1" + strings.Repeat(" UNION SELECT 1", n) }, false},
	{"joins", func(n int) string { return "SELECT 1 FROM t" + strings.Repeat(" LEFT JOIN t", n) }, false},
	{"tables", func(n int) string { return "SELECT 1 FROM t" + strings.Repeat(",t", n) }, false},
	{"with", func(n int) string { return strings.Repeat("WITH a AS (", n) }, false},
	{"list", func(n int) string { return "SELECT 1 IN (1" + strings.Repeat(",1", n) + ")" }, true},
	{"rows", func(n int) string { return "INSERT INTO t VALUES (1)" + strings.Repeat(",(-1)", n) }, true},
	{"columns", func(n int) string { return "CREATE TABLE t (a INT" + strings.Repeat(",a INT", n) + ")" }, true},
	{"explains", func(n int) string { return strings.Repeat("EXPLAIN ", n) }, false},
	{"defaults", func(n int) string { return "CREATE TABLE t (a INT" + strings.Repeat(",a INT DEFAULT -1", n) + ")" }, false},
	{"strings", func(n int) string { return "SELECT" + strings.Repeat(" 'a'", n) }, true},
	{"names", func(n int) string { return "SELECT " + strings.Repeat(":a,", n) + ":a" }, true},
	{"aliases", func(n int) string { return "SELECT a" + strings.Repeat(" b", n) }, false},
	{"backslash", func(n int) string { return "SELECT '" + strings.Repeat(`\`, n) }, false},
	{"quotes", func(n int) string { return "SELECT '" + strings.Repeat(`'`, 2*n) + "'" }, true},
	{"comments", func(n int) string { return "SELECT " + strings.Repeat("/**/", n) + "1" }, true},
	{"hints", func(n int) string { return "SELECT " + strings.Repeat("/*+a*/", n) + "1" }, true},
	{"semicolons", func(n int) string { return "SELECT 1" + strings.Repeat(";", n) }, true},
}

// TestHostile reads each hostile text in two lengths: what is refused is refused, and memory stays within its bounds.
func TestHostile(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			for _, n := range []int{12_000, 30_000} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := Parse(h.text(n), Options{})
				runtime.ReadMemStats(&after)
				if (err == nil) != h.ok {
					t.Errorf("%d parts: %v", n, err)
				}
				if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 800 {
					t.Errorf("%d parts took %d MB", n, mb)
				}
				t.Logf("%d parts: %d MB, %v", n, (after.TotalAlloc-before.TotalAlloc)>>20, err)
			}
		})
	}
}

// TestGuards covers what cannot be written into a golden file.
func TestGuards(t *testing.T) {
	if _, err := Parse("\uFEFFSELECT 1", Options{}); err != nil {
		t.Error("a byte-order mark:", err)
	}
	for _, sql := range []string{"SELECT a\x00b", "SELECT 'a\x00b'", "SELECT " + strings.Repeat("1,", 2<<20) + "1",
		"SELECT " + strings.Repeat("1,", 600_000) + "1"} {
		_, err := Parse(sql, Options{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.20q: %v", sql, err)
			continue
		}
		if len(e.SQL) > maxText || len(e.Caret()) > 1000 {
			t.Errorf("%.20q: an error of %d bytes", sql, len(e.SQL))
		}
	}
}

// TestNilHandling: an error is never a typed nil, and a statement never a nil without an error.
func TestNilHandling(t *testing.T) {
	for _, sql := range []string{"", ";", "SELECT 1", "COMMIT"} {
		p, err := Parse(sql, Options{})
		if err != nil || p.Statement == nil {
			t.Errorf("%q: %v, %v", sql, p, err)
		}
	}
	if out, err := Split("", Options{}); err != nil || out != nil {
		t.Error(out, err)
	}
	if e, err := ParseExpr("1", Options{}); err != nil || e == nil {
		t.Error(e, err)
	}
}

// TestText: the text of a statement is what was given, without what follows it, and places are places in
// that text.
func TestText(t *testing.T) {
	p, err := Parse("\uFEFF\n -- x\n SELECT  a /* y */ ; -- z", Options{})
	if err != nil || p.Text != "\n -- x\n SELECT  a" {
		t.Fatalf("%q, %v", p.Text, err)
	}
	col := p.Statement.(*Select).Exprs[0].Expr.(*Column)
	if p.Text[col.Pos:] != "a" {
		t.Errorf("place %d of %q", col.Pos, p.Text)
	}
}

// TestError pins what an Error tells.
func TestError(t *testing.T) {
	sql := "SELECT a,\n\t'ü', größe FROMM t WHERE 1"
	_, err := Parse(sql, Options{})
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	want := Error{Message: "unexpected here; did you mean FROM?", Pos: 31, Line: 2, Column: 19, Near: "t", SQL: sql}
	if *e != want {
		t.Errorf("got %#v\nwant %#v", *e, want)
	}
	if got, want := e.Caret(), "\t'ü', größe FROMM t WHERE 1\n\t                 ^"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	_, err = Parse("SELECT sum(a) FILTER (WHERE a > 0)", Options{})
	if !errors.As(err, &e) || e.Unsupported != "FILTER (WHERE …)" || e.Column != 15 {
		t.Errorf("%#v", err)
	}
	// A long line is cut on both sides, and never inside a character.
	_, err = Parse("SELECT '"+strings.Repeat("ü", 100)+"' x y, '"+strings.Repeat("ü", 100)+"'", Options{})
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	line, mark, _ := strings.Cut(e.Caret(), "\n")
	if []rune(line)[len([]rune(mark))-1] != 'y' || strings.ContainsRune(line, '\uFFFD') || len(line) > 140 {
		t.Errorf("\n%s\n%s", line, mark)
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT 1", []string{"SELECT 1"}},
		{"a; b;\n-- c;\nd", []string{"a", "b", "-- c;\nd"}},
		{"a ';' \";\" `;` /* ; */ # ;\n; b", []string{"a ';' \";\" `;` /* ; */ # ;", "b"}},
		{";; ;-- x\n;", nil},
		{`a '\'; b'; c`, []string{`a '\'; b'`, "c"}},
		{"a 'it''s;'; b", []string{"a 'it''s;'", "b"}},
		{"\uFEFFa;b", []string{"a", "b"}},
		{"--; b--;c", []string{"--;", "b--;", "c"}},
		{"a ((; b", []string{"a ((", "b"}},
		{"? ; $1 ; :a", []string{"?", "$1", ":a"}},
	} {
		got, err := Split(c.sql, Options{})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %q, %v, want %q", c.sql, got, err, c.want)
		}
	}
	if got, err := Split(`"a\";b"; c`, Options{ANSIQuotes: true}); err == nil {
		t.Errorf("a quote that is not closed: %q", got)
	}
	for _, sql := range []string{"a 'b", "a /* b", "a /*! b", "a \x00"} {
		if got, err := Split(sql, Options{}); err == nil {
			t.Errorf("%q: %q", sql, got)
		}
	}
}

// TestVersions: what a comment says to servers of this version is read, and its place in the text stays.
func TestVersions(t *testing.T) {
	for sql, want := range map[string]string{
		"/*!40101 SET NAMES utf8 */":                        "SET NAMES utf8",
		"SELECT 1 /*!80023 + 1 */":                          "SELECT 1          + 1",
		"SELECT 1 /*!80024 + 1 */ + 2":                      "SELECT 1 /*!80024 + 1 */ + 2",
		"SELECT 1 /*!100100 + 1 */, 2":                      "SELECT 1 /*!100100 + 1 */, 2",
		"SELECT '/*!40101 x */', `/*!`":                     "SELECT '/*!40101 x */', `/*!`",
		"SELECT 1 /*! , /*!40101 inner */ 2 */ , 3 /* 4 */": "SELECT 1     ,                   2    , 3",
		"SELECT 1 -- /*! , 2 */\n + 1":                      "SELECT 1 -- /*! , 2 */\n + 1",
		"SELECT 1 /*! -- x\n + 1 */":                        "SELECT 1     -- x\n + 1",
		"/*M!999999\\- enable the sandbox mode */ SELECT 1": "/*M!999999\\- enable the sandbox mode */ SELECT 1",
	} {
		p, err := Parse(sql, Options{})
		if err != nil {
			t.Errorf("%q: %v", sql, err)
		} else if strings.TrimSpace(p.Text) != strings.TrimSpace(want) {
			t.Errorf("%q:\n%q\nwant\n%q", sql, p.Text, want)
		}
	}
	var e *Error
	if _, err := Parse("SELECT 1,\n/*!40101 2 + */ )", Options{}); !errors.As(err, &e) || e.Line != 2 || e.Column != 17 {
		t.Errorf("%v", err)
	}
	if got, err := Split("/*!40101 SET NAMES utf8 */; /*!99999 x */; SELECT 1 /*! , 2 */", Options{}); err != nil || len(got) != 2 {
		t.Errorf("%q %v", got, err)
	}
}

func TestParseExpr(t *testing.T) {
	e, err := ParseExpr("a + 1 > now() OR doc->'$.x' = 'y'", Options{})
	if err != nil || dump(e) != "(or (> (+ `a`@0 1) now@8()) (= (-> `doc`@17 '$.x') 'y'))" {
		t.Error(dump(e), err)
	}
	for _, sql := range []string{"", "a b", "a, b", "a FROM t", "?", "a; b", "*", "a = ", "SELECT 1", "a WHERE b", "a AS b"} {
		if e, err := ParseExpr(sql, Options{}); err == nil {
			t.Errorf("%q: %s", sql, dump(e))
		}
	}
}

// seeds adds the statements of the golden files and small hostile texts to a fuzz test.
func seeds(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "\n\n") {
			sql, _, ok := strings.Cut(block, "\n----")
			if ok {
				f.Add(sql, strings.HasPrefix(filepath.Base(file), "ansi"))
			}
		}
	}
	for _, h := range hostile {
		f.Add(h.text(3), false)
		f.Add(h.text(200), false)
	}
}

// FuzzParse: no text panics; an error tells a place inside the text; what is read reads the same again
// from its own text.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, sql string, ansi bool) {
		opt := Options{ANSIQuotes: ansi}
		p, err := Parse(sql, opt)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T", err)
			}
			if e.Pos < 0 || e.Pos > len(e.SQL) || e.Line < 1 || e.Column < 1 || e.Error() == "" || e.Caret() == "" {
				t.Fatalf("%#v", e)
			}
			return
		}
		again, err := Parse(p.Text, opt)
		if err != nil {
			t.Fatalf("%q: %v", p.Text, err)
		}
		if again.Text != p.Text || again.Placeholders != p.Placeholders || !reflect.DeepEqual(again.Names, p.Names) ||
			reflect.TypeOf(again.Statement) != reflect.TypeOf(p.Statement) {
			t.Fatalf("%q reads differently from %q", p.Text, sql)
		}
		if dump(again.Statement) != dump(p.Statement) {
			t.Fatalf("%q reads differently the second time", p.Text)
		}
	})
}

// FuzzSplit: no text panics; a piece is one statement; and the pieces are the text, but for blanks,
// comments and semicolons.
func FuzzSplit(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, sql string, ansi bool) {
		opt := Options{ANSIQuotes: ansi}
		out, err := Split(sql, opt)
		if err != nil {
			return
		}
		rest, _ := readVersions(sql, opt)
		for _, s := range out {
			i := strings.Index(rest, s)
			if i < 0 {
				t.Fatalf("%q is not in %q", s, rest)
			}
			rest = rest[i+len(s):]
			again, err := Split(s, opt)
			if err != nil || len(again) != 1 || again[0] != s {
				t.Fatalf("%q splits into %q, %v", s, again, err)
			}
		}
	})
}

var benchmarks = map[string]string{
	"point":  "SELECT name FROM customer WHERE id = ?",
	"join":   "SELECT e.id, e.total, i.name AS item FROM expense e LEFT JOIN item i ON i.expense_id = e.id WHERE e.employee LIKE ? AND e.day BETWEEN ? AND ? ORDER BY e.day DESC LIMIT 10",
	"insert": "INSERT INTO customer (id, name, surname, email) VALUES (?, ?, ?, ?)",
	"create": "CREATE TABLE t (id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(30) NOT NULL, KEY (name))",
}

func BenchmarkParse(b *testing.B) {
	for name, sql := range benchmarks {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(sql, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
