package expr

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Volatility says how long a function's result stays valid for the same arguments.
type Volatility uint8

const (
	Immutable Volatility = iota // for ever: it is folded
	Stable                      // through one execution of a statement: NOW(), DATABASE()
	Volatile                    // not at all: RAND(), UUID()
)

// VolatilityOf is the highest volatility in n. Columns and arguments are as stable as the row and the
// execution they belong to, and count as Immutable; subqueries are Stable.
func VolatilityOf(n Node) Volatility {
	v := Immutable
	Walk(n, func(n Node) bool {
		v = max(v, ownVolatility(n))
		return v < Volatile
	})
	return v
}

// ownVolatility is the volatility of n itself, without its operands.
func ownVolatility(n Node) Volatility {
	switch n := n.(type) {
	case *Call:
		if datesAt[n.Func.Name] != nil && n.T.Base != value.TypeTime && slices.ContainsFunc(n.Args, func(a Node) bool { return a.Type().Base == value.TypeTime }) {
			return max(Stable, n.Func.Volatility)
		}
		if n.Func.Family == "condition" && comesOfToday(n) || n.Func.compares && comparesToday(n) {
			return max(Stable, n.Func.Volatility)
		}
		return n.Func.Volatility
	case *Subquery:
		return Stable
	case *Cast:
		if isDate(n.To) && n.X.Type().Base == value.TypeTime {
			return Stable
		}
	case *Case:
		if comesOfToday(n) {
			return Stable
		}
	case *Compare, *In:
		if comparesToday(n) {
			return Stable
		}
	}
	return Immutable
}

// comesOfToday says whether n makes a date or a point in time from a TIME, which depends on the current date.
func comesOfToday(n Node) bool {
	timed := false
	kids(n, func(k Node) { timed = timed || k.Type().Base == value.TypeTime })
	return timed && isDate(n.Type())
}

// comparesToday says whether n compares a TIME with a point in time, which depends on the current date.
func comparesToday(n Node) bool {
	var duration, date bool
	var look func(n Node)
	look = func(n Node) {
		switch k := n.(type) {
		case *Tuple:
			kids(k, look)
		default:
			t := k.Type().Base
			duration = duration || t == value.TypeTime
			date = date || isDate(k.Type())
		}
	}
	kids(n, look)
	return duration && date
}

// Deterministic says whether n gives the same value each time it is computed over the same row within
// one execution: NOW() does, RAND() does not.
func Deterministic(n Node) bool { return VolatilityOf(n) < Volatile }

// IsConst says whether n has one value throughout an execution, so that it can be computed before any row is read: it has no column, no
// VALUES(column), nothing volatile and no correlated subquery. Arguments and NOW() are const in this sense; test for *Const if the value must be
// known already.
func IsConst(n Node) bool {
	is := true
	Walk(n, func(n Node) bool {
		switch n := n.(type) {
		case *Column, *InsertValue:
			is = false
		case *Subquery:
			is = is && !n.Correlated
		case *Call:
			is = is && n.Func.Volatility < Volatile
		}
		return is
	})
	return is
}

// maxFolded is the octets of the longest constant that replaces the expression that makes it: plans stay in the statement cache, and a short
// text can make 16 MiB.
const maxFolded = 64 << 10

// fold computes n if all of its operands are constant. An error is left to the execution, which may never compute n.
func fold(n Node) Node {
	if !constantKids(n) || ownVolatility(n) != Immutable {
		return n
	}
	v, err := CompileOperand(n)(&Env{folding: true})
	if err != nil || len(v.Text()) > maxFolded {
		return n
	}
	t := n.Type()
	if t.Base == value.TypeUnknown {
		t = value.TypeOf(v)
	}
	return &Const{V: v, T: t}
}

// Folded is n as a constant, if all of its operands are constant.
func Folded(n Node) Node { return fold(n) }

// constantKids says whether all operands of n are the same in every session.
func constantKids(n Node) bool {
	constant := true
	kids(n, func(k Node) {
		switch k := k.(type) {
		case *Const:
			constant = constant && !value.HasOffset(k.V) // which may mean different times in the time zones of sessions
		case *Tuple:
			constant = constant && constantKids(k)
		default:
			constant = false
		}
	})
	return constant
}
