package value

import (
	"encoding/hex"
	"strings"
)

// ParseUUID reads a UUID in canonical form, in braces, or as 32 hex digits, in either case, and
// gives the canonical form: 36 characters, lower case.
func ParseUUID(s string) (Value, error) {
	text, ok := canonicalUUID(s)
	if !ok {
		return Value{}, parseError("UUID", s)
	}
	return FromUUID(text), nil
}

func canonicalUUID(s string) (string, bool) {
	if len(s) == 38 && s[0] == '{' && s[37] == '}' {
		s = s[1:37]
	}
	switch len(s) {
	case 36:
		for i := range len(s) {
			dash := i == 8 || i == 13 || i == 18 || i == 23
			if dash && s[i] != '-' || !dash && !isHex(s[i]) {
				return "", false
			}
		}
	case 32:
		for i := range len(s) {
			if !isHex(s[i]) {
				return "", false
			}
		}
		s = s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
	default:
		return "", false
	}
	return strings.ToLower(s), true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func convertUUID(v Value) (Value, Reason) {
	switch {
	case v.kind == UUID:
		return v, fits
	case v.kind == Bytes && len(v.s) == 16:
		text, _ := canonicalUUID(hex.EncodeToString([]byte(v.s)))
		return FromUUID(text), fits
	case v.kind == String || v.kind == Bytes:
		if text, ok := canonicalUUID(v.s); ok {
			return FromUUID(text), fits
		}
	}
	return v, Incorrect
}
