package keymap

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

var (
	legalTable    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{2,62}$`)
	legalProperty = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	escape        = regexp.MustCompile(`_x[0-9A-F]*_`)
)

// unescapeProperty reads a property's name back, which shows that no two columns share one.
func unescapeProperty(name string) string {
	return escape.ReplaceAllStringFunc(name, func(e string) string {
		digits := e[2 : len(e)-1]
		if digits == "" {
			return ""
		}
		r, err := strconv.ParseInt(digits, 16, 32)
		if err != nil {
			return e
		}
		if r >= 0xFF0000 {
			return string([]byte{byte(r)})
		}
		return string(rune(r))
	})
}

func checkNames(t *testing.T, database, table, column string) {
	t.Helper()
	physical, prefix := TableName(database, table), DatabasePrefix(database)
	if table != "" && !legalTable.MatchString(physical) || strings.EqualFold(physical, "tables") {
		t.Fatalf("table %q of %q is %q", table, database, physical)
	}
	if next := TableGeneration(physical, 9999); table != "" && !legalTable.MatchString(next) || TableGeneration(physical, 0) != physical || strings.Count(next, escapeGeneration) != 1 {
		t.Fatalf("the generation of %q is %q", physical, next)
	}
	if !strings.HasPrefix(physical, prefix) || strings.EqualFold(physical, CatalogTable(database)) || !legalTable.MatchString(CatalogTable(database)) {
		t.Fatalf("table %q of %q is %q, catalog %q", table, database, physical, CatalogTable(database))
	}
	if !HoldsRows(physical) || !HoldsRows(strings.ToLower(SharedTable(database))) || HoldsRows(CatalogTable(database)) || HoldsRows(strings.ToLower(CatalogTable(database))) {
		t.Fatalf("table %q or the catalog %q: which of them holds rows is not known", physical, CatalogTable(database))
	}
	tail := physical[len(prefix):]
	if strings.Contains(tail, escapeHash) {
		if len(physical) < 40 {
			t.Fatalf("table %q of %q is %q", table, database, physical)
		}
	} else if got, ok := unescapeName(strings.ToLower(tail)); !ok || got != value.Fold(table) {
		t.Fatalf("table %q is %q, which reads %q", table, tail, got)
	}
	for _, catalog := range []string{CatalogTable(database), strings.ToLower(CatalogTable(database))} {
		got, known, ok := CatalogDatabase(catalog)
		if !ok || known == strings.Contains(prefix, escapeHash) || known && got != value.Fold(database) {
			t.Fatalf("database %q has the catalog %q, which reads %q, %v", database, catalog, got, ok)
		}
	}
	if _, _, ok := CatalogDatabase(physical); ok || CatalogOf(physical) != CatalogTable(database) || CatalogOf(SharedTable(database)) != CatalogTable(database) {
		t.Fatalf("table %q of %q has the catalog %q", physical, database, CatalogOf(physical))
	}
	if i := strings.Index(strings.ToLower(physical), "z8"); i+2 != len(prefix) {
		t.Fatalf("the end of database %q is not the first in %q", database, physical)
	}

	name := PropertyName(column)
	folded := strings.ToLower(name)
	if column != "" && !legalProperty.MatchString(name) || len(PropertyPart(name, 99)) > 255 || takenNames[folded] || strings.HasPrefix(folded, ownPrefix) {
		t.Fatalf("column %q is %q", column, name)
	}
	if regexp.MustCompile(`_[0-9][0-9]$`).MatchString(name) {
		t.Fatalf("column %q is %q, which looks like a part", column, name)
	}
	if len(name) <= maxPropertyName {
		if got := unescapeProperty(name); got != column {
			t.Fatalf("column %q is %q, which reads %q", column, name, got)
		}
	} else if !strings.HasSuffix(name, propertyHash+hashName(value.Fold(column), hashUnits)) {
		t.Fatalf("column %q is %q", column, name)
	}

	index := IndexName(table)
	checkAlphabet(t, index)
	if index == RowPrefix || len(index) > maxIndexName {
		t.Fatalf("index %q is %q", table, index)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("shop", "Order_Items", "_x2-")
	f.Add("", "z1", "nf_x")
	f.Add("z", "z8", "Timestamp")
	f.Add("1", "\xff", "a_01")
	f.Add("größe größe größe größe", strings.Repeat("z_", 30), strings.Repeat("ö", 50))
	f.Fuzz(checkNames)
}

// TestNamesApart: names that differ by more than case have different physical names, whatever their
// characters look like escaped.
func TestNamesApart(t *testing.T) {
	pieces := []string{"", "a", "A", "z", "Z", "0", "1", "8", "_", "x", "2D", "-", "z1", "Z8", "_x_", "_x2D_", "_x2", "ö", "Ö", "_01", "nf_", "\x02", "\xff", "\xfe"}
	var names []string
	for _, a := range pieces {
		for _, b := range pieces {
			for _, c := range pieces {
				names = append(names, a+b+c)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for what, f := range map[string]func(string) string{
		"table":    func(s string) string { return strings.ToLower(TableName("d", s)) },
		"database": func(s string) string { return strings.ToLower(DatabasePrefix(s)) },
		"property": PropertyName,
		"index":    IndexName,
	} {
		of := map[string]string{}
		for _, n := range names {
			physical, folded := f(n), value.Fold(n)
			if other, ok := of[physical]; ok && other != folded {
				t.Errorf("%s %q and %q are both %q", what, other, folded, physical)
			}
			of[physical] = folded
			if what == "property" {
				for i := 1; i < 3; i++ {
					of[PropertyPart(physical, i)] = folded + "\x00part of it"
				}
			}
		}
	}
	for _, n := range names {
		checkNames(t, n, n+"t", n)
	}
}

// TestNestedNames: tables that share a physical table, and their indexes, have names of their own, whatever the
// names of SQL look like, and each table's spans hold its keys and nobody else's.
func TestNestedNames(t *testing.T) {
	long := strings.Repeat("long", 8)
	names := []string{"item", "items", "item_2", "PK", "a", "a$", "a$0", "a$00", "a$1", "a!", "a\"", "a\"0x", "a~", "my table", `my"wtable`, "größe",
		long[:26], long[:27], long[:28], long[:29], long, long + "x", long[:10], long[:8], "\xff", "\xfe"}
	type table struct {
		outer string
		inner []string
	}
	var tables []table
	seen := map[string]string{}
	add := func(key, what string) {
		if other, dup := seen[key]; dup {
			t.Errorf("%s and %s are both %q", what, other, key)
		}
		seen[key] = what
		checkAlphabet(t, key)
		if key == RowPrefix || len(key) > maxIndexName {
			t.Errorf("%s is %q", what, key)
		}
	}
	var nest func(what, outer string, depth int)
	nest = func(what, outer string, depth int) {
		add(outer, what)
		tb := table{outer: outer}
		for _, name := range []string{"x", "item", "a", "a$1", long, "\u4e2d"} {
			inner := NestedName(outer, name)
			tb.inner = append(tb.inner, inner)
			if depth > 0 && name == "item" { // a table inside the table
				nest(what+"."+name, inner, depth-1)
			} else {
				add(inner, what+"."+name)
			}
		}
		tables = append(tables, tb)
	}
	for _, name := range names {
		nest(fmt.Sprintf("%q", name), IndexName(name), 2)
	}
	for r := rune(0x4E00); r < 0x4E80; r++ { // some of their codes differ by case alone
		nest(string(r), IndexName(string(r)), 0)
	}
	if NestedName("item", "What") != `item"0what` || NestedName("item", "what") != `item"0what` {
		t.Errorf("%q", NestedName("item", "What"))
	}
	for _, tb := range tables {
		spans := NestedSpans(tb.outer, tb.inner)
		own := map[string]bool{tb.outer: true}
		for _, inner := range tb.inner {
			own[inner] = true
		}
		for key, what := range seen {
			key += "!8000!x"
			holds := slices.ContainsFunc(spans, func(s Span) bool { return s.Contains(key) })
			if own[key[:len(key)-len("!8000!x")]] != holds {
				t.Errorf("the spans %q of %q hold %s: %v", spans, tb.outer, what, holds)
			}
		}
	}
	if spans := NestedSpans("item", []string{NestedName("item", "a"), NestedName("item", "b")}); len(spans) != 1 {
		t.Errorf("%q", spans)
	}
}

