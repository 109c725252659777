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
func IndexName(name string) string {
	name = value.Fold(name)
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
