package value

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
)

// Print gives the text as MySQL prints it: a blank behind commas and colons, or, where pretty is set, each value on a
// line of its own; not ok where it is longer than limit octets.
func (d *Document) Print(limit int, pretty bool) (text string, ok bool) {
	var own [256]byte
	p := jsonPrinter{dst: own[:0], limit: limit, pretty: pretty}
	p.document(d, 0)
	if p.full(0) {
		return "", false
	}
	return string(p.dst), true
}

type jsonPrinter struct {
	dst    []byte
	limit  int
	pretty bool
}

// full says whether n octets more are too many. Then nothing more is written.
func (p *jsonPrinter) full(n int) bool { return len(p.dst)+n > p.limit }

func (p *jsonPrinter) document(d *Document, depth int) {
	switch {
	case d.Array != nil:
		p.list('[', ']', nil, d.Array.Items, depth+1)
	case d.Object != nil:
		p.list('{', '}', d.Object.Keys, d.Object.Items, depth+1)
	default:
		p.scalar(d.Scalar)
	}
}

func (p *jsonPrinter) list(open, end byte, keys []string, items []Document, depth int) {
	p.dst = append(p.dst, open)
	for i := range items {
		if p.full(0) {
			return
		}
		if i > 0 {
			p.dst = append(p.dst, ',')
		}
		p.separate(i > 0, depth)
		if keys != nil {
			p.text(keys[i])
			p.dst = append(p.dst, ": "...)
		}
		p.document(&items[i], depth)
	}
	if len(items) > 0 {
		p.separate(false, depth-1)
	}
	p.dst = append(p.dst, end)
}

func (p *jsonPrinter) separate(blank bool, depth int) {
	switch {
	case p.pretty:
		p.dst = append(p.dst, '\n')
		for range depth {
			p.dst = append(p.dst, "  "...)
		}
	case blank:
		p.dst = append(p.dst, ' ')
	}
}

func (p *jsonPrinter) text(s string) {
	if p.full(len(s)) {
		p.limit = -1
		return
	}
	p.dst = AppendJSONString(p.dst, s)
}

func (p *jsonPrinter) scalar(v Value) {
	switch v.kind {
	case Null:
		p.dst = append(p.dst, "null"...)
	case Bool:
		p.dst = strconv.AppendBool(p.dst, v.Bool())
	case Int, Uint, Decimal:
		p.dst = AppendText(p.dst, Plain(v))
	case Float:
		p.dst = appendJSONFloat(p.dst, v.Float())
	case Bytes:
		const opaque = "base64:type253:" // MySQL's words for octets
		if p.full(len(v.s)) {
			p.limit = -1
			return
		}
		p.dst = append(p.dst, '"')
		p.dst = base64.StdEncoding.AppendEncode(append(p.dst, opaque...), []byte(v.s))
		p.dst = append(p.dst, '"')
	case Time, Duration:
		p.dst = append(p.dst, '"')
		p.dst = AppendText(p.dst, v.WithDigits(6))
		p.dst = append(p.dst, '"')
	default:
		p.text(Text(v))
	}
}

// appendJSONFloat writes a double so that it reads back as one: 1.0, not 1.
func appendJSONFloat(dst []byte, f float64) []byte {
	start := len(dst)
	if f == 0 && math.Signbit(f) {
		return append(dst, "-0.0"...)
	}
	dst = appendFloat(dst, f)
	if !bytes.ContainsAny(dst[start:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// AppendJSONString writes s as a JSON string.
func AppendJSONString(dst []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}
