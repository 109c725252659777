package keymap

import "unicode/utf8"

// UTF16Len counts the UTF-16 units of s, which is how the store measures text.
func UTF16Len(s string) int {
	n := 0
	for i := range len(s) {
		// Each code point has one octet that is not a continuation; those of four octets take two units.
		if c := s[i]; c < 0x80 || c >= 0xC0 {
			n++
			if c >= 0xF0 {
				n++
			}
		}
	}
	return n
}

// SplitText cuts s into parts of at most units UTF-16 units each (2 at least), between code points.
// An empty s is one empty part. The parts share the memory of s.
func SplitText(s string, units int) []string {
	units = max(units, 2)
	var parts []string
	for len(s) > units { // an octet is at most one unit
		n, at := 0, 0
		for at < len(s) {
			r, size := utf8.DecodeRuneInString(s[at:])
			if n++; r > 0xFFFF {
				n++
			}
			if n > units {
				break
			}
			at += size
		}
		if at == len(s) {
			break
		}
		parts = append(parts, s[:at])
		s = s[at:]
	}
	return append(parts, s)
}

// SplitBytes cuts b into parts of at most n octets (1 at least). An empty b is one empty part. The
// parts share the memory of b.
func SplitBytes(b string, n int) []string {
	n = max(n, 1)
	parts := make([]string, 0, len(b)/n+1)
	for len(b) > n {
		parts = append(parts, b[:n])
		b = b[n:]
	}
	return append(parts, b)
}
