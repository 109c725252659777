package define

import (
	"reflect"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// Change says what must be done with stored data when a definition becomes the next one. The zero Change
// is nothing.
type Change struct {
	// From gives, by column of the next definition, the column of the old one whose value it takes, converted to the next
	// type; -1: the value of New at that place.
	From []int
	New  []expr.Node // by column of the next definition; nil if From is not -1, and for NULL
	// Rewrite: every row is rewritten.
	Rewrite bool
	// Verify: a row may have a value that does not convert, or that violates a new NOT NULL or CHECK, which refuses the
	// change before any row is written.
	Verify bool
	Fill   []*schema.Index // of the next definition: entries are to be made
	Drop   []*schema.Index // of the old one: entries are to be deleted
	// Outdates: a statement that uses the old definition may name another column, or give another default.
	Outdates bool
}

// NeedsAnnouncing says whether every process must know the next definition before any uses it: otherwise rows would lose what
// it adds, or be written as it forbids.
func (c *Change) NeedsAnnouncing() bool { return c.Rewrite || c.Verify || slices.Contains(c.From, -1) }

// Then gives the change of old that c and then after make: c leads from old to middle, and after from there to next. It is not ok
// if rows must first have the form of middle: after changes a column that c adds, or to which c gives another form.
func (c *Change) Then(after *Change, old, middle, next *schema.Table) (both Change, ok bool) {
	both = Change{
		Rewrite: c.Rewrite || after.Rewrite, Verify: c.Verify || after.Verify, Outdates: c.Outdates || after.Outdates,
		From: make([]int, len(next.Columns)), New: slices.Clone(after.New),
	}
	for i, from := range after.From {
		both.From[i] = -1
		if from < 0 {
			continue
		}
		both.From[i], both.New[i] = c.From[from], c.New[from]
		if c.changes(from, old, middle) && !reflect.DeepEqual(next.Columns[i], middle.Columns[from]) {
			return Change{}, false
		}
	}
	for i := range middle.Columns {
		if c.changes(i, old, middle) && !slices.Contains(after.From, i) {
			return Change{}, false
		}
	}
	for _, ix := range next.Indexes {
		if isKey(c.Fill, ix) || isKey(after.Fill, ix) {
			both.Fill = append(both.Fill, ix)
		}
	}
	for _, ix := range old.Indexes {
		if isKey(c.Drop, ix) || isKey(after.Drop, ix) {
			both.Drop = append(both.Drop, ix)
		}
	}
	return both, true
}

// changes says whether c adds the column i of next, or gives it another form or another expression.
func (c *Change) changes(i int, old, next *schema.Table) bool {
	if c.From[i] < 0 {
		return true
	}
	was, is := old.Columns[c.From[i]], next.Columns[i]
	return was.Property != is.Property || was.Generated != is.Generated
}

// isKey says whether ix, of any definition of a table, is among indexes. Its name may change, but not its key prefix.
func isKey(indexes []*schema.Index, ix *schema.Index) bool {
	return slices.ContainsFunc(indexes, func(other *schema.Index) bool { return other.KeyName == ix.KeyName })
}
