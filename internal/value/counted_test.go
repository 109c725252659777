package value

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func TestCountedValues(t *testing.T) {
	member, hex, bits := FromMember("7x", 3), FromHex("\x01\x00"), FromBits(65, 8)
	for _, c := range []struct {
		got  func() (Value, error)
		want string
	}{
		{func() (Value, error) { return Add(member, FromInt(1)) }, "BIGINT 4"},
		{func() (Value, error) { return Sub(member, FromInt(4)) }, "BIGINT -1"},
		{func() (Value, error) { return Div(member, FromInt(2)) }, "DECIMAL 1.5000"},
		{func() (Value, error) { return Add(hex, FromInt(1)) }, "BIGINT UNSIGNED 257"},
		{func() (Value, error) { return Sub(hex, FromInt(257)) }, "BIGINT UNSIGNED value is out of range in '\x01\x00 - 257'"},
		{func() (Value, error) { return Add(FromHex("\x00"), FromInt(1)) }, "BIGINT UNSIGNED 1"},
		{func() (Value, error) { return Div(bits, FromInt(2)) }, "DECIMAL 32.5000"},
		{func() (Value, error) { return Neg(bits) }, "BIGINT -65"},
		{func() (Value, error) { return Mul(bits, FromDecimalText("1.5")) }, "DECIMAL 97.5"},
		{func() (Value, error) { return BitAnd(hex, FromInt(256)) }, "BIGINT UNSIGNED 256"},
		{func() (Value, error) { return BitAnd(member, bits) }, "BIGINT UNSIGNED 1"},
		{func() (Value, error) { return BitOr(FromHex(strings.Repeat("\xff", 8)), FromInt(0)) }, "BIGINT UNSIGNED 18446744073709551615"},
		{func() (Value, error) { return typ(t, "SIGNED").Cast(member) }, "BIGINT 3"},
		{func() (Value, error) { return typ(t, "UNSIGNED").Cast(hex) }, "BIGINT UNSIGNED 256"},
		{func() (Value, error) { return typ(t, "DECIMAL(5,1)").Cast(hex) }, "DECIMAL 256.0"},
		{func() (Value, error) { return typ(t, "DECIMAL(5,1)").Cast(bits) }, "DECIMAL 65.0"},
		{func() (Value, error) { return typ(t, "CHAR(5)").Cast(bits) }, "VARCHAR A"},
		{func() (Value, error) { return typ(t, "CHAR(5)").Cast(member) }, "VARCHAR 7x"},
		{func() (Value, error) { return ToDecimal(bits) }, "DECIMAL 65"},
		{func() (Value, error) { return ToDecimal(member) }, "DECIMAL 3"},
		{func() (Value, error) { i, err := ToInt(hex); return FromInt(i), err }, "BIGINT 256"},
		{func() (Value, error) { return FromFloat(ToFloat(member)), nil }, "DOUBLE 3"},
		{func() (Value, error) { return Plain(bits), nil }, "BIGINT UNSIGNED 65"},
	} {
		v, err := c.got()
		got := v.Kind().String() + " " + Text(v)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		if v.Counted() || v.IsBits() {
			t.Errorf("%s counts as another number", got)
		}
	}
	for _, c := range []struct {
		a, b Value
		want int
	}{
		{member, FromInt(3), 0}, {member, FromDecimalText("3.5"), -1}, {member, FromFloat(2.5), 1}, {member, FromString("7x"), 0}, {member, FromString("3"), 1},
		{member, FromMember("7x", 9), 0}, {FromMember("a", 2), FromMember("b", 1), -1},
		{FromMember("x", 1<<63+1), FromUint(1<<63 + 1), 0}, {FromMember("x", 1<<63+1), FromUint(1 << 63), 1},
		{hex, FromInt(256), 0}, {hex, FromBytes("\x01\x00"), 0}, {hex, FromHex("\x00\x01\x00"), 1}, {FromHex("A"), FromString("A"), 0}, {FromHex("A"), bits, 0},
		{bits, FromInt(65), 0}, {bits, FromString("65"), 0}, {bits, FromString("A"), 1}, {bits, FromDecimalText("65.0"), 0}, {bits, FromBits(65, 64), 0},
	} {
		got, err := Compare(c.a, c.b, Binary)
		back, errBack := Compare(c.b, c.a, Binary)
		if err != nil || errBack != nil || got != c.want || back != -c.want {
			t.Errorf("%s %q beside %s %q: %d and %d, %v, want %d", c.a.Kind(), Text(c.a), c.b.Kind(), Text(c.b), got, back, err, c.want)
		}
	}
	if Order(FromMember("a", 2), FromMember("b", 1), Binary) != 1 || Order(FromMember("a", 2), FromString("b"), Binary) != -1 {
		t.Error("members are not sorted by their numbers")
	}
	for _, v := range []Value{member, hex, bits, FromHex("0"), FromMember("0", 1)} {
		if truth, _ := Truth(v); !truth {
			t.Errorf("%q is false", Text(v))
		}
	}
}

