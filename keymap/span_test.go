package keymap

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func TestSuccessor(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "b", "PK!": `PK"`, `a"`: "a$", "a.": "a0", "a>": "a@", "a[": "a]", "az~": "a{", "~~": "", "a}": "a~", "aö": "a÷",
		"a\uD7FF": "a\uE000", "a\uFFFF": "b", "a\U0010FFFF": "b", "a\xff": "b", "\U0010FFFF": "",
	} {
		if got := Successor(in); got != want {
			t.Errorf("Successor(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	s := PrefixSpan("b!")
	for key, want := range map[string]bool{"b": false, "b!": true, "b!~~~": true, `b"`: false, "a!x": false, "c": false} {
		if s.Contains(key) != want {
			t.Errorf("%v contains %q: %v", s, key, !want)
		}
	}
	if p := PointSpan("b!x"); !p.Contains("b!x") || p.Contains("b!x!") || p.Contains("b!x y") || p.Contains("b!w") || p.Empty() {
		t.Error(p)
	}
	all := Span{}
	if all.Empty() || !all.Contains("") || !all.Contains("\U0010FFFF") || all.Intersect(s) != s || s.Intersect(all) != s {
		t.Error("the span without bounds")
	}
	if i := s.Intersect(PrefixSpan("b!x")); i != PrefixSpan("b!x") {
		t.Error(i)
	}
	if i := s.Intersect(PrefixSpan("c!")); !i.Empty() || i.Contains("c!") {
		t.Error(i)
	}
}

func TestLikePrefix(t *testing.T) {
	for _, c := range []struct {
		pattern string
		escape  rune
		prefix  string
		rest    LikeRest
	}{
		{"", '\\', "", Exact}, {"abc", '\\', "abc", Exact}, {"abc%", '\\', "abc", PrefixOnly}, {"abc%%", '\\', "abc", PrefixOnly}, {"%", '\\', "", PrefixOnly},
		{"abc_", '\\', "abc", More}, {"abc%_", '\\', "abc", More}, {"a%b", '\\', "a", More}, {"_", '\\', "", More}, {"%a", '\\', "", More},
		{`a\%b`, '\\', "a%b", Exact}, {`a\%b%`, '\\', "a%b", PrefixOnly}, {`a\\%`, '\\', `a\`, PrefixOnly}, {`a\_\%_`, '\\', "a_%", More}, {`a\`, '\\', `a\`, Exact}, {`a\b`, '\\', "ab", Exact},
		{`a\%`, 0, `a\`, PrefixOnly}, {"a|%%", '|', "a%", PrefixOnly}, {"aöö%", 'ö', "aö", PrefixOnly}, {"%%a", '%', "%a", Exact}, {"größe%", '\\', "größe", PrefixOnly},
	} {
		prefix, rest := LikePrefix(c.pattern, c.escape)
		if prefix != c.prefix || rest != c.rest {
			t.Errorf("LikePrefix(%q, %q) = %q, %v", c.pattern, c.escape, prefix, rest)
		}
	}
}

// like is LIKE by a regular expression.
func like(pattern string, escape rune) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A(?s:`)
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == escape && i+1 < len(runes):
			i++
			b.WriteString(regexp.QuoteMeta(string(runes[i])))
		case r == '%':
			b.WriteString(".*")
		case r == '_':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return regexp.MustCompile(b.String() + `)\z`)
}

func FuzzLikePrefix(f *testing.F) {
	f.Add("Sm%", "Smith", uint8(0))
	f.Add(`10\%%`, "10% of it", uint8(1))
	f.Add("~~~~~~~~~~~~%", "~~~~~~~~~~~~~~~~~", uint8(6))
	f.Add("", "", uint8(3))
	f.Fuzz(func(t *testing.T, pattern, s string, flags uint8) {
		if !utf8.ValidString(pattern) || !utf8.ValidString(s) || len(pattern) > 100 {
			return
		}
		p := Part{Type: text, Desc: flags&1 != 0}
		if flags&2 != 0 {
			p.Type = nocase
			pattern, s = value.Fold(pattern), value.Fold(s) // so that the regular expression folds as values do
		}
		if flags&4 != 0 {
			p.Cut = 8
		}
		if flags&8 != 0 {
			p.Prefix = 3
		}
		prefix, rest := LikePrefix(pattern, '\\')
		matches := like(pattern, '\\').MatchString(s)
		if rest == Exact && matches != (s == prefix) || rest == PrefixOnly && matches != strings.HasPrefix(s, prefix) || matches && !strings.HasPrefix(s, prefix) {
			t.Fatalf("%q LIKE %q is %v, prefix %q, %v", s, pattern, matches, prefix, rest)
		}
		out, exact := AppendTextPrefix([]byte("i!"), prefix, p)
		checkAlphabet(t, strings.TrimPrefix(string(out), "i!"))
		span := PrefixSpan(string(out))
		c, cut := code(t, p, s)
		inside := span.Contains("i!"+c) && span.Contains("i!"+c+"!8000000000000000")
		begins := strings.HasPrefix(s, prefix)
		if begins && !inside || exact && inside != begins {
			t.Fatalf("%q in the span %q of %q: %v, exact %v, code %q, cut %v", s, out, prefix, inside, exact, c, cut)
		}
		if null, _, _ := AppendValue([]byte("i!"), value.NullValue, p); exact && span.Contains(string(null)) {
			t.Fatalf("NULL is in the span %q of %q", out, prefix)
		}
	})
}

// TestPrefixOfCollations: the span of a prefix holds all that LIKE finds, character by character, and nothing else where it
// says that it is exact.
func TestPrefixOfCollations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, c := range value.Collations() {
		for range 20_000 {
			p := Part{Type: value.Type{Base: value.TypeChar, Collation: c}, Cut: []int{0, 4}[rnd.IntN(2)], Prefix: []int{0, 3}[rnd.IntN(2)], Desc: rnd.IntN(2) == 0}
			prefix, s := []rune(randomCollated(rnd).Text()), []rune(randomCollated(rnd).Text())
			if rnd.IntN(2) == 0 {
				s = append([]rune(strings.ToUpper(string(prefix))), s...)
			}
			begins := len(s) >= len(prefix)
			for i := 0; begins && i < len(prefix); i++ {
				begins = c.FoldWhole(string(s[i])) == c.FoldWhole(string(prefix[i]))
			}
			out, exact := AppendTextPrefix(nil, string(prefix), p)
			key, _ := code(t, p, string(s))
			inside := PrefixSpan(string(out)).Contains(key)
			if begins && !inside || exact && inside != begins {
				t.Fatalf("%s %+v: %q with the code %s in the span %q of %q: %v, exact %v", c, p, string(s), key, out, string(prefix), inside, exact)
			}
		}
	}
}

func TestAppendTextPrefix(t *testing.T) {
	for _, c := range []struct {
		prefix string
		p      Part
		want   string
		exact  bool
	}{
		{"Sm", Part{Type: text}, "Sm", true}, {"", Part{Type: text}, "", false}, {"Sm", Part{Type: nocase}, "sm", true},
		{"12345678", Part{Type: text, Cut: 8}, "12345678", true}, {"123456789", Part{Type: text, Cut: 8}, "12345678~~", false},
		{"abc", Part{Type: text, Prefix: 3}, "abc", true}, {"abcd", Part{Type: text, Prefix: 3}, "abc", false},
		{"a\xff", Part{Type: text}, "a", false},
	} {
		out, exact := AppendTextPrefix(nil, c.prefix, c.p)
		if string(out) != c.want || exact != c.exact {
			t.Errorf("%q: %q, %v, want %q", c.prefix, out, exact, c.want)
		}
	}
}
