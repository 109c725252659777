package keymap

import "strings"

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
