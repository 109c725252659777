package value

import (
	"strings"
	"unicode/utf8"
)

func (t Type) convertText(v Value) (Value, Reason) {
	s := Text(v)
	if v.kind == String || v.kind == Bytes || v.IsBits() {
		switch {
		case utf8.ValidString(s):
		case t.Length > 0 && utf8.ValidString(leading(s, t.Length)): // MySQL checks no further
			return v, TooLong
		default:
			return v, Incorrect
		}
	}
	if t.Length > 0 && len(s) > t.Length && utf8.RuneCountInString(s) > t.Length {
		if v.kind == Float {
			return t.convertLongFloat(v)
		}
		kept := leading(s, t.Length)
		switch {
		case strings.Trim(s[len(kept):], blanks) != "":
			return v, TooLong
		case t.fixed():
			return FromString(strings.TrimRight(kept, " ")), rounded // a CHAR keeps no blanks at its end that could be lost
		}
		return FromString(kept), cut
	}
	if t.fixed() {
		s = strings.TrimRight(s, " ")
	}
	return FromString(s), fits
}

// convertLongFloat gives a number that is too long for a text or octets fewer digits.
func (t Type) convertLongFloat(v Value) (Value, Reason) {
	s, ok := fitFloat(v.shownFloat(), t.Length)
	switch {
	case !ok:
		return v, TooLong
	case t.Base == TypeBinary || t.Base == TypeBlob:
		return FromBytes(t.filled(s)), rounded
	}
	return FromString(s), rounded
}

// leading gives the first n characters of s.
func leading(s string, n int) string {
	for at := range s {
		if n--; n < 0 {
			return s[:at]
		}
	}
	return s
}

// filled gives octets of a BINARY their length, with zeros behind them.
func (t Type) filled(s string) string {
	if t.Base == TypeBinary && t.Declared == "BINARY" && len(s) < t.Length {
		return s + strings.Repeat("\x00", t.Length-len(s))
	}
	return s
}

// KeepsAs says whether a column of type b keeps each text and all octets that one of type t keeps as they are: CHAR has no
// blanks at its end, and BINARY zeros up to its length.
func (t Type) KeepsAs(b Type) bool {
	if b.Declared == "BINARY" {
		return t.Declared == "BINARY" && t.Length == b.Length
	}
	return !b.fixed() || t.fixed()
}

// fixed says whether the type is CHAR, not VARCHAR.
func (t Type) fixed() bool { return t.Base == TypeChar && t.Length > 0 && fixedNames[t.Declared] }

var fixedNames = map[string]bool{"CHAR": true, "CHARACTER": true, "NCHAR": true, "NATIONAL CHAR": true, "NATIVE CHARACTER": true}
