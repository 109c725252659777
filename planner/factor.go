package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// factored gives conds with the conditions that all branches of an OR share taken out of it. If each branch has a condition on one and the same
// table of set, it adds the OR of these, so that a key of that table may serve it:
//
//	a.k = b.k AND a.x = 1 AND b.y < 5 OR a.k = b.k AND a.x = 2 AND b.y > 9
//	→  a.k = b.k AND (a.x = 1 AND b.y < 5 OR a.x = 2 AND b.y > 9) AND (a.x = 1 OR a.x = 2) AND (b.y < 5 OR b.y > 9)
//
// It must not fire for expressions that differ each time (RAND()). It adds nothing that costs a query or can fail, because a branch may evaluate
// that only if its other conditions hold.
func (k *block) factored(conds []expr.Node, set srcSet) []expr.Node {
	var out []expr.Node
	for i, c := range conds {
		parts := k.factor(c, set)
		if out == nil && (len(parts) != 1 || parts[0] != c) {
			out = slices.Clone(conds[:i])
		}
		if out != nil {
			out = append(out, parts...)
		}
	}
	if out == nil {
		return conds
	}
	return out
}

// factor is factored for one condition; it gives conjuncts.
func (k *block) factor(c expr.Node, set srcSet) []expr.Node {
	or, ok := c.(*expr.Logic)
	if !ok || or.Op != expr.Or {
		return []expr.Node{c}
	}
	branches := make([][]expr.Node, len(or.Kids))
	for i, kid := range or.Kids {
		branches[i] = k.factored(expr.Conjuncts(kid), srcSet{})
	}
	shared := takeShared(branches)
	if len(shared) == 0 {
		return append([]expr.Node{c}, k.perTable(c, branches, set)...)
	}
	if slices.ContainsFunc(branches, func(b []expr.Node) bool { return len(b) == 0 }) {
		return shared // what it says beside that is more than enough
	}
	kids := make([]expr.Node, len(branches))
	for i, b := range branches {
		kids[i] = expr.Conjunction(b)
	}
	rest := expr.Disjunction(kids)
	return append(append(shared, rest), k.perTable(rest, branches, set)...)
}

// takeShared removes from the branches the conditions that all of them have.
func takeShared(branches [][]expr.Node) (shared []expr.Node) {
	for _, c := range branches[0] {
		lacks := func(b []expr.Node) bool { return !has(b, c) }
		if expr.Deterministic(c) && !has(shared, c) && !slices.ContainsFunc(branches[1:], lacks) {
			shared = append(shared, c)
		}
	}
	if len(shared) > 0 {
		for i, b := range branches {
			branches[i] = slices.DeleteFunc(slices.Clone(b), func(c expr.Node) bool { return has(shared, c) })
		}
	}
	return shared
}

// has says whether a condition is among conds.
func has(conds []expr.Node, c expr.Node) bool {
	return slices.ContainsFunc(conds, func(other expr.Node) bool { return expr.Equal(c, other) })
}

// perTable gives, for each table of set on which every branch of or has conditions, the OR of these.
func (k *block) perTable(or expr.Node, branches [][]expr.Node, set srcSet) (out []expr.Node) {
	all := k.refers(or)
	for _, s := range k.sources {
		var self srcSet
		self.add(s.index)
		if all != self && self.within(all) && self.within(set) {
			if own := k.ofTable(branches, self); len(own) > 0 {
				out = append(out, expr.Disjunction(own))
			}
		}
	}
	return out
}

// ofTable gives each branch's conditions on one table alone; nothing if a branch has none.
func (k *block) ofTable(branches [][]expr.Node, self srcSet) (own []expr.Node) {
	for _, b := range branches {
		var conds []expr.Node
		for _, c := range b {
			if k.refers(c) == self && isPlainCondition(c) {
				conds = append(conds, c)
			}
		}
		if len(conds) == 0 {
			return nil
		}
		if c := expr.Conjunction(conds); !has(own, c) {
			own = append(own, c)
		}
	}
	return own
}

// isPlainCondition says whether n is made only of comparisons of columns and constants, so that it neither costs much nor fails.
func isPlainCondition(n expr.Node) bool {
	plain := true
	expr.Walk(n, func(n expr.Node) bool {
		switch n.(type) {
		case *expr.Column, *expr.Const, *expr.Param, *expr.Tuple, *expr.Logic, *expr.Compare, *expr.In, *expr.Like, *expr.Is, *expr.Not:
		default:
			plain = false
		}
		return plain
	})
	return plain
}

// factorTree factors the conditions of the joins beneath t. What it adds to ON is on the side that ON restricts.
func (k *block) factorTree(t *joinTree) *joinTree {
	if t.kind == leafTree {
		return t
	}
	set := t.set()
	if t.kind == leftTree {
		set = t.kids[1].set()
	}
	out := *t
	out.conds = k.factored(t.conds, set)
	out.kids = make([]*joinTree, len(t.kids))
	for i, kid := range t.kids {
		out.kids[i] = k.factorTree(kid)
	}
	return &out
}
