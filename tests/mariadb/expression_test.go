package mariadb

import (
	"fmt"
	"regexp"
	"strings"
)

// subject is the table over whose columns expressions are made: a column of every type, and its values, as literals.
type subject struct {
	name    string
	before  string // what the columns' names begin with
	columns []subjectColumn
	names   *regexp.Regexp // finds the columns
	rows    int
}

type subjectColumn struct {
	name, kind, declaration string
	values                  []string
}

const subjectRows = 6

// newSubject makes the table; before is what the columns' names begin with.
func newSubject(g *generator, name, before string) *subject {
	s := &subject{name: name, before: before, rows: subjectRows}
	for _, c := range []struct{ name, kind, declaration, of string }{
		{"ti", "int", "TINYINT", "-128 127 0 1 -1 5"},
		{"si", "int", "SMALLINT", "0 1 -1 12 1000 32767 -32768"},
		{"i", "int", "INT", "0 1 -1 2 5 12 2147483647 -2147483648 20240131"},
		{"bi", "int", "BIGINT", ""},
		{"ub", "uint", "BIGINT UNSIGNED", ""},
		{"d2", "dec", "DECIMAL(10,2)", "0.00 1.50 -1.50 2.50 19.99 12345678.90 -0.01"},
		{"d6", "dec", "DECIMAL(20,6)", "0.000000 1.500000 -1.000001 99999999999999.999999 2.5"},
		{"f", "dbl", "FLOAT", "0 1.5 -2.5 0.25 1000 0.1"},
		{"d", "dbl", "DOUBLE", "0 1.5 -2.5 0.1 1e20 123.456 9007199254740992"},
		{"c", "word", "CHAR(12)", "'' 'a' 'abc' 'ABC' 'x' 'é' '5'"},
		{"v", "text", "VARCHAR(40)", ""},
		{"x", "text", "TEXT", ""},
		{"vci", "text", "VARCHAR(40) COLLATE utf8mb4_general_ci", "'a' 'A' 'abc' 'ABC' 'é' 'e' 'x' 'z' '' '5'"},
		{"b", "hex", "VARBINARY(20)", "'a' 'abc' '' '5' 0x00FF x'414243'"},
		{"e", "word", "ENUM('z','a','m','abc')", "'z' 'a' 'm' 'abc'"},
		{"st", "text", "SET('x','y','z')", "'' 'x' 'y' 'x,z' 'x,y,z'"},
		{"bt", "int", "BIT(8)", "b'0' b'1' b'101' b'11111111'"},
		{"da", "date", "DATE", "'2024-01-31' '2024-02-29' '1999-12-31' '2000-01-01' '9999-12-31' '0001-01-01'"},
		{"dt", "dt", "DATETIME", "'2024-01-31_12:13:14' '2024-01-31_00:00:00' '1999-12-31_23:59:59' '2024-02-29_10:11:12'"},
		{"d6t", "dt", "DATETIME(6)", "'2024-01-31_12:13:14.250000' '2024-01-31_00:00:00' '2024-12-31_23:59:59.999999'"},
		{"ts", "dt", "TIMESTAMP", "'2024-01-31_12:13:14' '1970-01-01_00:00:01' '2024-02-29_10:11:12'"},
		{"tm", "time", "TIME", "'10:11:12' '00:00:00' '-01:02:03' '100:00:00'"},
		{"tm3", "time", "TIME(3)", "'10:11:12.250' '00:00:00' '-01:02:03.5' '23:59:59.999'"},
		{"y", "int", "YEAR", "2024 1999 2000 1970"},
		{"bo", "bool", "BOOLEAN", "TRUE FALSE"},
		{"j", "json", "JSON", ""},
	} {
		column := subjectColumn{name: c.name, kind: c.kind, declaration: c.declaration}
		for range s.rows {
			column.values = append(column.values, s.value(g, column, strings.Fields(c.of)))
		}
		column.name = before + c.name
		s.columns = append(s.columns, column)
	}
	var names []string
	for _, c := range s.columns {
		names = append(names, c.name)
	}
	s.names = regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
	return s
}

func (s *subject) value(g *generator, c subjectColumn, of []string) string {
	if g.one(6) {
		return "NULL"
	}
	if len(of) > 0 {
		return strings.ReplaceAll(pick(g, of), "_", " ")
	}
	return g.literal(c.kind).text()
}

// create gives the statements that make and fill the table; some columns have indexes, unless it is bare.
func (s *subject) create(bare bool) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (%sid INT PRIMARY KEY", s.name, s.before)
	for _, c := range s.columns {
		fmt.Fprintf(&b, ", %s %s", c.name, c.declaration)
		if strings.HasPrefix(c.declaration, "TIMESTAMP") {
			b.WriteString(" NULL")
		}
	}
	if !bare {
		for _, c := range strings.Fields("i d2 v vci dt e da tm ub bi c st ts y d") {
			fmt.Fprintf(&b, ", KEY (%s%s)", s.before, c)
		}
	}
	all := []string{b.String() + ")"}
	for i := range s.rows {
		values := []string{fmt.Sprint(i + 1)}
		for _, c := range s.columns {
			values = append(values, c.values[i])
		}
		all = append(all, fmt.Sprintf("INSERT INTO %s VALUES (%s)", s.name, strings.Join(values, ", ")))
	}
	return all
}

func (s *subject) byKind() map[string][]string {
	m := map[string][]string{}
	for _, c := range s.columns {
		m[c.kind] = append(m[c.kind], c.name)
	}
	m["small"] = []string{"ti", "i"}
	m["text"] = append(m["text"], "e", "c")
	return m
}

// values gives what the columns of tables hold, as literals.
func values(of ...*subject) map[string][]string {
	m := map[string][]string{}
	for _, s := range of {
		for _, c := range s.columns {
			m[c.name] = c.values
		}
	}
	return m
}
