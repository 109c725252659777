package value

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxJSONDepth is how deep arrays and objects may be nested, as in MySQL.
	MaxJSONDepth = 100
	// maxJSONValues is the most values of one document that is read: some hundred times what a row can store.
	maxJSONValues = 1 << 20
)

// JSONError says why a text is not a JSON document.
type JSONError struct {
	Reason   string
	Position int  // the octet where it was noticed
	Deep     bool // arrays and objects are nested deeper than MaxJSONDepth
}

func (e *JSONError) Error() string {
	if e.Deep {
		return "The JSON document exceeds the maximum depth."
	}
	return "\"" + e.Reason + "\" at position " + strconv.Itoa(e.Position)
}

// ParseJSON reads the text of a document (RFC 8259). Numbers are integers of 64 bits, or else doubles; of several members with one key the last
// counts.
func ParseJSON(text string) (Document, error) {
	p := jsonParser{s: text}
	if !utf8.ValidString(text) {
		return Document{}, p.fail("Invalid encoding in string.", 0)
	}
	return p.document()
}

type jsonParser struct {
	s      string
	pos    int
	depth  int
	values int
	kept   bool // the text is one that Print has made: a number that is no double's text is a decimal's
}

func (p *jsonParser) fail(reason string, pos int) error {
	return &JSONError{Reason: reason, Position: pos}
}

