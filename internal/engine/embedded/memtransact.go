package embedded

import (
	"context"
	"iter"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memCommit is a commit of a transaction, and the entities that it makes.
type memCommit struct {
	*engine.Commit
	table    *memTable
	entities []*memRecord
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
	t.CountRequests(m.limits)
	root, operations := m.root.Load(), 0
	commits := make([]memCommit, len(t.Commits))
	for i := range commits {
		p := &commits[i]
		p.Commit, p.table = &t.Commits[i], root.table(t.Commits[i].Table)
		if p.table == nil {
			return errNoTable(p.Table)
		}
		p.entities = p.table.entities(p.Commit, make([]*memRecord, 0, len(p.Ops)))
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

// Snapshots implements engine.Transactor.
func (m *Memory) Snapshots() bool { return true }

func (m *Memory) applyAll(commits []memCommit, t *engine.Transaction) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.current()
	if err != nil {
		return err
	}
	for i := range t.Reads {
		if err := r.holds(t.Since.(*memMoment).root, &t.Reads[i]); err != nil {
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
	next := r
	if r.holders.Load() > 0 || len(t.Requires) > 0 { // a root that does not meet a requirement is discarded
		next = r.next()
	}
	etag, now := m.stamp()
	for i := range commits {
		p := &commits[i]
		next.put(p.table, p.Commit, p.entities, etag, now)
	}
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
	var first treeWalk[memRecord]
	first.Seek(r.partition(t, q.PartitionKey).tree(), q.From)
	if there := first.More() && q.Contains(first.Key()); there != q.Any {
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
	c := memCompare{scan: s, table: is}
	if !s.AllPartitions {
		return c.partition(s.PartitionKey, before.Get(s.PartitionKey), after.Get(s.PartitionKey))
	}
	for key, at := range pairs(&before.tree, &after.tree, s.FromPartition) {
		if s.ToPartition != "" && key >= s.ToPartition {
			return nil
		}
		if err := c.partition(key, at.old, at.now); err != nil {
			return err
		}
	}
	return nil
}

// pair is what two trees have at a key; nil if one has nothing.
type pair[V any] struct{ old, now *V }

// pairs walks two trees side by side, from a key on. Either may be nil.
func pairs[V any](old, now *tree[V], from string) iter.Seq2[string, pair[V]] {
	return func(yield func(string, pair[V]) bool) {
		var a, b treeWalk[V]
		a.Seek(old, from)
		b.Seek(now, from)
		for a.More() || b.More() {
			var at pair[V]
			key := ""
			if a.More() && (!b.More() || a.Key() <= b.Key()) {
				key, at.old = a.Key(), a.Value()
			} else {
				key = b.Key()
			}
			if b.More() && b.Key() == key {
				at.now = b.Value()
				b.Skip(1)
			}
			if at.old != nil {
				a.Skip(1)
			}
			if !yield(key, at) {
				return
			}
		}
	}
}

// memCompare compares what a range holds at two moments.
type memCompare struct {
	scan  *engine.Scan
	table *memTable
}

// partition compares the rows of one partition, either of which may be nil. If nothing has changed, both are the same tree.
func (c *memCompare) partition(key string, old, now *memPartition) error {
	if old == now {
		return nil
	}
	from, to := c.scan.From, c.scan.To
	if c.scan.AllPartitions {
		from, to = "", ""
	}
	for rowKey, at := range pairs(old.tree(), now.tree(), from) {
		if to != "" && rowKey >= to {
			return nil
		}
		if at.old != at.now && (c.matters(key, rowKey, at.old) || c.matters(key, rowKey, at.now)) {
			return engine.StaleRead(c.scan.Table, key, rowKey)
		}
	}
	return nil
}

// tree gives the rows of a partition, which may be nil.
func (p *memPartition) tree() *tree[memRecord] {
	if p == nil {
		return nil
	}
	return &p.rows
}

// matters says whether the range has the entity; e may be nil.
func (c *memCompare) matters(partitionKey, rowKey string, r *memRecord) bool {
	if r == nil || c.scan.Filter == nil {
		return r != nil
	}
	e := c.table.entity(r, partitionKey, rowKey)
	return c.scan.Filter.Match(&e)
}
