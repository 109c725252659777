package value

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// lit reads a literal: NULL, 'text', true, 7, 7u, 1.5 (Decimal), 1e0 (Float), and times in braces.
func lit(t testing.TB, s string) Value {
	t.Helper()
	switch {
	case s == "NULL":
		return NullValue
	case s == "true" || s == "false":
		return FromBool(s == "true")
	case strings.HasPrefix(s, "'"):
		return FromString(strings.Trim(s, "'"))
	case strings.HasPrefix(s, "{"):
		s = strings.Trim(s, "{}")
		if d, err := TimeLiteral(s); err == nil {
			return d
		}
		n := ticks(t, s)
		if len(s) == 10 {
			return FromDate(n)
		}
		return FromTicks(n)
	}
	if !strings.ContainsAny(s, ".e") {
		if v, err := (Type{Base: TypeBigInt}).Convert(FromString(s)); err == nil {
			return v
		}
		if v, err := (Type{Base: TypeBigInt, Unsigned: true}).Convert(FromString(strings.TrimSuffix(s, "u"))); err == nil {
			return v
		}
	}
	if strings.Contains(s, "e") {
		v, err := (Type{Base: TypeDouble}).Convert(FromString(s))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	return dec(t, s)
}

// shownAs is the literal of a value.
func shownAs(v Value) string {
	s := Text(v)
	switch {
	case v.Kind() == Uint:
		return s + "u"
	case v.Kind() == Float && !strings.Contains(s, "e"):
		return s + "e0"
	}
	return s
}

func TestArithmetic(t *testing.T) {
	ops := map[string]func(a, b Value) (Value, error){
		"+": Add, "-": Sub, "*": Mul, "/": Div, "DIV": IntDiv, "%": Mod,
		"&": BitAnd, "|": BitOr, "^": BitXor, "<<": Shl, ">>": Shr,
	}
	for _, c := range [][4]string{
		{"1", "+", "2", "3"}, {"NULL", "+", "2", "NULL"}, {"2", "*", "NULL", "NULL"},
		{"9223372036854775807", "+", "1", "BIGINT value is out of range in '9223372036854775807 + 1'"},
		{"-9223372036854775808", "+", "-1", "BIGINT value is out of range in '-9223372036854775808 + -1'"},
		{"-9223372036854775808", "-", "1", "BIGINT value is out of range in '-9223372036854775808 - 1'"},
		{"0", "-", "-9223372036854775808", "BIGINT value is out of range in '0 - -9223372036854775808'"},
		{"-1", "-", "-9223372036854775808", "9223372036854775807"},
		{"-1", "*", "-9223372036854775808", "BIGINT value is out of range in '-1 * -9223372036854775808'"},
		{"1", "*", "-9223372036854775808", "-9223372036854775808"},
		{"4294967296", "*", "4294967296", "BIGINT value is out of range in '4294967296 * 4294967296'"},
		{"1u", "+", "2", "3u"}, {"18446744073709551615", "+", "0", "18446744073709551615u"},
		{"18446744073709551615", "+", "-1", "18446744073709551614u"},
		{"18446744073709551615", "+", "1", "BIGINT UNSIGNED value is out of range in '18446744073709551615 + 1'"},
		{"9223372036854775808", "-", "9223372036854775809", "BIGINT UNSIGNED value is out of range in '9223372036854775808 - 9223372036854775809'"},
		{"true", "+", "true", "2"}, {"true", "*", "1.5", "1.5"},
		{"1.10", "+", "2", "3.10"}, {"1.1", "-", "1.10", "0.00"}, {"1.5", "*", "1.5", "2.25"}, {"-0.5", "*", "0.0", "0.00"},
		{"0.1", "+", "1e-1", "0.2e0"}, {"1e308", "*", "1e1", "DOUBLE value is out of range in '1e308 * 10'"},
		{"'1.5x'", "+", "1", "2.5e0"}, {"'abc'", "+", "1", "1e0"}, {"'2'", "*", "'3'", "6e0"},
		{"1", "/", "3", "0.3333"}, {"2", "/", "3", "0.6667"}, {"-2", "/", "3", "-0.6667"}, {"2", "/", "-3", "-0.6667"}, {"1", "/", "0", "NULL"},
		{"1.00", "/", "3", "0.333333"}, {"6", "/", "2", "3.0000"}, {"1e0", "/", "0", "NULL"}, {"1", "/", "2e0", "0.5e0"}, {"1", "/", "0.0", "NULL"},
		{"1", "/", "0.0000000003", "3333333333.3333"},
		{"7", "DIV", "2", "3"}, {"-7", "DIV", "2", "-3"}, {"7", "DIV", "0", "NULL"}, {"7.9", "DIV", "2", "3"}, {"1e1", "DIV", "3e0", "3"}, {"1", "DIV", "0.5", "2"},
		{"-9223372036854775808", "DIV", "-1", "BIGINT value is out of range in '-9223372036854775808 DIV -1'"},
		{"-7", "DIV", "2u", "BIGINT UNSIGNED value is out of range in '-7 DIV 2'"}, {"-1", "DIV", "2u", "0u"},
		{"7", "%", "3", "1"}, {"-7", "%", "3", "-1"}, {"7", "%", "-3", "1"}, {"7", "%", "0", "NULL"}, {"-7", "%", "3u", "-1"},
		{"-9223372036854775808", "%", "-1", "0"}, {"7.5", "%", "2", "1.5"}, {"-7.5", "%", "2", "-1.5"}, {"7.5e0", "%", "2", "1.5e0"}, {"7e0", "%", "0", "NULL"},
		{"{2024-01-02}", "+", "0", "20240102"}, {"{2024-01-02 03:04:05}", "+", "1", "20240102030406"}, {"{2024-01-02 03:04:05.5}", "+", "0", "20240102030405.5"},
		{"{01:02:03}", "+", "0", "10203"}, {"{-00:00:00.5}", "+", "0", "-0.5"},
		{"99999999999999999999999999999999999999999999999999999999999999999", "+", "1", "DECIMAL value is out of range in '99999999999999999999999999999999999999999999999999999999999999999… + 1'"},
		{"0.00000000000000000001", "*", "0.0000000000000000000100", "0.000000000000000000000000000000"},
		{"29", "&", "15", "13u"}, {"29", "|", "15", "31u"}, {"29", "^", "15", "18u"}, {"-1", "&", "18446744073709551615", "18446744073709551615u"},
		{"1", "<<", "63", "9223372036854775808u"}, {"1", "<<", "64", "0u"}, {"-1", ">>", "63", "1u"}, {"NULL", "<<", "1", "NULL"}, {"1.5", "|", "0", "2u"}, {"'3x'", "|", "0", "3u"},
		{"1e20", "&", "1", "1u"}, {"-1e20", "|", "0", "9223372036854775808u"}, {"99999999999999999999.99", "|", "0", "18446744073709551615u"},
		{"-99999999999999999999.99", "|", "0", "9223372036854775808u"}, {"1.8e19", "|", "0", "18000000000000000000u"},
	} {
		r, err := ops[c[1]](lit(t, c[0]), lit(t, c[2]))
		got := shownAs(r)
		if err != nil {
			got = err.Error()
			if re := (*RangeError)(nil); !errors.As(err, &re) {
				t.Errorf("%v: %T", c, err)
			}
		}
		want := c[3]
		if len(c[0]) > 64 {
			got, want = got[:30], want[:30]
		}
		if got != want {
			t.Errorf("%s %s %s = %s, want %s", c[0], c[1], c[2], got, want)
		}
	}
}

func TestNegAndNot(t *testing.T) {
	for in, want := range map[string]string{
		"NULL": "NULL", "5": "-5", "-9223372036854775808": "BIGINT value is out of range in '-(-9223372036854775808)'",
		"9223372036854775808": "-9223372036854775808", "9223372036854775809": "BIGINT value is out of range in '-9223372036854775809'",
		"1.50": "-1.50", "0.0": "0.0", "1.5e0": "-1.5e0", "'2x'": "-2e0", "true": "-1", "{2024-01-02}": "-20240102",
	} {
		r, err := Neg(lit(t, in))
		got := shownAs(r)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("-%s = %s, want %s", in, got, want)
		}
	}
	if r, err := BitNot(FromInt(0)); err != nil || r.Uint() != math.MaxUint64 {
		t.Error(Text(r), err)
	}
	if r, err := BitNot(NullValue); err != nil || !r.IsNull() {
		t.Error(Text(r), err)
	}
}

