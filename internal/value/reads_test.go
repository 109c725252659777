package value

import "testing"

func TestReadsAsNumber(t *testing.T) {
	for _, test := range []struct {
		text              string
		number, anInteger bool
	}{
		{"5", true, true}, {" 5 ", true, true}, {"-5", true, true}, {"+5", true, true}, {"1.5", true, false}, {".5", true, false}, {"1e3", true, false},
		{"18446744073709551615", true, true}, {"18446744073709551616", true, false}, {"-9223372036854775809", true, false},
		{"", false, false}, {" ", false, false}, {"5x", false, false}, {"x", false, false}, {"1e", false, false}, {".", false, false}, {"-", false, false}, {"5 6", false, false},
	} {
		for _, v := range []Value{FromString(test.text), FromBytes(test.text)} {
			if ReadsAsNumber(v) != test.number || ReadsAsInteger(v) != test.anInteger {
				t.Errorf("'%s' reads as a number: %v, as an integer: %v", test.text, ReadsAsNumber(v), ReadsAsInteger(v))
			}
		}
	}
	for _, v := range []Value{NullValue, FromInt(1), FromFloat(1.5), FromBytes("5"), FromHex("x"), FromDate(0)} {
		if !ReadsAsNumber(v) || !ReadsAsInteger(v) {
			t.Errorf("%v, which counts as a number, does not read as a number", v)
		}
	}
	if v := FromTimeText(FromDate(0)); !ReadsAsNumber(v) || ReadsAsInteger(v) || ReadsAsNumber(Plain(v)) {
		t.Errorf("%v, which counts as a number but not in casts to integers, reads otherwise", v)
	}
}
