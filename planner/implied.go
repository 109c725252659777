package planner

import (
	"maps"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// facts are conditions, by the column's place, that compare one column with constants, by = and IN or by <, <=, > and >=, and that hold for all
// rows that matter. A column that comes from an outer join may also be NULL.
type facts map[int][]expr.Node

func (f facts) add(column int, cond expr.Node) {
	if !slices.Contains(f[column], cond) {
		f[column] = append(f[column][:len(f[column]):len(f[column])], cond)
	}
}

// take adds the facts of others that are on wanted columns.
func (f facts) take(others facts, wanted func(column int) bool) {
	for column, conds := range others {
		for _, c := range conds {
			if wanted(column) {
				f.add(column, c)
			}
		}
	}
}

// imply adds to the conditions of the joins beneath t, and to conds, which are above it, the conditions that follow from them:
//
//	a LEFT JOIN b ON b.x = a.x WHERE a.x = 1  →  a LEFT JOIN b ON b.x = a.x AND b.x = 1 WHERE a.x = 1
//
// So a key that begins with x serves b, too, and a range of a.x is also one of b. It must not fire if one column can hold values that the other
// cannot, or compares differently.
func (j *joiner) imply(t *joinTree, conds []expr.Node) (*joinTree, []expr.Node, facts) {
	known := facts{}
	j.implied = map[expr.Node]*expr.Column{}
	t, added := j.implyIn(t, conds, known)
	if len(added) > 0 {
		conds = append(slices.Clone(conds), added...)
	}
	return t, conds, known
}

// implyIn is imply for t. known holds for the rows of other tables that t is joined with; it gets the facts that hold for t's rows.
func (j *joiner) implyIn(t *joinTree, conds []expr.Node, known facts) (*joinTree, []expr.Node) {
	switch t.kind {
	case leafTree:
		return t, j.follow(conds, t.set(), known)
	case leftTree:
		out := *t
		out.kids = slices.Clone(t.kids)
		above, _ := j.split(conds, t.kids[0].set())
		left, added := j.implyIn(t.kids[0], above, known)
		matched := maps.Clone(known) // what ON says of the left side holds for the match alone
		right, on := j.implyIn(t.kids[1], t.conds, matched)
		known.take(matched, func(column int) bool { return t.kids[1].set().has(j.block.sourceOf(column)) })
		out.kids[0], out.kids[1] = left, right
		if len(on) > 0 {
			out.conds = append(slices.Clone(t.conds), on...)
		}
		return &out, added
	}
	all := append(slices.Clone(conds), t.conds...)
	added := j.follow(all, t.set(), known)
	out := *t
	out.kids = slices.Clone(t.kids)
	for i, kid := range t.kids {
		var more []expr.Node
		out.kids[i], more = j.implyIn(kid, j.within(append(all, added...), kid.set()), known)
		added = append(added, more...)
	}
	return &out, added
}

// stated gives the conditions that are not implied by others.
func (j *joiner) stated(conds []expr.Node) []expr.Node {
	return slices.DeleteFunc(slices.Clone(conds), func(c expr.Node) bool { return j.implied[c] != nil })
}

// beside gives conds without those implied for a column that one of the others is an equality on.
func (j *joiner) beside(conds, others []expr.Node) []expr.Node {
	equal := map[int]bool{}
	for _, c := range others {
		if _, a, b, ok := j.equalColumns(c); ok {
			equal[a.Index], equal[b.Index] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(conds), func(c expr.Node) bool { return j.implied[c] != nil && equal[j.implied[c].Index] })
}

// within gives the conditions that need only columns of set.
func (j *joiner) within(conds []expr.Node, set srcSet) []expr.Node {
	own, _ := j.split(conds, set)
	return own
}

// follow notes what conds say about single columns, and gives what follows from that for columns of set.
func (j *joiner) follow(conds []expr.Node, set srcSet, known facts) (added []expr.Node) {
	type pair struct {
		a, b *expr.Column
		eq   *expr.Compare
	}
	var pairs []pair
	has := map[int]bool{}   // columns on which conds have facts
	fixed := map[int]bool{} // columns on which they have equalities
	for _, c := range conds {
		if eq, a, b, ok := j.equalColumns(c); ok {
			pairs = append(pairs, pair{a, b, eq}, pair{b, a, eq})
		} else if column, isRange := comparedColumn(c); column != nil {
			known.add(column.Index, c)
			has[column.Index], fixed[column.Index] = true, fixed[column.Index] || !isRange
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range pairs {
			if fixed[p.b.Index] || !set.has(j.block.sourceOf(p.b.Index)) {
				continue // it has a key of its own already
			}
			hasRange := has[p.b.Index]
			for _, fact := range known[p.a.Index] {
				_, isRange := comparedColumn(fact)
				if !carries(p.eq, fact) || isRange && hasRange {
					continue
				}
				of := expr.Rewrite(fact, func(n expr.Node) expr.Node {
					if c, ok := n.(*expr.Column); ok && c.Level == 0 && c.Index == p.a.Index {
						return p.b
					}
					return n
				})
				known.add(p.b.Index, of)
				added = append(added, of)
				j.implied[of] = p.b
				has[p.b.Index], fixed[p.b.Index] = true, fixed[p.b.Index] || !isRange
				changed = true
			}
		}
	}
	return added
}

// equalColumns recognizes column = column, of types for which whatever equals one equals the other.
func (j *joiner) equalColumns(c expr.Node) (eq *expr.Compare, a, b *expr.Column, ok bool) {
	eq, is := c.(*expr.Compare)
	if !is || eq.Op != expr.Eq {
		return nil, nil, nil, false
	}
	a, isA := eq.L.(*expr.Column)
	b, isB := eq.R.(*expr.Column)
	if !isA || !isB || a.Level > 0 || b.Level > 0 || a.Index == b.Index {
		return nil, nil, nil, false
	}
	s, t := a.T, b.T
	return eq, a, b, s.Base == t.Base && s.Unsigned == t.Unsigned && s.Collation == t.Collation && isPlainBase(s.Base)
}

// isPlainBase says whether no condition can tell equal values of the type apart; for texts, no condition of the same collation.
func isPlainBase(b value.Base) bool {
	switch b {
	case value.TypeTinyInt, value.TypeSmallInt, value.TypeMediumInt, value.TypeInt, value.TypeBigInt, value.TypeDecimal,
		value.TypeChar, value.TypeText, value.TypeBinary, value.TypeBlob, value.TypeDate, value.TypeDateTime, value.TypeUUID:
		return true
	}
	return false
}

// comparedColumn recognizes column IN (constants), and a column compared with a constant by = or, as a range, by <, <=, > or >=.
func comparedColumn(n expr.Node) (column *expr.Column, isRange bool) {
	switch n := n.(type) {
	case *expr.Compare:
		switch n.Op {
		case expr.Lt, expr.Le, expr.Gt, expr.Ge:
			isRange = true
		case expr.Eq:
		default:
			return nil, false
		}
		if c, ok := n.L.(*expr.Column); ok && c.Level == 0 && isFixed(n.R) {
			return c, isRange
		}
		if c, ok := n.R.(*expr.Column); ok && c.Level == 0 && isFixed(n.L) {
			return c, isRange
		}
	case *expr.In:
		if c, ok := n.X.(*expr.Column); ok && c.Level == 0 && !n.Not && !slices.ContainsFunc(n.List, func(k expr.Node) bool { return !isFixed(k) }) {
			return c, false
		}
	}
	return nil, false
}

// isFixed says whether n is the same for all rows of the block, and costs nothing.
func isFixed(n expr.Node) bool {
	fixed := expr.Deterministic(n) && !expr.HasSubquery(n)
	expr.Columns(n, func(c *expr.Column) { fixed = fixed && c.Level > 0 })
	return fixed
}

// carries says whether a fact about one column of an equality holds for the other, too: texts must be compared in the same way, and with texts.
func carries(eq *expr.Compare, fact expr.Node) bool {
	text := isText(eq.L.Type().Base)
	with := func(collation value.Collation, others ...expr.Node) bool {
		return !text || collation == eq.Collation && !slices.ContainsFunc(others, func(n expr.Node) bool { return !isText(n.Type().Base) })
	}
	switch fact := fact.(type) {
	case *expr.Compare:
		return with(fact.Collation, fact.L, fact.R)
	case *expr.In:
		return with(fact.Collation, fact.List...)
	}
	return false
}

func isText(b value.Base) bool { return b == value.TypeChar || b == value.TypeText }