func TestLongNames(t *testing.T) {
	for _, unit := range []string{"a", "z", "z1", "_", "ö", "\U0001F44D", "-"} {
		tables, properties, indexes := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for n := 1; n < 300; n++ {
			name := strings.Repeat(unit, n)
			checkNames(t, name, name, name)
			tables[TableName("shop", name)], properties[PropertyName(name)], indexes[IndexName(name)] = true, true, true
			if n > 1 && (len(tables) != n || len(properties) != n || len(indexes) != n) {
				t.Fatalf("a name of %d × %q is not new", n, unit)
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for _, s := range []string{"", "a", "abc", "äöü", "a👍b👍", strings.Repeat("👍", 20), strings.Repeat("日本", 20)} {
		if got, want := UTF16Len(s), len(utf16.Encode([]rune(s))); got != want {
			t.Errorf("UTF16Len(%q) = %d, want %d", s, got, want)
		}
		for units := 2; units < 10; units++ {
			parts := SplitText(s, units)
			if strings.Join(parts, "") != s || s == "" && len(parts) != 1 {
				t.Errorf("%q in parts: %q", s, parts)
			}
			for i, p := range parts {
				if UTF16Len(p) > units || !utf8.ValidString(p) || i < len(parts)-1 && UTF16Len(p) < units-1 {
					t.Errorf("%q in parts of %d: %q", s, units, parts)
				}
			}
			octets := SplitBytes(s, units)
			if strings.Join(octets, "") != s || len(octets) != max(1, (len(s)+units-1)/units) {
				t.Errorf("%q in octets: %q", s, octets)
			}
		}
	}
}

// TestPartTable: parts have legal names that differ by database, table, part and version, and from those of tables.
func TestPartTable(t *testing.T) {
	seen := map[string]string{}
	add := func(name, what string) {
		if len(name) > 63 || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			t.Errorf("%s: %q is no name of a table", what, name)
		}
		folded := strings.ToLower(name)
		if other, dup := seen[folded]; dup {
			t.Errorf("%s and %s are both %s", what, other, name)
		}
		seen[folded] = what
	}
	long := strings.Repeat("long", 20)
	for _, database := range []string{"", "db", long} {
		add(SharedTable(database), "shared table of "+database)
		add(CatalogTable(database), "catalog of "+database)
		for _, table := range []string{"log", "logp1", "log_p1", long} {
			for generation := range 3 {
				add(TableGeneration(TableName(database, table), generation), "table "+database+"."+table+strconv.Itoa(generation))
			}
			for _, part := range []string{"", "p1", "p_1", long} {
				for _, version := range []int64{1, 2, 36, 36*36 + 1, 1 << 36} {
					add(PartitionTable(database, table, part, version), "part "+database+"."+table+"."+part+strconv.FormatInt(version, 10))
				}
			}
		}
	}
	if got := PartitionTable("", "log", "p2026", 7); got != "Z8logZ400p2026Z9v7" {
		t.Error(got)
	}
}

func TestBucket(t *testing.T) {
	// The hashes of the FNV authors' test vectors: "" cbf29ce484222325, "a" af63dc4c8601ec8c, "foobar" 85944171f73967e8.
	for in, want := range map[string]string{"": "2325", "a": "ec8c", "foobar": "67e8"} {
		if got := Bucket(in, 65536); got != want {
			t.Errorf("Bucket(%q) = %s, want %s", in, got, want)
		}
	}
	seen := map[string]int{}
	for i := range 1600 {
		seen[Bucket(strconv.Itoa(i), 16)]++
	}
	for i := range 16 {
		if n := seen[BucketName(i)]; n < 50 || n > 200 {
			t.Errorf("bucket %s has %d of 1600 keys", BucketName(i), n)
		}
	}
	if len(seen) != 16 || Bucket("x", 1) != "0000" || Bucket("x", 0) != "0000" || BucketName(65535) != "ffff" {
		t.Error(seen)
	}
}
