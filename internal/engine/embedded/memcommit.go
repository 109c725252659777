package embedded

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Commit implements engine.Engine. Entities are made before the lock is taken; under it, conditions are checked against the current contents,
// and one new root is published.
func (m *Memory) Commit(ctx context.Context, c engine.Commit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.closed.Load() {
		return errClosed()
	}
	if err := m.limits.CheckCommit(&c); err != nil {
		return err
	}
	if c.Meter != nil {
		c.Meter.Requests.Add(1)
	}
	t := m.root.Load().table(c.Table)
	if t == nil {
		return errNoTable(c.Table)
	}
	var room [4]*memRecord
	if err := m.apply(t, &c, t.entities(&c, room[:0])); err != nil {
		return err
	}
	if c.Meter != nil {
		c.Meter.Written.Add(int64(len(c.Ops)))
	}
	return nil
}

// entities appends the entities that a commit makes; nil for those that depend on the current contents, and for deletions. Operations with the
// same content, such as a row and its copies in indexes, share one entity.
func (t *memTable) entities(c *engine.Commit, entities []*memRecord) []*memRecord {
	var last *memRecord
	var of *engine.Entity
	for i := range c.Ops {
		op := &c.Ops[i]
		var e *memRecord
		if op.Kind != engine.Delete && op.Kind != engine.Merge {
			if of == nil || !sameContent(of, &op.Entity) {
				last, of = t.newRecord(op.Entity.Names, op.Entity.Values), &op.Entity
			}
			e = last
		}
		entities = append(entities, e)
	}
	return entities
}

// sameContent says whether two entities share their list of names and their list of values.
func sameContent(a, b *engine.Entity) bool {
	return len(a.Values) > 0 && len(a.Values) == len(b.Values) && &a.Values[0] == &b.Values[0] &&
		len(a.Names) == len(b.Names) && &a.Names[0] == &b.Names[0]
}

func (m *Memory) apply(t *memTable, c *engine.Commit, entities []*memRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.current()
	if err != nil {
		return err
	}
	if err := r.check(t, c, entities); err != nil {
		return err
	}
	if r.holders.Load() > 0 {
		r = r.next()
	}
	etag, now := m.stamp()
	r.put(t, c, entities, etag, now)
	m.root.Store(r)
	for i := range c.ETags {
		c.ETags[i] = etag
	}
	return nil
}

// current gives the root, for a caller that has the lock.
func (m *Memory) current() (*memRoot, error) {
	if m.closed.Load() {
		return nil, errClosed()
	}
	return m.root.Load(), nil
}

// stamp gives the ETag and the timestamp of the next write. The caller has the lock.
func (m *Memory) stamp() (etag string, now int64) {
	m.version++
	var buf [maxETag]byte
	return string(appendETag(buf[:0], m.version)), m.clock.ticks()
}

// check checks every operation's condition, and makes the entities of merges. No entity occurs twice, so no operation affects another's
// condition.
func (r *memRoot) check(t *memTable, c *engine.Commit, entities []*memRecord) error {
	if r.table(c.Table) != t {
		return errNoTable(c.Table) // deleted meanwhile
	}
	partition := r.partition(t, c.PartitionKey)
	for i := range c.Ops {
		op := &c.Ops[i]
		if op.Kind == engine.Upsert {
			continue
		}
		var old *memRecord
		etag := ""
		if partition != nil {
			old = partition.rows.Get(op.Entity.RowKey)
		}
		if old != nil {
			etag = old.etag()
		}
		if err := refusal(c, i, old != nil, etag); err != nil {
			return err
		}
		if op.Kind == engine.Merge {
			e := t.merged(old, op.Entity.Names, op.Entity.Values)
			whole := t.entity(e, c.PartitionKey, op.Entity.RowKey)
			if err := r.m.limits.CheckEntity(&whole); err != nil {
				return atOp(err, i)
			}
			entities[i] = e
		}
	}
	return nil
}

// put makes the changes of a commit that was checked.
func (r *memRoot) put(t *memTable, c *engine.Commit, entities []*memRecord, etag string, now int64) {
	state := r.ownState(t)
	partition := state.own(c.PartitionKey)
	for i, e := range entities {
		rowKey := c.Ops[i].Entity.RowKey
		if e != nil {
			e.sign(etag, now)
			partition.rows.Set(r.owner, rowKey, e)
		} else {
			partition.rows.Delete(r.owner, rowKey)
		}
	}
	if partition.rows.Len() == 0 {
		state.Delete(r.owner, partition.key)
	}
}
