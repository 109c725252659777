package value

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func dec(t testing.TB, s string) Value {
	t.Helper()
	v, err := ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ticks(t testing.TB, s string) int64 {
	t.Helper()
	n, err := ParseTime(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// someNumbers are numbers where rounding would lie.
func someNumbers(t testing.TB) []Value {
	vals := []Value{
		FromBool(false), FromBool(true), FromFloat(math.NaN()), FromFloat(math.Copysign(0, -1)),
		FromFloat(math.Inf(1)), FromFloat(math.Inf(-1)), FromFloat(5e-324), FromFloat(-5e-324), FromFloat(math.MaxFloat64),
	}
	for _, i := range []int64{0, 1, -1, 2, 1 << 53, 1<<53 + 1, -1<<53 - 1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1} {
		vals = append(vals, FromInt(i), FromUint(uint64(i)), FromFloat(float64(i)), FromFloat(float64(i)+0.5), dec(t, Text(FromInt(i))), dec(t, Text(FromInt(i))+".50"))
	}
	for _, s := range []string{"0.0", "-0.1", "0.10", "1.000", "18446744073709551615", "18446744073709551616", "-9223372036854775809", "99999999999999999999999999999999999.5"} {
		vals = append(vals, dec(t, s))
	}
	return vals
}

// exactly gives the number a value is, nil for NaN and infinities.
func exactly(v Value) *big.Rat {
	switch v.Kind() {
	case Bool, Uint:
		return new(big.Rat).SetInt(new(big.Int).SetUint64(v.Uint()))
	case Int:
		return new(big.Rat).SetInt64(v.Int())
	case Float:
		return new(big.Rat).SetFloat64(v.Float())
	}
	r, _ := new(big.Rat).SetString(v.Text())
	return r
}

func TestCompareNumbersExactly(t *testing.T) {
	vals := someNumbers(t)
	for _, a := range vals {
		for _, b := range vals {
			got, err := Compare(a, b, Binary)
			if err != nil {
				t.Fatal(err)
			}
			var want int
			floats := a.Kind() == Float || b.Kind() == Float
			switch x, y := exactly(a), exactly(b); {
			case x == nil || y == nil, floats:
				want = cmp.Compare(ToFloat(a), ToFloat(b))
			default:
				want = x.Cmp(y)
			}
			if got != want {
				t.Errorf("Compare(%v %s, %v %s) = %d, want %d", a.Kind(), Text(a), b.Kind(), Text(b), got, want)
			}
			same := string(AppendHashKey(nil, a, Binary)) == string(AppendHashKey(nil, b, Binary))
			if (!floats || a.Kind() == b.Kind()) && same != (want == 0) {
				t.Errorf("hash keys of %v %s and %v %s: same %v", a.Kind(), Text(a), b.Kind(), Text(b), same)
			}
		}
	}
}

func TestCompareRandomNumbers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func() Value {
		n := rnd.Uint64() >> rnd.IntN(64)
		switch rnd.IntN(4) {
		case 0:
			return FromInt(int64(n))
		case 1:
			return FromUint(n)
		case 2:
			return FromFloat(float64(int64(n)) / float64(int64(1)<<rnd.IntN(3)))
		}
		var d decimal
		d.coef.SetUint64(n)
		d.scale = rnd.IntN(4)
		return d.value()
	}
	for range 20000 {
		a, b := random(), random()
		if (a.Kind() == Float) != (b.Kind() == Float) && (a.Kind() == Decimal || b.Kind() == Decimal) {
			continue
		}
		if got, want := Order(a, b, Binary), exactly(a).Cmp(exactly(b)); got != want {
			t.Fatalf("Order(%v %s, %v %s) = %d, want %d", a.Kind(), Text(a), b.Kind(), Text(b), got, want)
		}
	}
}

func TestCompareKinds(t *testing.T) {
	noon := FromTicks(ticks(t, "2024-02-29 12:00:00"))
	day := FromDate(ticks(t, "2024-02-29"))
	id, _ := ParseUUID("01234567-89ab-cdef-0123-456789abcdef")
	hour := FromDuration(36_000_000_000)
	for _, c := range []struct {
		a, b Value
		c    Collation
		want int
	}{
		{FromString("a"), FromString("B"), Binary, 1},
		{FromString("a"), FromString("B"), NoCase, -1},
		{FromString("STRASSE"), FromString("strasse"), NoCase, 0},
		{FromString("a"), FromString("ab"), NoCase, -1},
		{FromString("ab"), FromString("A"), NoCase, 1},
		{FromString("Σίσυφος"), FromString("σίσυφοσ"), NoCase, 0},
		{FromString("\u212A"), FromString("k"), NoCase, 0},
		{FromString("İ"), FromString("i"), NoCase, 1},
		{FromString("\uFFFF"), FromString("\U00010000"), Binary, -1},
		{FromInt(12), FromString("12abc"), Binary, 0},
		{FromInt(0), FromString("abc"), Binary, 0},
		{FromString(" 1e1x"), FromUint(10), Binary, 0},
		{FromBool(true), FromString("1"), Binary, 0},
		{FromInt(9007199254740993), FromString(" 9007199254740993 "), Binary, 0},
		{FromInt(9007199254740993), FromString("9007199254740992"), Binary, 1},
		{FromInt(9007199254740993), FromString("+9007199254740994"), Binary, -1},
		{FromInt(-9007199254740993), FromBytes("-9007199254740992"), Binary, -1},
		{FromUint(18446744073709551615), FromString("18446744073709551614"), Binary, 1},
		{FromUint(18446744073709551615), FromString("18446744073709551616"), Binary, 0},
		{FromInt(9007199254740992), FromString("9007199254740993x"), Binary, 0}, // no integer: as floats
		{FromFloat(9007199254740992), FromString("9007199254740993"), Binary, 0},
		{dec(t, "9007199254740992"), FromString("9007199254740993"), Binary, 0},
		{dec(t, "1.50"), FromString("1.5"), Binary, 0},
		{day, noon, Binary, -1},
		{noon, FromString("2024-02-29T12:00:00Z"), Binary, 0},
		{FromString("2024-02-29 13:00+01:00"), noon, Binary, 0},
		{day, FromString("2024-02-29 00:00:00.1"), Binary, -1},
		{day, FromString("2024"), Binary, 1},
		{day, FromString("never"), Binary, 1}, // below all
		{day, FromString("24/2/29 and more"), Binary, 0},
		{FromDuration(0), FromString("never"), Binary, 0},
		{hour, FromString("10000"), Binary, 0},
		{FromInt(9007199254740993), FromFloat(9007199254740992), Binary, 0},
		{day, FromInt(20240229), Binary, 0},
		{noon, FromInt(20240229120000), Binary, 0},
		{hour, FromString("01:00:00"), Binary, 0},
		{hour, FromInt(10000), Binary, 0},
		{hour, FromDuration(-1), Binary, 1},
		{id, FromString("0123456789ABCDEF0123456789ABCDEF"), Binary, 0},
		{FromString("{01234567-89ab-cdef-0123-456789abcdee}"), id, Binary, -1},
		{FromBytes("A"), FromString("a"), NoCase, -1},
		{FromBytes("\x80"), FromBytes("\x7F"), NoCase, 1},
		{FromJSON("{}"), FromString("{}"), Binary, 1},
	} {
		got, err := Compare(c.a, c.b, c.c)
		if err != nil || got != c.want {
			t.Errorf("Compare(%s, %s) = %d, %v, want %d", Text(c.a), Text(c.b), got, err, c.want)
		}
		if back, _ := Compare(c.b, c.a, c.c); back != -c.want {
			t.Errorf("Compare(%s, %s) = %d, want %d", Text(c.b), Text(c.a), back, -c.want)
		}
	}
	if _, err := Compare(hour, noon, Binary); err == nil {
		t.Error("TIME compares with DATETIME")
	}
}

func TestOrderIsTotal(t *testing.T) {
	vals := []Value{FromString("b"), NullValue, FromString("A"), FromString("a"), NullValue, FromString("")}
	slices.SortStableFunc(vals, func(a, b Value) int { return Order(a, b, NoCase) })
	got := ""
	for _, v := range vals {
		got += Text(v) + ","
	}
	if want := "NULL,NULL,,A,a,b,"; got != want {
		t.Errorf("sorted: %s, want %s", got, want)
	}
	if hour, noon := FromDuration(1), FromTicks(1); Order(hour, noon, Binary) != -Order(noon, hour, Binary) || Order(hour, noon, Binary) == 0 {
		t.Error("kinds that do not compare have no order")
	}
	mixed := []Value{NullValue, FromInt(5), FromUint(5), FromFloat(5.5), FromDecimalText("5.25"), FromBool(true), FromString("5"), FromString("abc"),
		FromString("2024-01-02"), FromBytes("abc"), FromBytes("5"), FromTicks(1), FromDate(0), FromDuration(5), FromJSON("5"), FromJSON(`"abc"`)}
	for _, a := range mixed {
		for _, b := range mixed {
			for _, c := range mixed {
				if Order(a, b, NoCase) <= 0 && Order(b, c, NoCase) <= 0 && Order(a, c, NoCase) > 0 {
					t.Errorf("%v %s, %v %s, %v %s are in no order", a.Kind(), Text(a), b.Kind(), Text(b), c.Kind(), Text(c))
				}
			}
		}
	}
}

// TestFold holds Fold against the definition for every code point: one form for each class of
// equal runes, itself in the class.
func TestFold(t *testing.T) {
	for r := rune(0); r <= 0x10FFFF; r++ {
		if r >= 0xD800 && r < 0xE000 {
			continue
		}
		f := foldRune(r)
		if foldRune(f) != f {
			t.Fatalf("folding %U to %U is not final", r, f)
		}
		if f != r && compareFold(string(r), string(f)) != 0 {
			t.Fatalf("%U and %U differ", r, f)
		}
	}
	for in, want := range map[string]string{
		"": "", "plain_1": "plain_1", "Mixed": "mixed", "GRÖSSE": "grösse", "größe": "größe", "ẞ": "ß",
		"ΣΑΣ": "σασ", "İI": "İi", "\xffA": "\xffa", "�A": "�a",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Fold("already folded größe") }); n != 0 {
		t.Errorf("Fold of a folded text allocates %v times", n)
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Straße", "STRASSE")
	f.Add("K", "\u212A")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = string([]rune(a)), string([]rune(b))
		x, y := Fold(a), Fold(b)
		if got, want := compareFold(a, b), cmp.Compare(x, y); got != want {
			t.Fatalf("compareFold(%q, %q) = %d, folded %q %q", a, b, got, x, y)
		}
		same := string(AppendHashKey(nil, FromString(a), NoCase)) == string(AppendHashKey(nil, FromString(b), NoCase))
		if same != (x == y) {
			t.Fatalf("hash keys of %q and %q", a, b)
		}
	})
}

