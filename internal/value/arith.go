package value

import (
	"math"
	"math/bits"
)

// The arithmetic below has MySQL's types: integers stay integers, unsigned if one operand is; an exact number with a Decimal gives a Decimal; a
// Float or a text makes the result a Float; times count as YYYYMMDDHHMMSS. NULL gives NULL. A result beyond its type is a *RangeError.

// Add gives a + b.
func Add(a, b Value) (Value, error) {
	if a.kind == Int && b.kind == Int {
		x, y := int64(a.n), int64(b.n)
		if sum := x + y; (sum > x) == (y > 0) {
			return FromInt(sum), nil
		}
		return Value{}, rangeError("BIGINT", a, "+", b)
	}
	return arithmetic(a, b, &addition)
}

// Sub gives a - b.
func Sub(a, b Value) (Value, error) {
	if a.kind == Int && b.kind == Int {
		x, y := int64(a.n), int64(b.n)
		if diff := x - y; (diff < x) == (y > 0) {
			return FromInt(diff), nil
		}
		return Value{}, rangeError("BIGINT", a, "-", b)
	}
	return arithmetic(a, b, &subtraction)
}

// Mul gives a * b. The scale of a Decimal result is the sum of both, at most MaxScale.
func Mul(a, b Value) (Value, error) { return arithmetic(a, b, &multiplication) }

// Div gives a / b, of integers too as a Decimal: its scale is that of a plus 4, at most MaxScale, with guard
// digits behind (see Shown). Division by zero gives NULL.
func Div(a, b Value) (Value, error) { return arithmetic(a, b, &division) }

// IntDiv gives a DIV b: the quotient as an integer, cut towards zero. Division by zero gives NULL.
func IntDiv(a, b Value) (Value, error) { return arithmetic(a, b, &integerDivision) }

// Mod gives a % b, with the sign of a. Division by zero gives NULL.
func Mod(a, b Value) (Value, error) { return arithmetic(a, b, &modulo) }

// Neg gives -a.
func Neg(a Value) (Value, error) {
	switch v := toNumber(a); v.kind {
	case Int:
		if int64(v.n) == math.MinInt64 {
			return Value{}, &RangeError{Type: "BIGINT", Expr: "-(" + Text(v) + ")"}
		}
		return FromInt(-int64(v.n)), nil
	case Uint:
		if v.n > 1<<63 {
			return Value{}, &RangeError{Type: "BIGINT", Expr: "-" + Text(v)}
		}
		return FromInt(-int64(v.n)), nil
	case Decimal:
		var d decimal
		d.loadValue(v)
		d.negate()
		return d.value(), nil
	case Float:
		return withFractionOf(FromFloat(-v.Float()), a, a, 0), nil
	}
	return NullValue, nil
}

// Abs gives a without its sign.
func Abs(a Value) (Value, error) {
	switch v := toNumber(a); {
	case v.kind == Float:
		return withFractionOf(FromFloat(math.Abs(v.Float())), a, a, 0), nil
	case v.kind == Int && int64(v.n) < 0, v.kind == Decimal && v.s[0] == '-':
		return Neg(v)
	default:
		return v, nil
	}
}

// operation is one operator over the three families of numbers. null says that the result is NULL
// for a reason other than the operands (division by zero), ok that it is within its type.
type operation struct {
	sign     string
	integers func(a, b integer) (r integer, null, ok bool) // nil: as decimals
	floats   func(a, b float64) (r float64, null bool)     // nil: as decimals
	decimals func(r, a, b *decimal) (null, ok bool)
	truncate bool // the decimal result is cut to an integer
}

var (
	addition       = operation{sign: "+", integers: integer.add, floats: addFloats, decimals: addDecimals}
	subtraction    = operation{sign: "-", integers: integer.sub, floats: subFloats, decimals: subDecimals}
	multiplication = operation{sign: "*", integers: integer.mul, floats: mulFloats, decimals: mulDecimals}
	division       = operation{sign: "/", floats: divFloats, decimals: divDecimals}
	// MySQL divides floats as decimals when the result is an integer.
	integerDivision = operation{sign: "DIV", integers: integer.div, decimals: intDivDecimals, truncate: true}
	modulo          = operation{sign: "%", integers: integer.mod, floats: modFloats, decimals: modDecimals}
)

