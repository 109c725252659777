package value

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/testrun"
)

// TestCollationCompare has what MySQL and MariaDB answer, in the order of the collations: nocase, utf8mb4_bin, general_ci,
// unicode_ci, unicode_520_ci, 0900_ai_ci, 0900_as_ci, 0900_as_cs.
func TestCollationCompare(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"ann", "ANN", "=> = = = = = <"},
		{"a", "b", "<< < < < < < <"},
		{"B", "a", ">< > > > > > >"},
		{"resume", "résumé", "<< = = = = < <"},
		{"É", "é", "=< = = = = = >"},
		{"e\u0301", "é", "<< > = = = = ="}, // MySQL: 0301 above E; nocase and _bin by code points
		{"straße", "strasse", ">> < = = = > >"},
		{"ß", "s", ">> = > > > > >"},
		{"æ", "ae", ">> > > = = > >"},
		{"ø", "o", ">> > > = = > >"},
		{"a", "a  ", "<= = = = < < <"},
		{"a", "a\t", "<< < < < < < <"}, // MySQL: padded ones >
		{"_", "a", "<< > < < < < <"},
		{"-", "0", "<< < < < < < <"},
		{"~", "0", ">> > < < < < <"},
		{"😀", "😁", "<< = = < < < <"},
		{"か", "カ", "<< < = = = = <"},
		{"Ａ", "a", ">> > = = = = >"},
		{"Ё", "е", ">< = = = = > >"},
		{"ﬁ", "fi", ">> > = = = = >"},
		{"a\u0000b", "ab", "<< < = = = = ="},
		{"z", "ж", "<< < < < < < <"},
	} {
		want := strings.ReplaceAll(test.want, " ", "")
		for i, c := range Collations()[1:] {
			got := "<=>"[c.Compare(test.a, test.b)+1]
			if got != want[i] {
				t.Errorf("%s: %q %c %q, want %c", c, test.a, got, test.b, want[i])
			}
		}
	}
}

var collatedPieces = []string{
	"a", "A", "b", "B", "z", "Z", "é", "É", "e", "e\u0301", "\u0301", "ß", "ẞ", "ss", "SS", "æ", "ae", "ø", "Ł", "ﬁ", "f", "i", "İ", "ı", "K", "K",
	" ", "  ", "\t", "\u00a0", "-", "_", "~", "!", "¡", "€", "0", "9", "½", "١", "ж", "Ж", "ё", "か", "カ", "ｶ", "漢", "豈", "한", "😀", "\U0010FFFF", "\x00",
	"\uFFFD", "þ", "ə", "đ", "Ａ", "\u200d",
}

func randomCollated(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(5) {
		b.WriteString(collatedPieces[r.IntN(len(collatedPieces))])
	}
	return b.String()
}

// TestCollationFold: what stands for texts is in the order of the texts, and is the same just when they are equal; what a
// text begins with stands before what stands for it.
func TestCollationFold(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	equal, pairs := 0, testrun.Of(200_000, 50_000)
	for range pairs {
		a, b := randomCollated(r), randomCollated(r)
		if r.IntN(4) == 0 { // alike
			b = strings.ToUpper(a) + strings.Repeat(" ", r.IntN(3))
		}
		for _, c := range Collations() {
			order := c.Compare(a, b)
			if folded := strings.Compare(c.Fold(a), c.Fold(b)); order != folded {
				t.Fatalf("%s: %q and %q compare as %d, what stands for them as %d (%q, %q)", c, a, b, order, folded, c.Fold(a), c.Fold(b))
			}
			if back := c.Compare(b, a); back != -order {
				t.Fatalf("%s: %q and %q compare as %d, and as %d", c, a, b, order, back)
			}
			if order == 0 && a != b {
				equal++
			}
			key := func(s string) string { return string(AppendHashKey(nil, FromString(s), c)) }
			if (key(a) == key(b)) != (order == 0) {
				t.Fatalf("%s: %q and %q compare as %d, and have the hash keys %q and %q", c, a, b, order, key(a), key(b))
			}
			if !strings.HasPrefix(c.Fold(a+b), c.FoldPrefix(a)) {
				t.Fatalf("%s: %q begins with %q, but %q not with %q", c, a+b, a, c.Fold(a+b), c.FoldPrefix(a))
			}
		}
	}
	if equal < pairs/20 {
		t.Errorf("only %d pairs were equal", equal)
	}
}

// TestCollationOrder sorts as the collations do: blanks and what is neither digit nor letter, digits, letters.
func TestCollationOrder(t *testing.T) {
	sorted := map[Collation]string{
		Binary:       " ! - 0 9 A Z _ a b z ~ É é đ ж 漢",
		GeneralCI:    " ! - 0 9 a b é z _ ~ đ ж 漢",
		UnicodeCI:    " _ - ! ~ 0 9 a b đ é z ж 漢",
		Unicode520CI: " _ - ! ~ 0 9 a b đ é z ж 漢",
		AccentsCI:    " _ - ! ~ 0 9 a b đ é z ж 漢",
		LettersCS:    " _ - ! ~ 0 9 a A b đ é É z Z ж 漢",
	}
	for c, list := range sorted {
		want := strings.Split(list, " ")
		got := slices.Clone(want)
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, c.Compare)
		if !slices.Equal(got, want) {
			t.Errorf("%s sorts %q, want %q", c, got, want)
		}
	}
}

func TestCollationNamed(t *testing.T) {
	for name, want := range map[string]Collation{
		"utf8mb4_0900_bin": Binary, "BINARY": Binary, "NoCase": NoCase, "utf8mb4_bin": BinaryPad, "utf8_general_ci": GeneralCI,
		"utf8mb3_unicode_ci": UnicodeCI, "utf8mb4_0900_ai_ci": AccentsCI,
		"latin1_swedish_ci": GeneralCI, "cp1250_bin": BinaryPad, "utf8mb4_uca1400_ai_ci": Unicode520CI, "latin2_unicode_ci": UnicodeCI,
	} {
		if c, ok := CollationNamed(name); !ok || c != want {
			t.Errorf("CollationNamed(%q) = %v, %v", name, c, ok)
		}
	}
	for _, name := range []string{"", "utf8mb4", "utf8mb4_spanish_ci", "klingon_ci", "general_ci", "latin1_"} {
		if c, ok := CollationNamed(name); ok {
			t.Errorf("CollationNamed(%q) = %v", name, c)
		}
	}
	for _, c := range Collations() {
		if named, ok := CollationNamed(c.String()); !ok || named != c || c.ID() == 0 {
			t.Errorf("%s has the number %d and is found as %v", c, c.ID(), named)
		}
	}
}

func BenchmarkCollationCompare(b *testing.B) {
	for _, c := range []Collation{Binary, NoCase, GeneralCI, AccentsCI, LettersCS} {
		for _, texts := range [][2]string{{"Johannes Müller", "johannes muller"}, {"Johann Meier", "johann meyer"}} {
			b.Run(c.String(), func(b *testing.B) {
				for b.Loop() {
					c.Compare(texts[0], texts[1])
				}
			})
		}
	}
}
