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
	t := m.table(c.Table)
	if t == nil {
		return errNoTable(c.Table)
	}
	var room [4]*memEntity
	entities := room[:0]
	for i := range c.Ops {
		op := &c.Ops[i]
		var e *memEntity
		if op.Kind != engine.Delete && op.Kind != engine.Merge {
			e = t.newEntity(op.Entity.Names, op.Entity.Values)
		}
		entities = append(entities, e)
	}
	if err := m.apply(t, &c, entities); err != nil {
		return err
	}
	if c.Meter != nil {
		c.Meter.Written.Add(int64(len(c.Ops)))
	}
	return nil
}

func (m *Memory) apply(t *memTable, c *engine.Commit, entities []*memEntity) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed.Load() {
		return errClosed()
	}
	if t.deleted {
		return errNoTable(c.Table)
	}
	partitions := t.partitions.Load()
	partition, ok := partitions.Get(c.PartitionKey)
	if !ok {
		partition = &memPartition{key: c.PartitionKey, rows: btree.NewMap[string, *memEntity](degree)}
	}
	if err := m.check(t, c, partition.rows, entities); err != nil {
		return err
	}

	m.version++
	etag, now := string(appendETag(nil, m.version)), m.clock.ticks()
	rows := partition.rows.Copy()
	for i := range c.Ops {
		rowKey := c.Ops[i].Entity.RowKey
		if e := entities[i]; e != nil {
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
	t.partitions.Store(partitions)
	return nil
}

// check checks every operation's condition, and makes the entities of merges. No entity is there twice,
// so what one operation does is no condition of another.
func (m *Memory) check(t *memTable, c *engine.Commit, rows *memRows, entities []*memEntity) error {
	for i := range c.Ops {
		op := &c.Ops[i]
		if op.Kind == engine.Upsert {
			continue
		}
		old, exists := rows.Get(op.Entity.RowKey)
		etag := ""
		if exists {
			etag = old.etag
		}
		if err := refusal(c, i, exists, etag); err != nil {
			return err
		}
		if op.Kind == engine.Merge {
			e := t.merged(old, op.Entity.Names, op.Entity.Values)
			whole := engine.Entity{PartitionKey: c.PartitionKey, RowKey: op.Entity.RowKey, Names: e.shape.names, Values: e.values}
			if err := m.limits.CheckEntity(&whole); err != nil {
				return atOp(err, i)
			}
			entities[i] = e
		}
	}
	return nil
}
