package expr

import (
	"math"
	"math/rand/v2"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func mathFunctions() []*Function {
	return []*Function{
		{Name: "POWER", Signature: "POWER(x, y)", Family: "number", aliases: []string{"POW"}, Doc: "x to the power of y.", Min: 2, Max: 2, strict: true,
			Type: toDouble, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return finite("pow", math.Pow(value.ToFloat(args[0]), value.ToFloat(args[1])))
			}},
		mathFunction("SQRT", "The square root; NULL of a negative number.", func(x float64) bool { return x >= 0 }, math.Sqrt),
		mathFunction("EXP", "e to the power of x.", nil, math.Exp),
		mathFunction("LN", "The natural logarithm; NULL if x is not positive.", positive, math.Log),
		mathFunction("LOG2", "The logarithm to base 2; NULL if x is not positive.", positive, func(x float64) float64 { return math.Log(x) / math.Ln2 }),
		mathFunction("LOG10", "The logarithm to base 10; NULL if x is not positive.", positive, math.Log10),
		{Name: "LOG", Signature: "LOG([base, ]x)", Family: "number", Doc: "The logarithm, natural without a base; NULL if there is none.",
			Min: 1, Max: 2, strict: true, Type: toDouble, compile: compileLog},
		mathFunction("SIN", "The sine of radians.", nil, math.Sin),
		mathFunction("COS", "The cosine of radians.", nil, math.Cos),
		mathFunction("TAN", "The tangent of radians.", nil, math.Tan),
		mathFunction("COT", "The cotangent of radians.", nil, func(x float64) float64 { return 1 / math.Tan(x) }),
		mathFunction("ASIN", "The arc sine; NULL outside -1 to 1.", unit, math.Asin),
		mathFunction("ACOS", "The arc cosine; NULL outside -1 to 1.", unit, math.Acos),
		{Name: "ATAN", Signature: "ATAN(y[, x])", Family: "number", aliases: []string{"ATAN2"}, Doc: "The arc tangent of y, or of y/x by the signs of both.",
			Min: 1, Max: 2, strict: true, null: anyNull, Type: toDouble, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				if len(args) == 1 {
					return value.FromFloat(math.Atan(value.ToFloat(args[0]))), nil
				}
				return value.FromFloat(math.Atan2(value.ToFloat(args[0]), value.ToFloat(args[1]))), nil
			}},
		mathFunction("DEGREES", "Radians as degrees.", nil, func(x float64) float64 { return x * (180 / math.Pi) }),
		mathFunction("RADIANS", "Degrees as radians.", nil, func(x float64) float64 { return x * (math.Pi / 180) }),
		{Name: "PI", Signature: "PI()", Family: "number", Doc: "3.141592653589793, in full.", Type: toDouble, null: neverNull,
			Eval: func(*Env, []value.Value) (value.Value, error) { return value.FromFloat(math.Pi), nil }},
		{Name: "RAND", Signature: "RAND([seed])", Family: "number", Volatility: Volatile, null: neverNull,
			Doc: "A random number, 0 <= x < 1. With a constant seed the sequence over the rows is MySQL's.",
			Min: 0, Max: 1, Type: toDouble, Eval: evalRand, compile: compileRand},
	}
}

func positive(x float64) bool { return x > 0 }
func unit(x float64) bool     { return x >= -1 && x <= 1 }

// mathFunction is a function of one float, NULL outside of its domain.
func mathFunction(name, doc string, domain func(float64) bool, f func(float64) float64) *Function {
	return &Function{Name: name, Signature: name + "(x)", Family: "number", Doc: doc, Min: 1, Max: 1, strict: true, Type: toDouble,
		Eval: func(_ *Env, args []value.Value) (value.Value, error) {
			x := value.ToFloat(args[0])
			if domain != nil && !domain(x) {
				return value.NullValue, nil
			}
			return finite(name, f(x))
		}}
}

func finite(name string, f float64) (value.Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return value.NullValue, &value.RangeError{Type: "DOUBLE", Expr: name + "()"}
	}
	return value.FromFloat(f), nil
}

// compileLog reads no argument after one without a logarithm, as in MySQL.
func compileLog(n *Call) Func {
	args := compileAll(n.Args)
	return func(env *Env) (value.Value, error) {
		result := 0.0
		for i, a := range args {
			v, err := a(env)
			if err != nil || v.IsNull() {
				return value.NullValue, err
			}
			if err := env.Number(v); err != nil {
				return value.NullValue, err
			}
			x, base := value.ToFloat(v), result
			switch {
			case x <= 0 || i == 1 && base == 0:
				return value.NullValue, refuseLogarithm(env, nil)
			case i == 1:
				result = math.Log(x) / base
			default:
				result = math.Log(x)
			}
		}
		return value.FromFloat(result), nil
	}
}

// randomState is MySQL's generator for RAND(seed), so that a seed gives the same numbers here as there.
type randomState struct{ a, b uint32 }

const randomModulus = 0x3FFFFFFF

func newRandomState(seed value.Value) *randomState {
	var n int64
	if !seed.IsNull() {
		n, _ = value.ToInt(seed) // what is not an integer seeds as 0 does
	}
	s := uint32(n)
	return &randomState{(s*0x10001 + 55555555) % randomModulus, (s * 0x10000001) % randomModulus}
}

func (r *randomState) next() value.Value {
	r.a = uint32((uint64(r.a)*3 + uint64(r.b)) % randomModulus)
	r.b = uint32((uint64(r.a) + uint64(r.b) + 33) % randomModulus)
	return value.FromFloat(float64(r.a) / randomModulus)
}

func evalRand(_ *Env, args []value.Value) (value.Value, error) {
	if len(args) > 0 {
		return newRandomState(args[0]).next(), nil
	}
	return value.FromFloat(rand.Float64()), nil
}

// compileRand keeps the sequence of a constant seed in the Env, where an execution has its own.
func compileRand(n *Call) Func {
	if len(n.Args) == 0 || !IsConst(n.Args[0]) {
		return nil
	}
	seed := Compile(n.Args[0])
	return func(env *Env) (value.Value, error) {
		own := env.own()
		r := own.random[n]
		if r == nil {
			v, err := seed(env)
			if err != nil {
				return v, err
			}
			if own.random == nil {
				own.random = map[*Call]*randomState{}
			}
			r = newRandomState(v)
			own.random[n] = r
		}
		return r.next(), nil
	}
}