// TestArithmeticRandom holds integer and decimal arithmetic against math/big.
func TestArithmeticRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	random := func() Value {
		n := rnd.Uint64() >> rnd.IntN(64)
		switch rnd.IntN(3) {
		case 0:
			return FromInt(int64(n))
		case 1:
			return FromUint(n)
		}
		var d decimal
		d.coef.SetInt64(int64(n))
		d.scale = rnd.IntN(20)
		return d.value()
	}
	least, most := new(big.Rat).SetInt64(math.MinInt64), new(big.Rat).SetInt64(math.MaxInt64)
	zero, unsignedMost := new(big.Rat), new(big.Rat).SetInt(new(big.Int).SetUint64(math.MaxUint64))
	for range 20000 {
		a, b := random(), random()
		x, y := exactly(a), exactly(b)
		for name, op := range map[string]struct {
			f    func(a, b Value) (Value, error)
			want *big.Rat
		}{
			"+": {Add, new(big.Rat).Add(x, y)}, "-": {Sub, new(big.Rat).Sub(x, y)}, "*": {Mul, new(big.Rat).Mul(x, y)},
		} {
			got, err := op.f(a, b)
			from, to := least, most
			if a.Kind() == Uint || b.Kind() == Uint {
				from, to = zero, unsignedMost
			}
			fits := a.Kind() == Decimal || b.Kind() == Decimal || op.want.Cmp(from) >= 0 && op.want.Cmp(to) <= 0
			if fits != (err == nil) {
				t.Fatalf("%s %s %s: %v", Text(a), name, Text(b), err)
			}
			if !fits {
				continue
			}
			diff := new(big.Rat).Sub(exactly(got), op.want)
			if limit := big.NewRat(1, 1); diff.Sign() != 0 {
				limit.SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(MaxScale), nil))
				if name != "*" || diff.Abs(diff).Cmp(limit) > 0 {
					t.Fatalf("%s %s %s = %s", Text(a), name, Text(b), Text(got))
				}
			}
		}
	}
}

