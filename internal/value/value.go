// Package value holds typed SQL values: what a column holds, what an expression yields, how
// two of them compare and how one becomes another type. It knows nothing of SQL text, keys or
// stores.
//
//	v := value.FromInt(7)
//	c, _ := value.Compare(v, value.FromString("7"), value.Binary) // 0: MySQL compares them as numbers
package value

import "math"

// Kind is the type that a value has at run time.
type Kind uint8

// The kinds. Null is the zero Value.
const (
	Null     Kind = iota
	Bool          // true or false; counts as 1 or 0 in arithmetic
	Int           // signed 64 bit
	Uint          // unsigned 64 bit
	Decimal       // exact decimal, up to 65 digits, kept as canonical text with its scale ("-1.50")
	Float         // IEEE 754 binary64
	String        // UTF-8 text
	Bytes         // octets
	Time          // DATETIME: 100 ns ticks since 0001-01-01 00:00:00 UTC
	Date          // the same ticks, at midnight
	Duration      // TIME: signed 100 ns units
	JSON          // JSON text
	UUID          // 36 characters, lower case
)

// Value is one SQL value: 32 bytes, comparable by its accessors only (two Values that are == are
// equal, the opposite does not hold). Text and octets share memory with what they were made of.
type Value struct {
	s    string // String, Bytes, Decimal, JSON, UUID; octets of a BIT, see FromBits; digits of the year 0, see FromYear
	n    uint64 // Bool, Int, Uint, Float bits, Time, Date, Duration; guard digits of a Decimal; see counted
	kind Kind
	// digits are those behind the second that a Time or Duration shows in any case; more where it has more. Of a
	// Float they say how it is shown, see Single and WithFraction; of a String that it is an ENUM's error value, or see FromTimeText.
	digits uint8
	// counted: a String or Bytes counts as n, see FromMember and FromHex.
	counted bool
}

// NullValue is SQL's NULL, the zero Value.
var NullValue Value

// FromBool, FromInt, … make a value of the kind they name.
func FromBool(b bool) Value {
	if b {
		return Value{kind: Bool, n: 1}
	}
	return Value{kind: Bool}
}

func FromInt(i int64) Value      { return Value{kind: Int, n: uint64(i)} }
func FromUint(u uint64) Value    { return Value{kind: Uint, n: u} }
func FromFloat(f float64) Value  { return Value{kind: Float, n: math.Float64bits(f)} }
func FromString(s string) Value  { return Value{kind: String, s: s} }
func FromBytes(b string) Value   { return Value{kind: Bytes, s: b} }
func FromTicks(t int64) Value    { return Value{kind: Time, n: uint64(t)} }
func FromDate(t int64) Value     { return Value{kind: Date, n: uint64(t)} }
func FromDuration(d int64) Value { return Value{kind: Duration, n: uint64(d)} }
func FromJSON(s string) Value    { return Value{kind: JSON, s: s} }

// FromUUID takes the canonical text; see ParseUUID for other spellings.
func FromUUID(s string) Value { return Value{kind: UUID, s: s} }

// FromDecimalText takes canonical decimal text ("-1.50"); see ParseDecimal for other spellings.
func FromDecimalText(s string) Value { return Value{kind: Decimal, s: s} }

// Shown is v without guard digits. A computed Decimal, such as a quotient, may have guard digits beyond its scale: they count in comparisons and
// computations (1 / 3 * 3 is 1.0000), but are neither shown nor stored.
func Shown(v Value) Value {
	if v.kind != Decimal || v.n == 0 {
		return v
	}
	return withoutGuard(v)
}

// WithDigits gives a Time or Duration that shows n digits of a second, as a DATETIME(n) and TIME(n) do, or more if it has more. For a negative
// n, and for other values, it gives v.
func (v Value) WithDigits(n int) Value {
	if v.kind == Time || v.kind == Duration {
		v.digits = uint8(max(0, min(n, MaxFraction)))
	}
	return v
}

// Digits is how many digits behind the second a Time or Duration shows in any case.
func (v Value) Digits() int { return int(v.digits) }

// Single is a Float as a column of type t has it: of single precision if t is FLOAT. It then shows at most six digits, as in MySQL; FLOAT(M,D)
// and DOUBLE(M,D) show D digits after the point. Other values stay as they are.
func (t Type) Single(v Value) Value {
	switch {
	case v.kind != Float || t.Base != TypeFloat && t.Base != TypeDouble:
	case t.Precision > 0 && t.Base == TypeFloat:
		v.digits = singleFixed + uint8(t.Scale)
	case t.Precision > 0:
		v.digits = doubleFixed + uint8(t.Scale)
	case t.Base == TypeFloat:
		v.digits = singleDigits
	}
	return v
}

// WithFraction is a Float that shows n digits after the point, at most MaxScale, when it becomes a text. Other values stay as they are.
func (v Value) WithFraction(n int) Value {
	if v.kind == Float {
		v.digits = doubleFixed + uint8(max(0, min(n, MaxScale)))
	}
	return v
}

// The digits of a Float of single precision, and those to which the digits behind the point are added.
const singleDigits, doubleFixed, singleFixed = 6, 32, 64

// IsSingle says whether v is a Float of single precision.
func (v Value) IsSingle() bool {
	return v.kind == Float && (v.digits == singleDigits || v.digits >= singleFixed)
}

// fraction is how many digits after the point a Float shows; -1: as many as it needs.
func (v Value) fraction() int {
	switch {
	case v.kind != Float:
	case v.digits >= singleFixed:
		return int(v.digits - singleFixed)
	case v.digits >= doubleFixed:
		return int(v.digits - doubleFixed)
	}
	return -1
}

// Kind says which type v has.
func (v Value) Kind() Kind { return v.kind }

// IsNull says whether v is NULL.
func (v Value) IsNull() bool { return v.kind == Null }

// Bool, Int, Uint, Float, Ticks and Text give the content of a value of the matching kind, without conversion; for another kind, the result is
// of no use.
func (v Value) Bool() bool     { return v.n != 0 }
func (v Value) Int() int64     { return int64(v.n) }
func (v Value) Uint() uint64   { return v.n }
func (v Value) Float() float64 { return math.Float64frombits(v.n) }

// Ticks is the content of Time and Date (100 ns since year 1) and of Duration (signed 100 ns).
func (v Value) Ticks() int64 { return int64(v.n) }

// Text is the content of String, Bytes, Decimal (with its guard digits), JSON and UUID.
func (v Value) Text() string { return v.s }
