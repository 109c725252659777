package tests

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure/azuretest"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/embedded"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// hostile are texts that SQL, OData, JSON, an URL, multipart or a key's own encoding could take for something
// else.
var hostile = []string{
	"", " ", "  ", "a", "A", "ab", "a ", " a", "a!", "a!b", "!", "!!", "a\x00", "a\x00b", "\x00", "\x00\x00", "\x01", "\x7f", "\u0080", "\u009f",
	"'", "''", "'''", `"`, "`", `\`, `\\`, `\'`, `'; DROP TABLE t; --`, "' or 1 eq 1 or '", "' OR '1'='1", "--", "/*", "*/", "#", "a#b", "?", "a?b", "%", "%%", "%27", "%25", "%2F", "%00",
	"_", "a_", "a%", `a\%`, `\%`, `\_`, "/", "a/b", "//", "../..", "&", "a&b=c", "+", "a+b", "a b", "=", ";", ",", "(", ")", "'),(1,'x", "$", "$filter", "@odata.type", ":", ":a", "@a", "{}", "[]", "null", "NULL", "0", "-1", "1e9", "true",
	"\n", "\r", "\r\n", "a\nb", "\t", "--batch_x\r\n", "\r\n--batch\r\nContent-Type: x\r\n\r\n", "\ufeff", "\ufeffa", "\ufffd", "\ufffe", "\uffff", "\u202e", "a\u202eb", "\u2028", "\u2029", "\u200b", "e\u0301", "\u00e9", "ß", "ss", "İ", "ı", "ſ", "K", "k",
	"😀", "😀😀", "\U0010ffff", "\U00010000", "\ue000", "\ud7ff", "日本語", "~", "~~", "zz", "\u00ff", "<a>", "&amp;", "</script>", "\\u0041", "\\x00", "\\0", "\\Z", "\x1a", "\b",
	strings.Repeat("x", 300), strings.Repeat("x", 299) + "y", strings.Repeat("'", 300), strings.Repeat("é", 290), strings.Repeat("é", 290) + "!", strings.Repeat("😀", 250), strings.Repeat("\x00", 300), strings.Repeat("%", 300), strings.Repeat("/", 300) + "a",
}

// notText are octets that are no text: they fit binary columns only.
var notText = []string{"\xff", "a\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f", "\xc0\x80", "\xfe\xff", "\x80abc"}

// fakeService is the Azure engine over the test service, with small pages of which some are empty.
func fakeService(t *testing.T) (*nearlyfree.Config, *azuretest.Transport) {
	memory := embedded.OpenMemory(embedded.Options{})
	t.Cleanup(func() { memory.Close() })
	service := azuretest.NewService(memory)
	service.PageEntities, service.EmptyPages = 7, true
	transport := &azuretest.Transport{Service: service}
	return &nearlyfree.Config{
		Store:       fmt.Sprintf("AccountName=%s;AccountKey=%s;TableEndpoint=%s", azuretest.Account, azuretest.Key, azuretest.Endpoint),
		Transport:   transport,
		SchemaLease: 10 * time.Millisecond,
		Retry:       nearlyfree.RetryOptions{FirstDelay: time.Millisecond, MaxDelay: 5 * time.Millisecond},
	}, transport
}

// everywhere runs a test over each kind of store; in the end every index entry must match its row.
func everywhere(t *testing.T, test func(t *testing.T, db *sql.DB)) {
	for name, config := range map[string]func() *nearlyfree.Config{
		"memory": func() *nearlyfree.Config { return &nearlyfree.Config{Store: "mem://"} },
		"file": func() *nearlyfree.Config {
			return &nearlyfree.Config{Store: "file:" + filepath.Join(t.TempDir(), "data")}
		},
		"azure": func() *nearlyfree.Config { c, _ := fakeService(t); return c },
		"single": func() *nearlyfree.Config {
			return &nearlyfree.Config{Store: "mem://", Layout: nearlyfree.LayoutSingle}
		},
	} {
		t.Run(name, func(t *testing.T) { test(t, nearlyfreetest.OpenConfig(t, config())) })
	}
}

func run(t *testing.T, db *sql.DB, q string, args ...any) {
	t.Helper()
	if _, err := db.Exec(q, args...); err != nil {
		t.Fatalf("%.200s: %v", q, err)
	}
}

// ids gives the first column of a query, sorted.
func ids(t *testing.T, db *sql.DB, q string, args ...any) []int {
	t.Helper()
	rows, err := db.Query(q, args...)
	if err != nil {
		t.Fatalf("%.200s %.100q: %v", q, args, err)
	}
	defer rows.Close()
	var all []int
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		all = append(all, id)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%.200s %.100q: %v", q, args, err)
	}
	sort.Ints(all)
	return all
}

// texts gives the first column of a query, in the order that it comes in.
func texts(t *testing.T, db *sql.DB, q string, args ...any) []string {
	t.Helper()
	rows, err := db.Query(q, args...)
	if err != nil {
		t.Fatalf("%.200s %.100q: %v", q, args, err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%.200s %.100q: %v", q, args, err)
	}
	return all
}

// literal writes a text as SQL does.
func literal(s string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`, "\x00", `\0`).Replace(s) + "'"
}

