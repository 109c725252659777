package main

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
)

// guess is what the values of a column, seen so far, can be.
type guess struct {
	name     string
	seen     int
	not      map[string]bool
	least    int64
	greatest int64
	whole    int // digits before the point
	fraction int // digits behind it
	seconds  int // digits of a second
	longest  int // characters

	values map[uint64]struct{} // hashes of all values, as long as they are all different: it may be the key
}

// kinds are what a column may be, the narrowest first. If none fits, it is a text.
var kinds = []struct {
	name string
	is   func(g *guess, text string) bool
}{
	{"bool", func(_ *guess, s string) bool { return strings.EqualFold(s, "true") || strings.EqualFold(s, "false") }},
	{"int", func(g *guess, s string) bool {
		n, err := strconv.ParseInt(s, 10, 64)
		g.least, g.greatest = min(g.least, n), max(g.greatest, n)
		return err == nil && integer.MatchString(s)
	}},
	{"decimal", func(g *guess, s string) bool {
		m := decimal.FindStringSubmatch(s)
		if m == nil {
			return false
		}
		g.whole, g.fraction = max(g.whole, len(m[1])), max(g.fraction, len(m[2]))
		return g.whole+g.fraction <= 65 && g.fraction <= 30
	}},
	{"double", func(_ *guess, s string) bool {
		n, ok := new(big.Float).SetString(s)
		if !ok || !float.MatchString(s) {
			return false
		}
		f, _ := n.Float64()
		return f-f == 0 // finite
	}},
	{"date", func(_ *guess, s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil && s >= "0001"
	}},
	{"datetime", func(g *guess, s string) bool {
		if len(s) < 16 || s[10] != ' ' && s[10] != 'T' {
			return false
		}
		for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05Z07:00"} {
			t, err := time.Parse(layout, s[:10]+"T"+s[11:])
			if err == nil {
				_, behind, _ := strings.Cut(s, ".")
				digits := len(behind) - len(strings.TrimLeft(behind, "0123456789"))
				g.seconds = max(g.seconds, digits)
				return t.Year() > 0 && digits <= 7
			}
		}
		return false
	}},
	{"uuid", func(_ *guess, s string) bool { return uuid.MatchString(s) }},
}

var (
	integer = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`) // 007 is a text
	decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(?:\.([0-9]+))?$`)
	float   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	uuid    = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
)

var hashSeed = maphash.MakeSeed()

// see takes a value into account. An empty field may be NULL.
func (g *guess) see(value any) {
	if value == nil || value == "" {
		g.values = nil
		return
	}
	g.seen++
	var text string
	switch v := value.(type) {
	case bool:
		text = strconv.FormatBool(v)
	case string:
		text = v
	case json.Number:
		text = v.String()
	case json.RawMessage:
		g.longest = max(g.longest, utf8.RuneCount(v))
		for _, k := range kinds {
			g.not[k.name] = true
		}
		g.values = nil
		return
	}
	g.not["json"] = true
	g.longest = max(g.longest, utf8.RuneCountInString(text))
	for _, k := range kinds {
		g.not[k.name] = g.not[k.name] || !k.is(g, text)
	}
	if g.values != nil {
		h := maphash.String(hashSeed, text)
		if _, twice := g.values[h]; twice || g.longest > 200 {
			g.values = nil
			return
		}
		g.values[h] = struct{}{}
	}
}

// typ is the type that holds all values.
func (g *guess) typ() string {
	kind := "text"
	if g.seen > 0 && !g.not["json"] {
		kind = "json"
	}
	for _, k := range kinds {
		if g.seen > 0 && !g.not[k.name] && !(k.name == "decimal" && g.fraction == 0 && g.whole > 38) {
			kind = k.name
			break
		}
	}
	switch kind {
	case "int":
		if g.least < -1<<31 || g.greatest >= 1<<31 {
			return "BIGINT"
		}
		return "INT"
	case "decimal":
		return fmt.Sprintf("DECIMAL(%d,%d)", max(10, min(65, g.whole+g.fraction+2)), g.fraction)
	case "datetime":
		if g.seconds > 0 {
			return fmt.Sprintf("DATETIME(%d)", max(g.seconds, 6))
		}
		return "DATETIME"
	case "text":
		for _, n := range []int{20, 50, 100, 255} {
			if g.longest <= n {
				return fmt.Sprintf("VARCHAR(%d)", n)
			}
		}
		return "TEXT"
	}
	return strings.ToUpper(kind)
}

// guessTable makes the definition of a table from the records of a file, all of them or the first ones. The key is the given column, or else the
// first one, or the one called id, if all of its values are present and different; or there is none.
func guessTable(in records, table string, key []string, sample int) (create string, read int, err error) {
	var columns []*guess
	byName := map[string]*guess{}
	column := func(name string) *guess {
		g := byName[strings.ToLower(name)]
		if g == nil {
			g = &guess{name: name, not: map[string]bool{}}
			if read == 0 && (len(columns) == 0 || strings.EqualFold(name, "id")) {
				g.values = map[uint64]struct{}{}
			}
			byName[strings.ToLower(name)] = g
			columns = append(columns, g)
		}
		return g
	}
	for _, name := range in.names() {
		switch {
		case isPassedOver(name):
			columns = append(columns, &guess{name: name, not: map[string]bool{}})
		case byName[strings.ToLower(name)] != nil:
			return "", 0, errTwice(name)
		default:
			column(name)
		}
	}
	for {
		rec, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", read, err
		}
		if rec.err != nil {
			continue
		}
		if sample > 0 && read == sample {
			break
		}
		before := make(map[*guess]bool, len(columns))
		for i, f := range rec.fields {
			if in.names() != nil {
				columns[i].see(f.value)
				continue
			}
			g := column(f.name)
			g.see(f.value)
			before[g] = true
		}
		for _, g := range columns {
			if in.names() == nil && !before[g] {
				g.see(nil)
			}
		}
		read++
	}
	columns = slices.DeleteFunc(columns, func(g *guess) bool { return isPassedOver(g.name) })
	if len(columns) == 0 {
		return "", read, fmt.Errorf("no column can be guessed: no record is whole")
	}
	if len(key) == 0 {
		for _, g := range columns {
			if g.values != nil && g.seen > 0 && (len(key) == 0 || strings.EqualFold(g.name, "id")) {
				key = []string{g.name}
			}
		}
	}
	var lines []string
	for _, g := range columns {
		lines = append(lines, "  "+ask.Quoted(g.name)+" "+g.typ())
	}
	if len(key) > 0 {
		lines = append(lines, "  PRIMARY KEY ("+quotedList(key)+")")
	}
	return "CREATE TABLE " + ask.Quoted(table) + " (\n" + strings.Join(lines, ",\n") + "\n)", read, nil
}
