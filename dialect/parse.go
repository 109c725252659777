package dialect

import (
	"fmt"
	"strings"
)

// Parse reads one statement. Only a semicolon, blanks and comments may follow it; a text that holds nothing else is a *NoOp. The error is always
// an *Error.
func Parse(sql string, opt Options) (*Parsed, error) {
	p, err := newParser(sql, opt)
	if err != nil {
		return nil, err
	}
	stmt := p.statement()
	if p.err == nil && p.tok().kind != tokEnd {
		p.unexpected(p.pos)
	}
	if p.second != nil && (p.err == nil || p.err.Unsupported == "") {
		p.err = p.second // the body of a procedure has semicolons; that it is a procedure says more
	}
	if p.err != nil {
		return nil, p.err
	}
	text := "" // from the beginning, so that places in the statement are places in it
	if n := p.end(); n > 0 {
		text = p.sql[:p.toks[n-1].end]
	}
	return &Parsed{Statement: stmt, Text: text, Placeholders: p.args, Names: p.names, Variables: p.namesVariables(), Diagnostic: p.diagnostic}, nil
}

// ParseExpr reads one expression, such as a default or a check that was stored as text. It may contain neither placeholders nor a semicolon. The
// error is always an *Error.
func ParseExpr(sql string, opt Options) (Expr, error) {
	p, err := newParser(sql, opt)
	if err != nil {
		return nil, err
	}
	e := p.expression(0, p.end())
	switch {
	case p.err != nil:
		return nil, p.err
	case p.second != nil:
		return nil, p.second
	case p.args > 0:
		p.fail(0, "a placeholder in an expression of a definition")
		return nil, p.err
	}
	return e, nil
}

// Unqualified gives the text of an expression without the tables of its columns: a > 0 for t.a > 0. A text that is not an expression stays as it
// is.
func Unqualified(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	p, err := newParser(text, Options{})
	if err != nil {
		return text
	}
	var out strings.Builder
	done := 0
	for i := 0; i+2 < len(p.toks); i++ {
		if p.toks[i].isName() && p.toks[i+1].word == "." && p.toks[i+2].isName() {
			out.WriteString(p.sql[done:p.toks[i].start])
			done = int(p.toks[i+2].start)
		}
	}
	return out.String() + p.sql[done:]
}

// Split cuts a text at the semicolons between its statements, those in strings and comments excepted.
// Statements without words are left out. The statements themselves are not parsed. The error is always
// an *Error.
func Split(sql string, opt Options) ([]string, error) {
	sql, err := guard(sql, opt)
	if err != nil {
		return nil, err
	}
	var out []string
	l := lexer{source: source{sql: sql, opt: opt}}
	start := 0
	for more := true; more; {
		if more, err = l.next(); err != nil {
			return nil, err
		}
		last := &l.toks[len(l.toks)-1]
		if more && last.word != ";" {
			continue
		}
		if len(l.toks) > 1 {
			text := strings.Trim(sql[start:last.start], blanks)
			if more && strings.HasSuffix(text, "--") {
				text += ";" // without it the two characters would begin a comment
			}
			out = append(out, text)
		}
		start = int(last.end)
		l = lexer{source: source{sql: sql, opt: opt, toks: l.toks[:0]}, pos: start}
	}
	return out, nil
}

// blanks are the characters that the lexer passes over.
const blanks = " \t\n\v\f\r"

// parser reads one statement from its tokens. The first error stays, and puts the cursor at the end, so that every loop stops there and callers
// need not check.
type parser struct {
	source
	pos int // the cursor: an index of toks
	err *Error
	// second is the complaint about a second statement, if there is one.
	second *Error
	// queries are the subqueries that were read, by the token of their opening parenthesis.
	queries map[int]Query
	// forms are the calls with special forms, such as CAST(x AS t), by the token of their name.
	forms map[int]*form
	// windows are what OVER says of calls, by the token of the function's name.
	windows map[int]*Window
	// derived are the columns after the aliases of queries in FROM, by the token of the query's parenthesis.
	derived map[int][]string
	// laterals are the queries in FROM after LATERAL, by the token of their parenthesis.
	laterals map[int]bool
	// blocks counts the query blocks of the statement.
	blocks int
	// into are the variables of SELECT … INTO.
	into []string
	// nested is how many queries are open inside the statement's query.
	nested int
	// newRow is the name by which an upsert refers to the row that it could not insert: excluded.
	newRow string
	// marks says that the elements of select lists record their places.
	marks bool
	// diagnostic says that the statement asks for the conditions of the previous one.
	diagnostic bool
}

func newParser(sql string, opt Options) (*parser, error) {
	sql, err := guard(sql, opt)
	if err != nil {
		return nil, err
	}
	l := lexer{source: source{sql: sql, opt: opt, toks: make([]token, 0, 16+len(sql)/5)}}
	var last *token
	for more := true; more; {
		if more, err = l.next(); err != nil {
			return nil, err
		}
		last = &l.toks[len(l.toks)-1]
		more = more && last.word != ";"
	}
	*last = token{kind: tokEnd, start: last.start, end: last.start}
	if len(l.open) > 0 {
		t := &l.toks[l.open[len(l.open)-1]]
		return nil, newError(sql, int(t.start), int(t.end), "a ( that is not closed")
	}
	l.setVariables()
	p := &parser{source: l.source}
	rest := lexer{source: source{sql: sql, opt: opt}, pos: l.pos}
	for p.second == nil {
		more, err := rest.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if t := rest.toks[len(rest.toks)-1]; t.word != ";" {
			p.second = newError(sql, int(t.start), int(t.end), "a second statement after the semicolon")
		}
	}
	return p, nil
}

