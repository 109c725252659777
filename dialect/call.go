package dialect

import "strings"

// form is what a call says besides its arguments, in words that the parser does not read or reads for
// columns alone: CAST(x AS t), EXTRACT(unit FROM x), SUBSTRING(x FROM a FOR b). The rewriter leaves the
// arguments, with commas between them; conversion adds what is kept here.
type form struct {
	cast  *TypeName // of CAST and CONVERT
	using *TypeName // what CHAR(n USING charset) is cast to
	first []Expr    // arguments that go in front
	last  []Expr    // arguments that go behind
	start int       // the token where the arguments begin
	// cut is the token where the arguments end before the call does, comma the tokens that stand for commas; 0: none, because no call begins a
	// text.
	cut   int
	comma [2]int

	groupConcat bool
	separator   *string
}

// call writes the call of the function named at token i, whose parenthesis opens at i+1, up to its first argument.
func (r *rewriter) call(i int) int {
	p := r.p
	f := p.form(i)
	lo := i + 2
	if f != nil {
		if p.forms == nil {
			p.forms = make(map[int]*form)
		}
		p.forms[i] = f
		lo = f.start
	}
	if f != nil && f.groupConcat {
		r.raw(i, "GROUP_CONCAT")
	} else {
		r.nameAt(i)
	}
	r.raw(i+1, "(")
	switch p.toks[lo].word {
	case "DISTINCT":
		r.raw(lo, "DISTINCT")
		lo++
	case "ALL":
		if !p.isQuery(lo + 1) {
			lo++ // noise
		}
	}
	r.push(frame{kind: callFrame, clause: inExprs, end: int(p.toks[i+1].match), form: f, name: i})
	return lo
}

// form reads the form of the call at token i; nil for a plain call.
func (p *parser) form(i int) *form {
	lo, hi := i+2, int(p.toks[i+1].match)
	f := &form{start: lo}
	switch lower(p.name(&p.toks[i])) {
	case "cast":
		f.cut = p.until(lo, hi, "AS")
		if f.cut == hi {
			p.fail(hi, "expected AS and a type")
			return nil
		}
		f.cast = p.typeIn(f.cut+1, hi)
	case "convert":
		p.convertForm(f, hi)
	case "extract", "timestampdiff", "timestampadd":
		unit := &p.toks[lo]
		if unit.kind != tokWord || !p.isAt(lo+1, "FROM") && !p.isAt(lo+1, ",") {
			p.fail(lo, "expected a unit such as DAY")
			return nil
		}
		f.first = []Expr{&Literal{Kind: StringLiteral, Text: strings.TrimPrefix(lower(unit.word), "sql_tsi_")}}
		f.start = lo + 2
	case "get_format":
		if !p.isAt(lo+1, ",") {
			p.fail(lo, "expected DATE, TIME or DATETIME")
			return nil
		}
		f.first = []Expr{&Literal{Kind: StringLiteral, Text: lower(p.textOf(lo, lo+1))}}
		f.start = lo + 2
	case "trim":
		p.trimForm(f, hi)
	case "position":
		if f.comma[0] = p.until(lo, hi, "IN"); f.comma[0] == hi {
			p.fail(hi, "expected IN: POSITION(x IN y)")
		}
	case "substring", "substr", "mid":
		if from := p.until(lo, hi, "FROM"); from < hi {
			f.comma[0] = from
			if n := p.until(from, hi, "FOR"); n < hi {
				f.comma[1] = n
			}
		}
	case "char":
		if u := p.until(lo, hi, "USING"); u < hi {
			f.cut, f.using = u, p.charsetIn(u+1, hi)
		}
	case "group_concat":
		f.groupConcat = true
		if s := p.until(lo, hi, "SEPARATOR"); s < hi {
			if p.toks[s+1].kind != tokString || s+2 != hi {
				p.fail(s+1, "expected a string, and nothing else, after SEPARATOR")
				return nil
			}
			f.cut = s
			text := p.literal(s + 1).Text
			f.separator = &text
		}
	case "json_value":
		p.jsonValueForm(f, hi)
	case "match":
		if p.isAt(hi+1, "AGAINST") {
			p.unsupported(i, "full-text search (MATCH … AGAINST)")
		}
		return nil
	default:
		return nil
	}
	return f
}

