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
	case r < class2: // the first of a pair, or the character after it
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
