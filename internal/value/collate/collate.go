// Package collate gives the text that stands for another one where case or accents do not count: texts are equal just when
// what stands for them is the same, and sort as that does, by octets. What it gives is kept in keys, so the tables are part of
// the stored format: they are frozen here, and follow no release of Go or of Unicode.
//
//	string(collate.Letters1400.Append(nil, "Čapek")) // capek
//
// The tables are made by generate.go of what MariaDB says, which has the Default Unicode Collation Element Tables. A letter
// stands for all that have its weight: the lower-case one of ASCII where there is one. Digits and letters of ASCII are
// themselves; what sorts before them stands on U+0001 to U+002F, in its order. What sorts between two characters of ASCII is
// the lower one of them, U+10FFFF, and itself; all that sorts behind z is in the order of code points. Contractions
// (characters that count as one letter together) are not known.
package collate

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed" // the tables
	"encoding/binary"
	"io"
	"sync"
	"unicode/utf8"
)

// Table says what stands for a character.
type Table struct {
	last  rune   // those behind it are all U+FFFD
	other string // what stands for a character without an entry; "" is the character itself
	read  func() *content
}

// General is MySQL's general_ci: a letter without its accents, in upper case. Letters400, Letters520 and Letters1400 are the
// primary weights of these versions of Unicode's tables, in which neither case nor accents count; Accents and Forms the
// secondary and tertiary ones of the last, one character for each.
var (
	General     = newTable(generalData, 0xFFFF, "")
	Letters400  = newTable(uca400Data, 0xFFFF, "")
	Letters520  = newTable(uca520Data, utf8.MaxRune-1, "")
	Letters1400 = newTable(uca1400Data, utf8.MaxRune-1, "")
	Accents     = newTable(accentsData, utf8.MaxRune, string(CommonAccent))
	Forms       = newTable(formsData, utf8.MaxRune, string(CommonForm))
)

// What Accents and Forms give for what has no accent, and is a plain small letter.
const (
	CommonAccent = ' '
	CommonForm   = '\x02'
)

//go:embed general.gz
var generalData []byte

//go:embed uca400.gz
var uca400Data []byte

//go:embed uca520.gz
var uca520Data []byte

//go:embed uca1400.gz
var uca1400Data []byte

//go:embed accents.gz
var accentsData []byte

//go:embed forms.gz
var formsData []byte

// content is a table that was read.
type content struct {
	ascii   [utf8.RuneSelf]byte // none: nothing stands for it
	entries map[rune]string
}

// none is no octet of a text.
const none = 0xFF

func newTable(data []byte, last rune, other string) *Table {
	return &Table{last: last, other: other, read: sync.OnceValue(func() *content { return read(data, other) })}
}

// read reads what generate.go wrote.
func read(data []byte, other string) *content {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic(err) // the file is part of the program
	}
	data, err = io.ReadAll(zip)
	if err != nil {
		panic(err)
	}
	c := &content{entries: make(map[rune]string, len(data)/6)}
	for r := rune(0); len(data) > 0; {
		gap, n := binary.Uvarint(data)
		size, m := binary.Uvarint(data[n:])
		data = data[n+m:]
		r += rune(gap)
		c.entries[r] = string(data[:size])
		data = data[size:]
	}
	for i := range c.ascii {
		s, ok := c.entries[rune(i)]
		switch {
		case ok && s == "":
			c.ascii[i] = none
		case ok:
			c.ascii[i] = s[0]
		case other != "":
			c.ascii[i] = other[0]
		default:
			c.ascii[i] = byte(i)
		}
	}
	return c
}

// Append appends what stands for s. What is not UTF-8 stays as it is.
func (t *Table) Append(dst []byte, s string) []byte {
	c := t.read()
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			if to := c.ascii[b]; to != none {
				dst = append(dst, to)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		char := s[i : i+size]
		i += size
		if r > t.last {
			if t.last > 0xFFFF {
				continue // U+10FFFF, which the tables use themselves
			}
			r, char = utf8.RuneError, "\uFFFD"
		}
		to, ok := c.entries[r]
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, char...)
		case ok:
			dst = append(dst, to...)
		case t.other != "":
			dst = append(dst, t.other...)
		default:
			dst = append(dst, char...)
		}
	}
	return dst
}

// Compare compares what stands for a and b as long as both are ASCII. same is how many octets are equal; order is that of the
// characters behind them, 0 where it is not known: where one is not ASCII, nothing stands for it, or a text ends.
func (t *Table) Compare(a, b string) (same int, order int) {
	c := t.read()
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x >= utf8.RuneSelf || y >= utf8.RuneSelf {
			return i, 0
		}
		if x == y {
			continue
		}
		if x, y = c.ascii[x], c.ascii[y]; x == none || y == none {
			return i, 0
		}
		if x != y {
			return i, cmp.Compare(x, y)
		}
	}
	return n, 0
}
