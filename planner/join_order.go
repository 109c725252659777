package planner

import (
	"cmp"
	"math"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// simplify turns each LEFT JOIN whose right side's NULLs a condition above rejects into an inner one, and
// joins nested inner joins into one, whose tables may then be read in any order:
//
//	a LEFT JOIN b ON c WHERE b.x = 1  →  a JOIN b ON c WHERE b.x = 1
//
// It must not fire for conditions that a row of NULLs satisfies, such as b.x IS NULL.
func (j *joiner) simplify(t *joinTree, conds []expr.Node) *joinTree {
	switch t.kind {
	case leafTree:
		return t
	case leftTree:
		if t.kids[1].isLateral() {
			return &joinTree{kind: leftTree, inner: t.inner, kids: []*joinTree{j.simplify(t.kids[0], conds), t.kids[1]}, conds: t.conds}
		}
		right := t.kids[1].set()
		for _, c := range conds {
			if j.rejectsNulls(c, right) {
				return j.simplify(&joinTree{kind: innerTree, kids: t.kids, conds: t.conds}, conds)
			}
		}
		left := j.simplify(t.kids[0], conds)
		return &joinTree{kind: leftTree, kids: []*joinTree{left, j.simplify(t.kids[1], t.conds)}, conds: t.conds}
	}
	out := &joinTree{kind: innerTree, conds: append([]expr.Node(nil), t.conds...)}
	below := append(append([]expr.Node(nil), conds...), t.conds...)
	for _, kid := range t.kids {
		kid = j.simplify(kid, below)
		if kid.kind == innerTree {
			out.kids = append(out.kids, kid.kids...)
			out.conds = append(out.conds, kid.conds...)
		} else {
			out.kids = append(out.kids, kid)
		}
	}
	return out
}

// rejectsNulls says whether c is never true while all columns of set are NULL.
func (j *joiner) rejectsNulls(c expr.Node, set srcSet) bool {
	switch c := c.(type) {
	case *expr.Logic:
		for _, kid := range c.Kids {
			if rejects := j.rejectsNulls(kid, set); rejects != (c.Op == expr.Or) && c.Op != expr.Xor {
				return rejects
			}
		}
		return c.Op == expr.Or || c.Op == expr.Xor && j.nullWith(c, set)
	case *expr.Is:
		return j.nullWith(c.X, set) && (c.What == expr.IsNull) == c.Not
	}
	return j.nullWith(c, set)
}

// nullWith says whether n is surely NULL while all columns of set are.
func (j *joiner) nullWith(n expr.Node, set srcSet) bool {
	switch n := n.(type) {
	case *expr.Column:
		return n.Level == 0 && set.has(j.block.sourceOf(n.Index))
	case *expr.Compare:
		_, tuple := n.L.(*expr.Tuple)
		return n.Op != expr.NullEq && !tuple && (j.nullWith(n.L, set) || j.nullWith(n.R, set))
	case *expr.Arith:
		return j.nullWith(n.L, set) || j.nullWith(n.R, set)
	case *expr.Unary:
		return j.nullWith(n.X, set)
	case *expr.Cast:
		return j.nullWith(n.X, set)
	case *expr.Not:
		return j.nullWith(n.X, set)
	case *expr.Like:
		return j.nullWith(n.X, set) || j.nullWith(n.Pattern, set)
	case *expr.In:
		return j.nullWith(n.X, set)
	case *expr.Logic:
		if n.Op == expr.Xor {
			for _, kid := range n.Kids {
				if j.nullWith(kid, set) {
					return true
				}
			}
		}
	}
	return false
}

// inner joins the tables of an inner join in the order that promises the least cost. It starts once with each of them, and with each two that
// are read as one range, always takes the cheapest one next, and keeps the cheapest of these orders. With many tables it starts with the
// cheapest alone.
func (j *joiner) inner(t *joinTree, conds []expr.Node, order []access.SortKey, limit expr.Node) (*relation, error) {
	conds = append(append([]expr.Node(nil), t.conds...), conds...)
	if len(t.kids) == 1 {
		return j.tree(t.kids[0], conds, order, limit)
	}
	all, fixed := j.splitFixed(conds)
	if anyFalse(fixed) {
		return j.nothing(t.set()), nil
	}
	items, linking := j.itemsOf(t, all)
	for _, item := range items {
		var err error
		if item.rel, err = j.tree(item.tree, item.own, j.orderWithin(order, item.set), nil); err != nil {
			return nil, err
		}
	}
	first := append(j.families(items, linking, order, limit), starts(items)...)
	wanted := wantedRows(limit)
	var best *relation
	var bestCost float64
	for _, first := range first {
		rel, total, err := j.greedy(items, first, linking)
		if err != nil {
			return nil, err
		}
		if all := rel.expected(); wanted < all && (first.ordered || len(order) == 0) {
			if rel, total, err = j.greedy(items, first.part(wanted/all), linking); err != nil {
				return nil, err
			}
		}
		if rel.ordered {
			total *= savedSort
		}
		if best == nil || total < bestCost {
			best, bestCost = rel, total
		}
	}
	if j.analyzed && math.IsInf(wanted, 1) && len(items) <= tryAllOrders {
		rel, total, err := j.cheapest(items, first, linking)
		if err != nil {
			return nil, err
		}
		if total < bestCost {
			best = rel
		}
	}
	return best.gated(fixed), nil
}

// itemsOf gives the tables of an inner join, each with the conditions on it alone, and the other conditions.
func (j *joiner) itemsOf(t *joinTree, conds []expr.Node) ([]*joinItem, []link) {
	items := make([]*joinItem, len(t.kids))
	for i, kid := range t.kids {
		items[i] = &joinItem{tree: kid, set: kid.set()}
	}
	var linking []link
	for _, c := range conds {
		refs := j.block.refers(c)
		at := slices.IndexFunc(items, func(item *joinItem) bool { return refs.within(item.set) })
		if at < 0 {
			linking = append(linking, link{cond: c, refs: refs})
		} else {
			items[at].own = append(items[at].own, c)
		}
	}
	if j.analyzed {
		linking = j.equalAll(linking, items)
	}
	return items, linking
}

// starts are the tables that an order may begin with: all of them or, of many, the cheapest.
func starts(items []*joinItem) (list []*relation) {
	if len(items) > tryAllStarts {
		return []*relation{slices.MinFunc(items, func(a, b *joinItem) int { return cmp.Compare(a.cost(), b.cost()) }).rel}
	}
	for _, item := range items {
		list = append(list, item.rel)
	}
	return list
}

// wantedRows is how many rows are wanted; all, without a LIMIT.
func wantedRows(limit expr.Node) float64 {
	if n, ok := constInt(limit); ok {
		return float64(n)
	}
	if limit != nil {
		return access.AssumedLimit
	}
	return math.Inf(1)
}

// part is r if a share of its rows is wanted: a join ends when it has enough rows. How many of the first table's rows that takes depends on what
// the conditions on the other tables leave, and on how many matches each row has.
func (r *relation) part(share float64) *relation {
	p := *r
	p.matches = 0
	p.rows = max(1, r.rows*share)
	p.requests = max(1, r.requests*share)
	return &p
}

// tryAllOrders is the number of tables up to which all orders are tried if the tables have statistics; see cheapest.
const tryAllOrders = 9

// tryAllStarts is the number of tables up to which each is tried as the first of the join order.
const tryAllStarts = 6

// savedSort is the assumed worth of rows that come in the wanted order.
const savedSort = 0.99

// joinItem is one of the relations that an inner join joins.
type joinItem struct {
	tree *joinTree
	set  srcSet
	own  []expr.Node
	rel  *relation // read on its own
}

// link is a condition that needs more than one relation, with the tables that it needs.
type link struct {
	cond  expr.Node
	refs  srcSet
	class int // the class of equal columns, two of which the condition equates; 0: none. See equalAll
}

func (i *joinItem) cost() float64 { return costOf(i.rel.requests, i.rel.rows) }

// families gives the pairs of items that a FamilyScan can join.
func (j *joiner) families(items []*joinItem, linking []link, order []access.SortKey, limit expr.Node) []*relation {
	var out []*relation
	for _, p := range items {
		for _, c := range items {
			if p == c || p.tree.kind != leafTree || c.tree.kind != leafTree {
				continue
			}
			both := p.set.union(c.set)
			f := familyJoin{kind: InnerJoin, parent: p.tree.src, child: c.tree.src, on: append(slices.Clone(p.own), c.own...), order: j.orderWithin(order, both)}
			for _, l := range linking {
				if l.refs.within(both) {
					f.on = append(f.on, l.cond)
				}
			}
			if len(items) == 2 {
				f.limit = limit
			}
			if rel := j.family(f); rel != nil {
				out = append(out, rel)
			}
		}
	}
	return out
}

// greedy joins items, beginning with rel, which is one or more of them, and always takes the cheapest one next.
func (j *joiner) greedy(items []*joinItem, rel *relation, linking []link) (*relation, float64, error) {
	total := costOf(rel.requests, rel.rows)
	done := make([]bool, len(items))
	left := 0
	for i, item := range items {
		if done[i] = item.set.within(rel.set); !done[i] {
			left++
		}
	}
	pending := beyond(linking, rel.set)
	for range left {
		next, nextCost := -1, 0.0
		var joined *relation
		for i, item := range items {
			if done[i] {
				continue
			}
			candidate, cost, err := j.step(rel, item, pending)
			if err != nil {
				return nil, 0, err
			}
			if next < 0 || cost < nextCost {
				next, nextCost, joined = i, cost, candidate
			}
		}
		done[next] = true
		rel = joined
		total += nextCost
		pending = beyond(pending, rel.set)
	}
	return rel, total, nil
}

// beyond gives the links that need a table outside of set.
func beyond(links []link, set srcSet) []link {
	var out []link
	for _, l := range links {
		if !l.refs.within(set) {
			out = append(out, l)
		}
	}
	return out
}

// step joins rel with item, on the conditions that need no other table, and tells the cost.
func (j *joiner) step(rel *relation, item *joinItem, links []link) (*relation, float64, error) {
	both := rel.set.union(item.set)
	var on []expr.Node
	var equated []int
	for _, l := range links {
		if !l.refs.within(both) || l.class > 0 && slices.Contains(equated, l.class) {
			continue
		}
		on = append(on, l.cond)
		if l.class > 0 {
			equated = append(equated, l.class)
		}
	}
	held := j.hold(InnerJoin, rel, item.rel, on)
	if item.tree.kind == leafTree {
		lookup, err := j.lookup(InnerJoin, rel, item.tree.src, item.own, on, item.rel, held)
		if err != nil {
			return nil, 0, err
		}
		if lookup != nil && !lookup.node.(*LookupJoin).WholeFirst() {
			return lookup, costOf(lookup.requests-rel.requests, lookup.rows), nil
		}
		if lookup != nil {
			held = lookup
		}
	}
	built := item.rel.rows
	if j.seek > 0 {
		built *= 2 // keeping a row takes as long as reading it
	}
	return held, costOf(item.rel.requests, built+held.rows), nil
}
