package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func textFunctions() []*Function {
	return []*Function{
		{Name: "LENGTH", Signature: "LENGTH(text)", Family: "text", aliases: []string{"OCTET_LENGTH"}, Doc: "Octets of the UTF-8 text.", Min: 1, Max: 1, strict: true,
			null: anyNull, Type: toInt, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromInt(int64(len(textOf(args[0])))), nil
			}},
		{Name: "CHAR_LENGTH", Signature: "CHAR_LENGTH(text)", Family: "text", aliases: []string{"CHARACTER_LENGTH"}, Doc: "Characters of the text.", Min: 1, Max: 1,
			strict: true, null: anyNull, Type: toInt, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromInt(int64(charsOf(args[0]).len())), nil
			}},
		{Name: "BIT_LENGTH", Signature: "BIT_LENGTH(text)", Family: "text", Doc: "Bits of the text: 8 times LENGTH.", Min: 1, Max: 1, strict: true,
			null: anyNull, Type: toInt, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromInt(8 * int64(len(textOf(args[0])))), nil
			}},
		{Name: "CONCAT", Signature: "CONCAT(x, …)", Family: "text", Doc: "The texts joined; NULL if one is NULL.", Min: 1, Max: -1, strict: true,
			null: anyNull, Type: func(args []Node) value.Type { return textLike(typesOf(args)...) }, Eval: evalConcat},
		{Name: "CONCAT_WS", Signature: "CONCAT_WS(separator, x, …)", Family: "text", Doc: "The texts that are not NULL, with the separator between them.",
			Min: 2, Max: -1, null: func(args []Node) bool { return MayBeNull(args[0]) },
			Type: func(args []Node) value.Type { return textLike(typesOf(args)...) }, Eval: evalConcatWS},
		{Name: "LOWER", Signature: "LOWER(text)", Family: "text", aliases: []string{"LCASE"}, Min: 1, Max: 1, strict: true, null: anyNull, Type: likeArg(0), Eval: mapText(strings.ToLower)},
		{Name: "UPPER", Signature: "UPPER(text)", Family: "text", aliases: []string{"UCASE"}, Min: 1, Max: 1, strict: true, null: anyNull, Type: likeArg(0), Eval: mapText(strings.ToUpper)},
		{Name: "LEFT", Signature: "LEFT(text, n)", Family: "text", Doc: "The first n characters.", Min: 2, Max: 2, strict: true, null: anyNull, Type: likeArg(0),
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				n, err := countOf(args[1])
				return charsOf(args[0]).cut(0, n), err
			}},
		{Name: "RIGHT", Signature: "RIGHT(text, n)", Family: "text", Doc: "The last n characters.", Min: 2, Max: 2, strict: true, null: anyNull, Type: likeArg(0),
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				n, err := countOf(args[1])
				c := charsOf(args[0])
				l := int64(c.len())
				n = max(0, min(n, l))
				return c.cut(l-n, n), err
			}},
		{Name: "SUBSTRING", Signature: "SUBSTRING(text, from[, length])", Family: "text", aliases: []string{"SUBSTR", "MID"},
			Doc: "Characters from the from-th, 1-based, from the end if negative; none if 0.",
			Min: 2, Max: 3, strict: true, null: anyNull, Type: likeArg(0), Eval: evalSubstring},
		{Name: "SUBSTRING_INDEX", Signature: "SUBSTRING_INDEX(text, delimiter, n)", Family: "text",
			Doc: "The text before the n-th delimiter; if n is negative, the text after the n-th from the end.",
			Min: 3, Max: 3, strict: true, null: anyNull, Type: likeArgs(0, 1), Eval: evalSubstringIndex},
		{Name: "TRIM", Signature: "TRIM([BOTH | LEADING | TRAILING] [remove FROM] text)", Family: "text", Doc: "The text without remove (a blank) at its ends.",
			Min: 1, Max: 3, Type: trimType, check: checkTrim, Eval: evalTrim,
			null: anyNull},
		{Name: "LTRIM", Signature: "LTRIM(text)", Family: "text", Doc: "The text without leading blanks.", Min: 1, Max: 1, strict: true, null: anyNull, Type: likeArg(0),
			Eval: trimmed(func(s string) string { return strings.TrimLeft(s, " ") })},
		{Name: "RTRIM", Signature: "RTRIM(text)", Family: "text", Doc: "The text without trailing blanks.", Min: 1, Max: 1, strict: true, null: anyNull, Type: likeArg(0),
			Eval: trimmed(func(s string) string { return strings.TrimRight(s, " ") })},
		{Name: "LPAD", Signature: "LPAD(text, length, pad)", Family: "text", Doc: "The text with pad before it, or cut, to length characters.", Min: 3, Max: 3,
			strict: true, Type: likeArgs(0, 2), Eval: padding("LPAD")},
		{Name: "RPAD", Signature: "RPAD(text, length, pad)", Family: "text", Doc: "The text with pad after it, or cut, to length characters.", Min: 3, Max: 3,
			strict: true, Type: likeArgs(0, 2), Eval: padding("RPAD")},
		{Name: "REPEAT", Signature: "REPEAT(text, n)", Family: "text", Doc: "The text n times.", Min: 2, Max: 2, strict: true, null: anyNull, Type: likeArg(0),
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				n, err := countOf(args[1])
				if err != nil {
					return value.NullValue, err
				}
				c := charsOf(args[0])
				return c.repeat("REPEAT", n)
			}},
		{Name: "SPACE", Signature: "SPACE(n)", Family: "text", Doc: "n blanks.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toText,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				n, err := countOf(args[0])
				if err != nil {
					return value.NullValue, err
				}
				return chars{s: " "}.repeat("SPACE", n)
			}},
		{Name: "REPLACE", Signature: "REPLACE(text, from, to)", Family: "text", Doc: "The text with to for each from; case is seen.", Min: 3, Max: 3, strict: true, null: anyNull,
			Type: func(args []Node) value.Type { return textLike(typesOf(args)...) }, Eval: evalReplace},
		{Name: "REVERSE", Signature: "REVERSE(text)", Family: "text", Min: 1, Max: 1, strict: true, null: anyNull, Type: likeArg(0), Eval: evalReverse},
		{Name: "INSERT", Signature: "INSERT(text, from, length, new)", Family: "text", Doc: "The text with new for length characters from the from-th; unchanged if from is outside.",
			Min: 4, Max: 4, strict: true, null: anyNull, Type: likeArgs(0, 3), Eval: evalInsert},
		{Name: "QUOTE", Signature: "QUOTE(text)", Family: "text", Doc: "The text as a literal, NULL as the word NULL.", Min: 1, Max: 1, null: neverNull, Type: func(args []Node) value.Type { return withMix(textType, args[0].Type()) },
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				if args[0].IsNull() {
					return value.FromString("NULL"), nil
				}
				return value.FromString("'" + quoteEscapes.Replace(value.Text(args[0])) + "'"), nil
			}},
	}
}

