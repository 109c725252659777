package schema

import (
	"iter"
	"slices"
)

// Change is a change of a table's columns and checks that is under way.
type Change struct {
	Phase  Phase
	Before []*Column // Announced: the former columns, to take the change back
}

// Phase is how far a Change has got.
type Phase uint8

const (
	// Announced: every process reads and keeps what the next definition is made of, and none relies on it. So processes that use
	// the previous definition and processes that use the next one do each other no harm.
	Announced Phase = iota + 1
	// Backfill: the new definition is published, and rows are being rewritten. Some rows may not have its form yet, and some of the
	// indexes that the change makes may not be filled.
	Backfill
)

// Announces says whether a change is announced and not made yet.
func (t *Table) Announces() bool { return t.Change != nil && t.Change.Phase == Announced }

// Fills says whether rows are being rewritten, or still must be.
func (t *Table) Fills() bool { return t.Change != nil && t.Change.Phase == Backfill }

// TakeBack gives the definition without the announced change. Anything else that changed since, such as its name, its
// place, its partitions and children, stays.
func (t *Table) TakeBack() *Table {
	next := t.Clone()
	next.Columns, next.Change = cloneColumns(t.Change.Before), nil
	next.Checks = slices.DeleteFunc(next.Checks, func(c CheckDef) bool { return c.State != Public })
	for i, c := range t.Columns {
		if i >= len(t.Change.Before) {
			next.Retired = append(next.Retired, c.Property)
		} else if other := c.Other(); other != nil {
			next.Retired = append(next.Retired, other.Property)
		}
	}
	return next
}

// EndChange notes that every row has the form of the definition. It says whether that was not known before. An announced
// change goes on.
func (t *Table) EndChange() bool {
	if t.Announces() {
		return false
	}
	changed := t.Change != nil || len(t.Retired) > 0
	t.Change, t.Retired = nil, nil
	for _, c := range t.Columns {
		c.PreviousForm, c.State = nil, Public
	}
	return changed
}

// Visible says whether statements that name no columns include the column: SELECT *, INSERT without columns.
func (c *Column) Visible() bool { return c.Listed() && !c.Invisible }

// Listed says whether the column is shown.
func (c *Column) Listed() bool { return !c.Hidden && c.State == Public }

// Requires says whether a written row must not be NULL there.
func (c *Column) Requires() bool { return c.NotNull || c.NextForm != nil && c.NextForm.NotNull }

// Other is another form in which rows may hold the column; nil: there is none.
func (c *Column) Other() *Form {
	if c.NextForm != nil && c.NextForm.Property != c.Property {
		return c.NextForm
	}
	return c.PreviousForm
}

// PublicChecks are the checks that all rows satisfy.
func (t *Table) PublicChecks() iter.Seq[CheckDef] {
	return func(yield func(CheckDef) bool) {
		for _, c := range t.Checks {
			if c.State == Public && !yield(c) {
				return
			}
		}
	}
}
