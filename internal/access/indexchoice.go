package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// IndexChoice is what USE, FORCE and IGNORE INDEX say: which keys of a table the planner may use. nil as an index is the primary
// key; a nil choice allows all keys.
type IndexChoice struct {
	Find keySet // keys that may find the rows
	Sort keySet // keys that may give the wanted order
	// ForceFind prefers a key that finds the rows, even if reading without a key is cheaper; ForceSort one that gives the order.
	ForceFind, ForceSort bool
}

// keySet is a set of a table's keys.
type keySet struct {
	used    []*schema.Index // if some is true, only these
	some    bool
	ignored []*schema.Index
}

// Has says whether the set has a key.
func (s *keySet) Has(ix *schema.Index) bool {
	return (!s.some || slices.Contains(s.used, ix)) && !slices.Contains(s.ignored, ix)
}

func (c *IndexChoice) finds(ix *schema.Index) bool { return c == nil || c.Find.Has(ix) }

func (c *IndexChoice) sorts(ix *schema.Index) bool { return c == nil || c.Sort.Has(ix) }

// Rank is higher for a path that a hint forces.
func (c *IndexChoice) Rank(p Path) int {
	switch {
	case c == nil || p.Scan == nil:
		return 0
	case c.ForceSort && p.Ordered:
		return 2
	case c.ForceFind && (p.Ordered || p.Scan.Keyed()):
		return 1
	}
	return 0
}

// Keyed says whether a key narrows what is read.
func (s *Scan) Keyed() bool {
	return s.Access == PointRead || s.Access == PointReads || s.Access == RangeScan && s.Keys.Depth() > 0
}

// Add takes in the keys that one hint names.
func (s *keySet) Add(ignore bool, keys []*schema.Index) {
	if ignore {
		s.ignored = append(s.ignored, keys...)
		return
	}
	s.used, s.some = append(s.used, keys...), true
}
