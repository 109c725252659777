package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// blockSize is how many AUTO_INCREMENT values a process takes from the store at once, so that most inserts need no
// request for theirs. Close gives unused values back; a crash leaves a gap, as it may in MySQL.
const blockSize = 100

type sequences struct {
	mu     sync.Mutex
	blocks map[string]*block // by sequenceName
}

// block is the values next … end-1, which belong to this process.
type block struct {
	lock
	next, end int64
}

// sequenceName names the entity that keeps the values of a table: an interleaved table has its own.
func sequenceName(t *schema.Table) string {
	if t.RowName == "" {
		return t.Physical
	}
	return t.Physical + string(keymap.Separator) + t.RowName
}

func (c *Catalog) block(t *schema.Table) *block {
	c.sequences.mu.Lock()
	defer c.sequences.mu.Unlock()
	b := c.sequences.blocks[sequenceName(t)]
	if b == nil {
		b = &block{lock: newLock()}
		c.sequences.blocks[sequenceName(t)] = b
	}
	return b
}

// Next reserves n consecutive values and gives the first. The first value of a table is 1, or the value of its
// AUTO_INCREMENT option.
func (c *Catalog) Next(ctx context.Context, t *schema.Table, n int64, m *engine.Meter) (int64, error) {
	b := c.block(t)
	release, err := b.take(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	if b.end-b.next < n {
		if err := c.take(ctx, t, b, n, m); err != nil {
			return 0, err
		}
	}
	first := b.next
	b.next += n
	return first, nil
}

// take makes b a block of at least n values. If no other process took any meanwhile, the new block continues
// the old one without a gap.
func (c *Catalog) take(ctx context.Context, t *schema.Table, b *block, n int64, m *engine.Meter) error {
	var taken block
	err := c.moveSequence(ctx, t, m, func(stored int64) (int64, bool) {
		from := stored
		if stored == b.end && b.next > 0 {
			from = b.next
		}
		if from > math.MaxInt64-n {
			return 0, false
		}
		size := max(n, blockSize)
		if from > math.MaxInt64-size {
			size = n
		}
		taken.next, taken.end = from, from+size
		return taken.end, true
	})
	if err == nil {
		b.next, b.end = taken.next, taken.end
	}
	if lost := (*engine.Error)(nil); errors.As(err, &lost) && lost.Applied == engine.Unknown { // at worst this leaves a gap
		err = &engine.Error{Code: lost.Code, Op: -1, Message: fmt.Sprintf("no AUTO_INCREMENT values could be taken for table '%s', so no row was written with them", t.Name), Cause: err}
	}
	return err
}

// Raise makes sure that values given from now on, by any process, exceed v.
func (c *Catalog) Raise(ctx context.Context, t *schema.Table, v int64, m *engine.Meter) error {
	if v == math.MaxInt64 {
		v--
	}
	b := c.block(t)
	release, err := b.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if v < b.next {
		return nil
	}
	if v < b.end {
		b.next = v + 1
		return nil
	}
	var taken block // the values after v, so that most of a run of ascending explicit values need no request
	err = c.moveSequence(ctx, t, m, func(stored int64) (int64, bool) {
		if v < stored {
			taken = block{}
			return stored, true
		}
		taken.next, taken.end = v+1, v+1
		if v < math.MaxInt64-blockSize {
			taken.end += blockSize
		}
		return taken.end, true
	})
	if err == nil && taken.next > 0 {
		b.next, b.end = taken.next, taken.end
	}
	return err
}

// moveSequence changes the stored next value by f. It does so again if another process intervened or the answer was lost: then f
// starts from the value now stored, and skips the values that it took before.
func (c *Catalog) moveSequence(ctx context.Context, t *schema.Table, m *engine.Meter, f func(int64) (int64, bool)) error {
	tries := retry.Begin(ctx, retry.Race)
	for {
		stored, etag, err := c.storedNext(ctx, t, m)
		if err != nil {
			return err
		}
		absent := etag == ""
		next, ok := f(stored)
		if !ok {
			return sqlerr.New(sqlerr.CodeAutoExhausted, sqlerr.NoPos, "Failed to read auto-increment value from storage engine: table '%s' has used up its values", t.Name)
		}
		if next == stored && !absent {
			return nil
		}
		op := engine.Op{Kind: engine.Insert, Entity: engine.Entity{
			PartitionKey: partition, RowKey: sequencePrefix + sequenceName(t),
			Names: []string{"Next"}, Values: []engine.Value{int64Value(next)},
		}}
		if !absent {
			op.Kind, op.IfMatch = engine.Replace, etag
		}
		err = c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{op}, Meter: m})
		lost := engine.IsUnsure(err) && ctx.Err() == nil
		if !lost && !engine.Is(err, engine.CodeStale) && !engine.Is(err, engine.CodeExists) && !engine.Is(err, engine.CodeNotFound) {
			return err
		}
		if err := tries.Again(err); err != nil {
			return err
		}
	}
}

