// Package access chooses how one table is read: by the keys of single rows, by spans of row keys, or as a whole. Conditions become
// tests on key columns (constrain*.go). At each execution the tests become spans (span*.go). The other conditions become a
// predicate that is sent to the store (predicate.go). cost.go compares the ways.
//
//	path, err := access.Choose(access.Request{Table: table, Conds: conds, …})
//	err = path.Scan.Reads(env, &reads) // the points and spans for these arguments
package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// Request is what a query block wants of one table.
type Request struct {
	Table         *schema.Table
	Alias         string
	Offset, Total int
	// Conds are conjuncts. The table's own columns have Level 0 and an Index in [Offset, Offset+RowWidth). Everything else in
	// them is known before the table is read: arguments, columns of outer queries, columns that are Bound.
	Conds []expr.Node
	// Bound says which positions of the block's row are known before this scan starts (a lookup join's
	// left row); nil: none.
	Bound func(index int) bool
	Need  []int     // ordinals that the query needs, besides those in Conds
	Order []SortKey // wanted order, nil if none
	Limit expr.Node // how many rows are wanted (count + offset), if no operator above drops rows; nil: all
	// ForWrite asks for whole rows, each with the ETag of the entity that it was read from.
	ForWrite bool
	Keys     *IndexChoice // USE, FORCE and IGNORE INDEX
	Near     bool         // requests are not waited for, and the table has statistics
}

// Path is how the table is read.
type Path struct {
	Scan    *Scan
	Ordered bool // rows come in the wanted order
	Cost    cost
}

// Choose finds the cheapest way to the rows that satisfy the conditions: by the primary key, by each
// index that is complete, or by reading all. The table is a stored one.
func Choose(r Request) (Path, error) {
	c := &Constrainer{Table: r.Table, Offset: r.Offset, bound: r.Bound}
	forms := c.Conjuncts(r.Conds)
	best := r.path(c, nil, forms)
	for _, ix := range r.Table.Indexes {
		if ix.State != schema.Public || ix.Child != "" { // parent copies serve joins only
			continue
		}
		if p := r.path(c, ix, forms); p.Scan != nil && r.better(p, best) {
			best = p
		}
	}
	return best, nil
}

// better prefers, in this order: what a hint forces, fewer requests, fewer entities, no sort. Between equals the first one
// wins. So the rows' own key wins over an index, and a plan does not change without a reason.
func (r *Request) better(p, q Path) bool {
	if a, b := r.Keys.Rank(p), r.Keys.Rank(q); a != b {
		return a > b
	}
	if p.Cost != q.Cost {
		return p.Cost.Less(q.Cost)
	}
	return p.Ordered && !q.Ordered
}

// path is the way by one key: the rows' own (ix is nil), or an index's. Scan is nil if the index is of no use.
func (r *Request) path(c *Constrainer, ix *schema.Index, forms [][][]Atom) Path {
	finds, sorts := r.Keys.finds(ix), r.Keys.sorts(ix)
	if ix != nil && !finds && !sorts {
		return Path{}
	}
	k := NewKeyPlan(r.Table, ix)
	switch {
	case !finds && !sorts:
		k = newPartitionPlan(r.Table)
	case !finds:
		forms = slices.Clone(forms)
		for i := range forms {
			forms[i] = unknown(i)
		}
	}
	covered, touched, depth := k.Narrow(forms)
	pinned, ordered := []bool(nil), false
	if len(r.Order) > 0 && sorts {
		pinned, ordered = ServesOrder(c, k, ix, r.Order, forms)
	}
	if ix != nil && depth == 0 && !ordered {
		return Path{}
	}
	s := &Scan{Table: r.Table, Alias: r.Alias, Offset: r.Offset, Total: r.Total, Index: ix}
	if ordered {
		k.Pinned = pinned
		s.Ordered, s.Order, s.PartitionOrder = true, r.Order, k.partitionOrder()
	}
	s.setAccess(k, depth)
	s.IndexJoin = ix != nil && r.needsIndexJoin(ix)
	s.Columns = r.columns(s)
	var recheck, residual, keyed []expr.Node
	var unserved [][][]Atom
	for i, n := range r.Conds {
		if touched[i] {
			keyed = append(keyed, n)
		}
		if covered[i] {
			recheck = append(recheck, n)
		} else {
			residual, unserved = append(residual, n), append(unserved, forms[i])
		}
	}
	s.Recheck, s.Residual, k.Conds = expr.Conjunction(recheck), expr.Conjunction(residual), expr.Conjunction(keyed)
	s.Predicate = pushPredicate(r.Table, r.Offset, r.filterable(c, ix, residual))
	if r.Limit != nil && s.Residual == nil && (len(r.Order) == 0 || ordered) {
		s.Limit = r.Limit
	}
	p := Path{Scan: s, Ordered: ordered}
	p.Cost = r.Estimate(s, k, depth, ordered, r.residualShare(unserved))
	return p
}

// Narrow applies the conditions to the key; see constrainKey. depth is that of KeyPlan.Depth.
func (k *KeyPlan) Narrow(forms [][][]Atom) (covered, touched []bool, depth int) {
	covered, touched = constrainKey(k, forms)
	if depth = k.Depth(); depth == 0 && len(k.Branches) > 1 {
		// One branch reads everything, so the others add nothing. What all branches have in common, the partition, still narrows.
		covered, touched = constrainKey(k, common(forms))
		depth = k.Depth()
	}
	return covered, touched, depth
}

// common keeps the conjuncts that all branches share: those that are ORs become unknown.
func common(forms [][][]Atom) [][][]Atom {
	out := slices.Clone(forms)
	for i := range out {
		if len(out[i]) > 1 {
			out[i] = unknown(i)
		}
	}
	return out
}