// columnsOf are the ways in which a column of texts can be kept.
var columnsOf = map[string]string{
	"plain":    "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(400) NOT NULL)",
	"primary":  "CREATE TABLE t (id INT, s VARCHAR(400) PRIMARY KEY)",
	"index":    "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(400) NOT NULL, KEY (s))",
	"unique":   "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(400) NOT NULL, UNIQUE KEY (s))",
	"compound": "CREATE TABLE t (id INT, s VARCHAR(400), PRIMARY KEY (s, id))",
	"text":     "CREATE TABLE t (id INT PRIMARY KEY, s TEXT NOT NULL)",
	"binary":   "CREATE TABLE t (id INT PRIMARY KEY, s VARBINARY(1200) NOT NULL, KEY (s))",
	"blob":     "CREATE TABLE t (id INT PRIMARY KEY, s BLOB NOT NULL)",
	"hash":     "CREATE TABLE t (id INT, s VARCHAR(400) PRIMARY KEY) PARTITION BY HASH (s) PARTITIONS 3",
	"key":      "CREATE TABLE t (id INT, s VARCHAR(400), PRIMARY KEY (s, id)) PARTITION BY KEY (s)",
}

// TestHostileTexts: each comes back byte for byte, matches itself and nothing else, and sorts where it should,
// whatever kind of key it stands in.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for kind, definition := range columnsOf {
		t.Run(kind, func(t *testing.T) {
			everywhere(t, func(t *testing.T, db *sql.DB) { hostileColumn(t, db, kind, definition) })
		})
	}
}

