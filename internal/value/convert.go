package value

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Convert makes v a value that a column of type t stores, or gives a *ConvertError: nothing is
// rounded or cut, but that a FLOAT is the nearest of single precision. NULL stays NULL. The kinds that
// columns hold are: Bool; Int, or Uint where unsigned; Float; Decimal with exactly the type's scale;
// String; Bytes; Date, Time, Duration; Int for YEAR; String for ENUM and SET, spelled as declared, with
// its number (see FromMember); Uint with octets for BIT (see FromBits); JSON; UUID.
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

// Store is Convert as MySQL does it in strict mode where a value is written: a number is rounded to the
// type's digits, half away from zero, a float half to even; a time to its digits of a second; a DATE
// drops the time of day and a TIME the date; blanks at the end of a text that is too long are cut. What
// would lose more than that is an error. noted says that MySQL notes the loss, as 1265.
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

// What convert says of a value that is no reason to fail.
const (
	fits    Reason = 255 - iota // it is the same
	rounded                     // it is rounded, as the type says
	cut                         // it is rounded or cut, and MySQL notes that
)

// convert gives what a column of type t keeps of v, where there is such a thing.
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
		if t.Length > 0 && len(s) > t.Length {
			return v, TooLong
		}
		return FromBytes(t.filled(s)), fits
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

// ofJSON gives the scalar that v is, where a column of numbers or times takes it; else v as it is.
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

func convertBool(v Value) (Value, Reason) {
	switch v.kind {
	case Bool:
		return v, fits
	case String, Bytes:
		for _, b := range [...]bool{true, false} {
			if strings.EqualFold(v.s, strconv.FormatBool(b)) {
				return FromBool(b), fits
			}
		}
	}
	i, reason := toInteger(v)
	if i.neg && i.mag > 0 || i.mag > 1 {
		return v, OutOfRange
	}
	return FromBool(i.mag == 1), reason
}

// integerRange gives the least and greatest value of an integer type.
func (t Type) integerRange() (least int64, greatest uint64) {
	width := 0
	switch t.Base {
	case TypeTinyInt:
		width = 8
	case TypeSmallInt:
		width = 16
	case TypeMediumInt:
		width = 24
	case TypeInt:
		width = 32
	default:
		width = 64
	}
	if t.Unsigned {
		return 0, 1<<width - 1
	}
	return -1 << (width - 1), 1<<(width-1) - 1
}

func (t Type) convertInt(v Value) (Value, Reason) {
	i, reason := toInteger(v)
	if reason == Truncated { // a number that is too large is told before what stands behind it
		n, _ := leadingNumber(v)
		if _, why := t.convertInt(n); why == OutOfRange {
			return v, OutOfRange
		}
	}
	if reason < cut {
		return v, reason
	}
	r, ok := t.integer(i)
	if !ok {
		return v, OutOfRange
	}
	return r, reason
}

// convertYear takes the year of a date, two digits for 1970 to 2069, and 0 for MySQL's year 0000; '0' is 2000.
func convertYear(v Value) (Value, Reason) {
	switch v.kind {
	case Time, Date:
		v = FromInt(int64(TimeFromTicks(v.Ticks()).Year()))
	case Duration:
		return v, Incorrect
	case Float:
		v = FromFloat(math.Trunc(v.Float()))
	}
	i, reason := toInteger(v)
	if reason < cut {
		return v, reason
	}
	text := v.kind == String || v.kind == Bytes
	if i.mag < 100 && (i.mag > 0 || text && len(strings.Trim(v.s, blanks)) < len("0000")) {
		i.mag = uint64(FullYear(int(i.mag)))
	}
	if i.mag > 0 && (i.neg || i.mag < 1901 || i.mag > 2155) {
		return v, OutOfRange
	}
	return FromInt(int64(i.mag)), reason
}

// integer gives i as the type holds it; not ok beyond its range.
func (t Type) integer(i integer) (Value, bool) {
	r, ok := i.value(t.Unsigned)
	least, greatest := t.integerRange()
	if t.Unsigned {
		return r, ok && !i.neg && r.n <= greatest
	}
	return r, ok && r.Int() >= least && r.Int() <= int64(greatest)
}

