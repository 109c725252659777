package value

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// Reason says why a value could not become one of another type.
type Reason uint8

// The reasons of a ConvertError.
const (
	Incorrect  Reason = iota // the text does not read as the type
	OutOfRange               // beyond the least or greatest value of the type
	TooLong                  // more characters or octets than the column declares
	NotExact                 // it would have to be rounded or cut
	Truncated                // only the beginning of the text reads as the type, or the text is not a member of it
)

// ConvertError says that a value cannot become one of Type without loss. It knows no columns: the code that stores the value adds the column's
// name.
type ConvertError struct {
	Reason Reason
	Type   Type
	Text   string // the value as text, shortened
	JSON   bool   // the value was a JSON one
	Cause  error  // for a text that is not JSON: a *JSONError
}

func (e *ConvertError) Error() string {
	switch e.Reason {
	case OutOfRange:
		return "Out of range value '" + e.Text + "'"
	case TooLong:
		return "Data too long"
	case Truncated:
		return "Data truncated"
	case NotExact:
		return "Data truncated: '" + e.Text + "' does not fit " + e.Type.String() + " exactly"
	}
	if e.Cause != nil {
		return "Invalid JSON text: " + e.Cause.Error() + " in value"
	}
	return "Incorrect " + e.Type.family() + " value: '" + e.Text + "'"
}

func (e *ConvertError) Unwrap() error { return e.Cause }

// family is the word that MySQL's messages use for the type.
func (t Type) family() string {
	switch t.Base {
	case TypeBool, TypeTinyInt, TypeSmallInt, TypeMediumInt, TypeInt, TypeBigInt, TypeYear:
		return "integer"
	case TypeFloat, TypeDouble:
		return "double"
	case TypeDecimal:
		return "decimal"
	case TypeChar, TypeText, TypeEnum, TypeSet:
		return "string"
	case TypeBinary, TypeBlob:
		return "binary"
	}
	return strings.ToLower(t.Base.String())
}

// shown is how much of a value an error shows, in octets.
const shown = 64

func convertError(r Reason, t Type, v Value) error {
	e := &ConvertError{Reason: r, Type: t, JSON: v.kind == JSON, Text: shownText(Text(v))}
	if t.Base == TypeJSON && (v.kind == String || v.kind == Bytes) {
		_, e.Cause = ParseJSON(v.s)
	}
	return e
}

// shownText is how an error shows a text: its beginning or, if it is not UTF-8, what MySQL shows: six octets from the first wrong one on.
func shownText(s string) string {
	wrong := wrongOctet(s)
	if wrong < 0 {
		return shorten(clip(s))
	}
	const octets = 6
	var out strings.Builder
	for _, c := range []byte(s[wrong:min(wrong+octets, len(s))]) {
		if c < ' ' || c > '~' {
			fmt.Fprintf(&out, `\x%02X`, c)
		} else {
			out.WriteByte(c)
		}
	}
	if wrong+octets < len(s) {
		out.WriteString("...")
	}
	return out.String()
}

// wrongOctet is the place of the first octet that is not UTF-8; -1: there is none.
func wrongOctet(s string) int {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return -1
}

// clip keeps an error about a long text from copying all of it.
func clip(s string) string {
	if len(s) > 2*shown {
		return s[:2*shown]
	}
	return s
}

func shorten(s string) string { return sqlerr.CutAt(s, shown) }

// RangeError says that the result of an operation is beyond its type.
type RangeError struct {
	Type string // "BIGINT", "BIGINT UNSIGNED", "DOUBLE", "DECIMAL"
	Expr string // the operation with its operands: "9223372036854775807 + 1"
}

func (e *RangeError) Error() string {
	return e.Type + " value is out of range in '" + e.Expr + "'"
}

func rangeError(typ string, a Value, op string, b Value) error {
	return &RangeError{Type: typ, Expr: shorten(Text(numbered(a))) + " " + op + " " + shorten(Text(numbered(b)))}
}

// numbered is an operand as an error names it: a BIT, whose text is octets, by its number.
func numbered(v Value) Value {
	if v.IsBits() {
		return Plain(v)
	}
	return v
}

// ParseError says that a text does not read as a decimal, a time, a UUID or the like.
type ParseError struct {
	What string // "DECIMAL", "DATETIME", "DATE", "TIME", "UUID"
	Text string // shortened
	Fine bool   // the text reads well, but is finer than the type can hold
}

func (e *ParseError) Error() string {
	if e.Fine {
		return e.What + " cannot hold all digits of '" + e.Text + "'"
	}
	return "Incorrect " + strings.ToLower(e.What) + " value: '" + e.Text + "'"
}

func parseError(what, s string) error {
	return &ParseError{What: what, Text: shorten(strings.ToValidUTF8(clip(s), "\uFFFD"))}
}

func fineError(what, s string) error {
	return &ParseError{What: what, Text: shorten(clip(s)), Fine: true}
}

// CompareError says that there is no order between values of the two kinds.
type CompareError struct{ A, B Kind }

func (e *CompareError) Error() string {
	return "cannot compare " + e.A.String() + " with " + e.B.String()
}
