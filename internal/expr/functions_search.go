package expr

import (
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func searchFunctions() []*Function {
	return []*Function{
		{Name: "INSTR", Signature: "INSTR(text, part)", Family: "text", Doc: "The place where part begins in text, 1-based; 0 if it is not in it.", Min: 2, Max: 2,
			strict: true, null: anyNull, collates: true, Type: toInt, compile: compileCollated(func(c value.Collation, args []value.Value) (value.Value, error) {
				return locate(c, charsOf(args[0]), value.Text(args[1]), 1), nil
			})},
		{Name: "LOCATE", Signature: "LOCATE(part, text[, from])", Family: "text", aliases: []string{"POSITION"},
			Doc: "The place where part begins in text, 1-based, looking from the from-th character on; 0 if it is not in it. Also POSITION(part IN text).", Min: 2, Max: 3,
			strict: true, null: anyNull, collates: true, Type: toInt, compile: compileCollated(func(c value.Collation, args []value.Value) (value.Value, error) {
				from := int64(1)
				if len(args) > 2 {
					var err error
					if from, err = countOf(args[2]); err != nil {
						return value.NullValue, err
					}
				}
				return locate(c, charsOf(args[1]), value.Text(args[0]), from), nil
			})},
		{Name: "STRCMP", Signature: "STRCMP(x, y)", Family: "text", Doc: "-1, 0 or 1, as x sorts before, with or after y.", Min: 2, Max: 2,
			strict: true, null: anyNull, collates: true, Type: toInt, compile: compileCollated(func(c value.Collation, args []value.Value) (value.Value, error) {
				return value.FromInt(int64(c.Compare(value.Text(args[0]), value.Text(args[1])))), nil
			})},
		{Name: "FIND_IN_SET", Signature: "FIND_IN_SET(text, list)", Family: "text", Doc: "The place of text in a list with commas, 1-based; 0 if it is not in it.", Min: 2, Max: 2,
			strict: true, null: anyNull, collates: true, Type: toInt, compile: compileFindInSet},
		{Name: "FIELD", Signature: "FIELD(x, y, …)", Family: "text", collates: true, Doc: "The place of x among the others, 1-based; 0 if it is not there.", Min: 2, Max: -1,
			null: neverNull, Type: toInt, compile: compileField},
		{Name: "ELT", Signature: "ELT(n, x, …)", Family: "text", Doc: "The n-th of the texts, 1-based; NULL if there is none.", Min: 2, Max: -1,
			Type: func(args []Node) value.Type { return textLike(typesOf(args[1:])...) }, compile: compileElt},
		{Name: "ASCII", Signature: "ASCII(text)", Family: "text", Doc: "The first octet, 0 of the empty text.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				s := textOf(args[0])
				if s == "" {
					return value.FromInt(0), nil
				}
				return value.FromInt(int64(s[0])), nil
			}},
		{Name: "ORD", Signature: "ORD(text)", Family: "text", Doc: "The octets of the first character as one number.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				c := charsOf(args[0])
				n := int64(0)
				for _, octet := range []byte(c.s[:c.offset(1)]) {
					n = n<<8 | int64(octet)
				}
				return value.FromInt(n), nil
			}},
		{Name: "SOUNDEX", Signature: "SOUNDEX(text)", Family: "text", Doc: "A letter and three or more digits, the same for English words that sound alike; x SOUNDS LIKE y compares them.", Min: 1, Max: 1,
			strict: true, null: anyNull, Type: likeArg(0), Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromString(soundex(value.Text(args[0]))), nil
			}},
		{Name: "CHAR", Signature: "CHAR(n, …)", Family: "text", Doc: "The text of these octets, several of a number above 255; a BLOB if that is not UTF-8.", Min: 1, Max: -1,
			null: neverNull, Type: toText, Eval: evalChar},
	}
}

