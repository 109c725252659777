package keymap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// column is a type of a key, with what makes random values of it.
type column struct {
	typ    value.Type
	random func(rnd *rand.Rand) value.Value
}

var columns = []column{
	{value.Type{Base: value.TypeBool}, func(rnd *rand.Rand) value.Value { return value.FromBool(rnd.IntN(2) == 1) }},
	{value.Type{Base: value.TypeTinyInt}, func(rnd *rand.Rand) value.Value { return value.FromInt(rnd.Int64N(256) - 128) }},
	{value.Type{Base: value.TypeInt, Unsigned: true}, func(rnd *rand.Rand) value.Value { return value.FromUint(uint64(rnd.Uint32())) }},
	{value.Type{Base: value.TypeBigInt}, randomInt},
	{value.Type{Base: value.TypeBigInt, Unsigned: true}, func(rnd *rand.Rand) value.Value { return value.FromUint(randomInt(rnd).Uint()) }},
	{value.Type{Base: value.TypeYear}, func(rnd *rand.Rand) value.Value { return value.FromInt(1901 + rnd.Int64N(255)) }},
	{value.Type{Base: value.TypeFloat}, randomFloat},
	{value.Type{Base: value.TypeDouble}, randomFloat},
	{value.Type{Base: value.TypeDecimal, Precision: 5, Scale: 2}, randomDecimal(5, 2)},
	{value.Type{Base: value.TypeDecimal, Precision: 30, Scale: 30}, randomDecimal(30, 30)},
	{value.Type{Base: value.TypeDecimal, Precision: 65}, randomDecimal(65, 0)},
	{value.Type{Base: value.TypeChar}, randomText},
	{value.Type{Base: value.TypeText, Collation: value.NoCase}, randomText},
	{members, func(rnd *rand.Rand) value.Value { v, _ := members.Numbered(rnd.Uint64N(4)); return v }},
	{memberSet, func(rnd *rand.Rand) value.Value { v, _ := memberSet.Numbered(rnd.Uint64N(8)); return v }},
	{value.Type{Base: value.TypeBit, Length: 64, Unsigned: true}, func(rnd *rand.Rand) value.Value {
		return value.FromBits(rnd.Uint64()>>rnd.IntN(64), 64)
	}},
	{value.Type{Base: value.TypeBlob}, func(rnd *rand.Rand) value.Value {
		b := make([]byte, rnd.IntN(12))
		for i := range b {
			b[i] = []byte{0, 1, 0x7F, 0xFF, byte(rnd.Uint32())}[rnd.IntN(5)]
		}
		return value.FromBytes(string(b))
	}},
	{value.Type{Base: value.TypeDateTime, Precision: -1}, func(rnd *rand.Rand) value.Value { return value.FromTicks(randomTicks(rnd)) }},
	{value.Type{Base: value.TypeDate}, func(rnd *rand.Rand) value.Value {
		t := randomTicks(rnd)
		return value.FromDate(t - t%value.TicksPerDay)
	}},
	{value.Type{Base: value.TypeTime, Precision: -1}, func(rnd *rand.Rand) value.Value {
		return value.FromDuration(rnd.Int64N(2*value.MaxDuration+1) - value.MaxDuration)
	}},
	{value.Type{Base: value.TypeUUID}, func(rnd *rand.Rand) value.Value {
		v, _ := value.ParseUUID(fmt.Sprintf("%016x%016x", rnd.Uint64()>>rnd.IntN(64), rnd.Uint64()))
		return v
	}},
}

func randomInt(rnd *rand.Rand) value.Value {
	switch rnd.IntN(8) {
	case 0:
		return value.FromInt([]int64{0, 1, -1, math.MaxInt64, math.MinInt64}[rnd.IntN(5)])
	}
	return value.FromInt(int64(rnd.Uint64()) >> rnd.IntN(64))
}

func randomFloat(rnd *rand.Rand) value.Value {
	switch rnd.IntN(4) {
	case 0:
		return value.FromFloat([]float64{0, 1, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1)}[rnd.IntN(8)])
	case 1:
		return value.FromFloat(rnd.NormFloat64())
	}
	f := math.Float64frombits(rnd.Uint64())
	if f != f {
		f = 0.5
	}
	return value.FromFloat(f)
}

