package planner

import (
	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// forcesLookup says that a hint wants a table read by key for each row of a join, rather than whole.
func forcesLookup(c *access.IndexChoice, read Node) bool {
	s, ok := read.(*access.Scan)
	return c != nil && c.ForceFind && ok && !s.Keyed()
}

// indexChoice reads the hints after a table of the block. An order is wanted for GROUP BY if the block has one, else for ORDER BY.
func (q *selection) indexChoice(t *schema.Table, hints []dialect.IndexHint) (*access.IndexChoice, error) {
	if len(hints) == 0 {
		return nil, nil
	}
	sorts := dialect.ForOrderBy
	if len(q.sel.GroupBy) > 0 {
		sorts = dialect.ForGroupBy
	}
	c := &access.IndexChoice{}
	kinds := map[dialect.HintKind]bool{}
	for _, h := range hints {
		if kinds[h.Kind] = true; kinds[dialect.UseIndex] && kinds[dialect.ForceIndex] {
			return nil, sqlerr.New(sqlerr.CodeWrongUsage, h.Pos, "Incorrect usage of USE INDEX and FORCE INDEX")
		}
		keys := make([]*schema.Index, len(h.Names))
		for i, name := range h.Names {
			ix, ok := t.KeyNamed(name)
			if !ok {
				return nil, NoSuchKey(h.Pos, name, t.Name)
			}
			keys[i] = ix
		}
		if h.For == dialect.ForAll || h.For == dialect.ForJoin {
			c.Find.Add(h.Kind == dialect.IgnoreIndex, keys)
			c.ForceFind = c.ForceFind || h.Kind == dialect.ForceIndex
		}
		if h.For == dialect.ForAll || h.For == sorts {
			c.Sort.Add(h.Kind == dialect.IgnoreIndex, keys)
			c.ForceSort = c.ForceSort || h.Kind == dialect.ForceIndex && h.For == sorts
		}
	}
	if t.IsExternal() && !c.Find.Has(nil) {
		return nil, sqlerr.NotSupported(sqlerr.NoPos, "a hint that excludes the primary key of an external table is")
	}
	return c, nil
}

// NoSuchKey is MySQL's error for an index that a hint or a statement names but the table does not have.
func NoSuchKey(pos dialect.Pos, key, table string) error {
	return sqlerr.New(sqlerr.CodeUnknownIndex, pos, "Key '%s' doesn't exist in table '%s'", key, table)
}
