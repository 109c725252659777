package embedded

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// walkAtOnce is how many entities without a match a walk passes before it checks its context again.
const walkAtOnce = 8192

// fileCursor walks a table.
type fileCursor struct {
	cursor
	on    viewer
	table *fileTable

	from, to []byte // of keys; to is empty for no bound
	ended    bool
	key      string // the partition of the last entity

	ahead, bodies readAhead // of its own pages, and of those where the bodies are

	reader *recordReader
	want   int // how many of the reader's values were asked for; the rest is for the filter
	arena  arena
}

// scan makes the cursor of a scan of one of these tables.
func (v viewer) scan(s engine.Scan, tables fileTables) engine.Cursor {
	f := v.file
	c := &fileCursor{cursor: cursor{scan: s, tally: newTally(f.limits, s)}, on: v}
	c.source = c
	if f.closed.Load() {
		c.err = errClosed()
		return c
	}
	if c.err = f.limits.CheckScan(&s); c.err != nil {
		return c
	}
	if c.table = tables.named(s.Table); c.table == nil {
		c.tally.flush()
		c.err = errNoTable(s.Table)
		return c
	}
	c.from, c.to = rangeOf(&s)
	if !s.AllPartitions {
		c.key = strings.Clone(s.PartitionKey)
	}
	want := s.Select
	if want != nil {
		want = filterProperties(want[:len(want):len(want)], s.Filter)
		c.want = len(s.Select)
	}
	c.reader = newRecordReader(c.table.dict, want, s.Filter)
	return c
}

// rangeOf gives the bounds of a scan's keys.
func rangeOf(s *engine.Scan) (from, to []byte) {
	switch {
	case s.AllPartitions && s.ToPartition != "":
		to = appendPartitionBound(nil, s.ToPartition)
		fallthrough
	case s.AllPartitions:
		return appendPartitionBound(nil, s.FromPartition), to
	case s.To != "":
		return appendKey(nil, s.PartitionKey, s.From), appendKey(nil, s.PartitionKey, s.To)
	}
	return appendKey(nil, s.PartitionKey, s.From), append([]byte(s.PartitionKey), 1)
}

// appendPartitionBound makes the key that separates the partitions below p from the others. No partition's key holds a zero byte: if p has one,
// the part before it is a partition below p.
func appendPartitionBound(dst []byte, p string) []byte {
	if i := strings.IndexByte(p, 0); i >= 0 {
		return append(append(dst, p[:i]...), 1)
	}
	return append(append(dst, p...), 0)
}

// filterProperties appends the properties that f compares and that are not in names.
func filterProperties(names []string, f *engine.Filter) []string {
	if f == nil {
		return names
	}
	for _, kid := range f.Kids {
		names = filterProperties(names, kid)
	}
	if f.Op != engine.And && f.Op != engine.Or {
		if slot, _ := engine.FindName(names, f.Property, 0); slot < 0 {
			names = append(names, f.Property)
		}
	}
	return names
}

// walk implements source.
func (c *fileCursor) walk(ctx context.Context, size int) error {
	for len(c.chunk) == 0 && !c.ended {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.on.file.closed.Load() {
			return errClosed()
		}
		if err := c.on.view(c.table, func(s *fileState) error { return c.walkOn(s, size) }); err != nil {
			return err
		}
	}
	return nil
}

// walkOn walks until the chunk has size entities.
func (c *fileCursor) walkOn(s *fileState, size int) error {
	in := c.table.in(s)
	if in.entities == nil {
		return errNoTable(c.scan.Table) // deleted meanwhile
	}
	cursor := in.entities.Cursor()
	cursor.ahead, in.finder = &c.ahead, &finder{bucket: in.entities, ahead: &c.bodies}
	walked := 0
	for key, record := cursor.Seek(c.from); ; key, record = cursor.Next() {
		if key == nil || len(c.to) > 0 && bytes.Compare(key, c.to) >= 0 {
			c.ended = true
			return nil
		}
		if walked == walkAtOnce || len(c.chunk) == size {
			c.from = append(c.from[:0], key...)
			return nil
		}
		walked++
		c.tally.walked(1)
		if err := c.look(in, key, record); err != nil {
			return err
		}
	}
}

// look adds an entity to the chunk if it passes. It copies nothing of one that does not.
func (c *fileCursor) look(in tableIn, key, record []byte) error {
	r := c.reader
	if err := r.read(in, key, record); err != nil {
		return err
	}
	zero := len(c.key)
	if c.scan.AllPartitions {
		if zero = bytes.IndexByte(key, 0); zero < 0 {
			return errKey
		}
	}
	partitionKey, rowKey := view(key[:zero]), view(key[zero+1:])
	if !r.bound.Match(partitionKey, rowKey, r.ticks, r.values) {
		return nil
	}
	if c.key != partitionKey {
		c.key = c.arena.copy(partitionKey)
	}
	e := engine.Entity{
		PartitionKey: c.key, RowKey: c.arena.copy(rowKey), ETag: c.arena.etag(r.version), Timestamp: r.ticks,
		Names: r.names, Values: r.values,
	}
	if c.scan.Select != nil {
		e.Names, e.Values = c.scan.Select, r.values[:c.want]
	}
	e.Values = c.hold(e.Values)
	c.arena.keep(e.Values)
	c.chunk = append(c.chunk, e)
	return nil
}

var (
	errKey    = errors.New("an entity with a damaged key")
	errOrder  = errors.New("an entity out of order")
	errAstray = errors.New("an entity that is not found by its key")
)

// hold copies values to where they stay valid until the next chunk.
func (c *fileCursor) hold(values []engine.Value) []engine.Value {
	c.reserve(len(values))
	at, end := len(c.values), len(c.values)+len(values)
	c.values = append(c.values, values...)
	return c.values[at:end:end]
}

// drop implements source.
func (c *fileCursor) drop() { c.ended, c.reader = true, nil }