func randomDecimal(precision, scale int) func(rnd *rand.Rand) value.Value {
	return func(rnd *rand.Rand) value.Value {
		digits := make([]byte, 1+rnd.IntN(precision))
		for i := range digits {
			digits[i] = "0159"[rnd.IntN(4)]
		}
		sign := []string{"", "-"}[rnd.IntN(2)]
		v, err := value.ParseDecimal(fmt.Sprintf("%s%se-%d", sign, digits, scale))
		if err != nil {
			panic(err)
		}
		return v
	}
}

func randomTicks(rnd *rand.Rand) int64 {
	if rnd.IntN(8) == 0 {
		return []int64{0, value.MaxTicks}[rnd.IntN(2)]
	}
	return rnd.Int64N(value.MaxTicks + 1)
}

// edges are the code points where code words change.
var edges = []rune{0, 1, ' ', '!', '"', '#', '$', '%', '&', '\'', '(', '.', '/', '0', '>', '?', '@', 'A', 'a', 'Z', '[', '\\', ']', '}', '~', 0x7F, 0x80, 'ß', 'ö', 'Ö',
	class3 - 1, class3, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x4FFFF, 0x50000, 0x10FFFF}

func randomText(rnd *rand.Rand) value.Value {
	runes := make([]rune, rnd.IntN(6))
	for i := range runes {
		runes[i] = edges[rnd.IntN(len(edges))]
	}
	return value.FromString(string(runes))
}

// checkAlphabet fails for what must not stand in a key.
func checkAlphabet(t testing.TB, code string) {
	t.Helper()
	for _, c := range []byte(code) {
		if !strings.ContainsRune(alphabet, rune(c)) {
			t.Fatalf("code %q holds %q", code, c)
		}
	}
}

func TestAlphabet(t *testing.T) {
	for c := byte(0); c < 0xFF; c++ {
		want := c > Separator && c < 0x7F && !strings.ContainsRune(`/\#?%'`, rune(c))
		if got := strings.IndexByte(alphabet, c) >= 0; got != want {
			t.Errorf("%q in the alphabet: %v", c, got)
		}
	}
	for i := 1; i < len(alphabet); i++ {
		if alphabet[i-1] >= alphabet[i] {
			t.Errorf("the alphabet does not ascend at %q", alphabet[i])
		}
	}
	if len(digits64) != 64 {
		t.Errorf("%d digits", len(digits64))
	}
}

// TestEveryRune: code words ascend, read back, and none begins another one.
func TestEveryRune(t *testing.T) {
	last := ""
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		word := string(appendRune(nil, r))
		if word <= last || last != "" && strings.HasPrefix(word, last) {
			t.Fatalf("%U: %q is not above %q", r, word, last)
		}
		if len(word) > 1 && word[1] == '~' {
			t.Fatalf("%U: %q looks like a cut", r, word)
		}
		if got, size := decodeRune(word + "x"); got != r || size != len(word) {
			t.Fatalf("%U: %q reads as %U, %d", r, word, got, size)
		}
		checkAlphabet(t, word)
		last = word
	}
}

// collated are characters that collations hold equal, several or none.
var collated = []rune("aAbBeEéÉsSßæÆøkK\u212a\u0301\u0308\t  -_0９１漢か\u30ab😀😁")

func randomCollated(rnd *rand.Rand) value.Value {
	runes := make([]rune, rnd.IntN(6))
	for i := range runes {
		runes[i] = collated[rnd.IntN(len(collated))]
	}
	return value.FromString(string(runes))
}

func TestOrderOfTypes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	columns := columns
	for _, c := range value.Collations() {
		columns = append(columns, column{value.Type{Base: value.TypeChar, Collation: c}, randomCollated})
	}
	for _, col := range columns {
		for _, desc := range []bool{false, true} {
			p := Part{Type: col.typ, Desc: desc}
			for range 3000 {
				a, b := col.random(rnd), col.random(rnd)
				if rnd.IntN(20) == 0 {
					a = value.NullValue
				}
				checkPair(t, p, a, b)
			}
		}
	}
}

