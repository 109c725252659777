package schema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Segment is a piece of a foreign key: a fixed text, or a column in a form.
type Segment struct {
	Text   string // fixed; "" for a column
	Column int    // ordinal
	Form   SegmentForm
	Digits int // of FormDecimal and FormInverted: zeros stand before; 0: none do
}

// PieceForm is how a value is written in a key.
type SegmentForm uint8

const (
	FormPlain    SegmentForm = iota // texts as they are, UUIDs in 36 characters of lower case
	FormDecimal                     // D: an integer from 0, or a time as 100 ns ticks since year 1
	FormInverted                    // R: the greatest number less that, which sorts the latest first
	FormHex                         // N: a UUID in 32 hex digits
)

// ErrNotOfForm and errHoldsEnd say why a value cannot be written into a key.
var (
	ErrNotOfForm = errors.New("the value cannot be written in the form that the key has")
	errHoldsEnd  = errors.New("the text contains the separator that ends it in the key")
)

// maxTicks is the last tick of the year 9999, DateTime.MaxValue of .NET.
const maxTicks = 3155378975999999999

// Width is how many octets the piece has, 0 where they differ.
func (p *Segment) Width(t value.Type) int {
	switch p.Form {
	case FormDecimal, FormInverted:
		return p.Digits
	case FormHex:
		return 32
	}
	if t.Base == value.TypeUUID {
		return 36
	}
	return 0
}

// number is what stands for v in FormDecimal and FormInverted.
func (p *Segment) number(v value.Value) (n uint64, ok bool) {
	most := uint64(math.MaxInt64)
	switch v.Kind() {
	case value.Int:
		if v.Int() < 0 {
			return 0, false
		}
		n = v.Uint()
	case value.Uint:
		n = v.Uint()
	case value.Time:
		n, most = uint64(v.Ticks()), maxTicks
	default:
		return 0, false
	}
	if p.Form == FormInverted {
		return most - n, n <= most
	}
	return n, true
}

// Append writes v; not ok when the form cannot hold it.
func (p *Segment) Append(dst []byte, v value.Value) ([]byte, bool) {
	switch p.Form {
	case FormDecimal, FormInverted:
		n, ok := p.number(v)
		if !ok {
			return dst, false
		}
		var buf [20]byte
		digits := strconv.AppendUint(buf[:0], n, 10)
		if p.Digits > 0 && len(digits) > p.Digits {
			return dst, false
		}
		for range p.Digits - len(digits) {
			dst = append(dst, '0')
		}
		return append(dst, digits...), true
	case FormHex:
		if v.Kind() != value.UUID {
			return dst, false
		}
		return append(dst, strings.ReplaceAll(v.Text(), "-", "")...), true
	}
	return append(dst, v.Text()...), v.Kind() == value.String || v.Kind() == value.UUID
}

// parse reads back what append wrote; nothing else is ok.
func (p *Segment) parse(text string, t value.Type) (value.Value, bool) {
	switch p.Form {
	case FormDecimal, FormInverted:
		return p.parseNumber(text, t)
	case FormHex:
		v, err := value.ParseUUID(text)
		return v, err == nil && len(text) == 32 && strings.ToLower(text) == text
	}
	if t.Base == value.TypeUUID {
		v, err := value.ParseUUID(text)
		return v, err == nil && v.Text() == text
	}
	return value.FromString(text), true
}

func (p *Segment) parseNumber(text string, t value.Type) (value.Value, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || text[0] == '+' || p.Digits > 0 && len(text) != p.Digits || p.Digits == 0 && len(text) > 1 && text[0] == '0' {
		return value.Value{}, false
	}
	most := uint64(math.MaxInt64)
	if t.Base == value.TypeDateTime {
		most = maxTicks
	}
	if p.Form == FormInverted {
		if n > most {
			return value.Value{}, false
		}
		n = most - n
	}
	switch {
	case t.Base == value.TypeDateTime:
		return value.FromTicks(int64(n)).WithDigits(t.Precision), n <= maxTicks
	case t.Unsigned:
		return value.FromUint(n), true
	}
	return value.FromInt(int64(n)), n <= math.MaxInt64
}

