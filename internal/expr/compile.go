package expr

import (
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Func computes an expression in an Env. It may be called by many goroutines at once, each with its Env.
type Func func(env *Env) (value.Value, error)

// Compile makes n's function, for a result that is shown or kept: a Decimal without guard digits.
func Compile(n Node) Func {
	f := CompileOperand(n)
	if !mayGuard(n) {
		return f
	}
	return func(env *Env) (value.Value, error) {
		v, err := f(env)
		return value.Shown(v), err
	}
}

// mayGuard says whether n may yield a Decimal with guard digits (see value.Shown): where there is a quotient
// in it, or a column that an aggregate such as AVG may have filled.
func mayGuard(n Node) bool {
	if t := n.Type().Base; t != value.TypeDecimal && t != value.TypeUnknown {
		return false
	}
	may := HasQuotient(n)
	Columns(n, func(c *Column) {
		may = may || c.T.Base == value.TypeDecimal || c.T.Base == value.TypeUnknown
	})
	return may
}

// HasQuotient says whether n contains a quotient, so that CompileOperand and Compile may yield different values for it.
func HasQuotient(n Node) bool {
	has := false
	Walk(n, func(n Node) bool {
		switch n := n.(type) {
		case *Arith:
			has = has || n.Op == "/"
		case *Const:
			has = has || value.Shown(n.V) != n.V
		}
		return !has
	})
	return has
}

// CompileOperand makes n's function, for a result that is compared or computed with: a Decimal may have
// guard digits.
func CompileOperand(n Node) Func {
	switch n := n.(type) {
	case *Const:
		v := n.V
		return func(*Env) (value.Value, error) { return v, nil }
	case *Column:
		return compileColumn(n)
	case *Param:
		i := n.Index
		return func(env *Env) (value.Value, error) {
			if i >= len(env.Args) {
				return value.Value{}, errNoArgument
			}
			return env.Args[i], nil
		}
	case *InsertValue:
		i := n.Index
		return func(env *Env) (value.Value, error) { return env.Insert[i], nil }
	case *Case:
		return compileCase(n)
	case *Arith:
		return orSmall(n, compileArith(n))
	case *Unary:
		f, operand, x := value.Neg, operandOf(n.Op), CompileOperand(n.X)
		if n.Op == "~" {
			f = value.BitNot
		}
		return func(env *Env) (value.Value, error) {
			v, err := x(env)
			if err == nil {
				err = operand(env, v)
			}
			if err != nil {
				return v, err
			}
			return f(v)
		}
	case *Cast:
		x := CompileOperand(n.X)
		if n.To.Base == value.TypeJSON {
			x = compileElement(n.X)
		}
		return func(env *Env) (value.Value, error) {
			v, err := x(env)
			if err != nil {
				return v, err
			}
			return env.Cast(n.To, v)
		}
	case *Call:
		return compileCall(n)
	case *Subquery:
		if n.Kind == ScalarSubquery {
			return func(env *Env) (value.Value, error) {
				v, err := env.Subqueries.Scalar(env, n)
				return Plain(v, n.T), err
			}
		}
	case *Tuple:
		err := &OperandError{Want: 1}
		return func(*Env) (value.Value, error) { return value.Value{}, err }
	}
	c := compileCond(n)
	return func(env *Env) (value.Value, error) {
		t, err := c(env)
		return truthValues[t], err
	}
}

var errNoArgument = errors.New("the statement has more placeholders than arguments")

// CompileCond makes n's function as a condition: true only if n is true, not if it is NULL.
func CompileCond(n Node) func(env *Env) (bool, error) {
	c := compileIsTrue(n)
	return func(env *Env) (bool, error) {
		t, err := c(env)
		return t == isTrue, err
	}
}

func compileColumn(n *Column) Func {
	i := n.Index
	switch n.Level {
	case 0:
		return func(env *Env) (value.Value, error) { return env.Row[i], nil }
	case 1:
		return func(env *Env) (value.Value, error) { return env.Outer.Row[i], nil }
	}
	level := n.Level
	return func(env *Env) (value.Value, error) {
		for range level {
			env = env.Outer
		}
		return env.Row[i], nil
	}
}

func compileAll(nodes []Node) []Func { return compileEach(nodes, CompileOperand) }

func compileEach(nodes []Node, compile func(Node) Func) []Func {
	fs := make([]Func, len(nodes))
	for i, n := range nodes {
		fs[i] = compile(n)
	}
	return fs
}

func compileCase(n *Case) Func {
	conds := make([]condFunc, len(n.Whens))
	results := make([]Func, len(n.Whens))
	for i, w := range n.Whens {
		conds[i] = compileIsTrue(w.Cond)
		results[i] = compileArm(w.Result, n.T)
	}
	otherwise := compileArm(n.Else, n.T)
	return func(env *Env) (value.Value, error) {
		for i, c := range conds {
			t, err := c(env)
			if err != nil {
				return value.Value{}, err
			}
			if t == isTrue {
				return results[i](env)
			}
		}
		return otherwise(env)
	}
}

// compileArm makes n's function with its results brought to type t.
func compileArm(n Node, t value.Type) Func {
	f := CompileOperand(n)
	if !needsCoerce(n.Type(), t) && !MayCount(n) {
		return f
	}
	return func(env *Env) (value.Value, error) {
		v, err := f(env)
		if isDate(t) {
			v = env.today(v, value.Time)
		}
		return coerce(v, t), err
	}
}

// arithFunc is the function of an operator; nil if there is no such operator.
func arithFunc(op string) func(a, b value.Value) (value.Value, error) {
	switch op {
	case "+":
		return value.Add
	case "-":
		return value.Sub
	case "*":
		return value.Mul
	case "/":
		return value.Div
	case "div":
		return value.IntDiv
	case "%":
		return value.Mod
	case "&":
		return value.BitAnd
	case "|":
		return value.BitOr
	case "^":
		return value.BitXor
	case "<<":
		return value.Shl
	case ">>":
		return value.Shr
	}
	return nil
}

// compileOperator makes the function of an operator, with the warnings about its operands.
func compileOperator(op string) func(env *Env, a, b value.Value) (value.Value, error) {
	f, operand := arithFunc(op), operandOf(op)
	divides := op == "/" || op == "div" || op == "%"
	return func(env *Env, a, b value.Value) (value.Value, error) {
		v, err := f(a, b)
		if (misreads(a) || misreads(b)) && err == nil && !a.IsNull() && !b.IsNull() {
			if err = operand(env, a); err == nil {
				err = operand(env, b)
			}
		}
		if divides && v.IsNull() && err == nil && !a.IsNull() && !b.IsNull() {
			err = env.divisionByZero()
		}
		return v, err
	}
}

// misreads says whether v, which counts as a number, may not be one.
func misreads(v value.Value) bool {
	return v.Kind() == value.String || v.Kind() == value.Bytes || v.Kind() == value.JSON
}

var modulo = compileOperator("%")

func compileArith(n *Arith) Func {
	f, l := compileOperator(n.Op), CompileOperand(n.L)
	if c, ok := n.R.(*Const); ok {
		k := c.V
		return func(env *Env) (value.Value, error) {
			a, err := l(env)
			if err != nil {
				return a, err
			}
			return f(env, a, k)
		}
	}
	r, operand := CompileOperand(n.R), operandOf(n.Op)
	return func(env *Env) (value.Value, error) {
		a, err := l(env)
		if err != nil {
			return a, err
		}
		b, err := r(env)
		if err != nil {
			if misreads(a) { // then that is told first
				if first := operand(env, a); first != nil {
					err = first
				}
			}
			return b, err
		}
		return f(env, a, b)
	}
}

// compileCall makes a call's function. A function that computes its operands itself (lazily, or prepared
// for constants among them) brings its own; the others get their arguments on the Env's scratch.
func compileCall(n *Call) Func {
	f := withDigits(n, compileFunction(n))
	if !slices.ContainsFunc(n.Args, MayCount) || isTimeText(n) {
		return f
	}
	return func(env *Env) (value.Value, error) {
		v, err := f(env)
		return Plain(v, n.T), err // it may be an argument
	}
}

func compileFunction(n *Call) Func {
	if n.Func.compile != nil {
		if f := n.Func.compile(n); f != nil {
			return f
		}
	}
	eval, strict := warning(n, n.Func.Eval), n.Func.strict
	if len(n.Args) == 0 {
		return func(env *Env) (value.Value, error) { return eval(env, nil) }
	}
	args := compileAll(n.Args)
	if n.Func.Family == "JSON" {
		args = compileElements(n.Args)
	}
	return func(env *Env) (value.Value, error) {
		own := env.own()
		base, held := len(own.values), int64(0)
		for _, a := range args {
			v, err := a(env)
			if err == nil {
				err = env.hold(v, &held)
			}
			if err != nil || strict && v.IsNull() {
				own.values = own.values[:base]
				env.release(held)
				return value.NullValue, err
			}
			own.values = append(own.values, v)
		}
		v, err := eval(env, own.values[base:])
		own.values = own.values[:base]
		env.release(held)
		return v, err
	}
}

// compileEval is compileFunction with an Eval that was made for this call.
func compileEval(n *Call, eval func(env *Env, args []value.Value) (value.Value, error)) Func {
	f, call := *n.Func, *n
	f.compile, f.Eval, call.Func = nil, eval, &f
	return compileFunction(&call)
}
