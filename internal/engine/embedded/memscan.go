package embedded

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memCursor walks a table of a root, which it holds.
type memCursor struct {
	cursor
	root *memRoot // nil once it has let go of it

	partitions treeWalk[memPartition] // stands on a partition not walked yet
	key        string                 // the partition being walked
	to         string                 // where its range ends; "": it does not
	rows       treeWalk[memEntity]    // stands on a row not looked at yet

	bound map[*shape]*memBinding // nil as long as last is the only one
	last  *memBinding
	warm  uint64
}

// memBinding is a scan's filter and selection bound to one shape.
type memBinding struct {
	of     *engine.Filter
	shape  *shape
	filter engine.Bound
	names  []string
	all    bool
	reads  []int // where the values are that are looked at

	projection engine.Projection
}

// scan is Engine.Scan, by a root that is held for it.
func (r *memRoot) scan(s engine.Scan) *memCursor {
	c := &memCursor{cursor: cursor{scan: s, tally: newTally(r.m.limits, s)}, root: r}
	c.source = c
	if r.m.closed.Load() {
		return c.fail(errClosed())
	}
	if err := r.m.limits.CheckScan(&s); err != nil {
		return c.fail(err)
	}
	c.last = boundBefore(&s)
	t := r.table(s.Table)
	if t == nil {
		c.tally.flush()
		return c.fail(errNoTable(s.Table))
	}
	if s.AllPartitions {
		c.partitions.Seek(&r.state(t).tree, s.FromPartition)
	} else if p := r.partition(t, s.PartitionKey); p != nil {
		c.startRows(p, s.From, s.To)
	}
	return c
}

// fail has the cursor give nothing but an error.
func (c *memCursor) fail(err error) *memCursor {
	c.err = err
	c.drop()
	return c
}

func (c *memCursor) startRows(p *memPartition, from, to string) {
	c.key, c.to = p.key, to
	c.rows.Seek(&p.rows, from)
}

// next gives the next rows of the range that lie together, at least one and at most so many; none at its end.
func (c *memCursor) next(most int) (keys []string, entities []*memEntity) {
	for {
		for c.rows.More() {
			keys, entities = c.rows.Take(c.to, most)
			if len(keys) > 0 {
				return keys, entities
			}
			c.rows = treeWalk[memEntity]{}
		}
		if !c.partitions.More() {
			return nil, nil
		}
		p := c.partitions.Value()
		if c.scan.ToPartition != "" && p.key >= c.scan.ToPartition {
			c.partitions = treeWalk[memPartition]{}
			return nil, nil
		}
		c.startRows(p, "", "")
		c.partitions.Skip(1)
	}
}

// walk implements source.
func (c *memCursor) walk(ctx context.Context, size int) error {
	if c.root.m.closed.Load() {
		return errClosed()
	}
	for len(c.chunk) < size {
		keys, entities := c.next(size - len(c.chunk))
		if len(keys) == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c.tally.walked(len(keys))
		c.touch(entities)
		for i, e := range entities {
			b := c.binding(e.shape)
			if !b.filter.Match(c.key, keys[i], e.timestamp, e.values) {
				continue
			}
			c.chunk = append(c.chunk, engine.Entity{
				PartitionKey: c.key, RowKey: keys[i], ETag: e.etag, Timestamp: e.timestamp,
				Names: b.names, Values: c.project(b, e.values),
			})
		}
	}
	return nil
}

// touch reads what is about to be looked at. Each entity lies in memory of its own: asked for in a row, with nothing done between,
// they come at once, where one after the other each would be waited for.
func (c *memCursor) touch(entities []*memEntity) {
	warm := c.warm
	for _, e := range entities {
		if b := c.last; b != nil && b.shape == e.shape {
			for _, slot := range b.reads {
				warm += uint64(e.values[slot].Type)
			}
		}
	}
	c.warm = warm
}

// project selects the values of one entity.
func (c *memCursor) project(b *memBinding, values []engine.Value) []engine.Value {
	if b.all {
		return values
	}
	c.reserve(len(b.names))
	values, c.values = b.projection.Append(c.values, values)
	return values
}

// binding gives the scan's filter and selection for entities of a shape.
func (c *memCursor) binding(s *shape) *memBinding {
	if c.last != nil && c.last.shape == s {
		return c.last
	}
	b := c.bound[s]
	if b == nil {
		b = &memBinding{of: c.scan.Filter, shape: s, filter: c.scan.Filter.Bind(s.names), names: s.names, all: c.scan.Select == nil}
		b.reads = b.filter.AppendSlots(nil)
		for i := 0; b.all && i < len(s.names); i += 2 { // two of them are what a line of memory holds
			b.reads = append(b.reads, i)
		}
		if !b.all {
			b.names, b.projection = c.scan.Select, engine.Project(s.names, c.scan.Select)
			b.reads = b.projection.AppendSlots(b.reads)
		}
		if c.last != nil {
			if c.bound == nil {
				c.bound = map[*shape]*memBinding{c.last.shape: c.last}
			}
			c.bound[s] = b
		}
	}
	c.last = b
	return b
}

// boundBefore gives the binding of the scan that had the room before, where that has the same filter and selection.
func boundBefore(s *engine.Scan) *memBinding {
	if s.Room == nil {
		return nil
	}
	b, _ := s.Room.Bound.(*memBinding)
	if b == nil || b.of != s.Filter || b.all != (s.Select == nil) || !b.all && !slices.Equal(b.names, s.Select) {
		return nil
	}
	return b
}

// drop implements source.
func (c *memCursor) drop() {
	if c.scan.Room != nil && c.last != nil {
		c.scan.Room.Bound = c.last
	}
	c.partitions, c.rows = treeWalk[memPartition]{}, treeWalk[memEntity]{}
	c.bound, c.last = nil, nil
	if c.root != nil {
		c.root.holders.Add(-1)
		c.root = nil
	}
}
