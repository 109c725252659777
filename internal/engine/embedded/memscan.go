package embedded

import (
	"context"

	"github.com/tidwall/btree"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// ctxEvery is after how many entities without a match a walk looks at its context again.
const ctxEvery = 1024

// memCursor walks a snapshot of a table.
type memCursor struct {
	cursor
	m *Memory

	more       bool // partitions stands on a partition not walked yet
	partitions btree.MapIter[string, *memPartition]
	key        string // the partition being walked
	inRows     bool   // rows stands on a row not looked at yet
	rows       btree.MapIter[string, *memEntity]
	tree       *memRows // of rows
	passed     int      // rows of it
	bounded    bool     // end is what tells the end of the range
	end        *memEntity

	bound map[*shape]*memBinding
	last  *memBinding
}

// memBinding is a scan's filter and selection bound to one shape.
type memBinding struct {
	shape  *shape
	filter engine.Bound
	names  []string
	all    bool

	projection engine.Projection
}

// Scan implements engine.Engine.
func (m *Memory) Scan(ctx context.Context, s engine.Scan) engine.Cursor {
	return m.root.Load().Scan(ctx, s)
}

// Scan implements engine.Moment.
func (r *memRoot) Scan(_ context.Context, s engine.Scan) engine.Cursor {
	m := r.m
	c := &memCursor{cursor: cursor{scan: s, tally: newTally(m.limits, s)}, m: m}
	c.source = c
	if m.closed.Load() {
		c.err = errClosed()
		return c
	}
	if c.err = m.limits.CheckScan(&s); c.err != nil {
		return c
	}
	t := r.table(s.Table)
	if t == nil {
		c.tally.flush()
		c.err = errNoTable(s.Table)
		return c
	}
	partitions := r.state(t)
	if s.AllPartitions {
		c.partitions = partitions.Iter()
		c.more = c.partitions.Seek(s.FromPartition)
	} else if p, ok := partitions.Get(s.PartitionKey); ok {
		c.startRows(p, s.From)
	}
	return c
}

func (c *memCursor) startRows(p *memPartition, from string) {
	c.key, c.tree = p.key, p.rows
	c.rows = p.rows.Iter()
	c.inRows = c.rows.Seek(from)
}

// row gives the next row of the range; e is nil at its end.
func (c *memCursor) row() (rowKey string, e *memEntity) {
	for !c.inRows {
		if !c.more {
			return "", nil
		}
		p := c.partitions.Value()
		if c.scan.ToPartition != "" && p.key >= c.scan.ToPartition {
			c.more = false
			return "", nil
		}
		c.startRows(p, "")
		c.more = c.partitions.Next()
	}
	rowKey, e = c.rows.Key(), c.rows.Value()
	if c.scan.To != "" && !c.scan.AllPartitions && c.isEnd(rowKey, e) {
		c.inRows = false
		return "", nil
	}
	c.inRows = c.rows.Next()
	return rowKey, e
}

// boundAfter is after how many rows a walk looks for the end of its range: then it need not look at each key, which lies in memory
// of its own.
const boundAfter = 64

// isEnd says whether the range ends before a row.
func (c *memCursor) isEnd(rowKey string, e *memEntity) bool {
	if c.bounded {
		return e == c.end
	}
	if c.passed++; c.passed == boundAfter {
		c.bounded = true
		if i, more := seek(c.tree, c.scan.To); more {
			c.end = i.Value()
		}
	}
	return rowKey >= c.scan.To
}

// walk implements source.
func (c *memCursor) walk(ctx context.Context, size int) error {
	if c.m.closed.Load() {
		return errClosed()
	}
	for len(c.chunk) < size {
		rowKey, e := c.row()
		if e == nil {
			break
		}
		if c.tally.walked()%ctxEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		b := c.last
		if b == nil || b.shape != e.shape {
			b = c.bind(e.shape)
		}
		if !b.filter.Match(c.key, rowKey, e.timestamp, e.values) {
			continue
		}
		c.chunk = append(c.chunk, engine.Entity{
			PartitionKey: c.key, RowKey: rowKey, ETag: e.etag, Timestamp: e.timestamp,
			Names: b.names, Values: c.project(b, e.values),
		})
	}
	return nil
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

func (c *memCursor) bind(s *shape) *memBinding {
	b := c.bound[s]
	if b == nil {
		b = &memBinding{shape: s, filter: c.scan.Filter.Bind(s.names), names: s.names, all: c.scan.Select == nil}
		if !b.all {
			b.names, b.projection = c.scan.Select, engine.Project(s.names, c.scan.Select)
		}
		if c.bound == nil {
			c.bound = map[*shape]*memBinding{}
		}
		c.bound[s] = b
	}
	c.last = b
	return b
}

// drop implements source.
func (c *memCursor) drop() {
	c.more, c.inRows = false, false
	c.partitions, c.rows = btree.MapIter[string, *memPartition]{}, btree.MapIter[string, *memEntity]{}
	c.bound, c.last, c.tree, c.end = nil, nil, nil, nil
}
