package dml

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// relations are the tables that foreign keys tie to those that a statement writes, compiled; nil: none.
type relations struct {
	of  map[string]*relation // by schema.Table.FullName
	all []*relation          // in the order of their names
}

// relation is one of the tables, with the foreign keys that matter to its rows.
type relation struct {
	table   *schema.Table
	rows    *RowWriter
	columns *Columns
	needs   []*schema.Reference // its own: the rows that its rows refer to must exist
	needed  []*schema.Reference // of the tables that refer to it: no row may refer to a deleted one
}

// newRelations compiles what the planner found; grows is the table that the statement only adds rows to, nil if there is none.
func newRelations(r planner.Related, grows *schema.Table) (*relations, error) {
	if len(r) == 0 {
		return nil, nil
	}
	all := &relations{of: map[string]*relation{}}
	for name, t := range r {
		one := &relation{table: t.Table, rows: NewRowWriter(t.Table, t.Children...)}
		if t.Changes {
			var err error
			if one.columns, err = NewColumns(t.Table); err != nil {
				return nil, err
			}
		}
		all.of[name], all.all = one, append(all.all, one)
	}
	slices.SortFunc(all.all, func(a, b *relation) int { return strings.Compare(a.table.Name, b.table.Name) })
	for _, child := range all.all {
		own := r[child.table.FullName()].Changes || grows != nil && child.table.FullName() == grows.FullName()
		for i := range child.table.ForeignKeys {
			k := &child.table.ForeignKeys[i]
			parent := all.of[child.table.Beside(k.To())]
			below := parent != nil && r[child.table.Beside(k.To())].Changes
			if k.NotEnforced || !own && !below {
				continue
			}
			var to *schema.Table
			if parent != nil {
				to = parent.table
			}
			ref, err := schema.NewReference(child.table, k, to)
			if err != nil {
				return nil, err
			}
			child.needs = append(child.needs, ref)
			if parent != nil {
				parent.needed = append(parent.needed, ref)
			}
		}
	}
	for _, parent := range all.all {
		parent.sortNeeded()
	}
	return all, nil
}

// sortNeeded puts the foreign keys that refer to a table into the order in which InnoDB follows them, which matters if a row refers to
// the same row by several.
func (r *relation) sortNeeded() {
	place := func(ref *schema.Reference) int { return slices.Index(r.table.Indexes, ref.ParentKey()) } // -1: the primary key
	slices.SortFunc(r.needed, func(a, b *schema.Reference) int {
		return cmp.Or(place(a)-place(b), strings.Compare(a.Name, b.Name))
	})
}

func (r *relations) find(t *schema.Table) *relation { return r.of[t.FullName()] }
