package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// Range is RowKeys From ≤ k < To (To empty: no bound) of some partitions of a table.
type Range struct {
	Table      string
	Partitions []string // nil: all
	From, To   string
}

// scans gives the scans that read the range.
func (r *Range) scans(m *Meter) []Scan {
	if r.Partitions == nil {
		s := Scan{Table: r.Table, AllPartitions: true, Meter: m}
		if r.From != "" || r.To != "" {
			s.Filter = &Filter{Op: Ge, Property: "RowKey", Value: Value{Type: String, S: r.From}}
		}
		if r.To != "" {
			s.Filter = &Filter{Op: And, Kids: []*Filter{s.Filter, {Op: Lt, Property: "RowKey", Value: Value{Type: String, S: r.To}}}}
		}
		return []Scan{s}
	}
	var out []Scan
	for _, partition := range r.Partitions {
		out = append(out, Scan{Table: r.Table, PartitionKey: partition, From: r.From, To: r.To, Meter: m})
	}
	return out
}

// EachIn is Each for the entities of a range, partition by partition; sel is as in Scan.
func EachIn(ctx context.Context, e Reader, r Range, sel []string, m *Meter, do func(*Entity) error) error {
	for _, s := range r.scans(m) {
		s.Select = sel
		err := Each(ctx, e, s, func(e *Entity) error {
			if e.RowKey < r.From || r.To != "" && e.RowKey >= r.To {
				return nil // filters are hints
			}
			return do(e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Clear deletes all entities of a range that has no more writers, in as few transactions as they fit, at most parallel at once. Others may be
// clearing the same range.
func Clear(ctx context.Context, e Engine, r Range, parallel int, m *Meter) error {
	tries := retry.Begin(ctx, retry.Clear)
	for {
		c := &clearing{engine: e, table: r.Table, meter: m, slots: make(chan struct{}, max(parallel, 1))}
		err := EachIn(ctx, e, r, []string{}, m, func(entity *Entity) error { return c.add(ctx, entity) })
		if err == nil {
			err = c.send(ctx)
		}
		c.sent.Wait()
		if err == nil {
			err = c.failed
		}
		switch {
		case err != nil:
			return err
		case c.again == nil:
			tries.Progress()
			return nil
		}
		if err := tries.Again(c.again); err != nil {
			return err
		}
	}
}

// clearing is one run of Clear.
type clearing struct {
	engine Engine
	table  string
	meter  *Meter
	ops    []Op // of the next transaction
	slots  chan struct{}
	sent   sync.WaitGroup

	mu     sync.Mutex
	failed error
	again  error // why another walk must look for what is left
}

func (c *clearing) add(ctx context.Context, e *Entity) error {
	if n := len(c.ops); n > 0 && (n == c.engine.Limits().BatchOps || c.ops[0].Entity.PartitionKey != e.PartitionKey) {
		if err := c.send(ctx); err != nil {
			return err
		}
	}
	c.ops = append(c.ops, Op{Kind: Delete, Entity: Entity{PartitionKey: e.PartitionKey, RowKey: e.RowKey}})
	return nil
}

// send begins a transaction once fewer than the maximum are under way, or gives the error of an earlier one.
func (c *clearing) send(ctx context.Context) error {
	if len(c.ops) == 0 {
		return nil
	}
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	failed := c.failed
	c.mu.Unlock()
	if failed != nil {
		return failed // nothing more is sent, so nothing waits for the slot
	}
	ops := c.ops
	c.ops = nil
	c.sent.Go(func() {
		err := c.engine.Commit(ctx, Commit{Table: c.table, PartitionKey: ops[0].Entity.PartitionKey, Ops: ops, Meter: c.meter})
		c.mu.Lock()
		defer c.mu.Unlock()
		var known *Error
		switch {
		case err == nil:
		case errors.As(err, &known) && (known.Code == CodeNotFound || known.Applied == Unknown):
			c.again = err // others deleted some, or this did and the answer was lost
		default:
			c.failed = err
		}
		<-c.slots
	})
	return nil
}
