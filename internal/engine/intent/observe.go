package intent

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// observation is the reads of a transaction, with what they gave: an engine.Moment that is not a snapshot.
type observation struct {
	store *Store

	mu     sync.Mutex
	points map[point]string // versions; "" if there was no entity
	ranges []*rangeRead
	pages  int64 // requests, or more
}

type point struct{ table, partitionKey, rowKey string }

// rangeRead is a range, how far it was read, and what the read gave.
type rangeRead struct {
	engine.Walked
	sum     uint64
	pending uint64 // sum, and what the cursor has seen since, which it may not have given yet
}

// Moment implements engine.Transactor. Each read of the moment shows the store as it is at that read.
func (s *Store) Moment() engine.Moment {
	return &observation{store: s, points: map[point]string{}}
}

// Begin implements engine.Moment.
func (o *observation) Begin() error { return nil }

// Release implements engine.Moment.
func (o *observation) Release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.points, o.ranges = nil, nil
}

// Get implements engine.Reader.
func (o *observation) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if g.Meter == nil {
		g.Meter = &engine.Meter{}
	}
	before := g.Meter.Requests.Load()
	e, version, err := o.store.get(ctx, g, asReader, "")
	if err == nil || isCode(err, engine.CodeNotFound) {
		o.mu.Lock()
		defer o.mu.Unlock()
		p := point{g.Table, g.PartitionKey, g.RowKey}
		if _, known := o.points[p]; !known && o.points != nil {
			o.points[p] = version // the first one counts: validation finds that the entity has changed since
		}
		o.pages += max(1, g.Meter.Requests.Load()-before) // a record may have been looked for
	}
	return e, err
}

// Absent notes that an entity was not there, like a Get that does not find it.
func (o *observation) Absent(table, partitionKey, rowKey string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := point{table, partitionKey, rowKey}
	if _, known := o.points[p]; !known && o.points != nil {
		o.points[p] = ""
	}
	o.pages++
}

// Scan implements engine.Reader.
func (o *observation) Scan(ctx context.Context, scan engine.Scan) engine.Cursor {
	if scan.Meter == nil {
		scan.Meter = &engine.Meter{}
	}
	r := &rangeRead{Walked: engine.Walked{Scan: scan}}
	o.mu.Lock()
	o.ranges = append(o.ranges, r)
	o.mu.Unlock()
	c := o.store.scan(ctx, scan, asOf(scan))
	c.seen = func(partitionKey, rowKey, version string) { r.pending += digest(partitionKey, rowKey, version) }
	return &observing{cursor: c, of: o, read: r, counted: scan.Meter.Requests.Load()}
}

var seed = maphash.MakeSeed()

// digest is the digest of an entity. The digests of a range are added up, because stores may sort differently.
func digest(partitionKey, rowKey, version string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(partitionKey)
	h.WriteByte(0)
	h.WriteString(rowKey)
	h.WriteByte(0)
	h.WriteString(version)
	return h.Sum64()
}

// observing notes how far a range is read.
type observing struct {
	*cursor
	of      *observation
	read    *rangeRead
	counted int64 // requests, by the scan's Meter
}

func (c *observing) Next(ctx context.Context) ([]engine.Entity, error) {
	c.read.pending = c.read.sum
	chunk, err := c.cursor.Next(ctx)
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	requests := c.read.Scan.Meter.Requests.Load() // pages may be empty
	c.of.pages, c.counted = c.of.pages+requests-c.counted, requests
	switch {
	case errors.Is(err, io.EOF):
		c.read.Whole = !c.limited || c.left > 0
	case err == nil:
		c.read.Upto(&chunk[len(chunk)-1])
		c.read.sum = c.read.pending
	}
	return chunk, err
}

// isOne says whether one request read everything. That is not so if an intent was met: see validate.
func (o *observation) isOne() bool { return o.pages <= 1 }

