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
		sessionFunction("ROW_COUNT", "Rows changed by the statement before, -1 after a query.", intType, func(s *Session) value.Value { return value.FromInt(s.RowCount) }),
		sessionFunction("FOUND_ROWS", "Rows that the last SELECT gave, with SQL_CALC_FOUND_ROWS those that it would have given without LIMIT.", intType,
			func(s *Session) value.Value { return value.FromInt(s.FoundRows) }),
		sessionFunction("CURRENT_ROLE", "NONE: there are no roles.", textType, func(*Session) value.Value { return value.FromString("NONE") }),
		{Name: "LAST_INSERT_ID", Signature: "LAST_INSERT_ID([n])", Family: "session", Volatility: Volatile, Max: 1, Type: toInt,
			Doc: "The first AUTO_INCREMENT value of the last INSERT; with n it is set to n.", Eval: evalLastInsertID},
	}
}

func sessionFunction(name, doc string, t value.Type, get func(*Session) value.Value, aliases ...string) *Function {
	return &Function{Name: name, Signature: name + "()", Family: "session", Doc: doc, aliases: aliases, Volatility: Stable, Type: fixed(t),
		Eval: func(env *Env, _ []value.Value) (value.Value, error) { return get(env.session()), nil }}
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
