package expr

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func TestLike(t *testing.T) {
	for _, test := range []struct {
		s, pattern string
		want       bool
	}{
		{"David!", "David_", true}, {"David!", "%D%v%", true}, {"David_", `David\_`, true}, {"David!", `David\_`, false},
		{"", "", true}, {"", "%", true}, {"", "_", false}, {"a", "", false}, {"abc", "a%c", true}, {"ac", "a%c", true}, {"a", "a%a", false},
		{"aXbXc", "a%b%c", true}, {"abab", "%ab", true}, {"ababc", "%ab", false}, {"äö", "__", true}, {"äö", "_", false}, {"aab", "%_b", true},
		{"a%b", `a\%b`, true}, {"axb", `a\%b`, false}, {`a\`, `a\`, true}, {"mississippi", "%iss%ip%_", true}, {"mississippi", "m%iss%ix%", false},
		{"ab\ncd", "ab%cd", true}, {"ABC", "abc", false},
	} {
		if got := matches(newLikePattern(test.pattern, '\\', value.Binary), test.s, false); got != test.want {
			t.Errorf("%q LIKE %q is %v", test.s, test.pattern, got)
		}
	}
	if !matches(newLikePattern("a|%%", '|', value.Binary), "a%xyz", false) {
		t.Error("ESCAPE '|' does not escape")
	}
	if !matches(newLikePattern("__", 0, value.Binary), "ä", true) || matches(newLikePattern("_", 0, value.Binary), "ä", true) {
		t.Error("an octet of a BLOB is not one character")
	}
}

// naiveLike is LIKE by its definition, of what stands for each character; "literal" is before what is no wildcard.
func naiveLike(s, pattern []string) bool {
	if len(pattern) == 0 {
		return len(s) == 0
	}
	c, rest := pattern[0], pattern[1:]
	switch c {
	case "%":
		for i := 0; i <= len(s); i++ {
			if naiveLike(s[i:], rest) {
				return true
			}
		}
		return false
	case "_":
		return len(s) > 0 && naiveLike(s[1:], rest)
	}
	return len(s) > 0 && s[0] == strings.TrimPrefix(c, "literal") && naiveLike(s[1:], rest)
}

func FuzzLike(f *testing.F) {
	for _, seed := range [][2]string{{"abc", "a%"}, {"aXbc", "%b_"}, {"ÄäÖ", "_ä%"}, {`a\%`, `a\\\%`}, {"mississippi", "m%is%_p%"}, {"", `\`},
		{"Straße", "stra_E"}, {"STRASSE", "straß%"}, {"e\u0301", "é"}, {"Ａb ", "a_ "}} {
		for c := range value.Collations() {
			f.Add(seed[0], seed[1], uint8(c))
		}
	}
	f.Fuzz(func(t *testing.T, s, pattern string, number uint8) {
		if len(s) > 30 || len(pattern) > 12 || !utf8.ValidString(s) || !utf8.ValidString(pattern) {
			return
		}
		c := value.Collations()[int(number)%len(value.Collations())]
		var want []string
		for p := []rune(pattern); len(p) > 0; p = p[1:] {
			switch {
			case p[0] == '\\' && len(p) > 1:
				p = p[1:]
				fallthrough
			default:
				want = append(want, "literal"+c.FoldWhole(string(p[0])))
			case p[0] == '%', p[0] == '_':
				want = append(want, string(p[0]))
			}
		}
		if got := matches(newLikePattern(pattern, '\\', c), s, false); got != naiveLike(characters(c, s), want) {
			t.Errorf("%s: %q LIKE %q is %v", c, s, pattern, got)
		}
	})
}

func matches(p *likePattern, s string, octets bool) bool {
	ok, err := p.match(context.Background(), s, octets)
	return ok && err == nil
}