// toInteger gives the integer nearest to v: a Float half to even, all else half away from zero. A negative Decimal that
// becomes zero stays negative: it is out of the range of what is unsigned.
func toInteger(v Value) (integer, Reason) {
	switch v.kind {
	case Int, Uint, Bool:
		return integerOf(v), fits
	case Float:
		f := v.Float()
		whole := math.RoundToEven(f)
		if !(math.Abs(whole) < 1<<64) { // NaN too
			return integer{}, OutOfRange
		}
		return integer{neg: whole < 0, mag: uint64(math.Abs(whole))}, lossless(whole == f)
	case Decimal:
		var d decimal
		d.load(v.s)
		neg := d.coef.Sign() < 0
		exact := d.rescale(0)
		i, reason := integerOfDecimal(&d)
		if i.neg = neg; reason == fits && !exact {
			reason = rounded
		}
		return i, reason
	case String, Bytes:
		return integerOfText(v.s)
	case Time, Date, Duration:
		whole := wholeSeconds(v)
		i, _ := toInteger(temporalNumber(whole))
		return i, lossless(whole.n == v.n)
	}
	return integer{}, Incorrect
}

// wholeSeconds is a time rounded to seconds, as where an integer is wanted: 23:59:59.9 becomes 24:00:00.
func wholeSeconds(v Value) Value {
	v.n = uint64(roundTicks(v.Ticks(), TicksPerSecond))
	return v
}

func lossless(exact bool) Reason {
	if exact {
		return fits
	}
	return rounded
}

// integerOfText reads a number, which may have a fraction, an exponent, and blanks around it.
func integerOfText(s string) (integer, Reason) {
	neg, digits := false, s
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg, digits = s[0] == '-', s[1:]
	}
	if digits != "" && countDigits(digits) == len(digits) {
		mag, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return integer{}, OutOfRange
		}
		return integer{neg: neg && mag != 0, mag: mag}, fits
	}
	neg, digits, exp, reason := numberText(s)
	if reason != fits {
		return integer{}, reason
	}
	var d decimal
	exact, ok := d.round(neg, digits, exp, 0)
	if !ok {
		return integer{}, OutOfRange
	}
	i, reason := integerOfDecimal(&d)
	if reason == fits {
		reason = lossless(exact)
	}
	return i, reason
}

// numberText takes a text apart that is to be stored as a number; see scanDecimal.
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

// integerOfDecimal takes a decimal without digits behind the point.
func integerOfDecimal(d *decimal) (integer, Reason) {
	neg := d.coef.Sign() < 0
	d.coef.Abs(&d.coef)
	if !d.coef.IsUint64() {
		return integer{}, OutOfRange
	}
	return integer{neg: neg, mag: d.coef.Uint64()}, fits
}

func (t Type) convertFloat(v Value) (Value, Reason) {
	var f float64
	switch v.kind {
	case Float:
		f = v.Float()
	case String, Bytes:
		text := strings.Trim(v.s, blanks)
		if s := numericPrefix(text); s == "" {
			return v, Incorrect
		} else if s != text {
			return v, Truncated
		}
		f, _ = strconv.ParseFloat(text, 64)
	case Bool, Int, Uint, Decimal, Time, Date, Duration:
		f = ToFloat(v)
	default:
		return v, Incorrect
	}
	if math.IsNaN(f) || math.IsInf(f, 0) || t.Unsigned && f < 0 {
		return v, OutOfRange
	}
	given, digits := f, f
	if t.Precision > 0 {
		if f = roundFraction(f, t.Scale); math.Abs(f) > greatestFloat(t.Precision, t.Scale) {
			return v, OutOfRange
		}
		digits = f
	}
	if t.Base == TypeFloat {
		if math.Abs(f) > math.MaxFloat32 {
			return v, OutOfRange
		}
		f = float64(float32(f))
	}
	// Single precision loses nothing that FLOAT declares: only digits do.
	return t.Single(FromFloat(f)), lossless(digits == given || f == given)
}

