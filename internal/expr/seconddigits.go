package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// secondDigits is how many digits of a second n has, read as a time; -1 if that is not known before it is read. A text that differs from row to
// row has as many as MySQL knows.
func secondDigits(n Node) int {
	switch t := n.Type(); {
	case t.Base == value.TypeDateTime, t.Base == value.TypeTime:
		return t.Precision
	case t.IsText():
		if c, ok := n.(*Const); ok {
			at, _ := value.ReadClock(c.V)
			return at.Digits()
		}
	}
	return fractionDigits(n)
}

// fractionDigits is how many digits after the point n has as a number of seconds; -1 if that is not known.
func fractionDigits(n Node) int {
	switch t := n.Type(); {
	case t.Base == value.TypeUnknown, t.IsText() && !isConstant(n) && IsConst(n):
		return -1
	case t.Base == value.TypeDecimal:
		return min(t.Scale, microseconds)
	case t.Base == value.TypeFloat, t.Base == value.TypeDouble, t.IsText():
		return microseconds
	case t.Base == value.TypeDateTime, t.Base == value.TypeTime:
		return min(t.Precision, microseconds)
	}
	return 0
}

func isConstant(n Node) bool {
	_, ok := n.(*Const)
	return ok
}

// microseconds is the most digits behind the second that functions give, as in MySQL.
const microseconds = 6

// greatestDigits is the greatest of these, or -1 if one is not known.
func greatestDigits(digits ...int) int {
	most := 0
	for _, d := range digits {
		if d < 0 {
			return d
		}
		most = max(most, d)
	}
	return most
}

// secondsType is a type of function results whose seconds have the digits of all arguments from the first on, as digits
// counts them.
func secondsType(base value.Base, digits func(Node) int, first int) func([]Node) value.Type {
	return func(args []Node) value.Type {
		most := 0
		for _, a := range args[min(first, len(args)):] {
			most = greatestDigits(most, digits(a))
			if most < 0 {
				break
			}
		}
		return value.Type{Base: base, Precision: most}
	}
}

// withDigits gives the results f of a call the digits that its type has: times behind the second, decimals behind the point.
func withDigits(n *Call, f Func) Func {
	switch t := n.T; {
	case t.Base == value.TypeDecimal && t.Scale > 0 && knowsScale(n):
		return func(env *Env) (value.Value, error) {
			v, err := f(env)
			return value.Padded(v, t.Scale), err
		}
	case (t.Base == value.TypeDateTime || t.Base == value.TypeTime) && t.Precision > 0:
		return func(env *Env) (value.Value, error) {
			v, err := f(env)
			return v.WithDigits(t.Precision), err
		}
	case t.Base == value.TypeDouble && roundedDigits(n) >= 0:
		digits := roundedDigits(n)
		return func(env *Env) (value.Value, error) {
			v, err := f(env)
			return v.WithFraction(digits), err
		}
	}
	return f
}

// roundedDigits is how many digits after the point n rounds a DOUBLE to; -1 if that is not known.
func roundedDigits(n *Call) int {
	switch n.Func.Name {
	case "CEILING", "FLOOR":
		return 0
	case "ROUND", "TRUNCATE":
		if len(n.Args) == 1 {
			return 0
		}
		if c, ok := n.Args[1].(*Const); ok && !c.V.IsNull() {
			if d, err := value.ToInt(c.V); err == nil && d <= maxScale {
				return int(max(d, 0))
			}
		}
	}
	return -1
}

// knowsScale says whether the scale of a DECIMAL call is its results' scale: an argument says to how many digits it rounds.
func knowsScale(n *Call) bool {
	switch n.Func.Name {
	case "UNIX_TIMESTAMP":
		return true
	case "ROUND", "TRUNCATE":
		return len(n.Args) > 1 && (isConstant(n.Args[1]) || !IsConst(n.Args[1]))
	}
	return false
}