// countOf reads a number of characters, or a position among texts or characters. As in MySQL, what is no BIGINT is the last position:
// SUBSTRING(x, 3, 18446744073709551615) is everything after the second character.
func countOf(v value.Value) (int64, error) {
	n, err := value.ToInt(v)
	var beyond *value.RangeError
	if !errors.As(err, &beyond) {
		return n, err
	}
	if value.ToFloat(v) < 0 {
		return math.MinInt64, nil
	}
	return math.MaxInt64, nil
}

func locate(by value.Collation, c chars, part string, from int64) value.Value {
	if from < 1 || from > int64(c.len())+1 {
		return value.FromInt(0)
	}
	start := c.offset(from - 1)
	if !by.IsBinary() {
		return value.FromInt(locateCharacters(by, c.s[start:], part, from))
	}
	i := strings.Index(c.s[start:], part)
	if i < 0 {
		return value.FromInt(0)
	}
	before := chars{c.s[start : start+i], c.octets}
	return value.FromInt(from + int64(before.len()))
}

// locateCharacters searches part in s, whose first character has the number from, character by character. Like Knuth, Morris and Pratt's, the
// search looks at no character of s twice, however often parts of part occur in s.
func locateCharacters(by value.Collation, s, part string, from int64) int64 {
	want := characters(by, part)
	if len(want) == 0 {
		return from
	}
	borders, found := bordersOf(want), 0
	for at := from; len(s) > 0; at++ {
		_, n := utf8.DecodeRuneInString(s)
		c := by.FoldWhole(s[:n])
		s = s[n:]
		for found > 0 && want[found] != c {
			found = borders[found-1]
		}
		if want[found] == c {
			found++
		}
		if found == len(want) {
			return at - int64(found) + 1
		}
	}
	return 0
}

// bordersOf gives for each prefix of a list the length of the longest shorter list that it both begins and ends with.
func bordersOf(list []string) []int {
	borders := make([]int, len(list))
	for i, n := 1, 0; i < len(list); i++ {
		for n > 0 && list[n] != list[i] {
			n = borders[n-1]
		}
		if list[n] == list[i] {
			n++
		}
		borders[i] = n
	}
	return borders
}

// characters are what stands for each character of s.
func characters(by value.Collation, s string) []string {
	list := make([]string, 0, len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeRuneInString(s)
		list = append(list, by.FoldWhole(s[:n]))
		s = s[n:]
	}
	return list
}

func evalFindInSet(c value.Collation, args []value.Value) (value.Value, error) {
	want, list := value.Text(args[0]), value.Text(args[1])
	if list == "" || strings.Contains(want, ",") {
		return value.FromInt(0), nil
	}
	want = c.FoldWhole(want)
	for i := int64(1); ; i++ {
		element, rest, more := strings.Cut(list, ",")
		if c.FoldWhole(element) == want {
			return value.FromInt(i), nil
		}
		if !more {
			return value.FromInt(0), nil
		}
		list = rest
	}
}

// compileFindInSet gives of a literal and a column of type SET the place among the members that the column declares, as MySQL
// does, and else that in the list.
func compileFindInSet(n *Call) Func {
	list := compileCollated(evalFindInSet)(n)
	want, literal := n.Args[0].(*Const)
	column, ok := n.Args[1].(*Column)
	if !ok || !literal || column.T.Base != value.TypeSet {
		return list
	}
	c := CollationOf(n.Args...)
	folded := c.FoldWhole(value.Text(want.V))
	place := slices.IndexFunc(column.T.Names, func(name string) bool { return c.FoldWhole(name) == folded })
	if place < 0 {
		return list
	}
	set := CompileOperand(column)
	return func(env *Env) (value.Value, error) {
		v, err := set(env)
		switch {
		case err != nil || v.IsNull():
			return value.NullValue, err
		case !v.Counted():
			return list(env)
		case v.Uint()>>place&1 == 0:
			return value.FromInt(0), nil
		}
		return value.FromInt(int64(place) + 1), nil
	}
}

