package value

import (
	"cmp"
	"unicode"
	"unicode/utf8"
)

// Fold gives the text that represents s under NoCase: every rune is replaced by one of those that simple Unicode case folding treats as equal to
// it, the lower-case letter if there is one. Texts are equal under NoCase if and only if their folded forms are the same, and sort as these do.
// Characters that fold to several (ß to ss) stay as they are.
//
// It follows the Unicode tables of the Go release; a letter that Unicode adds later may fold
// differently then.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return foldFrom(s, i)
		}
	}
	return s
}

func foldFrom(s string, i int) string {
	for at, r := range s[i:] {
		if foldRune(r) != r {
			return foldRest(s, i+at)
		}
	}
	return s
}

// foldRest folds the text from i on. What is not UTF-8 stays as it is.
func foldRest(s string, i int) string {
	dst := make([]byte, i, len(s)+utf8.UTFMax)
	copy(dst, s)
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError {
			dst = append(dst, s[i:i+size]...)
		} else {
			dst = utf8.AppendRune(dst, foldRune(r))
		}
		i += size
	}
	return string(dst)
}

// foldRune picks the rune that represents all that simple folding treats as equal to r. ToLower alone is not enough: it maps the capital dotted
// İ to i, which simple folding keeps apart.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	lower := unicode.ToLower(least)
	if lower == r || lower == least {
		return lower
	}
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		if o == lower {
			return lower
		}
	}
	return least
}

// compareFold compares what Fold would give, without making it.
func compareFold(a, b string) int {
	for len(a) > 0 && len(b) > 0 {
		var x, y rune
		if c := a[0]; c < utf8.RuneSelf {
			x, a = rune(c), a[1:]
		} else {
			r, n := utf8.DecodeRuneInString(a)
			x, a = r, a[n:]
		}
		if c := b[0]; c < utf8.RuneSelf {
			y, b = rune(c), b[1:]
		} else {
			r, n := utf8.DecodeRuneInString(b)
			y, b = r, b[n:]
		}
		if x == y {
			continue
		}
		if x, y = foldRune(x), foldRune(y); x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return cmp.Compare(len(a), len(b))
}