// cover gives the reads that the transaction's own conditions do not cover; nil if none are left. If there is room, it pins entities that were
// read in the partition of a transaction's only group.
func (x *transaction) cover(o *observation) *observation {
	if o == nil {
		return nil
	}
	left := &observation{store: o.store, points: map[point]string{}, ranges: o.ranges, pages: o.pages}
	operations := map[point]*engine.Op{}
	var pins []operation // added after the loop: operations has pointers into the group
	for _, g := range x.groups {
		for i := range g.ops {
			op := &g.ops[i].Op
			operations[point{g.table, g.partition, op.Entity.RowKey}] = op
		}
	}
	for p, version := range o.points {
		switch op := operations[p]; {
		case op != nil && covers(op, version):
		case op == nil && version != "" && !isSeen(version) && len(x.groups) == 1 && x.groups[0].takes(p, len(pins)):
			pins = append(pins, operation{at: x.operated, Op: engine.Op{Kind: engine.Merge, IfMatch: version,
				Entity: engine.Entity{PartitionKey: p.partitionKey, RowKey: p.rowKey}}})
		default:
			left.points[p] = version
		}
	}
	if len(pins) > 0 {
		x.groups[0].ops = append(x.groups[0].ops, pins...)
	}
	if len(left.points) == 0 && len(left.ranges) == 0 {
		return nil
	}
	return left
}

// covers says whether an operation fails if its entity does not have the version that was read. An operation without a condition gets this one.
func covers(op *engine.Op, version string) bool {
	if op.Kind == engine.Insert {
		return version == ""
	}
	if op.IfMatch == "" && version != "" {
		if op.IfMatch = version; op.Kind == engine.Upsert {
			op.Kind = engine.Replace
		}
	}
	return op.IfMatch == version
}

// takes says whether the group has room for a pin of an entity that it does not write, next to others.
func (g *group) takes(p point, beside int) bool {
	return len(g.ops)+beside < groupOps && g.table == p.table && g.partition == p.partitionKey
}

// validate reads again what was read, and checks what is required. An undecided transaction of others is a conflict, but a transaction that only
// reads waits for it, since it holds nothing: the other one may have validated before a third overwrote what both have read, and this one has
// read the new content. The other one then comes before the third, though it is decided later.
func (x *transaction) validate(ctx context.Context) error {
	as := asValidator
	if len(x.groups) == 0 {
		as = asWriter
	}
	var all []func(ctx context.Context) error
	if x.since != nil {
		for p, version := range x.since.points {
			all = append(all, func(ctx context.Context) error { return x.validatePoint(ctx, p, version, as) })
		}
		for _, r := range x.since.ranges {
			all = append(all, func(ctx context.Context) error { return r.validate(ctx, x, as) })
		}
	}
	needs, err := x.needs(ctx)
	if err != nil {
		return err
	}
	unmet := make([]bool, len(needs))
	for i := range needs {
		all = append(all, func(ctx context.Context) (err error) {
			unmet[i], err = x.isUnmet(ctx, &needs[i], as)
			return err
		})
	}
	err = engine.SideBySide(ctx, x.store.parallel, len(all), func(ctx context.Context, i int) error {
		if err := x.beat(ctx); err != nil {
			return err
		}
		return all[i](ctx)
	})
	if i := slices.Index(unmet, true); err == nil && i >= 0 {
		return needs[i].Unmet()
	}
	return err
}

func (x *transaction) validatePoint(ctx context.Context, p point, version string, as reading) error {
	if version == "" {
		r := rangeRead{Walked: engine.Walked{Scan: engine.Point(p.table, p.partitionKey, p.rowKey), Whole: true}}
		return r.validate(ctx, x, as)
	}
	_, is, err := x.store.get(ctx, engine.Get{Table: p.table, PartitionKey: p.partitionKey, RowKey: p.rowKey, Select: []string{}, Meter: x.meter}, as, x.id)
	if err != nil && !isCode(err, engine.CodeNotFound) {
		return err
	}
	if o := x.touched[p]; o != nil {
		version = cmp.Or(o.etag, is) // the store may not have given the ETag that the touch made
	}
	if is != version {
		return engine.StaleRead(p.table, p.partitionKey, p.rowKey)
	}
	return nil
}

func (r *rangeRead) validate(ctx context.Context, x *transaction, as reading) error {
	var sum uint64
	for _, scan := range r.Scans() {
		scan.Select, scan.Meter = []string{}, x.meter
		c := x.store.scan(ctx, scan, as)
		c.self = x.id
		c.seen = func(partitionKey, rowKey, version string) { sum += digest(partitionKey, rowKey, version) }
		for {
			if _, err := c.Next(ctx); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				c.Close()
				return err
			}
		}
		c.Close()
	}
	if sum != r.sum {
		return engine.StaleRead(r.Scan.Table, r.Scan.PartitionKey, r.Scan.From)
	}
	return nil
}
