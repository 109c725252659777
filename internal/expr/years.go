package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// alikeYears gives two operands in the form in which they are compared if one is a YEAR. A constant compared with a column is the year that it
// means there: 24 is the year 2024. Compared with a date, a year comes before its first of January.
func alikeYears(l, r Node) (Node, Node, error) {
	l, r = besideYear(r, l), besideYear(l, r)
	a, err := yearBesideDate(r.Type(), l)
	if err != nil {
		return l, r, err
	}
	b, err := yearBesideDate(l.Type(), r)
	return a, b, err
}

// yearBesideDate is n, a year, as compared with a value of type t: the number of a date without month and day.
func yearBesideDate(t value.Type, n Node) (Node, error) {
	if size(n) != 1 || n.Type().Base != value.TypeYear || !isDate(t) {
		return n, nil
	}
	unit := int64(10000)
	if t.Base == value.TypeDateTime {
		unit *= 1000000
	}
	return NewArith("*", n, NewConst(value.FromInt(unit)))
}

// besideYear is n as it compares with a YEAR column.
func besideYear(column, n Node) Node {
	if c, ok := column.(*Column); !ok || c.Aggregate || c.T.Base != value.TypeYear || !IsConst(n) || size(n) != 1 || HasSubquery(n) {
		return n
	}
	if c, ok := n.(*Const); ok {
		if v := yearOf(c.V); v != c.V {
			return NewConst(v)
		}
		return n
	}
	return &Call{Func: besideFunction, Args: []Node{n}, T: value.Type{Base: value.TypeYear}}
}

// yearOf is what a YEAR column stores for v, rounded or cut; v itself if that is out of range, or nothing.
func yearOf(v value.Value) value.Value {
	if y, why, ok := (value.Type{Base: value.TypeYear}).Adjust(v); ok && why == value.Truncated {
		return y
	}
	return v
}
