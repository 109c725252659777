package expr

import (
	"cmp"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// holds says whether op holds between two values that compare as c.
func (op CompareOp) holds(c int) bool {
	switch op {
	case Eq, NullEq:
		return c == 0
	case Ne:
		return c != 0
	case Lt:
		return c < 0
	case Le:
		return c <= 0
	case Gt:
		return c > 0
	}
	return c >= 0
}

// Mirrored is op with its sides exchanged: 5 < a is a > 5.
func (op CompareOp) Mirrored() CompareOp {
	switch op {
	case Lt:
		return Gt
	case Le:
		return Ge
	case Gt:
		return Lt
	case Ge:
		return Le
	}
	return op
}

// compareValues compares two values that are not NULL. A TIME compared with a date or a point in time counts, as in MySQL, from the midnight
// before the statement.
func compareValues(env *Env, a, b value.Value, c value.Collation) (int, error) {
	if a.Kind() == b.Kind() {
		if a.Kind() == value.Int {
			return cmp.Compare(a.Int(), b.Int()), nil
		}
	} else if a.Kind() == value.Duration || b.Kind() == value.Duration {
		a, b = env.today(a, b.Kind()), env.today(b, a.Kind())
	} else if misreads(a) || misreads(b) {
		if err := env.numbers(a, b); err != nil {
			return 0, err
		}
	}
	return value.Compare(a, b, c)
}

// compare is a op b.
func compare(env *Env, op CompareOp, a, b value.Value, c value.Collation) (truth, error) {
	if a.IsNull() || b.IsNull() {
		if op == NullEq {
			return truthOf(a.IsNull() && b.IsNull()), nil
		}
		return isUnknown, nil
	}
	r, err := compareValues(env, a, b, c)
	return truthOf(op.holds(r)), err
}

func compileCompare(n *Compare) condFunc {
	if lt, ok := n.L.(*Tuple); ok {
		rt, ok := n.R.(*Tuple)
		if !ok {
			return notComparable
		}
		return compileTuples(n.Op, lt, rt)
	}
	if size(n.L) != 1 || size(n.R) != 1 {
		return notComparable
	}
	op, collation := n.Op, n.Collation
	if n.L.Type().Base == value.TypeJSON || n.R.Type().Base == value.TypeJSON {
		return compareFuncs(op, compileElement(n.L), compileElement(n.R), collation)
	}
	if col, ok := n.L.(*Column); ok && col.Level == 0 {
		switch r := n.R.(type) {
		case *Const:
			return compareColumnConst(op, col, r.V, collation)
		case *Param:
			return compareColumnParam(op, col.Index, r.Index, collation)
		}
	}
	l, r := CompileOperand(n.L), CompileOperand(n.R)
	return compareFuncs(op, l, r, collation)
}

// compareFuncs does not compute r if l is NULL, as in MySQL.
func compareFuncs(op CompareOp, l, r Func, collation value.Collation) condFunc {
	return func(env *Env) (truth, error) {
		a, err := l(env)
		if err != nil || a.IsNull() && op != NullEq {
			return isUnknown, err
		}
		b, err := r(env)
		if err != nil {
			return isUnknown, err
		}
		return compare(env, op, a, b, collation)
	}
}

// notComparable is a row of values that is not a list of expressions, such as a subquery of several columns.
func notComparable(*Env) (truth, error) { return isUnknown, &OperandError{Want: 1} }

// compareColumnConst is the commonest condition, so integers and texts have special code.
func compareColumnConst(op CompareOp, col *Column, k value.Value, collation value.Collation) condFunc {
	i := col.Index
	switch k.Kind() {
	case value.Int:
		want := k.Int()
		return func(env *Env) (truth, error) {
			v := &env.Row[i]
			if v.Kind() == value.Int {
				return truthOf(op.holds(cmp.Compare(v.Int(), want))), nil
			}
			return compare(env, op, *v, k, collation)
		}
	case value.String:
		if collation != value.Binary || op != Eq && op != Ne {
			break
		}
		want := k.Text()
		return func(env *Env) (truth, error) {
			v := &env.Row[i]
			if v.Kind() == value.String {
				return truthOf((v.Text() == want) == (op == Eq)), nil
			}
			return compare(env, op, *v, k, collation)
		}
	}
	return func(env *Env) (truth, error) { return compare(env, op, env.Row[i], k, collation) }
}

func compareColumnParam(op CompareOp, i, arg int, collation value.Collation) condFunc {
	return func(env *Env) (truth, error) {
		if arg >= len(env.Args) {
			return isUnknown, errNoArgument
		}
		a, b := &env.Row[i], &env.Args[arg]
		if a.Kind() == value.Int && b.Kind() == value.Int {
			return truthOf(op.holds(cmp.Compare(a.Int(), b.Int()))), nil
		}
		return compare(env, op, *a, *b, collation)
	}
}

// compileTuples compares rows of values: the first position that is not equal decides.
func compileTuples(op CompareOp, l, r *Tuple) condFunc {
	ls, rs := compileAll(l.List), compileAll(r.List)
	collations := make([]value.Collation, len(ls))
	for i := range ls {
		collations[i] = CollationOf(l.List[i], r.List[i])
	}
	return func(env *Env) (truth, error) {
		for i := range ls {
			a, err := ls[i](env)
			if err != nil {
				return isUnknown, err
			}
			b, err := rs[i](env)
			if err != nil {
				return isUnknown, err
			}
			if a.IsNull() || b.IsNull() {
				return isUnknown, nil
			}
			c, err := compareValues(env, a, b, collations[i])
			if err != nil || c != 0 {
				return truthOf(op.holds(c)), err
			}
		}
		return truthOf(op.holds(0)), nil
	}
}
