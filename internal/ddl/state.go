package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// setState takes indexes of t, by name, to a state, and waits until no statement uses the previous definition. It gives ErrConflict
// if another process takes one of the indexes to a state, too: that process may have written rows.
func (x *definition) setState(ctx context.Context, t *schema.Table, state schema.State, names []string) (*schema.Table, error) {
	written := t // the definition by which every row was written, if the indexes become public
	tries := retry.Begin(ctx, retry.Race)
	for {
		ctx := tries.Context
		next := t.Clone()
		for _, name := range names {
			ix := next.Index(name)
			if ix == nil {
				return nil, catalog.ErrConflict // another process has dropped it
			}
			ix.State = state
			ix.Step++
		}
		if unfilled := func(c *schema.Column) bool { return c.State != schema.Public }; state == schema.Public && sameColumns(written, t) &&
			!slices.ContainsFunc(t.Columns, unfilled) { // rows that are written for an index get no column by that
			next.EndChange()
		}
		err := x.publish(ctx, t, next, true)
		if errors.Is(err, catalog.ErrConflict) {
			// Another process has changed something else about the table.
			if err := tries.Again(err); err != nil {
				return nil, err
			}
			if t, err = x.reload(ctx, t); err == nil && !sameStates(written, t, names) {
				err = catalog.ErrConflict
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		now, err := x.reload(ctx, next)
		if err == nil && !sameStates(next, now, names) {
			err = catalog.ErrConflict
		}
		return now, err
	}
}

// sameStates says whether indexes, by name, are the same in two definitions, without a change of state in between.
func sameStates(a, b *schema.Table, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		x, y := a.Index(name), b.Index(name)
		return x == nil || y == nil || x.KeyName != y.KeyName || x.Step != y.Step
	})
}

// retire takes indexes of t to write-only, so that no statement reads them, and then to delete-only, so that none adds to them.
// Another process may change their states meanwhile: retire ends when it finds that.
func (x *definition) retire(ctx context.Context, t *schema.Table, indexes []*schema.Index) (*schema.Table, error) {
	var unread []string // taken to write-only here
	for {
		in := map[schema.State][]string{}
		for _, old := range indexes {
			ix := t.Index(old.Name)
			if ix == nil {
				return nil, catalog.ErrConflict
			}
			in[ix.State] = append(in[ix.State], ix.Name)
		}
		var err error
		public, writeOnly := in[schema.Public], in[schema.WriteOnly]
		switch {
		case len(public) > 0:
			unread = append(unread, public...)
			t, err = x.setState(ctx, t, schema.WriteOnly, public)
		case len(writeOnly) > 0:
			if slices.ContainsFunc(writeOnly, func(name string) bool { return !slices.Contains(unread, name) }) {
				// The process that took it there may have done so just now: some process may still read it.
				if err := x.Catalog.WaitCurrent(ctx); err != nil {
					return nil, err
				}
			}
			t, err = x.setState(ctx, t, schema.DeleteOnly, writeOnly)
		default:
			return t, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
