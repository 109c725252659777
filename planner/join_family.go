package planner

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// FamilyScan joins a table with one that is interleaved in it WITH PARENT: in one range the copy of each parent's
// row lies before the rows that live inside it. Rows come in the order of the child's key.
type FamilyScan struct {
	Kind JoinKind // InnerJoin; LeftJoin: parents without children come too
	// Parent and Child say where the rows of each go, what is read of them, and what is checked on each alone. The spans of both are Child's
	// Keys, and Child's Order, Ordered and Limit are those of the joined rows.
	Parent, Child *access.Scan
	On            expr.Node // further conditions of the match
}

// familyJoin is a join that may be a FamilyScan.
type familyJoin struct {
	kind          JoinKind
	parent, child *source
	on            []expr.Node // the match conditions; for an inner join, all conditions
	above         []expr.Node // LeftJoin: on the parent alone, above the join
	order         []access.SortKey
	limit         expr.Node // wanted rows, if nothing above drops rows; nil: all
}

// family reads a parent and its children as one range:
//
//	expense e JOIN item i ON i.expense = e.id WHERE e.id < 5  →  family scan [item!, item!5)
//
// It needs an equality for each column of the parent's key, and complete copies. It must not fire if rows are to be written or protected from
// others' changes, or if the parent's ETag is wanted: a copy has another one.
func (j *joiner) family(f familyJoin) *relation {
	f.on, f.above = j.stated(f.on), j.stated(f.above)
	copies := f.copies()
	if copies == nil || j.forUpdate || f.parent.forWrite || f.child.forWrite || f.parent.keys != nil || f.child.keys != nil {
		return nil
	}
	on, ok := f.withoutKey()
	if !ok {
		return nil
	}
	total := j.block.width
	n := &FamilyScan{Kind: f.kind,
		Parent: &access.Scan{Table: f.parent.table, Alias: f.parent.name, Offset: f.parent.offset, Total: total, Access: access.RangeScan, Index: copies},
		Child:  &access.Scan{Table: f.child.table, Alias: f.child.name, Offset: f.child.offset, Total: total, Access: access.RangeScan},
	}
	own := access.Request{Table: f.parent.table, Offset: f.parent.offset, Need: f.parent.need(), Conds: append(slices.Clone(on), f.above...)}
	if n.Parent.Columns = own.Named(nil); slices.Contains(n.Parent.Columns, f.parent.table.ETagOrdinal()) {
		return nil
	}
	own = access.Request{Table: f.child.table, Offset: f.child.offset, Need: f.child.need(), Conds: own.Conds}
	n.Child.Columns = own.Named(nil)

	ranged := on // the conditions that every row satisfies
	if f.kind == LeftJoin {
		ranged = f.above
	}
	residual := j.familyKeys(&f, n, ranged)
	checked := residual
	if f.kind == LeftJoin {
		checked += len(on)
		j.familyCheck(&f, n, on, false)
	}
	if own.Order = f.order; checked == 0 && (len(f.order) == 0 || n.Child.Ordered) {
		n.Child.Limit, own.Limit = f.limit, f.limit
	}
	own.Estimate(n.Child, n.Child.Keys, n.Child.Keys.Depth(), n.Child.Ordered, access.ResidualShare(residual))
	rel := &relation{node: n, rows: n.Child.Rows, requests: j.reads(n.Child), ordered: n.Child.Ordered}
	rel.set.add(f.parent.index)
	rel.set.add(f.child.index)
	return rel
}

// copies is the index of the stored parent copies among the child's rows; nil if none can be read.
func (f *familyJoin) copies() *schema.Index {
	p, c := f.parent.table, f.child.table
	if p == nil || c == nil || !c.IsInterleaved() || !c.Interleaved.WithParent || !strings.EqualFold(c.Interleaved.Parent, p.Name) || c.Physical != p.Physical {
		return nil
	}
	if ix := p.ParentCopies(c.Name); ix != nil && ix.State == schema.Public && p.CopiesFor(ix, c) {
		return ix
	}
	return nil
}

// withoutKey gives the conditions of the match without the equalities on the parent's key, which the place of the rows implies. Not ok: one of
// these is missing.
func (f *familyJoin) withoutKey() (rest []expr.Node, ok bool) {
	rest = slices.Clone(f.on)
	for i, p := range f.parent.table.Key {
		found := false
		rest = slices.DeleteFunc(rest, func(n expr.Node) bool {
			is := f.equates(n, p.Column, f.child.table.Key[i].Column)
			found = found || is
			return is
		})
		if !found {
			return nil, false
		}
	}
	return rest, true
}

// equates recognizes parent.column = child.column, by the collation of both.
func (f *familyJoin) equates(n expr.Node, parent, child int) bool {
	eq, ok := n.(*expr.Compare)
	if !ok || eq.Op != expr.Eq || eq.Collation != f.parent.table.Columns[parent].Type.Collation {
		return false
	}
	at := func(n expr.Node, s *source, ordinal int) bool {
		c, ok := n.(*expr.Column)
		return ok && c.Level == 0 && c.Index == s.offset+ordinal
	}
	return at(eq.L, f.parent, parent) && at(eq.R, f.child, child) || at(eq.R, f.parent, parent) && at(eq.L, f.child, child)
}

