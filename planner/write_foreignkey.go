package planner

import (
	"cmp"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// Related are, by schema.Table.FullName, the tables that a statement writes and those that foreign keys tie to them: tables that their rows
// refer to, tables whose rows refer to theirs, and so on if these change, too. nil: no foreign key ties them.
type Related map[string]RelatedTable

// RelatedTable is one of them.
type RelatedTable struct {
	schema.Family
	Changes bool // its rows may be deleted or changed, not only looked at
}

// related finds the tables that foreign keys tie to the written ones; the plan depends on them. grows: rows are only added, so that no reference
// is lost.
func (b *builder) related(grows bool, tables ...*schema.Table) (Related, error) {
	r := Related{}
	for _, t := range tables {
		if err := b.relate(r, t, !grows); err != nil {
			return nil, err
		}
	}
	for _, f := range r {
		if f.Table.IsTied() {
			return r, nil
		}
	}
	return nil, nil
}

// relate adds t, the tables that its rows refer to and, if its rows may be deleted or changed, the tables that refer to it.
func (b *builder) relate(r Related, t *schema.Table, changes bool) error {
	own := RelatedTable{Family: schema.Family{Table: t}, Changes: changes}
	var err error
	if changes {
		if own.Children, err = b.family(t); err != nil {
			return err
		}
	}
	r[t.FullName()] = own
	for _, to := range t.Parents() {
		if _, known := r[t.Beside(to)]; known {
			continue
		}
		parent, err := b.namedBy(t, to)
		if err != nil {
			return err
		}
		if parent != nil && !to.IsOwn() && !parent.IsReferredBy(t.As(parent)) {
			parent = nil // another table of that name: a delete of its rows does not look for rows that refer to them
		}
		if parent == nil {
			b.plan.Passing = b.plan.Passing || !to.IsOwn()
			continue
		}
		r[t.Beside(to)] = RelatedTable{Family: schema.Family{Table: parent}}
	}
	if !changes {
		return nil
	}
	for _, child := range own.Children {
		if err := b.relate(r, child.Table, true); err != nil {
			return err
		}
	}
	for _, from := range t.Referrers {
		if from.Is(schema.Own(t.Name)) {
			continue
		}
		child, err := b.namedBy(t, from)
		if err != nil {
			return err
		}
		if child == nil || !child.RefersTo(t.As(child)) {
			continue
		}
		if child.Unwritable != nil {
			return child.Unwritable
		}
		acts := false
		for _, k := range child.ForeignKeys {
			acts = acts || k.RefersTo(t.As(child)) && (k.OnDelete.Changes() || k.OnUpdate.Changes())
		}
		known, has := r[t.Beside(from)]
		switch {
		case acts && !known.Changes:
			err = b.relate(r, child, true)
		case !has:
			r[t.Beside(from)] = RelatedTable{Family: schema.Family{Table: child}}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// namedBy gives a table that the definition of another one names; nil if it does not exist: a process declared it and died before it made it, or
// it was made, or dropped, without foreign_key_checks.
func (b *builder) namedBy(t *schema.Table, r schema.Relative) (*schema.Table, error) {
	found, err := b.storedTable(&dialect.TableName{Database: cmp.Or(r.Database, databaseOf(t)), Name: r.Name, Pos: sqlerr.NoPos})
	if isMissing(err) || isUnknownDatabase(err) || err == nil && found.IsUndeclared() {
		return nil, nil
	}
	return found, err
}

func isUnknownDatabase(err error) bool {
	return sqlerr.Is(err, sqlerr.CodeUnknownDatabase)
}
