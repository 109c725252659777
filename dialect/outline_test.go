package dialect

import (
	"strings"
	"testing"
)

func TestOutline(t *testing.T) {
	for sql, want := range map[string][2]string{
		"SELECT a.b, `c d` FROM t WHERE x = 'se''cret' AND y IN (1, 2.5,1e3, 0xff, x'00', b'1')": {"SELECT", "SELECT a.b, `c d` FROM t WHERE x = ? AND y IN (?, ?,?, ?, ?, ?)"},
		"  -- secret\n select /* secret */ 1;\n":                                                 {"SELECT", "select ?;"},
		"(SELECT \"secret\") UNION SELECT ?":                                                     {"SELECT", "(SELECT ?) UNION SELECT ?"},
		"INSERT INTO t VALUES (?, @@sql_mode, -7)":                                               {"INSERT", "INSERT INTO t VALUES (?, @@sql_mode, -?)"},
		"/*!40101 SET NAMES 'secret' */":                                                         {"", ""},
		"SELECT 'secret":                                                                         {"SELECT", "SELECT …"},
		"CREATE TABLE t (a VARCHAR(100) DEFAULT 'secret', b DECIMAL(10, 2) DEFAULT (3), CHECK (b > 7))": {"CREATE", "CREATE TABLE t (a VARCHAR(100) DEFAULT ?, b DECIMAL(10, 2) DEFAULT (?), CHECK (b > ?))"},
		"": {"", ""},
	} {
		if verb, text := Verb(sql, Options{}), Outline(sql, Options{}); verb != want[0] || text != want[1] {
			t.Errorf("%q: %q %q, want %q", sql, verb, text, want)
		}
	}
	if got := Outline(`SELECT "a" FROM t WHERE b = 'secret'`, Options{ANSIQuotes: true}); got != `SELECT "a" FROM t WHERE b = ?` {
		t.Error(got)
	}
}

// FuzzOutline: no literal gets through.
func FuzzOutline(f *testing.F) {
	const secret = "zqsecret"
	f.Add("SELECT 1", "x")
	f.Fuzz(func(t *testing.T, sql, more string) {
		if strings.ContainsAny(more, `'\`) || strings.Contains(sql, secret) {
			return
		}
		if got := Outline("SELECT a FROM t WHERE b = '"+secret+more+"' AND "+sql, Options{}); strings.Contains(got, secret) {
			t.Errorf("%q", got)
		}
		Outline(sql, Options{})
		Verb(sql, Options{})
	})
}