// quoteEscapes is what MySQL's QUOTE() escapes, and how.
var quoteEscapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`, "\x1a", `\Z`)

// chars is a text seen by its characters, or octets seen one by one.
type chars struct {
	s      string
	octets bool
}

func charsOf(v value.Value) chars {
	return chars{textOf(v), v.Kind() == value.Bytes || v.IsBits()}
}

func (c chars) value(s string) value.Value {
	if c.octets {
		return value.FromBytes(s)
	}
	return value.FromString(s)
}

func (c chars) len() int {
	if c.octets {
		return len(c.s)
	}
	return utf8.RuneCountInString(c.s)
}

// offset is the octet where the i-th character begins, or the end.
func (c chars) offset(i int64) int {
	if c.octets || i >= int64(len(c.s)) {
		return int(min(i, int64(len(c.s))))
	}
	at := 0
	for ; i > 0 && at < len(c.s); i-- {
		_, n := utf8.DecodeRuneInString(c.s[at:])
		at += n
	}
	return at
}

// cut is n characters from the from-th, 0-based.
func (c chars) cut(from, n int64) value.Value {
	if n <= 0 {
		return c.value("")
	}
	start := c.offset(from)
	rest := chars{c.s[start:], c.octets}
	return c.value(rest.s[:rest.offset(n)])
}

func (c chars) repeat(function string, n int64) (value.Value, error) {
	if n <= 0 || c.s == "" {
		return c.value(""), nil
	}
	if n > MaxText/int64(len(c.s)) {
		return value.NullValue, &TooLongError{function}
	}
	return c.value(strings.Repeat(c.s, int(n))), nil
}

func mapText(f func(string) string) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, args []value.Value) (value.Value, error) {
		if anyOctets(args[:1]) {
			return value.FromBytes(value.Text(args[0])), nil
		}
		return value.FromString(f(value.Text(args[0]))), nil
	}
}

// trimmed makes a function of a text, or of octets, that removes characters.
func trimmed(f func(string) string) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, args []value.Value) (value.Value, error) {
		c := charsOf(args[0])
		return c.value(f(c.s)), nil
	}
}

func anyOctets(args []value.Value) bool {
	for _, a := range args {
		if a.Kind() == value.Bytes || a.IsBits() {
			return true
		}
	}
	return false
}

func evalConcat(_ *Env, args []value.Value) (value.Value, error) {
	return joinTexts("CONCAT", "", args, anyOctets(args))
}

func evalConcatWS(_ *Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.NullValue, nil
	}
	return joinTexts("CONCAT_WS", value.Text(args[0]), args[1:], anyOctets(args))
}

func joinTexts(function, separator string, args []value.Value, octets bool) (value.Value, error) {
	var local [128]byte
	buf, first := local[:0], true
	for _, a := range args {
		if a.IsNull() {
			continue
		}
		if !first {
			buf = append(buf, separator...)
		}
		first = false
		if buf = value.AppendText(buf, a); len(buf) > MaxText {
			return value.NullValue, &TooLongError{function}
		}
	}
	return chars{octets: octets}.value(string(buf)), nil
}

func evalSubstring(_ *Env, args []value.Value) (value.Value, error) {
	c := charsOf(args[0])
	from, err := countOf(args[1])
	if err != nil {
		return value.NullValue, err
	}
	n := int64(len(c.s))
	if len(args) > 2 {
		if n, err = countOf(args[2]); err != nil {
			return value.NullValue, err
		}
	}
	if from < 0 {
		from += int64(c.len()) + 1
	}
	if from <= 0 {
		return c.value(""), nil
	}
	return c.cut(from-1, n), nil
}

func evalSubstringIndex(_ *Env, args []value.Value) (value.Value, error) {
	c, delimiter := charsOf(args[0]), value.Text(args[1])
	n, err := countOf(args[2])
	if err != nil || delimiter == "" || n == 0 {
		return c.value(""), err
	}
	at := 0
	if n > 0 {
		for ; n > 0; n-- {
			i := strings.Index(c.s[at:], delimiter)
			if i < 0 {
				return c.value(c.s), nil
			}
			at += i + len(delimiter)
		}
		return c.value(c.s[:at-len(delimiter)]), nil
	}
	at = len(c.s)
	for ; n < 0; n++ {
		i := strings.LastIndex(c.s[:at], delimiter)
		if i < 0 {
			return c.value(c.s), nil
		}
		at = i
	}
	return c.value(c.s[at+len(delimiter):]), nil
}

// checkTrim refuses two arguments: TRIM has the text alone, or side, remove and text.
func checkTrim(args []Node) error {
	if len(args) == 2 {
		return &ArityError{"TRIM"}
	}
	return nil
}

func trimType(args []Node) value.Type {
	t := textLike(args[len(args)-1].Type())
	if len(args) < 3 || t.IsOctets() {
		return t
	}
	return withMix(t, args[2].Type(), args[1].Type())
}

func evalTrim(_ *Env, args []value.Value) (value.Value, error) {
	last := args[len(args)-1]
	if last.IsNull() {
		return last, nil
	}
	c, remove, side := charsOf(last), " ", "both"
	if len(args) == 3 {
		if args[1].IsNull() {
			return args[1], nil
		}
		side, remove = strings.ToLower(value.Text(args[0])), value.Text(args[1])
	}
	s := c.s
	if remove == "" {
		return c.value(s), nil
	}
	if side != "trailing" {
		for strings.HasPrefix(s, remove) {
			s = s[len(remove):]
		}
	}
	if side != "leading" {
		for strings.HasSuffix(s, remove) {
			s = s[:len(s)-len(remove)]
		}
	}
	return c.value(s), nil
}

func padding(function string) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, args []value.Value) (value.Value, error) {
		c, pad := charsOf(args[0]), value.Text(args[2])
		want, err := countOf(args[1])
		if err != nil || want < 0 {
			return value.NullValue, err
		}
		missing := want - int64(c.len())
		switch {
		case missing <= 0:
			return c.cut(0, want), nil
		case pad == "":
			return value.NullValue, nil
		case want > MaxText:
			return value.NullValue, &TooLongError{function}
		}
		p := chars{pad, c.octets}
		p.s = strings.Repeat(pad, int(missing)/p.len()+1)
		fill := p.s[:p.offset(missing)]
		if function == "LPAD" {
			return c.value(fill + c.s), nil
		}
		return c.value(c.s + fill), nil
	}
}

func evalReplace(_ *Env, args []value.Value) (value.Value, error) {
	s, from, to := value.Text(args[0]), value.Text(args[1]), value.Text(args[2])
	c := chars{octets: anyOctets(args)}
	if from == "" {
		return c.value(s), nil
	}
	if grow := len(to) - len(from); grow > 0 && strings.Count(s, from) > (MaxText-len(s))/grow {
		return value.NullValue, &TooLongError{"REPLACE"}
	}
	return c.value(strings.ReplaceAll(s, from, to)), nil
}

func evalReverse(_ *Env, args []value.Value) (value.Value, error) {
	c := charsOf(args[0])
	out := make([]byte, len(c.s))
	for from, to := 0, len(c.s); from < len(c.s); {
		n := 1
		if !c.octets {
			_, n = utf8.DecodeRuneInString(c.s[from:])
		}
		to -= n
		copy(out[to:], c.s[from:from+n])
		from += n
	}
	return c.value(string(out)), nil
}

func evalInsert(_ *Env, args []value.Value) (value.Value, error) {
	c := charsOf(args[0])
	from, err := countOf(args[1])
	if err != nil {
		return value.NullValue, err
	}
	n, err := countOf(args[2])
	if err != nil {
		return value.NullValue, err
	}
	length := int64(c.len())
	if from < 1 || from > length {
		return c.value(c.s), nil
	}
	if n < 0 || n > length-from+1 {
		n = length - from + 1
	}
	return c.value(c.s[:c.offset(from-1)] + value.Text(args[3]) + c.s[c.offset(from-1+n):]), nil
}
