package intent

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Scan implements engine.Engine. Each transaction whose intents are met costs a request; if it was committed just then, the page is read again.
func (s *Store) Scan(ctx context.Context, scan engine.Scan) engine.Cursor {
	return s.scan(ctx, scan, asOf(scan))
}

func asOf(scan engine.Scan) reading {
	if scan.Decided {
		return asWriter
	}
	return asReader
}

func (s *Store) scan(ctx context.Context, scan engine.Scan, as reading) *cursor {
	c := &cursor{store: s, ctx: ctx, strange: !s.holds(scan.Table), as: as, sel: scan.Select, limited: scan.Limit > 0, left: scan.Limit}
	if as != asReader && !c.strange && !scan.AllPartitions {
		c.to, scan.To = scan.To, withGuard(scan.To)
	}
	c.rest = []engine.Scan{scan}
	return c
}

// cursor reads the entities of an engine, and gives what a reader sees.
type cursor struct {
	store   *Store
	ctx     context.Context // of Scan
	as      reading
	self    string // whose intents are not seen
	strange bool   // the table bears no intents
	sel     []string
	to      string // where the range ends: a guard behind it is looked for, too
	limited bool
	left    int // entities that are still wanted, if there is a limit

	rest  []engine.Scan // what is not read to its end; inner has given a part of the first
	inner engine.Cursor // reads the first of rest; nil: it has not begun
	asked uint64        // when the page that inner gives next was asked for, at the earliest, by the clock of Store.known
	since time.Time     // the same
	wants int           // the limit of inner; 0: none
	got   int           // what inner has given
	last  *access       // the last keys that inner has given; nil: none yet
	open  []string      // transactions in this page that are not committed
	chunk []engine.Entity
	err   error

	// seen is called for each entity that a reader sees; may be nil.
	seen func(partitionKey, rowKey, version string)
}

// access holds the keys of an entity.
type access struct{ partitionKey, rowKey string }

// marked matches the entities that bear a marker.
var marked = engine.Filter{Op: engine.Gt, Property: markerProperty, Value: text("")}

// Next implements engine.Cursor.
func (c *cursor) Next(ctx context.Context) ([]engine.Entity, error) {
	for c.err == nil {
		if err := c.page(ctx); err != nil {
			c.fail(err)
		} else if len(c.chunk) > 0 {
			return c.chunk, nil
		}
	}
	return nil, c.err
}

func (c *cursor) fail(err error) {
	c.Close()
	c.err = err
}

// Close implements engine.Cursor.
func (c *cursor) Close() error {
	if c.err == nil {
		c.err = engine.Errorf(engine.CodeClosed, "the cursor is closed")
	}
	c.chunk, c.rest = nil, nil
	return c.stop()
}

func (c *cursor) stop() error {
	if c.inner == nil {
		return nil
	}
	inner := c.inner
	c.inner = nil
	return inner.Close()
}

// begin starts to read the first of rest.
func (c *cursor) begin() {
	scan := c.rest[0]
	scan.Limit = 0
	if !c.strange {
		scan.Select, scan.Whole = selected(c.sel), true
	}
	if scan.Filter != nil && !c.strange {
		scan.Filter = &engine.Filter{Op: engine.Or, Kids: []*engine.Filter{scan.Filter, &marked}}
	}
	if c.limited {
		scan.Limit = c.left
	}
	c.wants, c.got, c.asked, c.since = scan.Limit, 0, c.store.known.now(), time.Now()
	c.inner = c.store.base.Scan(c.ctx, scan)
}

// again discards what is read ahead, and has everything after the last entity from inner read anew.
func (c *cursor) again() error {
	err := c.stop()
	if c.last == nil {
		return err
	}
	scan := c.rest[0]
	if !scan.AllPartitions {
		scan.From = c.last.rowKey + "\x00"
		c.rest[0] = scan
		return err
	}
	one := scan
	one.AllPartitions, one.FromPartition, one.ToPartition = false, "", ""
	one.PartitionKey, one.From, one.To = c.last.partitionKey, c.last.rowKey+"\x00", ""
	scan.FromPartition = c.last.partitionKey + "\x00"
	c.rest, c.last = append([]engine.Scan{one, scan}, c.rest[1:]...), nil
	return err
}

