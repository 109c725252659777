package keymap

// alphabet is what codes consist of, in ascending order: printable ASCII without the separator and
// without # % ' / ? \.
const alphabet = `"$&()*+,-.0123456789:;<=>@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_` + "`abcdefghijklmnopqrstuvwxyz{|}~"

const (
	// descEnd ends a text in a descending part: it is above anything that could follow instead, so that the shorter text sorts after the longer
	// one.
	descEnd = "~~"

	// descCutMark is cutMark mirrored. No code of a whole text contains ~~, so only cut codes contain this.
	descCutMark = `""`
)

// mirror maps each unit except the first to the one at the other end of the alphabet. The mirror image of the first is two units, because the
// last one alone begins the end.
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
