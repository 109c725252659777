package dialect

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits of a text. They bound the memory and the stack that a hostile text can take; the figures are
// far above what programs send.
const (
	maxText      = 4 << 20 // bytes of one text
	maxTokens    = 1 << 20 // tokens of one statement
	maxNesting   = 150     // parentheses, CASE and prefix operators, one in the other
	maxOperators = 10_000  // binary operators of one expression
	maxJoins     = 200     // joins of one FROM
	maxArgs      = 65_535  // placeholders
)

// source is a text cut into tokens, the last of them tokEnd.
type source struct {
	sql   string
	opt   Options
	toks  []token
	hints map[int][]string // the comments /*+ … */, by the index of the token that follows them
	names []string         // of :name and @name placeholders
	args  int              // arguments expected
}

// lexer cuts a text into tokens.
type lexer struct {
	source
	pos   int
	open  []int32 // parentheses not closed yet
	style byte    // of the placeholders: '?', '$', ':' or '@', 0 before the first

	byName map[string]int // the index of each of names

	versions *versionComments // where these are recognized
}

// guard refuses what no statement may contain, before anything else is checked, and reads comments for servers.
func guard(sql string, opt Options) (string, *Error) {
	sql = strings.TrimPrefix(sql, "\uFEFF")
	if len(sql) > maxText {
		return "", newError(sql[:200], 0, 0, fmt.Sprintf("the text is longer than %d bytes", maxText))
	}
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return "", newError(sql, i, i+1, `a zero byte in the text: write it as \0 inside a string, or pass it as an argument`)
	}
	return readVersions(sql, opt)
}

// next reads one token and appends it; at the end of the text it appends tokEnd and returns false.
func (l *lexer) next() (bool, *Error) {
	if err := l.skip(); err != nil {
		return false, err
	}
	start := l.pos
	if start == len(l.sql) {
		l.toks = append(l.toks, token{kind: tokEnd, start: int32(start), end: int32(start)})
		return false, nil
	}
	if len(l.toks) >= maxTokens {
		return false, l.fail(start, fmt.Sprintf("more than %d words and marks in one statement", maxTokens))
	}
	t := token{start: int32(start), match: -1}
	if err := l.scan(&t); err != nil {
		return false, err
	}
	t.end = int32(l.pos)
	l.toks = append(l.toks, t)
	return true, nil
}

// scan reads the token that begins at l.pos.
func (l *lexer) scan(t *token) *Error {
	c := l.sql[l.pos]
	switch {
	case c == '\'':
		t.kind = tokString
		return l.quoted(c, true)
	case c == '"':
		t.kind = tokString
		if l.opt.ANSIQuotes {
			t.kind = tokQuoted
		}
		return l.quoted(c, !l.opt.ANSIQuotes)
	case c == '`':
		t.kind = tokQuoted
		return l.quoted(c, false)
	case isDigit(c) || c == '.' && isDigit(l.at(1)) && !l.behindName():
		return l.number(t)
	case isWord(c) && !(c == '$' && isDigit(l.at(1))):
		return l.word(t)
	case c == '?' || c == '$' || c == '@' || c == ':' && l.at(1) != '=':
		return l.argument(t)
	}
	return l.operator(t)
}

// skip passes blanks and comments, and keeps hints.
func (l *lexer) skip() *Error {
	for l.pos < len(l.sql) {
		c := l.sql[l.pos]
		switch {
		case c == ' ' || '\t' <= c && c <= '\r':
			l.pos++
		case c == '#', c == '-' && l.at(1) == '-' && (l.pos+2 == len(l.sql) || l.at(2) <= ' '):
			n := strings.IndexByte(l.sql[l.pos:], '\n')
			if n < 0 {
				l.pos = len(l.sql)
				return nil
			}
			l.pos += n + 1
		case c == '/' && l.at(1) == '*':
			if (l.at(2) == '!' || l.at(2) == 'N' && l.at(3) == '!') && l.versions != nil && l.versions.enter(l) {
				continue
			}
			n := strings.Index(l.sql[l.pos+2:], "*/")
			if n < 0 {
				return l.fail(l.pos, "a comment /* that is not closed by */")
			}
			if l.at(2) == '+' && n > 0 {
				if l.hints == nil {
					l.hints = make(map[int][]string)
				}
				i := len(l.toks)
				l.hints[i] = append(l.hints[i], l.sql[l.pos+3:l.pos+2+n])
			}
			l.pos += n + 4
		case c == '*' && l.at(1) == '/' && l.versions != nil && l.versions.open > 0:
			l.versions.leave(l)
		default:
			return nil
		}
	}
	return nil
}

// at is the octet n after the position; beyond the end 0, which no text contains.
func (l *lexer) at(n int) byte {
	if l.pos+n < len(l.sql) {
		return l.sql[l.pos+n]
	}
	return 0
}

func (l *lexer) fail(pos int, msg string) *Error {
	return newError(l.sql, pos, min(pos+1, len(l.sql)), msg)
}

