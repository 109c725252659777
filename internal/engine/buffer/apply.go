package buffer

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Apply buffers operations of one partition, all or none; there may be any number. Each is checked against what the transaction sees, as far as
// that is known:
//
//   - on an entity that the transaction has written, everything is checked, as an engine would;
//   - on another entity, an Insert costs a Get unless gaps answer it, and so do Replace, Merge and Delete without an ETag;
//   - a Delete without an ETag of an entity that the transaction has inserted costs a Get, unless it is an index entry of a row that the
//     transaction has written: an entry that now has this key is a different one;
//   - operations with an ETag are believed, and Commit finds out whether it matches;
//   - an Upsert is never checked.
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
		if err := b.apply(&c, &c.Ops[i], etags[i]); err != nil {
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

// look asks the store what must be known for operations on entities that the transaction has not written: their ETags, by operation; "" if there
// is no entity, or no need.
func (b *Buffer) look(ctx context.Context, c *engine.Commit) ([]string, error) {
	etags := make([]string, len(c.Ops))
	var need []int
	b.mu.Lock()
	t := b.tree(c.Table)
	for i := range c.Ops {
		op := &c.Ops[i]
		var row *entry
		if op.Row != "" {
			row = t.find(c.PartitionKey, op.Row)
		}
		old := t.find(c.PartitionKey, op.Entity.RowKey)
		if isOfOthers(op, old, row) {
			b.mu.Unlock()
			return nil, atOp(lost(c, op.Entity.RowKey), i)
		}
		if needsLook(op, old, row) {
			need = append(need, i)
		}
	}
	b.mu.Unlock()
	need, err := b.free(ctx, c, need)
	if err != nil {
		return nil, err
	}
	err = engine.SideBySide(ctx, b.parallel, len(need), func(ctx context.Context, i int) error {
		etag, err := b.stored(ctx, c, c.Ops[need[i]].Entity.RowKey)
		etags[need[i]] = etag
		return atOp(err, need[i])
	})
	return etags, err
}

// needsLook says whether the caller must know if the store has an entity. old is what the transaction has written of the entity, and row what it
// has written of the row that the entity is an index entry of; nil: nothing. An entry that the transaction has inserted is not the store's if it
// is said to be another row's. The entries of a row that it has inserted are in no store.
func needsLook(op *engine.Op, old, row *entry) bool {
	switch {
	case old == nil:
		return op.Kind != engine.Upsert && op.IfMatch == ""
	case !old.exists() || op.Kind == engine.Insert || op.Touch:
		return false
	case old.op == engine.Insert:
		return op.Taken || op.Row != old.row || op.Row == "" && op.IfMatch == "" && (op.Kind == engine.Delete || op.There)
	}
	return op.Kind == engine.Delete && old.op == engine.Upsert && (old.there || op.Row != old.row || row == nil || !row.isNew())
}

// isNew says whether the transaction has inserted the entity, whether or not it has deleted it since.
func (e *entry) isNew() bool { return e.op == engine.Insert || e.dropped }

// isOfOthers says whether an operation is on an index entry in the store whose row the transaction has inserted: then others have inserted that
// row, too.
func isOfOthers(op *engine.Op, old, row *entry) bool {
	return old == nil && row != nil && row.isNew() && !op.Taken && op.Kind != engine.Insert && op.Kind != engine.Upsert
}

// lost is the error of a transaction that has inserted a key which others have inserted since.
func lost(c *engine.Commit, rowKey string) error {
	e := engine.StaleRead(c.Table, c.PartitionKey, rowKey)
	e.Final = true
	return e
}

// apply takes one operation; etag is what look found for it.
func (b *Buffer) apply(c *engine.Commit, op *engine.Op, etag string) error {
	old := b.tree(c.Table).find(c.PartitionKey, op.Entity.RowKey)
	next := &entry{partitionKey: c.PartitionKey, rowKey: op.Entity.RowKey, op: op.Kind, ifMatch: op.IfMatch, row: op.Row, parent: op.Parent, there: op.There, touch: op.Touch}
	if op.Kind != engine.Delete {
		next.names, next.values = slices.Clone(op.Entity.Names), slices.Clone(op.Entity.Values)
	}
	var err error
	if old == nil {
		err = first(c, op, next, etag)
	} else {
		err = b.again(c, op, etag, old, next)
	}
	if err != nil {
		return err
	}
	return b.put(c.Table, next)
}

// first checks the first operation on an entity.
func first(c *engine.Commit, op *engine.Op, next *entry, etag string) error {
	if next.op == engine.Upsert || next.ifMatch != "" {
		return nil
	}
	exists := etag != ""
	if next.seen = etag; op.Taken {
		next.ifMatch = etag
	}
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
	if isAbsent(err) {
		return "", nil
	}
	return got.ETag, err
}

// again folds an operation on an entity that the transaction has written before into what it has done. The condition on what is stored stays
// that of the first operation.
func (b *Buffer) again(c *engine.Commit, op *engine.Op, etag string, old, next *entry) error {
	switch {
	case old.op == engine.Insert && etag != "": // others have inserted what is to be changed, as the index entry of another row
		return lost(c, next.rowKey)
	case op.Kind == engine.Insert && old.exists():
		return errExists(c.Table, next)
	case op.Kind == engine.Insert, op.Kind == engine.Upsert:
	case !old.exists():
		return errGone(c.Table, next)
	case op.IfMatch != "" && op.IfMatch != old.etag:
		return engine.Errorf(engine.CodeStale, "entity %q, %q of table %q has changed in this transaction", c.PartitionKey, next.rowKey, c.Table)
	}
	next.ifMatch, next.seen, next.parent, next.there, next.touch = old.ifMatch, old.seen, next.parent || old.parent, old.there, next.touch || old.touch
	if next.ifMatch == "" && (op.IfMatch != "" || op.Taken || next.row != old.row) {
		// The caller has read it since, or it passes to another row: the operation is based on what the first operation's look found.
		next.ifMatch = old.seen
	}
	switch {
	case op.Kind == engine.Delete:
		deleted(etag, old, next)
		return nil
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

// deleted makes next the deletion of an entity that the transaction has written; etag is that of the entity that the store has under its key.
func deleted(etag string, old, next *entry) {
	switch old.op {
	case engine.Insert:
		next.dropped = true
	case engine.Upsert:
		next.dropped = etag == ""
	}
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
