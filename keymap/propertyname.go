package keymap

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Names of properties follow C#'s rules for identifiers. Only ASCII is used, because stores differ in what else they accept in a filter. Other
// characters become _xHH_ with the hex digits of the code point, as XML's tools write it; _x_ means nothing and precedes names that are taken.
const (
	maxPropertyName = 200 // of what is written out; longer ones, up to 255, end in a hash
	propertyHash    = "_xh"
)

// ownPrefix begins the names of the driver's own properties; no column's name does.
const ownPrefix = "nf_"

// OperationIDs is the property of an entity that says which transactions wrote it last: the ids of the last ones, newest first. Another program
// that writes the entity may leave it out.
const OperationIDs = ownPrefix + "o"

// takenNames are names of properties of every entity, and words of the filter language.
var takenNames = map[string]bool{
	"partitionkey": true, "rowkey": true, "timestamp": true, "etag": true,
	"and": true, "or": true, "not": true, "eq": true, "ne": true, "gt": true, "ge": true, "lt": true,
	"le": true, "true": true, "false": true, "null": true, "nan": true, "inf": true,
}

// PropertyName is the property that holds a column. It keeps the case as written; columns that differ by more than case have different
// properties. It never equals one of an entity's own properties, does not begin with ownPrefix and does not look like a PropertyPart.
func PropertyName(column string) string {
	var b strings.Builder
	short := 0 // the end of a character near where a hash would begin
	for i := 0; i < len(column); {
		if b.Len() <= maxPropertyName {
			short = b.Len()
		}
		r, size := utf8.DecodeRuneInString(column[i:])
		switch {
		case r == utf8.RuneError && size == 1: // not UTF-8: identified by the octet, above all code points
			writeEscape(&b, 0xFF0000|rune(column[i]))
		case r == '_' && looksEscaped(column[i:]), b.Len() == 0 && '0' <= r && r <= '9':
			writeEscape(&b, r)
		case r == '_' || r < utf8.RuneSelf && isAlphanumeric(byte(r)):
			b.WriteByte(byte(r))
		default:
			writeEscape(&b, r)
		}
		i += size
	}
	name := b.String()
	if lower := strings.ToLower(name); takenNames[lower] || strings.HasPrefix(lower, ownPrefix) {
		name, short = "_x_"+name, short+len("_x_")
	}
	if n := len(name); n >= 3 && name[n-3] == '_' && isDigit(name[n-2]) && isDigit(name[n-1]) {
		var last strings.Builder
		writeEscape(&last, rune(name[n-1]))
		name = name[:n-1] + last.String()
	}
	if len(name) <= maxPropertyName {
		return name
	}
	// Every hashed name is longer than any other, because a character takes less than the hash.
	return name[:short] + propertyHash + hashName(value.Fold(column), hashUnits)
}

// PropertyPart is the property that holds the i-th part of a long value, from 0 to 99: NAME,
// NAME_01, NAME_02. name is what PropertyName gave.
func PropertyPart(name string, i int) string {
	switch {
	case i == 0:
		return name
	case i < 10:
		return name + "_0" + strconv.Itoa(i)
	}
	return name + "_" + strconv.Itoa(i)
}

// PropertyNull is the property that says that a column is NULL, in a table where a row without the column's property has another value. It is
// not a PropertyPart. name is a result of PropertyName.
func PropertyNull(name string) string { return name + "_00" }

// looksEscaped says whether s begins as an escape would when written: _x, hex digits, _. Any character but a letter or digit provides that _,
// because its escape begins with it.
func looksEscaped(s string) bool {
	if !strings.HasPrefix(s, "_x") {
		return false
	}
	for i := 2; i < len(s); i++ {
		c := s[i]
		if !isDigit(c) && (c < 'A' || c > 'F') {
			return !isAlphanumeric(c)
		}
	}
	return false
}

func writeEscape(b *strings.Builder, r rune) {
	b.WriteString("_x")
	b.WriteString(strings.ToUpper(strconv.FormatInt(int64(r), 16)))
	b.WriteByte('_')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
