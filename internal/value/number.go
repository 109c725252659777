package value

import (
	"math"
	"strconv"
	"strings"
)

// ToFloat gives the number nearest to v as MySQL reads it when a number is wanted: text by its leading numeric part (0 if there is none), times
// as YYYYMMDDHHMMSS. NULL gives 0.
func ToFloat(v Value) float64 {
	switch v.kind {
	case Float:
		return v.Float()
	case Int, Bool:
		return float64(int64(v.n))
	case Uint:
		return float64(v.n)
	case Decimal:
		f, _ := strconv.ParseFloat(v.s, 64)
		return f
	case String, Bytes, UUID:
		if v.counted {
			return float64(v.n)
		}
		return textFloat(v)
	case JSON:
		return ToFloat(jsonScalar(v))
	case Time, Date, Duration:
		return ToFloat(temporalNumber(v))
	}
	return 0
}

// ToInt gives v as a signed integer: a Decimal rounded half away from zero, a Float to the nearest even, text by its
// leading digits ('1.9' is 1), at most the greatest. A number beyond 64 bits, or NaN, is a *RangeError. NULL gives 0.
func ToInt(v Value) (int64, error) {
	switch v.kind {
	case Int, Bool:
		return int64(v.n), nil
	case Uint:
		if v.n <= math.MaxInt64 {
			return int64(v.n), nil
		}
	case Decimal:
		var d decimal
		d.load(v.s)
		d.rescale(0)
		if d.coef.IsInt64() {
			return d.coef.Int64(), nil
		}
	case String, Bytes, UUID:
		if v.counted {
			return ToInt(counting(v))
		}
		switch i := nearestInteger(v); {
		case i.mag <= math.MaxInt64 && !i.neg:
			return int64(i.mag), nil
		case i.neg:
			return int64(-min(i.mag, 1<<63)), nil
		}
		return math.MaxInt64, nil
	case Float:
		f := math.RoundToEven(v.Float())
		if f >= -1<<63 && f < 1<<63 {
			return int64(f), nil
		}
	case JSON:
		return ToInt(jsonScalar(v))
	case Time, Date, Duration:
		return ToInt(temporalNumber(wholeSeconds(v)))
	default:
		return 0, nil
	}
	return 0, &RangeError{Type: "BIGINT", Expr: shorten(clip(Text(v)))}
}

// ToDecimal gives v as an exact number: a Float by its shortest text, text by its leading numeric part. It is a *RangeError if that has more
// than MaxDigits digits. NULL stays NULL.
func ToDecimal(v Value) (Value, error) {
	text := ""
	switch v.kind {
	case Null, Decimal:
		return v, nil
	case Int, Uint, Bool:
		return FromDecimalText(Text(Plain(v))), nil
	case JSON:
		return ToDecimal(jsonScalar(v))
	case Time, Date, Duration:
		return ToDecimal(temporalNumber(v))
	case Float:
		text = strconv.FormatFloat(v.Float(), 'e', -1, 64)
	default:
		if v.counted {
			return ToDecimal(counting(v))
		}
		if v.IsTimeText() {
			return ToDecimal(FromFloat(v.Float()))
		}
		if text = numericPrefix(v.s); text == "" {
			text = "0"
		}
	}
	d, err := ParseDecimal(text)
	if err != nil {
		return Value{}, &RangeError{Type: "DECIMAL", Expr: shorten(clip(Text(v)))}
	}
	return d, nil
}

// Truth says whether v counts as true: a number that is not 0, a text whose leading numeric part is
// not 0. NULL is neither. A JSON value counts as its scalar does: true, 1 and "1" are true; false, null, arrays and objects
// are not. (MySQL does so up to 8.0.20; later ones compare with JSON's 0, so that false is true, and warn of it.)
func Truth(v Value) (truth, isNull bool) {
	switch v.kind {
	case Null:
		return false, true
	case Bool, Int, Uint:
		return v.n != 0, false
	case Decimal:
		return strings.Trim(v.s, "-0.") != "", false
	}
	return ToFloat(v) != 0, false
}

// numericPrefix is the longest part that reads as a number, behind leading blanks.
func numericPrefix(s string) string {
	s = strings.TrimLeft(s, blanks)
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := countDigits(s[i:])
	i += digits
	if i < len(s) && s[i] == '.' {
		n := countDigits(s[i+1:])
		if digits += n; digits > 0 {
			i += 1 + n
		}
	}
	if digits == 0 {
		return ""
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		_, size := scanExponent(s[i:])
		i += size
	}
	return s[:i]
}

// textFloat is the number of a text, octets or a UUID.
func textFloat(v Value) float64 {
	if v.IsTimeText() {
		return v.Float()
	}
	return prefixFloat(v.s)
}

func prefixFloat(s string) float64 {
	return parseFloat(numericPrefix(s))
}

// parseFloat reads text that is known to be a number; a number that is too large becomes the largest.
func parseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	if math.IsInf(f, 0) {
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// toNumber converts any kind to a numeric one: the form that arithmetic and comparison with numbers use.
func toNumber(v Value) Value {
	switch v.kind {
	case Bool:
		return FromInt(int64(v.n))
	case Uint, Float:
		return Plain(v)
	case String, Bytes, UUID:
		if v.counted {
			return counting(v)
		}
		return FromFloat(textFloat(v))
	case JSON:
		return FromFloat(ToFloat(v))
	case Time, Date, Duration:
		return temporalNumber(v)
	}
	return v
}

// NumberBeside is the number that a text, octets or a UUID is when compared with a number of kind k: for an integer (Bool, Int or Uint) the
// integer that is written there, exactly, because ids of 64 bits often come as texts; else a Float. A value with a number of its own is that
// number.
func NumberBeside(v Value, k Kind) Value {
	if v.counted {
		return counting(v)
	}
	if k <= Uint {
		if n, ok := longInteger(v.s); ok {
			return n
		}
	}
	return FromFloat(textFloat(v))
}

// longInteger is readInteger for one that a float may not hold exactly.
func longInteger(s string) (Value, bool) {
	const exact = 15 // digits that any float holds
	if len(s) <= exact {
		return Value{}, false
	}
	return readInteger(s)
}

// readInteger reads an integer of 64 bits, with blanks around it; not ok: it is anything else.
func readInteger(s string) (Value, bool) {
	s = strings.Trim(s, blanks)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return FromInt(i), true
	}
	u, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64)
	return FromUint(u), err == nil
}

// temporalNumber is a time as MySQL counts it: YYYYMMDD, YYYYMMDDHHMMSS or HHMMSS; a Decimal when
// it has a fraction.
func temporalNumber(v Value) Value {
	ticks := v.Ticks()
	negative := v.kind == Duration && ticks < 0
	if negative {
		ticks = -ticks
	}
	clock := ticks / TicksPerSecond
	if v.kind != Duration {
		clock %= 86400
	}
	n := clock/3600*10000 + clock/60%60*100 + clock%60
	if v.kind != Duration {
		year, month, day := TimeFromTicks(ticks).Date()
		date := int64(year)*10000 + int64(month)*100 + int64(day)
		if v.kind == Date {
			return FromInt(date)
		}
		n += date * 1_000_000
	}
	if negative {
		n = -n
	}
	if ticks%TicksPerSecond == 0 && v.digits == 0 {
		return FromInt(n)
	}
	var buf [32]byte
	dst := buf[:0]
	if negative && n == 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, n, 10)
	return FromDecimalText(string(appendFraction(dst, ticks%TicksPerSecond, v.Digits())))
}