// Ordered says whether the texts of the piece sort as the values do (downwards where they are inverted).
// final: no other piece follows.
func (p *Segment) Ordered(t value.Type, final bool) bool {
	return p.Width(t) > 0 || p.Form == FormPlain && final
}

// CutAt says where the text of a piece ends: where end begins in s; -1 where it does not.
func CutAt(s, end string) int { return strings.Index(s, end) }

// ParseTemplate reads how a key is made of columns, such as "{tenant}" or "{ticks:D20}_{id}": {name} is a column,
// with :D and a number of digits for decimals with zeros before them, :R for the greatest number less that (times:
// ticks, 19 digits where none are given), :N for a UUID without dashes; {{ and }} are braces. find gives a column's
// ordinal by its name, -1 for none.
func ParseTemplate(template string, columns []*Column, find func(name string) int) ([]Segment, error) {
	var pieces []Segment
	text := ""
	flush := func() {
		if text != "" {
			pieces = append(pieces, Segment{Text: text, Column: -1})
			text = ""
		}
	}
	for rest := template; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			text += rest[:1]
			rest = rest[2:]
		case rest[0] == '}':
			return nil, errors.New("} without {")
		case rest[0] != '{':
			n := strings.IndexAny(rest, "{}")
			if n < 0 {
				n = len(rest)
			}
			text += rest[:n]
			rest = rest[n:]
		default:
			inside, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return nil, errors.New("{ without }")
			}
			flush()
			p, err := parsePiece(inside, columns, find)
			if err != nil {
				return nil, err
			}
			if n := len(pieces); n > 0 && pieces[n-1].Text == "" && pieces[n-1].Width(columns[pieces[n-1].Column].Type) == 0 {
				return nil, errors.New("{" + inside + "} follows a column without a fixed length: write a text between them, which ends the first")
			}
			pieces = append(pieces, p)
			rest = after
		}
	}
	flush()
	if strings.ContainsAny(template, `/\#?`) {
		return nil, errors.New(`no key may hold / \ # or ?`)
	}
	return pieces, nil
}

func parsePiece(inside string, columns []*Column, find func(name string) int) (Segment, error) {
	name, form, _ := strings.Cut(inside, ":")
	p := Segment{Column: find(name)}
	if p.Column < 0 {
		return p, fmt.Errorf("{%s} names no column", inside)
	}
	t := columns[p.Column].Type
	wrong := errors.New("{" + inside + "} does not fit a column of type " + t.String())
	switch {
	case form == "":
	case form[0] == 'D' || form[0] == 'R':
		p.Form = FormDecimal
		if form[0] == 'R' {
			p.Form = FormInverted
		}
		digits, err := strconv.Atoi("0" + form[1:])
		if err != nil || digits > 20 {
			return p, errors.New("{" + inside + "}: a form has 1 to 20 digits")
		}
		p.Digits = digits
	case form == "N":
		p.Form = FormHex
	default:
		return p, errors.New("{" + inside + "}: the forms are D and R, with a number of digits, and N")
	}
	switch t.Base {
	case value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt, value.TypeBigInt:
		if p.Form == FormPlain {
			p.Form = FormDecimal
		}
		if p.Form == FormHex {
			return p, wrong
		}
	case value.TypeDateTime:
		if p.Form != FormDecimal && p.Form != FormInverted {
			return p, wrong
		}
		if p.Digits == 0 {
			p.Digits = 19
		}
	case value.TypeUUID:
		if p.Form != FormPlain && p.Form != FormHex {
			return p, wrong
		}
	case value.TypeChar, value.TypeText:
		if p.Form != FormPlain || t.Collation != value.Binary {
			return p, wrong
		}
	default:
		return p, wrong
	}
	return p, nil
}
