package expr

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Equal says whether a and b are the same expression, as GROUP BY and ORDER BY look for it. Volatile ones are
// the same when they are written the same; two Subqueries only when they are one.
func Equal(a, b Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || !sameNode(a, b) {
		return false
	}
	var ak, bk []Node
	kids(a, func(k Node) { ak = append(ak, k) })
	kids(b, func(k Node) { bk = append(bk, k) })
	return slices.EqualFunc(ak, bk, Equal)
}

// sameNode compares two nodes without their operands.
func sameNode(a, b Node) bool {
	switch a := a.(type) {
	case *Column:
		b, ok := b.(*Column)
		return ok && a.Index == b.Index && a.Level == b.Level
	case *Const:
		b, ok := b.(*Const)
		return ok && a.V == b.V
	case *Param:
		b, ok := b.(*Param)
		return ok && a.Index == b.Index
	case *InsertValue:
		b, ok := b.(*InsertValue)
		return ok && a.Index == b.Index
	case *Tuple:
		_, ok := b.(*Tuple)
		return ok
	case *Compare:
		b, ok := b.(*Compare)
		return ok && a.Op == b.Op && a.Collation == b.Collation
	case *Logic:
		b, ok := b.(*Logic)
		return ok && a.Op == b.Op && a.Both == b.Both
	case *Not:
		_, ok := b.(*Not)
		return ok
	case *Is:
		b, ok := b.(*Is)
		return ok && a.What == b.What && a.Not == b.Not
	case *Like:
		b, ok := b.(*Like)
		return ok && a.Escape == b.Escape && a.Not == b.Not && a.Collation == b.Collation
	case *In:
		b, ok := b.(*In)
		return ok && a.Not == b.Not && a.Collation == b.Collation
	case *Case:
		b, ok := b.(*Case)
		return ok && len(a.Whens) == len(b.Whens)
	case *Arith:
		b, ok := b.(*Arith)
		return ok && a.Op == b.Op
	case *Unary:
		b, ok := b.(*Unary)
		return ok && a.Op == b.Op
	case *Cast:
		b, ok := b.(*Cast)
		return ok && sameType(a.To, b.To)
	case *Call:
		b, ok := b.(*Call)
		return ok && a.Func == b.Func && sameType(a.T, b.T)
	}
	return false
}

func sameType(a, b value.Type) bool {
	return a.Base == b.Base && a.Unsigned == b.Unsigned && a.Collation == b.Collation && a.Length == b.Length &&
		a.Precision == b.Precision && a.Scale == b.Scale && slices.Equal(a.Names, b.Names)
}