// namesVariables says whether arguments are named as @name, and may be variables of the session.
func (p *parser) namesVariables() bool {
	for i := range p.toks {
		if t := &p.toks[i]; t.kind == tokArg {
			return p.sql[t.start] == '@'
		}
	}
	return false
}

// textOf is the text of the tokens lo to hi-1.
func (p *parser) textOf(lo, hi int) string {
	if lo >= hi {
		return ""
	}
	return p.sql[p.toks[lo].start:p.toks[hi-1].end]
}

// fail notes an error at token i, if it is the first.
func (p *parser) fail(i int, format string, args ...any) {
	if p.err == nil {
		t := &p.toks[min(i, len(p.toks)-1)]
		p.err = newError(p.sql, int(t.start), int(t.end), fmt.Sprintf(format, args...))
	}
	p.pos = len(p.toks) - 1
}

// unsupported notes at token i a feature that is known but not supported, with a hint at an alternative.
func (p *parser) unsupported(i int, feature string, hint ...string) {
	if p.err == nil {
		p.fail(i, "%s", strings.Join(hint, ""))
		p.err.Unsupported = feature
	}
}

// unexpected notes that token i cannot be where it is.
func (p *parser) unexpected(i int) {
	switch t := &p.toks[min(i, len(p.toks)-1)]; {
	case t.kind == tokEnd:
		p.fail(i, "the statement is not complete")
	case reserved[t.word]:
		p.fail(i, "unexpected word; as a name it needs backticks")
	default:
		hint := didYouMean(t.word)
		for n := i - 1; hint == "" && p.isAlias(n); n-- {
			hint = didYouMean(p.toks[n].word)
		}
		p.fail(i, "unexpected here%s", hint)
	}
}

// isAlias says whether token i is where an alias without AS would be. The grammar takes a misspelt keyword for one, and is then confused by what
// follows.
func (p *parser) isAlias(i int) bool {
	if i < 1 || p.toks[i].kind != tokWord {
		return false
	}
	before := &p.toks[i-1]
	return before.isName() || before.word == ")" || before.word == "*" || before.kind >= tokString && before.kind < tokOp
}

// tok is the token at the cursor.
func (p *parser) tok() *token { return &p.toks[p.pos] }

// peek is the token n behind the cursor, or the end.
func (p *parser) peek(n int) *token { return &p.toks[min(p.pos+n, len(p.toks)-1)] }

// is says whether the words are at the cursor, one after the other.
func (p *parser) is(words ...string) bool { return p.isAt(p.pos, words...) }

func (p *parser) isAt(i int, words ...string) bool {
	for n, w := range words {
		if i+n >= len(p.toks) || p.toks[i+n].word != w {
			return false
		}
	}
	return true
}

// oneOf says whether one of the words is at the cursor.
func (p *parser) oneOf(words ...string) bool {
	for _, w := range words {
		if p.tok().word == w {
			return true
		}
	}
	return false
}

// accept passes the words if they are at the cursor.
func (p *parser) accept(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.pos += len(words)
	return true
}

// expect passes the words, or fails.
func (p *parser) expect(words ...string) {
	for _, w := range words {
		if !p.accept(w) {
			p.fail(p.pos, "expected %s%s", w, didYouMean(p.tok().word))
			return
		}
	}
}

// ident passes a name.
func (p *parser) ident() string {
	t := p.tok()
	if !t.isName() {
		p.fail(p.pos, "expected a name")
		return ""
	}
	p.pos++
	return p.name(t)
}

// identList passes (name, name, …).
func (p *parser) identList() []string {
	var names []string
	p.expect("(")
	for p.err == nil {
		names = append(names, p.ident())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return names
}

// tableName passes [database.]table.
func (p *parser) tableName() TableName {
	n := TableName{Pos: Pos(p.tok().start)}
	n.Name = p.ident()
	if p.accept(".") {
		n.Database, n.Name = n.Name, p.ident()
	}
	return n
}

// tableNames passes a list of tables.
func (p *parser) tableNames() []TableName {
	names := []TableName{p.tableName()}
	for p.accept(",") {
		names = append(names, p.tableName())
	}
	return names
}

// str passes a string.
func (p *parser) str() string {
	if p.tok().kind != tokString {
		p.fail(p.pos, "expected a string")
		return ""
	}
	s := p.literal(p.pos).Text
	for p.tok().kind == tokString {
		p.pos++
	}
	return s
}

// integer passes a whole number below 1,000,000,000.
func (p *parser) integer() int {
	n := 0
	if t := p.tok(); t.kind == tokInt && t.end-t.start < 10 {
		for _, c := range p.sql[t.start:t.end] {
			n = n*10 + int(c-'0')
		}
		p.pos++
		return n
	}
	p.fail(p.pos, "expected a number")
	return 0
}

// until is the first token from i on, outside of parentheses, that is one of the words; hi if there is none.
func (p *parser) until(i, hi int, words ...string) int {
	for ; i < hi; i = p.after(i) {
		for _, w := range words {
			if p.toks[i].word == w {
				return i
			}
		}
	}
	return hi
}

// after is the token after token i, or after the parentheses that it opens.
func (p *parser) after(i int) int {
	if p.toks[i].word == "(" {
		return int(p.toks[i].match) + 1
	}
	return i + 1
}

// end is the index of the token behind the last one.
func (p *parser) end() int { return len(p.toks) - 1 }

// finish passes the tokens up to hi.
func (p *parser) finish(hi int) {
	if p.err == nil {
		p.pos = hi
	}
}
