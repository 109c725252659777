package expr

import "github.com/nearlyfreedb/nearlyfree/internal/value"

// alikeYears gives two operands as they compare where one is a column of YEAR and the other is the same for all rows: that
// one is the year that it says there, 24 the year 2024.
func alikeYears(l, r Node) (Node, Node) { return besideYear(r, l), besideYear(l, r) }

// besideYear is n as it compares with the column.
func besideYear(column, n Node) Node {
	if c, ok := column.(*Column); !ok || c.T.Base != value.TypeYear || !IsConst(n) || size(n) != 1 || HasSubquery(n) {
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
