//go:build ignore

// Generate writes the tables of this package from what MariaDB 10.11 says, which holds the Default Unicode Collation Element
// Tables 4.0.0, 5.2.0 and 14.0.0. In a directory with general_ci.tsv, unicode_ci.tsv, unicode_520_ci.tsv, uca1400_ai_ci.tsv
// and uca1400_as_cs.tsv, each the answer (mariadb -N) to
//
//	SELECT HEX(seq), HEX(WEIGHT_STRING(CONVERT(CONVERT(UNHEX(LPAD(HEX(seq), 8, '0')) USING utf32) USING utf8mb4) COLLATE utf8mb4_NAME))
//	FROM seq_0_to_921599 WHERE seq NOT BETWEEN 0xD800 AND 0xDFFF
//
// run: go run …/internal/value/collate/generate.go …/internal/value/collate. The tables are a stored format: a new one needs
// a new collation, or a rebuild of all keys.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func main() {
	log.SetFlags(0)
	out := os.Args[1]
	write(filepath.Join(out, "general.gz"), general(read("general_ci.tsv")))
	ai := read("uca1400_ai_ci.tsv")
	accents, forms := levels(ai, read("uca1400_as_cs.tsv"))
	write(filepath.Join(out, "uca400.gz"), primary(read("unicode_ci.tsv"), forms, 0xFFFF))
	write(filepath.Join(out, "uca520.gz"), primary(read("unicode_520_ci.tsv"), forms, unicode.MaxRune))
	write(filepath.Join(out, "uca1400.gz"), primary(ai, forms, unicode.MaxRune))
	write(filepath.Join(out, "accents.gz"), accents)
	write(filepath.Join(out, "forms.gz"), forms)
}

// read gives the weights of each code point.
func read(name string) map[rune][]uint16 {
	f, err := os.Open(name)
	check(err)
	defer f.Close()
	weights := map[rune][]uint16{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		at, hex, _ := strings.Cut(lines.Text(), "\t")
		r, err := strconv.ParseUint(at, 16, 32)
		check(err)
		list := []uint16{}
		for ; len(hex) >= 4; hex = hex[4:] {
			w, err := strconv.ParseUint(hex[:4], 16, 16)
			check(err)
			list = append(list, uint16(w))
		}
		weights[rune(r)] = list
	}
	return weights
}

// general: a weight is the code point of the letter that a character counts as.
func general(weights map[rune][]uint16) map[rune]string {
	table := map[rune]string{}
	for r, w := range weights {
		if s := string(rune(w[0])); r <= 0xFFFF && s != string(r) {
			table[r] = s
		}
	}
	return table
}

// element is one primary weight: implicit ones (FBxx) take two.
type element [2]uint16

func elements(weights []uint16) []element {
	var list []element
	for i := 0; i < len(weights); i++ {
		e := element{weights[i]}
		if e[0]>>8 == 0xFB {
			i++
			e[1] = weights[i]
		}
		list = append(list, e)
	}
	return list
}

// primary gives the text that stands for each character up to last which has not itself alone.
func primary(weights map[rune][]uint16, forms map[rune]string, last rune) map[rune]string {
	chosen := map[element]rune{} // the character that stands for a weight
	better := func(r, than rune) bool {
		a, b := forms[r] == "", forms[than] == "" // a plain small letter
		switch {
		case (r < utf8.RuneSelf) != (than < utf8.RuneSelf):
			return r < utf8.RuneSelf
		case a != b:
			return a
		}
		return r < than
	}
	for r, w := range weights {
		if list := elements(w); len(list) == 1 && r <= last {
			if other, ok := chosen[list[0]]; !ok || better(r, other) {
				chosen[list[0]] = r
			}
		}
	}
	// ASCII by weight. What is below the digits takes the code points from U+0001 on.
	type char struct {
		e element
		r rune
	}
	var ascii []char
	for e, r := range chosen {
		if r < utf8.RuneSelf {
			ascii = append(ascii, char{e, r})
		}
	}
	slices.SortFunc(ascii, func(a, b char) int { return slices.Compare(a.e[:], b.e[:]) })
	text := map[element]string{}
	var z element
	for i, c := range ascii {
		text[c.e] = string(c.r)
		if c.r < '0' || c.r > '9' && c.r < 'a' || c.r > 'z' {
			if i+1 >= '0' || slices.Compare(c.e[:], ascii[len(ascii)-1].e[:]) == 0 {
				log.Fatalf("no room for %q", c.r)
			}
			text[c.e] = string(rune(i + 1))
		}
		z = c.e
	}
	stands := func(e element, r rune) string {
		if slices.Compare(e[:], z[:]) > 0 {
			return string(r)
		}
		at, found := slices.BinarySearchFunc(ascii, e, func(c char, e element) int { return slices.Compare(c.e[:], e[:]) })
		switch {
		case found:
			return text[e]
		case at == 0:
			return "\x00" + string(r)
		}
		return text[ascii[at-1].e] + string(unicode.MaxRune) + string(r)
	}
	for e, r := range chosen {
		if r >= utf8.RuneSelf {
			text[e] = stands(e, r)
		}
	}
	table := map[rune]string{}
	lost := 0
	for r := range last + 1 {
		w, ok := weights[r]
		if !ok || r == 0xFFFD && last == 0xFFFF {
			continue
		}
		var s strings.Builder
		for _, e := range elements(w) {
			t, ok := text[e]
			if !ok { // only in characters of several weights: the first of these
				lost++
				t = stands(e, r)
				if t == string(r) {
					t = string(unicode.MaxRune) + t
				}
				text[e] = t
			}
			s.WriteString(t)
		}
		if s.String() != string(r) {
			table[r] = s.String()
		}
	}
	fmt.Println(len(table), "entries,", lost, "weights of no character alone; ascii:", len(ascii))
	return table
}

// levels gives the second and third weights where they are not the commonest ones, as characters.
func levels(ai, all map[rune][]uint16) (accents, forms map[rune]string) {
	accents, forms = map[rune]string{}, map[rune]string{}
	for r, w := range all {
		rest := w[len(ai[r]):]
		n := len(rest) / 2
		put := func(table map[rune]string, weights []uint16, common uint16) {
			s := ""
			for _, w := range weights {
				s += string(rune(w))
			}
			if s != string(rune(common)) {
				table[r] = s
			}
		}
		put(accents, rest[:n], 0x20)
		put(forms, rest[n:], 0x02)
	}
	fmt.Println(len(accents), len(forms))
	return accents, forms
}

// write writes the entries by code point: the distance from the one before, the length of the text, and the text.
func write(name string, table map[rune]string) {
	runes := make([]rune, 0, len(table))
	for r := range table {
		runes = append(runes, r)
	}
	slices.Sort(runes)
	var data []byte
	before := rune(0)
	for _, r := range runes {
		data = binary.AppendUvarint(data, uint64(r-before))
		data = binary.AppendUvarint(data, uint64(len(table[r])))
		data = append(data, table[r]...)
		before = r
	}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	check(err)
	_, err = zip.Write(data)
	check(err)
	check(zip.Close())
	check(os.WriteFile(name, out.Bytes(), 0o644))
	fmt.Println(filepath.Base(name), len(runes), "entries,", len(data), "octets,", out.Len(), "written")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