// convertForm reads CONVERT(x, type) and CONVERT(x USING charset).
func (p *parser) convertForm(f *form, hi int) {
	if u := p.until(f.start, hi, "USING"); u < hi {
		f.cut, f.cast = u, p.charsetIn(u+1, hi)
		return
	}
	for i := p.until(f.start, hi, ","); i < hi; i = p.until(i+1, hi, ",") {
		f.cut = i
	}
	if f.cut == 0 {
		p.fail(hi, "expected a comma and a type")
		return
	}
	f.cast = p.typeIn(f.cut+1, hi)
}

// charsetIn reads the token lo, which hi follows, as a character set, and gives the type of a text in it.
func (p *parser) charsetIn(lo, hi int) *TypeName {
	if !p.toks[lo].isName() && !p.isAt(lo, "BINARY") || lo+1 != hi {
		p.unexpected(lo)
		return nil
	}
	return &TypeName{Name: "CHAR", Charset: lower(p.name(&p.toks[lo]))}
}

// jsonValueForm reads JSON_VALUE(doc, path [RETURNING type] [… ON EMPTY] [… ON ERROR]). After path the call gets a NULL of the type, then for
// each of the two clauses what to do and the value of DEFAULT.
func (p *parser) jsonValueForm(f *form, hi int) {
	words := []string{"RETURNING", "NULL", "ERROR", "DEFAULT"}
	comma := p.until(f.start, hi, ",")
	if third := p.until(comma+1, hi, ","); third < hi {
		p.unexpected(third)
		return
	}
	at := comma + 2
	if at >= hi {
		return
	}
	if at = p.until(at, hi, words...); at == hi {
		return
	}
	f.cut = at
	returning := &TypeName{Name: "CHAR", Args: []int{512}}
	if p.isAt(at, "RETURNING") {
		end := p.until(at+1, hi, words[1:]...)
		returning = p.typeIn(at+1, end)
		at = end
	}
	f.last = []Expr{&Cast{X: &Literal{Kind: NullLiteral}, Type: *returning}}
	for _, event := range []string{"EMPTY", "ERROR"} {
		what, instead := "NULL", Expr(&Literal{Kind: NullLiteral})
		value := at + 1
		if p.isAt(at, "DEFAULT") {
			value = p.until(at, hi, "ON")
		}
		if at < hi && p.isAt(value, "ON") && p.isAt(value+1, event) {
			if what = p.toks[at].word; what == "DEFAULT" {
				instead = p.jsonDefault(at+1, value)
			}
			at = value + 2
		}
		f.last = append(f.last, &Literal{Kind: StringLiteral, Text: what}, instead)
	}
	if at < hi && p.err == nil {
		p.unexpected(at)
	}
}

// jsonDefault reads the literal of DEFAULT, the tokens lo to hi-1.
func (p *parser) jsonDefault(lo, hi int) Expr {
	sign := ""
	if p.isAt(lo, "-") {
		sign = "-"
		lo++
	}
	t := &p.toks[lo]
	if lo+1 != hi || t.kind == tokWord && t.word != "TRUE" && t.word != "FALSE" && t.word != "NULL" || t.kind == tokArg || t.kind == tokOp {
		p.fail(lo, "expected a literal after DEFAULT")
		return nil
	}
	l := p.literal(lo)
	l.Text = sign + l.Text
	return l
}

// trimForm reads TRIM([[BOTH | LEADING | TRAILING] [chars] FROM] s).
func (p *parser) trimForm(f *form, hi int) {
	side := "both"
	switch w := p.toks[f.start].word; w {
	case "BOTH", "LEADING", "TRAILING":
		side = lower(w)
		f.start++
	}
	f.first = []Expr{&Literal{Kind: StringLiteral, Text: side}}
	switch from := p.until(f.start, hi, "FROM"); from {
	case hi:
		f.first = append(f.first, &Literal{Kind: StringLiteral, Text: " "})
	case f.start:
		f.first = append(f.first, &Literal{Kind: StringLiteral, Text: " "})
		f.start++
	default:
		f.comma[0] = from
	}
}
