package azure

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

var errType = errors.New("a value that is not of its stated type")

// value decodes a value of type t or, if t is Absent, of the type that its form implies: a number without point and exponent is Int32, another
// one Double. Int64 is always announced, so a number too large for Int32 is a Double whose writer left out the point. null is Absent.
func (d *decoder) value(s *scanner, t engine.Edm) (engine.Value, error) {
	switch c := s.peek(); c {
	case '"':
		raw, plain, err := s.text()
		if err != nil {
			return engine.Value{}, err
		}
		if t == engine.String || t == engine.Absent {
			return d.stringValue(raw, plain)
		}
		if !plain {
			if raw, err = appendText(nil, raw); err != nil {
				return engine.Value{}, err
			}
		}
		return d.typedText(raw, t)
	case 't', 'f':
		word, n := "true", uint64(1)
		if c == 'f' {
			word, n = "false", 0
		}
		if err := s.literal(word); err != nil {
			return engine.Value{}, err
		}
		if t != engine.Boolean && t != engine.Absent {
			return engine.Value{}, errType
		}
		return engine.Value{Type: engine.Boolean, N: n}, nil
	case 'n':
		return engine.Value{}, s.literal("null")
	case '{', '[':
		return engine.Value{}, errType
	}
	raw, whole, err := s.number()
	if err != nil {
		return engine.Value{}, err
	}
	if t == engine.Absent {
		if whole {
			if n, err := strconv.ParseInt(string(raw), 10, 32); err == nil {
				return engine.Value{Type: engine.Int32, N: uint64(n)}, nil
			}
		}
		t = engine.Double
	}
	if t != engine.Int32 && t != engine.Int64 && t != engine.Double {
		return engine.Value{}, errType
	}
	return d.typedText(raw, t)
}

func (d *decoder) stringValue(raw []byte, plain bool) (v engine.Value, err error) {
	v.Type = engine.String
	if plain {
		v.S = d.texts.text(raw)
		return v, nil
	}
	v.S, err = d.texts.unescaped(raw)
	return v, err
}

// typedText decodes the text of a value of a type that is not String.
func (d *decoder) typedText(raw []byte, t engine.Edm) (engine.Value, error) {
	v := engine.Value{Type: t}
	ok := true
	switch t {
	case engine.Int32, engine.Int64:
		bits := 64
		if t == engine.Int32 {
			bits = 32
		}
		n, err := strconv.ParseInt(string(raw), 10, bits)
		v.N, ok = uint64(n), err == nil
	case engine.Double:
		var f float64
		f, ok = parseDouble(raw)
		v.N = math.Float64bits(f)
	case engine.Boolean:
		if string(raw) == "true" {
			v.N = 1
		}
		ok = v.N == 1 || string(raw) == "false"
	case engine.DateTime:
		var ticks int64
		ticks, ok = parseDateTime(raw)
		v.N = uint64(ticks)
	case engine.Guid:
		if string(raw) == negativeZero {
			return engine.Value{Type: engine.Double, N: 1 << 63}, nil
		}
		v.S = strings.ToLower(d.texts.text(raw))
		ok = len(raw) == len(negativeZero)
	case engine.Binary:
		var err error
		v.S, err = d.texts.base64(raw)
		ok = err == nil
	}
	if !ok {
		return engine.Value{}, errType
	}
	return v, nil
}