// compileField compares texts with texts, exact numbers with exact numbers, else all as DOUBLE, like MySQL: up to the first equal one, and with
// none if x is NULL. If the types are not known, all are computed to find them out.
func compileField(n *Call) Func {
	args, collation := compileAll(n.Args), CollationOf(n.Args...)
	numbers, others, known := fieldTypes(n.Args)
	return func(env *Env) (value.Value, error) {
		numbers, others, argument := numbers, others, func(i int) (value.Value, error) { return args[i](env) }
		if !known {
			all := make([]value.Value, len(args))
			for i, arg := range args {
				v, err := arg(env)
				if err != nil {
					return v, err
				}
				all[i] = v
				numbers, others = numbers || numeric(v.Kind()), others || !v.IsNull() && !numeric(v.Kind())
			}
			argument = func(i int) (value.Value, error) { return all[i], nil }
		}
		var x value.Value
		for i := range args {
			v, err := argument(i)
			switch {
			case err != nil || i == 0 && v.IsNull():
				return value.FromInt(0), err
			case v.IsNull(), !others:
			case !numbers:
				v = value.FromString(value.Text(v))
			default:
				if err := env.Number(v); err != nil {
					return value.NullValue, err
				}
				v = value.FromFloat(value.ToFloat(v))
			}
			if i == 0 {
				x = v
				continue
			}
			t, err := compare(env, Eq, x, v, collation)
			if err != nil {
				return value.NullValue, err
			}
			if t == isTrue {
				return value.FromInt(int64(i)), nil
			}
		}
		return value.FromInt(0), nil
	}
}

// fieldTypes says whether there are numbers among FIELD's arguments, whether there is anything else, and whether that is known.
func fieldTypes(args []Node) (numbers, others, known bool) {
	known = true
	for _, a := range args {
		switch t := bitsNumber(a.Type()); {
		case IsNullConst(a) && t.Base == value.TypeUnknown:
		case t.Base == value.TypeUnknown:
			known = false
		case isNumber(t):
			numbers = true
		default:
			others = true
		}
	}
	return numbers, others, known
}

// compileElt computes the number and the text that it selects, no other text.
func compileElt(n *Call) Func {
	number, args := CompileOperand(n.Args[0]), compileAll(n.Args)
	return func(env *Env) (value.Value, error) {
		v, err := number(env)
		if err != nil || v.IsNull() {
			return value.NullValue, err
		}
		if err := env.integer(v); err != nil {
			return value.NullValue, err
		}
		at, err := countOf(v)
		if err != nil || at < 1 || at >= int64(len(args)) {
			return value.NullValue, err
		}
		if v, err = args[at](env); err != nil || v.IsNull() {
			return value.NullValue, err
		}
		c := charsOf(v)
		return c.value(c.s), nil
	}
}

func evalChar(_ *Env, args []value.Value) (value.Value, error) {
	var out []byte
	for _, a := range args {
		if a.IsNull() {
			continue
		}
		v, err := value.BitAnd(a, value.FromUint(0xFFFFFFFF))
		if err != nil {
			return value.NullValue, err
		}
		n := v.Uint()
		for shift := 24; shift > 0; shift -= 8 {
			if n>>shift > 0 {
				out = append(out, byte(n>>shift))
			}
		}
		out = append(out, byte(n))
	}
	return chars{octets: !utf8.Valid(out)}.value(string(out)), nil
}

// soundex is Knuth's first version, as in MySQL: vowels are removed first, then repeated codes, and the code is as long as the text makes it.
func soundex(s string) string {
	const codes = "01230120022455012623010202" // of A to Z
	var out []rune
	last := '0'
	for _, r := range s {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		code := '0'
		switch {
		case 'A' <= r && r <= 'Z':
			code = rune(codes[r-'A'])
		case r < 0xC0:
			continue // no letter
		}
		switch {
		case out == nil:
			out = append(out, r)
			last = code
		case code != '0' && code != last:
			out = append(out, code)
			last = code
		}
	}
	for len(out) > 0 && len(out) < 4 {
		out = append(out, '0')
	}
	return string(out)
}
