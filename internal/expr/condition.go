package expr

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

var (
	trueNode  Node = &Const{V: value.FromInt(1), T: truthType}
	falseNode Node = &Const{V: value.FromInt(0), T: truthType}
	nullNode  Node = &Const{T: truthType}
)

// isCondition says whether n yields only 1, 0 and NULL.
func isCondition(n Node) bool {
	switch n := n.(type) {
	case *Compare, *Logic, *Not, *Is, *Like, *In:
		return true
	case *Subquery:
		return n.Kind != ScalarSubquery
	case *Call:
		return n.Func.condition
	case *Const:
		return n.V.IsNull() || n.V.Kind() == value.Int && (n.V.Int() == 0 || n.V.Int() == 1)
	}
	return false
}

// NewCompare makes l op r. Rows of values compare position by position: their = <> <=> become logic over
// single comparisons, their < <= > >= stay one Compare.
func NewCompare(op CompareOp, l, r Node) (Node, error) {
	l, r, err := alikeYears(l, r)
	if err != nil {
		return nil, err
	}
	return compareAmong("", nil, op, l, r)
}

// compareAmong is NewCompare for an operation that compares l with r and others, by the collation that all of them share.
func compareAmong(operation string, all []Node, op CompareOp, l, r Node) (Node, error) {
	if size(l) != size(r) {
		return nil, &OperandError{Want: size(l)}
	}
	l, r, err := alike(l, r)
	if err != nil {
		return nil, err
	}
	lt, lok := l.(*Tuple)
	rt, rok := r.(*Tuple)
	if !lok && !rok {
		if op != NullEq && (IsNullConst(l) || IsNullConst(r)) {
			return &Const{T: truthType}, nil
		}
		if !collates(l.Type()) || !collates(r.Type()) || len(all) == 0 {
			operation, all = strings.TrimSpace(compareText[op]), []Node{l, r}
		}
		c, err := Comparable(operation, all...)
		if err != nil {
			return nil, err
		}
		return fold(&Compare{Op: op, L: l, R: r, Collation: c}), nil
	}
	if !lok || !rok || op != Eq && op != Ne && op != NullEq {
		for i := 0; lok && rok && i < len(lt.List); i++ {
			if err := single(lt.List[i], rt.List[i]); err != nil {
				return nil, err
			}
			if _, err := Comparable(strings.TrimSpace(compareText[op]), lt.List[i], rt.List[i]); err != nil {
				return nil, err
			}
		}
		return fold(&Compare{Op: op, L: l, R: r}), nil
	}
	kids := make([]Node, len(lt.List))
	for i := range kids {
		k, err := compareAmong("", nil, op, lt.List[i], rt.List[i])
		if err != nil {
			return nil, err
		}
		kids[i] = k
	}
	if op == Ne {
		return NewLogic(Or, kids...)
	}
	return NewLogic(And, kids...)
}

// IsNullConst says whether n is NULL as written, or was simplified to it.
func IsNullConst(n Node) bool {
	c, ok := n.(*Const)
	return ok && c.V.IsNull()
}

