package value

import (
	"math"
	"strconv"
	"strings"
)

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
	if reason == Truncated { // a number that is too large is reported before text that follows it
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

// shortZero says whether v, which begins with 0, is the year 2000: a text other than '0000'.
func shortZero(v Value) bool {
	return (v.kind == String || v.kind == Bytes) && len(v.s) != len("0000")
}

// convertYear takes the year of a date, two digits as 1970 to 2069, and 0 as MySQL's year 0000; '0' is 2000.
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
	if i.mag < 100 && (i.mag > 0 || shortZero(v)) {
		i.mag = uint64(FullYear(int(i.mag)))
	}
	if i.mag > 0 && (i.neg || i.mag < 1901 || i.mag > 2155) {
		return v, OutOfRange
	}
	return FromYear(int64(i.mag)), reason
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

// toInteger gives the integer nearest to v: a Float half to even, all else half away from zero. A negative Decimal that becomes zero stays
// negative: it is out of range for unsigned types.
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

// wholeSeconds is a time rounded to seconds, for use as an integer: 23:59:59.9 becomes 24:00:00.
func wholeSeconds(v Value) Value {
	v.n = uint64(roundTicks(v.Ticks(), TicksPerSecond))
	return v
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

// integerOfDecimal takes a decimal without digits after the point.
func integerOfDecimal(d *decimal) (integer, Reason) {
	neg := d.coef.Sign() < 0
	d.coef.Abs(&d.coef)
	if !d.coef.IsUint64() {
		return integer{}, OutOfRange
	}
	return integer{neg: neg, mag: d.coef.Uint64()}, fits
}

// convertBits takes a number, cutting a Float and rounding a Decimal. Texts and octets are the bits themselves.
func (t *Type) convertBits(v Value) (Value, Reason) {
	number := counting(v)
	switch {
	case v.kind == Float:
		number = FromFloat(math.Trunc(v.Float()))
	case (v.kind == String || v.kind == Bytes || v.kind == JSON || v.kind == UUID) && !(v.kind == String && v.counted):
		octets := strings.TrimLeft(v.s, "\x00")
		if len(octets) > 8 {
			return v, TooLong
		}
		number = counting(FromHex(octets))
	}
	i, reason := toInteger(number)
	if i.neg && t.Length == 64 && i.mag <= 1<<63 {
		i = integer{mag: -i.mag}
	}
	if reason < rounded || i.neg && i.mag != 0 || t.Length < 64 && i.mag>>t.Length != 0 {
		return v, TooLong
	}
	if v.kind == Float && number != v {
		reason = rounded
	}
	return FromBits(i.mag, t.Length), reason
}
