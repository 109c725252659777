package expr

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func logicFunctions() []*Function {
	unified := func(args []Node) value.Type { return UnifyTypes(typesOf(args)...) }
	return []*Function{
		{Name: "COALESCE", Signature: "COALESCE(x, …)", Family: "condition", Min: 1, Max: -1,
			Doc:  "The first argument that is not NULL; those after it are not computed.",
			Type: unified, compile: compileCoalesce, simplify: simplifyCoalesce, null: allNull},
		{Name: "IFNULL", Signature: "IFNULL(x, otherwise)", Family: "condition", Min: 2, Max: 2,
			Doc:  "x, or otherwise if x is NULL.",
			Type: unified, compile: compileCoalesce, simplify: simplifyCoalesce, null: allNull},
		{Name: "IF", Signature: "IF(condition, then, else)", Family: "condition", Min: 3, Max: 3,
			Doc:  "then if condition is true; else if it is false or NULL. The other one is not computed.",
			Type: func(args []Node) value.Type { return UnifyTypes(args[1].Type(), args[2].Type()) }, compile: compileIf,
			null: func(args []Node) bool { return anyNull(args[1:]) }},
		{Name: "NULLIF", Signature: "NULLIF(x, y)", Family: "condition", compares: true, Min: 2, Max: 2,
			Doc:  "NULL if x = y, else x.",
			Type: func(args []Node) value.Type { return shownType(args[0].Type()) }, compile: compileNullif, alike: alikePair,
			simplify: func(n *Call) Node {
				if IsNullConst(n.Args[0]) {
					return n.Args[0]
				}
				return n
			}},
		{Name: "ISNULL", Signature: "ISNULL(x)", Family: "condition", Min: 1, Max: 1, condition: true, null: neverNull,
			Doc: "1 if x is NULL, else 0.", Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return truthValues[truthOf(args[0].IsNull())], nil
			}},
		{Name: "GREATEST", Signature: "GREATEST(x, y, …)", Family: "condition", compares: true, Min: 2, Max: -1, null: anyNull,
			Doc:  "The greatest argument, NULL if one is NULL. Numbers among texts compare as texts.",
			Type: extremeType, compile: func(n *Call) Func { return compileExtreme(n, 1) }},
		{Name: "LEAST", Signature: "LEAST(x, y, …)", Family: "condition", compares: true, Min: 2, Max: -1, null: anyNull,
			Doc:  "The least argument, NULL if one is NULL. Numbers among texts compare as texts.",
			Type: extremeType, compile: func(n *Call) Func { return compileExtreme(n, -1) }},
	}
}

// extremeType is the common type of all arguments, except that a FLOAT among integers gives a DOUBLE.
func extremeType(args []Node) value.Type {
	t := UnifyTypes(typesOf(args)...)
	if t.Base == value.TypeFloat && slices.ContainsFunc(args, func(a Node) bool { return isShort(a.Type()) }) {
		return doubleType
	}
	return t
}

func allNull(args []Node) bool {
	for _, a := range args {
		if !MayBeNull(a) {
			return false
		}
	}
	return true
}

func compileArms(args []Node, t value.Type) []Func {
	return compileEach(args, func(a Node) Func { return compileArm(a, t) })
}

func compileCoalesce(n *Call) Func {
	args := compileArms(n.Args, n.T)
	return func(env *Env) (value.Value, error) {
		for _, a := range args {
			if v, err := a(env); err != nil || !v.IsNull() {
				return v, err
			}
		}
		return value.NullValue, nil
	}
}

// simplifyCoalesce ends the arguments at the first constant that is not NULL.
func simplifyCoalesce(n *Call) Node {
	for i, a := range n.Args {
		c, ok := a.(*Const)
		switch {
		case !ok || c.V.IsNull():
		default:
			if arm, ok := constantArm(c, n.T); i == 0 && ok {
				return arm
			}
			return &Call{Func: n.Func, Args: n.Args[:i+1], T: n.T}
		}
	}
	return n
}

func compileIf(n *Call) Func {
	cond, then, otherwise := compileIsTrue(n.Args[0]), compileArm(n.Args[1], n.T), compileArm(n.Args[2], n.T)
	return func(env *Env) (value.Value, error) {
		t, err := cond(env)
		switch {
		case err != nil:
			return value.NullValue, err
		case t == isTrue:
			return then(env)
		}
		return otherwise(env)
	}
}

func compileNullif(n *Call) Func {
	x, y, collation := CompileOperand(n.Args[0]), CompileOperand(n.Args[1]), CollationOf(n.Args...)
	return func(env *Env) (value.Value, error) {
		a, err := x(env)
		if err != nil {
			return a, err
		}
		b, err := y(env)
		if err != nil {
			return b, err
		}
		equal, err := compare(env, Eq, a, b, collation)
		if err != nil || equal == isTrue {
			return value.NullValue, err
		}
		return a, nil
	}
}

// compileExtreme compares by one type for all: texts among times compare as times, and the result is then a text, spelled as a time.
func compileExtreme(n *Call, sign int) Func {
	args, collation := compileArms(n.Args, n.T), CollationOf(n.Args...)
	read := extremeReading(n)
	if read != nil {
		args = compileAll(n.Args)
	}
	return func(env *Env) (value.Value, error) {
		best := value.NullValue
		for i, a := range args {
			v, err := a(env)
			if err != nil || v.IsNull() {
				return value.NullValue, err
			}
			if read != nil {
				v = read(v)
			}
			if i == 0 {
				best = v
				continue
			}
			v, best = env.today(v, best.Kind()), env.today(best, v.Kind())
			c, err := compareValues(env, v, best, collation)
			if err != nil {
				return value.NullValue, err
			}
			if c*sign > 0 {
				best = v
			}
		}
		return coerce(best, n.T), nil
	}
}

// extremeReading is how the arguments are read if there are only times and texts among them; nil: they are compared as they are.
func extremeReading(n *Call) func(value.Value) value.Value {
	dates, times, texts := 0, 0, 0
	for _, a := range n.Args {
		switch t := a.Type(); {
		case isDate(t):
			dates++
		case t.Base == value.TypeTime:
			times++
		case t.IsText(), t.IsOctets():
			texts++
		}
	}
	if texts == 0 || dates+times == 0 || dates+times+texts < len(n.Args) {
		return nil
	}
	as := value.ReadTime
	if dates == 0 {
		as = value.ReadDuration
	}
	return func(v value.Value) value.Value {
		if v.Kind() == value.String || v.Kind() == value.Bytes {
			if t, ok := as(v); ok {
				return t
			}
		}
		return v
	}
}
