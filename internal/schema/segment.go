package schema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Segment is a part of a key: a fixed text, or a column in a form.
type Segment struct {
	Text   string // fixed; "" for a column
	Column int    // ordinal
	Form   SegmentForm
	Digits int // of FormDecimal and FormInverted: padded with zeros to so many; 0: not padded

	// Of a column, computed by Table.Init:
	Code keymap.Part // FormCode: how values are encoded. The other forms have their type and direction here
	end  string      // what ends the column's text, which must not contain it; "" if its width or its code tells the end
	last bool        // no other segment follows
}

// SegmentForm is how a value is written in a key.
type SegmentForm uint8

const (
	FormPlain    SegmentForm = iota // texts as they are, UUIDs in 36 characters of lower case
	FormDecimal                     // D: an integer from 0, or a time as 100 ns ticks since year 1
	FormInverted                    // R: the greatest number minus it, which sorts the latest first
	FormHex                         // N: a UUID in 32 hex digits
	FormCode                        // the code of package keymap; only in tables of ours, which have no other form
)

// ErrNotOfForm and errHoldsEnd say why a value cannot be written into a key.
var (
	ErrNotOfForm = errors.New("the value cannot be written in the form that the key has")
	errHoldsEnd  = errors.New("the text contains the separator that ends it in the key")
)

// maxTicks is the last tick of the year 9999, DateTime.MaxValue of .NET.
const maxTicks = 3155378975999999999

// Width is the number of octets in the segment; 0 if they vary or a code tells it.
func (s *Segment) Width() int { return s.width(s.Code.Type) }

func (s *Segment) width(t value.Type) int {
	switch s.Form {
	case FormDecimal, FormInverted:
		return s.Digits
	case FormHex:
		return 32
	case FormPlain:
		if t.Base == value.TypeUUID {
			return 36
		}
	}
	return 0
}

// Append writes v, which is of the column's type.
func (s *Segment) Append(dst []byte, v value.Value) ([]byte, error) {
	if s.Form == FormCode {
		dst, _, err := keymap.AppendValue(dst, v, s.Code)
		return dst, err
	}
	dst, ok := s.appendRaw(dst, v)
	if !ok {
		return dst, ErrNotOfForm
	}
	return dst, nil
}

// GivesBack says whether a key with the text in the segment's place is read back as that text: it does not contain what ends it.
func (s *Segment) GivesBack(text string) bool {
	return s.end == "" || strings.Index(text+s.end, s.end) == len(text)
}

// Last says whether the key ends with the segment.
func (s *Segment) Last() bool { return s.last }

// Sorted says whether keys come in the order of the column's values, descending if Code.Desc says so, among those with the
// same segments before it.
func (s *Segment) Sorted() bool {
	if s.Form == FormCode {
		return s.Code.Prefix == 0
	}
	return s.Width() > 0 || s.Form == FormPlain && s.last
}

// Behind is the end of the keys with the text of one value in the segment's place.
func (s *Segment) Behind(text string) string {
	if s.Form == FormCode {
		return text + Behind
	}
	return keymap.PointSpan(text).To
}

// Around gives the span of the keys with the text of a value, and of all values that the key order cannot tell from it.
// tied says that there may be others: the text is cut, or is that of a prefix, or its order is not the column's.
func (s *Segment) Around(text string) (span keymap.Span, tied bool) {
	switch {
	case s.Form != FormCode && s.Form != FormPlain && s.Width() == 0:
		return keymap.Span{}, true // 10 comes before 9
	case s.Form != FormCode && IsOdd(text):
		even := text[:EvenLen(text)]
		to, _ := Successor(even)
		return keymap.Span{From: even, To: to}, true
	case s.Form == FormCode:
		if stem := keymap.Stem(text); len(stem) < len(text) {
			return keymap.PrefixSpan(stem), true
		}
	}
	return keymap.Span{From: text, To: s.Behind(text)}, s.Code.Prefix > 0
}

// Begun gives the span of the keys whose text in the segment's place begins with prefix; exact says that it holds no others.
func (s *Segment) Begun(prefix string) (span keymap.Span, exact bool) {
	if s.Form == FormCode {
		code, exact := keymap.AppendTextPrefix(nil, prefix, s.Code)
		return keymap.PrefixSpan(string(code)), exact
	}
	to, exact := Successor(prefix)
	return keymap.Span{From: prefix, To: to}, exact
}

// number is the number that represents v in FormDecimal and FormInverted.
func (s *Segment) number(v value.Value) (n uint64, ok bool) {
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
	if s.Form == FormInverted {
		return most - n, n <= most
	}
	return n, true
}

// appendRaw writes v; not ok if the form cannot hold it.
func (s *Segment) appendRaw(dst []byte, v value.Value) ([]byte, bool) {
	switch s.Form {
	case FormDecimal, FormInverted:
		n, ok := s.number(v)
		if !ok {
			return dst, false
		}
		var buf [20]byte
		digits := strconv.AppendUint(buf[:0], n, 10)
		if s.Digits > 0 && len(digits) > s.Digits {
			return dst, false
		}
		for range s.Digits - len(digits) {
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

// parse reads back what appendRaw wrote; anything else is not ok.
func (s *Segment) parse(text string) (value.Value, bool) {
	t := &s.Code.Type
	switch s.Form {
	case FormDecimal, FormInverted:
		return s.parseNumber(text, t)
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

func (s *Segment) parseNumber(text string, t *value.Type) (value.Value, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || text[0] == '+' || s.Digits > 0 && len(text) != s.Digits || s.Digits == 0 && len(text) > 1 && text[0] == '0' {
		return value.Value{}, false
	}
	most := uint64(math.MaxInt64)
	if t.Base == value.TypeDateTime {
		most = maxTicks
	}
	if s.Form == FormInverted {
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

// ParseTemplate reads how a key is made of columns, such as "{tenant}" or "{ticks:D20}_{id}": {name} is a column,
// with :D and a number of digits for zero-padded decimals, :R for the greatest number minus it (times: ticks, 19
// digits by default), :N for a UUID without dashes; {{ and }} are braces. find gives a column's
// ordinal by its name, -1 if there is none.
func ParseTemplate(template string, columns []*Column, find func(name string) int) ([]Segment, error) {
	var segments []Segment
	text := ""
	flush := func() {
		if text != "" {
			segments = append(segments, Segment{Text: text, Column: -1})
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
			p, err := parseSegment(inside, columns, find)
			if err != nil {
				return nil, err
			}
			if n := len(segments); n > 0 && segments[n-1].Text == "" && segments[n-1].width(columns[segments[n-1].Column].Type) == 0 {
				return nil, errors.New("{" + inside + "} follows a column without a fixed length: write a text between them, which ends the first")
			}
			segments = append(segments, p)
			rest = after
		}
	}
	flush()
	if strings.ContainsAny(template, `/\#?`) {
		return nil, errors.New(`no key may hold / \ # or ?`)
	}
	return segments, nil
}

func parseSegment(inside string, columns []*Column, find func(name string) int) (Segment, error) {
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
