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

// IndexName is how keys name an index: the code of the name in lower case, so without the separator, and never RowPrefix. It takes at most 28
// units; a longer name is its beginning and a hash. Names that differ by more than case are different.
func IndexName(name string) string { return nameCode(value.Fold(name)) }

// NestedName is IndexName for a name in a physical table that several tables share: outer is the IndexName or NestedName of the table. It equals
// no IndexName, and two are equal only if both outer and name are, ignoring the case of name.
func NestedName(outer, name string) string { return nameCode(outer + nested + value.Fold(name)) }

// nested is between the names: no name in SQL contains it.
const nested = "\x00"

// NestedSpans are the spans of all keys of a table that shares its physical table with others: outer begins the keys of its rows, and inner,
// each a NestedName of it, those of its index entries. There is one span if all characters of outer are their own codes: whatever begins with
// outer and nested then belongs to the table.
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

// nameCode is the code of a folded name, cut if it is long.
func nameCode(name string) string {
	dst, short := make([]byte, 0, 2*maxIndexName), 0
	for _, r := range name {
		if dst = appendRune(dst, r); len(dst) <= cutIndexName {
			short = len(dst)
		}
		if r == utf8.RuneError || len(dst) > maxIndexName {
			// Invalid UTF-8 would look like U+FFFD; its hash does not.
			return string(dst[:short]) + cutMark + hashName(name, indexHashUnits)
		}
	}
	return string(dst)
}
