package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// alikeYears gives two operands as they compare where one is a YEAR. A constant beside a column is the year that it says there:
// 24 the year 2024. Beside a date a year is what comes before the first of January.
func alikeYears(l, r Node) (Node, Node, error) {
	l, r = besideYear(r, l), besideYear(l, r)
	a, err := yearBesideDate(r.Type(), l)
	if err != nil {
		return l, r, err
	}
	b, err := yearBesideDate(l.Type(), r)
	return a, b, err
}

// yearBesideDate is n beside a value of type t: as the number of a date, without month and day.
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

// besideYear is n as it compares with the column.
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

// yearOf is what a column of YEAR keeps of v, rounded or cut as there; v itself where that is out of range, or nothing.
func yearOf(v value.Value) value.Value {
	if y, why, ok := (value.Type{Base: value.TypeYear}).Adjust(v); ok && why == value.Truncated {
		return y
	}
	return v
}
