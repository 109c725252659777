package dialect

import "strings"

// maxShape is the longest text that has a shape.
const maxShape = 4 << 10

// Shape replaces literals by ?: in a SELECT, UPDATE or DELETE of one query block, those after = in its conditions, and in the SET of an UPDATE;
// in an INSERT, those in its rows. So statements that differ only in these have the same shape. A text without such literals has none, nor has
// one with arguments, variables, hints or a semicolon, or one that reads information_schema.
func Shape(sql string, opt Options) (shape string, literals []*Literal, ok bool) {
	if len(sql) > maxShape || strings.IndexByte(sql, 0) >= 0 || hasVersions(sql) {
		return "", nil, false
	}
	insert := false
	l := lexer{source: source{sql: sql, opt: opt, toks: make([]token, 0, 16+len(sql)/5)}}
	for more := true; more; {
		var err *Error
		if more, err = l.next(); err != nil {
			return "", nil, false
		}
		n := len(l.toks) - 1
		switch t := &l.toks[n]; {
		case n == 0 && t.word == "INSERT":
			insert = true
		case n == 0 && t.word != "SELECT" && t.word != "UPDATE" && t.word != "DELETE", n > 0 && t.word == "SELECT", t.word == ";":
			return "", nil, false
		case t.word == "INFORMATION_SCHEMA": // its tables are made again at each planning
			return "", nil, false
		case t.kind == tokArg || t.kind == tokSystem || t.kind == tokUser || l.hints != nil:
			return "", nil, false
		}
	}
	p := parser{source: l.source}
	var b strings.Builder
	cuts, done := false, 0
	for i := 1; i < len(l.toks)-1; i++ {
		t := &l.toks[i]
		cuts = cuts || t.word == "WHERE" || t.word == "SET" || insert && (t.word == "VALUES" || t.word == "VALUE")
		if !cuts || !p.isCut(i, insert) {
			continue
		}
		if before := l.toks[i-1].word; before != "=" && (!insert || before != "(" && before != ",") {
			continue
		}
		literals = append(literals, p.literal(i))
		b.WriteString(sql[done:t.start])
		b.WriteByte('?')
		done = int(t.end)
	}
	if literals == nil {
		return "", nil, false
	}
	b.WriteString(sql[done:])
	return b.String(), literals, true
}

// isCut says whether token i is a text or a small number, and a whole operand. In rows it may have a point.
func (p *parser) isCut(i int, inRows bool) bool {
	const small = 18 // digits
	t, next := &p.toks[i], &p.toks[i+1]
	switch {
	case t.kind == tokString:
	case (t.kind == tokInt || inRows && t.kind == tokDecimal) && t.end-t.start <= small:
	default:
		return false
	}
	switch next.word {
	case "AND", "WHERE", ",", ")":
		return true
	}
	return next.kind == tokEnd
}
