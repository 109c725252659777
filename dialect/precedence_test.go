package dialect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// levels are the operators of MySQL's grammar, the loosest first.
const (
	levelOr = iota
	levelXor
	levelAnd
	levelNot
	levelCompare // from the left; the right operand is a predicate
	levelPredicate
	levelBitOr
	levelBitAnd
	levelShift
	levelAdd
	levelMul
	levelBitXor
	levelConcat // || under ANSI quotes
	levelUnary
	levelPrimary
)

var binaryLevels = map[int][]string{
	levelOr: {"OR"}, levelXor: {"XOR"}, levelAnd: {"AND"}, levelCompare: {"=", "<=>", "<>", "<", "<=", ">", ">="},
	levelBitOr: {"|"}, levelBitAnd: {"&"}, levelShift: {"<<", ">>"}, levelAdd: {"+", "-"},
	levelMul: {"*", "/", "DIV", "%"}, levelBitXor: {"^"}, levelConcat: {"||"},
}

// exprGen makes expressions together with the dump of the tree that MySQL's grammar makes of them.
type exprGen struct {
	*rand.Rand
	ansi bool
}

// gen makes an expression that binds at least as close as level.
func (g exprGen) gen(level, depth int) (text, tree string) {
	if depth <= 0 || g.IntN(6) == 0 {
		n := fmt.Sprint(g.IntN(10))
		return n, n
	}
	if g.IntN(6) == 0 { // whatever stands in parentheses
		text, tree = g.gen(levelOr, depth-1)
		return "(" + text + ")", tree
	}
	level += g.IntN(levelPrimary - level + 1)
	switch level {
	case levelNot:
		text, tree = g.gen(levelNot, depth-1)
		return "NOT " + text, "(not " + tree + ")"
	case levelPredicate:
		return g.predicate(depth)
	case levelUnary:
		op := []string{"-", "~", "!", "+"}[g.IntN(4)]
		text, tree = g.gen(levelUnary, depth-1)
		return op + " " + text, "(" + op + " " + tree + ")"
	case levelPrimary:
		return g.primary(depth)
	case levelConcat:
		if !g.ansi {
			return g.gen(levelUnary, depth)
		}
	case levelCompare:
		if g.IntN(4) == 0 {
			text, tree = g.gen(levelCompare, depth-1)
			is := g.IntN(3)
			return text + " IS " + []string{"NULL", "NOT NULL", "TRUE"}[is],
				"(" + []string{"is-null", "not-is-null", "is-true"}[is] + " " + tree + ")"
		}
	}
	ops := binaryLevels[level]
	op := ops[g.IntN(len(ops))]
	l, lt := g.gen(level, depth-1)
	r, rt := g.gen(level+1, depth-1)
	return l + " " + op + " " + r, fmt.Sprintf("(%s %s %s)", strings.ToLower(op), lt, rt)
}

func (g exprGen) predicate(depth int) (text, tree string) {
	x, xt := g.gen(levelBitOr, depth-1)
	not, nt := "", ""
	if g.IntN(3) == 0 {
		not, nt = "NOT ", "not-"
	}
	a, at := g.gen(levelBitOr, depth-1)
	switch g.IntN(4) {
	case 0:
		b, bt := g.gen(levelOr, depth-1)
		return x + " " + not + "IN (" + a + ", " + b + ")", fmt.Sprintf("(%sin %s %s %s)", nt, xt, at, bt)
	case 1:
		return x + " " + not + "LIKE " + a, fmt.Sprintf("(%slike %s %s)", nt, xt, at)
	case 2:
		return x + " " + not + "REGEXP " + a, fmt.Sprintf("(%sregexp %s %s)", nt, xt, at)
	}
	b, bt := g.gen(levelPredicate, depth-1)
	return x + " " + not + "BETWEEN " + a + " AND " + b, fmt.Sprintf("(%sbetween %s %s %s)", nt, xt, at, bt)
}

func (g exprGen) primary(depth int) (text, tree string) {
	a, at := g.gen(levelOr, depth-1)
	b, bt := g.gen(levelOr, depth-1)
	if g.IntN(2) == 0 {
		return "CASE WHEN " + a + " THEN " + b + " END", fmt.Sprintf("Case{Whens:[When{Cond:%s Result:%s}]}", at, bt)
	}
	return "(" + a + ", " + b + ")", fmt.Sprintf("(tuple %s %s)", at, bt)
}

// TestPrecedence reads random expressions without more parentheses than MySQL needs.
func TestPrecedence(t *testing.T) {
	for seed := range uint64(20_000) {
		g := exprGen{Rand: rand.New(rand.NewPCG(seed, 1)), ansi: seed%2 == 0}
		text, want := g.gen(levelOr, 1+int(seed%6))
		e, err := ParseExpr(text, Options{ANSIQuotes: g.ansi})
		if err != nil {
			t.Fatalf("seed %d: %s\n%v\n%s", seed, text, err, err.(*Error).Caret())
		}
		if got := dump(e); got != want {
			t.Fatalf("seed %d: %s\n got %s\nwant %s", seed, text, got, want)
		}
	}
}
