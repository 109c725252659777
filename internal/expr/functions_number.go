package expr

import (
	"hash/crc32"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func numberFunctions() []*Function {
	return []*Function{
		{Name: "ABS", Signature: "ABS(x)", Family: "number", Min: 1, Max: 1, strict: true, null: anyNull,
			Type: func(args []Node) value.Type { return numberType(countedType(args[0])) }, Eval: evalAbs},
		{Name: "SIGN", Signature: "SIGN(x)", Family: "number", Doc: "-1, 0 or 1.", Min: 1, Max: 1, strict: true,
			null: anyNull, Type: toInt, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				c, err := value.Compare(args[0], value.FromInt(0), value.Binary)
				return value.FromInt(int64(c)), err
			}},
		{Name: "CEILING", Signature: "CEILING(x)", Family: "number", Doc: "The smallest integer that is at least x.", aliases: []string{"CEIL"},
			Min: 1, Max: 1, strict: true, null: anyNull, Type: wholeType, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return whole(args[0], up)
			}},
		{Name: "FLOOR", Signature: "FLOOR(x)", Family: "number", Doc: "The greatest integer not above x.",
			Min: 1, Max: 1, strict: true, null: anyNull, Type: wholeType, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return whole(args[0], down)
			}},
		{Name: "ROUND", Signature: "ROUND(x[, digits])", Family: "number",
			Doc: "x rounded to digits after the point, before it if negative: exact numbers half away from zero, floats to even.",
			Min: 1, Max: 2, strict: true, null: anyNull, Type: roundType, Eval: roundingFunction(halfAway)},
		{Name: "TRUNCATE", Signature: "TRUNCATE(x, digits)", Family: "number", Doc: "x with further digits cut off.",
			Min: 2, Max: 2, strict: true, null: anyNull, Type: roundType, Eval: roundingFunction(towardZero)},
		{Name: "MOD", Signature: "MOD(x, y)", Family: "number", Doc: "x % y: the remainder, with the sign of x; NULL if y is 0.",
			Min: 2, Max: 2, strict: true,
			Type: func(args []Node) value.Type { return arithType("%", countedType(args[0]), countedType(args[1])) },
			Eval: func(env *Env, args []value.Value) (value.Value, error) { return modulo(env, args[0], args[1]) }},
		{Name: "CONV", Signature: "CONV(x, from, to)", Family: "number",
			Doc: "The digits x of base from, in base to (2 to 36; negative: signed).",
			Min: 3, Max: 3, strict: true, Type: toText, Eval: evalConv},
		{Name: "BIN", Signature: "BIN(x)", Family: "number", Doc: "The binary digits of an integer.", Min: 1, Max: 1, strict: true, Type: toText, Eval: inBase(2)},
		{Name: "OCT", Signature: "OCT(x)", Family: "number", Doc: "The octal digits of an integer.", Min: 1, Max: 1, strict: true, Type: toText, Eval: inBase(8)},
		{Name: "BIT_COUNT", Signature: "BIT_COUNT(x)", Family: "number", Doc: "The number of bits set in 64.", Min: 1, Max: 1, strict: true,
			null: anyNull, Type: toInt, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				v, err := value.BitOr(args[0], value.FromInt(0))
				return value.FromInt(int64(bits.OnesCount64(v.Uint()))), err
			}},
		{Name: "CRC32", Signature: "CRC32(text)", Family: "number", Doc: "The IEEE checksum.", Min: 1, Max: 1, strict: true, null: anyNull,
			Type: fixed(unsignedType), Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromUint(uint64(crc32.ChecksumIEEE([]byte(value.Text(args[0]))))), nil
			}},
		{Name: "FORMAT", Signature: "FORMAT(x, digits)", Family: "number", Doc: "x rounded, with commas between thousands: '1,234.50'.",
			Min: 2, Max: 2, strict: true, Type: toText, Eval: evalFormat},
		{Name: "INTERVAL", Signature: "INTERVAL(n, a, b, …)", Family: "number", compares: true,
			Doc: "How many of the ascending numbers a, b, … are at most n; -1 if n is NULL.", Min: 2, Max: -1, null: neverNull, Type: toInt, compile: compileInterval},
	}
}

// numberType is the type of an argument read as a number.
func numberType(t value.Type) value.Type {
	switch e, i := exact(t); {
	case t.Base == value.TypeUnknown:
		return t
	case i:
		return value.Type{Base: value.TypeBigInt, Unsigned: t.Unsigned}
	case e:
		w, s := digits(t)
		return decimalType(w+s, s)
	}
	return doubleType
}

func wholeType(args []Node) value.Type {
	t := numberType(countedType(args[0]))
	if t.Base == value.TypeDecimal {
		if t.Precision-t.Scale < 19 {
			return intType
		}
		return decimalType(t.Precision-t.Scale+1, 0)
	}
	return t
}

