package access

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// mostAlternatives is the longest IN that is sent, because a store takes requests of only a few kilobytes.
const mostAlternatives = 20

// pushPredicate makes the predicate that is sent to the store:
//
//	price > ? AND note IS NULL AND (a = 1 OR b = 2) → price gt ? and (a eq 1 or b eq 2)
//
// It leaves out what a store cannot express or judges differently (<>, NOT, NULL, folded texts); if that is in an OR, it leaves out
// the whole OR. So no row is lost that satisfies the conditions, and the rows that come are checked again.
func pushPredicate(t *schema.Table, offset int, conds []expr.Node) *Predicate {
	p := predicatePusher{Constrainer{Table: t, Offset: offset}}
	var kids []*Predicate
	for _, n := range conds {
		if f := p.push(n); f != nil {
			kids = append(kids, f)
		}
	}
	return joinPredicates(PredicateAnd, kids)
}

func joinPredicates(op PredicateOp, kids []*Predicate) *Predicate {
	switch len(kids) {
	case 0:
		return nil
	case 1:
		return kids[0]
	}
	return &Predicate{Op: op, Kids: kids}
}

type predicatePusher struct{ Constrainer }

func (p *predicatePusher) push(n expr.Node) *Predicate {
	switch n := n.(type) {
	case *expr.Logic:
		return p.logic(n)
	case *expr.Compare:
		if alternatives := splitTuple(n); alternatives != nil {
			return p.push(alternatives)
		}
		return p.compare(n)
	case *expr.In:
		return p.in(n)
	case *expr.Like:
		return p.like(n)
	}
	return nil
}

func (p *predicatePusher) logic(n *expr.Logic) *Predicate {
	op := PredicateAnd
	switch n.Op {
	case expr.Or:
		op = PredicateOr
	case expr.Xor:
		return nil
	}
	var kids []*Predicate
	for _, k := range n.Kids {
		f := p.push(k)
		if f == nil && op == PredicateOr {
			return nil
		}
		if f != nil {
			kids = append(kids, f)
		}
	}
	return joinPredicates(op, kids)
}

func (p *predicatePusher) compare(n *expr.Compare) *Predicate {
	op, r := n.Op, n.R
	ordinal, ok := p.column(n.L)
	if !ok {
		if ordinal, ok = p.column(n.R); !ok {
			return nil
		}
		op, r = op.Mirrored(), n.L
	}
	if !p.known(r) || !p.asStored(ordinal, n.Collation) {
		return nil
	}
	f := &Predicate{Column: ordinal, Value: r}
	col := p.Table.Columns[ordinal]
	switch op {
	case expr.Eq:
		if col.FilterEqual() {
			return p.equals(ordinal, r)
		}
		return nil
	case expr.Gt:
		f.Op = PredicateGt
	case expr.Ge:
		f.Op = PredicateGe
	case expr.Lt:
		f.Op = PredicateLt
	case expr.Le:
		f.Op = PredicateLe
	default:
		return nil
	}
	if !col.FilterOrder() {
		return nil
	}
	return f
}

// equals compares with a constant. If blanks at the end do not count, the equal texts are a range.
func (p *predicatePusher) equals(ordinal int, v expr.Node) *Predicate {
	if t := &p.Table.Columns[ordinal].Type; !t.IsText() || !t.Collation.Pads() {
		return &Predicate{Op: PredicateEq, Column: ordinal, Value: v}
	}
	return joinPredicates(PredicateAnd, []*Predicate{{Op: PredicateGe, Column: ordinal, Value: v}, {Op: PredicateLe, Column: ordinal, Value: v}})
}

// asStored says whether the store compares a text as the condition does. The store compares bytes, so a condition that folds case cannot be
// sent. If blanks at the end do not count, a table of ours gets the range of all blanks that may follow.
func (p *predicatePusher) asStored(ordinal int, collation value.Collation) bool {
	t := &p.Table.Columns[ordinal].Type
	if !p.Table.Sends(p.Table.Columns[ordinal]) {
		return false
	}
	return !t.IsText() || t.Collation == collation && (collation == value.Binary || collation == value.BinaryPad && !p.Table.Layout.Raw && !t.HasMembers())
}

func (p *predicatePusher) in(n *expr.In) *Predicate {
	if alternatives := splitTupleIn(n); alternatives != nil && len(n.List) <= mostAlternatives {
		return p.push(alternatives)
	}
	ordinal, ok := p.column(n.X)
	if !ok || n.Not || len(n.List) > mostAlternatives || !p.asStored(ordinal, n.Collation) || !p.Table.Columns[ordinal].FilterEqual() {
		return nil
	}
	kids := make([]*Predicate, 0, len(n.List))
	for _, x := range n.List {
		if !p.known(x) {
			return nil
		}
		if c, ok := x.(*expr.Const); ok && c.V.IsNull() {
			continue // equals nothing
		}
		kids = append(kids, p.equals(ordinal, x))
	}
	return joinPredicates(PredicateOr, kids)
}

// like: name LIKE 'abc%' → name ge 'abc' and name lt 'abd'. The pattern must be known when the statement is planned.
func (p *predicatePusher) like(n *expr.Like) *Predicate {
	ordinal, ok := p.column(n.X)
	pattern, isConst := n.Pattern.(*expr.Const)
	if !ok || !isConst || n.Not || pattern.V.Kind() != value.String || !p.asStored(ordinal, n.Collation) ||
		!p.Table.Columns[ordinal].Type.IsFreeText() || n.Collation.Pads() {
		return nil
	}
	prefix, rest := keymap.LikePrefix(pattern.V.Text(), n.Escape)
	if rest == keymap.Exact {
		return &Predicate{Op: PredicateEq, Column: ordinal, Value: expr.NewConst(value.FromString(prefix))}
	}
	if prefix == "" {
		return nil
	}
	kids := []*Predicate{{Op: PredicateGe, Column: ordinal, Value: expr.NewConst(value.FromString(prefix))}}
	if end := keymap.Successor(prefix); end != "" {
		kids = append(kids, &Predicate{Op: PredicateLt, Column: ordinal, Value: expr.NewConst(value.FromString(end))})
	}
	return joinPredicates(PredicateAnd, kids)
}

// Predicate is a condition that is sent to the store: And and Or over comparisons of a column with a value, which is computed at
// each execution. Every row that satisfies the condition it was made from passes; others may pass, too.
type Predicate struct {
	Op     PredicateOp
	Kids   []*Predicate
	Column int // ordinal
	Value  expr.Node
}

// PredicateOp is the operator of a Predicate.
type PredicateOp uint8

const (
	PredicateAnd PredicateOp = iota
	PredicateOr
	PredicateEq
	PredicateGt
	PredicateGe
	PredicateLt
	PredicateLe
)
