package exec

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
)

// GetEach reads entities by their keys, none of them twice, and calls got for each; found says whether it is there. It may call got side
// by side. Many keys that lie close are read by ranges (engine.Near).
func (r *Run) GetEach(ctx context.Context, gets []engine.Get, got func(i int, e *engine.Entity, found bool) error) error {
	known, err := r.near(ctx, gets, got)
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

// near is GetEach of those that ranges answer, and says which these are; nil: none.
func (r *Run) near(ctx context.Context, gets []engine.Get, got func(i int, e *engine.Entity, found bool) error) ([]bool, error) {
	l := r.Rt.Engine.Limits()
	if len(gets) <= engine.FewKeys || r.mostEntities() > 0 { // a range has entities that are not wanted
		return nil, nil
	}
	isOwn := func(*engine.Get) bool { return false }
	scan := r.store.Scan
	if view, ofTx := r.store.(buffer.View); ofTx {
		if view.Notes() {
			return nil, nil
		}
		isOwn, scan = view.Wrote, view.Under
	}
	order := make([]int, 0, len(gets))
	for i := range gets {
		if !isOwn(&gets[i]) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &gets[i], &gets[j]
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.PartitionKey, b.PartitionKey), cmp.Compare(a.RowKey, b.RowKey))
	})
	var ranges [][]int
	for len(order) > 0 {
		n := 1
		for n < len(order) && isBeside(&gets[order[0]], &gets[order[n]]) {
			n++
		}
		ranges, order = append(ranges, order[:n]), order[n:]
	}
	var mu sync.Mutex // guards known
	known := make([]bool, len(gets))
	return known, r.Each(ctx, len(ranges), func(ctx context.Context, at int) error {
		in := ranges[at]
		keys := make([]string, len(in))
		for i := range in {
			keys[i] = gets[in[i]].RowKey
		}
		there := make([]bool, len(in))
		g := &gets[in[0]]
		s := engine.Scan{Table: g.Table, PartitionKey: g.PartitionKey, Select: g.Select, Meter: g.Meter, Budget: r.X.Budget}
		answered, err := engine.Near(ctx, func(ctx context.Context, s engine.Scan) engine.Cursor { return &countedCursor{scan(ctx, s), r} },
			s, l, keys, func(i int, e *engine.Entity) error {
				there[i] = true
				return got(in[i], e, true)
			})
		for i := 0; i < answered && err == nil; i++ {
			if !there[i] {
				err = got(in[i], &engine.Entity{}, false)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range answered {
			known[in[i]] = true
		}
		return err
	})
}

// isBeside says whether one range may have both entities.
func isBeside(a, b *engine.Get) bool {
	return a.Table == b.Table && a.PartitionKey == b.PartitionKey && (a.Select == nil) == (b.Select == nil) && slices.Equal(a.Select, b.Select)
}

// countedCursor is one of an execution, which counts what it reads.
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
