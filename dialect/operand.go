package dialect

import (
	"strconv"
	"strings"
	"unicode"
)

// bare are the functions that may be called without parentheses.
var bare = set(`CURRENT_TIMESTAMP CURRENT_DATE CURRENT_TIME LOCALTIME LOCALTIMESTAMP UTC_DATE UTC_TIME
	UTC_TIMESTAMP CURRENT_USER`)

// atOperand reads, where an operand is expected, the token i or all of a short form that it begins, and
// returns the token behind it.
func (r *rewriter) atOperand(i int) int {
	f := r.top()
	if f.clause == inTables {
		return r.atTable(i)
	}
	t := &r.p.toks[i]
	switch t.kind {
	case tokString:
		r.valueAt(i)
		r.done()
		for i++; r.p.toks[i].kind == tokString; i++ {
		}
		return i
	case tokInt, tokDecimal, tokFloat, tokHex, tokBit, tokArg, tokSystem, tokUser:
		if t.kind == tokUser && r.p.isAt(i+1, ":=") {
			// @a := x is a call of that name, which ends with the expression.
			r.nameAt(i)
			r.boundary(i+1, "(")
			f.assigned++
			return i + 2
		}
		r.valueAt(i)
		r.done()
		return i + 1
	case tokOp:
		return r.operandMark(i)
	case tokWord:
		return r.operandWord(i)
	case tokQuoted:
		return r.operandName(i)
	}
	r.p.unexpected(i)
	return i
}

// operandMark reads a mark where an operand is expected: a parenthesis, a prefix operator, a star.
func (r *rewriter) operandMark(i int) int {
	p, f := r.p, r.top()
	t := &p.toks[i]
	switch t.word {
	case "(":
		if f.clause != inRows && p.isQuery(i) {
			p.subquery(i)
			r.valueAt(i)
			r.done()
			return p.after(i)
		}
		r.raw(i, "(")
		r.push(frame{kind: groupFrame, clause: inExprs, end: int(t.match), name: i})
	case ")":
		// An empty row or call; anything else is the parser's to refuse.
		if f.kind != callFrame && len(r.frames) != 2 || p.toks[i-1].word != "(" {
			p.fail(i, "expected an expression")
			return i
		}
		return r.closeParen(i)
	case "*":
		r.raw(i, "*")
		r.done()
	case "-", "+", "~", "!":
		r.prefixOperator(i, t.word)
	default:
		p.fail(i, "expected an expression")
	}
	return i + 1
}

// prefixOperator writes an operator in front of its operand; the parser's stack grows with each.
func (r *rewriter) prefixOperator(i int, text string) {
	r.raw(i, text)
	if r.prefix++; r.prefix > maxNesting {
		r.p.fail(i, "more than %d operators in front of one operand", maxNesting)
	}
}