// behindName says whether the position is directly after a name, where a point is not a decimal point.
func (l *lexer) behindName() bool {
	n := len(l.toks)
	return n > 0 && int(l.toks[n-1].end) == l.pos && (l.toks[n-1].kind == tokWord || l.toks[n-1].kind == tokQuoted)
}

// behindDefiner says whether the next token is the user of DEFINER=, whose name may be empty.
func (l *lexer) behindDefiner() bool {
	n := len(l.toks)
	return n > 1 && l.sql[l.toks[n-1].start] == '=' && strings.EqualFold(l.sql[l.toks[n-2].start:l.toks[n-2].end], "DEFINER")
}

// quoted passes a quoted string or name; the quote inside is doubled or, with escapes, after a backslash.
func (l *lexer) quoted(q byte, escapes bool) *Error {
	start := l.pos
	for l.pos++; l.pos < len(l.sql); l.pos++ {
		switch c := l.sql[l.pos]; {
		case c == '\\' && escapes:
			l.pos++
		case c == q && l.at(1) == q:
			l.pos++
		case c == q:
			l.pos++
			if q == '`' && l.pos == start+2 && !l.behindDefiner() {
				return l.fail(start, "an empty name")
			}
			return nil
		}
	}
	l.pos = len(l.sql)
	return l.fail(start, fmt.Sprintf("a quote %c that is not closed", q))
}

// number passes a number. Digits followed by letters are a name, as in MySQL.
func (l *lexer) number(t *token) *Error {
	start := l.pos
	if l.sql[start] == '0' && (l.at(1) == 'x' || l.at(1) == 'b') && !l.behindPoint() {
		t.kind = tokHex
		digit := isHex
		if l.at(1) == 'b' {
			t.kind, digit = tokBit, isBit
		}
		for l.pos += 2; digit(l.at(0)); l.pos++ {
		}
		if l.pos > start+2 && !isWord(l.at(0)) {
			return nil
		}
		l.pos = start
	}
	t.kind = tokInt
	l.digits()
	if l.at(0) == '.' && !l.behindPoint() {
		t.kind = tokDecimal
		l.pos++
		l.digits()
	}
	if c := l.at(0); c == 'e' || c == 'E' {
		n := 1
		if c := l.at(1); c == '+' || c == '-' {
			n = 2
		}
		if isDigit(l.at(n)) {
			t.kind = tokFloat
			l.pos += n
			l.digits()
		}
	}
	if isWord(l.at(0)) || l.behindPointAt(start) {
		if t.kind != tokInt && strings.ContainsAny(l.sql[start:l.pos], ".+-") {
			return l.fail(l.pos, "a letter after a number")
		}
		l.pos = start
		return l.word(t)
	}
	return nil
}

// behindPoint says whether the position is after the point of a qualified name: what follows is a name even if it begins with a digit.
func (l *lexer) behindPoint() bool { return l.behindPointAt(l.pos) }

func (l *lexer) behindPointAt(pos int) bool {
	n := len(l.toks)
	return n > 0 && l.toks[n-1].word == "." && int(l.toks[n-1].end) == pos
}

func (l *lexer) digits() {
	for isDigit(l.at(0)) {
		l.pos++
	}
}

// word passes an unquoted word, or what a letter before a quote begins: X'…', B'…', N'…'.
func (l *lexer) word(t *token) *Error {
	start := l.pos
	if l.at(1) == '\'' {
		var digit func(byte) bool
		switch l.sql[start] {
		case 'x', 'X':
			t.kind, digit = tokHex, isHex
		case 'b', 'B':
			t.kind, digit = tokBit, isBit
		case 'n', 'N':
			t.kind = tokString
			l.pos++
			return l.quoted('\'', true)
		}
		if digit != nil {
			for l.pos += 2; digit(l.at(0)); l.pos++ {
			}
			if l.at(0) != '\'' || t.kind == tokHex && (l.pos-start)%2 != 0 {
				return l.fail(start, "a wrong "+l.sql[start:start+1]+"'…' literal")
			}
			l.pos++
			return nil
		}
	}
	for isWord(l.at(0)) {
		l.pos++
	}
	t.kind = tokWord
	if !l.behindPointAt(start) {
		t.word = upper(l.sql[start:l.pos]) // directly after a point no word is a keyword
	}
	return nil
}