func roundType(args []Node) value.Type {
	t := numberType(countedType(args[0]))
	if t.Base != value.TypeDecimal {
		return t
	}
	scale := 0
	if len(args) > 1 {
		scale = t.Scale
		if c, ok := args[1].(*Const); ok {
			if d, err := value.ToInt(c.V); err == nil {
				scale = int(max(0, min(d, maxScale))) // a quotient has more digits than its scale
			}
		}
	}
	return decimalType(t.Precision-t.Scale+1+scale, scale)
}

func evalAbs(_ *Env, args []value.Value) (value.Value, error) { return value.Abs(args[0]) }

// whole is FLOOR and CEILING: an exact number gives an integer if it fits.
func whole(v value.Value, mode rounding) (value.Value, error) {
	v, err := round(v, 0, mode)
	if err == nil && v.Kind() == value.Decimal {
		if i, err := integral(v, false); err == nil {
			return i, nil
		}
	}
	return v, err
}

func roundingFunction(mode rounding) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, args []value.Value) (value.Value, error) {
		digits := int64(0)
		if len(args) > 1 {
			var err error
			if digits, err = value.ToInt(args[1]); err != nil {
				return value.NullValue, err
			}
		}
		return round(args[0], int(max(-1000, min(digits, 1000))), mode)
	}
}

// inBase is CONV(x, 10, base), which reads the digits that x shows.
func inBase(base int64) func(*Env, []value.Value) (value.Value, error) {
	return func(e *Env, args []value.Value) (value.Value, error) {
		return evalConv(e, []value.Value{args[0], value.FromInt(10), value.FromInt(base)})
	}
}

func evalConv(_ *Env, args []value.Value) (value.Value, error) {
	from, err := value.ToInt(args[1])
	if err != nil {
		return value.NullValue, err
	}
	to, err := value.ToInt(args[2])
	if err != nil {
		return value.NullValue, err
	}
	signed := to < 0
	f, t := max(from, -from), max(to, -to)
	if f < 2 || f > 36 || t < 2 || t > 36 {
		return value.NullValue, nil
	}
	x := args[0]
	if x.Kind() != value.Float {
		x = value.Plain(x) // the digits of a BIT, but the rounded digits of a DOUBLE
	}
	digits := value.Text(x)
	if digits == "" {
		return value.NullValue, nil
	}
	n := parseBase(strings.TrimSpace(digits), uint64(f), from < 0)
	if signed {
		return value.FromString(strings.ToUpper(strconv.FormatInt(int64(n), int(t)))), nil
	}
	return value.FromString(strings.ToUpper(strconv.FormatUint(n, int(t)))), nil
}

// parseBase reads the leading digits of s like strtoull: a number that is too large becomes the greatest.
func parseBase(s string, base uint64, signed bool) uint64 {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(s, "+-")
	var n uint64
	for _, c := range []byte(s) {
		d := uint64(99)
		switch {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case c >= 'a' && c <= 'z':
			d = uint64(c-'a') + 10
		case c >= 'A' && c <= 'Z':
			d = uint64(c-'A') + 10
		}
		if d >= base {
			break
		}
		hi, lo := bits.Mul64(n, base)
		sum, carry := bits.Add64(lo, d, 0)
		if hi != 0 || carry != 0 {
			n = math.MaxUint64
			break
		}
		n = sum
	}
	if signed && !neg && n > math.MaxInt64 {
		n = math.MaxInt64
	}
	if neg {
		return -n
	}
	return n
}

func evalFormat(_ *Env, args []value.Value) (value.Value, error) {
	digits, err := value.ToInt(args[1])
	if err != nil {
		return value.NullValue, err
	}
	digits = max(0, min(digits, maxScale))
	var text string
	switch v, err := number(args[0]); {
	case err != nil:
		return value.NullValue, err
	case v.Kind() == value.Float:
		text = strconv.FormatFloat(roundFloat(v.Float(), int(digits), halfAway), 'f', int(digits), 64)
	default:
		d, err := value.ParseDecimal(roundText(value.Text(v), int(digits), halfAway))
		if err != nil {
			return value.NullValue, err
		}
		text = d.Text()
	}
	whole, frac, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if digits > 0 {
		b.WriteByte('.')
		b.WriteString(frac)
		b.WriteString(strings.Repeat("0", int(digits)-len(frac)))
	}
	return value.FromString(b.String()), nil
}

// compileInterval computes the numbers up to the first above n, and none if n is NULL.
func compileInterval(n *Call) Func {
	args := compileAll(n.Args)
	read := func(env *Env, arg Func) (value.Value, error) {
		v, err := arg(env)
		if err == nil && !v.IsNull() {
			if err = env.Number(v); err == nil {
				return number(v)
			}
		}
		return value.NullValue, err
	}
	return func(env *Env) (value.Value, error) {
		n, err := read(env, args[0])
		if err != nil || n.IsNull() {
			return value.FromInt(-1), err
		}
		for i, arg := range args[1:] {
			a, err := read(env, arg)
			if err != nil {
				return a, err
			}
			if a.IsNull() {
				continue
			}
			c, err := value.Compare(n, a, value.Binary)
			if err != nil || c < 0 {
				return value.FromInt(int64(i)), err
			}
		}
		return value.FromInt(int64(len(args) - 1)), nil
	}
}
