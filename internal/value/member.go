package value

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// fewMembers is how many names are searched one by one; more are looked up in a map.
const fewMembers = 8

// mostMembers is how many members an ENUM or a SET can have.
func (t *Type) mostMembers() int {
	if t.Base == TypeSet {
		return 64
	}
	return math.MaxUint16
}

// member finds a name of ENUM or SET by the type's collation; blanks behind it do not count.
func (t *Type) member(s string) (int, bool) {
	s = strings.TrimRight(s, " ")
	if i, ok := t.named(s); ok || t.Collation == Binary {
		return i, ok
	}
	for i, n := range t.Names {
		if t.Collation.Compare(n, s) == 0 {
			return i, true
		}
	}
	return 0, false
}

// named finds a name exactly as written.
func (t *Type) named(s string) (int, bool) {
	if t.members != nil {
		i, ok := t.members[s]
		return i, ok
	}
	i := slices.Index(t.Names, s)
	return i, i >= 0
}

// CheckMembers refuses an ENUM or SET two of whose members are equal.
func (t *Type) CheckMembers() error {
	seen := make(map[string]bool, len(t.Names))
	for _, name := range t.Names {
		folded := t.Collation.Fold(name)
		if seen[folded] {
			return errors.New(t.Declared + " names '" + sqlerr.Brief(name) + "' twice")
		}
		seen[folded] = true
	}
	return nil
}

// noMember is the error value of an ENUM: digits distinguish it from the empty SET.
var noMember = Value{kind: String, counted: true, digits: 1}

// Stored gives the value of an ENUM or SET that is stored as this text; not ok if there is none. The empty text that is not a member of an ENUM
// is what INSERT IGNORE stores for an invalid one: its number is 0.
func (t *Type) Stored(s string) (v Value, ok bool) {
	if t.Base == TypeSet {
		return t.set(s)
	}
	i, ok := t.member(s)
	if !ok {
		return noMember, s == ""
	}
	return FromMember(t.Names[i], uint64(i)+1), true
}

// Numbered gives the value of an ENUM or SET with this number; not ok if there is none.
func (t *Type) Numbered(n uint64) (v Value, ok bool) {
	if t.Base == TypeSet {
		return t.ofBits(n)
	}
	if n == 0 {
		return noMember, true
	}
	if n > uint64(len(t.Names)) {
		return Value{}, false
	}
	return FromMember(t.Names[n-1], n), true
}

// set reads members separated by commas. They come in the order of the declaration, each once.
func (t *Type) set(s string) (Value, bool) {
	if s == "" {
		return FromMember("", 0), true
	}
	bits, asWritten, last := uint64(0), true, -1
	for name := range strings.SplitSeq(s, ",") {
		i, ok := t.member(name)
		if !ok {
			return Value{}, false
		}
		bits |= 1 << i
		asWritten = asWritten && i > last && t.Names[i] == name
		last = i
	}
	if asWritten {
		return FromMember(s, bits), true
	}
	return t.ofBits(bits)
}

// ofBits is the SET of the members whose bits are set.
func (t *Type) ofBits(bits uint64) (Value, bool) {
	if n := len(t.Names); n < 64 && bits>>n != 0 {
		return Value{}, false
	}
	var names []string
	for i, name := range t.Names {
		if bits&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return FromMember(strings.Join(names, ","), bits), true
}

// convertEnum takes a member by its name, or by its number from 1, also written as a text that is not a name. The error value of another ENUM
// stays one, as in MySQL.
func (t *Type) convertEnum(v Value) (Value, Reason) {
	if v == noMember {
		return v, fits
	}
	if v.kind == String || v.kind == Bytes {
		if m, ok := t.Stored(v.s); ok && m.n > 0 {
			return m, fits
		}
	}
	number := v
	if v.kind == String {
		number.s = strings.TrimRight(v.s, " ")
	}
	n, reason := memberNumber(number)
	m, ok := t.Numbered(n)
	if !ok || n == 0 {
		return v, Truncated
	}
	return m, reason
}

// convertSet takes members by their names, or by the number that their bits make.
func (t *Type) convertSet(v Value) (Value, Reason) {
	if v.kind == String || v.kind == Bytes {
		if m, ok := t.set(v.s); ok {
			return m, fits
		}
	}
	n, reason := memberNumber(v)
	m, ok := t.ofBits(n)
	if !ok || reason == Truncated {
		return v, Truncated
	}
	return m, reason
}

// memberNumber is the number that v means if it names no member.
func memberNumber(v Value) (uint64, Reason) {
	i, reason := memberInteger(v)
	if i.neg && i.mag != 0 {
		return 0, Truncated
	}
	return i.mag, reason
}

// memberInteger is the integer that v means if it names no member: digits after the point are cut. A hexadecimal literal is a text here. A text
// may have blanks and a sign before its digits.
func memberInteger(v Value) (integer, Reason) {
	reason := fits
	switch v.kind {
	case Bool, Int, Uint:
	case Float, Decimal:
		whole := FromFloat(math.Trunc(ToFloat(v)))
		if compareNumbers(whole, v) != 0 {
			v, reason = whole, rounded
		}
	case String:
		number := numericPrefix(v.s)
		digits := strings.TrimLeft(number, "+-")
		if v.counted || digits == "" || countDigits(digits) != len(digits) || !strings.HasSuffix(v.s, number) {
			return integer{}, Truncated
		}
	default:
		return integer{}, Truncated
	}
	i, exact := toInteger(v)
	if exact != fits {
		return integer{}, Truncated
	}
	return i, reason
}
