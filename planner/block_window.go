package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// arranged gives the operators in the order in which they run: first those that need no order, then each that sorts, followed by those that its
// order also serves. Those that leave rows in the order of last come at the end.
func arranged(nodes []*Window, last []access.SortKey) []*Window {
	var plain []*Window
	var sorts [][]*Window
	bySize := slices.Clone(nodes)
	slices.SortStableFunc(bySize, func(a, b *Window) int { return len(b.sortKeys()) - len(a.sortKeys()) })
	for _, n := range bySize {
		if len(n.sortKeys()) == 0 {
			plain = append(plain, n)
			continue
		}
		i := slices.IndexFunc(sorts, func(same []*Window) bool { return n.servedBy(same[0].sortKeys()) })
		if i < 0 {
			sorts = append(sorts, []*Window{n})
		} else {
			sorts[i] = append(sorts[i], n)
		}
	}
	slices.SortStableFunc(sorts, func(a, b []*Window) int {
		switch endsA, endsB := beginsWith(a[0].sortKeys(), last), beginsWith(b[0].sortKeys(), last); {
		case endsA && !endsB:
			return 1
		case endsB && !endsA:
			return -1
		}
		return 0
	})
	return slices.Concat(append([][]*Window{plain}, sorts...)...)
}

// windowOrder is the input order that serves the window functions best.
func (q *selection) windowOrder() []access.SortKey {
	nodes, _ := q.windows.nodes()
	for _, n := range arranged(nodes, q.order) {
		if keys := n.sortKeys(); len(keys) > 0 {
			return keys
		}
	}
	return q.order
}

// withWindows puts the operators of the window functions above node, whose rows come in the order of have, and the columns of their results into
// the select list and ORDER BY. ordered: the resulting rows come in the order of ORDER BY.
func (q *selection) withWindows(node Node, have []access.SortKey) (out Node, ordered bool) {
	nodes, at := q.windows.nodes()
	results := make(map[*Window]int, len(nodes))
	for _, n := range arranged(nodes, q.order) {
		results[n] = node.Width()
		n.Input, n.Sorted = node, n.servedBy(have)
		if !n.Sorted {
			have = n.sortKeys()
		}
		node = n
	}
	place := func(n expr.Node) expr.Node {
		return expr.Rewrite(n, func(n expr.Node) expr.Node {
			c, ok := n.(*expr.Column)
			if !ok || c.Level > 0 || c.Index < windowBase {
				return n
			}
			own, call := *c, at[c.Index-windowBase]
			own.Index = results[nodes[call[0]]] + call[1]
			return &own
		})
	}
	for i := range q.outputs {
		q.outputs[i].node = place(q.outputs[i].node)
	}
	for i := range q.order {
		q.order[i].Expr = place(q.order[i].Expr)
	}
	return node, beginsWith(have, q.order)
}