// familyKeys turns conditions into the spans of n and what is left to check, and says how many are left. Conditions on the parent's key are put
// on the equal columns of the child's.
func (j *joiner) familyKeys(f *familyJoin, n *FamilyScan, conds []expr.Node) (residual int) {
	s := n.Child
	k := access.NewKeyPlan(s.Table, nil)
	k.Whole, k.CopyColumns = false, 0 // everything is read by spans, with the copies
	c := &access.Constrainer{Table: s.Table, Offset: s.Offset}
	onChild := make([]expr.Node, len(conds))
	for i, cond := range conds {
		onChild[i] = f.toChild(cond)
	}
	forms := c.Conjuncts(onChild)
	keyed := s.Table.Key[:len(s.Table.Interleaved.Key)]
	for _, form := range forms {
		for _, atoms := range form {
			for i := range atoms {
				if !slices.ContainsFunc(keyed, func(p schema.KeyColumn) bool { return p.Column == atoms[i].Ordinal }) {
					atoms[i] = access.Atom{Ordinal: -1, Conjunct: atoms[i].Conjunct} // it would leave the copies out
				}
			}
		}
	}
	covered, touched, depth := k.Narrow(forms)
	var keys, recheck, rest []expr.Node
	for i, cond := range conds {
		if touched[i] {
			keys = append(keys, onChild[i])
		}
		if covered[i] {
			recheck = append(recheck, cond)
		} else {
			rest = append(rest, cond)
		}
	}
	k.Conds, s.Keys = expr.Conjunction(keys), k
	n.Parent.Keys = k
	if depth == 0 {
		s.Access = access.PartitionScan
		if _, named := k.Spread(); !named {
			s.Access = access.TableScan
		}
	}
	if order, ok := f.orderOfChild(); ok {
		if pinned, ordered := access.ServesOrder(c, k, nil, order, forms); ordered {
			k.Pinned, s.Ordered, s.Order = pinned, true, f.order
		}
	}
	j.familyCheck(f, n, recheck, true)
	j.familyCheck(f, n, rest, false)
	return len(rest)
}

// familyCheck puts each condition where all that it needs is known: on parents, on children, or on pairs. Conditions of a LEFT JOIN are not put
// on its parents, because they only say what matches.
func (j *joiner) familyCheck(f *familyJoin, n *FamilyScan, conds []expr.Node, keyed bool) {
	var parent, child srcSet
	parent.add(f.parent.index)
	child.add(f.child.index)
	above := func(cond expr.Node) bool {
		return f.kind == InnerJoin || slices.Contains(f.above, cond)
	}
	var ofParent, ofChild, ofBoth []expr.Node
	for _, cond := range conds {
		switch refs := j.block.refers(cond); {
		case refs.within(parent) && above(cond):
			ofParent = append(ofParent, cond)
		case refs.within(child):
			ofChild = append(ofChild, cond)
		default:
			ofBoth = append(ofBoth, cond)
		}
	}
	n.On = expr.Conjunction(append(expr.Conjuncts(n.On), ofBoth...))
	set := func(to *expr.Node, more []expr.Node) { *to = expr.Conjunction(append(expr.Conjuncts(*to), more...)) }
	if keyed {
		set(&n.Parent.Recheck, ofParent)
		set(&n.Child.Recheck, ofChild)
		return
	}
	set(&n.Parent.Residual, ofParent)
	set(&n.Child.Residual, ofChild)
}

// toChild replaces columns of the parent's key by the child's columns that equal them.
func (f *familyJoin) toChild(n expr.Node) expr.Node {
	return expr.Rewrite(n, func(n expr.Node) expr.Node {
		c, ok := n.(*expr.Column)
		if !ok || c.Level != 0 {
			return n
		}
		for i, p := range f.parent.table.Key {
			own := f.child.table.Key[i].Column
			if c.Index == f.parent.offset+p.Column && comparedAlike(f.parent.table.Columns[p.Column].Type, f.child.table.Columns[own].Type) {
				return &expr.Column{Index: f.child.offset + own, Name: c.Name, T: f.child.table.Columns[own].Type}
			}
		}
		return n
	})
}

// comparedAlike says whether values of two types that have the same codes compare alike with everything else.
func comparedAlike(a, b value.Type) bool {
	return a.Base == b.Base || a.IsInteger() && b.IsInteger() || a.IsFreeText() && b.IsFreeText()
}

// orderOfChild gives the wanted order over the child's columns. In a LEFT JOIN the child's own columns cannot be used for it: they are NULL in
// the row of a parent without children.
func (f *familyJoin) orderOfChild() (order []access.SortKey, ok bool) {
	for _, key := range f.order {
		c, is := key.Expr.(*expr.Column)
		if !is || f.kind == LeftJoin && slices.ContainsFunc(f.child.table.Interleaved.Key, func(p schema.KeyColumn) bool { return c.Index == f.child.offset+p.Column }) {
			return nil, false
		}
		order = append(order, access.SortKey{Expr: f.toChild(c), Desc: key.Desc})
	}
	return order, len(order) > 0
}