func hostileColumn(t *testing.T, db *sql.DB, kind, definition string) {
	run(t, db, definition)
	all := hostile
	isBinary := kind == "binary" || kind == "blob"
	if isBinary {
		all = append(slices.Clone(hostile), notText...)
	}
	argument := func(s string) any {
		if isBinary {
			return []byte(s)
		}
		return s
	}
	var args []any
	for i, s := range all {
		args = append(args, i, argument(s))
	}
	run(t, db, "INSERT INTO t (id, s) VALUES (?, ?)"+strings.Repeat(", (?, ?)", len(all)-1), args...)
	if !isBinary {
		for _, s := range notText {
			if _, err := db.Exec("INSERT INTO t (id, s) VALUES (-1, ?)", s); err == nil {
				t.Errorf("%q is taken", s)
			}
			if got := ids(t, db, "SELECT id FROM t WHERE s = ?", s); len(got) > 0 {
				t.Errorf("= %q matches %d", s, got)
			}
		}
	}
	for i, s := range all {
		if (testing.Short() || !strings.HasSuffix(t.Name(), "memory")) && i%testrun.Of(3, 7) > 0 {
			continue // to save time
		}
		if got := ids(t, db, "SELECT id FROM t WHERE s = ?", argument(s)); !slices.Equal(got, []int{i}) {
			t.Errorf("= %.40q gives %v, want %d", s, got, i)
		}
		if got := texts(t, db, "SELECT s FROM t WHERE id = ?", i); len(got) != 1 || got[0] != s {
			t.Errorf("%.40q came back as %.40q", s, got)
		}
		if utf8.ValidString(s) && !isBinary {
			if got := ids(t, db, "SELECT id FROM t WHERE s = "+literal(s)); !slices.Equal(got, []int{i}) {
				t.Errorf("= %.40q as a literal gives %v, want %d", s, got, i)
			}
		}
		other := (i*7 + 3) % len(all)
		if got := ids(t, db, "SELECT id FROM t WHERE s IN (?, ?)", argument(s), argument(all[other])); !slices.Equal(got, sorted(i, other)) {
			t.Errorf("IN (%.40q, %.40q) gives %v", s, all[other], got)
		}
		if i%4 == 0 {
			for op, want := range map[string]func(int) bool{
				"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 }, ">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 }, "<>": func(c int) bool { return c != 0 },
			} {
				var expect []int
				for j, other := range all {
					if want(strings.Compare(other, s)) {
						expect = append(expect, j)
					}
				}
				if got := ids(t, db, "SELECT id FROM t WHERE s "+op+" ?", argument(s)); !slices.Equal(got, expect) {
					t.Errorf("%s %.40q gives %d rows, want %d: %v", op, s, len(got), len(expect), difference(got, expect, all))
				}
			}
		}
	}
	want := slices.Clone(all)
	sort.Strings(want)
	for _, q := range []string{"SELECT s FROM t ORDER BY s", "SELECT s FROM t GROUP BY s ORDER BY s", "SELECT DISTINCT s FROM t ORDER BY s", "SELECT s FROM t UNION SELECT s FROM t ORDER BY s"} {
		if got := texts(t, db, q); !slices.Equal(got, want) {
			t.Errorf("%s: %d of %d, %s", q, len(got), len(want), firstDifference(got, want))
		}
	}
	slices.Reverse(want)
	if got := texts(t, db, "SELECT s FROM t ORDER BY s DESC"); !slices.Equal(got, want) {
		t.Errorf("descending: %s", firstDifference(got, want))
	}
	if got := texts(t, db, "SELECT s FROM t ORDER BY s DESC LIMIT 10 OFFSET 5"); !slices.Equal(got, want[5:15]) {
		t.Errorf("limit: %s", firstDifference(got, want[5:15]))
	}
	if got := ids(t, db, "SELECT a.id FROM t a JOIN t b ON a.s = b.s"); len(got) != len(all) {
		t.Errorf("the join gives %d rows", len(got))
	}
	for i := 0; i < len(all); i += 5 {
		s := all[i]
		r, err := db.Exec("DELETE FROM t WHERE s = ?", argument(s))
		if err != nil {
			t.Fatalf("deleting %.40q: %v", s, err)
		}
		if n, _ := r.RowsAffected(); n != 1 {
			t.Errorf("deleting %.40q: %d rows (%d)", s, n, i)
		}
	}
}

func sorted(a ...int) []int {
	sort.Ints(a)
	return slices.Compact(a)
}

// difference names the texts that are in one list only.
func difference(got, want []int, all []string) []string {
	var out []string
	for i, s := range all {
		if slices.Contains(got, i) != slices.Contains(want, i) {
			out = append(out, fmt.Sprintf("%.40q got %v", s, slices.Contains(got, i)))
		}
	}
	return out
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("at %d %.40q, want %.40q", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d rows, want %d", len(got), len(want))
}
