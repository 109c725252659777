package planner

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// equalAll adds to links the equalities that follow from them: columns that equal the same column equal each other. So tables can be joined by
// these in any order.
//
//	a.x = b.x AND b.x = c.x  →  a.x = b.x AND b.x = c.x AND a.x = c.x
//
// Of all these, step takes one for each table. It must not fire for texts, which other collations may compare, or if a table has two of the
// columns, because a single equality would not make those equal.
func (j *joiner) equalAll(links []link, items []*joinItem) []link {
	class := map[int]int{} // by column; columns of the same class are equal
	columns := map[int]*expr.Column{}
	var order []int
	for n, l := range links {
		_, a, b, ok := j.equalColumns(l.cond)
		if !ok || isText(a.T.Base) {
			continue
		}
		for _, c := range []*expr.Column{a, b} {
			if columns[c.Index] == nil {
				columns[c.Index], class[c.Index] = c, n+1
				order = append(order, c.Index)
			}
		}
		from, of := class[a.Index], class[b.Index]
		for _, c := range order {
			if class[c] == from {
				class[c] = of
			}
		}
	}
	members := map[int][]*expr.Column{}
	for _, c := range order {
		members[class[c]] = append(members[class[c]], columns[c])
	}
	stated := map[[2]int]bool{}
	for i := range links {
		_, a, b, ok := j.equalColumns(links[i].cond)
		if !ok || isText(a.T.Base) || !j.apart(members[class[a.Index]], items) {
			continue
		}
		links[i].class = class[a.Index]
		stated[[2]int{a.Index, b.Index}], stated[[2]int{b.Index, a.Index}] = true, true
	}
	for _, c := range order {
		of := members[class[c]]
		if of[0].Index != c || !j.apart(of, items) {
			continue
		}
		for i, a := range of {
			for _, b := range of[i+1:] {
				if !stated[[2]int{a.Index, b.Index}] {
					eq := &expr.Compare{Op: expr.Eq, L: a, R: b}
					links = append(links, link{cond: eq, refs: j.block.refers(eq), class: class[c]})
				}
			}
		}
	}
	return links
}

// apart says whether the columns are all of different items.
func (j *joiner) apart(columns []*expr.Column, items []*joinItem) bool {
	return !slices.ContainsFunc(items, func(item *joinItem) bool {
		n := 0
		for _, c := range columns {
			if item.set.has(j.block.sourceOf(c.Index)) {
				n++
			}
		}
		return n > 1
	})
}
