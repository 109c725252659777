package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// IndexChoice is what USE, FORCE and IGNORE INDEX behind a table leave to choose from. The rows' own key is the nil index. A
// nil choice leaves all.
type IndexChoice struct {
	Find, Sort keySet // what may narrow what is read, and what may give the wanted order
	// ForceFind and forceSort: what can serve so goes before what costs less.
	ForceFind, ForceSort bool
}

// keySet is a set of a table's keys.
type keySet struct {
	used    []*schema.Index // none but these
	some    bool            // used counts
	ignored []*schema.Index
}

func (s *keySet) Has(ix *schema.Index) bool {
	return (!s.some || slices.Contains(s.used, ix)) && !slices.Contains(s.ignored, ix)
}

func (c *IndexChoice) finds(ix *schema.Index) bool { return c == nil || c.Find.Has(ix) }

func (c *IndexChoice) sorts(ix *schema.Index) bool { return c == nil || c.Sort.Has(ix) }

// Rank puts what is forced before the rest.
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

// Add takes what one hint says of keys.
func (s *keySet) Add(ignore bool, keys []*schema.Index) {
	if ignore {
		s.ignored = append(s.ignored, keys...)
		return
	}
	s.used, s.some = append(s.used, keys...), true
}