func arithmetic(a, b Value, op *operation) (Value, error) {
	if a.kind == Null || b.kind == Null {
		return NullValue, nil
	}
	x, y := toNumber(a), toNumber(b)
	if (x.kind == Float || y.kind == Float) && op.floats != nil {
		r, null := op.floats(ToFloat(x), ToFloat(y))
		switch {
		case null:
			return NullValue, nil
		case math.IsInf(r, 0) || math.IsNaN(r):
			return Value{}, rangeError("DOUBLE", a, op.sign, b)
		}
		more := 0
		if op == &division {
			more = divIncrement
		}
		return withFractionOf(FromFloat(r), a, b, more), nil
	}
	unsigned := x.kind == Uint || y.kind == Uint
	if x.kind <= Uint && y.kind <= Uint && op.integers != nil {
		r, null, ok := op.integers(integerOf(x), integerOf(y))
		if null {
			return NullValue, nil
		}
		if op == &modulo {
			unsigned = x.kind == Uint // the sign is that of the dividend
		}
		if v, fits := r.value(unsigned); ok && fits {
			return v, nil
		}
		return Value{}, rangeError(integerName(unsigned), a, op.sign, b)
	}
	return decimalArithmetic(a, b, x, y, unsigned, op)
}

// withFractionOf gives a float computed from a and b the digits after the point that they show, and so many more, if one of them was rounded to
// digits of its own and the other is not a float without such digits.
func withFractionOf(r, a, b Value, more int) Value {
	if a.fraction() < 0 && b.fraction() < 0 {
		return r
	}
	x, y := shownFraction(a), shownFraction(b)
	if x < 0 || y < 0 {
		return r
	}
	return r.WithFraction(max(x, y) + more)
}

// shownFraction is how many digits after the point a number shows; -1: as many as it needs.
func shownFraction(v Value) int {
	switch v.kind {
	case Bool, Int, Uint, Date:
		return 0
	case Time, Duration:
		return v.Digits()
	case Decimal:
		var d decimal
		d.loadValue(v)
		return d.shown()
	case Float:
		return v.fraction()
	}
	return -1
}

func decimalArithmetic(a, b, x, y Value, unsigned bool, op *operation) (Value, error) {
	x, err := ToDecimal(x)
	if err != nil {
		return Value{}, err
	}
	y, err = ToDecimal(y)
	if err != nil {
		return Value{}, err
	}
	// They escape, for the operator is not known before; one array is one allocation.
	var operands [3]decimal
	r, d, e := &operands[0], &operands[1], &operands[2]
	d.loadValue(x)
	e.loadValue(y)
	null, ok := op.decimals(r, d, e)
	switch {
	case null:
		return NullValue, nil
	case op.truncate:
		if ok && !unsigned && r.coef.IsInt64() {
			return FromInt(r.coef.Int64()), nil
		}
		if ok && unsigned && r.coef.IsUint64() {
			return FromUint(r.coef.Uint64()), nil
		}
		return Value{}, rangeError(integerName(unsigned), a, op.sign, b)
	case !ok || !r.fit():
		return Value{}, rangeError("DECIMAL", a, op.sign, b)
	}
	return r.value(), nil
}

func integerName(unsigned bool) string {
	if unsigned {
		return "BIGINT UNSIGNED"
	}
	return "BIGINT"
}

// integer is a sign and a magnitude: what Int and Uint have in common.
type integer struct {
	neg bool
	mag uint64
}

func integerOf(v Value) integer {
	if v.kind == Int && int64(v.n) < 0 {
		return integer{neg: true, mag: -v.n}
	}
	return integer{mag: v.n}
}

// value is not ok when i is beyond the type.
func (i integer) value(unsigned bool) (Value, bool) {
	switch {
	case unsigned:
		return FromUint(i.mag), !i.neg || i.mag == 0
	case i.neg:
		return FromInt(int64(-i.mag)), i.mag <= 1<<63
	}
	return FromInt(int64(i.mag)), i.mag < 1<<63
}