// roundFraction rounds to digits behind the point half to even, each step as MySQL takes it for FLOAT(M,D).
func roundFraction(f float64, digits int) float64 {
	whole, scale := math.Floor(f), math.Pow10(digits)
	if r := whole + math.RoundToEven((f-whole)*scale)/scale; !math.IsNaN(r) && !math.IsInf(r, 0) {
		return r
	}
	return f
}

// greatestFloat is the greatest value of DOUBLE(digits,scale).
func greatestFloat(digits, scale int) float64 {
	return math.Pow10(digits-scale) - math.Pow10(-scale)
}

func (t Type) convertDecimal(v Value) (Value, Reason) {
	var d decimal
	switch v.kind {
	case Decimal:
		if v.n == 0 && t.holdsDecimal(v.s) {
			return FromDecimalText(v.s), fits
		}
		d.load(v.s)
	case Bool, Int, Uint, Float, Time, Date, Duration:
		dec, err := ToDecimal(v)
		if err != nil && v.kind == Float && math.Abs(v.Float()) < 1 {
			return t.convertDecimal(FromString(Text(v))) // too many digits behind the point
		}
		if err != nil {
			return v, OutOfRange
		}
		d.load(dec.s)
	case String, Bytes:
		neg, digits, exp, reason := numberText(v.s)
		if reason != fits {
			return v, reason
		}
		exact, ok := d.round(neg, digits, exp, t.Scale)
		if !ok || neg && t.Unsigned && strings.Trim(digits, "0") != "" {
			return v, OutOfRange
		}
		if r, reason := t.decimal(&d); reason != fits || exact {
			return r, reason
		}
		return d.value(), cut
	default:
		return v, Incorrect
	}
	return t.decimal(&d)
}

// holdsDecimal says whether canonical text has the type's scale already, and no more digits.
func (t Type) holdsDecimal(s string) bool {
	if strings.HasPrefix(s, "-") {
		if t.Unsigned {
			return false
		}
		s = s[1:]
	}
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "0" {
		whole = ""
	}
	return len(frac) == t.Scale && len(whole)+len(frac) <= t.Precision
}

// decimal gives d the type's scale.
func (t Type) decimal(d *decimal) (Value, Reason) {
	negative := d.coef.Sign() < 0
	exact := d.rescale(t.Scale)
	d.guard = 0
	switch {
	case t.Unsigned && negative, d.digits() > t.Precision:
		return Value{}, OutOfRange
	case !exact:
		return d.value(), cut
	}
	return d.value(), fits
}

func (t Type) convertText(v Value) (Value, Reason) {
	s := Text(v)
	if v.kind == String || v.kind == Bytes || v.IsBits() {
		if !utf8.ValidString(s) {
			return v, Incorrect
		}
	}
	if t.Length > 0 && len(s) > t.Length && utf8.RuneCountInString(s) > t.Length {
		kept := leading(s, t.Length)
		switch {
		case strings.Trim(s[len(kept):], blanks) != "":
			return v, TooLong
		case t.fixed():
			return FromString(strings.TrimRight(kept, " ")), rounded // a CHAR has no blanks at its end that could be lost
		}
		return FromString(kept), cut
	}
	if t.fixed() {
		s = strings.TrimRight(s, " ")
	}
	return FromString(s), fits
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

// convertJSON reads texts as documents, and keeps the text that MySQL prints of them. A document's text is all that a column
// keeps: a time in it is a string from then on.
func convertJSON(v Value) (Value, Reason) {
	var d Document
	var err error
	switch v.kind {
	case JSON:
		return FromJSON(v.s), fits
	case Float:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return v, OutOfRange
		}
		d = Document{Scalar: v}
	case String, Bytes:
		if d, err = ParseJSON(v.s); err != nil {
			return v, Incorrect
		}
	default:
		d, _ = DocumentOf(v)
	}
	j, _ := d.JSON(math.MaxInt)
	return FromJSON(j.s), fits
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