// checkPair holds the order of two codes against that of the values, and reads them back.
func checkPair(t testing.TB, p Part, a, b value.Value) {
	t.Helper()
	x, cutA, errA := AppendValue(nil, a, p)
	y, cutB, errB := AppendValue(nil, b, p)
	if errA != nil || errB != nil || cutA || cutB {
		t.Fatalf("%v %v: %v %v, cut %v %v", a, b, errA, errB, cutA, cutB)
	}
	want := value.Order(a, b, p.Type.Collation)
	if p.Desc {
		want = -want
	}
	if got := strings.Compare(string(x), string(y)); got != want {
		t.Fatalf("%v desc %v: %q %q have codes %s %s", p.Type, p.Desc, value.Text(a), value.Text(b), x, y)
	}
	for _, c := range []struct {
		v    value.Value
		code string
	}{{a, string(x)}, {b, string(y)}} {
		checkAlphabet(t, c.code)
		if isCut(c.code) {
			t.Fatalf("%q has code %s, which looks cut", value.Text(c.v), c.code)
		}
		if p.Type.Collation != value.Binary && !c.v.IsNull() {
			if _, _, err := DecodeValue(c.code, p); err == nil {
				t.Fatalf("folded %s was read", c.code)
			}
			continue
		}
		got, rest, err := DecodeValue(c.code+"!rest", p)
		if err != nil || rest != "rest" || got.Kind() != c.v.Kind() || value.Order(got, c.v, value.Binary) != 0 {
			t.Fatalf("%v %q has code %s, which reads %q, %q, %v", p.Type, value.Text(c.v), c.code, value.Text(got), rest, err)
		}
	}
}

func TestExtremes(t *testing.T) {
	id := func(s string) value.Value { return value.FromUUID(s) }
	dec := value.FromDecimalText
	for _, c := range []struct {
		typ  value.Type
		vals []value.Value // in ascending order
	}{
		{value.Type{Base: value.TypeBigInt}, []value.Value{value.NullValue, value.FromInt(math.MinInt64), value.FromInt(-1), value.FromInt(0), value.FromInt(1), value.FromInt(math.MaxInt64)}},
		{value.Type{Base: value.TypeBigInt, Unsigned: true}, []value.Value{value.NullValue, value.FromUint(0), value.FromUint(1 << 63), value.FromUint(math.MaxUint64)}},
		{value.Type{Base: value.TypeDouble}, []value.Value{value.NullValue, value.FromFloat(math.Inf(-1)), value.FromFloat(-math.MaxFloat64), value.FromFloat(-5e-324), value.FromFloat(0), value.FromFloat(5e-324), value.FromFloat(math.MaxFloat64), value.FromFloat(math.Inf(1))}},
		{value.Type{Base: value.TypeDateTime}, []value.Value{value.NullValue, value.FromTicks(0), value.FromTicks(1), value.FromTicks(value.MaxTicks)}},
		{value.Type{Base: value.TypeTime}, []value.Value{value.NullValue, value.FromDuration(-value.MaxDuration), value.FromDuration(-1), value.FromDuration(0), value.FromDuration(value.MaxDuration)}},
		{value.Type{Base: value.TypeDecimal, Precision: 4, Scale: 2}, []value.Value{value.NullValue, dec("-99.99"), dec("-9.90"), dec("-0.01"), dec("0.00"), dec("0.01"), dec("10.00"), dec("99.99")}},
		{value.Type{Base: value.TypeUUID}, []value.Value{value.NullValue, id("00000000-0000-0000-0000-000000000000"), id("ffffffff-ffff-ffff-ffff-ffffffffffff")}},
		{value.Type{Base: value.TypeChar}, []value.Value{value.NullValue, value.FromString(""), value.FromString("\x00"), value.FromString("\x00\x00"), value.FromString(" "), value.FromString("a"), value.FromString("a\x00"), value.FromString("a "), value.FromString("a!"), value.FromString("ab"), value.FromString("\uFFFF"), value.FromString("\U0010FFFF")}},
		{value.Type{Base: value.TypeBlob}, []value.Value{value.NullValue, value.FromBytes(""), value.FromBytes("\x00"), value.FromBytes("\x00\x00"), value.FromBytes("\x00\x01"), value.FromBytes("\x01"), value.FromBytes("\xff"), value.FromBytes("\xff\xff")}},
	} {
		for _, desc := range []bool{false, true} {
			for i, a := range c.vals {
				for _, b := range c.vals[i:] {
					checkPair(t, Part{Type: c.typ, Desc: desc}, a, b)
				}
			}
		}
	}
}

