package keymap

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode/utf8"
)

const (
	// emptyCode is the code of the empty text and of no octets; NULL is below it.
	emptyCode = `""`

	// cutMark begins the hash of a text that was cut. No code word has a second unit ~, so it is
	// above all that could follow, and below nothing but nullDesc.
	cutMark = "~~"

	hashOctets = 16 // of the SHA-256
	hashUnits  = 26 // their length in base32hex
)

var base32hex = base32.HexEncoding.WithPadding(base32.NoPadding)

// appendText encodes a text, or its folded form under its collation.
func (p Part) appendText(dst []byte, s string) (out []byte, cut bool, err error) {
	s, cut = p.head(s)
	if s == "" {
		return p.appendUnits(dst, emptyCode), cut, nil
	}
	start := len(dst)
	for i := 0; i < len(s); {
		if p.Cut > 0 && len(dst)-start >= p.Cut {
			dst, cut = p.appendHash(dst, s), true
			break
		}
		if c := s[i]; c < utf8.RuneSelf && asItself[c] && !p.Desc {
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return dst[:start], false, errInvalidText
		}
		dst = p.appendRune(dst, r)
		i += size
	}
	if p.Desc {
		dst = append(dst, descEnd...)
	}
	return dst, cut, nil
}

// head gives the part of a text that is encoded: its folded form under the collation, of which only the first characters if the part says so.
func (p Part) head(s string) (head string, cut bool) {
	return p.first(p.Type.Collation.Fold(s))
}

// first gives the first characters, if the part says so.
func (p Part) first(s string) (head string, cut bool) {
	if p.Prefix > 0 && len(s) > p.Prefix {
		n := 0
		for at := range s {
			if n == p.Prefix {
				return s[:at], true
			}
			n++
		}
	}
	return s, false
}

func (p Part) appendRune(dst []byte, r rune) []byte {
	if !p.Desc {
		return appendRune(dst, r)
	}
	var word [8]byte
	for _, c := range appendRune(word[:0], r) {
		dst = appendMirrored(dst, c)
	}
	return dst
}

// appendHash appends the replacement for the part of s after the cut.
func (p Part) appendHash(dst []byte, s string) []byte {
	sum := sha256.Sum256([]byte(s))
	var buf [len(cutMark) + hashUnits]byte
	mark := append(buf[:0], cutMark...)
	mark = base32hex.AppendEncode(mark, sum[:hashOctets])
	if !p.Desc {
		return append(dst, mark...)
	}
	for _, c := range mark {
		dst = appendMirrored(dst, c)
	}
	return dst
}

// appendUnits appends a whole code, complemented and ended if the part descends.
func (p Part) appendUnits(dst []byte, code string) []byte {
	if !p.Desc {
		return append(dst, code...)
	}
	for i := range len(code) {
		dst = appendMirrored(dst, code[i])
	}
	return append(dst, descEnd...)
}

// appendOctets encodes octets. They are cut at a multiple of 5 octets, where the base32 digits end with them, so that the cut code is the
// beginning of the whole one.
func (p Part) appendOctets(dst []byte, s string) (out []byte, cut bool) {
	if p.Prefix > 0 && len(s) > p.Prefix {
		s, cut = s[:p.Prefix], true
	}
	if s == "" {
		return p.appendUnits(dst, emptyCode), cut
	}
	keep := s
	if room := max(p.Cut/8*5, 5); p.Cut > 0 && len(s) > room {
		keep, cut = s[:room], true
	}
	start := len(dst)
	dst = base32hex.AppendEncode(dst, []byte(keep))
	if p.Desc { // its digits are mirrored one to one
		for i, c := range dst[start:] {
			dst[start+i] = mirror[c]
		}
	}
	if len(keep) < len(s) {
		dst = p.appendHash(dst, s)
	}
	if p.Desc {
		dst = append(dst, descEnd...)
	}
	return dst, cut
}

// Stem is the common prefix of a cut code and of all texts that share the part before the cut: up to and including the mark of the hash. Its
// PrefixSpan covers them all. A code that is not cut is its own stem.
func Stem(code string) string {
	mark := cutMark
	if len(code) > len(cutMark) && strings.HasSuffix(code, descEnd) {
		mark = descCutMark
	}
	i := strings.Index(code, mark)
	if i < 0 || i+len(mark)+hashUnits > len(code) {
		return code
	}
	return code[:i+len(mark)]
}
