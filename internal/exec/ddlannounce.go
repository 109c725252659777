package exec

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/planner"
)

// announce makes the definition between t and next where rows are written anew and other processes may be at work:
// everybody reads and keeps what the next one is made of, and nobody relies on it yet. Without it, a process that
// still goes by t would lose what one that goes by next has written:
//
//   - a column of another form is written in the form of before, and read in both;
//   - a new column is hidden, gets its default and is kept;
//   - one that goes is hidden, so that nobody misses it where it is gone.
//
// from is Change.From. nil: there is nothing to announce.
func announce(t, next *planner.Table, from []int) *planner.Table {
	between := t.Clone()
	for i, col := range next.Columns {
		if from[i] < 0 {
			coming := *col
			coming.Hidden, coming.NotNull = true, col.NotNull && col.HasDefault
			between.Columns = append(between.Columns, &coming)
		} else if old := between.Columns[from[i]]; old.Property != col.Property {
			old.Former = &planner.Former{Property: col.Property, Type: col.Type}
		}
	}
	for i, col := range between.Columns[:len(t.Columns)] {
		if !slices.Contains(from, i) {
			col.Hidden, col.NotNull = true, false
		}
	}
	between.Before = t.Columns
	return between
}

// prepare publishes what announce makes, and waits until nobody goes by the definition before.
func (x *definition) prepare(ctx context.Context, t, next *planner.Table, change *planner.Change) (*planner.Table, error) {
	if !change.Rewrite {
		return t, nil
	}
	return x.replace(ctx, t, announce(t, next, change.From))
}

// replace publishes a definition, waits until nobody goes by the one before, and gives it as the catalog has it.
func (x *definition) replace(ctx context.Context, t, next *planner.Table) (*planner.Table, error) {
	if err := x.Catalog.Replace(ctx, t, next, x.meter); err != nil {
		return nil, err
	}
	if err := x.Catalog.WaitLease(ctx); err != nil {
		return nil, err
	}
	return x.published(ctx, next)
}

// finish makes an end of a change that a process did not live to finish: one that was only announced is taken back,
// one that was made is carried through.
func (x *definition) finish(ctx context.Context, t *planner.Table) (*planner.Table, error) {
	if t.Before != nil {
		return x.replace(ctx, t, t.TakeBack())
	}
	if !slices.ContainsFunc(t.Columns, (*planner.Column).InTransit) {
		return t, nil
	}
	if err := x.Catalog.WaitLease(ctx); err != nil {
		return nil, err
	}
	return x.build(ctx, t, t, planner.Change{Rewrite: true})
}
