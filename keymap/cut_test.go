package keymap

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

var (
	text      = value.Type{Base: value.TypeChar}
	members   = value.Type{Base: value.TypeEnum, Names: []string{"b", "a", "ö"}}
	memberSet = value.Type{Base: value.TypeSet, Names: []string{"b", "a", "ö"}}
	nocase    = value.Type{Base: value.TypeChar, Collation: value.NoCase}
	octets    = value.Type{Base: value.TypeBlob}
)

func code(t testing.TB, p Part, s string) (code string, cut bool) {
	t.Helper()
	v := value.FromString(s)
	if p.Type.IsOctets() {
		v = value.FromBytes(s)
	}
	out, cut, err := AppendValue(nil, v, p)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), cut
}

// tuple is the codes of several values, joined by the separator.
func tuple(t testing.TB, vals []value.Value, parts []Part) string {
	t.Helper()
	var out []byte
	for i, v := range vals {
		if i > 0 {
			out = append(out, Separator)
		}
		var err error
		if out, _, err = AppendValue(out, v, parts[i]); err != nil {
			t.Fatal(err)
		}
	}
	return string(out)
}

// isCut says whether a code ends in the hash of a text that was cut.
func isCut(code string) bool { return Stem(code) != code }

// TestCutOrder: equal values have equal codes and others not; what the codes say of the order is
// true, but for those that share a stem.
func TestCutOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	random := func() string {
		n := rnd.IntN(14)
		runes := make([]rune, n)
		for i := range runes {
			runes[i] = []rune{'a', 'a', 'a', 'B', 'b', ' ', '~', 'ß', 0xFFFF, 0x10FFFF}[rnd.IntN(10)]
		}
		return string(runes)
	}
	for _, typ := range []value.Type{text, nocase, octets} {
		for _, desc := range []bool{false, true} {
			p := Part{Type: typ, Desc: desc, Cut: 8}
			cuts := 0
			for range 30000 {
				a, b := random(), random()
				x, cutA := code(t, p, a)
				y, cutB := code(t, p, b)
				checkAlphabet(t, x)
				if cutA != isCut(x) || cutB != isCut(y) {
					t.Fatalf("%q: cut %v, code %q", a, cutA, x)
				}
				if cutA {
					cuts++
				}
				if Stem(x) == Stem(y) && cutA && cutB {
					if same := value.Order(value.FromString(a), value.FromString(b), typ.Collation) == 0; same != (x == y) {
						t.Fatalf("%q and %q have codes %q and %q", a, b, x, y)
					}
					continue
				}
				want := value.Order(value.FromString(a), value.FromString(b), typ.Collation)
				if desc {
					want = -want
				}
				if got := strings.Compare(x, y); got != want {
					t.Fatalf("%v desc %v: %q %q have codes %q %q", typ, desc, a, b, x, y)
				}
				if !PrefixSpan(Stem(x)).Contains(x) || !PrefixSpan(Stem(x)).Contains(x+"!PK") {
					t.Fatalf("the span of stem %q does not hold %q", Stem(x), x)
				}
				if _, _, err := DecodeValue(x, p); (err == nil) != (!cutA && typ.Collation == value.Binary) {
					t.Fatalf("%q reads with error %v", x, err)
				}
			}
			if cuts < 1000 {
				t.Errorf("only %d texts were cut", cuts)
			}
		}
	}
}

// TestCutRoom: however long and odd the texts, the parts of a key keep within their room.
func TestCutRoom(t *testing.T) {
	for _, desc := range []bool{false, true} {
		for n := 1; n <= 5; n++ {
			for _, s := range []string{"a", " ", "~", "ö", "\uFFFF", "\U0010FFFF", "a\U0010FFFF", " a", "\x00\uFFFF"} {
				for _, typ := range []value.Type{text, octets} {
					p := Part{Type: typ, Desc: desc, Cut: cutUnits(keyUnits, n)}
					for length := 1; length < 300; length++ {
						c, _ := code(t, p, strings.Repeat(s, length))
						if n*len(c)+n-1 > keyUnits {
							t.Fatalf("%d parts of %d × %q take %d units each", n, length, s, len(c))
						}
					}
				}
			}
		}
	}
	if c, cut := code(t, Part{Type: text, Cut: cutUnits(keyUnits, 1)}, strings.Repeat("a", 205)); cut || len(c) != 205 {
		t.Errorf("a text that has room was cut: %q", c)
	}
	if c, cut := code(t, Part{Type: text}, strings.Repeat("a", 10000)); cut || len(c) != 10000 {
		t.Error("a part without Cut was cut")
	}
}

func TestSetCuts(t *testing.T) {
	parts := []Part{{Type: text}, {Type: value.Type{Base: value.TypeBigInt}, Cut: 7}, {Type: octets}, {Type: value.Type{Base: value.TypeDateTime}}}
	SetCuts(parts)
	if parts[0].Cut != (240-17-20)/2-35 || parts[2].Cut != parts[0].Cut || parts[1].Cut != 0 || parts[3].Cut != 0 {
		t.Errorf("%+v", parts)
	}
	vals := []value.Value{value.FromString(strings.Repeat(" \U0010FFFF", 200)), value.FromInt(1), value.FromBytes(strings.Repeat("\xff", 500)), value.FromTicks(0)}
	if out := tuple(t, vals, parts); len(out) > keyUnits || !isCut(strings.Split(out, "!")[0]) {
		t.Errorf("%d units: %s", len(out), out)
	}
	for _, col := range columns {
		if Cuttable(col.typ) {
			continue
		}
		v := col.random(rand.New(rand.NewPCG(1, 1)))
		if out, _, err := AppendValue(nil, v, Part{Type: col.typ}); err != nil || len(out) != fixedUnits(col.typ) {
			t.Errorf("%v takes %d units, not %d", col.typ, len(out), fixedUnits(col.typ))
		}
	}
}

func TestPrefixPart(t *testing.T) {
	for _, c := range []struct {
		p    Part
		in   string
		want string
		cut  bool
	}{
		{Part{Type: text, Prefix: 3}, "äöüx", "~0a~0s~0y", true},
		{Part{Type: text, Prefix: 3}, "abc", "abc", false},
		{Part{Type: text, Prefix: 3}, "", `""`, false},
		{Part{Type: nocase, Prefix: 3}, "ABCD", "abc", true},
		{Part{Type: octets, Prefix: 1}, "\xff\xff", "VS", true},
		{Part{Type: octets, Prefix: 2}, "\xff\xff", "VVVG", false},
	} {
		got, cut := code(t, c.p, c.in)
		if got != c.want || cut != c.cut {
			t.Errorf("%+v %q: %q, %v", c.p, c.in, got, cut)
		}
		if _, _, err := DecodeValue(got, c.p); err == nil {
			t.Errorf("%q was read although it may be a part", got)
		}
	}
}
