package expr

import (
	"regexp"
	"regexp/syntax"
	"sync/atomic"
)

// A pattern is refused if its text or its program has more octets than these. Reading a text takes up to a thousand times its octets, so its
// length is checked first; a repeat copies what it repeats, so a short text can become a large program.
const (
	maxPattern = 16 << 10
	maxProgram = 4 << 20
)

// pattern is a regular expression that was compiled.
type pattern struct {
	*regexp.Regexp
	text, flags string
	bytes       int64 // of its program, about
}

// smallPattern is the size up to which a pattern stays with the plan. A larger one lives no longer than the statement, which accounts for it.
const smallPattern = 4 << 10

// patternCache keeps the last pattern of one call, which is mostly the same for each row.
type patternCache struct {
	last     atomic.Pointer[pattern]
	function string
	fold     bool
}

func (c *patternCache) get(env *Env, text, flags string) (*pattern, error) {
	if p := c.last.Load(); p.is(text, flags) {
		return p, nil
	}
	own := env.own()
	last := own.patterns[c]
	if last.is(text, flags) {
		return last, nil
	}
	if last != nil {
		delete(own.patterns, c)
		env.release(last.bytes)
	}
	p, err := c.compile(env, text, flags)
	if err != nil {
		return nil, err
	}
	if p.bytes <= smallPattern {
		c.last.Store(p)
		return p, nil
	}
	if own.patterns == nil {
		own.patterns = map[*patternCache]*pattern{}
	}
	own.patterns[c] = p
	return p, nil
}

func (p *pattern) is(text, flags string) bool { return p != nil && p.text == text && p.flags == flags }

// compile compiles a pattern, and accounts for a large one.
func (c *patternCache) compile(env *Env, text, flags string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, &PatternSizeError{c.function}
	}
	options, err := c.options(flags)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(options+text, syntax.Perl)
	if err != nil {
		return nil, c.wrong(err)
	}
	p := &pattern{text: text, flags: flags, bytes: programBytes(parsed)}
	if p.bytes > maxProgram {
		return nil, &PatternSizeError{c.function}
	}
	held := p.bytes
	if held <= smallPattern {
		held = 0
	}
	if err = env.holdBytes(held); err == nil {
		if p.Regexp, err = regexp.Compile(options + text); err == nil {
			return p, nil
		}
		err = c.wrong(err)
	}
	env.release(held)
	return nil, err
}

// options gives the prefix of a pattern for the flags of a call.
func (c *patternCache) options(flags string) (string, error) {
	fold, options := c.fold, ""
	for _, f := range flags {
		switch f {
		case 'c':
			fold = false
		case 'i':
			fold = true
		case 'm':
			options += "m"
		case 'n':
			options += "s"
		default:
			return "", &ArgumentError{c.function, "flag '" + string(f) + "'"}
		}
	}
	if fold {
		options += "i"
	}
	if options == "" {
		return "", nil
	}
	return "(?" + options + ")", nil
}

func (c *patternCache) wrong(err error) error { return &ArgumentError{c.function, err.Error()} }

// programBytes is about the memory of a compiled pattern and, for each of its instructions, which may all be active at once, of the places of
// its groups. Copies made by a repeat share their ranges of letters.
func programBytes(re *syntax.Regexp) int64 {
	const instruction, letter, place = 40, 4, 16
	instructions, letters := programSize(re)
	return instructions*(instruction+place*int64(re.MaxCap())) + letters*letter
}

func programSize(re *syntax.Regexp) (instructions, letters int64) {
	for _, sub := range re.Sub {
		n, l := programSize(sub)
		instructions, letters = instructions+n, letters+l
	}
	switch re.Op {
	case syntax.OpLiteral:
		return int64(len(re.Rune)), int64(len(re.Rune))
	case syntax.OpCharClass:
		return 1, int64(len(re.Rune))
	case syntax.OpCapture:
		return instructions + 2, letters
	case syntax.OpAlternate:
		return instructions + int64(len(re.Sub)), letters
	case syntax.OpRepeat:
		if re.Min == re.Max {
			return instructions * int64(re.Min), letters
		}
		return (instructions + 1) * int64(max(re.Min+1, re.Max)), letters
	case syntax.OpConcat:
		return instructions, letters
	}
	return instructions + 1, letters
}
