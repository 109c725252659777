package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/dialect"
)

func cutAll(t testing.TB, text string) (out []statement) {
	t.Helper()
	for s := newStatements(strings.NewReader(text)); ; {
		st, err := s.next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, st)
	}
}

func TestStatements(t *testing.T) {
	for _, c := range []struct {
		text string
		want []statement
	}{
		{"SELECT 1; SELECT 2", []statement{{text: "SELECT 1", line: 1}, {text: "SELECT 2", line: 1}}},
		{"\n-- x; y\nSELECT\n 1;\n\n\nSELECT 2\n;", []statement{{text: "-- x; y\nSELECT\n 1", line: 2}, {text: "SELECT 2", line: 7}}},
		{"SELECT 'a;''b', \"c;\\\"d\", `e;f` /* ; */ # ;\n;SELECT 2", []statement{
			{text: "SELECT 'a;''b', \"c;\\\"d\", `e;f` /* ; */ # ;", line: 1}, {text: "SELECT 2", line: 2}}},
		{"SELECT 1\\G\nSELECT 2\\g", []statement{{text: "SELECT 1", line: 1, record: true}, {text: "SELECT 2", line: 2}}},
		{"SELECT 1\nFROM \\c\nSELECT '\\c';a\\cb;\\c;", []statement{{text: "SELECT '\\c'", line: 3}, {text: "b", line: 3}}},
		{"\uFEFFSELECT 1", []statement{{text: "SELECT 1", line: 1}}},
		{".tables\nSELECT 1\n.5;\n\n  .quit  \n", []statement{{text: ".tables", line: 1}, {text: "SELECT 1\n.5", line: 2}, {text: ".quit", line: 5}}},
		{"SELECT 1;\nDELIMITER ;;\nCREATE TRIGGER x BEGIN SELECT 1; END ;;\nDELIMITER ;\nSELECT 2;", []statement{
			{text: "SELECT 1", line: 1}, {text: "CREATE TRIGGER x BEGIN SELECT 1; END", line: 3}, {text: "SELECT 2", line: 5}}},
		{"SELECT 1;\n\n-- the triggers\n# y\n/* z */\nDELIMITER ;;\nSELECT 2;;\n-- x\n.tables\n", []statement{
			{text: "SELECT 1", line: 1}, {text: "SELECT 2", line: 7}, {text: ".tables", line: 9}}},
		{"/* a\n.tables\n*/ SELECT 1;\n/*!50003\nDELIMITER x\n*/;", []statement{
			{text: "/* a\n.tables\n*/ SELECT 1", line: 1}, {text: "/*!50003\nDELIMITER x\n*/", line: 4}}},
		{"SELECT 1;\n# more\nsource a b.sql ;\n\\. c.sql\nSELECT\nsource FROM t;", []statement{
			{text: "SELECT 1", line: 1}, {text: ".read a b.sql ;", line: 3}, {text: ".read c.sql", line: 4}, {text: "SELECT\nsource FROM t", line: 5}}},
		{"help\nSELECT\nquit\n;\nEXIT ;\n\\q\nexits;", []statement{
			{text: ".help", line: 1}, {text: "SELECT\nquit", line: 2}, {text: ".quit", line: 5}, {text: ".quit", line: 6}, {text: "exits", line: 7}}},
		{"use shop\n-- x\nUSE `my shop`\nSELECT 1;\nUSE a;USE b\n;\\u c\n\\u d\nSELECT 'x\nuse e\n'", []statement{
			{text: "USE shop", line: 1}, {text: "-- x\nUSE `my shop`", line: 2}, {text: "SELECT 1", line: 4}, {text: "USE a", line: 5}, {text: "USE b", line: 5},
			{text: "\\u c\n\\u d\nSELECT 'x\nuse e\n'", line: 6}}},
		{"DELIMITER $$\nUSE a$$\nUSE b\nSELECT 1$$", []statement{{text: "USE a", line: 2}, {text: "USE b", line: 3}, {text: "SELECT 1", line: 4}}},
		{"\\u c\nSELECT 1 FROM t\nUSE x", []statement{{text: "USE c", line: 1}, {text: "SELECT 1 FROM t\nUSE x", line: 2}}},
		{" ; ;/* nothing */; -- nothing", nil},
		{"SELECT 'not closed; SELECT 2", []statement{{text: "SELECT 'not closed; SELECT 2", line: 1}}},
		{"/*!40101 SET NAMES utf8 */;", []statement{{text: "/*!40101 SET NAMES utf8 */", line: 1}}},
	} {
		if got := cutAll(t, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q:\n%+v\nwant\n%+v", c.text, got, c.want)
		}
	}
}

// agree: where the driver itself can cut a text into statements, it cuts it at the same places.
func agree(t *testing.T, text string) {
	want, err := dialect.Split(text, dialect.Options{})
	if err != nil || strings.Contains(text, `\`) || strings.Contains(text, "DELIMITER") || strings.Contains(text, "/*!") {
		return
	}
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(ofMySQL(line), ".") || useLine.MatchString(line) {
			return
		}
	}
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	var a, b []string
	for _, st := range cutAll(t, text) {
		a = append(a, bare(st.text))
	}
	for _, s := range want {
		if s = bare(strings.TrimSuffix(s, ";")); s != "" { // the command passes over Unicode's white space, too
			b = append(b, s)
		}
	}
	for i := range a {
		a[i] = strings.TrimSuffix(a[i], ";")
	}
	if !slices.Equal(a, b) {
		t.Errorf("%q is cut into\n%q\nand by the driver into\n%q", text, a, b)
	}
}

func TestStatementsAgree(t *testing.T) {
	files, err := filepath.Glob("../../tests/scripts/*.txt")
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, paragraph := range strings.Split(string(text), "\n\n") {
			agree(t, paragraph)
		}
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("SELECT 'a;''b' -- x\n; /* ; */ SELECT \"\\\"\"; `a``;`")
	f.Fuzz(func(t *testing.T, text string) { agree(t, text) })
}
