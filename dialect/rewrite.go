package dialect

import "strconv"

// A rewriter turns tokens into a text that the parser reads without guessing: every name becomes `n` and every constant, placeholder and
// subquery :n, where n is the index of its token. What remains are operators and the words that give the text its structure. So the parser
// cannot misread a literal, lose the case of a name or take a keyword for an alias; and each node of its tree leads back to a token, its text
// and its place. The precedence of operators is left to the parser, except for the few that it does not know (comparison, wrap).
type rewriter struct {
	p       *parser
	out     []piece
	frames  []frame
	operand bool // an operand is expected, not an operator
	prefix  int  // prefix operators in a row
	joins   int
	// countAll says that SQL_CALC_FOUND_ROWS precedes the list.
	countAll bool
	items    []item              // of the select list
	hints    map[int][]IndexHint // by the last token of the table that they follow
	windows  []NamedWindow       // of WINDOW
	groups   bool                // the tokens being read are those of GROUP BY
	rollup   bool                // WITH ROLLUP
}

// piece is a part of the text made: a word, a name or a value, with the token that it came from.
type piece struct {
	kind pieceKind
	tok  int32
	open int32 // parentheses to be put in front
	text string
}

type pieceKind uint8

const (
	rawPiece pieceKind = iota
	namePiece
	valuePiece
)

// Values without a token, between two operators: what the first operator really is. Conversion regroups the chain (regroup), because the parser
// has no operator of that precedence.
const (
	xorMark    = ":xor"    // a OR :xor OR b
	concatMark = ":concat" // a ^ :concat ^ b
	memberMark = ":member" // a IN (:member, b)
)

// item is one element of a select list: its expression ends before its alias.
type item struct{ lo, hi int }

// clause is the part of a statement that a frame is in.
type clause uint8

const (
	inList   clause = iota // a select list
	inTables               // FROM, the tables of UPDATE
	inOn                   // behind ON of a join; a comma leads back to inTables
	inExprs                // any other list of expressions
	inSet                  // column = expression, …
	inRows                 // (…), (…) behind VALUES
	inTail                 // between two clauses
)

type frameKind uint8

const (
	blockFrame frameKind = iota // the statement itself
	groupFrame                  // ( … )
	callFrame                   // name( … )
	caseFrame                   // CASE … END
)

// frame is an open statement, parenthesis or CASE.
type frame struct {
	kind   frameKind
	clause clause
	end    int // the token of the closing parenthesis
	form   *form
	name   int // callFrame: the token of the name
	// The comparison being read: where its first operand begins, and where its last one does.
	first, last int
	state       comparing
	closeAfter  int // how many ) are due where the predicate ends
	assigned    int // @a := that are open, to the end of the expression
	between     int // BETWEENs whose AND has not come yet
	upper       int // where the upper bound of the last BETWEEN begins, 0 if none is being read
	intervals   int // INTERVALs whose unit has not come yet
	operators   int
	assign      bool // inSet: the next = assigns
}

// comparing is what the comparison has so far.
type comparing uint8

const (
	notCompared comparing = iota
	compared              // = and its like
	predicated            // IN, LIKE, BETWEEN, REGEXP, IS
)

func (r *rewriter) top() *frame { return &r.frames[len(r.frames)-1] }

func (r *rewriter) raw(tok int, text string) {
	r.out = append(r.out, piece{kind: rawPiece, tok: int32(tok), text: text})
}

func (r *rewriter) nameAt(tok int)  { r.out = append(r.out, piece{kind: namePiece, tok: int32(tok)}) }
func (r *rewriter) valueAt(tok int) { r.out = append(r.out, piece{kind: valuePiece, tok: int32(tok)}) }

// done notes that an operand is complete.
func (r *rewriter) done() {
	r.operand = false
	r.prefix = 0
}