func TestParseDecimal(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "-0.00": "0.00", "+1": "1", "007.50": "7.50", ".5": "0.5", "5.": "5", "-.5": "-0.5", "1e3": "1000", "1.5E-3": "0.0015",
		"1.50e1": "15.0", "0e99": "0", "0e-2": "0.00", "0.0e-100": "0." + strings.Repeat("0", 65), "-1.50": "-1.50", "-0.5": "-0.5", "-00.5": "-0.5",
		strings.Repeat("9", 65): strings.Repeat("9", 65), "0" + strings.Repeat("9", 65): strings.Repeat("9", 65),
		"": "error", "-": "error", ".": "error", "1e": "error", "1e+": "error", "1 ": "error", " 1": "error", "0x1": "error", "1_0": "error", "NaN": "error", "--1": "error",
		strings.Repeat("9", 66): "error", "1e65": "error", "1e-66": "error", "1e999999999999999999999": "error", "1.2.3": "error",
	} {
		v, err := ParseDecimal(in)
		got := v.Text()
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("ParseDecimal(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	for _, s := range []string{"-1.50", "1e-7", "00.1", "9e64", ".5e5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseDecimal(s)
		if err != nil {
			return
		}
		if again, err := ParseDecimal(v.Text()); err != nil || again != v {
			t.Fatalf("%q is %q, and that %q, %v", s, v.Text(), again.Text(), err)
		}
		if !isPlainDecimal(v.Text()) && !strings.HasPrefix(v.Text(), "-0") && len(v.Text()) <= MaxDigits {
			t.Fatalf("%q is %q, which is not canonical", s, v.Text())
		}
		var d decimal
		if d.load(v.Text()); d.text() != v.Text() {
			t.Fatalf("%q becomes %q", v.Text(), d.text())
		}
		if len(s) < 300 && !strings.ContainsAny(s, "eE") {
			if r, _ := new(big.Rat).SetString(s); r.Cmp(exactly(v)) != 0 {
				t.Fatalf("%q is %q", s, v.Text())
			}
		}
	})
}

func BenchmarkArithmetic(b *testing.B) {
	for name, pair := range map[string][2]Value{
		"int": {FromInt(1), FromInt(2)}, "float": {FromFloat(1.5), FromFloat(2.5)}, "decimal": {FromDecimalText("12.50"), FromDecimalText("12.75")},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Add(pair[0], pair[1])
			}
		})
	}
}

// A quotient has MySQL's digits: shown, and in full.
func TestQuotient(t *testing.T) {
	for _, c := range []struct{ a, b, shown, full string }{
		{"2", "3", "0.6667", "0.666666666"},
		{"-2", "3", "-0.6667", "-0.666666666"},
		{"1", "2", "0.5000", "0.500000000"},
		{"10.00", "3", "3.333333", "3.333333333"},
		{"1.000000", "3", "0.3333333333", "0.333333333333333333"},
		{"1", "0.30", "3.3333", "3.333333333"},
		{"1.5", "0.35", "4.28571", "4.285714285714285714"},
	} {
		q, err := Div(lit(t, c.a), lit(t, c.b))
		if err != nil || Text(q) != c.shown || Shown(q).Text() != c.shown || q.Text() != c.full {
			t.Errorf("%s / %s = %s (%s), %v; want %s (%s)", c.a, c.b, Text(q), q.Text(), err, c.shown, c.full)
		}
	}
	third, _ := Div(FromInt(1), FromInt(3))
	one, _ := Mul(third, FromInt(3))
	if Text(one) != "1.0000" {
		t.Errorf("1 / 3 * 3 = %s", Text(one))
	}
	if c, _ := Compare(one, FromInt(1), Binary); c >= 0 {
		t.Errorf("1 / 3 * 3 compares with 1 as %d", c)
	}
	if kept, err := (Type{Base: TypeDecimal, Precision: 20, Scale: 12}).Convert(third); err != nil || Shown(kept) != kept {
		t.Errorf("a column keeps guard digits: %v %v", kept, err)
	}
}
