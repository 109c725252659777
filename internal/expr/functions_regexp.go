package expr

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func regexpFunctions() []*Function {
	return []*Function{
		regexpFunction("REGEXP_LIKE", "REGEXP_LIKE(text, pattern[, flags])", "1 if the pattern is found in text; also text REGEXP pattern.", intType, 3, 2, evalRegexpLike),
		regexpFunction("REGEXP_REPLACE", "REGEXP_REPLACE(text, pattern, new[, from[, occurrence[, flags]]])", "The text with new ($1 is a group) for each match, or for one.", textType, 6, 5, evalRegexpReplace),
		regexpFunction("REGEXP_SUBSTR", "REGEXP_SUBSTR(text, pattern[, from[, occurrence[, flags]]])", "The match; NULL without one.", textType, 5, 4, evalRegexpSubstr),
		regexpFunction("REGEXP_INSTR", "REGEXP_INSTR(text, pattern[, from[, occurrence[, end[, flags]]]])", "Where the match begins, 1-based (where it ends with end 1); 0 without one.", intType, 6, 5, evalRegexpInstr),
	}
}

// regexpEval works with the compiled form of the pattern, besides the arguments.
type regexpEval func(env *Env, re *pattern, args []value.Value) (value.Value, error)

// regexpFunction makes a function whose argument 1 is a pattern and argument flags the flags.
func regexpFunction(name, signature, doc string, t value.Type, most, flags int, eval regexpEval) *Function {
	least := 2
	if name == "REGEXP_REPLACE" {
		least = 3
	}
	f := &Function{Name: name, Signature: signature, Family: "text", Doc: doc + " RE2's syntax. Flags: c case seen, i not, m lines, n . matches line ends.",
		Min: least, Max: most, Type: fixed(t), strict: true, condition: name == "REGEXP_LIKE", collates: true}
	f.compile = func(n *Call) Func {
		cache := &patternCache{function: name, fold: CollationOf(n.Args[:2]...).IgnoresCase()}
		return compileEval(n, func(env *Env, args []value.Value) (value.Value, error) {
			text := ""
			if len(args) > flags {
				text = value.Text(args[flags])
			}
			re, err := cache.get(env, value.Text(args[1]), text)
			if err != nil {
				return value.NullValue, err
			}
			return eval(env, re, args)
		})
	}
	return f
}

func evalRegexpLike(env *Env, re *pattern, args []value.Value) (value.Value, error) {
	s, ctx := value.Text(args[0]), env.context()
	if len(s) <= longText {
		return truthValues[truthOf(re.MatchString(s))], nil
	}
	ok := re.MatchReader(&endingReader{Reader: strings.NewReader(s), ctx: ctx})
	return truthValues[truthOf(ok)], ctx.Err()
}

// longText is the length from which a pattern may take so long on a text that the context must be able to end it.
const longText = 64 << 10

// endingReader is at its end when the context is.
type endingReader struct {
	*strings.Reader
	ctx  context.Context
	read int
}

// ReadRune implements io.RuneReader.
func (r *endingReader) ReadRune() (rune, int, error) {
	if r.read++; r.read%1024 == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return r.Reader.ReadRune()
}

// regexpFrom reads the position (1-based characters) and the number of the match from args[i:].
func regexpFrom(function string, args []value.Value, i int, otherwise int64) (start int, occurrence int64, err error) {
	from, occurrence := int64(1), otherwise
	if len(args) > i {
		if from, err = value.ToInt(args[i]); err != nil {
			return 0, 0, err
		}
	}
	if len(args) > i+1 {
		if occurrence, err = value.ToInt(args[i+1]); err != nil {
			return 0, 0, err
		}
	}
	c := chars{s: value.Text(args[0])}
	if from < 1 || from > int64(c.len())+1 {
		return 0, 0, &ArgumentError{function, "the position is outside of the text"}
	}
	return c.offset(from - 1), occurrence, nil
}

// find is the n-th match from start on; nil if there is none. Matches see the text before start, so ^ is the text's beginning.
func (p *pattern) find(env *Env, s string, start int, n int64) (match []int, err error) {
	err = p.matches(env, s, p.FindAllStringIndex, func(m []int) bool {
		if m[0] >= start {
			if n--; n <= 0 {
				match = m
			}
		}
		return match == nil
	})
	return match, err
}

// matches passes on one match after the other while more returns true. The regexp package gathers them first: they count as values waiting in an
// expression, and are searched again if more are needed.
func (p *pattern) matches(env *Env, s string, find func(string, int) [][]int, more func([]int) bool) error {
	const few = 1 << 12
	for asked, seen := few, 0; ; asked *= 8 {
		held := int64(0)
		if asked > few {
			held = int64(min(asked, len(s)+1)) * (24 + 16*int64(1+p.NumSubexp()))
		}
		if err := env.holdBytes(held); err != nil {
			env.release(held)
			return err
		}
		all := find(s, asked)
		for _, m := range all[seen:] {
			if !more(m) {
				env.release(held)
				return nil
			}
		}
		env.release(held)
		if seen = len(all); seen < asked {
			return nil
		}
	}
}

func evalRegexpSubstr(env *Env, re *pattern, args []value.Value) (value.Value, error) {
	start, n, err := regexpFrom("REGEXP_SUBSTR", args, 2, 1)
	if err != nil {
		return value.NullValue, err
	}
	s := value.Text(args[0])
	m, err := re.find(env, s, start, n)
	if m == nil {
		return value.NullValue, err
	}
	return value.FromString(s[m[0]:m[1]]), nil
}

func evalRegexpInstr(env *Env, re *pattern, args []value.Value) (value.Value, error) {
	start, n, err := regexpFrom("REGEXP_INSTR", args, 2, 1)
	if err != nil {
		return value.NullValue, err
	}
	s := value.Text(args[0])
	m, err := re.find(env, s, start, n)
	if err != nil {
		return value.NullValue, err
	}
	if m == nil {
		return value.FromInt(0), nil
	}
	at := m[0]
	if len(args) > 4 && truthOfValue(args[4]) == isTrue {
		at = m[1]
	}
	return value.FromInt(int64(utf8.RuneCountInString(s[:at])) + 1), nil
}

func evalRegexpReplace(env *Env, re *pattern, args []value.Value) (value.Value, error) {
	start, n, err := regexpFrom("REGEXP_REPLACE", args, 3, 0)
	if err != nil {
		return value.NullValue, err
	}
	s, template := value.Text(args[0]), goTemplate(value.Text(args[2]))
	var out []byte
	at := 0
	err = re.matches(env, s, re.FindAllStringSubmatchIndex, func(m []int) bool {
		if m[0] < start {
			return true
		}
		if n > 1 {
			n--
			return true
		}
		out = append(out, s[at:m[0]]...)
		out = re.ExpandString(out, template, s, m)
		at = m[1]
		return len(out) <= MaxText && n != 1
	})
	if err != nil {
		return value.NullValue, err
	}
	if len(out)+len(s)-at > MaxText {
		return value.NullValue, &TooLongError{"REGEXP_REPLACE"}
	}
	return value.FromString(string(append(out, s[at:]...))), nil
}

// goTemplate turns MySQL's replacement text ($1, \$) into Go's (${1}, $$).
func goTemplate(s string) string {
	if !strings.ContainsAny(s, `$\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] == '$' {
				b.WriteByte('$')
			}
			b.WriteByte(s[i])
		case c == '$' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
			b.WriteString("${" + string(s[i+1]) + "}")
			i++
		case c == '$':
			b.WriteString("$$")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
