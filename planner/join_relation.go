package planner

import (
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// relation is an operator that yields rows of a block and fills some of the block's sources.
type relation struct {
	node     Node
	set      srcSet
	rows     float64 // estimates
	requests float64 // what reading costs: see joiner.reads
	matches  float64 // of a join by key: its rows by the matches of a left row, while rows is what plans are compared by; 0: the same
	ordered  bool    // rows come in the order that was asked for
}

// expected is how many rows r is likely to have.
func (r *relation) expected() float64 {
	if r.matches > 0 {
		return r.matches
	}
	return r.rows
}

// srcSet is a set of a block's sources, by index.
type srcSet [maxTables / 64]uint64

func (s *srcSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s srcSet) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s srcSet) union(o srcSet) srcSet {
	for i := range s {
		s[i] |= o[i]
	}
	return s
}

func (s srcSet) within(o srcSet) bool {
	for i := range s {
		if s[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

func (s srcSet) meets(o srcSet) bool {
	for i := range s {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

func (s srcSet) empty() bool { return s == srcSet{} }

// set gives the sources beneath t.
func (t *joinTree) set() srcSet {
	var set srcSet
	t.sources(func(s *source) { set.add(s.index) })
	return set
}

// sourceOf finds the source that fills a position of the row.
func (k *block) sourceOf(position int) int {
	for _, s := range k.sources {
		if s.offset <= position && position < s.offset+len(s.used) {
			return s.index
		}
	}
	return 0
}

// refers gives the sources whose columns are in n.
func (k *block) refers(n expr.Node) srcSet {
	var set srcSet
	expr.Columns(n, func(c *expr.Column) {
		if c.Level == 0 {
			set.add(k.sourceOf(c.Index))
		}
	})
	return set
}

// filtered is r with conditions on its rows.
func (r *relation) filtered(conds []expr.Node) *relation {
	if len(conds) == 0 {
		return r
	}
	f := *r
	f.node = &Filter{Input: r.node, Cond: expr.Conjunction(conds)}
	f.rows = max(1, r.rows*filterShare)
	return &f
}

// gated is r with conditions that have no column of the block. These pass all rows or none, so they are checked before r is read, except
// conditions that differ each time (RAND()).
func (r *relation) gated(fixed []expr.Node) *relation {
	var once, each []expr.Node
	for _, c := range fixed {
		if expr.Deterministic(c) {
			once = append(once, c)
		} else {
			each = append(each, c)
		}
	}
	f := *r.filtered(each)
	if len(once) > 0 {
		f.node = &Filter{Input: f.node, Cond: expr.Conjunction(once), Once: true}
	}
	return &f
}

// filterShare is the assumed share of rows that a condition outside of a scan leaves.
const filterShare = 0.3

// sameKind says whether values of the two types can be matched by hash.
func sameKind(a, b value.Type) bool { return a.Class() == b.Class() && a.Class() != value.ClassNone }
