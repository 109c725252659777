package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// lockFunctions are those of named locks, which connections hold.
func lockFunctions() []*Function {
	return []*Function{
		{Name: "GET_LOCK", Signature: "GET_LOCK(name, seconds)", Family: "session", Volatility: Volatile, Min: 2, Max: 2, Type: toInt,
			Doc: "1 if the session gets the named lock in time, else 0; negative seconds wait for ever. It holds among all processes that use the store.", Eval: evalGetLock},
		{Name: "RELEASE_LOCK", Signature: "RELEASE_LOCK(name)", Family: "session", Volatility: Volatile, Min: 1, Max: 1, Type: toInt,
			Doc: "1 if the lock was held and is free now, 0 if another connection holds it, NULL if none does.", Eval: evalReleaseLock},
		{Name: "RELEASE_ALL_LOCKS", Signature: "RELEASE_ALL_LOCKS()", Family: "session", Volatility: Volatile, Type: toInt,
			Doc: "How many times GET_LOCK was called for the locks that the connection held, which are free now.", Eval: func(env *Env, _ []value.Value) (value.Value, error) {
				if unlock := env.session().UnlockAll; unlock != nil {
					return value.FromInt(unlock(env.context())), nil
				}
				return value.FromInt(0), nil
			}},
		{Name: "IS_FREE_LOCK", Signature: "IS_FREE_LOCK(name)", Family: "session", Volatility: Volatile, Min: 1, Max: 1, Type: toInt,
			Doc: "1 if no connection holds the lock, else 0.", Eval: func(env *Env, args []value.Value) (value.Value, error) {
				owner, err := lockOwner(env, "IS_FREE_LOCK", args[0])
				return truthValues[truthOf(owner == 0)], err
			}},
		{Name: "IS_USED_LOCK", Signature: "IS_USED_LOCK(name)", Family: "session", Volatility: Volatile, Min: 1, Max: 1, Type: toInt,
			Doc: "The CONNECTION_ID that holds the lock, NULL if none does.", Eval: func(env *Env, args []value.Value) (value.Value, error) {
				owner, err := lockOwner(env, "IS_USED_LOCK", args[0])
				return orNull(value.FromInt(owner), owner != 0), err
			}},
	}
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
	held, existed, err := unlock(env.context(), name)
	if err != nil || !existed {
		return value.NullValue, err
	}
	return truthValues[truthOf(held)], nil
}

// lockOwner is the connection that holds a lock, 0 without one.
func lockOwner(env *Env, function string, v value.Value) (int64, error) {
	name, err := lockName(function, v)
	if owner := env.session().LockOwner; err == nil && owner != nil {
		return owner(env.context(), name)
	}
	return 0, err
}
