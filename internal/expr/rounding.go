package expr

import (
	"math"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// rounding is what becomes of the digits that are dropped.
type rounding uint8

const (
	halfAway rounding = iota
	towardZero
	down
	up
)

// roundText rounds a canonical decimal to digits behind the point, before it where negative.
func roundText(s string, digits int, mode rounding) string {
	neg := strings.HasPrefix(s, "-")
	whole, frac, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if digits >= len(frac) {
		return s
	}
	if digits < -len(whole) {
		if mode != down && mode != up {
			return "0"
		}
		digits = -len(whole)
	}
	all := whole + frac
	keep := len(whole) + digits
	kept, dropped := []byte("0"+all[:keep]), all[keep:]
	var increment bool
	switch mode {
	case halfAway:
		increment = dropped[0] >= '5'
	case down:
		increment = neg && strings.Trim(dropped, "0") != ""
	case up:
		increment = !neg && strings.Trim(dropped, "0") != ""
	}
	for i := len(kept) - 1; increment && i >= 0; i-- {
		if increment = kept[i] == '9'; increment {
			kept[i] = '0'
		} else {
			kept[i]++
		}
	}
	var b strings.Builder
	if neg {
		b.WriteByte('-')
	}
	if digits > 0 {
		b.Write(kept[:len(kept)-digits])
		b.WriteByte('.')
		b.Write(kept[len(kept)-digits:])
	} else {
		b.Write(kept)
		b.WriteString(strings.Repeat("0", -digits))
	}
	return b.String()
}

// round rounds any number; integers stay integers, floats go to even as the C library's rint does.
func round(v value.Value, digits int, mode rounding) (value.Value, error) {
	v, err := number(v)
	if err != nil || v.IsNull() {
		return v, err
	}
	switch v.Kind() {
	case value.Float:
		return value.FromFloat(roundFloat(v.Float(), digits, mode)), nil
	case value.Int, value.Uint:
		if digits >= 0 {
			return v, nil
		}
		d, err := value.ParseDecimal(roundText(value.Text(v), digits, mode))
		if err != nil {
			return v, err
		}
		return integral(d, v.Kind() == value.Uint)
	}
	return value.ParseDecimal(roundText(v.Text(), digits, mode))
}

func roundFloat(f float64, digits int, mode rounding) float64 {
	digits = max(-400, min(digits, 400))
	scale := math.Pow(10, math.Abs(float64(digits)))
	x := f * scale
	if digits < 0 {
		x = f / scale
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return f
	}
	switch mode {
	case halfAway:
		x = math.RoundToEven(x)
	case towardZero:
		x = math.Trunc(x)
	case down:
		x = math.Floor(x)
	case up:
		x = math.Ceil(x)
	}
	switch {
	case digits >= 0:
		return x / scale
	case math.IsInf(scale, 0):
		return 0
	}
	return x * scale
}

// integral makes an integer of a Decimal without fraction.
func integral(d value.Value, unsigned bool) (value.Value, error) {
	t := intType
	t.Unsigned = unsigned
	v, err := t.Convert(d)
	if err != nil {
		return v, &value.RangeError{Type: t.String(), Expr: d.Text()}
	}
	return v, nil
}

// number reads v as a number: Int, Uint, Decimal or Float.
func number(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int, value.Uint, value.Decimal, value.Float, value.Null:
		return value.Plain(v), nil
	}
	return value.Add(v, value.FromInt(0))
}
