package embedded

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memCursor walks a table of a root, which it holds.
type memCursor struct {
	cursor
	root  *memRoot // nil once released
	table *memTable

	partitions treeWalk[memPartition] // stands on a partition not walked yet
	key        string                 // the partition being walked
	to         string                 // where its range ends; "": no bound
	rows       treeWalk[memRecord]    // stands on a row not looked at yet

	bound map[uint32]*memBinding // by the shapes' numbers; nil while last is the only one
	last  *memBinding
	warm  uint64
}

// memBinding is a scan's filter and selection bound to one shape.
type memBinding struct {
	of       *engine.Filter
	table    *memTable
	shape    *shape
	filter   engine.Bound
	filtered []int          // the slots that the filter looks at
	values   []engine.Value // of those
	names    []string
	all      bool
	selected []int // the slots of names; -1: absent
	reads    []int // the slots that are looked at
	texts    []int // those among reads whose texts are given with every record
}

// scan is Engine.Scan, on a root that is held for it.
func (r *memRoot) scan(s engine.Scan) *memCursor {
	c := cursorOf(s.Room)
	before := c.last
	*c = memCursor{cursor: cursor{source: c, scan: s, tally: newTally(r.m.limits, s)}, root: r}
	if r.m.closed.Load() {
		return c.fail(errClosed())
	}
	if err := r.m.limits.CheckScan(&s); err != nil {
		return c.fail(err)
	}
	t := r.table(s.Table)
	if t == nil {
		c.tally.flush()
		return c.fail(errNoTable(s.Table))
	}
	if c.table = t; before.isOf(&s, t) {
		c.last = before
	}
	if s.AllPartitions {
		c.partitions.Seek(&r.state(t).tree, s.FromPartition)
	} else if p := r.partition(t, s.PartitionKey); p != nil {
		c.startRows(p, s.From, s.To)
	}
	return c
}

// fail makes the cursor give nothing but an error.
func (c *memCursor) fail(err error) *memCursor {
	c.err = err
	c.drop()
	return c
}

func (c *memCursor) startRows(p *memPartition, from, to string) {
	c.key, c.to = p.key, to
	c.rows.Seek(&p.rows, from)
}

// next gives the next rows of the range that lie together, at least one and at most so many; none at the end of the range.
func (c *memCursor) next(most int) (keys []string, records []*memRecord) {
	for {
		for c.rows.More() {
			keys, records = c.rows.Take(c.to, most)
			if len(keys) > 0 {
				return keys, records
			}
			c.rows = treeWalk[memRecord]{}
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
		keys, records := c.next(size - len(c.chunk))
		if len(keys) == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c.tally.walked(len(keys))
		c.touch(records)
		for i, r := range records {
			b := c.last
			if b == nil || b.shape.number != r.shape {
				b = c.binding(r.shape)
			}
			for _, slot := range b.filtered {
				b.values[slot] = r.value(b.shape, slot)
			}
			if !b.filter.Match(c.key, keys[i], r.timestamp, b.values) {
				continue
			}
			c.chunk = append(c.chunk, engine.Entity{
				PartitionKey: c.key, RowKey: keys[i], ETag: r.etag(), Timestamp: r.timestamp,
				Names: b.names, Values: c.project(b, r),
			})
		}
	}
	return nil
}

// touch reads what is about to be looked at. Each record lies in memory of its own: requested in a row, with nothing done in between, they
// arrive at once, while one at a time each would be waited for. The texts come after that, because only the slots tell where they are.
func (c *memCursor) touch(records []*memRecord) {
	b := c.last
	if b == nil {
		return
	}
	warm := c.warm
	for _, r := range records {
		if b.shape.number == r.shape {
			for _, slot := range b.reads {
				warm += *r.slot(slot)
			}
		}
	}
	for _, r := range records {
		if b.shape.number == r.shape {
			for _, slot := range b.texts {
				warm += uint64(r.octet(slot))
			}
		}
	}
	c.warm = warm
}

// project selects the values of one record.
func (c *memCursor) project(b *memBinding, r *memRecord) []engine.Value {
	c.reserve(len(b.selected))
	at := len(c.values)
	for _, slot := range b.selected {
		c.values = append(c.values, r.value(b.shape, slot))
	}
	return c.values[at:len(c.values):len(c.values)]
}

// binding gives the scan's filter and selection for records of a shape.
func (c *memCursor) binding(number uint32) *memBinding {
	b := c.bound[number]
	if b == nil {
		b = c.bind(c.table.shapeNumber(number))
		if c.last != nil {
			if c.bound == nil {
				c.bound = map[uint32]*memBinding{c.last.shape.number: c.last}
			}
			c.bound[number] = b
		}
	}
	c.last = b
	return b
}

func (c *memCursor) bind(s *shape) *memBinding {
	b := &memBinding{of: c.scan.Filter, table: c.table, shape: s, filter: c.scan.Filter.Bind(s.names), names: c.scan.Select}
	if b.all = b.names == nil; b.all {
		b.names = s.names
	}
	if b.filtered = b.filter.AppendSlots(nil); len(b.filtered) > 0 {
		if c.last != nil && cap(c.last.values) >= len(s.names) {
			b.values = c.last.values[:len(s.names)] // one record is matched at a time
		} else {
			b.values = make([]engine.Value, len(s.names))
		}
	}
	b.selected, b.reads = s.slots(b.names), slices.Clone(b.filtered)
	for _, slot := range b.selected {
		if slot >= 0 && (slot%8 == 0 || !b.all) { // a cache line holds eight of them
			b.reads = append(b.reads, slot)
		}
		if slot >= 0 && s.types[slot].Text() && len(b.filtered) == 0 {
			b.texts = append(b.texts, slot)
		}
	}
	return b
}

// isOf says whether b belongs to a scan of a table with the same filter and selection; nil does not.
func (b *memBinding) isOf(s *engine.Scan, t *memTable) bool {
	return b != nil && b.table == t && b.of == s.Filter && b.all == (s.Select == nil) && (b.all || slices.Equal(b.names, s.Select))
}

// cursorOf gives a cursor: that of the previous scan with this room, if there is one, else a new one.
func cursorOf(room *engine.Room) *memCursor {
	if room != nil {
		if c, ok := room.Before.(*memCursor); ok {
			return c
		}
	}
	return new(memCursor)
}

// drop implements source.
func (c *memCursor) drop() {
	if c.root != nil {
		c.root.holders.Add(-1)
	}
	room := c.scan.Room
	*c = memCursor{cursor: cursor{source: c, err: c.err}, last: c.last} // the cursor is kept for long, and must keep nothing of the scan
	if room != nil {
		room.Before = c
	}
}
