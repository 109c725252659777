package planner

import (
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// indexChoice is what USE, FORCE and IGNORE INDEX behind a table leave to choose from. The rows' own key is the nil index. A
// nil choice leaves all.
type indexChoice struct {
	find, sort keySet // what may narrow what is read, and what may give the wanted order
	// forceFind and forceSort: what can serve so goes before what costs less.
	forceFind, forceSort bool
}

// keySet is a set of a table's keys.
type keySet struct {
	used    []*Index // none but these
	some    bool     // used counts
	ignored []*Index
}

func (s *keySet) has(ix *Index) bool {
	return (!s.some || slices.Contains(s.used, ix)) && !slices.Contains(s.ignored, ix)
}

func (c *indexChoice) finds(ix *Index) bool { return c == nil || c.find.has(ix) }

func (c *indexChoice) sorts(ix *Index) bool { return c == nil || c.sort.has(ix) }

// rank puts what is forced before the rest.
func (c *indexChoice) rank(p accessPath) int {
	switch {
	case c == nil || p.scan == nil:
		return 0
	case c.forceSort && p.ordered:
		return 2
	case c.forceFind && (p.ordered || p.scan.keyed()):
		return 1
	}
	return 0
}

// forcesLookup says that a table is to be read by key for each row of a join, rather than whole.
func (c *indexChoice) forcesLookup(read Node) bool {
	s, ok := read.(*Scan)
	return c != nil && c.forceFind && ok && !s.keyed()
}

// keyed says whether a key narrows what is read.
func (s *Scan) keyed() bool {
	return s.Access == PointRead || s.Access == PointReads || s.Access == RangeScan && s.Keys.depth() > 0
}

// indexChoice reads the hints behind a table of the block. An order is wanted for GROUP BY where the block has one, else for
// ORDER BY.
func (q *selection) indexChoice(t *Table, hints []dialect.IndexHint) (*indexChoice, error) {
	if len(hints) == 0 {
		return nil, nil
	}
	sorts := dialect.ForOrderBy
	if len(q.sel.GroupBy) > 0 {
		sorts = dialect.ForGroupBy
	}
	c := &indexChoice{}
	kinds := map[dialect.HintKind]bool{}
	for _, h := range hints {
		if kinds[h.Kind] = true; kinds[dialect.UseIndex] && kinds[dialect.ForceIndex] {
			return nil, newError(codeWrongUsage, h.Pos, "Incorrect usage of USE INDEX and FORCE INDEX")
		}
		keys := make([]*Index, len(h.Names))
		for i, name := range h.Names {
			ix, ok := t.keyNamed(name)
			if !ok {
				return nil, noSuchKey(h.Pos, name, t.Name)
			}
			keys[i] = ix
		}
		if h.For == dialect.ForAll || h.For == dialect.ForJoin {
			c.find.hint(h.Kind, keys)
			c.forceFind = c.forceFind || h.Kind == dialect.ForceIndex
		}
		if h.For == dialect.ForAll || h.For == sorts {
			c.sort.hint(h.Kind, keys)
			c.forceSort = c.forceSort || h.Kind == dialect.ForceIndex && h.For == sorts
		}
	}
	if t.Foreign != nil && !c.find.has(nil) {
		return nil, notSupported(noPos, "leaving the primary key of a table over other entities aside is")
	}
	return c, nil
}

func (s *keySet) hint(kind dialect.HintKind, keys []*Index) {
	if kind == dialect.IgnoreIndex {
		s.ignored = append(s.ignored, keys...)
		return
	}
	s.used, s.some = append(s.used, keys...), true
}

// keyNamed finds a key that statements can read by: nil and true is the primary key.
func (t *Table) keyNamed(name string) (ix *Index, ok bool) {
	if strings.EqualFold(name, "PRIMARY") {
		return nil, len(t.Key) > 0 && !t.Columns[t.Key[0].Column].Hidden
	}
	for _, ix := range t.Indexes {
		if strings.EqualFold(ix.Name, name) && ix.State == IndexPublic && ix.Beside == "" {
			return ix, true
		}
	}
	return nil, false
}

func noSuchKey(pos dialect.Pos, key, table string) error {
	return newError(codeUnknownIndex, pos, "Key '%s' doesn't exist in table '%s'", key, table)
}
