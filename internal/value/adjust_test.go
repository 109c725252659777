package value

import (
	"math"
	"testing"
)

func TestAdjust(t *testing.T) {
	tiny, unsigned, big := Type{Base: TypeTinyInt}, Type{Base: TypeTinyInt, Unsigned: true}, Type{Base: TypeBigInt, Unsigned: true}
	dec, decUnsigned := Type{Base: TypeDecimal, Precision: 5, Scale: 2}, Type{Base: TypeDecimal, Precision: 5, Scale: 2, Unsigned: true}
	text, octets := Type{Base: TypeChar, Length: 3}, Type{Base: TypeBinary, Length: 3}
	set := Type{Base: TypeSet, Names: []string{"x", "y", "z"}}
	for _, test := range []struct {
		t    Type
		v    Value
		want string
		why  Reason
	}{
		{tiny, FromInt(300), "127", OutOfRange}, {tiny, FromInt(-300), "-128", OutOfRange}, {tiny, FromString("300"), "127", OutOfRange},
		{tiny, FromString("12x"), "12", Truncated}, {tiny, FromString("300x"), "127", OutOfRange}, {tiny, FromString("x"), "0", Incorrect},
		{tiny, FromString(""), "0", Incorrect}, {tiny, FromFloat(1e30), "127", OutOfRange}, {tiny, FromString("1.6x"), "2", Truncated},
		{unsigned, FromInt(-1), "0", OutOfRange}, {unsigned, FromString("256"), "255", OutOfRange}, {big, FromFloat(1e20), "18446744073709551615", OutOfRange},
		{big, FromString("99999999999999999999999"), "18446744073709551615", OutOfRange}, {big, FromDecimalText("-1.6"), "0", OutOfRange},
		{Type{Base: TypeBool}, FromInt(5), "1", OutOfRange}, {Type{Base: TypeBool}, FromString("x"), "0", Incorrect},
		{Type{Base: TypeDouble}, FromString("5x"), "5", Truncated}, {Type{Base: TypeDouble, Unsigned: true}, FromInt(-1), "0", OutOfRange},
		{Type{Base: TypeDouble}, FromFloat(math.Inf(-1)), "-1.7976931348623157e308", OutOfRange}, {Type{Base: TypeDouble}, FromString("x"), "0", Incorrect},
		{dec, FromInt(1000), "999.99", OutOfRange}, {dec, FromInt(-99999), "-999.99", OutOfRange}, {dec, FromString("1.239x"), "1.24", Truncated},
		{dec, FromString("x"), "0.00", Incorrect}, {dec, FromString("1e500"), "999.99", OutOfRange}, {decUnsigned, FromInt(-1), "0.00", OutOfRange},
		{text, FromString("abcd"), "abc", TooLong}, {text, FromString("äöüß"), "äöü", TooLong}, {text, FromInt(12345), "123", TooLong}, {text, FromString("a\xffb"), "a", Incorrect},
		{octets, FromString("abcd"), "abc", TooLong},
		{Type{Base: TypeBit, Length: 3, Unsigned: true}, FromInt(9), "\a", OutOfRange},
		{set, FromInt(9), "x", Truncated}, {tiny, FromHex("\x12\x34"), "127", OutOfRange},
		{Type{Base: TypeEnum, Names: []string{"a"}}, FromString("b"), "", Truncated}, {set, FromString("z,q,x"), "x,z", Truncated}, {set, FromString("q"), "", Truncated},
		{Type{Base: TypeDate}, FromString("abc"), "NULL", Truncated}, {Type{Base: TypeDateTime}, FromString("2020-02-30"), "NULL", Truncated},
		{Type{Base: TypeTime}, FromString("abc"), "00:00:00", Truncated}, {Type{Base: TypeYear}, FromString("20x"), "2020", Truncated}, {Type{Base: TypeYear}, FromString("a"), "0000", Incorrect}, {Type{Base: TypeYear}, FromInt(3000), "0000", OutOfRange},
	} {
		out, why, ok := test.t.Adjust(test.v)
		if Text(out) != test.want && !(out.IsNull() && test.want == "NULL") || why != test.why || !ok {
			t.Errorf("%s into %s: %s (%d), want %s (%d)", Text(test.v), test.t, Text(out), why, test.want, test.why)
		}
	}
	for _, base := range []Base{TypeJSON, TypeUUID} {
		if _, _, ok := (Type{Base: base}).Adjust(FromString("{")); ok {
			t.Errorf("'{' was made a %s", Type{Base: base})
		}
	}
}
