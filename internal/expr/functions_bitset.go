package expr

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// bitSetFunctions show the bits of a number by texts.
func bitSetFunctions() []*Function {
	return []*Function{
		{Name: "MAKE_SET", Signature: "MAKE_SET(bits, x, …)", Family: "text", Doc: "Those of the texts whose bit is set, with commas between; NULLs are left out.", Min: 2, Max: -1,
			Type: func(args []Node) value.Type { return textLike(typesOf(args[1:])...) }, null: func(args []Node) bool { return MayBeNull(args[0]) }, Eval: evalMakeSet},
		{Name: "EXPORT_SET", Signature: "EXPORT_SET(bits, on, off[, separator[, n]])", Family: "text",
			Doc: "For each bit, from the lowest, on if it is set and off if not, with the separator (a comma) between; n bits (64).", Min: 3, Max: 5, strict: true, null: anyNull,
			Type: func(args []Node) value.Type { return textLike(typesOf(args[1:min(len(args), 4)])...) }, Eval: evalExportSet},
	}
}

func evalMakeSet(_ *Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.NullValue, nil
	}
	v, err := value.BitOr(args[0], value.FromInt(0))
	if err != nil {
		return value.NullValue, err
	}
	var texts []string
	octets, size := false, 0
	for i, a := range args[1:] {
		octets = octets || a.Kind() == value.Bytes
		if i < 64 && v.Uint()>>i&1 == 1 && !a.IsNull() {
			text := value.Text(a)
			if size += len(text) + 1; size > MaxText {
				return value.NullValue, &TooLongError{"MAKE_SET"}
			}
			texts = append(texts, text)
		}
	}
	return chars{octets: octets}.value(strings.Join(texts, ",")), nil
}

func evalExportSet(_ *Env, args []value.Value) (value.Value, error) {
	v, err := value.BitOr(args[0], value.FromInt(0))
	if err != nil {
		return value.NullValue, err
	}
	texts := [2]string{value.Text(args[2]), value.Text(args[1])}
	separator, n := ",", int64(64)
	if len(args) > 3 {
		separator = value.Text(args[3])
	}
	if len(args) > 4 {
		if n, err = value.ToInt(args[4]); err != nil {
			return value.NullValue, err
		}
		if n < 0 || n > 64 {
			n = 64
		}
	}
	if 64*(max(len(texts[0]), len(texts[1]))+len(separator)) > MaxText {
		return value.NullValue, &TooLongError{"EXPORT_SET"}
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = texts[v.Uint()>>i&1]
	}
	octets := args[1].Kind() == value.Bytes || args[2].Kind() == value.Bytes
	return chars{octets: octets}.value(strings.Join(parts, separator)), nil
}
