package value

import (
	"math"
	"strconv"
	"strings"
)

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
	// Single precision loses nothing that FLOAT declares; only dropped digits are a loss.
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
