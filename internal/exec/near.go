package exec

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
)

// GetEach reads entities by their keys and calls got for each, possibly in parallel; found says whether the entity
// exists. Many keys that lie close together are read by ranges (engine.Near).
func (r *Run) GetEach(ctx context.Context, gets []engine.Get, got func(i int, e *engine.Entity, found bool) error) error {
	known, err := r.getNear(ctx, gets, got)
	if err != nil {
		return err
	}
	return r.Each(ctx, len(gets), func(ctx context.Context, i int) error {
		if known != nil && known[i] {
			return nil
		}
		e, found, err := r.Get(ctx, gets[i])
		if err != nil {
			return err
		}
		return got(i, &e, found)
	})
}

// getNear is GetEach for the keys that ranges answer, and says which these are; nil: none.
func (r *Run) getNear(ctx context.Context, gets []engine.Get, got func(i int, e *engine.Entity, found bool) error) (known []bool, err error) {
	isOwn, scan := func(*engine.Get) bool { return false }, r.store.Scan
	if view, ofTx := r.store.(buffer.View); ofTx {
		isOwn, scan = view.Wrote, view.Under
	}
	scans, at := make([]engine.Scan, 0, len(gets)), make([]int, 0, len(gets))
	for i := range gets {
		if g := &gets[i]; !isOwn(g) {
			s := engine.Point(g.Table, g.PartitionKey, g.RowKey)
			s.Select, s.Meter, s.Budget = g.Select, g.Meter, r.X.Budget
			scans, at = append(scans, s), append(at, i)
		}
	}
	there := make([]bool, len(scans))
	answered, err := r.scanNear(ctx, scan, scans, func(i int, e *engine.Entity) error {
		there[i] = true
		return got(at[i], e, true)
	})
	if err != nil || answered == nil {
		return nil, err
	}
	known = make([]bool, len(gets))
	for i := range answered {
		if known[at[i]] = answered[i]; answered[i] && !there[i] {
			if err := got(at[i], &engine.Entity{}, false); err != nil {
				return nil, err
			}
		}
	}
	return known, nil
}

// ScanNear reads many ranges, each in one partition and without a limit, if a few requests across them read all (engine.Near). It calls
// got for their entities, in parallel for different partitions, and says which ranges it has answered; nil: none. got may also have
// received part of a range that was not answered.
func (r *Run) ScanNear(ctx context.Context, scans []engine.Scan, got func(i int, e *engine.Entity) error) (answered []bool, err error) {
	return r.scanNear(ctx, r.store.Scan, scans, got)
}

func (r *Run) scanNear(ctx context.Context, scan func(context.Context, engine.Scan) engine.Cursor, scans []engine.Scan, got func(i int, e *engine.Entity) error) ([]bool, error) {
	if view, ofTx := r.store.(buffer.View); len(scans) <= engine.FewRanges || r.mostEntities() > 0 || ofTx && view.Notes() { // it reads what is not wanted, too
		return nil, nil
	}
	order := make([]int, len(scans))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &scans[i], &scans[j]
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.PartitionKey, b.PartitionKey), cmp.Compare(a.From, b.From))
	})
	var together [][]int
	for len(order) > 0 {
		n := 1
		for n < len(order) && isBeside(&scans[order[n-1]], &scans[order[n]]) {
			n++
		}
		together, order = append(together, order[:n]), order[n:]
	}
	answered := make([]bool, len(scans))
	return answered, r.Each(ctx, len(together), func(ctx context.Context, at int) error {
		in := together[at]
		ranges := make([]engine.Scan, len(in))
		for i := range in {
			ranges[i] = scans[in[i]]
		}
		n, err := engine.Near(ctx, func(ctx context.Context, s engine.Scan) engine.Cursor { return &countedCursor{scan(ctx, s), r} },
			r.Rt.Engine.Limits(), ranges, func(i int, e *engine.Entity) error { return got(in[i], e) })
		for i := range n {
			answered[in[i]] = true // each element is of one range, so no two write to one
		}
		return err
	})
}

// isBeside says whether one range may cover both a and b; b must not begin before a.
func isBeside(a, b *engine.Scan) bool {
	return a.Table == b.Table && a.PartitionKey == b.PartitionKey && a.To != "" && a.To <= b.From && (a.Select == nil) == (b.Select == nil) && slices.Equal(a.Select, b.Select)
}

// countedCursor is a cursor of an execution, which counts what it reads.
type countedCursor struct {
	engine.Cursor
	run *Run
}

func (c *countedCursor) Next(ctx context.Context) ([]engine.Entity, error) {
	if err := c.run.Begin(ctx); err != nil {
		return nil, err
	}
	defer c.run.Done()
	chunk, err := c.Cursor.Next(ctx)
	if err == nil {
		err = c.run.count(len(chunk))
	}
	if err == io.EOF || err == nil {
		return chunk, err
	}
	return nil, lockError(err)
}
