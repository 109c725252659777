package keymap

import (
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

const (
	maxIndexName   = 28 // units
	cutIndexName   = 10 // units before the hash of a longer name
	indexHashUnits = 16 // base32hex digits, 80 bit
)

// IndexName is how keys name an index: the code of the name in lower case, so without the separator,
// and never RowPrefix. It takes at most 28 units; of a longer name there is the beginning and a hash.
// Different names, but for their case, are different.
func IndexName(name string) string { return nameCode(value.Fold(name)) }

// NestedName is IndexName of a name that is one of several tables' in the same physical table: outer is the
// IndexName or NestedName of the table. No IndexName is the same, and of all outer and name only those that are the
// same, but for the case of name.
func NestedName(outer, name string) string { return nameCode(outer + nested + value.Fold(name)) }

// nested stands between the names: no name of SQL has it.
const nested = "\x00"

// NestedSpans are the spans of all keys of a table that shares its physical table with others: outer begins the
// keys of its rows, and inner, each a NestedName of it, those of its index entries. There is one span where outer
// is all characters that are their own codes: whatever begins with that and nested is its own then.
func NestedSpans(outer string, inner []string) []Span {
	spans := []Span{PrefixSpan(outer + string(Separator))}
	if isPlain(outer) {
		spans[0].To = Successor(string(appendRune([]byte(outer), 0)))
	}
	for _, name := range inner {
		if s := PrefixSpan(name + string(Separator)); !spans[0].Contains(s.From) {
			spans = append(spans, s)
		}
	}
	return spans
}

// isPlain says whether all characters of a name are their own codes.
func isPlain(name string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf || !asItself[name[i]] {
			return false
		}
	}
	return true
}

// nameCode is the code of a folded name, cut where it is long.
func nameCode(name string) string {
	dst, short := make([]byte, 0, 2*maxIndexName), 0
	for _, r := range name {
		if dst = appendRune(dst, r); len(dst) <= cutIndexName {
			short = len(dst)
		}
		if r == utf8.RuneError || len(dst) > maxIndexName {
			// What is no UTF-8 would look like U+FFFD; its hash does not.
			return string(dst[:short]) + cutMark + hashName(name, indexHashUnits)
		}
	}
	return string(dst)
}
