package embedded

import (
	"context"
	"slices"

	"github.com/tidwall/btree"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memCommit is a commit of a transaction, and the entities that it makes.
type memCommit struct {
	*engine.Commit
	table    *memTable
	entities []*memEntity
}

// Transact implements engine.Transactor: one new root holds what all commits make.
func (m *Memory) Transact(ctx context.Context, t engine.Transaction) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.closed.Load() {
		return errClosed()
	}
	if err := m.limits.CheckTransaction(&t); err != nil {
		return err
	}
	root, operations := m.root.Load(), 0
	commits := make([]memCommit, len(t.Commits))
	for i := range commits {
		p := &commits[i]
		p.Commit, p.table = &t.Commits[i], root.table(t.Commits[i].Table)
		if p.table == nil {
			return errNoTable(p.Table)
		}
		p.entities = p.table.entities(p.Commit, make([]*memEntity, 0, len(p.Ops)))
		operations += len(p.Ops)
	}
	if err := m.applyAll(commits, &t); err != nil {
		return err
	}
	if t.Meter != nil {
		t.Meter.Written.Add(int64(operations))
	}
	return nil
}

func (m *Memory) applyAll(commits []memCommit, t *engine.Transaction) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.current()
	if err != nil {
		return err
	}
	for i := range t.Reads {
		if err := r.holds(t.Since.(*memRoot), &t.Reads[i]); err != nil {
			return err
		}
	}
	before := 0
	for i := range commits {
		if err := r.check(commits[i].table, commits[i].Commit, commits[i].entities); err != nil {
			return engine.Further(err, before)
		}
		before += len(commits[i].Ops)
	}
	etag, now := m.stamp()
	var changes []memChange
	for i := range commits {
		p := &commits[i]
		at := slices.IndexFunc(changes, func(c memChange) bool { return c.table == p.table })
		if at < 0 {
			at, changes = len(changes), append(changes, memChange{p.table, r.state(p.table)})
		}
		changes[at].state = put(changes[at].state, p.Commit, p.entities, etag, now)
	}
	next := r.with(changes)
	for i := range t.Requires {
		if err := next.meets(&t.Requires[i]); err != nil {
			return err
		}
	}
	m.root.Store(next)
	return nil
}

// meets refuses what does not meet a requirement.
func (r *memRoot) meets(q *engine.Requirement) error {
	t := r.table(q.Table)
	if t == nil {
		return errNoTable(q.Table)
	}
	partition, _ := r.state(t).Get(q.PartitionKey)
	first, there := iterate(partition, q.From)
	if there = there && q.Contains(first.Key()); there != q.Any {
		return q.Unmet()
	}
	return nil
}

// holds says whether a range holds what it held at an earlier moment. Entities that the range's filter lets through neither
// before nor now do not matter.
func (r *memRoot) holds(since *memRoot, s *engine.Scan) error {
	was, is := since.table(s.Table), r.table(s.Table)
	if was == nil || is != was {
		if was == is {
			return nil
		}
		return engine.StaleRead(s.Table, s.PartitionKey, s.From)
	}
	before, after := since.state(was), r.state(is)
	if before == after {
		return nil
	}
	c := memCompare{scan: s}
	if !s.AllPartitions {
		old, _ := before.Get(s.PartitionKey)
		now, _ := after.Get(s.PartitionKey)
		return c.partition(s.PartitionKey, old, now)
	}
	a, b := before.Iter(), after.Iter()
	more, moreNow := a.Seek(s.FromPartition), b.Seek(s.FromPartition)
	for more || moreNow {
		var old, now *memPartition
		key := ""
		switch {
		case !moreNow || more && a.Key() < b.Key():
			key, old, more = a.Key(), a.Value(), a.Next()
		case !more || b.Key() < a.Key():
			key, now, moreNow = b.Key(), b.Value(), b.Next()
		default:
			key, old, now, more, moreNow = a.Key(), a.Value(), b.Value(), a.Next(), b.Next()
		}
		if s.ToPartition != "" && key >= s.ToPartition {
			return nil
		}
		if err := c.partition(key, old, now); err != nil {
			return err
		}
	}
	return nil
}

// memCompare compares what a range holds at two moments.
type memCompare struct{ scan *engine.Scan }

// partition compares the rows of one partition, either of which may be nil. What nobody changed is the same tree.
func (c *memCompare) partition(key string, old, now *memPartition) error {
	if old == now {
		return nil
	}
	from, to := c.scan.From, c.scan.To
	if c.scan.AllPartitions {
		from, to = "", ""
	}
	a, more := iterate(old, from)
	b, moreNow := iterate(now, from)
	for more || moreNow {
		var was, is *memEntity
		rowKey := ""
		switch {
		case !moreNow || more && a.Key() < b.Key():
			rowKey, was, more = a.Key(), a.Value(), a.Next()
		case !more || b.Key() < a.Key():
			rowKey, is, moreNow = b.Key(), b.Value(), b.Next()
		default:
			rowKey, was, is, more, moreNow = a.Key(), a.Value(), b.Value(), a.Next(), b.Next()
		}
		if to != "" && rowKey >= to {
			return nil
		}
		if was != is && (c.matters(key, rowKey, was) || c.matters(key, rowKey, is)) {
			return engine.StaleRead(c.scan.Table, key, rowKey)
		}
	}
	return nil
}

// iterate stands on the first row from a key on.
func iterate(p *memPartition, from string) (i btree.MapIter[string, *memEntity], more bool) {
	if p == nil {
		return i, false
	}
	i = p.rows.Iter()
	return i, i.Seek(from)
}

// matters says whether the range has the entity; e may be nil.
func (c *memCompare) matters(partitionKey, rowKey string, e *memEntity) bool {
	return e != nil && c.scan.Filter.Match(&engine.Entity{PartitionKey: partitionKey, RowKey: rowKey, Timestamp: e.timestamp, Names: e.shape.names, Values: e.values})
}
