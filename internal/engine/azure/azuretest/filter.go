package azuretest

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// literals reads the tokens of a path or a filter.
type literals struct{ text string }

// word reads exactly w.
func (l *literals) word(w string) bool {
	rest, ok := strings.CutPrefix(l.text, w)
	if ok {
		l.text = rest
	}
	return ok
}

// quoted reads a constant in quotes, within which a quote is doubled.
func (l *literals) quoted() (string, bool) {
	if !l.word("'") {
		return "", false
	}
	var out strings.Builder
	for {
		head, rest, ok := strings.Cut(l.text, "'")
		if !ok {
			return "", false
		}
		out.WriteString(head)
		l.text = rest
		if !l.word("'") {
			return out.String(), true
		}
		out.WriteByte('\'')
	}
}

// until reads up to a space or a parenthesis.
func (l *literals) until() string {
	i := strings.IndexAny(l.text, " ()")
	if i < 0 {
		i = len(l.text)
	}
	head := l.text[:i]
	l.text = l.text[i:]
	return head
}

// parseFilter reads a $filter: comparisons with constants under and, or and parentheses; nil for "".
func parseFilter(text string) (*engine.Filter, error) {
	if text == "" {
		return nil, nil
	}
	l := &literals{text: text}
	f, ok := l.or()
	if !ok || l.text != "" {
		return nil, badRequest("filter %q", text)
	}
	return f, nil
}

func (l *literals) or() (*engine.Filter, bool)  { return l.chain(engine.Or, " or ", l.and) }
func (l *literals) and() (*engine.Filter, bool) { return l.chain(engine.And, " and ", l.term) }

func (l *literals) chain(op engine.FilterOp, word string, part func() (*engine.Filter, bool)) (*engine.Filter, bool) {
	f, ok := part()
	if !ok || !strings.HasPrefix(l.text, word) {
		return f, ok
	}
	all := &engine.Filter{Op: op, Kids: []*engine.Filter{f}}
	for l.word(word) {
		f, ok := part()
		if !ok {
			return nil, false
		}
		all.Kids = append(all.Kids, f)
	}
	return all, true
}

var filterOps = map[string]engine.FilterOp{
	"eq": engine.Eq, "gt": engine.Gt, "ge": engine.Ge, "lt": engine.Lt, "le": engine.Le,
}

func (l *literals) term() (*engine.Filter, bool) {
	if l.word("(") {
		f, ok := l.or()
		return f, ok && l.word(")")
	}
	f := &engine.Filter{Property: l.until()}
	if f.Property == "" || !l.word(" ") {
		return nil, false
	}
	op, ok := filterOps[l.until()]
	if !ok || !l.word(" ") {
		return nil, false
	}
	f.Op = op
	f.Value, ok = l.constant()
	return f, ok
}

func (l *literals) constant() (engine.Value, bool) {
	if strings.HasPrefix(l.text, "'") {
		s, ok := l.quoted()
		return engine.Value{Type: engine.String, S: s}, ok
	}
	for _, typed := range []struct {
		prefix string
		parse  func(string) (engine.Value, bool)
	}{{"datetime", dateConstant}, {"guid", guidConstant}, {"X", binaryConstant}} {
		if strings.HasPrefix(l.text, typed.prefix+"'") {
			l.word(typed.prefix)
			s, ok := l.quoted()
			if !ok {
				return engine.Value{}, false
			}
			return typed.parse(s)
		}
	}
	return numberConstant(l.until())
}

func dateConstant(s string) (engine.Value, bool) {
	t, err := time.Parse("2006-01-02T15:04:05.9999999Z", s)
	return engine.Value{Type: engine.DateTime, N: uint64(timeTicks(t))}, err == nil
}

func guidConstant(s string) (engine.Value, bool) {
	return engine.Value{Type: engine.Guid, S: strings.ToLower(s)}, len(s) == 36
}

func binaryConstant(s string) (engine.Value, bool) {
	b, err := hex.DecodeString(s)
	return engine.Value{Type: engine.Binary, S: string(b)}, err == nil
}

func numberConstant(s string) (engine.Value, bool) {
	switch {
	case s == "true" || s == "false":
		v := engine.Value{Type: engine.Boolean}
		if s == "true" {
			v.N = 1
		}
		return v, true
	case strings.HasSuffix(s, "L"):
		n, err := strconv.ParseInt(s[:len(s)-1], 10, 64)
		return engine.Value{Type: engine.Int64, N: uint64(n)}, err == nil
	case strings.ContainsAny(s, "eEnNiI"): // no exponents: the emulator would take them for names
		return engine.Value{}, false
	case strings.Contains(s, "."):
		x, err := strconv.ParseFloat(s, 64)
		return engine.Value{Type: engine.Double, N: math.Float64bits(x)}, err == nil
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return engine.Value{Type: engine.Int32, N: uint64(n)}, err == nil
}
