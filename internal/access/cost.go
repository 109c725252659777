package access

import (
	"math"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// If ANALYZE TABLE has not run (statistics.go), these sizes are assumed, on every store. Only their order matters: it prefers keys to ranges,
// ranges to scans, and reading less to saving a sort.
const (
	assumedRows       = 1e6  // of a table
	assumedPartitions = 1000 // of a table with a partition for each value
	AssumedLimit      = 100  // of LIMIT ?
	PageEntities      = 1000 // entities that one request brings

	shareEqual    = 1e-4 // the share of rows that an equality on one column of a key leaves
	shareBetween  = 0.05 // a range with two ends
	shareRange    = 0.3  // a range with one end
	sharePrefix   = 0.01 // LIKE 'abc%'
	shareNotNull  = 0.9
	shareResidual = 0.3 // any other condition, checked row by row
	shareOneOfFew = 0.1 // an equality that no key serves, if Request.Near
)

// cost is the expected cost of a path. Requests count first: each one is billed, and waited for.
type cost struct {
	Requests float64
	entities float64
}

func (c cost) Less(d cost) bool {
	if c.Requests != d.Requests {
		return c.Requests < d.Requests
	}
	return c.entities < d.entities
}

// count is how many single values a test allows; 1 for a range.
func (t *test) count() float64 {
	switch t.op {
	case testIn:
		return float64(max(1, len(t.list)))
	case testOr:
		n := 0.0
		for _, k := range t.kids {
			n += k.count()
		}
		return n
	case testAnd:
		n := math.Inf(1)
		for _, k := range t.kids {
			n = min(n, k.count())
		}
		return n
	}
	return 1
}

// share is the share of rows that the tests on one column leave, without statistics.
func share(tests []*test) float64 {
	return assumed{equal: shareEqual, notNull: shareNotNull}.share(tests)
}

// assumed is the share of rows that have one value of a column, and any value.
type assumed struct{ equal, notNull float64 }

func (a assumed) share(tests []*test) float64 {
	s, ranges := 1.0, 0
	for _, t := range tests {
		switch t.op {
		case testEq, testNull, testIn, testEdge:
			s = min(s, a.equal*t.count())
		case testLike:
			s = min(s, sharePrefix)
		case testNotNull:
			s = min(s, a.notNull)
		case testAnd:
			s = min(s, a.share(t.kids))
		case testOr:
			sum := 0.0
			for _, k := range t.kids {
				sum += a.share([]*test{k})
			}
			s = min(s, sum)
		default:
			ranges++
			s = min(s, shareRange)
		}
	}
	if ranges > 1 {
		s = min(s, shareBetween)
	}
	return s
}

func points(tests []*test) bool {
	for _, t := range tests {
		if t.IsPoint() {
			return true
		}
	}
	return false
}

func pointCount(tests []*test) float64 {
	n := math.Inf(1)
	for _, t := range tests {
		if t.IsPoint() {
			n = min(n, t.count())
		}
	}
	return n
}

// reach estimates how many entities the key plan reads, in how many spans or points. unique: a whole key has one row at most.
func (k *KeyPlan) reach(unique bool) (entities, spans float64) {
	for i := range k.Branches {
		b := &k.Branches[i]
		n, left := 1.0, k.placeShare(b)*k.together(b)
		for i, tests := range b.leading(k) {
			left *= shareIn(k.table, k.leadingColumn(i), tests)
			if points(tests) {
				n *= pointCount(tests)
			}
		}
		if unique && b.whole(k) {
			entities += n
		} else {
			entities += max(n, rowsOf(k.table)*left)
		}
		if !k.continues(b) {
			spans += n
		}
	}
	return min(entities, rowsOf(k.table)), max(1, spans)
}

// continues says whether the spans of b touch those of another branch, as those of a = 1 AND b < 2 touch those of a < 1 over (a, b).
func (k *KeyPlan) continues(b *keyBranch) bool {
	tests := b.leading(k)
	return slices.ContainsFunc(k.Branches, func(other keyBranch) bool {
		last := other.leading(k)
		at := len(last) - 1
		return 0 <= at && at < len(tests)-1 && points(tests[at]) && slices.ContainsFunc(last[at], (*test).isOpen) && !points(last[at]) &&
			slices.EqualFunc(last[:at], tests[:at], slices.Equal[[]*test])
	})
}

// Spread is how many store partitions are read, and whether they are known by name. If they are not, the scan walks all of the
// physical table.
func (k *KeyPlan) Spread() (partitions float64, named bool) {
	if k.ranged() {
		return 1, true // reach counts these columns
	}
	partitions = 1
	for i := range k.Branches {
		n, open := k.Branches[i].Spread(k)
		if open {
			if n := k.layout.Buckets; n > 0 {
				return float64(n), true
			}
			return PartitionsOf(k.table), false
		}
		partitions = max(partitions, n)
	}
	return partitions, true
}

func (b *keyBranch) Spread(k *KeyPlan) (partitions float64, open bool) {
	partitions = 1
	for i, from := range k.fromKey {
		switch {
		case from >= 0 && from < len(b.row) && points(b.row[from]):
			// Each point of the key names its own partition.
		case i < len(b.partitionKey) && points(b.partitionKey[i]):
			partitions *= pointCount(b.partitionKey[i])
		default:
			return 0, true
		}
	}
	return partitions, false
}

// Matches is how many rows s is likely to give for one left row of a join, if conditions on the table alone leave so many of its rows. The
// effect of conditions outside the key is known better than by their number.
func (s *Scan) Matches(rows float64) float64 {
	if s.Rows == s.Entities {
		return s.Rows
	}
	return min(s.Rows, s.Entities*rows/rowsOf(s.Table))
}

// limitRows is how many rows a limit wants.
func limitRows(limit expr.Node) float64 {
	c, ok := limit.(*expr.Const)
	if !ok {
		return AssumedLimit
	}
	return max(1, value.ToFloat(c.V))
}
