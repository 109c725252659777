package value

import "strings"

// Convert makes v a value that a column of type t stores, or gives a *ConvertError. Nothing is rounded or cut, except that a FLOAT is the
// nearest of single precision. NULL stays NULL. The kinds that columns hold are: Bool; Int, or Uint if unsigned; Float; Decimal with exactly the
// type's scale; String; Bytes; Date, Time, Duration; Int for YEAR; String for ENUM and SET, spelled as declared, with its number (see
// FromMember); Uint with octets for BIT (see FromBits); JSON; UUID.
//
// CHAR and BINARY are not padded and keep trailing blanks. The caller adds the column's name to an
// error.
func (t Type) Convert(v Value) (Value, error) {
	out, reason := t.convert(v)
	if reason == rounded || reason == cut {
		reason = NotExact
	}
	if reason != fits {
		return t.fail(reason, v)
	}
	return out, nil
}

// Store is Convert as MySQL does it in strict mode when a value is written: a number is rounded to the type's digits, half away from zero, a
// float half to even; a time to its digits of a second; a DATE drops the time of day and a TIME the date; blanks at the end of a text that is
// too long are cut. Any larger loss is an error. noted says that MySQL notes the loss, as 1265.
func (t Type) Store(v Value) (out Value, noted bool, err error) {
	out, reason := t.convert(v)
	switch reason {
	case fits, rounded:
		return out, false, nil
	case cut:
		return out, true, nil
	}
	out, err = t.fail(reason, v)
	return out, false, err
}

// What convert says about a value that is not refused.
const (
	fits    Reason = 255 - iota // it is the same
	rounded                     // it is rounded, as the type says
	cut                         // it is rounded or cut, and MySQL notes that
)

// convert gives what a column of type t stores for v, if there is such a value.
func (t Type) convert(v Value) (Value, Reason) {
	if v.kind == Null {
		return v, fits
	}
	if v.kind == JSON {
		v = t.ofJSON(v)
	}
	if v.kind == Decimal && v.n != 0 && !t.isNumber() {
		v = Shown(v)
	}
	switch t.Base {
	case TypeBool, TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt, TypeYear, TypeFloat, TypeDouble, TypeDecimal:
		if v.counted && v.kind == Bytes && len(v.s) > 8 {
			return v, OutOfRange
		}
		v = counting(v)
	case TypeDate, TypeDateTime, TypeTime, TypeJSON:
		v = Plain(v)
	}
	switch t.Base {
	case TypeBit:
		return t.convertBits(v)
	case TypeBool:
		return convertBool(v)
	case TypeYear:
		return convertYear(v)
	case TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt:
		return t.convertInt(v)
	case TypeFloat, TypeDouble:
		return t.convertFloat(v)
	case TypeDecimal:
		return t.convertDecimal(v)
	case TypeChar, TypeText:
		return t.convertText(v)
	case TypeEnum:
		return t.convertEnum(v)
	case TypeSet:
		return t.convertSet(v)
	case TypeBinary, TypeBlob:
		s := Text(v)
		switch {
		case t.Length == 0 || len(s) <= t.Length:
			return FromBytes(t.filled(s)), fits
		case v.kind == Float:
			return t.convertLongFloat(v)
		}
		return v, TooLong
	case TypeDate, TypeDateTime:
		return t.convertTime(v)
	case TypeTime:
		return t.convertDuration(v)
	case TypeJSON:
		return convertJSON(v)
	case TypeUUID:
		return convertUUID(v)
	}
	return v, fits
}

func (t Type) fail(r Reason, v Value) (Value, error) {
	return Value{}, convertError(r, t, v)
}

func (t Type) isNumber() bool { return TypeBool <= t.Base && t.Base <= TypeDecimal }

// ofJSON gives the scalar that v is, if a column of numbers or times takes it; else v as it is.
func (t Type) ofJSON(v Value) Value {
	temporal := t.Base == TypeDate || t.Base == TypeDateTime || t.Base == TypeTime || t.Base == TypeYear
	if !t.isNumber() && !temporal {
		return v
	}
	d, err := DocumentOf(v)
	if err != nil || !d.IsScalar() || d.Scalar.kind == Null {
		return v
	}
	return d.Scalar
}

func lossless(exact bool) Reason {
	if exact {
		return fits
	}
	return rounded
}

// numberText splits a text that is stored as a number; see scanDecimal.
func numberText(s string) (neg bool, digits string, exp int, reason Reason) {
	neg, digits, exp, ok := scanDecimal(strings.Trim(s, blanks))
	switch {
	case ok:
		return neg, digits, exp, fits
	case numericPrefix(s) == "":
		return neg, digits, exp, Incorrect
	}
	return neg, digits, exp, Truncated
}
