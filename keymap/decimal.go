package keymap

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// appendDecimal takes canonical decimal text that has at most the type's digits before and behind
// the point.
func (p Part) appendDecimal(dst []byte, s string) (out []byte, ok bool) {
	negative := strings.HasPrefix(s, "-")
	if negative {
		s = s[1:]
	}
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "0" {
		whole = ""
		negative = negative && strings.Trim(frac, "0") != ""
	}
	before := p.Type.Precision - p.Type.Scale
	if before < 0 || p.Type.Scale < 0 || len(whole) > before || len(frac) > p.Type.Scale {
		return dst, false
	}
	complement := negative != p.Desc
	if complement {
		dst = append(dst, '0')
	} else {
		dst = append(dst, '1')
	}
	start := len(dst)
	for range before - len(whole) {
		dst = append(dst, '0')
	}
	dst = append(dst, whole...)
	dst = append(dst, frac...)
	for range p.Type.Scale - len(frac) {
		dst = append(dst, '0')
	}
	for i, c := range dst[start:] {
		if c < '0' || c > '9' {
			return dst, false
		}
		if complement {
			dst[start+i] = '0' + '9' - c
		}
	}
	return dst, true
}

func (p Part) decodeDecimal(code string) (v value.Value, ok bool) {
	before := p.Type.Precision - p.Type.Scale
	if before < 0 || p.Type.Scale < 0 || len(code) != 1+p.Type.Precision || code[0] != '0' && code[0] != '1' {
		return v, false
	}
	complement := code[0] == '0'
	negative := complement != p.Desc
	text := make([]byte, 0, len(code)+3)
	if negative {
		text = append(text, '-')
	}
	zero, started := true, false
	for i := range p.Type.Precision {
		c := code[1+i]
		if c < '0' || c > '9' {
			return v, false
		}
		if complement {
			c = '0' + '9' - c
		}
		zero = zero && c == '0'
		if i == before {
			if !started {
				text = append(text, '0')
			}
			text, started = append(text, '.'), true
		}
		if started = started || c != '0'; started {
			text = append(text, c)
		}
	}
	if !started {
		text = append(text, '0')
	}
	if zero && negative {
		return v, false // there is no negative zero
	}
	return value.FromDecimalText(string(text)), true
}
