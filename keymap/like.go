package keymap

import (
	"strings"
	"unicode/utf8"
)

// LikeRest says what follows the prefix of a LIKE pattern.
type LikeRest uint8

// What follows the prefix.
const (
	Exact      LikeRest = iota // nothing: the pattern is an equality
	PrefixOnly                 // % alone: all texts that begin with the prefix
	More                       // something else: the prefix is all that a span can say
)

// LikePrefix splits a LIKE pattern at its first wildcard (% or _), with escapes resolved: escape makes the next character represent itself, and
// at the end of the pattern represents itself. escape 0 is none. The prefix is as in the pattern: a part folds it by its collation.
func LikePrefix(pattern string, escape rune) (prefix string, rest LikeRest) {
	plain := 0 // the prefix up to here needs no copy
	var b strings.Builder
	for i := 0; i < len(pattern); {
		r, size := utf8.DecodeRuneInString(pattern[i:])
		switch {
		case r == escape && escape != 0 && i+size < len(pattern):
			b.WriteString(pattern[plain:i])
			_, next := utf8.DecodeRuneInString(pattern[i+size:])
			plain = i + size
			i = plain + next
			continue
		case r == '%' || r == '_':
			b.WriteString(pattern[plain:i])
			if strings.Trim(pattern[i:], "%") == "" {
				return b.String(), PrefixOnly
			}
			return b.String(), More
		}
		i += size
	}
	if b.Len() == 0 {
		return pattern[plain:], Exact
	}
	b.WriteString(pattern[plain:])
	return b.String(), Exact
}