func TestMembers(t *testing.T) {
	names := make([]string, 60)
	for i := range names {
		names[i] = fmt.Sprintf("Name%d", i)
	}
	for _, n := range []int{3, 60} {
		enum, err := NewType("ENUM", nil, names[:n], false, NoCase)
		if err != nil {
			t.Fatal(err)
		}
		set, err := NewType("SET", nil, names[:n], false, NoCase)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			t    Type
			text string
			n    uint64
			want string // "": there is none
		}{
			{enum, "Name2", 3, "Name2"}, {enum, "NAME0", 1, "Name0"}, {enum, "Name60", 0, ""},
			{set, "Name2,Name0", 5, "Name0,Name2"}, {set, "Name1,Name2", 6, "Name1,Name2"}, {set, "name1,Name1", 2, "Name1"}, {set, "Name1,", 0, ""},
		} {
			v, ok := c.t.Stored(c.text)
			if ok != (c.want != "") || ok && (v.Uint() != c.n || v.Text() != c.want || !v.Counted()) {
				t.Errorf("%s of %d: %q is %q, %d, %v", c.t.Base, n, c.text, v.Text(), v.Uint(), ok)
			}
			if again, ok := c.t.Numbered(c.n); c.want != "" && (!ok || again != v) {
				t.Errorf("%s of %d: number %d is %q", c.t.Base, n, c.n, again.Text())
			}
		}
		if v, ok := enum.Stored(""); !ok || v.Uint() != 0 || !v.Counted() {
			t.Error("the empty text is not number 0 of an ENUM")
		}
		if _, ok := enum.Numbered(uint64(n) + 1); ok {
			t.Error("an ENUM has a number above its members")
		}
		if _, ok := set.Numbered(1 << n); ok {
			t.Error("a SET has a bit above its members")
		}
	}
	all := make([]string, 64)
	for i := range all {
		all[i] = fmt.Sprint("m", i)
	}
	set, err := NewType("SET", nil, all, false, Binary)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := set.Convert(FromUint(math.MaxUint64)); err != nil || v.Text() != strings.Join(all, ",") {
		t.Error(v, err)
	}
}

// Names are looked up, not compared with each other: 65,535 of them would take minutes.
func TestManyMembers(t *testing.T) {
	names := make([]string, math.MaxUint16)
	for i := range names {
		names[i] = fmt.Sprint("member", i)
	}
	start := time.Now()
	enum, err := NewType("ENUM", nil, names, false, Binary)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if v, ok := enum.Stored(name); !ok || v.Uint() != uint64(i)+1 {
			t.Fatal(name, v.Uint(), ok)
		}
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("%v for %d names", d, len(names))
	}
	if _, err := NewType("ENUM", nil, append(names, "one more"), false, Binary); err == nil {
		t.Error("an ENUM has more than 65535 members")
	}
}