// unknown is the form of a conjunct that narrows no key.
func unknown(conjunct int) [][]Atom { return [][]Atom{{{Ordinal: -1, Conjunct: conjunct}}} }

// setAccess sets the scan's Access by what its keys allow.
func (s *Scan) setAccess(k *KeyPlan, depth int) {
	s.Keys = k
	k.setPlain()
	all, single := k.allPoints()
	switch {
	case s.Index == nil && depth > 0 && all:
		s.Access = PointReads
		if single {
			s.Access = PointRead
		}
	case depth > 0 || s.Index != nil:
		s.Access = RangeScan
	case slices.ContainsFunc(k.Branches, func(b keyBranch) bool { _, open := b.Spread(k); return open }):
		s.Access = TableScan
	default:
		s.Access = PartitionScan
	}
}

// needsIndexJoin says whether the rows must be read after their index entries: the entries lack a column, or the query wants the
// row's own ETag, which no entry has.
func (r *Request) needsIndexJoin(ix *schema.Index) bool {
	if r.ForWrite && (ix.Copy != schema.CopyRow || len(r.Table.Children) > 0) {
		return true // a new child changes its parent's own ETag only
	}
	for _, c := range r.Named(nil) {
		if c == r.Table.ETagOrdinal() || !r.Table.Holds(ix, c) {
			return true
		}
	}
	return false
}

// columns are the ordinals to be read: what the query needs, what conditions and the promised order use, and the primary key for
// an index join.
func (r *Request) columns(s *Scan) []int {
	width := r.Table.RowWidth()
	if r.ForWrite {
		all := make([]int, width)
		for i := range all {
			all[i] = i
		}
		return all
	}
	return r.Named(s)
}

// Named gives the columns that the statement itself names, without those that only a write needs. An ETag among them is that of
// the row, not of an index entry.
func (r *Request) Named(s *Scan) []int {
	width := r.Table.RowWidth()
	out := slices.Clone(r.Need)
	see := func(n expr.Node) {
		expr.Columns(n, func(c *expr.Column) {
			if i := c.Index - r.Offset; c.Level == 0 && i >= 0 && i < width {
				out = append(out, i)
			}
		})
	}
	for _, n := range r.Conds {
		see(n)
	}
	if s != nil {
		for _, k := range s.Order {
			see(k.Expr)
		}
		if s.IndexJoin {
			for _, p := range r.Table.Key {
				out = append(out, p.Column)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// filterable gives the conditions whose columns the scanned entities have. An index entry that lacks a column would fail any
// comparison with it.
func (r *Request) filterable(c *Constrainer, ix *schema.Index, conds []expr.Node) []expr.Node {
	if ix == nil || ix.Copy == schema.CopyRow {
		return conds
	}
	return slices.DeleteFunc(slices.Clone(conds), func(n expr.Node) bool {
		lacks := false
		expr.Columns(n, func(col *expr.Column) {
			if ordinal, own := c.column(col); own && !r.Table.Holds(ix, ordinal) {
				lacks = true
			}
		})
		return lacks
	})
}

// Estimate estimates the cost of s. Its spans fix the first depth columns of the key, and conditions that are checked row by row
// leave a share of the rows.
func (r *Request) Estimate(s *Scan, k *KeyPlan, depth int, ordered bool, left float64) cost {
	all := rowsOf(r.Table)
	entities, spans := k.reach(s.Index == nil || s.Index.Unique)
	if depth == 0 {
		entities, spans = all, 1
	}
	partitions, named := k.Spread()
	fixed := partitions < PartitionsOf(r.Table) && len(k.partitionKey) > 0 && k.layout.Buckets == 0 && !k.ranged()
	parts := k.partitionShare()
	partitions *= parts
	if depth == 0 && k.divide != nil {
		entities *= parts / max(parts, float64(len(r.Table.Partitions.List)))
	}
	if depth == 0 && named && fixed {
		entities = all / PartitionsOf(r.Table) * partitions
	}
	if depth == 0 && named && r.Table.Analyzed() {
		entities = 0
		for i := range k.Branches {
			entities += all * k.placeShare(&k.Branches[i])
		}
		entities = min(entities, all)
	}
	rows := entities
	if !named {
		// A walk over all store partitions also meets the index entries.
		entities = all * float64(1+len(r.Table.Indexes))
		if !r.Table.Analyzed() {
			rows = entities
		}
	}
	rows = k.matching(rows, left)
	if s.PassesCopies() {
		entities *= 2 // at worst each parent has one row, and a copy before it
	}
	if r.Limit != nil && (ordered || len(r.Order) == 0) {
		want := limitRows(r.Limit)
		if rows > want {
			entities, rows = entities*want/rows, want
		}
	}
	c := cost{entities: entities}
	switch {
	case s.Access == PointRead || s.Access == PointReads:
		s.Seeks, c.Requests = entities, entities
	case !named:
		if r.Table.Analyzed() {
			partitions = parts
		}
		s.Seeks, c.Requests = partitions, pages(r.Table, entities, partitions)
	default:
		s.Seeks = spans * partitions
		c.Requests = pages(r.Table, entities, s.Seeks)
	}
	if s.IndexJoin {
		s.Seeks += entities
		c.Requests += entities
	}
	s.Rows, s.Entities, s.Requests = rows, entities, c.Requests
	return c
}

// PassesCopies says whether the scan meets stored parent copies: it does if it reads the children of several parents.
func (s *Scan) PassesCopies() bool {
	n := s.Table.CopyColumns()
	if n == 0 || s.Index != nil {
		return false
	}
	return slices.ContainsFunc(s.Keys.Branches, func(b keyBranch) bool { return len(b.row) < n || !points(b.row[n-1]) })
}
