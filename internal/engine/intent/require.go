package intent

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// need is a requirement that the transaction's own writes do not meet.
type need struct {
	*engine.Requirement
	at      int             // its place among the transaction's
	there   bool            // they leave an entity in the range
	deleted map[string]bool // entities of the range that these writes delete
}

// needs gives the requirements that must be checked, each on its own.
func (x *transaction) needs(ctx context.Context) (left []need, err error) {
	var near [][]need // each of one partition
	at := map[home]int{}
	for i := range x.requires {
		n := need{Requirement: &x.requires[i], at: i}
		n.there, n.deleted = n.Own(x.commits)
		switch {
		case n.there && n.Any:
		case n.isNear() && x.store.holds(n.Table):
			in := home{engine.FoldTable(n.Table), n.PartitionKey}
			if _, has := at[in]; !has {
				at[in], near = len(near), append(near, nil)
			}
			near[at[in]] = append(near[at[in]], n)
		default:
			left = append(left, n)
		}
	}
	err = engine.SideBySide(ctx, x.store.parallel, len(near), func(ctx context.Context, i int) (err error) {
		if len(near[i]) > engine.FewRanges {
			near[i], err = x.unseen(ctx, near[i])
		}
		return err
	})
	for _, some := range near {
		left = append(left, some...)
	}
	slices.SortFunc(left, func(a, b need) int { return cmp.Compare(a.at, b.at) })
	return left, err
}

// isNear says whether a read across many ranges may make it obvious that the need is met.
func (n *need) isNear() bool {
	if n.Any {
		return len(n.deleted) == 0 && n.To == engine.Point("", "", n.From).To
	}
	return !n.there && n.To != ""
}

// unseen gives those of many needs, each in the same partition, that are not obviously met: by an entity without an intent, or by a range that
// holds nothing but what the transaction deletes. This read ignores what is under way on the other ranges and next to them.
func (x *transaction) unseen(ctx context.Context, all []need) (left []need, err error) {
	slices.SortStableFunc(all, func(a, b need) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	all = slices.CompactFunc(all, func(a, b need) bool { return a.From == b.From && a.To == b.To && a.Any && b.Any })
	var ranges []engine.Scan
	var of []need
	for _, n := range all {
		if len(ranges) > 0 && ranges[len(ranges)-1].To > n.From {
			left = append(left, n) // they overlap
			continue
		}
		ranges = append(ranges, engine.Scan{Table: n.Table, PartitionKey: n.PartitionKey, From: n.From, To: n.To, Select: []string{markerProperty}, Meter: x.meter})
		of = append(of, n)
	}
	scan := func(ctx context.Context, s engine.Scan) engine.Cursor { return &beating{x.store.base.Scan(ctx, s), x} }
	met := make([]bool, len(of))
	for i := range of {
		met[i] = !of[i].Any
	}
	answered, err := engine.Near(ctx, scan, x.store.base.Limits(), ranges, func(i int, e *engine.Entity) error {
		if of[i].Any {
			met[i] = e.Values[0].S == ""
		} else {
			met[i] = met[i] && of[i].deleted[e.RowKey]
		}
		return nil
	})
	for i := range of {
		if i >= answered || !met[i] {
			left = append(left, of[i])
		}
	}
	return left, err
}

// beating is a cursor that keeps its transaction alive.
type beating struct {
	engine.Cursor
	x *transaction
}

func (c *beating) Next(ctx context.Context) ([]engine.Entity, error) {
	if err := c.x.beat(ctx); err != nil {
		return nil, err
	}
	return c.Cursor.Next(ctx)
}

// isUnmet says whether a requirement fails once the transaction's own writes are made.
func (x *transaction) isUnmet(ctx context.Context, r *need, as reading) (bool, error) {
	there := r.there
	if !there {
		c := x.store.scan(ctx, engine.Scan{Table: r.Table, PartitionKey: r.PartitionKey, From: r.From, To: r.To,
			Select: []string{}, Limit: len(r.deleted) + 1, Meter: x.meter}, as)
		c.self = x.id
		defer c.Close()
		for !there {
			chunk, err := c.Next(ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return false, err
			}
			for i := range chunk {
				there = there || !r.deleted[chunk[i].RowKey]
			}
		}
	}
	return there != r.Any, nil
}
