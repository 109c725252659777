package expr

import (
	"context"
	"math"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// waitFunctions take time.
func waitFunctions() []*Function {
	return []*Function{
		{Name: "SLEEP", Signature: "SLEEP(seconds)", Family: "session", Volatility: Volatile, Min: 1, Max: 1, null: neverNull, Type: toInt,
			Doc: "0, after so many seconds, or earlier if the context ends. 1 if KILL QUERY or MAX_EXECUTION_TIME ends it.", Eval: evalSleep},
		{Name: "BENCHMARK", Signature: "BENCHMARK(n, x)", Family: "session", Volatility: Volatile, Min: 2, Max: 2, Type: toInt,
			Doc: "0, after computing x n times; the end of the context ends it before.", compile: compileBenchmark},
	}
}

func evalSleep(env *Env, args []value.Value) (value.Value, error) {
	seconds := value.ToFloat(args[0])
	if args[0].IsNull() || seconds < 0 {
		return value.NullValue, &ArgumentError{"sleep", "a number of seconds, not negative"}
	}
	wait := time.Duration(math.MaxInt64)
	if seconds < wait.Seconds() {
		wait = time.Duration(seconds * float64(time.Second))
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return value.FromInt(0), nil
	case <-env.context().Done():
		if e, ok := context.Cause(env.context()).(*sqlerr.Error); ok && (e.Code == sqlerr.CodeQueryTimeout || e.Code == sqlerr.CodeInterrupted) {
			return value.FromInt(1), nil // what comes behind it is ended
		}
		return value.NullValue, env.context().Err()
	}
}

func compileBenchmark(n *Call) Func {
	count, x := CompileOperand(n.Args[0]), CompileOperand(n.Args[1])
	const check = 1024 // so often the context is looked at
	return func(env *Env) (value.Value, error) {
		v, err := count(env)
		if err != nil || v.IsNull() {
			return value.NullValue, err
		}
		times, err := value.ToInt(v)
		if err != nil || times < 0 {
			return value.NullValue, err
		}
		for i := range times {
			if i%check == 0 && env.context().Err() != nil {
				return value.NullValue, env.context().Err()
			}
			if _, err := x(env); err != nil {
				return value.NullValue, err
			}
		}
		return value.FromInt(0), nil
	}
}
