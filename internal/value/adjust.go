package value

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Adjust gives the value nearest to v, which Convert refuses, that a column of type t stores, as MySQL does with IGNORE or without strict mode,
// and why it differs: OutOfRange, TooLong, Truncated if a part of v is kept, Incorrect if nothing is. An invalid date gives NULL, because the
// zero date that MySQL stores is not a value here. Not ok: nothing is near.
func (t Type) Adjust(v Value) (out Value, why Reason, ok bool) {
	if v.kind == JSON {
		v = t.ofJSON(v)
	}
	if v.IsTimeText() {
		v = Plain(v) // columns see the text
	}
	if out, _, err := t.Store(v); err == nil {
		return out, Truncated, true // what only the option exact refuses
	}
	switch t.Base {
	case TypeBool, TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt:
		out, why = t.adjustInt(v)
	case TypeFloat, TypeDouble:
		out, why = t.adjustFloat(v)
	case TypeDecimal:
		out, why = t.adjustDecimal(v)
	case TypeChar, TypeText:
		out, why = t.adjustText(v)
	case TypeBit:
		out, why = FromBits(math.MaxUint64>>(64-t.Length), t.Length), OutOfRange
	case TypeEnum:
		out, why = noMember, Truncated
	case TypeSet:
		out, why = t.adjustSet(v)
	case TypeBinary, TypeBlob:
		s := t.textOf(v)
		out, why = FromBytes(t.filled(s[:min(t.Length, len(s))])), TooLong
	case TypeDate, TypeDateTime, TypeTime, TypeYear:
		out, why = t.adjustTime(v)
	default:
		return NullValue, Incorrect, false
	}
	return out, why, true
}

// leadingNumber gives the number that v counts as: all of a number, the leading part of a text.
func leadingNumber(v Value) (n Value, why Reason) {
	v = counting(v)
	switch v.kind {
	case String, Bytes, UUID, JSON:
	case Time, Date, Duration:
		return temporalNumber(v), OutOfRange
	default:
		return v, OutOfRange
	}
	prefix := numericPrefix(v.s)
	n = FromString(prefix)
	if dec, err := ParseDecimal(prefix); err == nil {
		n = dec
	} else if prefix != "" {
		n = FromFloat(prefixFloat(prefix))
	}
	switch {
	case prefix == "":
		return FromInt(0), Incorrect
	case strings.Trim(v.s, blanks) != prefix:
		return n, Truncated
	}
	return n, OutOfRange
}

func (t Type) adjustInt(v Value) (Value, Reason) {
	n, why := leadingNumber(v)
	i := nearestInteger(n)
	if t.Base == TypeBool {
		return FromBool(i.mag != 0 && !i.neg), why
	}
	out, same := t.nearest(i)
	if !same {
		why = OutOfRange
	}
	return out, why
}

func (t Type) adjustFloat(v Value) (Value, Reason) {
	n, why := leadingNumber(v)
	f, most := ToFloat(n), math.MaxFloat64
	switch {
	case t.Precision > 0:
		most = greatestFloat(t.Precision, t.Scale)
	case t.Base == TypeFloat:
		most = math.MaxFloat32
	}
	switch {
	case math.IsNaN(f), t.Unsigned && f < 0:
		return FromFloat(0), OutOfRange
	case math.Abs(f) > most:
		return FromFloat(math.Copysign(most, f)), OutOfRange
	}
	out, _, err := t.Store(FromFloat(f))
	if err != nil {
		return FromFloat(f), OutOfRange
	}
	return out, why
}

func (t Type) adjustDecimal(v Value) (Value, Reason) {
	n, why := leadingNumber(v)
	out, err := t.castDecimal(n)
	if err != nil {
		return t.greatest(true), OutOfRange
	}
	if t.Clips(n, out) {
		why = OutOfRange
	}
	return out, why
}

// textOf is v as a text; a number has only as many digits as fit the type's length.
func (t Type) textOf(v Value) string {
	s := Text(v)
	if v.kind == Float && t.Length > 0 && len(s) > t.Length {
		s, _ = fitFloat(v.shownFloat(), t.Length)
	}
	return s
}

// adjustText cuts a text at its length, and before the first invalid character.
func (t Type) adjustText(v Value) (Value, Reason) {
	s, why := t.textOf(v), TooLong
	if valid := validStart(s); len(valid) < len(s) {
		s, why = valid, Incorrect
	}
	out, _ := t.castText(FromString(s))
	if t.fixed() {
		out = FromString(strings.TrimRight(out.Text(), " "))
	}
	return out, why
}

// validStart is the part of s before anything that is not UTF-8.
func validStart(s string) string {
	for at, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[at:], "\uFFFD") {
			return s[:at]
		}
	}
	return s
}

// adjustSet keeps the members that the type has. A number stands for the members of its bits; -1 has them all.
func (t Type) adjustSet(v Value) (Value, Reason) {
	i, reason := memberInteger(v)
	if i.neg {
		i.mag = -i.mag
	}
	if reason != Truncated {
		out, _ := t.ofBits(i.mag & (math.MaxUint64 >> (64 - len(t.Names))))
		return out, Truncated
	}
	var known []string
	for name := range strings.SplitSeq(Text(v), ",") {
		if _, ok := t.member(name); ok {
			known = append(known, name)
		}
	}
	out, _ := t.set(strings.Join(known, ","))
	return out, Truncated
}

// adjustTime takes what a cast makes of v. An invalid TIME becomes 00:00:00, an invalid year 0, an invalid date NULL.
func (t Type) adjustTime(v Value) (Value, Reason) {
	if t.Base == TypeYear {
		n, why := leadingNumber(v)
		out, _, err := t.Store(n)
		if err != nil {
			return FromYear(0), OutOfRange
		}
		if why == Truncated && out == FromYear(0) && shortZero(v) {
			out = FromYear(2000)
		}
		return out, why
	}
	switch out, err := t.Cast(v); {
	case err == nil && !out.IsNull() && t.Base == TypeTime && (out.Ticks() == MaxDuration || out.Ticks() == -MaxDuration):
		return out, OutOfRange
	case err == nil && !out.IsNull():
		return out, Truncated
	case t.Base == TypeTime:
		return FromDuration(0), Truncated
	}
	return NullValue, Truncated
}

// Implicit gives what MySQL stores instead of NULL in a NOT NULL column of the type, with IGNORE or without strict mode. Not ok: there is no
// such value here, as for dates, where it is the zero date.
func (t Type) Implicit() (Value, bool) {
	switch t.Base {
	case TypeBool:
		return FromBool(false), true
	case TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt:
		if t.Unsigned {
			return FromUint(0), true
		}
		return FromInt(0), true
	case TypeYear:
		return FromYear(0), true
	case TypeFloat, TypeDouble:
		return FromFloat(0), true
	case TypeDecimal:
		out, err := t.castDecimal(FromInt(0))
		return out, err == nil
	case TypeChar, TypeText:
		return FromString(""), true
	case TypeSet:
		return t.ofBits(0)
	case TypeEnum:
		return t.Numbered(1)
	case TypeBit:
		return FromBits(0, t.Length), true
	case TypeBinary, TypeBlob:
		return FromBytes(""), true
	case TypeTime:
		return FromDuration(0), true
	case TypeJSON:
		return FromJSON("null"), true
	}
	return NullValue, false
}
