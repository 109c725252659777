package tests

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
	"github.com/nearlyfreedb/nearlyfree/nearlyfreetest"
)

// agreeTypes are types of columns with values that are near those of the others.
var agreeTypes = []struct {
	name, sql string
	values    []string
}{
	{"i", "INT", []string{"0", "1", "-1", "20260102", "260102", "101010", "7"}},
	{"b", "BIGINT UNSIGNED", []string{"0", "1", "18446744073709551615", "9007199254740993", "9007199254740992", "20260102101010", "7"}},
	{"t", "BOOL", []string{"TRUE", "FALSE"}},
	{"y", "YEAR", []string{"1999", "2026"}},
	{"f", "DOUBLE", []string{"0e0", "1.5e0", "-1e0", "7e0", "2.026e3", "9007199254740992e0", "18446744073709551616e0"}},
	{"d", "DECIMAL(20,2)", []string{"0.00", "1.50", "-1.00", "7.00", "20260102101010.00"}},
	{"s", "VARCHAR(60)", []string{"''", "'1'", "'1.5'", "'7 '", "'abc'", "'2026-01-02'", "'10:10:10'", "'2026-01-02 10:10:10'", "'0123456789abcdef0123456789abcdef'", "'01234567-89ab-cdef-0123-456789abcdef'"}},
	{"n", "VARCHAR(60) COLLATE nocase", []string{"'ABC'", "'1'", "'2026-01-02'", "'01234567-89AB-CDEF-0123-456789ABCDEF'"}},
	{"a", "VARCHAR(60) COLLATE utf8mb4_0900_ai_ci", []string{"'Abc'", "'STRASSE'", "'straß'", "'é_'", "'1'", "'2026-01-02'", "'Ab'", "'01234567-89ab-cdef-0123-456789abcdef'"}},
	{"z", "VARCHAR(60) COLLATE utf8mb4_bin", []string{"'abc '", "'Abc'", "''", "'1 '", "'ab'", "'2026-01-02'"}},
	{"x", "VARBINARY(60)", []string{"X'31'", "X'616263'", "X'323032362d30312d3032'", "X'31303a31303a3130'"}},
	{"e", "ENUM('abc', '7', '1', '10:10:10')", []string{"'1'", "'abc'", "'10:10:10'", "'7'"}},
	{"ec", "ENUM('b', 'ABC', '1') COLLATE nocase", []string{"'b'", "'ABC'", "'1'"}},
	{"se", "SET('7', 'abc', '1')", []string{"''", "'abc'", "'7,1'", "'7'", "'1'"}},
	{"bi", "BIT(16)", []string{"b'0'", "0x01", "b'111'", "0x3031", "0xFFFF"}},
	{"bw", "BIT(64)", []string{"b'0'", "0x31", "0xFFFFFFFFFFFFFFFF"}},
	{"p", "DATETIME(3)", []string{"TIMESTAMP'2026-01-02 00:00:00'", "TIMESTAMP'2026-01-02 10:10:10'", "TIMESTAMP'2026-01-02 10:10:10.5'", "TIMESTAMP'1999-01-01 00:00:00'", "TIMESTAMP'9999-12-31 23:59:59'"}},
	{"q", "DATE", []string{"DATE'2026-01-02'", "DATE'1999-01-01'", "DATE'9999-12-31'"}},
	{"h", "TIME(1)", []string{"TIME'10:10:10'", "TIME'-10:10:10'", "TIME'00:00:00'", "TIME'838:59:59'", "TIME'00:00:01.5'"}},
	{"j", "JSON", []string{"CAST('1' AS JSON)", "CAST('\"abc\"' AS JSON)", "CAST('true' AS JSON)", "CAST('\"10:10:10\"' AS JSON)"}},
	{"u", "UUID", []string{"'01234567-89ab-cdef-0123-456789abcdef'", "'11234567-89ab-cdef-0123-456789abcdef'"}},
}

// agreeTables are the shapes of a table by what finds the rows of a condition on c.
var agreeTables = []struct{ name, table string }{
	{"plain", "(id INT PRIMARY KEY, c %s)"},                                               // a filter that the store is sent
	{"keyed", "(id INT, c %s NOT NULL PRIMARY KEY)"},                                      // a point or a range of keys
	{"led", "(id INT, c %s, PRIMARY KEY (c DESC, id))"},                                   // a prefix of keys
	{"indexed", "(id INT PRIMARY KEY, c %s, KEY (c))"},                                    // ranges of an index
	{"lone", "(id INT PRIMARY KEY, c %s, UNIQUE KEY (c))"},                                // points of a unique index
	{"global", "(id INT PRIMARY KEY, c %s, UNIQUE KEY (c) GLOBAL) PARTITION BY KEY (id)"}, // points of one whose values say the store partition
}

func agreeTable(shape, typ string) string { return shape + "_" + typ }