// NewLogic joins conditions. ANDs within AND and ORs within OR are flattened; constants that decide, or have no effect, are dropped.
func NewLogic(op LogicOp, kids ...Node) (Node, error) {
	if err := single(kids...); err != nil {
		return nil, err
	}
	if op == Xor {
		if len(kids) == 1 {
			return kids[0], nil
		}
		return fold(&Logic{Op: op, Kids: kids}), nil
	}
	flat := make([]Node, 0, len(kids))
	neutral, deciding := trueNode, falseNode
	if op == Or {
		neutral, deciding = falseNode, trueNode
	}
	other := false
	for _, k := range kids {
		if l, ok := k.(*Logic); ok && l.Op == op {
			flat = append(flat, l.Kids...)
			continue
		}
		c, ok := k.(*Const)
		if !ok || !value.ReadsAsNumber(c.V) {
			flat = append(flat, k)
			continue
		}
		truth, isNull := value.Truth(c.V)
		switch {
		case isNull:
			flat = append(flat, nullNode)
		case truth == (op == Or):
			if before := slices.DeleteFunc(flat, func(k Node) bool { return !isLiteral(k) || IsNullConst(k) }); len(before) > 0 {
				return &Logic{Op: op, Kids: append(before, deciding)}, nil // their warnings must appear
			}
			return deciding, nil
		default:
			other = true
		}
	}
	if i := slices.IndexFunc(flat, IsNullConst); i >= 0 { // one is enough
		flat = append(flat[:i+1], slices.DeleteFunc(flat[i+1:], IsNullConst)...)
	}
	switch {
	case len(flat) == 0:
		return neutral, nil
	case len(flat) > 1:
		return &Logic{Op: op, Kids: flat}, nil
	case isCondition(flat[0]):
		return flat[0], nil
	case other || len(kids) > 1:
		// x AND 1 is the truth of x, not x.
		return &Logic{Op: op, Kids: append(flat, neutral)}, nil
	}
	return flat[0], nil
}

// isLiteral says whether n is made only of literals.
func isLiteral(n Node) bool {
	literal := true
	Walk(n, func(n Node) bool {
		switch n.(type) {
		case *Column, *Param, *Subquery:
			literal = false
		}
		return literal
	})
	return literal
}

var negated = [...]CompareOp{Eq: Ne, Ne: Eq, Lt: Ge, Le: Gt, Gt: Le, Ge: Lt, NullEq: NullEq}

// NewNot makes NOT x. It is pushed into comparisons, IN, EXISTS, LIKE, IS, AND and OR if three-valued logic allows; NOT EXISTS and NOT IN set
// the Subquery's Not.
func NewNot(x Node) (Node, error) {
	if err := single(x); err != nil {
		return nil, err
	}
	switch n := x.(type) {
	case *Compare:
		if n.Op != NullEq {
			c := *n
			c.Op = negated[n.Op]
			return &c, nil
		}
	case *Logic:
		if n.Op == Xor {
			break
		}
		kids := make([]Node, len(n.Kids))
		for i, k := range n.Kids {
			var err error
			if kids[i], err = NewNot(k); err != nil {
				return nil, err
			}
		}
		if n.Both {
			return &Logic{Op: And + Or - n.Op, Kids: kids, Both: true}, nil
		}
		return NewLogic(And+Or-n.Op, kids...)
	case *Not:
		if isCondition(n.X) {
			return n.X, nil
		}
	case *Is:
		c := *n
		c.Not = !n.Not
		return &c, nil
	case *Like:
		c := *n
		c.Not = !n.Not
		return &c, nil
	case *In:
		c := *n
		c.Not = !n.Not
		return &c, nil
	case *Subquery:
		if n.Kind != ScalarSubquery {
			c := *n
			c.Not = !n.Not
			return &c, nil
		}
	}
	return fold(&Not{X: x}), nil
}

// NewIs makes x IS [NOT] NULL, TRUE or FALSE.
func NewIs(x Node, what IsWhat, not bool) (Node, error) {
	if err := single(x); err != nil {
		return nil, err
	}
	return fold(&Is{X: x, What: what, Not: not}), nil
}

// NewLike makes x [NOT] LIKE pattern; escape 0 is none.
func NewLike(x, pattern Node, escape rune, not bool) (Node, error) {
	if err := single(x, pattern); err != nil {
		return nil, err
	}
	c, err := Comparable("like", x, pattern)
	if err != nil {
		return nil, err
	}
	return fold(&Like{X: x, Pattern: pattern, Escape: escape, Not: not, Collation: c}), nil
}

// NewRegexp makes x [NOT] REGEXP pattern, in RE2's syntax.
func NewRegexp(x, pattern Node, not bool) (Node, error) {
	n, err := NewCall("REGEXP_LIKE", []Node{x, pattern})
	if err != nil || !not {
		return n, err
	}
	return NewNot(n)
}

