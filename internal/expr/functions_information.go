package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// informationFunctions tell of their arguments.
func informationFunctions() []*Function {
	return []*Function{
		{Name: "NAME_CONST", Signature: "NAME_CONST(name, x)", Family: "session", Doc: "x.", Min: 2, Max: 2,
			Type: func(args []Node) value.Type { return args[1].Type() }, check: checkNameConst, simplify: func(n *Call) Node { return n.Args[1] }},
		{Name: "CHARSET", Signature: "CHARSET(x)", Family: "session", Doc: "utf8mb4 for a text, binary for anything else.", Min: 1, Max: 1, null: neverNull, Type: toText,
			simplify: func(n *Call) Node {
				t := n.Args[0].Type()
				if t.IsText() || t.Base == value.TypeJSON {
					return NewConst(value.FromString("utf8mb4"))
				}
				return NewConst(value.FromString("binary"))
			}},
		{Name: "COLLATION", Signature: "COLLATION(x)", Family: "session", Volatility: Stable, Min: 1, Max: 1, null: neverNull, Type: toText,
			Doc: "The collation by which x compares; binary for what is not text.", compile: func(n *Call) Func {
				return func(env *Env) (value.Value, error) {
					return value.FromString(collationName(env, n.Args[0].Type())), nil
				}
			}},
		{Name: "COERCIBILITY", Signature: "COERCIBILITY(x)", Family: "session", Min: 1, Max: 1, null: neverNull, Type: toInt,
			Doc: "How readily x yields to the collation of another text: 0 has COLLATE, 1 is of two collations, 2 a column, 3 told by the session, 4 a literal, 5 a number or a time, 6 NULL.",
			compile: func(n *Call) Func {
				v := value.FromInt(coercibility(n.Args[0]))
				return func(*Env) (value.Value, error) { return v, nil }
			}},
	}
}

func checkNameConst(args []Node) error {
	for _, a := range args {
		if !IsConst(a) {
			return &ArgumentError{"NAME_CONST", "its arguments are constants"}
		}
	}
	return nil
}

// collationName is MySQL's name for how values of type t compare.
func collationName(env *Env, t value.Type) string {
	switch {
	case !collates(t):
		return "binary"
	case t.Coercion == value.Computed:
		return env.session().Collation.String()
	}
	return t.Collation.String()
}

// coercibility is MySQL's number for what gave n its collation.
func coercibility(n Node) int64 {
	t := n.Type()
	call, isCall := n.(*Call)
	_, isConst := n.(*Const)
	switch {
	case IsNullConst(n):
		return 6
	case isNumber(t) || isTemporal(t) || t.Base == value.TypeBit:
		return 5
	case t.IsText() && isCall && call.Func.Family == "session":
		return 3
	case t.Coercion >= value.Literal || isConst && t.IsOctets():
		return 4
	case t.Coercion == value.Explicit:
		return 0
	case t.Coercion == value.Mixed:
		return 1
	}
	return 2
}
