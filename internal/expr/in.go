package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// hashFrom is the number of elements from which IN looks them up in a set; below, comparing one after the
// other is as fast.
const hashFrom = 8

func compileIn(n *In) condFunc {
	c := compileInList(n)
	if !n.Not {
		return c
	}
	return func(env *Env) (truth, error) {
		t, err := c(env)
		return t.not(), err
	}
}

func compileInList(n *In) condFunc {
	linear := compileInLinear(n)
	if len(n.List) < hashFrom {
		return linear
	}
	xs := []Node{n.X}
	if x, ok := n.X.(*Tuple); ok {
		xs = x.List
	}
	switch list := newInList(n, xs); {
	case list == nil:
		return linear
	case list.params:
		return findInOnce(n, compileAll(xs), list, linear)
	default:
		set, err := list.set(&Env{})
		if err != nil {
			return linear
		}
		return findIn(compileAll(xs), func(*Env) (*Set, error) { return set, nil })
	}
}

// findIn looks a row up in a set.
func findIn(xs []Func, set func(*Env) (*Set, error)) condFunc {
	return func(env *Env) (truth, error) {
		var space [4]value.Value
		row := space[:0]
		for _, x := range xs {
			v, err := x(env)
			if err != nil {
				return isUnknown, err
			}
			row = append(row, v)
		}
		s, err := set(env)
		if err != nil {
			return isUnknown, err
		}
		return s.find(env, row)
	}
}

// findInOnce makes the set once per execution, when enough rows were looked up to make it worthwhile.
func findInOnce(n *In, xs []Func, list *inList, linear condFunc) condFunc {
	find := findIn(xs, func(env *Env) (*Set, error) { return env.own().sets[n].set, nil })
	return func(env *Env) (truth, error) {
		own := env.own()
		s := own.sets[n]
		if s == nil {
			s = &inSet{}
			if own.sets == nil {
				own.sets = map[*In]*inSet{}
			}
			own.sets[n] = s
		}
		if s.set == nil {
			if s.asked++; s.asked < hashFrom {
				return linear(env)
			}
			var err error
			if s.set, err = list.set(env); err != nil {
				return isUnknown, err
			}
		}
		return find(env)
	}
}

// inSet is the set of an IN with arguments, in one execution.
type inSet struct {
	asked int
	set   *Set // nil before it is worth it
}

func compileInLinear(n *In) condFunc {
	if x, ok := n.X.(*Tuple); ok {
		return compileInTuples(x, n.List)
	}
	x, list := CompileOperand(n.X), compileAll(n.List)
	if n.X.Type().Base == value.TypeJSON {
		list = compileElements(n.List)
	}
	collation := n.Collation
	return func(env *Env) (truth, error) {
		v, err := x(env)
		if err != nil || v.IsNull() {
			return isUnknown, err
		}
		result := isFalse
		for _, f := range list {
			e, err := f(env)
			if err != nil {
				return isUnknown, err
			}
			t, err := compare(env, Eq, v, e, collation)
			if err != nil || t == isTrue {
				return t, err
			}
			if t == isUnknown {
				result = isUnknown
			}
		}
		return result, nil
	}
}

func compileInTuples(x *Tuple, list []Node) condFunc {
	var conds []condFunc
	for _, e := range list {
		t := e.(*Tuple)
		row := make([]condFunc, len(x.List))
		for i := range x.List {
			row[i] = compileCompare(&Compare{Op: Eq, L: x.List[i], R: t.List[i], Collation: CollationOf(x.List[i], t.List[i])})
		}
		conds = append(conds, compileJunction(isFalse, row))
	}
	return compileJunction(isTrue, conds)
}

// inList is a list of constants and arguments, which are the same for all rows.
type inList struct {
	types      []value.Type // of what is looked for
	collations []value.Collation
	rows       [][]Node // of *Const, *Param, and calls of besideFunction
	params     bool     // there are arguments
}

// newInList is nil if the list holds anything else, or compares by several collations.
func newInList(n *In, xs []Node) *inList {
	l := &inList{rows: make([][]Node, len(n.List)), types: typesOf(xs)}
	for r, e := range n.List {
		l.rows[r] = []Node{e}
		if t, ok := e.(*Tuple); ok {
			l.rows[r] = t.List
		}
		for i, e := range l.rows[r] {
			switch e.(type) {
			case *Const:
			case *Param:
				l.params = true
			default:
				call, ok := e.(*Call)
				if !ok || call.Func != besideFunction {
					return nil
				}
				l.params = true
			}
			collation := n.Collation
			if len(xs) > 1 {
				collation = CollationOf(xs[i], e)
			}
			switch {
			case r == 0:
				l.collations = append(l.collations, collation)
			case l.collations[i] != collation:
				return nil
			}
		}
	}
	return l
}

// set is the set of the list with the arguments of env.
func (l *inList) set(env *Env) (*Set, error) {
	s := NewSet(l.collations)
	for _, row := range l.rows {
		values := make([]value.Value, len(row))
		for i, e := range row {
			switch e := e.(type) {
			case *Const:
				values[i] = e.V
			case *Param:
				if e.Index >= len(env.Args) {
					return nil, errNoArgument
				}
				values[i] = env.Args[e.Index]
			default:
				v, err := CompileOperand(e)(&Env{Args: env.Args, Session: env.Session})
				if err != nil {
					return nil, err
				}
				values[i] = v
			}
			if l.types[i].Base == value.TypeJSON {
				values[i] = jsonOperand(e, values[i])
			}
		}
		s.Add(values)
	}
	return s, nil
}
