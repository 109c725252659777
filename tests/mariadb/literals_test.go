package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes random statements.
type generator struct {
	*rand.Rand
	columns map[string][]string // the columns that an expression may name, by kind
	home    map[string][]string // those of the table t
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 8))}
}

func (g *generator) one(in int) bool { return g.IntN(in) == 0 }

func pick[T any](g *generator, of []T) T { return of[g.IntN(len(of))] }

// literals are constants of each kind: those at which types end, and plain ones.
var literals = map[string][]string{
	"int": {"0", "1", "-1", "2", "3", "5", "7", "10", "12", "100", "127", "128", "-128", "-129", "255", "256", "1000", "32768", "65535",
		"16777215", "2147483647", "-2147483648", "4294967295", "9007199254740993", "9223372036854775807", "-9223372036854775808",
		"20240131", "240131", "101112", "20240229101112"},
	"uint":  {"9223372036854775808", "18446744073709551615", "10000000000000000000"},
	"small": {"0", "1", "2", "3", "4", "5", "-1", "-2", "10", "NULL"},
	"dec": {"0.0", "0.5", "1.5", "-1.5", "2.5", "-2.5", "3.14159", "0.005", "19.999", "-0.001", "100.00", "99.995", "123456789.123456789",
		"99999999999999999999.99", "0.000000001", "1.10"},
	"dbl": {"0e0", "1e0", "-1e0", "0.1e0", "1.5e0", "-2.5e0", "1e10", "1e-5", "9007199254740992e0", "1e20", "-1e300", "123.456e0"},
	"text": {"''", "' '", "'a'", "'A'", "'b'", "'abc'", "'ABC'", "'abc '", "' abc'", "'äöü'", "'Straße'", "'5'", "'5x'", "' 5'", "'5 '", "'1.5'", "'-3'",
		"'1e3'", "'0x10'", "'12'", "'010'", "'2024-01-31'", "'2024-02-29 10:11:12'", "'10:11:12'", "'%'", "'a%'", "'_b%'", "'😀'", "'it''s'", "'a,b,c'",
		"'x'", "'z,y'", "'true'", "'1,2'", "'a.b.c'", "'aXbXc'", "'.5'", "'+7'", "'é'", "'e'", "'99999999999999999999'"},
	"word": {"'a'", "'b'", "'abc'", "'ABC'", "'x'", "'hello world'", "'z'", "'é'", "''"},
	"hex":  {"0x04", "0xFF", "x'414243'", "0x0", "0x7F80", "b'1'", "b'101'", "b'0'", "0x20", "0xFFFFFFFFFFFFFFFF"},
	"date": {"DATE'2024-01-31'", "DATE'2024-02-29'", "DATE'1999-12-31'", "DATE'2000-01-01'", "DATE'0001-01-01'", "DATE'9999-12-31'", "'2024-01-31'",
		"'2023-03-01'", "'24-01-31'", "'2024/01/31'", "20240131", "'20240131'"},
	"dt": {"TIMESTAMP'2024-01-31 12:13:14'", "TIMESTAMP'2024-02-29 23:59:59.999999'", "TIMESTAMP'1970-01-01 00:00:01'", "TIMESTAMP'2024-01-31 00:00:00'",
		"TIMESTAMP'2024-12-31 23:59:59.5'", "'2024-01-31 12:13:14'", "'2024-01-31 12:13:14.25'", "'2024-01-31T12:13:14'", "'2024-02-30 10:00:00'", "20240131121314"},
	"time": {"TIME'10:11:12'", "TIME'00:00:00'", "TIME'-01:02:03'", "TIME'23:59:59.999'", "TIME'100:00:00'", "TIME'838:59:59'", "'10:11:12'", "'1 10:11:12'",
		"'10:11'", "101112", "'-10:11:12.5'"},
	"bool": {"TRUE", "FALSE", "NULL"},
	"null": {"NULL"},
	"json": {`'{"a": 1, "b": [1, 2, "x"]}'`, `'[]'`, `'{}'`, `'1'`, `'"x"'`, `'null'`, `'true'`, `'{"a": {"b": null}}'`, `'[1, [2, 3], {"a": 4}]'`, `'2.5'`,
		`'{"a": "it", "c": false}'`, `'[1, 2, 3]'`, `'[{"a": 1}, {"a": 2}]'`},
	"path": {`'$'`, `'$.a'`, `'$.b'`, `'$.b[0]'`, `'$.a.b'`, `'$[0]'`, `'$[1]'`, `'$[2].a'`, `'$.c'`, `'$[*]'`, `'$.*'`, `'$**.a'`},
	"way":  {`'$.a'`, `'$.b'`, `'$.b[0]'`, `'$.a.b'`, `'$[0]'`, `'$[1]'`, `'$.c'`},
	"unit": {"DAY", "DAY", "MONTH", "YEAR", "HOUR", "MINUTE", "SECOND", "WEEK", "QUARTER", "MICROSECOND"},
	"part": {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "QUARTER", "MICROSECOND", "YEAR_MONTH", "DAY_HOUR", "HOUR_MINUTE", "MINUTE_SECOND", "DAY_MINUTE",
		"HOUR_SECOND", "DAY_SECOND", "SECOND_MICROSECOND", "DAY_MICROSECOND", "WEEK"},
	"double":  {"YEAR_MONTH", "DAY_HOUR", "HOUR_MINUTE", "MINUTE_SECOND", "DAY_MINUTE", "HOUR_SECOND", "DAY_SECOND", "SECOND_MICROSECOND"},
	"span":    {"'1 2'", "'1:2'", "'1-2'", "'1 2:3:4'", "'2'", "'-1:30'", "'1.5'"},
	"format":  {"'%Y-%m-%d'", "'%H:%i:%s'", "'%W %M %e %y'", "'%j %U %u'", "'%X %V'", "'%x %v'", "'%a %b %D %c'", "'%h:%i %p'", "'%T.%f'", "'%r'", "'%k %l'", "'%%%d'"},
	"tformat": {"'%H:%i:%s'", "'%k %i'", "'%T.%f'", "'%h %p'", "'%r'"},
	"find":    {"'%Y-%m-%d'", "'%d.%m.%Y'", "'%Y-%m-%d %H:%i:%s'", "'%H:%i'", "'%M %d %Y'", "'%m/%d/%y'", "'%h:%i %p'"},
	"found":   {"'2024-01-31'", "'31.01.2024'", "'2024-01-31 10:11:12'", "'10:11'", "'January 5 2024'", "'1/2/24'", "'03:04 PM'", "'x'"},
	"mode":    {"0", "1", "2", "3", "4", "5", "6", "7"},
	"base":    {"2", "10", "16", "36", "-16", "8"},
	"pattern": {"'a%'", "'%b%'", "'_b%'", "'%'", "'abc'", "'A%'", "'%\\\\_%'", "''", "'5%'", "'%1%'"},
	"regexp":  {"'a'", "'^a'", "'b$'", "'[0-9]+'", "'a|b'", "'^$'", "'.b'", "'x*'"},
	"type": {"SIGNED", "UNSIGNED", "CHAR", "CHAR(3)", "BINARY", "BINARY(3)", "DATE", "DATETIME", "DATETIME(3)", "TIME", "TIME(2)", "DECIMAL(10,2)", "DECIMAL(5,1)",
		"DECIMAL", "DOUBLE", "DECIMAL(20,6)", "SIGNED INTEGER", "FLOAT"},
	"num": nil, "any": nil, "cond": nil, "when": nil,
}

