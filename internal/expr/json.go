package expr

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// A JSON document is worked on as encoding/json yields it: nil, bool, json.Number, string, []any and
// map[string]any. Numbers keep their text.

func parseJSON(s string) (any, error) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text behind the document")
	}
	return doc, nil
}

// documentOf reads argument i (0-based) of a function as a document.
func documentOf(function string, args []value.Value, i int) (any, error) {
	doc, err := parseJSON(value.Text(args[i]))
	if err != nil {
		return nil, &ArgumentError{function, fmt.Sprintf("Invalid JSON text in argument %d: %v", i+1, err)}
	}
	return doc, nil
}

// jsonOf makes an element of a SQL value: text becomes a string, a document stays one.
func jsonOf(v value.Value) (any, error) {
	switch v.Kind() {
	case value.Null:
		return nil, nil
	case value.Bool:
		return v.Bool(), nil
	case value.JSON:
		return parseJSON(v.Text())
	case value.Int, value.Uint, value.Decimal:
		return json.Number(value.Text(v)), nil
	case value.Float:
		b, err := json.Marshal(v.Float()) // refuses infinities
		return json.Number(b), err
	case value.Bytes:
		return nil, &ArgumentError{"JSON", "a BLOB is no JSON text"}
	case value.Time, value.Duration:
		// MySQL writes six digits of a second, always.
		s := value.Text(v)
		whole, frac, _ := strings.Cut(s, ".")
		return whole + "." + (frac + "000000")[:max(6, len(frac))], nil
	}
	return value.Text(v), nil
}

// documentValue is the document as a value.
func documentValue(doc any) value.Value {
	return value.FromJSON(string(appendJSON(nil, doc)))
}

// appendJSON writes a document as MySQL prints it: blanks behind commas and colons, keys by length, then by
// octets.
func appendJSON(dst []byte, doc any) []byte {
	switch d := doc.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, d)
	case json.Number:
		return append(dst, d...)
	case string:
		return appendJSONString(dst, d)
	case []any:
		dst = append(dst, '[')
		for i, e := range d {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendJSON(dst, e)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, k := range sortedKeys(d) {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendJSONString(dst, k), ": "...)
			dst = appendJSON(dst, d[k])
		}
		return append(dst, '}')
	}
	return dst
}

func sortedKeys(object map[string]any) []string {
	return slices.SortedFunc(maps.Keys(object), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

func appendJSONString(dst []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c < 0x20:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// numberOf is a JSON number as a SQL value.
func numberOf(n json.Number) value.Value {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return value.FromInt(i)
	}
	if u, err := strconv.ParseUint(string(n), 10, 64); err == nil {
		return value.FromUint(u)
	}
	f, _ := n.Float64() // the grammar holds; too large is infinite
	return value.FromFloat(f)
}

// jsonRank orders documents of different types as MySQL does.
func jsonRank(doc any) int {
	switch doc.(type) {
	case nil:
		return 0
	case json.Number:
		return 1
	case string:
		return 2
	case map[string]any:
		return 3
	case []any:
		return 4
	}
	return 5 // bool
}

// compareJSON compares a document with a document or with another SQL value by MySQL's rules: a JSON string with text
// as texts, a number with a number, true and false as 1 and 0 with SQL's; of different types by a fixed order, so
// that the number 1 does not equal the text '1'.
func compareJSON(a, b value.Value, c value.Collation) (int, error) {
	if a.Kind() != value.JSON {
		r, err := compareJSON(b, a, c)
		return -r, err
	}
	x, err := parseJSON(a.Text())
	if err != nil {
		return 0, &ArgumentError{"comparison", "Invalid JSON text: " + err.Error()}
	}
	if b.Kind() != value.JSON {
		return compareDocumentValue(x, b, c)
	}
	y, err := parseJSON(b.Text())
	if err != nil {
		return 0, &ArgumentError{"comparison", "Invalid JSON text: " + err.Error()}
	}
	return compareDocuments(x, y), nil
}

func compareDocumentValue(doc any, v value.Value, c value.Collation) (int, error) {
	rank := 2 // text
	switch v.Kind() {
	case value.Bool, value.Int, value.Uint, value.Decimal, value.Float:
		rank = 1
	}
	switch d := doc.(type) {
	case json.Number:
		if rank == 1 {
			return value.Compare(numberOf(d), v, c)
		}
	case string:
		if rank == 2 {
			return value.Compare(value.FromString(d), v, c)
		}
	case bool:
		if rank == 1 {
			return value.Compare(value.FromBool(d), v, c)
		}
	}
	return cmp.Compare(jsonRank(doc), rank), nil
}

// compareDocuments is a total order; objects, which MySQL does not order, go by their text.
func compareDocuments(x, y any) int {
	if r := cmp.Compare(jsonRank(x), jsonRank(y)); r != 0 {
		return r
	}
	switch x := x.(type) {
	case json.Number:
		return value.Order(numberOf(x), numberOf(y.(json.Number)), value.Binary)
	case string:
		return strings.Compare(x, y.(string))
	case bool:
		return value.Order(value.FromBool(x), value.FromBool(y.(bool)), value.Binary)
	case []any:
		return slices.CompareFunc(x, y.([]any), compareDocuments)
	case map[string]any:
		z := y.(map[string]any)
		if len(x) == len(z) {
			same := true
			for k, v := range x {
				w, ok := z[k]
				same = same && ok && compareDocuments(v, w) == 0
			}
			if same {
				return 0
			}
		}
		return strings.Compare(string(appendJSON(nil, x)), string(appendJSON(nil, z)))
	}
	return 0
}
