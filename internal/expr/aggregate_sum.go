package expr

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func sumAggregates() map[string]*aggregateFunction {
	return map[string]*aggregateFunction{
		"SUM": {signature: "([DISTINCT] x)", doc: "The sum: of exact numbers a DECIMAL with 22 more digits, of others a DOUBLE; NULL for no rows.",
			min: 1, max: 1, small: true, operand: (*Env).Number, typ: sumType, gather: func(*Aggregate) accumulator { return &sum{} }},
		"TOTAL": {signature: "([DISTINCT] x)", doc: "The sum as a DOUBLE, 0 for no rows (SQLite's).",
			min: 1, max: 1, small: true, operand: (*Env).Number, typ: toDouble, gather: func(*Aggregate) accumulator { return &total{} }},
		"AVG": {signature: "([DISTINCT] x)", doc: "The mean: of exact numbers a DECIMAL with 4 more digits, of others a DOUBLE; NULL for no rows.",
			min: 1, max: 1, small: true, operand: (*Env).Number, typ: avgType, gather: func(*Aggregate) accumulator { return &average{} }},
	}
}

func sumType(args []Node) value.Type {
	t := numberType(countedType(args[0]))
	switch t.Base {
	case value.TypeBigInt:
		return decimalType(integerDigits(args[0])+sumDigits, 0)
	case value.TypeDecimal:
		return decimalType(t.Precision+sumDigits, t.Scale)
	}
	return t
}

// sumDigits is how many more digits a sum has than its argument.
const sumDigits = 22

// integerDigits is how many digits n, an integer or a date, has at most.
func integerDigits(n Node) int {
	if c, ok := n.(*Const); ok && (c.V.Kind() == value.Int || c.V.Kind() == value.Uint && !c.V.IsBits()) {
		return len(strings.TrimPrefix(value.Text(c.V), "-"))
	}
	t := countedType(n)
	switch t.Base {
	case value.TypeBool, value.TypeTinyInt:
		return 3
	case value.TypeYear:
		return 4
	case value.TypeSmallInt:
		return 5
	case value.TypeMediumInt, value.TypeDate:
		return 8
	case value.TypeInt:
		return 10
	case value.TypeDateTime, value.TypeTime:
		return 14
	}
	if t.Unsigned {
		return 20
	}
	return 19
}

func avgType(args []Node) value.Type {
	t := numberType(countedType(args[0]))
	switch t.Base {
	case value.TypeBigInt:
		return decimalType(integerDigits(args[0])+4, 4)
	case value.TypeDecimal:
		return decimalType(t.Precision+4, t.Scale+4)
	}
	return t
}

// sum adds integers in 128 bits, decimals exactly and floats with Neumaier's compensation, so that the order of the rows, which differs from
// plan to plan, hardly matters.
type sum struct {
	n            int64
	hi           int64 // of a 128 bit integer with lo
	lo           uint64
	decimal      value.Value // the Decimals' sum but for small, NULL without any
	small        value.Small // the sum of the last ones that fit
	smalls       bool        // there are such
	float, error float64
	floats       bool
}

func (s *sum) add(args []value.Value) error {
	s.n++
	v := args[0]
	switch v.Kind() {
	case value.Int:
		s.addInteger(uint64(v.Int()), v.Int()>>63)
		return nil
	case value.Bool, value.Uint:
		s.addInteger(v.Uint(), 0)
		return nil
	case value.Float:
		s.addFloat(v.Float())
		return nil
	}
	v, err := number(v)
	if err != nil {
		return err
	}
	switch v.Kind() {
	case value.Int:
		s.addInteger(uint64(v.Int()), v.Int()>>63)
	case value.Float:
		s.addFloat(v.Float())
	default:
		if x, ok := value.SmallOf(v); ok {
			return s.takeSmall(x)
		}
		return s.addDecimal(v)
	}
	return nil
}

func (s *sum) addDecimal(v value.Value) (err error) {
	if s.decimal.IsNull() {
		s.decimal = v
		return nil
	}
	s.decimal, err = value.Add(s.decimal, v)
	return err
}