// operandWord reads an unquoted word where an operand is expected.
func (r *rewriter) operandWord(i int) int {
	p, f := r.p, r.top()
	t, next := &p.toks[i], &p.toks[i+1]
	if next.word == "." {
		return r.operandName(i)
	}
	switch t.word {
	case "NULL", "TRUE", "FALSE":
		r.valueAt(i)
		r.done()
		return i + 1
	case "DATE", "TIME", "TIMESTAMP":
		if next.kind == tokString {
			r.valueAt(i)
			r.done()
			return i + 2
		}
	case "DEFAULT":
		if next.word == "(" {
			return r.call(i)
		}
		r.raw(i, "DEFAULT")
		r.done()
		return i + 1
	case "NOT":
		r.prefixOperator(i, "NOT")
		if f.state == notCompared {
			f.first, f.last = len(r.out), len(r.out)
		}
		return i + 1
	case "BINARY":
		r.prefixOperator(i, "BINARY")
		return i + 1
	case "CASE":
		r.raw(i, "CASE")
		r.push(frame{kind: caseFrame, clause: inExprs, name: i})
		return i + 1
	case "WHEN":
		if f.kind == caseFrame && p.toks[i-1].word == "CASE" {
			r.boundary(i, "WHEN")
			return i + 1
		}
	case "EXISTS":
		if p.isQuery(i + 1) {
			p.subquery(i + 1)
			r.nameAt(i)
			r.raw(i, "(")
			r.valueAt(i + 1)
			r.raw(i, ")")
			r.done()
			return p.after(i + 1)
		}
	case "INTERVAL":
		if next.word == "(" && (p.until(i+2, int(next.match), ",") < int(next.match) || !p.toks[next.match+1].isName()) {
			return r.call(i)
		}
		r.prefixOperator(i, "INTERVAL")
		f.intervals++
		return i + 1
	case "ROW":
		if next.word == "(" {
			return i + 1
		}
	case "ANY", "SOME", "ALL":
		if p.isQuery(i + 1) {
			// Conversion finds the word, and the query behind it.
			if w := p.toks[i-1]; f.state != compared || !quantified[w.word] || len(r.out)-f.last != 0 {
				p.fail(i, "expected a comparison such as = before %s (SELECT …)", t.word)
				return i
			}
			p.subquery(i + 1)
			r.valueAt(i)
			r.done()
			return p.after(i + 1)
		}
	}
	if bare[t.word] && next.word != "(" {
		r.nameAt(i)
		r.raw(i, "(")
		r.raw(i, ")")
		r.done()
		return i + 1
	}
	if len(t.word) > 1 && t.word[0] == '_' && next.kind == tokString && charsets[t.word] {
		switch {
		case t.word == "_BINARY":
			r.prefixOperator(i, "BINARY")
		case t.word == "_LATIN1" && !isASCII(p.sql[next.start:next.end]):
			p.unsupported(i, "_latin1 before a text that is not ASCII", "leave it out, as all text is UTF-8")
			return i
		}
		return i + 1 // _utf8mb4'…': all text is UTF-8
	}
	if next.word == "(" && callable[t.word] {
		return r.call(i)
	}
	if reserved[t.word] {
		if t.word == "SELECT" {
			p.fail(i, "a SELECT inside an expression needs parentheses of its own")
		} else {
			p.fail(i, "expected an expression; as a name this word needs backticks")
		}
		return i
	}
	return r.operandName(i)
}

// quantified are the comparisons that may precede ANY (SELECT …) and ALL (SELECT …).
var quantified = set("= <> != < <= > >=")

// charsets are the introducers whose text is valid as it is; that of _latin1 if it is ASCII.
var charsets = set("_UTF8 _UTF8MB3 _UTF8MB4 _ASCII _LATIN1 _BINARY")

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c > unicode.MaxASCII })
}

// operandName reads a column or a call.
func (r *rewriter) operandName(i int) int {
	if r.p.toks[i+1].word == "(" {
		return r.call(i)
	}
	i = r.dotted(i)
	if r.p.toks[i].word == "(" && r.p.toks[i-1].word != "*" {
		r.p.unsupported(i-1, "a function with a database's name in front")
	}
	r.done()
	return i
}

// closeParen reads the ) at token i.
func (r *rewriter) closeParen(i int) int {
	p := r.p
	f := r.top()
	if (f.kind != groupFrame && f.kind != callFrame) || f.end != i {
		p.unexpected(i)
		return i
	}
	r.finish(i)
	if f.kind == callFrame && f.form != nil && f.form.groupConcat {
		// The separator itself is in the form; its string says where that is.
		r.raw(i, "SEPARATOR '"+strconv.Itoa(f.name)+"'")
	}
	r.raw(i, ")")
	name := f.name
	r.frames = r.frames[:len(r.frames)-1]
	r.done()
	if p.toks[name].word == "(" {
		return i + 1
	}
	switch next := p.toks[i+1].word; {
	case next == "FILTER" && p.toks[i+2].word == "(":
		p.unsupported(i+1, "FILTER (WHERE …)")
	case next == "WITHIN" && p.toks[i+2].word == "GROUP":
		p.unsupported(i+1, "WITHIN GROUP")
	}
	return p.over(name, i+1)
}
