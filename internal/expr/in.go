package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// hashFrom is the number of constants from which IN looks up a set; below, comparing one after the
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
	if x, ok := n.X.(*Tuple); ok {
		return compileInTuples(x, n.List)
	}
	x, list := CompileOperand(n.X), compileTyped(n.X.Type(), n.List)
	collation := n.Collation
	linear := func(env *Env, v value.Value) (truth, error) {
		result := isFalse
		for _, f := range list {
			e, err := f(env)
			if err != nil {
				return isUnknown, err
			}
			t, err := compare(Eq, v, e, collation)
			if err != nil || t == isTrue {
				return t, err
			}
			if t == isUnknown {
				result = isUnknown
			}
		}
		return result, nil
	}
	set := newConstSet(n)
	return func(env *Env) (truth, error) {
		v, err := x(env)
		if err != nil || v.IsNull() {
			return isUnknown, err
		}
		if set != nil && set.serves(v) {
			return set.find(v), nil
		}
		return linear(env, v)
	}
}

func compileTyped(t value.Type, list []Node) []Func {
	fs := make([]Func, len(list))
	for i, e := range list {
		if c, ok := e.(*Const); ok {
			e = NewConst(typedConst(t, c.V))
		}
		fs[i] = CompileOperand(e)
	}
	return fs
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

// constSet is the constants of an IN list, all of one family of kinds: only within a family do equal
// values have equal hash keys. Values of another family are compared one after the other.
type constSet struct {
	family    value.Kind
	ints      map[int64]struct{} // where all are Ints
	keys      map[string]struct{}
	collation value.Collation
	null      bool
}

// family is the kind that stands for all those which compare exactly with v's.
func family(v value.Value) value.Kind {
	switch k := v.Kind(); k {
	case value.Bool, value.Int, value.Uint, value.Decimal:
		return value.Int
	case value.Date:
		return value.Time
	default:
		return k
	}
}

// newConstSet is nil where a set would not serve.
func newConstSet(n *In) *constSet {
	if len(n.List) < hashFrom {
		return nil
	}
	s := &constSet{collation: n.Collation, ints: map[int64]struct{}{}, keys: map[string]struct{}{}}
	for _, e := range n.List {
		c, ok := e.(*Const)
		if !ok {
			return nil
		}
		if c.V.IsNull() {
			s.null = true
			continue
		}
		v := typedConst(n.X.Type(), c.V)
		f := family(v)
		// JSON has an equality of its own, and a TIME cannot be compared with a date.
		if s.family != value.Null && s.family != f || f == value.JSON {
			return nil
		}
		s.family = f
		if v.Kind() == value.Int && s.ints != nil {
			s.ints[v.Int()] = struct{}{}
		} else {
			s.ints = nil
		}
		s.keys[s.key(v)] = struct{}{}
	}
	if s.family == value.Null {
		return nil
	}
	return s
}

// key is the same for equal values of the family. Texts are their own keys, which costs nothing.
func (s *constSet) key(v value.Value) string {
	switch {
	case s.family != value.String:
		return string(value.AppendHashKey(nil, v, s.collation))
	case s.collation == value.NoCase:
		return value.Fold(v.Text())
	}
	return v.Text()
}

func (s *constSet) serves(v value.Value) bool { return family(v) == s.family }

func (s *constSet) find(v value.Value) truth {
	var found bool
	if s.ints != nil && v.Kind() == value.Int {
		_, found = s.ints[v.Int()]
	} else {
		_, found = s.keys[s.key(v)]
	}
	switch {
	case found:
		return isTrue
	case s.null:
		return isUnknown
	}
	return isFalse
}