func (s *sum) addSmall(x value.Small) error {
	s.n++
	return s.takeSmall(x)
}

func (s *sum) takeSmall(x value.Small) error {
	if !s.smalls {
		s.small, s.smalls = x, true
		return nil
	}
	if t, ok := s.small.Plus(x); ok {
		s.small = t
		return nil
	}
	full := s.small
	s.small = x
	return s.addDecimal(full.Value())
}

// remove removes what add has added. A float cannot be removed: the digits of others that it absorbed are lost.
func (s *sum) remove(args []value.Value) (ok bool, err error) {
	v := args[0]
	if k := v.Kind(); k != value.Bool && k != value.Uint {
		if v, err = number(v); err != nil || s.floats {
			return false, err
		}
	}
	s.n--
	switch v.Kind() {
	case value.Int:
		s.subInteger(uint64(v.Int()), v.Int()>>63)
	case value.Bool, value.Uint:
		s.subInteger(v.Uint(), 0)
	default:
		err = s.subDecimal(v)
	}
	return true, err
}

func (s *sum) subDecimal(v value.Value) (err error) {
	if x, ok := value.SmallOf(v); ok && s.smalls {
		if t, ok := s.small.Minus(x); ok {
			s.small = t
			return nil
		}
	}
	if s.decimal.IsNull() {
		s.decimal, err = value.Neg(v)
	} else {
		s.decimal, err = value.Sub(s.decimal, v)
	}
	return err
}

func (s *sum) merge(other accumulator) (err error) {
	var o *sum
	switch other := other.(type) {
	case *sum:
		o = other
	case *total:
		o = &other.sum
	case *average:
		o = &other.sum
	}
	s.n += o.n
	s.addInteger(o.lo, o.hi)
	if o.floats {
		s.addFloat(o.float)
		s.error += o.error
	}
	if !o.decimal.IsNull() {
		err = s.addDecimal(o.decimal)
	}
	if err == nil && o.smalls {
		err = s.takeSmall(o.small)
	}
	return err
}

func (s *sum) addInteger(lo uint64, hi int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + int64(carry)
}

func (s *sum) subInteger(lo uint64, hi int64) {
	var borrow uint64
	s.lo, borrow = bits.Sub64(s.lo, lo, 0)
	s.hi -= hi + int64(borrow)
}

func (s *sum) addFloat(f float64) {
	s.floats = true
	t := s.float + f
	if math.Abs(s.float) >= math.Abs(f) {
		s.error += (s.float - t) + f
	} else {
		s.error += (f - t) + s.float
	}
	s.float = t
}

// integer is the integers' sum, as a Decimal.
func (s *sum) integer() (value.Value, error) {
	if s.hi == int64(s.lo)>>63 {
		return value.FromDecimalText(strconv.FormatInt(int64(s.lo), 10)), nil
	}
	n := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return value.ParseDecimal(n.Add(n, new(big.Int).SetUint64(s.lo)).String())
}

func (s *sum) result() (value.Value, error) {
	if s.n == 0 {
		return value.NullValue, nil
	}
	v, err := s.integer()
	if err == nil && !s.decimal.IsNull() {
		v, err = value.Add(s.decimal, v)
	}
	if err == nil && s.smalls {
		v, err = value.Add(s.small.Value(), v)
	}
	if err != nil || !s.floats {
		return v, err
	}
	f := s.float
	if !math.IsInf(f, 0) {
		f += s.error
	}
	return finite("sum", f+value.ToFloat(v))
}

func (s *sum) size() int { return 96 + len(s.decimal.Text()) }

type total struct{ sum }

func (t *total) result() (value.Value, error) {
	v, err := t.sum.result()
	return value.FromFloat(value.ToFloat(v)), err
}

type average struct{ sum }

func (a *average) result() (value.Value, error) {
	v, err := a.sum.result()
	if err != nil || v.IsNull() {
		return v, err
	}
	return value.Div(v, value.FromInt(a.n))
}
