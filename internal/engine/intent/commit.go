package intent

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// mostClearings is how often something is cleared out of the way of an insert.
const mostClearings = 3

// Commit implements engine.Engine: one request if no intent is in the way. If it had to wait for one, it sends nothing: what the commit was
// based on, above all definitions, may be outdated.
func (s *Store) Commit(ctx context.Context, c engine.Commit) error {
	if slices.ContainsFunc(c.Ops, func(op engine.Op) bool { return isSeen(op.IfMatch) }) {
		c.Ops = slices.Clone(c.Ops)
		if at, err := s.conditions(ctx, &c, func(i int) *engine.Op { return &c.Ops[i] }); err != nil {
			return asOp(err, at)
		}
	}
	for try := 1; ; try++ {
		err := s.base.Commit(ctx, c)
		if err == nil || try > mostClearings {
			return err
		}
		if cleared, failed := s.clearFor(ctx, &c, err); failed != nil {
			return failed
		} else if !cleared {
			return err
		}
	}
}

// clearFor settles the intent, if there is one, on the key that an operation found taken.
func (s *Store) clearFor(ctx context.Context, c *engine.Commit, err error) (bool, error) {
	at := opOf(err)
	if !s.holds(c.Table) || !isCode(err, engine.CodeExists) || at < 0 || at >= len(c.Ops) {
		return false, nil
	}
	w, err := s.clearWay(ctx, place{c.Table, c.PartitionKey, c.Ops[at].Entity.RowKey}, "", c.Meter)
	if err == nil && s.hasLeft(w) {
		keys := make([]string, len(c.Ops))
		for i := range c.Ops {
			keys[i] = c.Ops[i].Entity.RowKey
		}
		err = s.clearLeft(ctx, w, c.Table, c.PartitionKey, keys, c.Meter)
	}
	if err == nil && w.waited {
		err = asOp(engine.StaleRead(c.Table, c.PartitionKey, c.Ops[at].Entity.RowKey), at)
	}
	return w.bore, err
}

// conditions translates the conditions of operations on entities that bore an intent when they were read into conditions on the entities without
// it: they must still hold what was read. op gives the operations of c, which may be changed; at is the operation that an error is about.
func (s *Store) conditions(ctx context.Context, c *engine.Commit, op func(i int) *engine.Op) (at int, err error) {
	var settled []way
	for i := range c.Ops {
		op := op(i)
		saw, stored := sideOf(op.IfMatch)
		if saw == "" {
			continue
		}
		etag := etagIn(settled, op.Entity.RowKey, saw, stored)
		if etag == "" {
			w, err := s.clearWay(ctx, place{c.Table, c.PartitionKey, op.Entity.RowKey}, stored, c.Meter)
			if err != nil {
				return i, err
			}
			settled = append(settled, w)
			if etag = etagIn(settled[len(settled)-1:], op.Entity.RowKey, saw, stored); etag == "" || w.waited {
				return i, engine.StaleRead(c.Table, c.PartitionKey, op.Entity.RowKey)
			}
		}
		op.IfMatch = etag
	}
	return 0, nil
}

// etagIn gives the ETag of an entity whose unit was settled the way the reader had seen it; "" if the ETag is not known, or the entity was
// touched in between.
func etagIn(settled []way, rowKey string, saw side, stored string) string {
	for _, w := range settled {
		if is := w.etags[rowKey]; (w.is == committed) == (saw == newSide) && is.before == stored && is.now != "" {
			return is.now
		}
	}
	return ""
}

func opOf(err error) int {
	if e, ok := err.(*engine.Error); ok {
		return e.Op
	}
	return -1
}
