package value

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cast is CAST and CONVERT, which accept what Convert refuses: numbers are rounded and clamped, text is cut to its length or read by its leading
// numeric part, an invalid time becomes NULL. SIGNED and UNSIGNED wrap as MySQL's do: CAST(-1 AS UNSIGNED) is 18446744073709551615. Errors
// remain for values without a nearest one: broken UTF-8, JSON or UUIDs, and NaN.
func (t Type) Cast(v Value) (Value, error) {
	if v.kind == Null {
		return v, nil
	}
	switch t.Base {
	case TypeBool:
		truth, _ := Truth(v)
		return FromBool(truth), nil
	case TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt:
		return t.castInt(counting(v))
	case TypeYear:
		if year, err := t.Convert(v); err == nil {
			return year, nil
		}
		return NullValue, nil
	case TypeFloat, TypeDouble:
		f := ToFloat(v)
		if t.Unsigned && f < 0 {
			f = 0
		}
		return Type{Base: t.Base}.Convert(FromFloat(f))
	case TypeDecimal:
		if v.IsTimeText() {
			v = FromFloat(v.Float())
		}
		return t.castDecimal(counting(v))
	case TypeChar, TypeText:
		return t.castText(v)
	case TypeBinary, TypeBlob:
		s := Text(v)
		if t.Length > 0 && len(s) > t.Length {
			s = s[:t.Length]
		}
		return FromBytes(t.filled(s)), nil
	case TypeDate, TypeDateTime:
		return t.castTime(Plain(v)), nil
	case TypeTime:
		if !v.IsTimeText() {
			v = Plain(v)
		}
		return t.castDuration(v), nil
	}
	return t.Convert(v)
}

func (t Type) castInt(v Value) (Value, error) {
	if v.kind == Float && math.IsNaN(v.Float()) {
		return t.fail(OutOfRange, v)
	}
	i := nearestInteger(v)
	if t.Base == TypeBigInt {
		n := i.mag
		other := v.kind == Float || v.kind == Decimal
		if i.neg && t.Unsigned && other {
			n = 0 // only integers and texts wrap
		} else if i.neg {
			n = -min(n, 1<<63)
		} else if !t.Unsigned && other {
			n = min(n, math.MaxInt64)
		}
		if t.Unsigned {
			return FromUint(n), nil
		}
		return FromInt(int64(n)), nil
	}
	n, _ := t.nearest(i)
	return n, nil
}

// nearest gives the integer of the type that is nearest to i, and whether it is i.
func (t Type) nearest(i integer) (n Value, same bool) {
	if n, same = t.integer(i); same {
		return n, true
	}
	least, greatest := t.integerRange()
	switch {
	case t.Unsigned && i.neg:
		return FromUint(0), false
	case t.Unsigned:
		return FromUint(greatest), false
	case i.neg:
		return FromInt(least), false
	}
	return FromInt(int64(greatest)), false
}

// nearestInteger rounds v, clamped to the range of 64 bits and a sign. Text counts up to its first character that is not a digit: '12.9' is 12.
func nearestInteger(v Value) integer {
	switch v.kind {
	case Float:
		f := math.RoundToEven(v.Float())
		if math.Abs(f) >= 1<<64 {
			return integer{neg: f < 0, mag: math.MaxUint64}
		}
		return integer{neg: f < 0, mag: uint64(math.Abs(f))}
	case Decimal:
		var d decimal
		d.load(v.s)
		d.rescale(0)
		neg := d.coef.Sign() < 0
		i, reason := integerOfDecimal(&d)
		if reason != fits {
			return integer{neg: neg, mag: math.MaxUint64}
		}
		return i
	case JSON:
		return nearestInteger(jsonScalar(v))
	case String, Bytes, UUID:
		s := strings.TrimLeft(v.s, blanks)
		neg := strings.HasPrefix(s, "-")
		if neg || strings.HasPrefix(s, "+") {
			s = s[1:]
		}
		// Too many digits give the greatest number along with the error.
		mag, _ := strconv.ParseUint(s[:countDigits(s)], 10, 64)
		return integer{neg: neg && mag != 0, mag: mag}
	case Time, Date, Duration:
		return nearestInteger(temporalNumber(wholeSeconds(v)))
	}
	return integerOf(v)
}

func (t Type) castDecimal(v Value) (Value, error) {
	text := ""
	switch v.kind {
	case Float:
		f := v.Float()
		if math.IsNaN(f) {
			return t.fail(OutOfRange, v)
		}
		if math.IsInf(f, 0) {
			return t.greatest(f < 0), nil
		}
		text = strconv.FormatFloat(f, 'e', -1, 64)
	case JSON:
		return t.castDecimal(jsonScalar(v))
	case String, Bytes, UUID:
		text = numericPrefix(v.s)
	case Decimal:
		text = v.s
	default:
		text = Text(toNumber(v))
	}
	neg, digits, exp, _ := scanDecimal(text)
	var d decimal
	if _, ok := d.round(neg, digits, exp, t.Scale); !ok {
		return t.greatest(neg), nil
	}
	if r, reason := t.decimal(&d); reason != OutOfRange {
		return r, nil
	}
	return t.greatest(neg), nil
}

// Clips says, for a DECIMAL type, whether out, the cast of v to it, was clamped to its range.
func (t Type) Clips(v, out Value) bool {
	if strings.Trim(out.s, "-0.9") != "" { // the ends of a range are nines, or 0
		return false
	}
	t.Precision, t.Unsigned = MaxDigits, false
	whole, err := t.Cast(v)
	return err != nil || Order(whole, out, Binary) != 0
}

// greatest is the greatest DECIMAL of the type, or the least.
func (t Type) greatest(negative bool) Value {
	var d decimal
	d.scale = t.Scale
	if negative && t.Unsigned {
		return d.value()
	}
	d.coef.Sub(&pow10[t.Precision], bigOne)
	if negative {
		d.negate()
	}
	return d.value()
}

func (t Type) castText(v Value) (Value, error) {
	s := Text(v)
	if t.Length > 0 && len(s) > t.Length {
		s = leading(s, t.Length)
	}
	if (v.kind == Bytes || v.IsBits()) && !utf8.ValidString(s) {
		return t.fail(Incorrect, v)
	}
	return FromString(s), nil
}

// castTime gives NULL for what is not a point in time. A time of day is not one: only expr knows its day.
func (t Type) castTime(v Value) Value {
	v, ok := ReadTime(v)
	if !ok {
		return NullValue
	}
	ticks := v.Ticks()
	if t.Base == TypeDate {
		return FromDate(ticks - ticks%TicksPerDay)
	}
	if ticks = roundTicks(ticks, t.tick()); ticks > MaxTicks {
		return NullValue
	}
	return t.withDigits(FromTicks(ticks), v)
}

func (t Type) castDuration(v Value) Value {
	v, ok := ReadDuration(v)
	if !ok {
		return NullValue
	}
	ticks := roundTicks(v.Ticks(), t.tick())
	return t.withDigits(FromDuration(max(-MaxDuration, min(ticks, MaxDuration))), v)
}

// withDigits gives a time that was made from another one the digits that the type declares, or else the other's digits.
func (t Type) withDigits(v, from Value) Value {
	if t.Precision < 0 {
		return v.WithDigits(from.Digits())
	}
	return v.WithDigits(t.Precision)
}
