package intent

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// settling makes the operation that removes an operation's own intent.
func (o *operation) settling(forward bool) engine.Op {
	e := engine.Entity{PartitionKey: o.Entity.PartitionKey, RowKey: o.intentKey(), ETag: o.etag}
	return o.marker.settling(e, o.Entity.Names, o.Entity.Values, forward)
}

// forward puts the new content in place. What cannot be done now is left to the next writer that meets it.
func (x *transaction) forward(ctx context.Context) {
	if x.settleAll(ctx, true) {
		x.forgetNote()
		x.store.forget.add(x.home, x.id, keepCommitted)
		x.store.forget.some(ctx, x.store, x.home, x.meter)
	}
}

// forgetNote deletes the note.
func (x *transaction) forgetNote() {
	if x.noted {
		x.store.forget.add(x.store.noteHome(x.home.table, x.id), x.id, 0)
	}
}

// back removes the intents. It says whether none is left.
func (x *transaction) back(ctx context.Context) bool {
	all := x.settleAll(ctx, false)
	if all {
		x.forgetNote()
	}
	return all
}

// settleAll settles the groups that bear intents, and says whether none is left.
func (x *transaction) settleAll(ctx context.Context, forward bool) bool {
	all := true
	var these []*group
	for _, g := range x.groups {
		if g.unsure {
			all = false
		}
		if g.prepared && (!forward || g != x.atHome || g.guarded) {
			these = append(these, g)
		}
	}
	failed := make([]error, len(these))
	err := engine.SideBySide(ctx, x.store.parallel, len(these), func(ctx context.Context, i int) error {
		if failed[i] = x.settleGroup(ctx, these[i], forward); failed[i] == nil {
			x.progress()
		}
		return nil // the others go on
	})
	return all && err == nil && errors.Join(failed...) == nil
}

func (x *transaction) settleGroup(ctx context.Context, g *group, forward bool) error {
	isLeft := func(o *operation) bool {
		return o.marker.id != "" && (!forward || g != x.atHome || o.isGuarded())
	}
	err := x.readBack(ctx, g)
	if err == nil {
		c, _ := g.commit(x.meter, func(o *operation) (engine.Op, bool) {
			if !isLeft(o) {
				return engine.Op{}, false
			}
			return o.settling(forward), true
		})
		if len(c.Ops) == 0 {
			return nil
		}
		err = x.store.direct.Commit(ctx, c)
	}
	if err == nil || !isCode(err, engine.CodeStale) && !isCode(err, engine.CodeNotFound) {
		return err
	}
	// Others have settled some, or touched some.
	is := aborted
	if forward {
		is = committed
	}
	return engine.SideBySide(ctx, x.store.parallel, len(g.ops), func(ctx context.Context, i int) error {
		o := &g.ops[i]
		if !isLeft(o) || o.intentKey() != o.marker.row {
			return nil
		}
		e := engine.Entity{PartitionKey: o.Entity.PartitionKey, RowKey: o.marker.row}
		for range mostClearings {
			etags, err := x.store.settle(ctx, g.table, &e, &o.marker, is, x.meter)
			if err != nil || etags != nil {
				return err
			}
		}
		return x.isSettled(ctx, g, o)
	})
}

// isSettled fails if a unit still bears its intent: other writers were faster each time.
func (x *transaction) isSettled(ctx context.Context, g *group, o *operation) error {
	e, err := x.store.base.Get(ctx, engine.Get{Table: g.table, PartitionKey: g.partition, RowKey: o.marker.row, Select: []string{markerProperty}, Meter: x.meter})
	switch {
	case isCode(err, engine.CodeNotFound):
		return nil
	case err == nil && bears(&e, x.id):
		return engine.StaleRead(g.table, g.partition, o.marker.row)
	}
	return err
}
