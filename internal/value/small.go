package value

import (
	"math"
	"math/bits"
	"strconv"
)

// Small is an exact number that, without its point, fits a machine word. Sums and products of Smalls are computed without making a text of each.
// If an operation is not ok, its caller computes in the general way: the number is larger or has guard digits.
type Small struct {
	coef  int64 // the number is coef × 10^-scale
	scale int
	whole bool // an Int, and counts as one in operations with another number
}

// smallDigits is how many digits surely fit.
const smallDigits = 18

var smallPowers = func() (p [smallDigits + 1]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// SmallOf gives an Int or a Decimal as a Small.
func SmallOf(v Value) (x Small, ok bool) {
	switch {
	case v.kind == Int:
		return Small{coef: int64(v.n), whole: true}, true
	case v.kind != Decimal || v.n != 0 || len(v.s) > smallDigits:
		return x, false
	}
	for i := 0; i < len(v.s); i++ {
		switch c := v.s[i]; c {
		case '-':
		case '.':
			x.scale = len(v.s) - 1 - i
		default:
			x.coef = 10*x.coef + int64(c-'0')
		}
	}
	if v.s[0] == '-' {
		x.coef = -x.coef
	}
	return x, true
}

// IsWhole says whether x is an Int.
func (x Small) IsWhole() bool { return x.whole }

// Value gives x as a Decimal.
func (x Small) Value() Value {
	var buf [smallDigits + 2]byte
	return Value{kind: Decimal, s: pointed(strconv.AppendInt(buf[:0], x.coef, 10), x.scale)}
}

// Plus gives x + y as a Decimal.
func (x Small) Plus(y Small) (sum Small, ok bool) {
	if x.scale < y.scale {
		x, y = y, x
	}
	aligned, ok := y.to(x.scale)
	sum = Small{coef: x.coef + aligned, scale: x.scale}
	return sum, ok && !(x.whole && y.whole) && (sum.coef > x.coef) == (aligned > 0)
}

// Minus gives x - y as a Decimal.
func (x Small) Minus(y Small) (difference Small, ok bool) {
	if y.coef == math.MinInt64 {
		return Small{}, false
	}
	y.coef = -y.coef
	return x.Plus(y)
}

// Times gives x * y as a Decimal.
func (x Small) Times(y Small) (product Small, ok bool) {
	coef, ok := multiply(x.coef, y.coef)
	product = Small{coef: coef, scale: x.scale + y.scale}
	return product, ok && !(x.whole && y.whole) && product.scale <= smallDigits
}

// to gives the coefficient of x at a greater scale.
func (x Small) to(scale int) (coef int64, ok bool) {
	return multiply(x.coef, smallPowers[scale-x.scale])
}

func multiply(a, b int64) (c int64, ok bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if c = int64(lo); a < 0 != (b < 0) {
		c = -c
	}
	return c, hi == 0 && lo <= math.MaxInt64
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
