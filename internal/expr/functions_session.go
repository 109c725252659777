package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

func sessionFunctions() []*Function {
	return []*Function{
		sessionFunction("DATABASE", "The current database, NULL without one.", textType, func(s *Session) value.Value {
			if s.Database == "" {
				return value.NullValue
			}
			return value.FromString(s.Database)
		}, "SCHEMA"),
		sessionFunction("USER", "The user.", textType, func(s *Session) value.Value { return value.FromString(s.User) }, "CURRENT_USER", "SESSION_USER", "SYSTEM_USER"),
		sessionFunction("VERSION", "The version that the driver reports.", textType, func(s *Session) value.Value { return value.FromString(s.Version) }),
		sessionFunction("CONNECTION_ID", "The number of the connection.", intType, func(s *Session) value.Value { return value.FromInt(s.ConnectionID) }),
		sessionFunction("ROW_COUNT", "Rows changed by the statement before, -1 behind a query.", intType, func(s *Session) value.Value { return value.FromInt(s.RowCount) }),
		sessionFunction("FOUND_ROWS", "Rows that the last SELECT gave, with SQL_CALC_FOUND_ROWS those that it would have given without LIMIT.", intType,
			func(s *Session) value.Value { return value.FromInt(s.FoundRows) }),
		sessionFunction("CURRENT_ROLE", "NONE: there are no roles.", textType, func(*Session) value.Value { return value.FromString("NONE") }),
		{Name: "COLLATION", Signature: "COLLATION(x)", Family: "session", Volatility: Stable, Min: 1, Max: 1, null: neverNull, Type: toText,
			Doc: "The collation by which x compares; binary for what is no text.", compile: func(n *Call) Func {
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
		{Name: "LAST_INSERT_ID", Signature: "LAST_INSERT_ID([n])", Family: "session", Volatility: Volatile, Max: 1, Type: toInt,
			Doc: "The first AUTO_INCREMENT value of the last INSERT; with n it is set to n.", Eval: evalLastInsertID},
		{Name: "GET_LOCK", Signature: "GET_LOCK(name, seconds)", Family: "session", Volatility: Volatile, Min: 2, Max: 2, Type: toInt,
			Doc: "1 where the named lock was got in time, else 0; negative seconds wait for ever.", Eval: evalGetLock},
		{Name: "RELEASE_LOCK", Signature: "RELEASE_LOCK(name)", Family: "session", Volatility: Volatile, Min: 1, Max: 1, Type: toInt,
			Doc: "1 where the lock was held and is free now, 0 where another connection holds it, NULL where nobody does.", Eval: evalReleaseLock},
		{Name: "RELEASE_ALL_LOCKS", Signature: "RELEASE_ALL_LOCKS()", Family: "session", Volatility: Volatile, Type: toInt,
			Doc: "How many times GET_LOCK was called for the locks that the connection held, which are free now.", Eval: func(env *Env, _ []value.Value) (value.Value, error) {
				if unlock := env.session().UnlockAll; unlock != nil {
					return value.FromInt(unlock()), nil
				}
				return value.FromInt(0), nil
			}},
		{Name: "IS_FREE_LOCK", Signature: "IS_FREE_LOCK(name)", Family: "session", Volatility: Volatile, Min: 1, Max: 1, Type: toInt,
			Doc: "1 where no connection holds the lock, else 0.", Eval: func(env *Env, args []value.Value) (value.Value, error) {
				owner, err := lockOwner(env, "IS_FREE_LOCK", args[0])
				return truthValues[truthOf(owner == 0)], err
			}},
		{Name: "IS_USED_LOCK", Signature: "IS_USED_LOCK(name)", Family: "session", Volatility: Volatile, Min: 1, Max: 1, Type: toInt,
			Doc: "The CONNECTION_ID of who holds the lock, NULL where nobody does.", Eval: func(env *Env, args []value.Value) (value.Value, error) {
				owner, err := lockOwner(env, "IS_USED_LOCK", args[0])
				return orNull(value.FromInt(owner), owner != 0), err
			}},
	}
}

func sessionFunction(name, doc string, t value.Type, get func(*Session) value.Value, aliases ...string) *Function {
	return &Function{Name: name, Signature: name + "()", Family: "session", Doc: doc, aliases: aliases, Volatility: Stable, Type: fixed(t),
		Eval: func(env *Env, _ []value.Value) (value.Value, error) { return get(env.session()), nil }}
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
	case isNullConst(n):
		return 6
	case isNumber(t) || isTemporal(t) || t.Base == value.TypeBit:
		return 5
	case isText(t) && isCall && call.Func.Family == "session":
		return 3
	case t.Coercion >= value.Literal || isConst && isBinary(t):
		return 4
	case t.Coercion == value.Explicit:
		return 0
	case t.Coercion == value.Mixed:
		return 1
	}
	return 2
}

func evalLastInsertID(env *Env, args []value.Value) (value.Value, error) {
	s := env.session()
	if len(args) == 0 {
		return value.FromInt(s.LastInsertID), nil
	}
	if args[0].IsNull() {
		s.LastInsertID = 0
		return args[0], nil
	}
	n, err := value.ToInt(args[0])
	if err == nil {
		s.LastInsertID, s.InsertID = n, n
	}
	return value.FromInt(n), err
}

func lockName(function string, v value.Value) (string, error) {
	name := value.Text(v)
	if v.IsNull() || name == "" || len(name) > 64*4 {
		return "", &ArgumentError{function, "a lock's name has 1 to 64 characters"}
	}
	return name, nil
}

func evalGetLock(env *Env, args []value.Value) (value.Value, error) {
	name, err := lockName("GET_LOCK", args[0])
	if err != nil {
		return value.NullValue, err
	}
	lock := env.session().Lock
	if lock == nil {
		return value.NullValue, &ArgumentError{"GET_LOCK", "there are no locks here"}
	}
	got, err := lock(env.context(), name, value.ToFloat(args[1]))
	return truthValues[truthOf(got)], err
}

func evalReleaseLock(env *Env, args []value.Value) (value.Value, error) {
	name, err := lockName("RELEASE_LOCK", args[0])
	if err != nil {
		return value.NullValue, err
	}
	unlock := env.session().Unlock
	if unlock == nil {
		return value.NullValue, nil
	}
	held, existed := unlock(name)
	if !existed {
		return value.NullValue, nil
	}
	return truthValues[truthOf(held)], nil
}

// lockOwner is the connection that holds a lock, 0 without one.
func lockOwner(env *Env, function string, v value.Value) (int64, error) {
	name, err := lockName(function, v)
	if owner := env.session().LockOwner; err == nil && owner != nil {
		return owner(name), nil
	}
	return 0, err
}
