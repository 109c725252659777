package value

import (
	"encoding/binary"
	"math"
)

// Some texts and octets count as a number other than their digits: a member of an ENUM as its number, a SET as its bits, a hexadecimal or bit
// literal as what it spells. Text functions and comparisons with texts see the text; arithmetic, bit operations, comparisons with numbers, and
// columns of numbers see the number.
//
// The sum of a text and an interval is such a text, too, except for casts to integers and columns of numbers.
//
// A BIT is the opposite: a Uint whose text is octets. It computes, compares and sorts as a number.

// FromMember makes a value of an ENUM or SET: its text, and the number that it counts as.
func FromMember(s string, number uint64) Value {
	return Value{kind: String, s: s, n: number, counted: true}
}

// FromTimeText makes a text of a time, such as the sum of a text and an interval: as a number it is that of the time.
func FromTimeText(t Value) Value {
	v := Value{kind: String, s: Text(t), n: math.Float64bits(ToFloat(t)), digits: dateDigits}
	if t.kind == Duration {
		v.digits = clockDigits
	}
	return v
}

// The digits that FromTimeText gives a date or a point in time, and a TIME.
const dateDigits, clockDigits = 1, 2

// IsTimeText says whether v is what FromTimeText makes; Float is its number.
func (v Value) IsTimeText() bool { return v.kind == String && !v.counted && v.digits != 0 }

// ofClock gives the time of day of such a text if it is a date or a point in time; other values stay as they are.
func ofClock(v Value) Value {
	if !v.IsTimeText() || v.digits != dateDigits {
		return v
	}
	at, _ := ReadTime(Plain(v))
	return FromDuration(at.Ticks() % TicksPerDay).WithDigits(at.Digits())
}

// FromHex makes what a hexadecimal or bit literal writes. The last 8 octets are its number.
func FromHex(octets string) Value {
	v := Value{kind: Bytes, s: octets, counted: true}
	for i := max(0, len(octets)-8); i < len(octets); i++ {
		v.n = v.n<<8 | uint64(octets[i])
	}
	return v
}

// FromBits makes a value of a BIT(width) column, 1 to 64 bits wide.
func FromBits(n uint64, width int) Value {
	size := (width + 7) / 8
	if n < uint64(len(oneOctet)) && size == 1 {
		return Value{kind: Uint, s: oneOctet[n : n+1], n: n}
	}
	var buf [8]byte
	binary.BigEndian.PutUint64(buf[:], n)
	return Value{kind: Uint, s: string(buf[8-size:]), n: n}
}

// FromYear makes a value of a YEAR: an Int that has four digits as a text, also for the year 0.
func FromYear(n int64) Value {
	if n == 0 {
		return Value{kind: Int, s: "0000"}
	}
	return FromInt(n)
}

// oneOctet has each octet at its own place, so that a BIT(8) needs no memory of its own.
var oneOctet = func() string {
	var b [256]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// Counted says whether v is a text or octets with a separate number, which Uint then gives.
func (v Value) Counted() bool { return v.counted }

// IsBits says whether v is that of a BIT column: a number whose text is octets.
func (v Value) IsBits() bool { return v.kind == Uint && v.s != "" }

// Plain is v as it shows: a text or octets without a separate number, a BIT without its octets, a YEAR without its digits, a FLOAT as a DOUBLE.
func Plain(v Value) Value {
	switch {
	case v.counted, v.kind == String:
		v.n, v.counted, v.digits = 0, false, 0
	case v.kind == Int, v.kind == Uint:
		v.s = ""
	case v.kind == Float:
		v.digits = 0
	}
	return v
}

// counting is v for use as a number: its separate number if it has one, else v itself.
func counting(v Value) Value {
	switch {
	case !v.counted:
		return Plain(v)
	case v.kind == Bytes || v.n > math.MaxInt64:
		return FromUint(v.n)
	}
	return FromInt(int64(v.n))
}