func (i integer) add(j integer) (r integer, null, ok bool) {
	if i.neg == j.neg {
		sum, carry := bits.Add64(i.mag, j.mag, 0)
		return integer{i.neg, sum}, false, carry == 0
	}
	if i.mag >= j.mag {
		return integer{i.neg, i.mag - j.mag}, false, true
	}
	return integer{j.neg, j.mag - i.mag}, false, true
}

func (i integer) sub(j integer) (r integer, null, ok bool) {
	return i.add(integer{!j.neg, j.mag})
}

func (i integer) mul(j integer) (r integer, null, ok bool) {
	hi, lo := bits.Mul64(i.mag, j.mag)
	return integer{i.neg != j.neg, lo}, false, hi == 0
}

func (i integer) div(j integer) (r integer, null, ok bool) {
	if j.mag == 0 {
		return r, true, true
	}
	return integer{i.neg != j.neg, i.mag / j.mag}, false, true
}

func (i integer) mod(j integer) (r integer, null, ok bool) {
	if j.mag == 0 {
		return r, true, true
	}
	return integer{i.neg, i.mag % j.mag}, false, true
}

func addFloats(a, b float64) (float64, bool) { return a + b, false }
func subFloats(a, b float64) (float64, bool) { return a - b, false }
func mulFloats(a, b float64) (float64, bool) { return a * b, false }
func divFloats(a, b float64) (float64, bool) { return a / b, b == 0 }
func modFloats(a, b float64) (float64, bool) { return math.Mod(a, b), b == 0 }

func addDecimals(r, a, b *decimal) (null, ok bool) {
	shown := max(a.shown(), b.shown())
	align(a, b)
	r.coef.Add(&a.coef, &b.coef)
	r.scale, r.guard = a.scale, a.scale-shown
	return false, true
}

func subDecimals(r, a, b *decimal) (null, ok bool) {
	b.negate()
	return addDecimals(r, a, b)
}

func mulDecimals(r, a, b *decimal) (null, ok bool) {
	r.coef.Mul(&a.coef, &b.coef)
	r.scale, r.guard = a.scale+b.scale, a.guard+b.guard
	if most := max(MaxScale, a.scale, b.scale); r.scale > most {
		r.rescale(most)
	}
	return false, true
}

func divDecimals(r, a, b *decimal) (null, ok bool) {
	if b.coef.Sign() == 0 {
		return true, true
	}
	shown := max(min(a.shown()+divIncrement, MaxScale), a.shown())
	r.scale = max(min(quotientScale(a.scale, b.scale), MaxDigits), shown)
	r.guard = r.scale - shown
	a.coef.Mul(&a.coef, &pow10[r.scale-a.scale+b.scale])
	r.coef.Quo(&a.coef, &b.coef)
	return false, true
}

// divIncrement is how many digits more than its dividend a quotient shows: MySQL's div_precision_increment.
const divIncrement = 4

// quotientScale is the scale to which MySQL computes a quotient, the digits behind cut off. It computes in
// words of nine digits, and what fills the operands' last words counts towards divIncrement.
func quotientScale(a, b int) int {
	const word = 9
	full := func(scale int) int { return (scale + word - 1) / word * word }
	return full(full(a) + full(b) + max(0, divIncrement-(full(a)-a)-(full(b)-b)))
}

func intDivDecimals(r, a, b *decimal) (null, ok bool) {
	if b.coef.Sign() == 0 {
		return true, true
	}
	align(a, b)
	r.coef.Quo(&a.coef, &b.coef)
	return false, true
}

func modDecimals(r, a, b *decimal) (null, ok bool) {
	if b.coef.Sign() == 0 {
		return true, true
	}
	shown := max(a.shown(), b.shown())
	align(a, b)
	r.coef.Rem(&a.coef, &b.coef)
	r.scale, r.guard = a.scale, a.scale-shown
	return false, true
}

// align brings both to the greater scale.
func align(a, b *decimal) {
	if a.scale < b.scale {
		a.rescale(b.scale)
	} else {
		b.rescale(a.scale)
	}
}