// argument passes a placeholder or a variable.
func (l *lexer) argument(t *token) *Error {
	start, c := l.pos, l.sql[l.pos]
	l.pos++
	t.kind = tokArg
	switch c {
	case '?':
		t.arg = int32(l.args)
		l.args++
	case '$':
		l.digits()
		n, err := strconv.Atoi(l.sql[start+1 : l.pos])
		if err != nil || n < 1 || n > maxArgs {
			return l.fail(start, "numbered placeholders begin with $1")
		}
		t.arg = int32(n - 1)
		l.args = max(l.args, n)
	default:
		if c == '@' && l.at(0) == '@' {
			t.kind = tokSystem
			for l.pos++; isWord(l.at(0)) || l.at(0) == '.' || l.at(0) == '`'; l.pos++ {
			}
			return nil
		}
		if q := l.at(0); c == '@' && (q == '`' || q == '\'' || q == '"') {
			t.kind = tokUser
			return l.quoted(q, false)
		}
		for isWord(l.at(0)) {
			l.pos++
		}
		if l.pos == start+1 {
			return l.fail(start, fmt.Sprintf("a name is missing after %c", c))
		}
		if c == '@' && len(l.toks) > 0 && ofVariables[l.toks[0].word] {
			t.kind = tokUser // SET @a = 1: there a variable is meant, not an argument
			return nil
		}
		t.arg = int32(l.nameIndex(l.sql[start+1 : l.pos]))
	}
	if variables := l.style == '@' && c == '?' || l.style == '?' && c == '@'; variables {
		c = '?' // setVariables makes variables of all @name next to it
	} else if l.style != 0 && l.style != c {
		return l.fail(start, fmt.Sprintf("placeholders of two kinds, %c and %c, in one statement", l.style, c))
	}
	l.style = c
	if l.args > maxArgs {
		return l.fail(start, fmt.Sprintf("more than %d placeholders", maxArgs))
	}
	return nil
}

// ofVariables are the words that begin statements in which @name is never an argument.
var ofVariables = set("SET PREPARE EXECUTE")

// setVariables makes session variables of those @name that the statement itself sets, by := or INTO: their values change while it runs. The
// others stay arguments, unless there are placeholders without a name.
func (s *source) setVariables() {
	var sets map[string]bool
	into, named, marks := false, false, false
	for i := range s.toks[:len(s.toks)-1] {
		t := &s.toks[i]
		at := t.kind == tokArg && s.sql[t.start] == '@'
		named, marks = named || at, marks || t.kind == tokArg && s.sql[t.start] == '?'
		into = t.word == "INTO" || into && (at || t.word == ",")
		if at && (into || s.toks[i+1].word == ":=") {
			if sets == nil {
				sets = map[string]bool{}
			}
			sets[lower(s.sql[t.start+1:t.end])] = true
		}
	}
	if named && marks {
		s.onlyMarks()
		return
	}
	if sets == nil {
		return
	}
	l := lexer{}
	for i := range s.toks {
		switch t := &s.toks[i]; {
		case t.kind != tokArg:
		case sets[lower(s.sql[t.start+1:t.end])]:
			t.kind = tokUser
		default:
			t.arg = int32(l.nameIndex(s.sql[t.start+1 : t.end]))
		}
	}
	s.names, s.args = l.names, l.args
}

// onlyMarks keeps only the arguments that ? marks.
func (s *source) onlyMarks() {
	s.names, s.args = nil, 0
	for i := range s.toks {
		switch t := &s.toks[i]; {
		case t.kind != tokArg:
		case s.sql[t.start] == '@':
			t.kind = tokUser
		default:
			t.arg = int32(s.args)
			s.args++
		}
	}
}

// nameIndex is the index of a named argument; equal names are one argument.
func (l *lexer) nameIndex(name string) int {
	if i, ok := l.byName[name]; ok {
		return i
	}
	if l.byName == nil {
		l.byName = make(map[string]int)
	}
	l.byName[name] = len(l.names)
	l.names = append(l.names, name)
	l.args = len(l.names)
	return l.args - 1
}

// operators are the operators of several octets, the longest first.
var operators = []string{"<=>", "->>", "<=", ">=", "<>", "!=", "<<", ">>", "&&", "||", "->", ":="}

// operator passes an operator or a mark, and pairs parentheses.
func (l *lexer) operator(t *token) *Error {
	t.kind = tokOp
	for _, op := range operators {
		if strings.HasPrefix(l.sql[l.pos:], op) {
			t.word = op
			l.pos += len(op)
			return nil
		}
	}
	c := l.sql[l.pos]
	if strings.IndexByte("+-*/%^&|~!=<>(),.;", c) < 0 {
		return l.fail(l.pos, "a character that has no meaning here")
	}
	t.word = l.sql[l.pos : l.pos+1]
	switch c {
	case '(':
		if len(l.open) >= maxNesting {
			return l.fail(l.pos, fmt.Sprintf("more than %d nested parentheses", maxNesting))
		}
		l.open = append(l.open, int32(len(l.toks)))
	case ')':
		n := len(l.open)
		if n == 0 {
			return l.fail(l.pos, "no ( before this )")
		}
		t.match = l.open[n-1]
		l.toks[t.match].match = int32(len(l.toks))
		l.open = l.open[:n-1]
	}
	l.pos++
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isBit(c byte) bool   { return c == '0' || c == '1' }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isWord says whether c can be part of an unquoted name.
func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || isDigit(c) || c == '_' || c == '$' || c >= 0x80
}
