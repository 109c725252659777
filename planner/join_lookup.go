package planner

import (
	"reflect"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
)

// lookup joins left with s by a key or an index of s whose values come from left's columns; nil if there is none. If reading s once, as read
// does, promises to be cheaper, the result is whole, which changes over to lookups if that was wrong.
func (j *joiner) lookup(kind JoinKind, left *relation, s *source, own, on []expr.Node, read, whole *relation) (*relation, error) {
	path, ok, err := j.lookupPath(left, s, own, on)
	if err != nil || !ok {
		return nil, err
	}
	out := left.combine(kind, path.Scan.Rows)
	if kind == InnerJoin {
		out.matches = left.expected() * path.Scan.Matches(read.rows)
	}
	out.set.add(s.index)
	lookups := j.block.lookups(left, s, on)
	reads, found := j.reads(path.Scan), left.rows*path.Scan.Rows
	if _, byHash := whole.node.(*HashJoin); byHash && j.analyzed && (kind == InnerJoin || kind == LeftJoin) { // which also uses unique keys
		out.rows, out.matches, found = whole.rows, 0, whole.rows
	}
	if j.seek > 0 {
		reads += max(0, found/lookups-path.Scan.Entities) / access.PageEntities
	}
	out.requests = left.requests + lookups*reads
	node := &LookupJoin{Kind: kind, Left: left.node, Right: path.Scan, On: expr.Conjunction(on), Rows: left.rows, Lookups: lookups, Joined: out.rows}
	forced := forcesLookup(s.keys, read.node)
	if !forced && !s.forWrite && !j.forUpdate { // for rows that are written, one scan must say what they were read from
		node.Whole = wholeOf(read, whole)
	}
	switch {
	case forced || costOf(out.requests, left.rows+found) <= costOf(left.requests+read.requests, left.rows+read.rows):
		node.After = read.requests
		if l, ok := left.node.(*access.Scan); ok && l.Access == access.PointRead || read.requests <= 1 {
			node.Whole = nil
		}
		out.node = node
		return out, nil
	case node.Whole != nil:
		turns := *whole
		turns.node, turns.matches = node, out.matches
		return &turns, nil
	}
	return nil, nil
}

// wholeOf is the join whole if it can replace lookups: it must be by hash, with a scan as its right side.
func wholeOf(read, whole *relation) *HashJoin {
	if s, ok := read.node.(*access.Scan); !ok || s.Access <= access.PointReads {
		return nil
	}
	if hash, ok := whole.node.(*HashJoin); ok && !hash.Dynamic {
		return hash
	}
	return nil
}

// lookupPath is how a source can be read by key, for conditions on it alone and for those that link it with the tables before it. Many orders of
// the tables ask for the same path.
type lookupPath struct {
	source       *source
	own, linking []expr.Node
	path         access.Path
	ok           bool
}

// lookupPath is how s is read by key for a row of left, if that is possible.
func (j *joiner) lookupPath(left *relation, s *source, own, on []expr.Node) (access.Path, bool, error) {
	if s.table == nil || s.table.Virtual != nil {
		return access.Path{}, false, nil
	}
	var self srcSet
	self.add(s.index)
	var linking []expr.Node
	for _, c := range on {
		refs := j.block.refers(c)
		if refs.meets(self) && refs.within(self.union(left.set)) {
			linking = append(linking, c)
		}
	}
	if len(linking) == 0 {
		return access.Path{}, false, nil
	}
	for _, known := range j.paths {
		if known.source == s && slices.Equal(known.own, own) && slices.Equal(known.linking, linking) {
			return known.path, known.ok, nil
		}
	}
	path, ok, err := j.findLookupPath(left, s, own, linking)
	j.paths = append(j.paths, lookupPath{s, own, linking, path, ok})
	return path, ok, err
}

// findLookupPath is lookupPath by the conditions that link s with left.
func (j *joiner) findLookupPath(left *relation, s *source, own, linking []expr.Node) (access.Path, bool, error) {
	var self srcSet
	self.add(s.index)
	r := j.request(s, append(j.beside(own, linking), linking...), nil, nil)
	alone, err := access.Choose(j.request(s, j.stated(own), nil, nil))
	if err != nil {
		return access.Path{}, false, err
	}
	r.Bound = func(position int) bool { return left.set.has(j.block.sourceOf(position)) }
	path, err := access.Choose(r)
	if err != nil {
		return access.Path{}, false, err
	}
	switch path.Scan.Access {
	case access.PointRead, access.PointReads, access.RangeScan:
	default:
		return access.Path{}, false, nil
	}
	if !path.Cost.Less(alone.Cost) && r.Keys.Rank(path) <= r.Keys.Rank(alone) {
		return access.Path{}, false, nil // the left columns do not help
	}
	// All left rows of the same key share a scan: the join checks the conditions that need the left row.
	scan := *path.Scan
	scan.Hold = s.hold
	scan.Recheck = j.ownPart(scan.Recheck, self)
	scan.Residual = j.ownPart(scan.Residual, self)
	scan.Predicate = j.ownFilter(scan.Predicate, self)
	path.Scan = &scan
	return path, true, nil
}

// ownPart keeps the conjuncts of n that need no other source.
func (j *joiner) ownPart(n expr.Node, self srcSet) expr.Node {
	var own []expr.Node
	for _, c := range expr.Conjuncts(n) {
		if j.block.refers(c).within(self) {
			own = append(own, c)
		}
	}
	return expr.Conjunction(own)
}

// ownFilter keeps the part of f that needs no other source. It still passes all rows that f passes.
func (j *joiner) ownFilter(f *access.Predicate, self srcSet) *access.Predicate {
	if f == nil {
		return nil
	}
	if f.Op != access.PredicateAnd && f.Op != access.PredicateOr {
		if f.Value != nil && !j.block.refers(f.Value).within(self) {
			return nil
		}
		return f
	}
	out := &access.Predicate{Op: f.Op}
	for _, kid := range f.Kids {
		own := j.ownFilter(kid, self)
		switch {
		case own != nil && slices.ContainsFunc(out.Kids, func(k *access.Predicate) bool { return reflect.DeepEqual(k, own) }): // see factored
		case own != nil:
			out.Kids = append(out.Kids, own)
		case f.Op == access.PredicateOr:
			return nil
		}
	}
	switch len(out.Kids) {
	case 0:
		return nil
	case 1:
		return out.Kids[0]
	}
	return out
}
