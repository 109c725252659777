package ddl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// announce makes the intermediate definition between t and next, for the time when other processes may still write by t. By it
// every process reads and keeps what next is made of, and none relies on that yet. Without it, a process with the definition t
// would lose what a process with next has written, or write what next forbids:
//
//   - a column whose form changes is written in the old form, and read in both; what does not fit the other form
//     is not written;
//   - a new column is hidden, gets its default and is kept;
//   - a dropped column is hidden, so that no statement misses it once it is gone;
//   - new rows satisfy a new NOT NULL or CHECK; existing rows may violate it.
//
// from is Change.From.
func announce(t, next *schema.Table, from []int) *schema.Table {
	between := t.Clone()
	for i, col := range next.Columns {
		if from[i] < 0 {
			added := *col
			added.State, added.NotNull = schema.WriteOnly, col.NotNull && col.HasDefault
			if added.NotNull != col.NotNull { // a process that does not know the column leaves the property out
				added.Initial = nil
			}
			between.Columns = append(between.Columns, &added)
			continue
		}
		old := between.Columns[from[i]]
		if old.Property != col.Property || col.NotNull && !old.NotNull {
			old.NextForm = &schema.Form{Property: col.Property, Type: col.Type, NotNull: col.NotNull, Initial: col.Initial}
		}
		old.Name = col.Name
	}
	for _, check := range next.Checks {
		if !slices.Contains(t.Checks, check) {
			check.State = schema.WriteOnly
			between.Checks = append(between.Checks, check)
		}
	}
	for i, col := range between.Columns[:len(t.Columns)] {
		if !slices.Contains(from, i) {
			col.State, col.NotNull = schema.WriteOnly, false
		}
	}
	between.Change = &schema.Change{Phase: schema.Announced, Before: t.Columns}
	return between
}

// announceable says whether a change that must be announced can be. It cannot if a text of the definition contains a column
// that is dropped or renamed.
func announceable(t, next *schema.Table, change *define.Change) bool {
	if !change.NeedsAnnouncing() {
		return true
	}
	return bindable(announce(t, next, change.From)) == nil
}

// prepare publishes the definition that announce makes, and waits until no statement uses the one before it. It takes the change
// back if rows written since verify ran have no form in the next definition.
func (x *definition) prepare(ctx context.Context, t, next *schema.Table, change *define.Change) (*schema.Table, error) {
	if !change.NeedsAnnouncing() {
		return t, nil
	}
	t, err := x.replace(ctx, t, announce(t, next, change.From))
	if err != nil {
		return nil, err
	}
	if err := x.verify(ctx, t, next, change); err != nil {
		_, backErr := x.replace(ctx, t, t.TakeBack())
		if isNoTable(backErr) || errors.Is(backErr, catalog.ErrConflict) {
			return nil, err // another process has changed the definition, and thereby taken this back, or dropped the table
		}
		if backErr != nil {
			return nil, fmt.Errorf("%w (and the announced change could not be taken back: %v)", err, backErr)
		}
		if len(change.Drop) == 0 { // else those indexes are retired
			x.takenBack()
		}
		return nil, err
	}
	return t, nil
}

// finish ends a change that a process died before finishing. It takes back a change that was only announced, and completes one
// that was made.
func (x *definition) finish(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	if t.Announces() {
		return x.replace(ctx, t, t.TakeBack())
	}
	t, err := x.giveUpForeignKeys(ctx, t)
	if err != nil {
		return nil, err
	}
	if !t.Fills() {
		return t, nil
	}
	if err = x.Catalog.WaitCurrent(ctx); err != nil {
		return nil, err
	}
	change := define.Change{Rewrite: true, From: exec.Positions(0, len(t.Columns)), New: make([]expr.Node, len(t.Columns))}
	texts, err := planner.Texts(t)
	if err != nil {
		return nil, err
	}
	for i, col := range texts.Columns {
		if n := col.Unfilled(); n != nil {
			change.From[i], change.New[i] = -1, n
		}
	}
	for _, ix := range t.Indexes {
		if ix.State != schema.Public && ix.Child == "" {
			change.Fill = append(change.Fill, ix)
		}
	}
	return x.build(ctx, t, t, change)
}