func TestWrongTypes(t *testing.T) {
	for _, col := range columns {
		for _, v := range []value.Value{
			value.FromBool(true), value.FromInt(1), value.FromUint(1), value.FromFloat(1), value.FromString("a"), value.FromBytes("a"), value.FromDecimalText("1"), value.FromTicks(1), value.FromDuration(1), value.FromJSON("1"), value.FromUUID("x"),
		} {
			stored, err := col.typ.Convert(v)
			belongs := err == nil && stored.Kind() == v.Kind()
			if col.typ.Base == value.TypeDate || col.typ.Base == value.TypeYear || col.typ.Base == value.TypeEnum || col.typ.Base == value.TypeSet || v.Kind() == value.UUID {
				continue
			}
			if out, _, err := AppendValue([]byte("x"), v, Part{Type: col.typ}); belongs != (err == nil) || err != nil && string(out) != "x" {
				t.Errorf("%v in a part of %v: %q, %v", v.Kind(), col.typ, out, err)
			}
		}
	}
	for _, c := range []struct {
		typ value.Type
		v   value.Value
	}{
		{value.Type{Base: value.TypeUUID}, value.FromUUID("0123456789ABCDEF0123456789ABCDEF")}, {value.Type{Base: value.TypeUUID}, value.FromUUID("0123")},
		{value.Type{Base: value.TypeDateTime}, value.FromTicks(-1)}, {value.Type{Base: value.TypeDate}, value.FromTicks(value.MaxTicks + 1)},
		{value.Type{Base: value.TypeDecimal, Precision: 4, Scale: 2}, value.FromDecimalText("100")}, {value.Type{Base: value.TypeDecimal, Precision: 4, Scale: 2}, value.FromDecimalText("0.001")},
		{value.Type{Base: value.TypeDecimal, Precision: 4, Scale: 2}, value.FromDecimalText("x.1")}, {value.Type{Base: value.TypeDecimal}, value.FromDecimalText("1")},
		{value.Type{Base: value.TypeChar}, value.FromString("a\xff")}, {value.Type{}, value.FromInt(1)},
	} {
		if out, _, err := AppendValue(nil, c.v, Part{Type: c.typ}); err == nil {
			t.Errorf("%q in a part of %v: %q", value.Text(c.v), c.typ, out)
		}
	}
}

func FuzzStringOrder(f *testing.F) {
	f.Add("Smith", "Smith 2", false, false)
	f.Add("größe", "GRÖSSE", true, true)
	f.Add("\x00~", "\U0010FFFF", false, true)
	f.Fuzz(func(t *testing.T, a, b string, nocase, desc bool) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		p := Part{Type: value.Type{Base: value.TypeChar}, Desc: desc}
		if nocase {
			p.Type.Collation = value.NoCase
		}
		checkPair(t, p, value.FromString(a), value.FromString(b))
		octets := Part{Type: value.Type{Base: value.TypeBlob}, Desc: desc}
		checkPair(t, octets, value.FromBytes(a), value.FromBytes(b))
	})
}