// next skips blanks and gives the octet after them, 0 at the end.
func (p *jsonParser) next() byte {
	for ; p.pos < len(p.s); p.pos++ {
		switch c := p.s[p.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (p *jsonParser) document() (Document, error) {
	if p.next() == 0 && p.pos == len(p.s) {
		return Document{}, p.fail("The document is empty.", 0)
	}
	d, err := p.value()
	if err != nil {
		return Document{}, err
	}
	if p.next(); p.pos < len(p.s) {
		return Document{}, p.fail("The document root must not be followed by other values.", p.pos)
	}
	return d, nil
}

func (p *jsonParser) value() (Document, error) {
	if p.values++; p.values > maxJSONValues {
		return Document{}, p.fail("More than "+strconv.Itoa(maxJSONValues)+" values.", p.pos)
	}
	switch c := p.next(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		s, err := p.text()
		return Document{Scalar: FromString(s)}, err
	case c == '-' || '0' <= c && c <= '9':
		v, err := p.number()
		return Document{Scalar: v}, err
	case p.word("true"):
		return Document{Scalar: FromBool(true)}, nil
	case p.word("false"):
		return Document{Scalar: FromBool(false)}, nil
	case p.word("null"):
		return Document{}, nil
	}
	return Document{}, p.fail("Invalid value.", p.pos)
}

func (p *jsonParser) word(w string) bool {
	if !strings.HasPrefix(p.s[p.pos:], w) {
		return false
	}
	p.pos += len(w)
	return true
}

// array reads an array, from its bracket on.
func (p *jsonParser) array() (Document, error) {
	array := &JSONArray{}
	err := p.list(']', "] after an array element.", func() error {
		d, err := p.value()
		array.Items = append(array.Items, d)
		return err
	})
	return Document{Array: array}, err
}

// object reads an object, from its brace on.
func (p *jsonParser) object() (Document, error) {
	object := &JSONObject{}
	err := p.list('}', "} after an object member.", func() error {
		if p.next() != '"' {
			return p.fail("Missing a name for object member.", p.pos)
		}
		key, err := p.text()
		if err != nil {
			return err
		}
		if p.next() != ':' {
			return p.fail("Missing a colon after a name of object member.", p.pos)
		}
		p.pos++
		d, err := p.value()
		object.Add(key, d)
		return err
	})
	object.Arrange()
	return Document{Object: object}, err
}

// list reads the elements between brackets, from the opening one on; item reads one element.
func (p *jsonParser) list(end byte, missing string, item func() error) error {
	if p.depth++; p.depth > MaxJSONDepth {
		return &JSONError{Deep: true, Position: p.pos}
	}
	if p.pos++; p.next() != end {
		for {
			if err := item(); err != nil {
				return err
			}
			c := p.next()
			if c == end {
				break
			}
			if c != ',' {
				return p.fail("Missing a comma or "+missing, p.pos)
			}
			p.pos++
		}
	}
	p.pos++
	p.depth--
	return nil
}

func (p *jsonParser) number() (Value, error) {
	start := p.pos
	if p.s[p.pos] == '-' {
		p.pos++
	}
	switch digits := countDigits(p.s[p.pos:]); {
	case digits == 0:
		return Value{}, p.fail("Invalid value.", p.pos)
	case p.s[p.pos] == '0':
		p.pos++ // what follows a leading zero is not its number
	default:
		p.pos += digits
	}
	whole := true
	if p.pos < len(p.s) && p.s[p.pos] == '.' {
		p.pos++
		digits := countDigits(p.s[p.pos:])
		if p.pos += digits; digits == 0 {
			return Value{}, p.fail("Miss fraction part in number.", p.pos)
		}
		whole = false
	}
	if p.pos < len(p.s) && p.s[p.pos]|0x20 == 'e' {
		_, size := scanExponent(p.s[p.pos:])
		if size == 0 {
			return Value{}, p.fail("Miss exponent in number.", p.pos+1)
		}
		p.pos += size
		whole = false
	}
	text := p.s[start:p.pos]
	if whole {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return FromInt(i), nil
		}
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return FromUint(u), nil
		}
	}
	f, _ := strconv.ParseFloat(text, 64)
	if p.kept && isPlainDecimal(text) {
		var own [40]byte
		if string(appendJSONFloat(own[:0], f)) != text {
			return FromDecimalText(text), nil
		}
	}
	if math.IsInf(f, 0) {
		return Value{}, p.fail("Number too big to be stored in double.", start)
	}
	return FromFloat(f), nil
}

// text reads a string, from its first quote on.
func (p *jsonParser) text() (string, error) {
	start := p.pos
	p.pos++
	from := p.pos
	var b []byte // nil as long as the text is what stands there
	for p.pos < len(p.s) {
		switch c := p.s[p.pos]; {
		case c == '"':
			rest := p.s[from:p.pos]
			p.pos++
			if b == nil {
				return rest, nil
			}
			return string(append(b, rest...)), nil
		case c == '\\':
			b = append(b, p.s[from:p.pos]...)
			if b == nil {
				b = []byte{}
			}
			var err error
			if b, err = p.escape(b); err != nil {
				return "", err
			}
			from = p.pos
		case c < 0x20:
			return "", p.fail("Invalid encoding in string.", p.pos)
		default:
			p.pos++
		}
	}
	return "", p.fail("Missing a closing quotation mark in string.", start)
}

func (p *jsonParser) escape(dst []byte) ([]byte, error) {
	at := p.pos
	p.pos += 2
	if p.pos > len(p.s) {
		return nil, p.fail("Missing a closing quotation mark in string.", at)
	}
	switch c := p.s[at+1]; c {
	case '"', '\\', '/':
		return append(dst, c), nil
	case 'b':
		return append(dst, '\b'), nil
	case 'f':
		return append(dst, '\f'), nil
	case 'n':
		return append(dst, '\n'), nil
	case 'r':
		return append(dst, '\r'), nil
	case 't':
		return append(dst, '\t'), nil
	case 'u':
		r, ok := p.unit()
		if !ok {
			return nil, p.fail("Incorrect hex digit after \\u escape in string.", at)
		}
		if utf16.IsSurrogate(r) {
			low, ok := rune(0), false
			if p.word(`\u`) {
				low, ok = p.unit()
			}
			if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
				return nil, p.fail("The surrogate pair in string is invalid.", at)
			}
		}
		return utf8.AppendRune(dst, r), nil
	}
	return nil, p.fail("Invalid escape character in string.", at)
}

// unit reads the four digits of \uXXXX.
func (p *jsonParser) unit() (rune, bool) {
	if p.pos+4 > len(p.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[p.pos:p.pos+4], 16, 16)
	p.pos += 4
	return rune(n), err == nil
}