func TestHashKeyEnds(t *testing.T) {
	join := func(vals ...Value) string {
		var dst []byte
		for _, v := range vals {
			dst = AppendHashKey(dst, v, Binary)
		}
		return string(dst)
	}
	if join(FromString("a"), FromString("bc")) == join(FromString("ab"), FromString("c")) {
		t.Error("the boundary between two texts is lost")
	}
	if join(dec(t, "1.5"), dec(t, "2.5")) == join(dec(t, "1.52"), dec(t, "5")) {
		t.Error("the boundary between two numbers is lost")
	}
	if join(FromDate(0)) != join(FromTicks(0)) || join(FromDate(0)) == join(FromDuration(0)) {
		t.Error("times")
	}
	if join(FromFloat(0.1)) != join(dec(t, "0.10")) || join(FromFloat(1e20)) != join(dec(t, "100000000000000000000.0")) {
		t.Error("a float and the decimal it is written as differ")
	}
}

func BenchmarkCompare(b *testing.B) {
	for name, pair := range map[string][2]Value{
		"int": {FromInt(1), FromInt(2)}, "text": {FromString("Smith"), FromString("Smithson")},
		"decimal": {FromDecimalText("12.50"), FromDecimalText("12.75")}, "int-decimal": {FromInt(12), FromDecimalText("12.75")},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compare(pair[0], pair[1], Binary)
			}
		})
	}
}
