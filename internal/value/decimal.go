package value

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// MaxDigits is the most digits that a Decimal has in all, and MaxScale the most that a computed one
// has behind the point; both are MySQL's.
const (
	MaxDigits = 65
	MaxScale  = 30
)

// decimal is a Decimal while it is computed with: coef × 10^-scale. apd's BigInt keeps numbers of
// up to 38 digits without allocating.
type decimal struct {
	coef  apd.BigInt
	scale int
	guard int // how many of the digits behind the point are guard digits; see Shown
}

var pow10 = func() (p [2*MaxDigits + 2]apd.BigInt) {
	ten := apd.NewBigInt(10)
	p[0].SetInt64(1)
	for i := 1; i < len(p); i++ {
		p[i].Mul(&p[i-1], ten)
	}
	return p
}()

var bigOne = apd.NewBigInt(1)

// ParseDecimal reads a decimal number: sign, digits with at most one point, and an exponent. It keeps the scale as written ("1.50" has two
// digits after the point) and gives plain canonical text: no leading zeros, no plus sign, no exponent, no negative zero. More than MaxDigits
// digits are an error.
func ParseDecimal(s string) (Value, error) {
	if isPlainDecimal(s) {
		return FromDecimalText(s), nil
	}
	neg, digits, exp, ok := scanDecimal(s)
	if !ok {
		return Value{}, parseError("DECIMAL", s)
	}
	text, ok := plainDecimal(neg, digits, exp)
	if !ok {
		return Value{}, fineError("DECIMAL", s)
	}
	return FromDecimalText(text), nil
}

// isPlainDecimal says whether s is already canonical, so that it need not be rewritten. It leaves the rare forms (negative zeros) to the slow
// path.
func isPlainDecimal(s string) bool {
	if len(s) > MaxDigits {
		return false
	}
	rest := strings.TrimPrefix(s, "-")
	n := countDigits(rest)
	if n == 0 || rest[0] == '0' && (n > 1 || len(rest) < len(s)) {
		return false
	}
	if n == len(rest) {
		return true
	}
	frac := rest[n+1:]
	return rest[n] == '.' && frac != "" && countDigits(frac) == len(frac)
}

// scanDecimal splits s into its digits without the point and the power of ten of the last one.
func scanDecimal(s string) (neg bool, digits string, exp int, ok bool) {
	rest := s
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		neg, rest = rest[0] == '-', rest[1:]
	}
	n := countDigits(rest)
	digits, rest = rest[:n], rest[n:]
	if rest != "" && rest[0] == '.' {
		n = countDigits(rest[1:])
		exp = -n
		if n > 0 {
			digits += rest[1 : 1+n]
		}
		rest = rest[1+n:]
	}
	if digits == "" {
		return false, "", 0, false
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		e, size := scanExponent(rest)
		if size == 0 {
			return false, "", 0, false
		}
		exp, rest = exp+e, rest[size:]
	}
	return neg, digits, exp, rest == ""
}

// scanExponent reads "e-12" and says how long it is; 0 if there is no exponent. An exponent beyond a million stops there: no type reaches that
// far.
func scanExponent(s string) (exp, size int) {
	i, neg := 1, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	n := countDigits(s[i:])
	if n == 0 {
		return 0, 0
	}
	for _, c := range []byte(s[i : i+n]) {
		if exp < 1_000_000 {
			exp = exp*10 + int(c-'0')
		}
	}
	if neg {
		exp = -exp
	}
	return exp, i + n
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// plainDecimal writes digits × 10^exp without an exponent; not ok if that takes too many digits.
func plainDecimal(neg bool, digits string, exp int) (text string, ok bool) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		if exp >= 0 {
			return "0", true
		}
		neg = false
		if -exp > MaxDigits {
			exp = -MaxDigits // zero is zero: nothing is lost
		}
	}
	whole := max(len(digits)+exp, 0)
	if whole+max(-exp, 0) > MaxDigits {
		return "", false
	}
	var b strings.Builder
	b.Grow(MaxDigits + 3)
	if neg {
		b.WriteByte('-')
	}
	switch {
	case exp >= 0:
		b.WriteString(digits)
		for range exp {
			b.WriteByte('0')
		}
		return b.String(), true
	case whole > 0:
		b.WriteString(digits[:whole])
	default:
		b.WriteByte('0')
	}
	b.WriteByte('.')
	for range -exp - len(digits) {
		b.WriteByte('0')
	}
	b.WriteString(digits[whole:])
	return b.String(), true
}

// loadValue reads a Decimal.
func (d *decimal) loadValue(v Value) {
	d.load(v.s)
	d.guard = int(v.n)
}

// load reads canonical decimal text.
func (d *decimal) load(s string) {
	neg := strings.HasPrefix(s, "-")
	if neg {
		s = s[1:]
	}
	d.scale = 0
	whole, frac, found := strings.Cut(s, ".")
	if found {
		d.scale = len(frac)
	}
	if len(whole)+len(frac) <= 18 {
		n := int64(0)
		for i := 0; i < len(whole); i++ {
			n = n*10 + int64(whole[i]-'0')
		}
		for i := 0; i < len(frac); i++ {
			n = n*10 + int64(frac[i]-'0')
		}
		d.coef.SetInt64(n)
	} else {
		d.coef.SetString(whole+frac, 10)
	}
	if neg {
		d.negate()
	}
}

// loadDigits reads digits alone; apd would allocate for few ones.
func (d *decimal) loadDigits(digits string) {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		d.coef.SetInt64(n)
		return
	}
	d.coef.SetString(digits, 10)
}