// push opens a frame; its content begins with the next piece.
func (r *rewriter) push(f frame) {
	if len(r.frames) > maxNesting {
		r.p.fail(f.name, "more than %d nested parentheses and CASEs", maxNesting)
		return
	}
	f.first, f.last = len(r.out), len(r.out)
	r.frames = append(r.frames, f)
	r.operand = true
	r.prefix = 0
}

// settle closes what the predicate ending here opened.
func (r *rewriter) settle(tok int) {
	for f := r.top(); f.closeAfter > 0; f.closeAfter-- {
		r.raw(tok, ")")
	}
}

// finish ends the expression: what its last predicate opened, and its assignments to variables.
func (r *rewriter) finish(tok int) {
	r.settle(tok)
	for f := r.top(); f.assigned > 0; f.assigned-- {
		r.raw(tok, ")")
	}
}

// boundary writes the word that ends one comparison and begins another: AND, a comma, WHERE.
func (r *rewriter) boundary(tok int, text string) {
	r.settle(tok)
	r.raw(tok, text)
	f := r.top()
	f.state, f.between, f.upper = notCompared, 0, 0
	f.first, f.last = len(r.out), len(r.out)
	r.operand = true
}

// comparison writes = and the like. These are read from the left, a = b = c as (a = b) = c; the parser, which knows only one, gets the
// parentheses.
func (r *rewriter) comparison(tok int, text string) {
	r.settle(tok)
	f := r.top()
	if f.state != notCompared {
		r.wrap(tok)
	}
	f.state, f.upper = compared, 0
	r.raw(tok, text)
	f.last = len(r.out)
	r.operand = true
	f.operators++
}

// wrap puts the comparison so far in parentheses.
func (r *rewriter) wrap(tok int) {
	r.out[r.top().first].open++
	r.raw(tok, ")")
}

// predicate writes IN, LIKE, BETWEEN or REGEXP. They bind closer than =: a = b IN (c) is a = (b IN (c)).
// An upper bound is a predicate itself: a BETWEEN b AND c LIKE d is a BETWEEN b AND (c LIKE d).
func (r *rewriter) predicate(tok int, not bool, text string) {
	f := r.top()
	switch {
	case f.upper > 0:
		r.out[f.upper].open++
		f.closeAfter++
		f.upper = 0
	case f.state == compared && f.closeAfter == 0:
		r.out[f.last].open++
		f.closeAfter = 1
	case f.state != notCompared:
		r.settle(tok)
		r.wrap(tok)
		f.state = predicated
	default:
		f.state = predicated
	}
	if not {
		r.raw(tok, "NOT")
	}
	r.raw(tok, text)
	r.operand = true
	f.operators++
}

// rewrite reads the tokens lo to hi-1, the first of which is in clause c, and puts head in front.
func (p *parser) rewrite(head string, lo, hi int, c clause) *rewriter {
	r := &rewriter{p: p, out: make([]piece, 0, hi-lo+8), frames: make([]frame, 0, 8)}
	r.raw(lo, head)
	kind := blockFrame
	if c == inExprs {
		kind = groupFrame // an expression has no clauses
	}
	r.push(frame{kind: kind, clause: c, end: hi, name: lo, assign: c == inSet})
	r.operand = c != inTail
	i := lo
	if c == inList {
		i = r.listHead(i)
		r.items = append(r.items, item{lo: i, hi: -1})
	}
	for i < hi && p.err == nil {
		f := r.top()
		switch {
		case f.form != nil && f.form.cut == i:
			i = f.end
		case f.form != nil && (f.form.comma[0] == i || f.form.comma[1] == i):
			r.finish(i)
			r.boundary(i, ",")
			i++
		case r.operand:
			i = r.atOperand(i)
		default:
			i = r.atOperator(i)
		}
		if f := r.top(); f.operators > maxOperators {
			p.fail(i, "more than %d operators in one expression", maxOperators)
		}
	}
	r.finish(hi)
	if r.operand && p.err == nil {
		p.unexpected(hi)
	}
	r.endItem(hi)
	return r
}

