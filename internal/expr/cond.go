package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// truth is a value of three-valued logic.
type truth uint8

const (
	isFalse truth = iota
	isTrue
	isUnknown
)

// condFunc computes a condition.
type condFunc func(env *Env) (truth, error)

var truthValues = [...]value.Value{isFalse: value.FromInt(0), isTrue: value.FromInt(1), isUnknown: {}}

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

func (t truth) not() truth {
	switch t {
	case isTrue:
		return isFalse
	case isFalse:
		return isTrue
	}
	return t
}

// truthOfValue is MySQL's truth of any value.
func truthOfValue(v value.Value) truth {
	if v.Kind() == value.Int {
		return truthOf(v.Int() != 0)
	}
	t, null := value.Truth(v)
	if null {
		return isUnknown
	}
	return truthOf(t)
}

// compileCond makes n's function as a condition. It is the one place where conditions are compiled; Compile
// makes values of them.
func compileCond(n Node) condFunc {
	switch n := n.(type) {
	case *Const:
		v, t := n.V, truthOfValue(n.V)
		if !value.ReadsAsNumber(v) {
			return func(env *Env) (truth, error) { return env.truth(v) }
		}
		return func(*Env) (truth, error) { return t, nil }
	case *Compare:
		return compileCompare(n)
	case *Logic:
		return compileLogic(n)
	case *Not:
		x := compileCond(n.X)
		return func(env *Env) (truth, error) {
			t, err := x(env)
			return t.not(), err
		}
	case *Is:
		return compileIs(n)
	case *Like:
		return compileLike(n)
	case *In:
		return compileIn(n)
	case *Subquery:
		switch n.Kind {
		case ExistsSubquery:
			return compileExists(n)
		case InSubquery:
			return compileInSubquery(n)
		}
	}
	x := CompileOperand(n)
	return func(env *Env) (truth, error) {
		v, err := x(env)
		if err != nil {
			return isUnknown, err
		}
		return env.truth(v)
	}
}

// compileIsTrue is compileCond for a condition whose false and NULL mean the same: a NULL then also decides an AND, and later operands are not
// computed, as in MySQL.
func compileIsTrue(n Node) condFunc {
	l, ok := n.(*Logic)
	if !ok || l.Op == Xor || l.Both {
		return compileCond(n)
	}
	conds := make([]condFunc, len(l.Kids))
	for i, k := range l.Kids {
		conds[i] = compileIsTrue(k)
	}
	if l.Op == Or {
		return compileJunction(isTrue, conds)
	}
	return func(env *Env) (truth, error) {
		for _, c := range conds {
			if t, err := c(env); err != nil || t != isTrue {
				return isFalse, err
			}
		}
		return isTrue, nil
	}
}

func compileLogic(n *Logic) condFunc {
	conds := make([]condFunc, len(n.Kids))
	for i, k := range n.Kids {
		conds[i] = compileCond(k)
	}
	switch {
	case n.Op == Xor:
		return compileXor(conds)
	case n.Both:
		return compileBoth(n.Op == Or, conds[0], conds[1])
	case len(conds) == 2:
		return compilePair(n.Op == Or, conds[0], conds[1])
	case n.Op == Or:
		return compileJunction(isTrue, conds)
	}
	return compileJunction(isFalse, conds)
}

// compileJunction is AND, decided by false, or OR, decided by true. Without a decision, one NULL makes it NULL.
func compileJunction(deciding truth, conds []condFunc) condFunc {
	return func(env *Env) (truth, error) {
		result := deciding.not()
		for _, c := range conds {
			t, err := c(env)
			if err != nil || t == deciding {
				return t, err
			}
			if t == isUnknown {
				result = isUnknown
			}
		}
		return result, nil
	}
}

func compilePair(or bool, a, b condFunc) condFunc {
	deciding := truthOf(or)
	return func(env *Env) (truth, error) {
		t, err := a(env)
		if err != nil || t == deciding {
			return t, err
		}
		u, err := b(env)
		if err != nil || u == deciding || t != isUnknown {
			return u, err
		}
		return isUnknown, nil
	}
}

// compileBoth is compilePair, except that it computes b even if a decides.
func compileBoth(or bool, a, b condFunc) condFunc {
	deciding := truthOf(or)
	return func(env *Env) (truth, error) {
		t, err := a(env)
		if err != nil {
			return t, err
		}
		u, err := b(env)
		if err != nil || u == deciding || t == deciding.not() {
			return u, err
		}
		return t, nil
	}
}

// compileXor computes no operand after one that is NULL, as in MySQL.
func compileXor(conds []condFunc) condFunc {
	return func(env *Env) (truth, error) {
		result := false
		for _, c := range conds {
			t, err := c(env)
			if err != nil || t == isUnknown {
				return isUnknown, err
			}
			result = result != (t == isTrue)
		}
		return truthOf(result), nil
	}
}

func compileIs(n *Is) condFunc {
	not := n.Not
	if n.What == IsNull {
		x := Compile(n.X)
		return func(env *Env) (truth, error) {
			v, err := x(env)
			return truthOf(v.IsNull() != not), err
		}
	}
	want, x := truthOf(n.What == IsTrue), compileCond(n.X)
	return func(env *Env) (truth, error) {
		t, err := x(env)
		return truthOf((t == want) != not), err
	}
}

func compileExists(n *Subquery) condFunc {
	return func(env *Env) (truth, error) {
		found, err := env.Subqueries.Exists(env, n)
		return truthOf(found != n.Not), err
	}
}

func compileInSubquery(n *Subquery) condFunc {
	operands := []Node{n.X}
	if t, ok := n.X.(*Tuple); ok {
		operands = t.List
	}
	xs := compileAll(operands)
	return func(env *Env) (truth, error) {
		row := make([]value.Value, len(xs))
		for i, x := range xs {
			v, err := x(env)
			if err != nil {
				return isUnknown, err
			}
			row[i] = v
		}
		v, err := env.Subqueries.In(env, n, row)
		if err != nil {
			return isUnknown, err
		}
		t := truthOfValue(v)
		if n.Not {
			t = t.not()
		}
		return t, nil
	}
}
