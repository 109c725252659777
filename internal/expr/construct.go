package expr

import (
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// NewConst makes a constant of v's own type.
func NewConst(v value.Value) Node { return &Const{V: v, T: value.TypeOf(v)} }

// NewTruth makes TRUE or FALSE: 1 or 0, and true or false in JSON.
func NewTruth(b bool) Node {
	if b {
		return trueNode
	}
	return falseNode
}

// NewParam makes the argument number i, 0-based.
func NewParam(i int) Node { return &Param{Index: i} }

// single refuses a row of values where a single value belongs.
func single(nodes ...Node) error {
	for _, n := range nodes {
		if size(n) != 1 {
			return &OperandError{Want: 1}
		}
	}
	return nil
}

// size is the number of values of n: more than one for a Tuple and a row subquery.
func size(n Node) int {
	switch n := n.(type) {
	case *Tuple:
		return len(n.List)
	case *Subquery:
		if n.Kind == ScalarSubquery && n.Columns > 1 {
			return n.Columns
		}
	}
	return 1
}

// NewArith makes l op r, op one of + - * / div % & | ^ << >>.
func NewArith(op string, l, r Node) (Node, error) {
	if err := single(l, r); err != nil {
		return nil, err
	}
	if arithFunc(op) == nil {
		return nil, &ArgumentError{op, "no such operator"}
	}
	return fold(&Arith{Op: op, L: l, R: r, T: arithType(op, countedType(l), countedType(r))}), nil
}

// NewUnary makes op x, op one of - + ~ !.
func NewUnary(op string, x Node) (Node, error) {
	if err := single(x); err != nil {
		return nil, err
	}
	switch op {
	case "+":
		return x, nil
	case "!":
		return NewNot(x)
	case "-":
		return fold(&Unary{Op: op, X: x, T: negType(countedType(x))}), nil
	case "~":
		return fold(&Unary{Op: op, X: x, T: unsignedType}), nil
	}
	return nil, &ArgumentError{op, "no such operator"}
}

// NewCast makes CAST(x AS to).
func NewCast(x Node, to value.Type) (Node, error) {
	if err := single(x); err != nil {
		return nil, err
	}
	return fold(&Cast{X: x, To: to}), nil
}

// NewCollate makes x COLLATE c, which wins over the collation of the other side of a comparison.
func NewCollate(x Node, c value.Collation) (Node, error) {
	if err := single(x); err != nil {
		return nil, err
	}
	t := x.Type()
	if !t.IsText() {
		t = textType
	}
	t.Collation, t.Coercion = c, value.Explicit
	// Not folded: as a Const it would lose its precedence.
	return &Call{Func: collateFunction, Args: []Node{x}, T: t}, nil
}

// NewBinary makes BINARY x, which compares by code points unless something else says COLLATE.
func NewBinary(x Node) (Node, error) {
	n, err := NewCollate(x, value.Binary)
	if err == nil {
		n.(*Call).T.Coercion = value.Octets
	}
	return n, err
}

// An operand appears in the expression each time it is compared with something. Nested, such expressions grow by a factor with each level, so
// these bound their nodes: of what is still written out twice, and of all places of an operand.
const (
	largeOperand = 1000
	maxOperands  = 1 << 16
)

// NewCase makes CASE [operand] WHEN … THEN … [ELSE …] END; operand and els may be nil. With an operand, the
// arms' conditions are values that it is compared with.
func NewCase(operand Node, whens []When, els Node) (Node, error) {
	if operand != nil {
		switch {
		case weight(operand, maxOperands)*len(whens) > maxOperands:
			return nil, &ArgumentError{"CASE", "the operand is too large for so many WHEN, each of which compares with it"}
		case VolatilityOf(operand) == Volatile:
			return nil, &ArgumentError{"CASE", "the operand changes each time that it is computed"}
		}
	}
	if els == nil {
		els = NewConst(value.NullValue)
	}
	n := &Case{Whens: make([]When, 0, len(whens)), Else: els}
	types := make([]value.Type, 0, len(whens)+1)
	compared := []Node{operand}
	for _, w := range whens {
		compared = append(compared, w.Cond)
	}
	for _, w := range whens {
		if err := single(w.Cond, w.Result); err != nil {
			return nil, err
		}
		if operand != nil {
			c, err := compareAmong("case", compared, Eq, operand, w.Cond)
			if err != nil {
				return nil, err
			}
			w.Cond = c
		}
		n.Whens = append(n.Whens, w)
		types = append(types, w.Result.Type())
	}
	if err := single(els); err != nil {
		return nil, err
	}
	n.T = UnifyTypes(append(types, els.Type())...)
	if constant, ok := fold(n).(*Const); ok {
		return constant, nil
	}
	return withoutIdleArms(n), nil
}

// withoutIdleArms drops the arms that are never reached: what they name need not be read, nor be in GROUP BY.
func withoutIdleArms(n *Case) Node {
	whens, els := make([]When, 0, len(n.Whens)), n.Else
	for _, w := range n.Whens {
		c, constant := w.Cond.(*Const)
		constant = constant && value.ReadsAsNumber(c.V) // else it warns where it is computed
		if constant && truthOfValue(c.V) == isTrue {
			els = w.Result
			break
		}
		if !constant {
			whens = append(whens, w)
		}
	}
	c, constant := els.(*Const)
	switch {
	case len(whens) > 0:
		return &Case{Whens: whens, Else: els, T: n.T}
	case constant:
		if arm, ok := constantArm(c, n.T); ok {
			return arm
		}
	case sameType(els.Type(), n.T):
		return els
	}
	return n
}

// NewCall makes a call of the function name (any case).
func NewCall(name string, args []Node) (Node, error) {
	f := lookupFunction(name)
	if name == ZonedUnixtime {
		f = zonedUnixtime
	}
	if f != nil && f.bare != nil && len(args) == 0 {
		f = f.bare
	}
	if f == nil {
		return nil, unknownFunction(name)
	}
	return newCall(f, args)
}

func newCall(f *Function, args []Node) (Node, error) {
	if len(args) < f.Min || f.Max >= 0 && len(args) > f.Max {
		return nil, &ArityError{f.Name}
	}
	if err := single(args...); err != nil {
		return nil, err
	}
	if f.check != nil {
		if err := f.check(args); err != nil {
			return nil, err
		}
	}
	if f.compares || f.collates {
		if _, err := Comparable(strings.ToLower(f.Name), args...); err != nil {
			return nil, err
		}
	}
	t := f.Type(args)
	if f.alike != nil {
		var err error
		if args, err = f.alike(args); err != nil {
			return nil, err
		}
	}
	call := &Call{Func: f, Args: args, T: t}
	call.T.Truth = f.condition
	if f.simplify != nil {
		return fold(f.simplify(call)), nil
	}
	return fold(call), nil
}

// NewConcat makes l || r as concatenation.
func NewConcat(l, r Node) (Node, error) { return NewCall("CONCAT", []Node{l, r}) }

// NewJSONPath makes x -> path, or x ->> path where unquote is set.
func NewJSONPath(x, path Node, unquote bool) (Node, error) {
	n, err := NewCall("JSON_EXTRACT", []Node{x, path})
	if err != nil || !unquote {
		return n, err
	}
	return NewCall("JSON_UNQUOTE", []Node{n})
}

// NewMemberOf makes x MEMBER OF (array).
func NewMemberOf(x, array Node) (Node, error) { return newCall(memberOf, []Node{x, array}) }

// NewIntervalArith makes base + INTERVAL amount unit, or base - … where negative is set.
func NewIntervalArith(base, amount Node, unit string, negative bool) (Node, error) {
	name := "DATE_ADD"
	if negative {
		name = "DATE_SUB"
	}
	return NewCall(name, []Node{base, amount, NewConst(value.FromString(unit))})
}

// NewSystemVariable makes @@name (name without @@ and scope, any case).
func NewSystemVariable(name string) Node {
	return &Call{Func: systemVariableFunction, Args: []Node{NewConst(value.FromString(name))}}
}

// NewAssignment makes @name := x (name without @, any case).
func NewAssignment(name string, x Node) Node {
	return &Call{Func: assignFunction, Args: []Node{NewConst(value.FromString(name)), x}, T: x.Type()}
}

// NewUserVariable makes @name (name without @, any case); NULL where it was never set.
func NewUserVariable(name string) Node {
	return &Call{Func: userVariableFunction, Args: []Node{NewConst(value.FromString(name))}}
}

// WithCollation gives a literal or argument the connection's collation.
func WithCollation(n Node, c value.Collation) Node {
	switch n := n.(type) {
	case *Const:
		if c != value.Binary && n.T.IsText() && n.T.Coercion == value.Literal {
			with := *n
			with.T.Collation = c
			return &with
		}
	case *Param:
		with := *n
		with.T.Collation, with.T.Coercion = c, value.Literal
		return &with
	}
	return n
}