// TestPathsAgree compares columns and values of every two types: whatever finds the rows, they are the same ones. No two
// types give an error that hangs on whether a path comes by a row.
func TestPathsAgree(t *testing.T) {
	t.Parallel()
	db := nearlyfreetest.Open(t)
	shapes := map[string][]string{}
	for _, typ := range agreeTypes {
		for _, s := range agreeTables {
			if typ.sql == "JSON" && s.name != "plain" {
				continue // is no key
			}
			name := agreeTable(s.name, typ.name)
			exec(t, db, "CREATE TABLE "+name+" "+fmt.Sprintf(s.table, typ.sql))
			for i, v := range typ.values {
				exec(t, db, fmt.Sprintf("INSERT INTO %s (id, c) VALUES (%d, %s)", name, i, v))
			}
			shapes[typ.name] = append(shapes[typ.name], name)
		}
	}
	check := func(what string, forms []string) {
		t.Helper()
		want, err := found(db, forms[0])
		if err != nil {
			t.Errorf("%s:\n  %s\n    %v", what, forms[0], err)
			return
		}
		for _, q := range forms[1:] {
			if got, err := found(db, q); err != nil || got != want {
				if err != nil {
					got = err.Error()
				}
				t.Errorf("%s:\n  %s\n    %s\n  %s\n    %s", what, forms[0], want, q, got)
			}
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, l := range agreeTypes {
		for _, r := range agreeTypes {
			for i, v := range r.values {
				w := r.values[(i+1)%len(r.values)]
				for _, cond := range agreeConds(v, w, r.values) {
					if rnd.IntN(testrun.Of(3, 10)) > 0 {
						continue
					}
					forms := []string{"SELECT id FROM " + agreeTable("plain", l.name) + " WHERE CASE WHEN " + cond + " THEN TRUE ELSE FALSE END"}
					for _, name := range shapes[l.name] {
						forms = append(forms, "SELECT id FROM "+name+" WHERE "+cond)
					}
					check(l.sql+" and "+r.sql, forms)
				}
			}
			for _, op := range []string{"=", "<=>", "<", ">=", "<>"} {
				if rnd.IntN(testrun.Of(1, 2)) > 0 {
					continue
				}
				var inner, left, in, exists []string
				for _, name := range shapes[r.name] {
					a := agreeTable("plain", l.name) + " a"
					inner = append(inner, fmt.Sprintf("SELECT a.id, b.id FROM %s JOIN %s b ON a.c %s b.c", a, name, op))
					left = append(left, fmt.Sprintf("SELECT a.id, b.id FROM %s LEFT JOIN %s b ON a.c %s b.c", a, name, op))
					exists = append(exists, fmt.Sprintf("SELECT id FROM %s WHERE EXISTS (SELECT * FROM %s b WHERE a.c %s b.c)", a, name, op))
					in = append(in, fmt.Sprintf("SELECT id FROM %s WHERE c IN (SELECT c FROM %s)", a, name))
				}
				a := fmt.Sprintf("FROM %s a, %s b WHERE CASE WHEN a.c %s b.c THEN TRUE ELSE FALSE END", agreeTable("plain", l.name), agreeTable("plain", r.name), op)
				check(l.sql+" join "+r.sql, append([]string{"SELECT a.id, b.id " + a}, inner...))
				check(l.sql+" exists "+r.sql, append([]string{"SELECT DISTINCT a.id " + a}, exists...))
				check(l.sql+" left join "+r.sql, left)
				if op == "=" {
					check(l.sql+" in "+r.sql, append([]string{"SELECT DISTINCT a.id " + a}, in...))
				}
			}
		}
		for _, f := range []string{"MIN(c)", "MAX(c)"} {
			var forms []string
			for _, name := range shapes[l.name] {
				forms = append(forms, "SELECT "+f+" FROM "+name)
			}
			check(f+" of "+l.sql, forms)
		}
	}
}

// agreeConds are conditions that compare c with values of one type.
func agreeConds(v, w string, all []string) []string {
	long := slices.Clone(all)
	for len(long) < 9 { // as many as make a set
		long = append(long, v)
	}
	var conds []string
	for _, op := range []string{"=", "<>", "<", "<=", ">", ">=", "<=>"} {
		conds = append(conds, "c "+op+" "+v)
	}
	return append(conds, "c BETWEEN "+v+" AND "+w, "c NOT BETWEEN "+w+" AND "+v, "c IN ("+v+", "+w+")", "c NOT IN ("+v+", "+w+")",
		"c IN ("+strings.Join(long, ", ")+")", "(c, id) > ("+v+", 1)", "(c, id) IN (("+v+", 0), ("+w+", 1))",
		"c <= "+v+" AND (c < "+v+" OR id < 2)", "c >= "+v+" AND (c > "+w+" OR id = 1)")
}

// found gives the rows of a query, sorted; of a text beside a date that is none, that it is refused.
func found(db *sql.DB, query string) (string, error) {
	rows, err := db.Query(query)
	var refused *nearlyfree.Error
	if errors.As(err, &refused) && refused.Number == 1525 {
		return refused.Message, nil
	}
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	row, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range row {
		into[i] = &row[i]
	}
	var out []string
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		out = append(out, fmt.Sprint(row))
	}
	slices.Sort(out)
	return strings.Join(out, " "), rows.Err()
}
