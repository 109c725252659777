package keymap

import (
	"errors"
	"unicode/utf8"
)

// digits64 are the digits of the code words from U+007E on, in ascending order.
const digits64 = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

// The classes of code words that begin with ~: where each begins, and its first digit.
const (
	class2, digit2 = 0x7E, 0
	class3, digit3 = class2 + 44*64, 44
	class4, digit4 = 0x10000, 60
)

// low holds the second units of U+0000 to U+0023.
const low = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

var errInvalidText = errors.New("text is not valid UTF-8")

// asItself says which ASCII characters are their own code words.
var asItself = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		switch c {
		case '$', '%', '&', '\'', '.', '/', '>', '?', '[', '\\', '~', 0x7F:
		default:
			t[c] = c > 0x23
		}
	}
	return t
}()

// appendRune appends the code word of r.
func appendRune(dst []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf && asItself[r]:
		return append(dst, byte(r))
	case r <= 0x23:
		return append(dst, '"', low[r])
	case r < class2: // the first of a pair, or the character behind it
		switch r {
		case '$', '&', '.', '>', '[':
			return append(dst, byte(r), '0')
		}
		return append(dst, byte(r-1), '1')
	case r < class3:
		n := r - class2
		return append(dst, '~', digits64[digit2+n>>6], digits64[n&63])
	case r < class4:
		n := r - class3
		return append(dst, '~', digits64[digit3+n>>12], digits64[n>>6&63], digits64[n&63])
	}
	n := r - class4
	return append(dst, '~', digits64[digit4+n>>18], digits64[n>>12&63], digits64[n>>6&63], digits64[n&63])
}

// digitValue is the reverse of digits64, -1 elsewhere.
var digitValue = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range len(digits64) {
		t[digits64[i]] = int8(i)
	}
	return t
}()

// decodeRune reads one code word; size 0 when none stands there.
func decodeRune(s string) (r rune, size int) {
	if s == "" || s[0] >= utf8.RuneSelf {
		return 0, 0
	}
	c := s[0]
	if asItself[c] {
		return rune(c), 1
	}
	if len(s) < 2 {
		return 0, 0
	}
	switch c {
	case '"':
		d := s[1]
		switch {
		case '0' <= d && d <= '9':
			return rune(d - '0'), 2
		case 'A' <= d && d <= 'Z':
			return rune(d-'A') + 10, 2
		}
	case '$', '&', '.', '>', '[':
		if d := s[1]; d == '0' || d == '1' {
			return rune(c) + rune(d-'0'), 2
		}
	case '~':
		return decodeHigh(s)
	}
	return 0, 0
}

// decodeHigh reads a code word that begins with ~.
func decodeHigh(s string) (r rune, size int) {
	first := digitValue[s[1]]
	base := rune(class2)
	switch {
	case first < 0:
		return 0, 0
	case first < digit3:
		size = 3
	case first < digit4:
		base, first, size = class3, first-digit3, 4
	default:
		base, first, size = class4, first-digit4, 5
	}
	if len(s) < size {
		return 0, 0
	}
	n := rune(first)
	for i := 2; i < size; i++ {
		d := digitValue[s[i]]
		if d < 0 {
			return 0, 0
		}
		n = n<<6 | rune(d)
	}
	r = base + n
	if !utf8.ValidRune(r) || size == 4 && r >= class4 {
		return 0, 0
	}
	return r, size
}
