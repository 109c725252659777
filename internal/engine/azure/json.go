package azure

import (
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// errJSON is a scanner's error for any text that is not JSON. Such a text is an answer that broke off, or does not come from the service at all;
// the exact position would not help.
var errJSON = errors.New("the answer is not the JSON that was expected")

// scanner walks JSON text (RFC 8259). Methods that read a token skip the white space before it.
type scanner struct {
	data []byte
	pos  int
}

// peek gives the next byte that is not white space, or 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// eat consumes c if it comes next.
func (s *scanner) eat(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// Bytes of a string by what they ask for: nothing, a look at the encoding, or an end.
const (
	byteASCII = iota
	byteUTF8
	byteEscape
	byteEnd // quote, and the control characters that no string may hold
)

var stringBytes = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c < 0x20 || c == '"':
			t[c] = byteEnd
		case c == '\\':
			t[c] = byteEscape
		case c >= utf8.RuneSelf:
			t[c] = byteUTF8
		}
	}
	return t
}()

// text reads a string and gives what is between its quotes. If plain is false, that has escapes or invalid UTF-8, and appendText makes the text
// of it.
func (s *scanner) text() (raw []byte, plain bool, err error) {
	if s.peek() != '"' {
		return nil, false, errJSON
	}
	s.pos++
	data, i := s.data, s.pos
	plain = true
	wide := false
	for i < len(data) {
		switch stringBytes[data[i]] {
		case byteASCII:
			i++
		case byteUTF8:
			wide = true
			i++
		case byteEscape:
			plain = false
			i += 2
		default:
			if data[i] != '"' {
				return nil, false, errJSON
			}
			raw = data[s.pos:i]
			s.pos = i + 1
			return raw, plain && (!wide || utf8.Valid(raw)), nil
		}
	}
	return nil, false, errJSON
}

// key reads the name of a member and the colon after it.
func (s *scanner) key() ([]byte, error) {
	raw, plain, err := s.text()
	if err != nil {
		return nil, err
	}
	if !s.eat(':') {
		return nil, errJSON
	}
	if !plain {
		return appendText(nil, raw)
	}
	return raw, nil
}

// more reads what separates the members of an object or an array: a comma, or the end.
func (s *scanner) more(end byte) (bool, error) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case end:
		s.pos++
		return false, nil
	}
	return false, errJSON
}

// number reads a number; whole says that it has neither point nor exponent.
func (s *scanner) number() (raw []byte, whole bool, err error) {
	s.peek()
	start := s.pos
	whole = true
	s.eatByte('-')
	if !s.eatByte('0') && !s.digits() {
		return nil, false, errJSON
	}
	if s.eatByte('.') {
		whole = false
		if !s.digits() {
			return nil, false, errJSON
		}
	}
	if s.eatByte('e') || s.eatByte('E') {
		whole = false
		if !s.eatByte('+') {
			s.eatByte('-')
		}
		if !s.digits() {
			return nil, false, errJSON
		}
	}
	return s.data[start:s.pos], whole, nil
}

func (s *scanner) eatByte(c byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > start
}

// literal reads true, false or null.
func (s *scanner) literal(word string) error {
	s.peek()
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return errJSON
	}
	s.pos += len(word)
	return nil
}

// maxNesting bounds the depth of values that are passed over.
const maxNesting = 100

// skip passes over a value of any kind.
func (s *scanner) skip(depth int) error {
	if depth > maxNesting {
		return errJSON
	}
	switch s.peek() {
	case '"':
		_, _, err := s.text()
		return err
	case '{':
		return s.skipMembers('}', depth)
	case '[':
		return s.skipMembers(']', depth)
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	_, _, err := s.number()
	return err
}

func (s *scanner) skipMembers(end byte, depth int) error {
	s.pos++
	if s.eat(end) {
		return nil
	}
	for {
		if end == '}' {
			if _, err := s.key(); err != nil {
				return err
			}
		}
		if err := s.skip(depth + 1); err != nil {
			return err
		}
		if more, err := s.more(end); !more {
			return err
		}
	}
}

// appendText appends the text that raw, the inside of a string, stands for. Like encoding/json, it writes U+FFFD for invalid UTF-8 or half a
// surrogate pair.
func appendText(dst, raw []byte) ([]byte, error) {
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			if c < utf8.RuneSelf {
				dst = append(dst, c)
				i++
				continue
			}
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		if i+1 == len(raw) {
			return nil, errJSON
		}
		i += 2
		switch c := raw[i-1]; c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, ok := hex4(raw[i:])
			if !ok {
				return nil, errJSON
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := escapedUnit(raw[i:])
				if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
					r = pair
					i += 6
				} else {
					r = utf8.RuneError
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			return nil, errJSON
		}
	}
	return dst, nil
}

func escapedUnit(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	return hex4(raw[2:])
}

func hex4(raw []byte) (rune, bool) {
	if len(raw) < 4 {
		return 0, false
	}
	for _, c := range raw[:4] {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(raw[:4]), 16, 16)
	return rune(n), err == nil
}

const lowerHex = "0123456789abcdef"

// appendJSON appends s as an all-ASCII JSON string: Azurite corrupts other bodies over about 64 KiB.
func appendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '"' || c == '\\':
				dst = append(dst, '\\', c)
			case c < 0x20 || c == 0x7f:
				dst = appendUnit(dst, uint16(c))
			default:
				dst = append(dst, c)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			dst = appendUnit(dst, uint16(high))
			r = low
		}
		dst = appendUnit(dst, uint16(r))
	}
	return append(dst, '"')
}

func appendUnit(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', lowerHex[u>>12], lowerHex[u>>8&15], lowerHex[u>>4&15], lowerHex[u&15])
}
