package value

import "strings"

// ReadsAsNumber says whether v counts as the number that it is: a text that is none, or has more than blanks behind it,
// counts by its leading part only, and MySQL warns of it, as of JSON that is no scalar, or null.
func ReadsAsNumber(v Value) bool {
	if v.kind == JSON {
		d, err := DocumentOf(v)
		return err == nil && d.IsScalar() && d.Scalar.kind != Null && ReadsAsNumber(d.Scalar)
	}
	if v.kind != String && v.kind != Bytes || v.counted || v.IsTimeText() {
		return true
	}
	s := strings.Trim(v.s, blanks)
	return s != "" && numericPrefix(s) == s
}

// ReadsAsInteger is ReadsAsNumber where an integer of 64 bits is wanted: of '1.5' and '1e3' only the 1 counts.
func ReadsAsInteger(v Value) bool {
	if v.kind == JSON {
		return ReadsAsNumber(v)
	}
	if v.kind != String && v.kind != Bytes || v.counted {
		return true
	}
	_, ok := readInteger(v.s)
	return ok
}
