package keymap

import "strings"

// alphabet is what codes consist of, in ascending order: printable ASCII without the separator and
// without # % ' / ? \.
const alphabet = `"$&()*+,-.0123456789:;<=>@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_` + "`abcdefghijklmnopqrstuvwxyz{|}~"

const (
	// descEnd ends a text in a descending part: above all that could follow instead, so that the
	// shorter one sorts behind the longer one.
	descEnd = "~~"

	// descCutMark is cutMark mirrored. No code of a whole text holds ~~, so none but a cut one holds
	// this.
	descCutMark = `""`
)

// mirror maps each unit but the first to the one at the other end of the alphabet. The mirror image
// of the first is two units, for the last one alone begins the end.
var mirror = func() (t [256]byte) {
	for i := range len(alphabet) {
		t[alphabet[i]] = alphabet[len(alphabet)-1-i]
	}
	return t
}()

func appendMirrored(dst []byte, c byte) []byte {
	if c == alphabet[0] {
		return append(dst, '~', c)
	}
	return append(dst, mirror[c])
}

// unmirror reads a mirrored code up to its end, which must be that of the text.
func unmirror(code string) (units string, ok bool) {
	code, ok = strings.CutSuffix(code, descEnd)
	if !ok {
		return "", false
	}
	out := make([]byte, 0, len(code))
	for i := 0; i < len(code); i++ {
		c := code[i]
		if c == '~' {
			if i++; i == len(code) || code[i] != alphabet[0] {
				return "", false
			}
			out = append(out, alphabet[0])
			continue
		}
		if mirror[c] == 0 {
			return "", false
		}
		out = append(out, mirror[c])
	}
	return string(out), true
}