// endItem notes that the expression of a select list's element ends before token i.
func (r *rewriter) endItem(i int) {
	if n := len(r.items); n > 0 && r.items[n-1].hi < 0 {
		r.items[n-1].hi = i
	}
}

// listHead passes the words between SELECT and the list.
func (r *rewriter) listHead(i int) int {
	p := r.p
	for ; ; i++ {
		switch p.toks[i].word {
		case "DISTINCT", "DISTINCTROW":
			if p.isAt(i+1, "ON") {
				p.unsupported(i, "DISTINCT ON")
			}
			r.raw(i, "DISTINCT")
			r.top().first, r.top().last = len(r.out), len(r.out)
		case "ALL", "STRAIGHT_JOIN":
			// Noise here.
		case "HIGH_PRIORITY", "SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT", "SQL_CACHE", "SQL_NO_CACHE":
			if w := p.toks[i+1]; w.kind == tokOp && w.word != "*" && w.word != "(" && w.word != "-" || w.kind == tokEnd {
				return i // a column of that name
			}
		case "SQL_CALC_FOUND_ROWS":
			r.countAll = true
		default:
			return i
		}
	}
}

// render is the text for the parser. ends are the offsets after the pieces, by which place finds the token of an error.
func (r *rewriter) render() (text string, ends []int) {
	b := make([]byte, 0, len(r.out)*6)
	ends = make([]int, len(r.out))
	for i := range r.out {
		c := &r.out[i]
		for range c.open {
			b = append(b, '(')
		}
		switch c.kind {
		case rawPiece:
			b = append(b, c.text...)
		case namePiece:
			b = append(b, '`')
			b = strconv.AppendInt(b, int64(c.tok), 10)
			b = append(b, '`')
		case valuePiece:
			b = append(b, ":n"...)
			b = strconv.AppendInt(b, int64(c.tok), 10)
		}
		ends[i] = len(b)
		b = append(b, ' ')
	}
	return string(b), ends
}

// dotted writes a name with its qualifiers, a.b.c or a.*, and returns the token after it.
func (r *rewriter) dotted(i int) int {
	p := r.p
	r.nameAt(i)
	i++
	for n := 0; p.toks[i].word == "." && n < 2; n++ {
		r.raw(i, ".")
		i++
		if p.toks[i].word == "*" {
			r.raw(i, "*")
			return i + 1
		}
		if !p.toks[i].isName() {
			p.fail(i, "expected a name after the dot")
			return i
		}
		r.nameAt(i)
		i++
	}
	return i
}

// atTable reads what appears where a table is expected.
func (r *rewriter) atTable(i int) int {
	p := r.p
	t := &p.toks[i]
	switch {
	case t.word == "(" && p.isQuery(i):
		p.subquery(i)
		r.nameAt(i)
		r.done()
		return p.after(i)
	case t.word == "(":
		r.raw(i, "(")
		r.push(frame{kind: groupFrame, clause: inTables, end: int(t.match), name: i})
		return i + 1
	case t.word == "LATERAL" && p.isQuery(i+1):
		p.subquery(i + 1)
		if p.laterals == nil {
			p.laterals = map[int]bool{}
		}
		p.laterals[i+1] = true
		r.nameAt(i + 1)
		r.done()
		return p.after(i + 1)
	case t.word == "JSON_TABLE" && p.isAt(i+1, "("):
		p.jsonTable(i)
		r.nameAt(i + 1)
		r.done()
		return p.after(i + 1)
	case t.word == "LATERAL":
		p.fail(i+1, "expected (SELECT …)")
	case t.isName():
		i = r.dotted(i)
		switch p.toks[i].word {
		case "(":
			p.unsupported(i-1, "a function as a table")
		case "PARTITION":
			if p.toks[i+1].word == "(" {
				p.unsupported(i, "PARTITION (…) after a table")
			}
		}
		r.done()
		return i
	default:
		p.fail(i, "expected a table")
	}
	return i + 1
}
