package expr

import (
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
		if got := newLikePattern(test.pattern, '\\', false).match(test.s, false); got != test.want {
			t.Errorf("%q LIKE %q is %v", test.s, test.pattern, got)
		}
	}
	if !newLikePattern("a|%%", '|', false).match("a%xyz", false) {
		t.Error("ESCAPE '|' does not escape")
	}
	if !newLikePattern("__", 0, false).match("ä", true) || newLikePattern("_", 0, false).match("ä", true) {
		t.Error("an octet of a BLOB is not one character")
	}
}

// naiveLike is LIKE by its definition.
func naiveLike(s, pattern []rune, escape rune) bool {
	if len(pattern) == 0 {
		return len(s) == 0
	}
	c, rest := pattern[0], pattern[1:]
	switch {
	case c == escape && escape != 0 && len(rest) > 0:
		return len(s) > 0 && s[0] == rest[0] && naiveLike(s[1:], rest[1:], escape)
	case c == '%':
		for i := 0; i <= len(s); i++ {
			if naiveLike(s[i:], rest, escape) {
				return true
			}
		}
		return false
	case c == '_':
		return len(s) > 0 && naiveLike(s[1:], rest, escape)
	}
	return len(s) > 0 && s[0] == c && naiveLike(s[1:], rest, escape)
}

func FuzzLike(f *testing.F) {
	for _, seed := range [][2]string{{"abc", "a%"}, {"aXbc", "%b_"}, {"ÄäÖ", "_ä%"}, {`a\%`, `a\\\%`}, {"mississippi", "m%is%_p%"}, {"", `\`}} {
		f.Add(seed[0], seed[1], false)
		f.Add(seed[0], seed[1], true)
	}
	f.Fuzz(func(t *testing.T, s, pattern string, fold bool) {
		if len(s) > 30 || len(pattern) > 12 || !utf8.ValidString(s) || !utf8.ValidString(pattern) {
			return
		}
		x, p := s, pattern
		if fold {
			x, p = value.Fold(s), value.Fold(pattern)
		}
		want := naiveLike([]rune(x), []rune(p), '\\')
		if got := newLikePattern(pattern, '\\', fold).match(s, false); got != want {
			t.Errorf("%q LIKE %q is %v, want %v", s, pattern, got, want)
		}
	})
}