// NewIn makes x [NOT] IN (list).
func NewIn(x Node, list []Node, not bool) (Node, error) {
	if len(list) == 0 {
		return nil, &ArgumentError{"IN", "an empty list"}
	}
	for _, e := range list {
		if size(e) != size(x) {
			return nil, &OperandError{Want: size(x)}
		}
	}
	if len(list) == 1 {
		op := Eq
		if not {
			op = Ne
		}
		return NewCompare(op, x, list[0])
	}
	with, constants := make([]Node, len(list)), !slices.ContainsFunc(list, func(e Node) bool { return !IsConst(e) })
	for i, e := range list {
		if constants {
			e = besideYear(x, e)
		}
		var err error
		if _, with[i], err = alike(x, e); err != nil {
			return nil, err
		}
	}
	list = with
	xt, ok := x.(*Tuple)
	if !ok {
		if IsNullConst(x) {
			return &Const{T: truthType}, nil
		}
		c, err := Comparable("IN", append([]Node{x}, list...)...)
		if err != nil {
			return nil, err
		}
		return fold(&In{X: x, List: list, Not: not, Collation: c}), nil
	}
	if err := single(xt.List...); err != nil {
		return nil, err
	}
	for _, e := range list {
		t, ok := e.(*Tuple)
		if !ok {
			return nil, &OperandError{Want: len(xt.List)}
		}
		if err := single(t.List...); err != nil {
			return nil, err
		}
		for i := range t.List {
			if _, err := Comparable("IN", xt.List[i], t.List[i]); err != nil {
				return nil, err
			}
		}
	}
	return fold(&In{X: x, List: list, Not: not}), nil
}

// NewBetween makes x [NOT] BETWEEN lo AND hi: x >= lo AND x <= hi by one type for all three, except that a volatile x is
// computed once.
func NewBetween(x, lo, hi Node, not bool) (Node, error) {
	operands, err := allAlike(x, besideYear(x, lo), besideYear(x, hi))
	if err != nil {
		return nil, err
	}
	x, lo, hi = operands[0], operands[1], operands[2]
	if weight(x, largeOperand) >= largeOperand || VolatilityOf(x) == Volatile {
		n, err := newCall(betweenFunction, []Node{x, lo, hi})
		if err != nil || !not {
			return n, err
		}
		return NewNot(n)
	}
	from, err := compareAmong("between", operands, Ge, x, lo)
	if err != nil {
		return nil, err
	}
	to, err := compareAmong("between", operands, Le, x, hi)
	if err != nil {
		return nil, err
	}
	n, err := NewLogic(And, from, to)
	if (tells(x, lo) || tells(x, hi)) && (!isConstant(from) || !isConstant(to)) {
		n = &Logic{Op: And, Kids: []Node{from, to}, Both: true}
	}
	if err != nil || !not {
		return n, err
	}
	return NewNot(n)
}

// tells says whether a bound of x BETWEEN may fail or warn: then it is computed even if the other one decides.
func tells(x, bound Node) bool {
	switch n := bound.(type) {
	case *Const:
		return isNumber(x.Type()) && !value.ReadsAsNumber(n.V)
	case *Column, *Param, *Subquery:
		return false
	case *Call:
		return n.Func != besideFunction && n.Func != besideZoned && !HasSubquery(n)
	}
	return !HasSubquery(bound)
}

// compileBetween compiles BETWEEN of an operand that is computed once.
func compileBetween(n *Call) Func {
	args, collation := compileAll(n.Args), CollationOf(n.Args...)
	return func(env *Env) (value.Value, error) {
		x, err := args[0](env)
		if err != nil || x.IsNull() {
			return value.NullValue, err
		}
		both := isTrue
		for i, op := range [...]CompareOp{Ge, Le} {
			bound, err := args[i+1](env)
			if err != nil {
				return bound, err
			}
			t, err := compare(env, op, x, bound, collation)
			if err != nil {
				return value.NullValue, err
			}
			if t == isFalse || both == isTrue {
				both = t
			}
		}
		return truthValues[both], nil
	}
}
