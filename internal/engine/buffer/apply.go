package buffer

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Apply buffers operations of one partition, all or none; there may be any number. Each is checked against what
// the transaction sees, as far as that can be known:
//
//   - on an entity that the transaction has written, everything, as an engine would;
//   - Insert of another one costs a Get, and Replace, Merge and Delete without an ETag do, too;
//   - with an ETag they are taken at their word, and Commit finds out whether it holds;
//   - Upsert is never checked.
//
// The Gets go out side by side, before anything is judged. The commit's Meter counts them.
func (b *Buffer) Apply(ctx context.Context, c engine.Commit) error {
	if err := b.limits.CheckCommit(&c); err != nil {
		return err
	}
	etags, err := b.look(ctx, &c)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	mark := len(b.journal)
	b.outline.watchWide(&c)
	for i := range c.Ops {
		if err := b.apply(ctx, &c, &c.Ops[i], etags[i]); err != nil {
			b.rollbackTo(mark)
			return atOp(err, i)
		}
	}
	return nil
}

// atOp says that operation i is at fault.
func atOp(err error, i int) error {
	var e *engine.Error
	if errors.As(err, &e) {
		e.Op = i
	}
	return err
}

// look asks the store for what operations on entities that the transaction has not written need to know: their ETags,
// by operation; "" where there is no entity, or no need.
func (b *Buffer) look(ctx context.Context, c *engine.Commit) ([]string, error) {
	etags := make([]string, len(c.Ops))
	var need []int
	b.mu.Lock()
	t := b.tree(c.Table)
	for i := range c.Ops {
		op := &c.Ops[i]
		if op.Kind != engine.Upsert && op.IfMatch == "" && t.find(c.PartitionKey, op.Entity.RowKey) == nil {
			need = append(need, i)
		}
	}
	b.mu.Unlock()
	err := engine.SideBySide(ctx, b.parallel, len(need), func(ctx context.Context, i int) error {
		etag, err := b.stored(ctx, c, c.Ops[need[i]].Entity.RowKey)
		etags[need[i]] = etag
		return atOp(err, need[i])
	})
	return etags, err
}

// apply takes one operation; etag is what look found for it.
func (b *Buffer) apply(ctx context.Context, c *engine.Commit, op *engine.Op, etag string) error {
	old := b.tree(c.Table).find(c.PartitionKey, op.Entity.RowKey)
	next := &entry{partitionKey: c.PartitionKey, rowKey: op.Entity.RowKey, op: op.Kind, ifMatch: op.IfMatch, row: op.Row, parent: op.Parent, there: op.There, touch: op.Touch}
	if op.Kind != engine.Delete {
		next.names, next.values = slices.Clone(op.Entity.Names), slices.Clone(op.Entity.Values)
	}
	var err error
	if old == nil {
		err = first(c, next, etag)
	} else {
		err = b.again(ctx, c, op, old, next)
	}
	if err != nil {
		return err
	}
	return b.put(c.Table, next)
}

// first checks the first operation on an entity.
func first(c *engine.Commit, next *entry, etag string) error {
	if next.op == engine.Upsert || next.ifMatch != "" {
		return nil
	}
	exists := etag != ""
	next.seen = etag
	switch {
	case next.op == engine.Insert && exists:
		return errExists(c.Table, next)
	case next.op != engine.Insert && !exists:
		return errGone(c.Table, next)
	}
	return nil
}

// stored asks the store for the ETag of an entity; "" when there is none.
func (b *Buffer) stored(ctx context.Context, c *engine.Commit, rowKey string) (string, error) {
	got, err := b.read(ctx, b.base, engine.Get{Table: c.Table, PartitionKey: c.PartitionKey, RowKey: rowKey, Select: []string{}, Meter: c.Meter})
	var e *engine.Error
	if errors.As(err, &e) && e.Code == engine.CodeNotFound {
		return "", nil
	}
	return got.ETag, err
}

// again folds an operation on an entity that the transaction has written before into what it has done.
// The condition on what is stored stays that of the first operation.
func (b *Buffer) again(ctx context.Context, c *engine.Commit, op *engine.Op, old, next *entry) error {
	switch {
	case op.Kind == engine.Insert && old.exists():
		return errExists(c.Table, next)
	case op.Kind == engine.Insert, op.Kind == engine.Upsert:
	case !old.exists():
		return errGone(c.Table, next)
	case op.IfMatch != "" && op.IfMatch != old.etag:
		return engine.Errorf(engine.CodeStale, "entity %q, %q of table %q has changed in this transaction", c.PartitionKey, next.rowKey, c.Table)
	}
	next.ifMatch, next.seen, next.parent, next.there, next.touch = old.ifMatch, old.seen, next.parent || old.parent, old.there, next.touch || old.touch
	if op.IfMatch != "" && next.ifMatch == "" {
		// The caller has read it since: what it goes by was there when the first operation looked.
		next.ifMatch = old.seen
	}
	switch {
	case op.Kind == engine.Delete:
		return b.deleted(ctx, c, old, next)
	case old.dropped: // still an insert of what was not there, or an upsert
		return nil
	case op.Kind == engine.Merge:
		next.op = old.op
		next.names, next.values = engine.Overlay(slices.Clone(old.names), slices.Clone(old.values), next.names, next.values)
		return b.limits.CheckEntity(&engine.Entity{PartitionKey: c.PartitionKey, RowKey: next.rowKey, Names: next.names, Values: next.values})
	case old.op == engine.Insert, old.op == engine.Upsert:
		next.op = old.op
	default: // Replace, Merge or Delete of what is stored: it is replaced
		next.op = engine.Replace
	}
	return nil
}

// deleted makes next the deletion of an entity that the transaction has written.
func (b *Buffer) deleted(ctx context.Context, c *engine.Commit, old, next *entry) error {
	switch old.op {
	case engine.Insert:
		next.dropped = true
	case engine.Upsert: // nobody knows yet whether there is something to delete
		etag, err := b.stored(ctx, c, next.rowKey)
		next.dropped = etag == ""
		return err
	}
	return nil
}

func errExists(table string, e *entry) *engine.Error {
	return engine.Errorf(engine.CodeExists, "entity %q, %q is in table %q already", e.partitionKey, e.rowKey, table)
}

// sorted gives the trees in the order of their tables' names.
func (b *Buffer) sorted() []*tree {
	trees := make([]*tree, 0, len(b.tables))
	for _, t := range b.tables {
		trees = append(trees, t)
	}
	sort.Slice(trees, func(i, j int) bool { return trees[i].table < trees[j].table })
	return trees
}