// page reads a page into the chunk. The chunk may stay empty even if there is more.
func (c *cursor) page(ctx context.Context) error {
	c.chunk = c.chunk[:0]
	if len(c.rest) == 0 || c.limited && c.left == 0 {
		return io.EOF
	}
	if c.inner == nil {
		c.begin()
	}
	asked, since := c.asked, c.since
	c.asked, c.since = c.store.known.now(), time.Now() // what is read ahead is asked for by this call
	entities, err := c.inner.Next(ctx)
	if errors.Is(err, io.EOF) {
		if c.wants > 0 && c.got >= c.wants {
			return c.again() // some of those were not seen by the reader
		}
		c.rest, c.last = c.rest[1:], nil
		return c.stop()
	}
	if err != nil {
		return err
	}
	fresh, err := c.lookUp(ctx, entities, asked)
	if err != nil {
		return err
	}
	if !fresh || len(c.open) > 0 && time.Since(since) > readersAge {
		return c.again()
	}
	left := c.left
	for i := range entities {
		if c.limited && c.left == 0 {
			break
		}
		if fresh, err = c.give(ctx, entities[i]); err != nil {
			return err
		}
		if !fresh {
			c.chunk, c.left = c.chunk[:0], left
			return c.again()
		}
	}
	c.got += len(entities)
	last := &entities[len(entities)-1]
	c.last = &access{last.PartitionKey, last.RowKey}
	return nil
}

// lookUp looks up the transactions whose intents are in a page. fresh is false if the page has to be read again.
func (c *cursor) lookUp(ctx context.Context, entities []engine.Entity, asked uint64) (fresh bool, err error) {
	if c.open, fresh = c.open[:0], true; c.strange {
		return true, nil
	}
	for i := range entities {
		m, err := markerOf(&entities[i], c.sel)
		if err != nil {
			return false, err
		}
		if m.id == "" || c.store.known.before(m.id, asked) || slices.Contains(c.open, m.id) {
			continue
		}
		is := undecided
		if m.id != c.self {
			if is, err = c.store.find(ctx, place{c.rest[0].Table, entities[i].PartitionKey, entities[i].RowKey}, &m, c.as, c.rest[0].Meter); err != nil {
				return false, err
			}
		}
		if is == committed || is == gone {
			fresh = false
		} else {
			c.open = append(c.open, m.id)
		}
	}
	return fresh, nil
}

// give adds an entity of a page to the chunk as a reader sees it. fresh is false if the entity has changed since the page was read.
func (c *cursor) give(ctx context.Context, e engine.Entity) (fresh bool, err error) {
	var m marker
	if !c.strange {
		if m, err = markerOf(&e, c.sel); err != nil || m.id == "" && isRecord(&e, c.sel) {
			return true, err
		}
	}
	version, there := e.ETag, true
	switch {
	case c.strange:
	case m.id == "":
		hide(&e, c.sel)
	default:
		is := committed
		if slices.Contains(c.open, m.id) {
			is = undecided
		}
		version = m.version(&e, is)
		sel := c.sel
		if m.isCut(is, sel) {
			whole, err := c.store.base.Get(ctx, engine.Get{Table: c.rest[0].Table, PartitionKey: e.PartitionKey, RowKey: e.RowKey, Meter: c.rest[0].Meter})
			if isCode(err, engine.CodeNotFound) || err == nil && whole.ETag != e.ETag {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			e, sel = whole, nil
		}
		if there, err = m.resolve(&e, is, sel); err != nil {
			return false, err
		}
		if there && sel == nil && c.sel != nil {
			e.Names, e.Values = c.sel, engine.Gather(e.Names, e.Values, c.sel)
		}
	}
	if !there || c.to != "" && e.RowKey >= c.to {
		return true, nil
	}
	if c.seen != nil {
		c.seen(e.PartitionKey, e.RowKey, version)
	}
	c.chunk = append(c.chunk, e)
	c.left--
	return true, nil
}
