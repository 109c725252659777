package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// canFail says whether a condition may fail or warn for some row. writes: the statement writes, so that what is a warning elsewhere is an error.
func canFail(n expr.Node, writes bool) bool {
	switch n := n.(type) {
	case *expr.Logic:
		return slices.ContainsFunc(n.Kids, func(k expr.Node) bool { return canFail(k, writes) })
	case *expr.Not:
		return canFail(n.X, writes)
	case *expr.Is:
		switch n.X.(type) {
		case *expr.Column, *expr.Const, *expr.Param:
			if n.What == expr.IsNull {
				return false
			}
		}
		return canFail(n.X, writes)
	case *expr.Like:
		return comparand(n.X) != value.TypeText || comparand(n.Pattern) != value.TypeText && !isParam(n.Pattern)
	case *expr.Compare:
		return comparisonCanFail(n.L, n.R, writes)
	case *expr.In:
		return slices.ContainsFunc(n.List, func(e expr.Node) bool { return comparisonCanFail(n.X, e, writes) })
	}
	return comparand(n) != value.TypeDouble && !expr.IsNullConst(n)
}

// comparisonCanFail is canFail of a comparison of l with r.
func comparisonCanFail(l, r expr.Node, writes bool) bool {
	lt, lok := l.(*expr.Tuple)
	rt, rok := r.(*expr.Tuple)
	if lok && rok && len(lt.List) == len(rt.List) {
		for i := range lt.List {
			if comparisonCanFail(lt.List[i], rt.List[i], writes) {
				return true
			}
		}
		return false
	}
	a, b := comparand(l), comparand(r)
	if a == value.TypeUnknown { // an argument or NULL
		l, r, a, b = r, l, b, a
	}
	switch {
	case a == value.TypeUnknown:
		return true
	case a == b, expr.IsNullConst(r):
		return false
	case isParam(r):
		return writes || a != value.TypeDouble && a != value.TypeText
	}
	return !(a == value.TypeDouble && isNumeral(r) || b == value.TypeDouble && isNumeral(l))
}

// comparand is a type that a column or constant can be compared with without failing: DOUBLE for any number, TEXT for any text, DATETIME for
// dates, too. TypeUnknown: there is none, or it is not known.
func comparand(n expr.Node) value.Base {
	t := n.Type()
	switch n := n.(type) {
	case *expr.Column:
	case *expr.Const:
		if t.Base != value.TypeJSON {
			t = value.TypeOf(n.V)
		}
	default:
		return value.TypeUnknown
	}
	switch {
	case t.Base == value.TypeDate:
		return value.TypeDateTime
	case t.Base == value.TypeDateTime, t.Base == value.TypeTime, t.Base == value.TypeUUID:
		return t.Base
	case t.IsText(), t.IsOctets():
		return value.TypeText
	case t.Base != value.TypeBit && t.Class() == value.ClassNumber:
		return value.TypeDouble
	}
	return value.TypeUnknown
}

func isParam(n expr.Node) bool {
	_, is := n.(*expr.Param)
	return is
}

// isNumeral says whether n is a text that reads as a number, whatever it is compared with.
func isNumeral(n expr.Node) bool {
	k, is := n.(*expr.Const)
	return is && comparand(k) == value.TypeText && value.ReadsAsNumber(k.V)
}