// groups are kinds that stand for several.
var groups = map[string][]string{
	"num":  {"int", "int", "int", "dec", "dec", "dbl", "uint", "hex", "bool", "text"},
	"any":  {"int", "dec", "dbl", "text", "word", "date", "dt", "time", "bool", "hex", "uint", "null"},
	"when": {"dt", "dt", "date", "date", "time"},
}

// literal is a constant of a kind, at times a random one.
func (g *generator) literal(kind string) *node {
	if of := groups[kind]; of != nil {
		kind = pick(g, of)
	}
	if g.one(3) {
		switch kind {
		case "int":
			return leaf(fmt.Sprint(int64(g.Uint64()) >> g.IntN(64)))
		case "dec":
			return leaf(fmt.Sprintf("%d.%0*d", g.IntN(2000)-1000, 1+g.IntN(6), g.IntN(10)))
		case "dbl":
			return leaf(fmt.Sprintf("%ge%d", float64(g.IntN(2000)-1000)/8, g.IntN(12)-4))
		case "word":
			return leaf("'" + strings.Repeat(pick(g, []string{"a", "b", "A", "ab", "é"}), 1+g.IntN(3)) + "'")
		case "date":
			return leaf(fmt.Sprintf("DATE'%04d-%02d-%02d'", 1990+g.IntN(50), 1+g.IntN(12), 1+g.IntN(28)))
		case "dt":
			return leaf(fmt.Sprintf("TIMESTAMP'%04d-%02d-%02d %02d:%02d:%02d'", 1990+g.IntN(45), 1+g.IntN(12), 1+g.IntN(28), g.IntN(24), g.IntN(60), g.IntN(60)))
		case "time":
			return leaf(fmt.Sprintf("TIME'%02d:%02d:%02d'", g.IntN(100), g.IntN(60), g.IntN(60)))
		}
	}
	return leaf(pick(g, literals[kind]))
}
