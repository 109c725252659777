package embedded

import (
	"context"

	"github.com/tidwall/btree"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Commit implements engine.Engine. Entities are made before the lock is taken; under it, conditions are
// checked against what stands, and one new root is published.
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
	var room [4]*memEntity
	if err := m.apply(t, &c, t.entities(&c, room[:0])); err != nil {
		return err
	}
	if c.Meter != nil {
		c.Meter.Written.Add(int64(len(c.Ops)))
	}
	return nil
}

// entities appends the entities that a commit makes; nil for those that depend on what stands, and for what it deletes.
func (t *memTable) entities(c *engine.Commit, entities []*memEntity) []*memEntity {
	for i := range c.Ops {
		op := &c.Ops[i]
		var e *memEntity
		if op.Kind != engine.Delete && op.Kind != engine.Merge {
			e = t.newEntity(op.Entity.Names, op.Entity.Values)
		}
		entities = append(entities, e)
	}
	return entities
}

func (m *Memory) apply(t *memTable, c *engine.Commit, entities []*memEntity) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.current()
	if err != nil {
		return err
	}
	if err := r.check(t, c, entities); err != nil {
		return err
	}
	etag, now := m.stamp()
	m.root.Store(r.with([]memChange{{t, put(r.state(t), c, entities, etag, now)}}))
	for i := range c.ETags {
		c.ETags[i] = etag
	}
	return nil
}

// current is the root, for who has the lock.
func (m *Memory) current() (*memRoot, error) {
	if m.closed.Load() {
		return nil, errClosed()
	}
	return m.root.Load(), nil
}

// stamp gives the ETag and the timestamp of what is written next. The caller has the lock.
func (m *Memory) stamp() (etag string, now int64) {
	m.version++
	return string(appendETag(nil, m.version)), m.clock.ticks()
}

// check checks every operation's condition, and makes the entities of merges. No entity is there twice,
// so what one operation does is no condition of another.
func (r *memRoot) check(t *memTable, c *engine.Commit, entities []*memEntity) error {
	if r.table(c.Table) != t {
		return errNoTable(c.Table) // deleted meanwhile
	}
	partition, _ := r.state(t).Get(c.PartitionKey)
	for i := range c.Ops {
		op := &c.Ops[i]
		if op.Kind == engine.Upsert {
			continue
		}
		var old *memEntity
		etag := ""
		if partition != nil {
			old, _ = partition.rows.Get(op.Entity.RowKey)
		}
		if old != nil {
			etag = old.etag
		}
		if err := refusal(c, i, old != nil, etag); err != nil {
			return err
		}
		if op.Kind == engine.Merge {
			e := t.merged(old, op.Entity.Names, op.Entity.Values)
			whole := engine.Entity{PartitionKey: c.PartitionKey, RowKey: op.Entity.RowKey, Names: e.shape.names, Values: e.values}
			if err := r.m.limits.CheckEntity(&whole); err != nil {
				return atOp(err, i)
			}
			entities[i] = e
		}
	}
	return nil
}

// put gives what a table holds after a commit.
func put(partitions *memPartitions, c *engine.Commit, entities []*memEntity, etag string, now int64) *memPartitions {
	partition, ok := partitions.Get(c.PartitionKey)
	if !ok {
		partition = &memPartition{key: c.PartitionKey, rows: btree.NewMap[string, *memEntity](degree)}
	}
	rows := partition.rows.Copy()
	for i, e := range entities {
		rowKey := c.Ops[i].Entity.RowKey
		if e != nil {
			e.etag, e.timestamp = etag, now
			rows.Set(rowKey, e)
		} else {
			rows.Delete(rowKey)
		}
	}
	partitions = partitions.Copy()
	if rows.Len() > 0 {
		partitions.Set(c.PartitionKey, &memPartition{key: partition.key, rows: rows})
	} else {
		partitions.Delete(c.PartitionKey)
	}
	return partitions
}
