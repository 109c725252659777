package keymap

import (
	"strings"
	"unicode/utf8"
)

// Span is a range of keys: From ≤ key < To. An empty To is no bound.
type Span struct{ From, To string }

// PrefixSpan is the span of all keys that begin with prefix.
func PrefixSpan(prefix string) Span {
	return Span{From: prefix, To: Successor(prefix)}
}

// PointSpan is the span that holds only key: To is the least key after it, because no store allows a character below the blank.
func PointSpan(key string) Span {
	return Span{From: key, To: key + " "}
}

// Successor is the least text above all that begin with prefix, "" if there is none. It skips what a store refuses in a key (/ \ # ? and control
// characters), so that it can be used in a filter, and keeps ASCII in ASCII. That is exact for key text; other keys made elsewhere may lie
// before it, so they need a second check.
func Successor(prefix string) string {
	for prefix != "" {
		r, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		if r == utf8.RuneError && size == 1 || r == '~' || r == 0xFFFF || r == utf8.MaxRune {
			continue // ~ is the last of ASCII; U+10000 is above U+FFFF, but below it in UTF-16
		}
		r++
		for !inKeys(r) {
			r++
		}
		return string(utf8.AppendRune([]byte(prefix), r))
	}
	return ""
}

// inKeys says whether a store allows r in a key.
func inKeys(r rune) bool {
	switch {
	case r < 0x20, 0x7F <= r && r <= 0x9F, !utf8.ValidRune(r):
		return false
	}
	return r != '/' && r != '\\' && r != '#' && r != '?'
}

// Empty says whether no key can lie in the span.
func (s Span) Empty() bool { return s.To != "" && s.From >= s.To }

// Contains says whether key lies in the span.
func (s Span) Contains(key string) bool {
	return s.From <= key && (s.To == "" || key < s.To)
}

// Intersect is the span of the keys that lie in both.
func (s Span) Intersect(o Span) Span {
	if o.From > s.From {
		s.From = o.From
	}
	if s.To == "" || o.To != "" && o.To < s.To {
		s.To = o.To
	}
	return s
}

// AppendTextPrefix appends the common prefix of the codes of all texts that begin with prefix. exact says that its PrefixSpan holds no other
// texts. It may hold others if the prefix is empty (NULL begins with it too) or longer than what the part encodes, if the collation does not
// fold each character to one, or if the prefix ends in blanks that the key lacks.
func AppendTextPrefix(dst []byte, prefix string, p Part) (out []byte, exact bool) {
	folded, cut := p.first(p.Type.Collation.FoldPrefix(prefix))
	start := len(dst)
	for i := 0; i < len(folded); {
		if p.Cut > 0 && len(dst)-start >= p.Cut {
			mark := cutMark
			if p.Desc {
				mark = descCutMark
			}
			return append(dst, mark...), false
		}
		r, size := utf8.DecodeRuneInString(folded[i:])
		if r == utf8.RuneError && size == 1 {
			return dst, false
		}
		dst = p.appendRune(dst, r)
		i += size
	}
	exact = p.Type.Collation.ByCharacter() && !(p.Type.Collation.Pads() && strings.HasSuffix(prefix, " "))
	return dst, exact && !cut && folded != ""
}
