package planner

import (
	"math"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// accessRequest is what a query block wants of one table.
type accessRequest struct {
	table         *Table
	alias         string
	offset, total int
	// conds are conjuncts. The table's columns are Level-0 Columns with Index in [offset, offset+RowWidth);
	// all others must be known before: arguments, outer columns, columns that are bound.
	conds []expr.Node
	// bound says which positions of the block's row are known before this scan starts (a lookup join's
	// left row); nil: none.
	bound func(index int) bool
	need  []int     // ordinals that the query needs beside those in conds
	order []SortKey // wanted order, nil if none
	limit expr.Node // wanted rows (count + offset) if nothing above drops rows; nil: all
	// forWrite asks for whole rows, each with the ETag of the entity that it was read from.
	forWrite bool
	keys     *indexChoice // USE, FORCE and IGNORE INDEX
}

// accessPath is how the table is read.
type accessPath struct {
	scan    *Scan
	ordered bool // rows come in the wanted order
	cost    cost
}

// chooseAccess finds the cheapest way to the rows that satisfy the conditions: by the primary key, by each
// index that is complete, or by reading all. The table is a stored one.
func chooseAccess(r accessRequest) (accessPath, error) {
	c := &constrainer{table: r.table, offset: r.offset, bound: r.bound}
	forms := c.conjuncts(r.conds)
	best := r.path(c, nil, forms)
	for _, ix := range r.table.Indexes {
		if ix.State != IndexPublic || ix.Beside != "" { // among other rows no copies are looked for
			continue
		}
		if p := r.path(c, ix, forms); p.scan != nil && r.better(p, best) {
			best = p
		}
	}
	return best, nil
}

// better: what a hint forces, then fewer requests, then fewer entities, then no sort. Of equals the first one stays, so that the
// rows' own key wins over an index, and a plan does not change without reason.
func (r *accessRequest) better(p, q accessPath) bool {
	if a, b := r.keys.rank(p), r.keys.rank(q); a != b {
		return a > b
	}
	if p.cost != q.cost {
		return p.cost.less(q.cost)
	}
	return p.ordered && !q.ordered
}

// path is the way by one key: the rows' own (ix nil) or an index's; none (scan nil) where an index would
// be of no use.
func (r *accessRequest) path(c *constrainer, ix *Index, forms [][][]atom) accessPath {
	finds, sorts := r.keys.finds(ix), r.keys.sorts(ix)
	if ix != nil && !finds && !sorts {
		return accessPath{}
	}
	k := newKeyPlan(r.table, ix)
	switch {
	case !finds && !sorts:
		k = newPartitionPlan(r.table)
	case !finds:
		forms = unknown(forms)
	}
	covered, touched, depth := k.narrow(forms)
	pinned, ordered := []bool(nil), false
	if len(r.order) > 0 && sorts {
		pinned, ordered = servesOrder(c, k, ix, r.order, forms)
	}
	if ix != nil && depth == 0 && !ordered {
		return accessPath{}
	}
	s := &Scan{Table: r.table, Alias: r.alias, Offset: r.offset, Total: r.total, Index: ix}
	if ordered {
		k.pinned = pinned
		s.Ordered, s.Order, s.PartOrder = true, r.order, k.partOrder()
	}
	s.setAccess(k, depth)
	s.Fetch = ix != nil && r.fetches(ix)
	s.Columns = r.columns(s)
	var recheck, residual, keyed []expr.Node
	for i, n := range r.conds {
		if touched[i] {
			keyed = append(keyed, n)
		}
		if covered[i] {
			recheck = append(recheck, n)
		} else {
			residual = append(residual, n)
		}
	}
	s.Recheck, s.Residual, k.conds = conjunction(recheck), conjunction(residual), conjunction(keyed)
	s.Filter = pushFilter(r.table, r.offset, r.filterable(c, ix, residual))
	if r.limit != nil && s.Residual == nil && (len(r.order) == 0 || ordered) {
		s.Limit = r.limit
	}
	p := accessPath{scan: s, ordered: ordered}
	p.cost = r.estimate(s, k, depth, ordered, len(residual))
	return p
}

// narrow puts the conditions on the key; see constrainKey. Depth is KeyPlan.depth.
func (k *KeyPlan) narrow(forms [][][]atom) (covered, touched []bool, depth int) {
	covered, touched = constrainKey(k, forms)
	if depth = k.depth(); depth == 0 && len(k.branches) > 1 {
		// Some branch reads everything, so the others are parts of that. What all have in common, the
		// partition, still holds.
		covered, touched = constrainKey(k, common(forms))
		depth = k.depth()
	}
	return covered, touched, depth
}

// common leaves the conjuncts that are no ORs; of the others it leaves that nothing is known.
func common(forms [][][]atom) [][][]atom {
	out := slices.Clone(forms)
	for i := range out {
		if len(out[i]) > 1 {
			out[i] = [][]atom{{{ordinal: -1, conjunct: i}}}
		}
	}
	return out
}

// unknown leaves of the conjuncts that nothing is known.
func unknown(forms [][][]atom) [][][]atom {
	out := make([][][]atom, len(forms))
	for i := range out {
		out[i] = [][]atom{{{ordinal: -1, conjunct: i}}}
	}
	return out
}

// setAccess names the way.
func (s *Scan) setAccess(k *KeyPlan, depth int) {
	s.Keys = k
	if s.Table.Foreign != nil {
		s.setForeignAccess(depth)
		return
	}
	switch {
	case s.Index == nil && depth > 0 && k.allPoints():
		s.Access = PointReads
		if len(k.branches) == 1 && !slices.ContainsFunc(k.branches[0].parts, func(tests []*test) bool { return pointCount(tests) > 1 }) {
			s.Access = PointRead
		}
		k.setPlain()
	case depth > 0 || s.Index != nil:
		s.Access = RangeScan
	case s.Table.Partition == nil && s.Table.Parts == nil:
		s.Access, s.Keys = PartitionScan, nil
	default:
		s.Access = PartitionScan
		for i := range k.branches {
			if _, open := k.branches[i].spread(k); open {
				s.Access, s.Keys = TableScan, nil
			}
		}
	}
}

// fetches says whether rows must be read after their index entries: the entries lack a column, or the
// row's own ETag is wanted, which no copy has.
func (r *accessRequest) fetches(ix *Index) bool {
	if r.forWrite && (ix.Copy != CopyRow || len(r.table.Children) > 0) {
		return true // what lives inside a row is tied to the row's own ETag
	}
	for _, c := range r.named(nil) {
		if c == r.table.ETagOrdinal() || !r.table.Holds(ix, c) {
			return true
		}
	}
	return false
}

// columns are the ordinals that are read: those wanted, those that conditions and the promised order look
// at, and the primary key where rows are fetched by it.
func (r *accessRequest) columns(s *Scan) []int {
	width := r.table.RowWidth()
	if r.forWrite {
		all := make([]int, width)
		for i := range all {
			all[i] = i
		}
		return all
	}
	return r.named(s)
}

// named is columns without regard to what a write needs beside them: an ETag that the statement names is the row's
// own, not that of an index entry.
func (r *accessRequest) named(s *Scan) []int {
	width := r.table.RowWidth()
	out := slices.Clone(r.need)
	see := func(n expr.Node) {
		expr.Columns(n, func(c *expr.Column) {
			if i := c.Index - r.offset; c.Level == 0 && i >= 0 && i < width {
				out = append(out, i)
			}
		})
	}
	for _, n := range r.conds {
		see(n)
	}
	if s != nil {
		for _, k := range s.Order {
			see(k.Expr)
		}
		if s.Fetch {
			for _, p := range r.table.Key {
				out = append(out, p.Column)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// filterable leaves the conditions that can be seen on what is scanned: index entries that lack a column
// would all fail a comparison with it.
func (r *accessRequest) filterable(c *constrainer, ix *Index, conds []expr.Node) []expr.Node {
	if ix == nil || ix.Copy == CopyRow {
		return conds
	}
	return slices.DeleteFunc(slices.Clone(conds), func(n expr.Node) bool {
		lacks := false
		expr.Columns(n, func(col *expr.Column) {
			if ordinal, own := c.column(col); own && !r.table.Holds(ix, ordinal) {
				lacks = true
			}
		})
		return lacks
	})
}

func (r *accessRequest) estimate(s *Scan, k *KeyPlan, depth int, ordered bool, residual int) cost {
	if r.table.Foreign != nil {
		return r.estimateForeign(s, k, ordered, residual)
	}
	whole := len(k.parts)
	entities, spans := k.reach(s.Index == nil || s.Index.Unique, whole)
	if depth == 0 {
		entities, spans = assumedRows, 1
	}
	partitions, named := k.spread()
	fixed := partitions < assumedPartitions && r.table.Partition != nil && r.table.Partition.Kind == PartitionByKey
	parts := k.partShare()
	partitions *= parts
	if depth == 0 && k.divide != nil {
		entities *= parts / max(parts, float64(len(r.table.Parts.List)))
	}
	if depth == 0 && named && fixed {
		entities = assumedRows / assumedPartitions * partitions
	}
	if !named {
		// The walk over all partitions sees the index entries too.
		entities = assumedRows * float64(1+len(r.table.Indexes))
	}
	rows := entities * math.Pow(shareResidual, float64(residual))
	if s.passesCopies() {
		entities *= 2 // one before the rows of each parent, at most
	}
	if r.limit != nil && (ordered || len(r.order) == 0) {
		want := limitRows(r.limit)
		if rows > want {
			entities, rows = entities*want/rows, want
		}
	}
	c := cost{entities: entities}
	switch {
	case s.Access == PointRead || s.Access == PointReads:
		c.requests = entities
	case !named:
		c.requests = max(partitions, math.Ceil(entities/pageEntities))
	default:
		c.requests = max(spans*partitions, math.Ceil(entities/pageEntities))
	}
	if s.Fetch {
		c.requests += entities
	}
	s.Rows, s.Requests = rows, c.requests
	return c
}
