package keymap

import (
	"errors"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Separator is between the parts of a key. No code contains it, and it is below all characters of codes.
const Separator = '!'

// Part is one part of a key: how values of a column are encoded there.
type Part struct {
	Type   value.Type
	Desc   bool // sorts the greatest first, and NULL last
	Prefix int  // KEY (col(n)): only the first n characters, or octets of a binary type; 0: all
	Cut    int  // units before a text or octets are cut; 0: never. See SetCuts
}

// nullDesc is NULL in a descending part, above all other codes.
const nullDesc = "~~~"

// keyUnits is the room for one group of parts, so that two groups and a name make a legal key.
const keyUnits = 240

// SetCuts sets Cut in all parts of one key, so that together they take at most 240 units: the part before a cut, a code word across it, the
// hash, the end of a descending part and the separator. The texts and octets share what the parts of a fixed size leave; if that is too little,
// they get 8 units each, whatever the sum then is. The cuts are part of the format of a table: they depend only on the types of the parts.
func SetCuts(parts []Part) {
	room, texts := keyUnits, 0
	for _, p := range parts {
		if Cuttable(p.Type) {
			texts++
		} else {
			room -= fixedUnits(p.Type) + 1
		}
	}
	for i := range parts {
		parts[i].Cut = 0
		if Cuttable(parts[i].Type) {
			parts[i].Cut = cutUnits(room, texts)
		}
	}
}

// cutUnits is Cut for each of the texts and octets that share the room.
func cutUnits(room, textParts int) int {
	return max(8, room/max(textParts, 1)-35)
}

// fixedUnits is the length of the codes of a type that is not Cuttable.
func fixedUnits(t value.Type) int {
	switch t.Base {
	case value.TypeBool:
		return 1
	case value.TypeDate, value.TypeDateTime:
		return tickDigits
	case value.TypeEnum:
		return enumUnits
	case value.TypeDecimal:
		return 1 + t.Precision
	case value.TypeUUID:
		return 32
	}
	return 16
}

// Cuttable says whether values of the type have no fixed size, so that they may have to be cut.
func Cuttable(t value.Type) bool { return t.IsFreeText() || t.IsOctets() }

// AppendValue appends the code of v, which must be NULL or already of the part's type (see value.Type.Convert). cut says that the code
// represents several values: the text was longer than Prefix, or than Cut and ends in a hash. A v of another type is an error.
func AppendValue(dst []byte, v value.Value, p Part) (out []byte, cut bool, err error) {
	if v.IsNull() {
		if p.Desc {
			return append(dst, nullDesc...), false, nil
		}
		return dst, false, nil
	}
	switch kind := v.Kind(); {
	case p.Type.IsFreeText():
		if kind == value.String {
			return p.appendText(dst, v.Text())
		}
	case p.Type.IsOctets():
		if kind == value.Bytes {
			out, cut = p.appendOctets(dst, v.Text())
			return out, cut, nil
		}
	default:
		if out, ok := p.appendFixed(dst, v); ok {
			return out, false, nil
		}
	}
	return dst, false, errors.New("a " + v.Kind().String() + " does not fit a key part of type " + p.Type.String())
}

// SkipValue splits src at the next separator: the code before it, and what follows.
func SkipValue(src string) (code, rest string) {
	code, rest, _ = strings.Cut(src, string(Separator))
	return code, rest
}
