package dialect

import (
	"encoding/hex"
	"strings"
)

// unquote is the value of a quoted string or name with its quotes. MySQL's escapes are read where
// escapes says so; \% and \_ stay as they are, because LIKE needs them.
func unquote(s string, escapes bool) string {
	q := s[0]
	s = s[1 : len(s)-1]
	if strings.IndexByte(s, q) < 0 && (!escapes || strings.IndexByte(s, '\\') < 0) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' && escapes {
			i++
			switch s[i] {
			case '0':
				c = 0
			case 'b':
				c = '\b'
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'Z':
				c = 26
			case '%', '_':
				b = append(b, '\\')
				c = s[i]
			default:
				c = s[i]
			}
		} else if c == q {
			i++ // doubled
		}
		b = append(b, c)
	}
	return string(b)
}

// text is the value of a string token.
func (p *parser) text(t *token) string {
	s := p.sql[t.start:t.end]
	if s[0] == 'n' || s[0] == 'N' {
		s = s[1:]
	}
	return unquote(s, true)
}

// name is the name that a word or a quoted name stands for, its case as written.
func (p *parser) name(t *token) string {
	if t.kind == tokQuoted {
		return unquote(p.sql[t.start:t.end], false)
	}
	return p.sql[t.start:t.end]
}

// literal is the constant at token i. Strings one behind the other are one string.
func (p *parser) literal(i int) *Literal {
	t := &p.toks[i]
	raw := p.sql[t.start:t.end]
	switch t.kind {
	case tokString:
		s := p.text(t)
		if i++; p.toks[i].kind == tokString {
			b := []byte(s)
			for ; p.toks[i].kind == tokString; i++ {
				b = append(b, p.text(&p.toks[i])...)
			}
			s = string(b)
		}
		return &Literal{Kind: StringLiteral, Text: s}
	case tokInt:
		return &Literal{Kind: IntLiteral, Text: raw}
	case tokDecimal:
		raw = strings.TrimSuffix(raw, ".")
		if raw[0] == '.' {
			raw = "0" + raw
		}
		return &Literal{Kind: DecimalLiteral, Text: raw}
	case tokFloat:
		return &Literal{Kind: FloatLiteral, Text: raw}
	case tokHex:
		d := strings.Trim(raw[1:], "xX'")
		if len(d)%2 != 0 {
			d = "0" + d // 0xabc
		}
		b, _ := hex.DecodeString(d) // the lexer lets hexadecimal digits alone through
		return &Literal{Kind: HexLiteral, Text: string(b)}
	case tokBit:
		return &Literal{Kind: BitLiteral, Text: bits(strings.Trim(raw[1:], "bB'"))}
	}
	switch t.word {
	case "NULL":
		return &Literal{Kind: NullLiteral}
	case "TRUE":
		return &Literal{Kind: BoolLiteral, Text: "1"}
	case "FALSE":
		return &Literal{Kind: BoolLiteral, Text: "0"}
	}
	s := p.text(&p.toks[i+1])
	switch t.word {
	case "DATE":
		return &Literal{Kind: DateLiteral, Text: s}
	case "TIME":
		return &Literal{Kind: TimeLiteral, Text: s}
	}
	return &Literal{Kind: TimestampLiteral, Text: s}
}

// bits is the octets of binary digits, filled up with zeros in front.
func bits(d string) string {
	b := make([]byte, (len(d)+7)/8)
	for i := range d {
		if d[len(d)-1-i] == '1' {
			b[len(b)-1-i/8] |= 1 << (i % 8)
		}
	}
	return string(b)
}