// text is the canonical text of d.
func (d *decimal) text() string {
	var buf [2*MaxDigits + 4]byte
	digits := buf[:0]
	if d.coef.IsInt64() { // apd would allocate
		digits = strconv.AppendInt(digits, d.coef.Int64(), 10)
	} else {
		digits = append(digits, d.coef.String()...)
	}
	return pointed(digits, d.scale)
}

// pointed is the canonical text of digits, which may have a sign; scale of them are after the point.
func pointed(digits []byte, scale int) string {
	if scale == 0 {
		return string(digits)
	}
	var text [2*MaxDigits + 4]byte
	dst := text[:0]
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	whole := max(len(digits)-scale, 0)
	if whole == 0 {
		dst = append(dst, '0')
	}
	dst = append(append(dst, digits[:whole]...), '.')
	for range scale - len(digits) {
		dst = append(dst, '0')
	}
	return string(append(dst, digits[whole:]...))
}

// Padded gives an exact number with at least scale digits after the point. Other values, and numbers that would get too many digits, stay as
// they are.
func Padded(v Value, scale int) Value {
	var d decimal
	switch {
	case scale == 0:
		return v
	case v.kind == Decimal:
		d.loadValue(v)
	case isInteger(v.kind):
		d.load(Text(v))
	default:
		return v
	}
	if d.shown() >= scale || d.digits()-d.scale+scale > MaxDigits {
		return v
	}
	if d.scale < scale {
		d.guard = 0
		d.rescale(scale)
	}
	d.guard = d.scale - scale
	return d.value()
}

// negate changes the sign; apd would make a negative zero.
func (d *decimal) negate() {
	if d.coef.Sign() != 0 {
		d.coef.Neg(&d.coef)
	}
}

func (d *decimal) value() Value { return Value{kind: Decimal, s: d.text(), n: uint64(d.guard)} }

// shown is the scale without the guard digits.
func (d *decimal) shown() int { return d.scale - d.guard }

// withoutGuard rounds a Decimal to the scale that it shows.
func withoutGuard(v Value) Value {
	var d decimal
	d.loadValue(v)
	d.rescale(d.shown())
	return d.value()
}

// rescale gives d another scale, rounding half away from zero if digits are dropped.
func (d *decimal) rescale(scale int) (exact bool) {
	shown := d.shown()
	switch {
	case scale > d.scale:
		d.coef.Mul(&d.coef, &pow10[scale-d.scale])
		exact = true
	case scale < d.scale:
		exact = roundQuo(&d.coef, &d.coef, &pow10[d.scale-scale])
	default:
		exact = true
	}
	d.scale = scale
	if d.guard > 0 {
		d.guard = max(0, scale-shown)
	}
	return exact
}

// roundQuo sets z to x / y rounded half away from zero; y is positive.
func roundQuo(z, x, y *apd.BigInt) (exact bool) {
	var rem apd.BigInt
	negative := x.Sign() < 0
	z.QuoRem(x, y, &rem)
	if rem.Sign() == 0 {
		return true
	}
	rem.Abs(&rem)
	rem.Add(&rem, &rem)
	if rem.Cmp(y) >= 0 {
		if negative {
			z.Sub(z, bigOne)
		} else {
			z.Add(z, bigOne)
		}
	}
	return false
}

// digits counts the decimal digits of the coefficient.
func (d *decimal) digits() int {
	n := 0
	for n < len(pow10) && d.coef.CmpAbs(&pow10[n]) >= 0 {
		n++
	}
	return n
}

// fit limits a result to MaxDigits by dropping digits after the point, as MySQL does; not ok if there are too many digits before it.
func (d *decimal) fit() (ok bool) {
	over := max(d.digits(), d.scale) - MaxDigits
	if over <= 0 {
		return true
	}
	if over > d.scale {
		return false
	}
	d.rescale(d.scale - over)
	return d.digits() <= MaxDigits
}

// compareDecimal compares two canonical decimal texts exactly.
func compareDecimal(a, b string) int {
	an, bn := strings.HasPrefix(a, "-"), strings.HasPrefix(b, "-")
	switch {
	case an && bn:
		return compareDigits(b[1:], a[1:])
	case an:
		return -1
	case bn:
		return 1
	}
	return compareDigits(a, b)
}

func compareDigits(a, b string) int {
	aw, af, _ := strings.Cut(a, ".")
	bw, bf, _ := strings.Cut(b, ".")
	if len(aw) != len(bw) {
		if len(aw) < len(bw) {
			return -1
		}
		return 1
	}
	if c := strings.Compare(aw, bw); c != 0 {
		return c
	}
	return strings.Compare(strings.TrimRight(af, "0"), strings.TrimRight(bf, "0"))
}

// round loads digits × 10^exp, however many they are, rounded half away from zero to a scale; not ok if there are too many digits before the
// point.
func (d *decimal) round(neg bool, digits string, exp, scale int) (exact, ok bool) {
	digits = strings.TrimLeft(digits, "0")
	if len(digits)+exp > MaxDigits {
		return true, digits == ""
	}
	exact, up := true, false
	if drop := -exp - scale; drop > 0 {
		keep := len(digits) - drop
		up = keep >= 0 && keep < len(digits) && digits[keep] >= '5'
		exact = strings.TrimLeft(digits[max(keep, 0):], "0") == ""
		digits, exp = digits[:max(keep, 0)], -scale
	}
	if digits != "" {
		d.loadDigits(digits)
		d.coef.Mul(&d.coef, &pow10[max(exp, 0)])
	}
	if up {
		d.coef.Add(&d.coef, bigOne)
	}
	if neg {
		d.negate()
	}
	d.scale = max(-exp, 0)
	return exact, true
}
