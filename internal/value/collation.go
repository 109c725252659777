package value

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value/collate"
)

// Collation says how text compares. Definitions keep its name.
type Collation uint8

// The collations. A padded one compares texts as if blanks at their ends made them equally long.
const (
	Binary       Collation = iota // utf8mb4_0900_bin: by code point
	NoCase                        // nocase: by simple Unicode case folding, accents seen
	BinaryPad                     // utf8mb4_bin: by code point, padded
	GeneralCI                     // utf8mb4_general_ci: neither case nor accents, character by character, padded
	UnicodeCI                     // utf8mb4_unicode_ci: neither case nor accents, by Unicode 4.0.0, padded
	Unicode520CI                  // utf8mb4_unicode_520_ci: the same by Unicode 5.2.0
	AccentsCI                     // utf8mb4_0900_ai_ci: neither case nor accents
	CaseCI                        // utf8mb4_0900_as_ci: no case, accents seen
	LettersCS                     // utf8mb4_0900_as_cs: case and accents seen, in the order of letters
	collationEnd                  // behind the last
)

// collations are what each collation is.
var collations = [collationEnd]struct {
	name  string
	id    int // MySQL's
	pad   bool
	table *collate.Table // nil: of its own
}{
	Binary:       {name: "utf8mb4_0900_bin", id: 309},
	NoCase:       {name: "nocase", id: 2000},
	BinaryPad:    {name: "utf8mb4_bin", id: 46, pad: true},
	GeneralCI:    {name: "utf8mb4_general_ci", id: 45, pad: true, table: collate.General},
	UnicodeCI:    {name: "utf8mb4_unicode_ci", id: 224, pad: true, table: collate.Letters400},
	Unicode520CI: {name: "utf8mb4_unicode_520_ci", id: 246, pad: true, table: collate.Letters520},
	AccentsCI:    {name: "utf8mb4_0900_ai_ci", id: 255, table: collate.Letters1400},
	CaseCI:       {name: "utf8mb4_0900_as_ci", id: 305, table: collate.Letters1400},
	LettersCS:    {name: "utf8mb4_0900_as_cs", id: 278, table: collate.Letters1400},
}

// otherNames are names, after the name of a character set, that mean one of these: all text is UTF-8 here, which can hold what those hold.
var otherNames = map[string]Collation{
	"bin": BinaryPad, "general_ci": GeneralCI, "unicode_ci": UnicodeCI, "unicode_520_ci": Unicode520CI,
	// MariaDB's: its default is made by a later table of the same kind.
	"uca1400_ai_ci": Unicode520CI, "uca1400_nopad_ai_ci": AccentsCI, "uca1400_nopad_as_ci": CaseCI, "nopad_bin": Binary,
}

// CollationNamed finds a collation by its name, in any case.
func CollationNamed(name string) (c Collation, ok bool) {
	name = strings.ToLower(name)
	for i := range collations {
		if collations[i].name == name {
			return Collation(i), true
		}
	}
	if name == "binary" {
		return Binary, true
	}
	charset, rest, _ := strings.Cut(name, "_")
	if !charsets[charset] {
		return 0, false
	}
	if c, ok = otherNames[rest]; ok {
		return c, true
	}
	if !strings.HasPrefix(charset, "utf8") && strings.HasSuffix(rest, "_ci") {
		return GeneralCI, true // nearest to latin1_swedish_ci and the like
	}
	return 0, false
}

// Collations lists all collations.
func Collations() []Collation {
	list := make([]Collation, collationEnd)
	for i := range list {
		list[i] = Collation(i)
	}
	return list
}

// String is the collation's name.
func (c Collation) String() string { return collations[c].name }

// ID is the number that MySQL gives it.
func (c Collation) ID() int { return collations[c].id }

// Pads says whether blanks at the end of a text do not count.
func (c Collation) Pads() bool { return collations[c].pad }

// IsBinary says whether texts compare by code points, with or without the blanks at their ends.
func (c Collation) IsBinary() bool { return c == Binary || c == BinaryPad }

// IgnoresCase says whether an upper-case letter equals its lower-case one.
func (c Collation) IgnoresCase() bool { return !c.IsBinary() && c != LettersCS }

// ByCharacter says whether each character folds to exactly one. If so, a text begins with another one exactly when its Fold begins with the
// other's Fold, except for blanks at its end.
func (c Collation) ByCharacter() bool { return c <= GeneralCI }

// EqualWhere says whether texts that are equal under o are also equal under c.
func (c Collation) EqualWhere(o Collation) bool {
	return o == c || o == Binary || o == BinaryPad && c.Pads()
}

// Fold gives the text that represents s: texts are equal under c exactly when their Folds are the same, and sort as these do, by octets. Keys
// hold them. Fold drops blanks at the end if c pads.
func (c Collation) Fold(s string) string {
	if c != CaseCI && c != LettersCS {
		return c.FoldPrefix(s)
	}
	letters := collations[c].table.Append(make([]byte, 0, len(s)+8), s)
	accents := trimCommon(collate.Accents.Append(nil, s), collate.CommonAccent)
	var forms []byte
	if c == LettersCS {
		forms = trimCommon(collate.Forms.Append(nil, s), collate.CommonForm)
	}
	if len(accents) > 0 || len(forms) > 0 { // U+0000 stands for no letter, and is below all
		letters = append(append(letters, 0), accents...)
	}
	if len(forms) > 0 {
		letters = append(append(letters, 0), forms...)
	}
	return string(letters)
}

func trimCommon(weights []byte, common byte) []byte {
	for len(weights) > 0 && weights[len(weights)-1] == common {
		weights = weights[:len(weights)-1]
	}
	return weights
}

// FoldPrefix gives the common prefix of the Folds of all texts whose first characters are, one by one, equal to those of s.
func (c Collation) FoldPrefix(s string) string {
	info := &collations[c]
	switch {
	case c == Binary:
		return s
	case c == NoCase:
		return Fold(s)
	case c == BinaryPad:
		return strings.TrimRight(s, " ")
	}
	folded := info.table.Append(make([]byte, 0, len(s)), s)
	if info.pad {
		folded = trimCommon(folded, info.table.Append(nil, " ")[0])
	}
	return string(folded)
}

// FoldWhole is Fold, except that blanks at the end count.
func (c Collation) FoldWhole(s string) string {
	switch {
	case c.IsBinary():
		return s
	case !c.Pads():
		return c.Fold(s)
	}
	return string(collations[c].table.Append(nil, s))
}

// Compare compares two texts.
func (c Collation) Compare(a, b string) int {
	switch c {
	case Binary:
		return strings.Compare(a, b)
	case NoCase:
		return compareFold(a, b)
	case BinaryPad:
		return strings.Compare(strings.TrimRight(a, " "), strings.TrimRight(b, " "))
	}
	if a == b {
		return 0
	}
	same, order := collations[c].table.Compare(a, b)
	switch {
	case order != 0 && !(c.Pads() && (a[same] == ' ' || b[same] == ' ')):
		return order
	case same == len(a) && same == len(b) && c != LettersCS:
		return 0
	}
	// A mark behind a letter belongs to it, and what comes before decides first only where it differs.
	return strings.Compare(c.Fold(a), c.Fold(b))
}
