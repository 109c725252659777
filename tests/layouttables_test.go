package tests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree"
)

// twinColumn is a column of both twins.
type twinColumn struct {
	name string
	twinType
	notNull bool
	made    string // what it is generated from; "" otherwise
}

// twinType is a type of column and the constants that are written to it and compared with it.
type twinType struct {
	sql    string
	values []string
	form   string // in the key of an external table; its EDM, of a property
	noKey  bool
	text   bool
}

func quoted(all ...string) (out []string) {
	for _, s := range all {
		out = append(out, literal(s))
	}
	return out
}

func octets(all ...string) (out []string) {
	for _, s := range all {
		out = append(out, fmt.Sprintf("x'%x'", s))
	}
	return out
}

// keyTexts are texts that any key of another program can have.
var keyTexts = []string{"", " ", "a", "A", "ab", "a ", " a", "a!", "a!b", "!", "'", `"`, "%", "a%", "+", "\ufeff", "\ufffd", "\uffff", "\ue000", "\ud7ff",
	"\U00010000", "\U0010ffff", "😀", "ß", "ss", "K", "k", "~", "é", "zz", strings.Repeat("x", 100), strings.Repeat("x", 100) + "y"}

var twinTexts = append(slices.Clone(keyTexts), "_", "/", `\`, "#", "?", "a\x00", "a\x00b", "\x00", "\x01", "\x7f", "\u009f",
	strings.Repeat("x", 300), strings.Repeat("x", 299)+"y", strings.Repeat("x", 299)+"\x00", strings.Repeat("😀", 250), strings.Repeat("\x00", 300))

var (
	wholes    = []string{"0", "1", "2", "3", "10", "99", "100", "12345"}
	times     = []string{"'0001-01-01 00:00:00.000001'", "'9999-12-31 23:59:59.999999'", "'1600-12-31 23:59:59.5'", "'1601-01-01 00:00:00'", "'2024-02-29 12:00:00'", "'2024-02-29 12:00:00.000001'"}
	days      = []string{"'0001-01-01'", "'9999-12-31'", "'1066-10-14'", "'1600-12-31'", "'1601-01-01'", "'2024-02-29'", "'2024-03-01'"}
	twinUUIDs = quoted("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "6f9619ff-8b86-d011-b42d-00c04fc964ff", "6f9619ff-8b86-d011-b42d-00c04fc964fe")
	signed    = []string{"0", "1", "-1", "2", "3", "10", "9223372036854775807", "-9223372036854775808", "9007199254740993"}
	unsigned  = []string{"0", "1", "2", "10", "18446744073709551615", "9223372036854775808", "9223372036854775807"}
	floats    = []string{"0e0", "-0e0", "1e0", "1e300", "-1e300", "5e-324", "0.1e0", "-1.5e0"}
)

var twinTypes = []twinType{
	{sql: "BIGINT", values: signed},
	{sql: "INT", values: []string{"0", "1", "2", "3", "4", "5", "-1", "-5", "2147483647", "-2147483648"}},
	{sql: "BIGINT UNSIGNED", values: unsigned},
	{sql: "DOUBLE", values: floats},
	{sql: "DECIMAL(30,10)", values: []string{"0", "-0.0000000001", "0.0000000001", "1", "-1.5", "99999999999999999999.9999999999", "-99999999999999999999.9999999999", "12345678901234567.25", "12345678901234567.26"}},
	{sql: "DECIMAL(4,2)", values: []string{"0", "-0.01", "0.01", "1", "-1.5", "99.99", "-99.99", "1.50"}},
	{sql: "VARCHAR(400)", text: true, values: quoted(twinTexts...)},
	{sql: "VARCHAR(400) COLLATE nocase", text: true, values: quoted(twinTexts...)},
	{sql: "VARCHAR(400) COLLATE utf8mb4_general_ci", text: true, values: quoted(twinTexts...)},
	{sql: "VARCHAR(400) COLLATE utf8mb4_0900_ai_ci", text: true, values: quoted(append([]string{"a ", "ae", "æ", "ß", "SS", "e\u0301"}, twinTexts...)...)},
	{sql: "VARCHAR(400) COLLATE utf8mb4_0900_as_cs", text: true, values: quoted(append([]string{"a ", "Ä", "ä", "e\u0301"}, twinTexts...)...)},
	{sql: "VARCHAR(400) COLLATE utf8mb4_bin", text: true, values: quoted(append([]string{"a ", "a  ", " "}, twinTexts...)...)},
	{sql: "CHAR(3)", text: true, values: quoted("", "a", "A", "ab", "abc", "a!", "é", "\x00", "😀")},
	{sql: "VARBINARY(1200)", values: octets(append(slices.Clone(twinTexts), notText...)...)},
	{sql: "DATE", values: days},
	{sql: "DATETIME(6)", values: times},
	{sql: "TIME", values: []string{"'00:00:00'", "'-00:00:01'", "'838:59:59'", "'-838:59:59'", "'12:00:00'"}},
	{sql: "BOOL", values: []string{"TRUE", "FALSE"}},
	{sql: "ENUM('z','a','B','b!')", values: append(quoted("z", "a", "B", "b!"), "1", "4")},
	{sql: "ENUM('z','a','B','b!') COLLATE nocase", values: append(quoted("z", "a", "B", "b!", "Z"), "2")},
	{sql: "SET('z','a','B','2')", values: append(quoted("", "z", "a,B", "z,2", "2", "z,a,B,2"), "1", "4")},
	{sql: "BIT(12)", values: []string{"0", "1", "0xFFF", "b'10'", "0x61"}},
	{sql: "BIT(64)", values: []string{"0", "1", "0xFFFFFFFFFFFFFFFF", "18446744073709551614", "0x6161"}},
	{sql: "UUID", values: twinUUIDs},
	{sql: "TEXT", text: true, noKey: true, values: quoted(append(slices.Clone(twinTexts), strings.Repeat("long", 9000))...)},
	{sql: "BLOB", noKey: true, values: octets(append(slices.Clone(notText), "a", strings.Repeat("\xff", 70000))...)},
	{sql: "JSON", noKey: true, values: quoted(`{"a": 1}`, `{"a": "x"}`, `[]`, `null`, `{"a": null}`)},
}

// pieces are columns of an external table's keys, and properties its others.
var pieces = []twinType{
	{sql: "VARCHAR(200)", text: true, values: quoted(slices.DeleteFunc(slices.Clone(keyTexts), func(s string) bool { return strings.Contains(s, "_") })...)},
	{sql: "INT", values: wholes},
	{sql: "INT", values: wholes, form: ":D6"},
	{sql: "BIGINT", values: append([]string{"9223372036854775807"}, wholes...), form: ":R19"},
	{sql: "BIGINT UNSIGNED", values: unsigned, form: ":D20"},
	{sql: "DATETIME(6)", values: times, form: ":R19"},
	{sql: "DATETIME(6)", values: times, form: ":D19"},
	{sql: "UUID", values: twinUUIDs},
	{sql: "UUID", values: twinUUIDs, form: ":N"},
}

var properties = []twinType{
	{sql: "INT", values: wholes, form: " EDM Int32"},
	{sql: "BIGINT", values: signed, form: " EDM Int64"},
	{sql: "BIGINT", values: signed},
	{sql: "DOUBLE", values: slices.DeleteFunc(slices.Clone(floats), func(s string) bool { return s == "-0e0" }), form: " EDM Double"}, // -0 is 0 there
	{sql: "VARCHAR(400)", text: true, values: quoted(twinTexts...), form: " EDM String"},
	{sql: "VARCHAR(400) COLLATE nocase", text: true, values: quoted(twinTexts...), form: " EDM String"},
	{sql: "BOOL", values: []string{"TRUE", "FALSE"}, form: " EDM Boolean"},
	{sql: "DATETIME(6)", values: times[3:], form: " EDM DateTime"},
	{sql: "UUID", values: twinUUIDs, form: " EDM Guid"},
	{sql: "VARBINARY(200)", values: octets(notText...), form: " EDM Binary"},
}

// column makes a column of one of the types, half of them of few values, so that there are ties.
func (w *twins) column(types []twinType) twinColumn {
	c := twinColumn{name: fmt.Sprintf("c%d", len(w.columns)), twinType: types[w.IntN(len(types))]}
	if w.IntN(2) == 0 {
		c.values = slices.Clone(c.values)
		w.Shuffle(len(c.values), func(i, j int) { c.values[i], c.values[j] = c.values[j], c.values[i] })
		c.values = c.values[:min(len(c.values), 2+w.IntN(4))]
	}
	w.columns = append(w.columns, c)
	return c
}

// define gives the statements that make the twins.
func (w *twins) define() (stored, plain string) {
	keyTypes := slices.DeleteFunc(slices.Clone(twinTypes), func(t twinType) bool { return t.noKey })
	for i := range 1 + w.IntN(3) {
		w.column(keyTypes)
		w.columns[i].notNull, w.key = true, append(w.key, i)
	}
	for range 1 + w.IntN(4) {
		w.column(twinTypes)
	}
	for _, c := range w.columns {
		made := twinColumn{name: fmt.Sprintf("c%d", len(w.columns)), twinType: twinType{sql: "VARCHAR(20)", text: true, values: quoted("1", "x", "null")}}
		switch c.sql {
		case "JSON":
			made.made = "(" + c.name + "->>'$.a')"
		case "INT":
			made.twinType, made.made = twinType{sql: "BIGINT", values: []string{"0", "2", "4", "-2", "4294967294"}}, "("+c.name+" * 2)"
		default:
			continue
		}
		w.columns = append(w.columns, made)
		break
	}
	var columns []string
	for _, c := range w.columns {
		def := c.name + " " + c.sql
		if c.notNull {
			def += " NOT NULL"
		}
		if c.made != "" {
			def += " AS " + c.made + " STORED"
		}
		columns = append(columns, def)
	}
	w.unique = slices.Clone(w.key)
	partition := w.partition()
	storedKeys, plainKeys := []string{"PRIMARY KEY (" + w.directed(w.key) + ")"}, []string{"PRIMARY KEY (" + w.names(w.key) + ")"}
	for i := range w.IntN(4) {
		w.index(fmt.Sprintf("x%d", i), &storedKeys, &plainKeys)
	}
	return fmt.Sprintf("CREATE TABLE t (%s)%s", strings.Join(append(slices.Clone(columns), storedKeys...), ", "), partition),
		fmt.Sprintf("CREATE TABLE t (%s)", strings.Join(append(columns, plainKeys...), ", "))
}

// directed gives columns, some of them DESC, and those that are too long for a key by a prefix.
func (w *twins) directed(parts []int) string {
	var out []string
	for _, p := range parts {
		prefix := ""
		if c := w.columns[p]; c.noKey || c.sql == "VARCHAR(400)" && !slices.Contains(w.unique, p) && w.IntN(4) == 0 {
			prefix = fmt.Sprintf("(%d)", 1+w.IntN(4))
		}
		out = append(out, w.columns[p].name+prefix+w.pick("", "", " DESC"))
	}
	return strings.Join(out, ", ")
}

// index adds an index, which the plain table has only when it is unique.
func (w *twins) index(name string, stored, plain *[]string) {
	var parts []int
	for range 1 + w.IntN(3) {
		if p := w.IntN(len(w.columns)); !slices.Contains(parts, p) && w.columns[p].sql != "JSON" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return
	}
	w.indexes = append(w.indexes, parts)
	whole := !slices.ContainsFunc(parts, func(p int) bool { return w.columns[p].noKey })
	for _, p := range w.split {
		whole = whole && slices.Contains(parts, p)
	}
	more := w.IntN(len(w.columns))
	switch n := w.IntN(6); {
	case n == 0 && whole:
		w.unique = append(w.unique, parts...)
		*plain = append(*plain, fmt.Sprintf("UNIQUE KEY %s (%s)", name, w.names(parts)))
		*stored = append(*stored, fmt.Sprintf("UNIQUE KEY %s (%s)", name, w.directed(parts)))
	case n == 1:
		*stored = append(*stored, fmt.Sprintf("KEY %s (%s) COPY KEYS", name, w.directed(parts)))
	case n == 2 && !slices.Contains(parts, more) && !slices.Contains(w.key, more):
		*stored = append(*stored, fmt.Sprintf("KEY %s (%s) INCLUDE (%s)", name, w.directed(parts), w.columns[more].name))
	default:
		*stored = append(*stored, fmt.Sprintf("KEY %s (%s)", name, w.directed(parts)))
	}
}

// partition divides the stored table, or does not.
func (w *twins) partition() string {
	some := w.Perm(len(w.key))[:1+w.IntN(len(w.key))]
	for i, k := range some {
		some[i] = w.key[k]
	}
	c := w.columns[some[0]]
	switch w.IntN(8) {
	case 0:
		w.split = some
		return " PARTITION BY KEY (" + w.names(some) + ")"
	case 1:
		w.split = some
		return fmt.Sprintf(" PARTITION BY HASH (%s) PARTITIONS %d", w.names(some), 2+w.IntN(3))
	case 2:
		w.split = some[:1]
		if w.IntN(3) == 0 {
			w.split = some
			return fmt.Sprintf(" PARTITION BY LIST COLUMNS (%s) AUTOMATIC", w.names(some))
		}
		half := (len(c.values) + 1) / 2
		switch {
		case c.sql == "INT":
			return fmt.Sprintf(" PARTITION BY RANGE (%s) INTERVAL (%s)", c.name, w.pick("2", "1000"))
		case strings.HasPrefix(c.sql, "DATE") && w.IntN(2) == 0:
			return fmt.Sprintf(" PARTITION BY RANGE (%s) INTERVAL (%s)", c.name, w.pick("1 MONTH", "1 YEAR", "2 DAY"))
		case c.sql == "DATE":
			return fmt.Sprintf(" PARTITION BY RANGE (YEAR(%s)) (PARTITION a VALUES LESS THAN (1601), PARTITION b VALUES LESS THAN (2024), PARTITION c VALUES LESS THAN MAXVALUE)", c.name)
		case half < len(c.values) && len(c.values) < 8 && c.sql != "DOUBLE" && !strings.Contains(c.sql, "COLLATE") && !strings.HasPrefix(c.sql, "DECIMAL"):
			return fmt.Sprintf(" PARTITION BY LIST COLUMNS (%s) (PARTITION a VALUES IN (%s), PARTITION b VALUES IN (%s))",
				c.name, strings.Join(c.values[:half], ", "), strings.Join(c.values[half:], ", "))
		}
		return fmt.Sprintf(" PARTITION BY RANGE COLUMNS (%s) (PARTITION a VALUES LESS THAN (%s), PARTITION b VALUES LESS THAN (MAXVALUE))", c.name, w.pick(c.values...))
	}
	return ""
}

// defineExternal gives the statements that make the twins, the stored one as another program's table.
func (w *twins) defineExternal() (stored, plain string) {
	var mapped, columns []string
	var keys [2]string
	n := 1 + w.IntN(4)
	split := w.IntN(n + 1)
	for i := range n {
		c := w.column(pieces)
		w.columns[i].notNull, w.key = true, append(w.key, i)
		key := &keys[1]
		if i < split {
			key = &keys[0]
		}
		if *key != "" {
			*key += "_"
		}
		*key += "{" + c.name + c.form + "}"
		mapped, columns = append(mapped, c.name+" "+c.sql), append(columns, c.name+" "+c.sql+" NOT NULL")
	}
	w.unique = w.key
	for range w.IntN(4) {
		c := w.column(properties)
		mapped, columns = append(mapped, c.name+" "+c.sql+c.form), append(columns, c.name+" "+c.sql)
	}
	for i := range keys {
		if keys[i] == "" {
			keys[i] = "fixed"
		}
	}
	return fmt.Sprintf("CREATE EXTERNAL TABLE t (%s) LOCATION 'Twin%x' PARTITION KEY '%s' ROW KEY '%s'", strings.Join(mapped, ", "), w.Uint64(), keys[0], keys[1]),
		fmt.Sprintf("CREATE TABLE t (%s, PRIMARY KEY (%s))", strings.Join(columns, ", "), w.names(w.key))
}

// alter adds a column to both, whose rows are as they were written before, or an index.
func (w *twins) alter() {
	var stored, plain []string // what is added
	if w.IntN(3) == 0 {
		w.index(fmt.Sprintf("a%d", len(w.log)), &stored, &plain)
	} else {
		c := w.column(twinTypes)
		def := c.name + " " + c.sql
		if !c.noKey && w.IntN(3) > 0 {
			values := c.values
			if strings.HasPrefix(c.sql, "ENUM") || strings.HasPrefix(c.sql, "SET") { // a number is no default of theirs
				values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v[0] != '\'' })
			}
			if def += " DEFAULT " + w.pick(values...); w.IntN(2) == 0 {
				w.columns[len(w.columns)-1].notNull = true
				def += " NOT NULL"
			}
		}
		stored, plain = []string{"COLUMN " + def}, []string{"COLUMN " + def}
	}
	for conn, adds := range map[*sql.Conn][]string{w.stored: stored, w.plain: plain} {
		for _, add := range adds {
			w.log = append(w.log, "ALTER TABLE t ADD "+add)
			_, err := conn.ExecContext(context.Background(), "ALTER TABLE t ADD "+add)
			if err != nil && !errors.Is(err, nearlyfree.ErrDuplicateKey) { // the same for both
				w.Errorf("ALTER TABLE t ADD %s: %v", add, err)
			}
		}
	}
	w.compare("SELECT * FROM t", false)
}
