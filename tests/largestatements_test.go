package tests

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// TestGiantStatements: what is too large, too deep or needs too much memory is refused with an error of its kind, and
// what is only large is answered.
func TestGiantStatements(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.OpenConfig(t, &nearlyfree.Config{Store: "mem://", MaxMemory: 4 << 20})
	fill(t, db, 5000)
	roomy := nearlyfreetest.Open(t)
	list := strings.Repeat("?, ", 9999) + "?"
	args := make([]any, 10_000)
	for i := range args {
		args[i] = i * 3
	}
	pairs := " FROM t a JOIN t b ON a.n = b.n"
	for q, want := range map[string]error{
		"SELECT '" + strings.Repeat("x", 4<<20) + "'":                                                               nearlyfree.ErrSyntax,
		"SELECT " + strings.Repeat("(", 100_000) + "1":                                                              nearlyfree.ErrSyntax,
		"SELECT " + strings.Repeat("NOT ", 100_000) + "1":                                                           nearlyfree.ErrSyntax,
		"SELECT " + strings.Repeat("1+", 100_000) + "1":                                                             nearlyfree.ErrSyntax,
		"SELECT " + strings.Repeat("CASE WHEN 1 THEN ", 5000):                                                       nearlyfree.ErrSyntax,
		"SELECT LENGTH(REPEAT('x', 1000000000))":                                                                    nearlyfree.ErrTooLarge,
		"SELECT LENGTH(REPLACE(REPEAT('x', 1000000), 'x', REPEAT('x', 1000000)))":                                   nearlyfree.ErrTooLarge,
		"SELECT JSON_QUOTE(REPEAT('\\0', 16000000))":                                                                nearlyfree.ErrTooLarge,
		"SELECT JSON_OBJECT('a', REPEAT('\\0', 16000000))":                                                          nearlyfree.ErrTooLarge,
		"SELECT JSON_ARRAY(a, a, a, a)" + longDocument:                                                              nearlyfree.ErrTooLarge,
		"SELECT JSON_MERGE_PRESERVE(a, a, a, a)" + longDocument:                                                     nearlyfree.ErrTooLarge,
		"SELECT JSON_SET(a, '$[1]', a, '$[2]', a, '$[3]', a)" + longDocument:                                        nearlyfree.ErrTooLarge,
		"SELECT JSON_EXTRACT(CONCAT(REPEAT('[', 99), '\"', REPEAT('a', 9000000), '\"', REPEAT(']', 99)), '$**[0]')": nearlyfree.ErrTooLarge,
		"SELECT JSON_PRETTY(CONCAT(REPEAT('[', 99), REPEAT('1,', 500000), '1', REPEAT(']', 99)))":                   nearlyfree.ErrTooLarge,
		"SELECT JSON_SEARCH(CONCAT('{\"', REPEAT('k', 1000000), '\":[', REPEAT('\"a\",', 100), '1]}'), 'all', 'a')": nearlyfree.ErrTooLarge,
		"SELECT JSON_LENGTH(CONCAT('[', REPEAT('1,', 8000000), '1]'))":                                              nearlyfree.ErrBadValue,
		"SELECT JSON_EXTRACT('[]', CONCAT('$', REPEAT('**[*]', 9)))":                                                nearlyfree.ErrBadValue,
		"SELECT a.id" + pairs + " ORDER BY a.s, b.s":                                                                nearlyfree.ErrMemory,
		"SELECT a.s, b.s, COUNT(*)" + pairs + " GROUP BY a.s, b.s":                                                  nearlyfree.ErrMemory,
		"SELECT DISTINCT a.s, b.s" + pairs:                                                                          nearlyfree.ErrMemory,
		"SELECT a.s, b.s" + pairs + " UNION SELECT 1, 1":                                                            nearlyfree.ErrMemory,
		"SELECT COUNT(*) FROM t WHERE s IN (SELECT CONCAT(a.s, b.s)" + pairs + ")":                                  nearlyfree.ErrMemory,
		"INSERT INTO t SELECT a.id + b.id * 10000, 'x', 1" + pairs:                                                  nearlyfree.ErrMemory,
	} {
		on := db
		if want == nearlyfree.ErrTooLarge || want == nearlyfree.ErrBadValue {
			on = roomy // the bound on a value, not the statement's, is what is looked at
		}
		rows, err := on.Query(q)
		if err == nil {
			_, err = rest(rows)
		}
		if !errors.Is(err, want) {
			t.Errorf("%.80s: %.200v, want %v", q, err, want)
		}
	}
	for q, want := range map[string]int{
		"SELECT id FROM t WHERE id IN (" + list + ")":             1667,
		"SELECT id FROM t WHERE id NOT IN (" + list + ")":         3333,
		"SELECT id FROM t WHERE id + 0 IN (" + list + ")":         1667,
		"SELECT id FROM t WHERE n IN (" + list + ") AND 1 IN (1)": 2000,
	} {
		if got := ids(t, db, q, args...); len(got) != want {
			t.Errorf("%.60s: %d rows, want %d", q, len(got), want)
		}
	}
	for q, want := range map[string]int{
		"SELECT id FROM t LIMIT 18446744073709551615 OFFSET 4999": 1, "SELECT id FROM t ORDER BY s LIMIT 10 OFFSET 18446744073709551615": 0, "SELECT id FROM t ORDER BY s LIMIT 0": 0,
		"SELECT a.id FROM t a, t b WHERE a.id < 50 ORDER BY a.s, b.s LIMIT 10": 10, "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 2000): 2001,
	} {
		if got := ids(t, db, q); len(got) != want {
			t.Errorf("%.60s: %d rows, want %d", q, len(got), want)
		}
	}
	run(t, db, "CREATE TABLE w (id INT PRIMARY KEY"+manyColumns(240)+")")
	if _, err := db.Exec("CREATE TABLE v (id INT PRIMARY KEY" + manyColumns(500) + ")"); err == nil {
		t.Error("a table of 501 columns is made")
	}
}

// longDocument makes a document a of 5 MB.
const longDocument = " FROM (SELECT JSON_ARRAY(REPEAT('a', 5000000)) AS a) d"

func manyColumns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", c%d INT", i)
	}
	return b.String()
}
