package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// smallFunc computes an exact number that fits a machine word: see value.Small. If it is not ok, the expression's own function gives the result.
type smallFunc func(env *Env) (x value.Small, null, ok bool)

// maxSmallDepth bounds the expressions that have a smallFunc, because each of their parts is also compiled for itself.
const maxSmallDepth = 8

// compileSmall makes the smallFunc of sums, differences and products of columns and constants; nil for other expressions. These only compute, so
// they may be computed again.
func compileSmall(n Node, depth int) smallFunc {
	switch n := n.(type) {
	case *Const:
		x, ok := value.SmallOf(n.V)
		if !ok {
			return nil
		}
		return func(*Env) (value.Small, bool, bool) { return x, false, true }
	case *Column:
		if n.T.Base != value.TypeDecimal && !n.T.IsInteger() {
			return nil
		}
		f := compileColumn(n)
		return func(env *Env) (x value.Small, null, ok bool) {
			v, _ := f(env)
			if v.IsNull() {
				return x, true, true
			}
			x, ok = value.SmallOf(v)
			return x, false, ok
		}
	case *Arith:
		operate := smallOperators[n.Op]
		if operate == nil || n.T.Base != value.TypeDecimal || depth == 0 {
			return nil
		}
		l, r := compileSmall(n.L, depth-1), compileSmall(n.R, depth-1)
		if l == nil || r == nil {
			return nil
		}
		return func(env *Env) (x value.Small, null, ok bool) {
			a, null, ok := l(env)
			if !ok || null {
				return a, null, ok
			}
			b, null, ok := r(env)
			if !ok || null {
				return b, null, ok
			}
			x, ok = operate(a, b)
			return x, false, ok
		}
	}
	return nil
}

var smallOperators = map[string]func(a, b value.Small) (value.Small, bool){
	"+": value.Small.Plus, "-": value.Small.Minus, "*": value.Small.Times,
}

// orSmall is f, the function of n, preceded by its smallFunc if it has one.
func orSmall(n *Arith, f Func) Func {
	small := compileSmall(n, maxSmallDepth)
	if small == nil {
		return f
	}
	return func(env *Env) (value.Value, error) {
		switch x, null, ok := small(env); {
		case !ok:
			return f(env)
		case null:
			return value.NullValue, nil
		default:
			return x.Value(), nil
		}
	}
}