func FuzzTupleOrder(f *testing.F) {
	f.Add("a", int64(1), "b", "a", int64(2), "a", uint8(0))
	f.Add("a!", int64(-1), "", "a", int64(-1), "!", uint8(7))
	f.Fuzz(func(t *testing.T, a1 string, a2 int64, a3, b1 string, b2 int64, b3 string, descs uint8) {
		parts := []Part{
			{Type: value.Type{Base: value.TypeChar}, Desc: descs&1 != 0},
			{Type: value.Type{Base: value.TypeBigInt}, Desc: descs&2 != 0},
			{Type: value.Type{Base: value.TypeBlob}, Desc: descs&4 != 0},
		}
		a := []value.Value{value.FromString(strings.ToValidUTF8(a1, "")), value.FromInt(a2), value.FromBytes(a3)}
		b := []value.Value{value.FromString(strings.ToValidUTF8(b1, "")), value.FromInt(b2), value.FromBytes(b3)}
		if descs&8 != 0 {
			a[0] = value.NullValue
		}
		if descs&16 != 0 {
			b[2] = value.NullValue
		}
		x, y := tuple(t, a, parts), tuple(t, b, parts)
		want := 0
		for i := range parts {
			if want == 0 {
				if want = value.Order(a[i], b[i], value.Binary); parts[i].Desc {
					want = -want
				}
			}
		}
		if got := strings.Compare(x, y); got != want {
			t.Fatalf("%q %q: %d, want %d", x, y, got, want)
		}
		rest := x
		for i, p := range parts {
			var v value.Value
			var err error
			if v, rest, err = DecodeValue(rest, p); err != nil || value.Order(v, a[i], value.Binary) != 0 {
				t.Fatalf("%q reads %q, %v", x, value.Text(v), err)
			}
		}
		if rest != "" {
			t.Fatalf("%q is left of %q", rest, x)
		}
	})
}

// FuzzDecode: no text makes the decoder panic, and what it reads it would write the same.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", `""`, "~~~", "~0-", "~~", "8000000000000000!x", "3155378975999999999", `~"~"~~`, "1000", "0999", "a~~0123456789ABCDEFGHIJKLMNOP"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, col := range columns {
			for _, desc := range []bool{false, true} {
				p := Part{Type: col.typ, Desc: desc}
				v, rest, err := DecodeValue(s, p)
				code, wantRest := SkipValue(s)
				if rest != wantRest {
					t.Fatalf("%q leaves %q, want %q", s, rest, wantRest)
				}
				if err != nil {
					continue
				}
				if out, _, err := AppendValue(nil, v, p); err != nil || string(out) != code {
					t.Fatalf("%v: %q reads %q, which has code %q, %v", p, code, value.Text(v), out, err)
				}
			}
		}
		Stem(s)
		if next := Successor(s); next != "" && next <= s {
			t.Fatalf("the successor of %q is %q", s, next)
		}
	})
}

func BenchmarkAppendValue(b *testing.B) {
	for _, c := range []struct {
		name string
		v    value.Value
		p    Part
	}{
		{"int", value.FromInt(12345), Part{Type: value.Type{Base: value.TypeInt}}},
		{"time", value.FromTicks(638_000_000_000_000_000), Part{Type: value.Type{Base: value.TypeDateTime}}},
		{"time-desc", value.FromTicks(638_000_000_000_000_000), Part{Type: value.Type{Base: value.TypeDateTime}, Desc: true}},
		{"decimal", value.FromDecimalText("12.50"), Part{Type: value.Type{Base: value.TypeDecimal, Precision: 10, Scale: 2}}},
		{"text", value.FromString("Miller-Smith"), Part{Type: value.Type{Base: value.TypeChar}, Cut: cutUnits(keyUnits, 1)}},
		{"text-nocase", value.FromString("Miller-Smith"), Part{Type: value.Type{Base: value.TypeChar, Collation: value.NoCase}, Cut: cutUnits(keyUnits, 1)}},
		{"text-unicode", value.FromString("Müller-Großmann"), Part{Type: value.Type{Base: value.TypeChar}, Cut: cutUnits(keyUnits, 1)}},
		{"text-cut", value.FromString(strings.Repeat("Miller", 100)), Part{Type: value.Type{Base: value.TypeChar}, Cut: cutUnits(keyUnits, 1)}},
		{"uuid", value.FromUUID("01234567-89ab-cdef-0123-456789abcdef"), Part{Type: value.Type{Base: value.TypeUUID}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			buf := make([]byte, 0, 512)
			for b.Loop() {
				buf, _, _ = AppendValue(buf[:0], c.v, c.p)
			}
		})
	}
}