// storedNext is the next value that no process has taken yet, and the ETag of the entity that holds it: "" if there is none.
func (c *Catalog) storedNext(ctx context.Context, t *schema.Table, m *engine.Meter) (next int64, etag string, err error) {
	e, err := c.engine.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: sequencePrefix + sequenceName(t), Meter: m})
	switch {
	case engine.Is(err, engine.CodeNotFound):
		return max(t.FirstAutoIncrement, 1), "", nil
	case err != nil:
		return 0, "", err
	}
	return int64(property(&e, "Next").N), e.ETag, nil
}

// Upcoming is the AUTO_INCREMENT value that the next row of this process gets, as far as that is known without a request: a shared
// store is not asked, so the value is known only after this process has inserted into the table.
func (c *Catalog) Upcoming(ctx context.Context, t *schema.Table) (next int64, known bool, err error) {
	c.sequences.mu.Lock()
	b := c.sequences.blocks[sequenceName(t)]
	c.sequences.mu.Unlock()
	if b != nil {
		release, err := b.take(ctx)
		if err != nil {
			return 0, false, err
		}
		defer release()
		if b.next < b.end {
			return b.next, true, nil
		}
	}
	if c.engine.Shared() {
		return 0, false, nil
	}
	next, _, err = c.storedNext(ctx, t, nil)
	return next, err == nil, err
}

// Reset restarts the table's values (TRUNCATE).
func (c *Catalog) Reset(ctx context.Context, t *schema.Table, m *engine.Meter) error {
	return c.dropSequence(ctx, t, m)
}

func (c *Catalog) dropSequence(ctx context.Context, t *schema.Table, m *engine.Meter) error {
	c.sequences.mu.Lock()
	delete(c.sequences.blocks, sequenceName(t))
	c.sequences.mu.Unlock()
	err := c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Meter: m,
		Ops: []engine.Op{{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: sequencePrefix + sequenceName(t)}}}})
	if engine.Is(err, engine.CodeNotFound) {
		return nil
	}
	return err
}

func (c *Catalog) dropSequences(ctx context.Context, tables []*schema.Table, m *engine.Meter) error {
	for _, t := range tables {
		if err := c.dropSequence(ctx, t, m); err != nil {
			return err
		}
	}
	return nil
}

// Close tells other processes that this one is gone. It gives unused AUTO_INCREMENT values back unless another process has taken
// some since.
func (c *Catalog) Close(ctx context.Context) error {
	c.presence.end()
	if release, err := c.refresh.take(ctx); err == nil {
		c.current.Store(nil)
		c.leave(ctx)
		release()
	}
	return c.GiveBack(ctx)
}

// GiveBack gives unused AUTO_INCREMENT values back unless another process has taken some since. A later insert takes new ones.
func (c *Catalog) GiveBack(ctx context.Context) error {
	c.sequences.mu.Lock()
	blocks := c.sequences.blocks
	c.sequences.blocks = map[string]*block{}
	c.sequences.mu.Unlock()
	for name, b := range blocks {
		if err := c.giveBack(ctx, name, b); err != nil {
			return err
		}
	}
	return nil
}

// giveBack gives back the rest of a block. A statement that is under way then takes a new one.
func (c *Catalog) giveBack(ctx context.Context, physical string, b *block) error {
	release, err := b.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	next, end := b.next, b.end
	if next == end {
		return nil
	}
	b.next, b.end = 0, 0
	return c.moveSequence(ctx, &schema.Table{Physical: physical}, c.meter, func(stored int64) (int64, bool) {
		if stored == end {
			return next, true
		}
		return stored, true
	})
}
