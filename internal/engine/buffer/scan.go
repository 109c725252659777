package buffer

import (
	"context"
	"io"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// get reads an entity, and pins nothing.
func (v View) get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	b := v.b
	b.mu.Lock()
	e := v.tree(g.Table).find(g.PartitionKey, g.RowKey)
	b.mu.Unlock()
	switch {
	case e == nil:
		return b.read(ctx, v.on, g)
	case !e.exists():
		return engine.Entity{}, errGone(g.Table, e)
	case e.op == engine.Merge:
		stored, err := b.read(ctx, v.on, g)
		if err != nil {
			return engine.Entity{}, err
		}
		return e.over(stored, g.Select), nil
	}
	return e.entity(g.Select), nil
}

// scan walks a range, and pins nothing.
func (v View) scan(ctx context.Context, s engine.Scan) engine.Cursor {
	b := v.b
	entries := v.inRange(&s)
	if len(entries) == 0 {
		return b.walk(ctx, v.on, s)
	}
	c := &cursor{view: v, scan: s, entries: entries, left: -1, sorted: b.limits.SortedByKey}
	if s.Limit > 0 {
		// Each entry may replace a stored entity that counts, so that many more are needed.
		c.left = s.Limit
		s.Limit += len(entries)
	}
	c.stored = b.walk(ctx, v.on, s)
	return c
}

// inRange gives the entries in the range of a scan, in order.
func (v View) inRange(s *engine.Scan) []*entry {
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	t := v.tree(s.Table)
	if t == nil {
		return nil
	}
	var entries []*entry
	from := entry{partitionKey: s.PartitionKey, rowKey: s.From}
	if s.AllPartitions {
		from = entry{partitionKey: s.FromPartition}
	}
	t.entries.Ascend(&from, func(e *entry) bool {
		if s.AllPartitions {
			if s.ToPartition != "" && e.partitionKey >= s.ToPartition {
				return false
			}
		} else if e.partitionKey != s.PartitionKey || s.To != "" && e.rowKey >= s.To {
			return false
		}
		entries = append(entries, e)
		return true
	})
	return entries
}

// cursor merges the stored entities of a scan with the transaction's entries.
type cursor struct {
	view    View
	scan    engine.Scan
	stored  engine.Cursor
	entries []*entry // of the range, in order
	next    int      // entries before it have been given, if they are given in order
	left    int      // entities still wanted, or -1
	sorted  bool     // the store gives entities in order
	ended   bool     // the store has no more
	err     error
	chunk   []engine.Entity
}

// Next implements engine.Cursor.
func (c *cursor) Next(ctx context.Context) ([]engine.Entity, error) {
	for c.err == nil {
		c.chunk = c.chunk[:0]
		if c.err = c.fill(ctx); c.err == nil && len(c.chunk) > 0 {
			return c.chunk, nil
		}
	}
	err := c.err
	c.Close()
	c.err = err
	return nil, err
}

// fill puts a chunk of the store, merged with the entries up to its end, into the chunk.
func (c *cursor) fill(ctx context.Context) error {
	if c.left == 0 || c.ended {
		return io.EOF
	}
	stored, err := c.stored.Next(ctx)
	if err == io.EOF {
		c.ended = true
		return c.own(ctx, len(c.entries))
	}
	if err != nil {
		return err
	}
	for i := range stored {
		e := &stored[i]
		at, found := c.search(e)
		if c.sorted {
			if err := c.own(ctx, at); err != nil {
				return err
			}
		}
		switch {
		case !found:
			c.give(*e)
		case c.laidOver(c.entries[at]):
			c.give(c.entries[at].over(*e, c.scan.Select))
		}
	}
	return nil
}

// search finds the entry of a stored entity, or the position where it would be. It does not rely on the order of the two lists alone, so that a
// store with an order of its own gives no entity twice.
func (c *cursor) search(e *engine.Entity) (at int, found bool) {
	low, high := 0, len(c.entries)
	for low < high {
		mid := (low + high) / 2
		if m := c.entries[mid]; m.partitionKey < e.PartitionKey || m.partitionKey == e.PartitionKey && m.rowKey < e.RowKey {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < len(c.entries) && c.entries[low].partitionKey == e.PartitionKey && c.entries[low].rowKey == e.RowKey
}

// laidOver says whether an entry is laid over the entity that the store gives. With a filter that is possible only if the entry changes nothing:
// the store filters by what the entity was before.
func (c *cursor) laidOver(e *entry) bool {
	return e.op == engine.Merge && (c.scan.Filter == nil || len(e.names) == 0)
}

// own gives the entries before end that are not given together with what is stored.
func (c *cursor) own(ctx context.Context, end int) error {
	for ; c.next < end && c.left != 0; c.next++ {
		e := c.entries[c.next]
		if !e.exists() || c.laidOver(e) {
			continue
		}
		whole := e.entity(nil)
		if e.op == engine.Merge {
			stored, err := c.view.b.read(ctx, c.view.on, engine.Get{Table: c.scan.Table, PartitionKey: e.partitionKey, RowKey: e.rowKey, Meter: c.scan.Meter})
			if isAbsent(err) {
				continue // deleted by another; Commit will find out
			}
			if err != nil {
				return err
			}
			whole = e.over(stored, nil)
		}
		if !c.scan.Filter.Match(&whole) {
			continue
		}
		if c.scan.Select != nil {
			whole.Names, whole.Values = c.scan.Select, engine.Gather(whole.Names, whole.Values, c.scan.Select)
		}
		c.give(whole)
	}
	return nil
}

// give adds an entity to the chunk, unless the limit is reached.
func (c *cursor) give(e engine.Entity) {
	if c.left == 0 {
		return
	}
	if c.left > 0 {
		c.left--
	}
	c.chunk = append(c.chunk, e)
}

// Close implements engine.Cursor.
func (c *cursor) Close() error {
	if c.err == nil {
		c.err = io.EOF
	}
	c.chunk, c.entries = nil, nil
	return c.stored.Close()
}
