package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

func logicFunctions() []*Function {
	unified := func(args []Node) value.Type { return UnifyTypes(typesOf(args)...) }
	return []*Function{
		{Name: "COALESCE", Signature: "COALESCE(x, …)", Family: "condition", Min: 1, Max: -1,
			Doc:  "The first argument that is not NULL; the ones behind it are not computed.",
			Type: unified, compile: compileCoalesce, simplify: simplifyCoalesce, null: allNull},
		{Name: "IFNULL", Signature: "IFNULL(x, otherwise)", Family: "condition", Min: 2, Max: 2,
			Doc:  "x, or otherwise where x is NULL.",
			Type: unified, compile: compileCoalesce, simplify: simplifyCoalesce, null: allNull},
		{Name: "IF", Signature: "IF(condition, then, else)", Family: "condition", Min: 3, Max: 3,
			Doc:  "then where condition is true, else where it is false or NULL; the other one is not computed.",
			Type: func(args []Node) value.Type { return UnifyTypes(args[1].Type(), args[2].Type()) }, compile: compileIf,
			null: func(args []Node) bool { return anyNull(args[1:]) }},
		{Name: "NULLIF", Signature: "NULLIF(x, y)", Family: "condition", compares: true, Min: 2, Max: 2,
			Doc:  "NULL where x = y, else x.",
			Type: func(args []Node) value.Type { return shownType(args[0].Type()) }, compile: compileNullif,
			simplify: func(n *Call) Node {
				if isNullConst(n.Args[0]) {
					return n.Args[0]
				}
				return n
			}},
		{Name: "ISNULL", Signature: "ISNULL(x)", Family: "condition", Min: 1, Max: 1, condition: true, null: neverNull,
			Doc: "1 where x is NULL, else 0.", Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return truthValues[truthOf(args[0].IsNull())], nil
			}},
		{Name: "GREATEST", Signature: "GREATEST(x, y, …)", Family: "condition", compares: true, Min: 2, Max: -1, null: anyNull,
			Doc:  "The greatest argument, NULL where one is NULL. Numbers among texts compare as texts.",
			Type: unified, compile: func(n *Call) Func { return compileExtreme(n, 1) }},
		{Name: "LEAST", Signature: "LEAST(x, y, …)", Family: "condition", compares: true, Min: 2, Max: -1, null: anyNull,
			Doc:  "The least argument, NULL where one is NULL. Numbers among texts compare as texts.",
			Type: unified, compile: func(n *Call) Func { return compileExtreme(n, -1) }},
	}
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
	fs := make([]Func, len(args))
	for i, a := range args {
		fs[i] = compileArm(a, t)
	}
	return fs
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
		case i == 0:
			return &Const{V: coerce(c.V, n.T), T: n.T}
		default:
			return &Call{Func: n.Func, Args: n.Args[:i+1], T: n.T}
		}
	}
	return n
}

func compileIf(n *Call) Func {
	cond, then, otherwise := compileCond(n.Args[0]), compileArm(n.Args[1], n.T), compileArm(n.Args[2], n.T)
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

func compileExtreme(n *Call, sign int) Func {
	args, collation := compileArms(n.Args, n.T), CollationOf(n.Args...)
	return func(env *Env) (value.Value, error) {
		best, err := args[0](env)
		for i := 1; i < len(args) && err == nil && !best.IsNull(); i++ {
			var v value.Value
			if v, err = args[i](env); err != nil {
				break
			}
			if v.IsNull() {
				return v, nil
			}
			v, best = env.today(v, best.Kind()), env.today(best, v.Kind())
			var c int
			if c, err = compareValues(env, v, best, collation); c*sign > 0 {
				best = v
			}
		}
		return best, err
	}
}
