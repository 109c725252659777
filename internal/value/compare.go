package value

import (
	"cmp"
	"math"
	"strings"
)

// Compare says whether a sorts before b (-1), with it (0) or behind it (1), as MySQL compares the
// two kinds. Neither may be NULL.
//
//   - Exact numbers compare exactly, booleans as 1 and 0; with a Float, as two Floats. NaN equals itself and is below
//     all others.
//   - A number with text compares as numbers, the text by its leading numeric part, as a Float; with an integer a text
//     that is an integer compares exactly. A member of an ENUM or SET, and a hexadecimal literal, are the number that
//     they count as.
//   - A time with text compares as times; text that is none is below all points in time, and the TIME 00:00:00.
//   - A UUID with text compares as UUIDs where the text is one, else as texts.
//   - A time with a number compares as numbers (YYYYMMDDHHMMSS).
//   - Text with text compares by c, octets with anything textual by their octets.
//   - JSON compares with anything as documents; what is no JSON text there is a *JSONError.
//
// TIME with DATE or DATETIME is a *CompareError: code that knows the date first makes a DATETIME of the TIME.
func Compare(a, b Value, c Collation) (int, error) {
	switch {
	case a.kind == JSON || b.kind == JSON:
		return compareJSON(a, b)
	case a.kind == b.kind:
		return compareSame(a, b, c), nil
	case isNumeric(a.kind) && isNumeric(b.kind):
		return compareNumbers(a, b), nil
	case isNumeric(a.kind) || isNumeric(b.kind):
		return compareNumbers(numberBeside(a, b.kind), numberBeside(b, a.kind)), nil
	case isTemporal(a.kind) && isTemporal(b.kind):
		if a.kind == Duration || b.kind == Duration {
			return 0, &CompareError{a.kind, b.kind}
		}
		return cmp.Compare(a.Ticks(), b.Ticks()), nil
	case isTemporal(a.kind):
		return compareTemporalText(a, b), nil
	case isTemporal(b.kind):
		return -compareTemporalText(b, a), nil
	case a.kind == UUID && b.kind == String:
		return compareUUIDText(a.s, b.s, c), nil
	case a.kind == String && b.kind == UUID:
		return -compareUUIDText(b.s, a.s, c), nil
	case a.kind == Bytes || b.kind == Bytes:
		c = Binary
	}
	return c.Compare(a.s, b.s), nil
}

// Order is a total order over all values, for sorting, MIN and MAX: NULL first, then numbers, text, octets, times, durations, JSON and UUIDs,
// each in Compare's order. Between numbers and texts Compare is not an order: 'abc' is below 5, and above '5', which is 5. Members of an ENUM or
// SET are sorted by their numbers.
func Order(a, b Value, c Collation) int {
	if a.kind == JSON && b.kind == JSON {
		return orderJSON(a, b)
	}
	if a.kind != b.kind {
		switch {
		case a.kind == Float && isInteger(b.kind): // as floats, different integers would equal one
			return compareFloatInt(a.Float(), b)
		case b.kind == Float && isInteger(a.kind):
			return -compareFloatInt(b.Float(), a)
		}
		if x, y := orderClass(a.kind), orderClass(b.kind); x != y {
			return cmp.Compare(x, y)
		}
	}
	if a.counted && b.counted && a.kind == String {
		if r := cmp.Compare(a.n, b.n); r != 0 {
			return r
		}
	}
	r, _ := Compare(a, b, c) // kinds of one class compare
	return r
}

// orderClass is the first of the kinds that are sorted together.
func orderClass(k Kind) Kind {
	switch {
	case isNumeric(k):
		return Bool
	case k == Date:
		return Time
	}
	return k
}

// numberBeside makes v a number, for a comparison with one of kind k.
func numberBeside(v Value, k Kind) Value {
	switch v.kind {
	case String, Bytes, UUID:
		return NumberBeside(v, k)
	}
	return toNumber(v)
}

func isInteger(k Kind) bool  { return k >= Bool && k <= Uint }
func isNumeric(k Kind) bool  { return k >= Bool && k <= Float }
func isTemporal(k Kind) bool { return k >= Time && k <= Duration }

func compareSame(a, b Value, c Collation) int {
	switch a.kind {
	case Int, Time, Date, Duration:
		return cmp.Compare(int64(a.n), int64(b.n))
	case Bool, Uint:
		return cmp.Compare(a.n, b.n)
	case Float:
		return cmp.Compare(a.Float(), b.Float())
	case Decimal:
		return compareDecimal(a.s, b.s)
	case String:
		return c.Compare(a.s, b.s)
	}
	return strings.Compare(a.s, b.s)
}

// compareNumbers compares values of numeric kinds.
func compareNumbers(a, b Value) int {
	if a.kind == b.kind {
		return compareSame(a, b, Binary)
	}
	if a.kind == Float || b.kind == Float {
		return cmp.Compare(ToFloat(a), ToFloat(b))
	}
	if a.kind == Decimal || b.kind == Decimal {
		var x, y [24]byte
		return compareDecimal(decimalText(x[:0], a), decimalText(y[:0], b))
	}
	// Bool, Int and Uint: a negative one is below, the rest compare as unsigned.
	an, bn := a.kind == Int && int64(a.n) < 0, b.kind == Int && int64(b.n) < 0
	if an != bn {
		if an {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.n, b.n)
}

func decimalText(buf []byte, v Value) string {
	if v.kind == Decimal {
		return v.s
	}
	return string(AppendText(buf, Plain(v)))
}

// compareFloatInt compares without rounding the integer (Bool, Int or Uint) to a float.
func compareFloatInt(f float64, i Value) int {
	switch {
	case math.IsNaN(f) || f < -1<<63:
		return -1
	case f >= 1<<64:
		return 1
	}
	whole := math.Floor(f)
	var r int
	switch {
	case whole < 0: // in range of int64
		if i.kind != Int {
			return -1
		}
		r = cmp.Compare(int64(whole), int64(i.n))
	case i.kind == Int && int64(i.n) < 0:
		return 1
	default:
		r = cmp.Compare(uint64(whole), i.n)
	}
	if r == 0 && f > whole {
		return 1
	}
	return r
}

func compareTemporalText(t, text Value) int {
	if t.kind == Duration {
		d, _ := ReadDuration(text)
		return cmp.Compare(t.Ticks(), d.Ticks())
	}
	at, ok := ReadTime(text)
	if !ok {
		return 1
	}
	return cmp.Compare(t.Ticks(), at.Ticks())
}

func compareUUIDText(uuid, text string, c Collation) int {
	if canonical, ok := canonicalUUID(text); ok {
		text = canonical
	}
	return c.Compare(uuid, text)
}
