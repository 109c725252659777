package value

import "math"

// The bit operations work on 64 bits and give a Uint, as MySQL's do. Negative integers count as
// their two's complement, other numbers are rounded, text counts by its leading numeric part. NULL
// gives NULL.

// BitAnd gives a & b.
func BitAnd(a, b Value) (Value, error) {
	return bitwise(a, b, func(x, y uint64) uint64 { return x & y })
}

// BitOr gives a | b.
func BitOr(a, b Value) (Value, error) {
	return bitwise(a, b, func(x, y uint64) uint64 { return x | y })
}

// BitXor gives a ^ b.
func BitXor(a, b Value) (Value, error) {
	return bitwise(a, b, func(x, y uint64) uint64 { return x ^ y })
}

// Shl gives a << b; 0 when b is 64 or more.
func Shl(a, b Value) (Value, error) {
	return bitwise(a, b, func(x, y uint64) uint64 { return x << y })
}

// Shr gives a >> b, filled with zeros; 0 when b is 64 or more.
func Shr(a, b Value) (Value, error) {
	return bitwise(a, b, func(x, y uint64) uint64 { return x >> y })
}

// BitNot gives ~a.
func BitNot(a Value) (Value, error) {
	if a.kind == Null {
		return a, nil
	}
	x, err := toBits(a)
	return FromUint(^x), err
}

func bitwise(a, b Value, op func(x, y uint64) uint64) (Value, error) {
	if a.kind == Null || b.kind == Null {
		return NullValue, nil
	}
	x, err := toBits(a)
	if err != nil {
		return Value{}, err
	}
	y, err := toBits(b)
	if err != nil {
		return Value{}, err
	}
	return FromUint(op(x, y)), nil
}

// toBits gives the 64 bits of a number, or of the nearest number of 64 bits.
func toBits(v Value) (uint64, error) {
	if isTemporal(v.kind) {
		v = wholeSeconds(v)
	}
	if (v.kind == String || v.kind == Bytes || v.kind == UUID) && !v.counted {
		if v.IsTimeText() {
			v = FromFloat(v.Float())
		}
		i := nearestInteger(v)
		if i.neg {
			return -i.mag, nil
		}
		return i.mag, nil
	}
	v = toNumber(v)
	switch v.kind {
	case Int, Uint:
		return v.n, nil
	case Float:
		switch f := math.RoundToEven(v.Float()); {
		case f >= 1<<64:
			return math.MaxUint64, nil
		case f >= 1<<63:
			return uint64(f), nil
		case f < -1<<63:
			return 1 << 63, nil
		}
	case Decimal:
		var d decimal
		d.load(v.s)
		d.rescale(0)
		switch {
		case d.coef.IsUint64():
			return d.coef.Uint64(), nil
		case d.coef.IsInt64():
			return uint64(d.coef.Int64()), nil
		case d.coef.Sign() < 0:
			return 1 << 63, nil
		}
		return math.MaxUint64, nil
	}
	i, err := ToInt(v)
	return uint64(i), err
}
