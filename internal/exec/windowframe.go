package exec

import (
	"context"
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// frameCursor is the frame of one row of a partition after another: lo ≤ row < hi. Neither end ever moves back.
type frameCursor struct {
	p          *windowPartition
	plan       *planner.Frame
	start, end value.Value // the bounds' numbers
	at         int
	lo, hi     int

	peers, behind int // the current row's peers: peers ≤ row < behind
	group         int // how many groups of peers come before that
	from, to      groupCursor
}

// groupCursor is the first row of a group of peers.
type groupCursor struct{ row, group int }

// move makes the frame that of row i, which comes after the previous one.
func (c *frameCursor) move(ctx context.Context, i int) error {
	c.at = i
	if c.plan == nil {
		c.hi = c.p.count(ctx)
		return c.p.err
	}
	if c.plan.Unit != planner.FrameRows {
		c.findPeers(ctx)
	}
	lo, err := c.bound(ctx, &c.plan.Start, c.start, false)
	if err != nil {
		return err
	}
	hi, err := c.bound(ctx, &c.plan.End, c.end, true)
	c.lo, c.hi = lo, max(lo, hi)
	if err == nil {
		err = c.p.err
	}
	return err
}

// findPeers finds the peers of the current row.
func (c *frameCursor) findPeers(ctx context.Context) {
	if c.at < c.behind {
		return
	}
	if c.at > 0 {
		c.group++
	}
	c.peers, c.behind = c.at, c.at+1
	if c.plan.End.Kind == planner.UnboundedFollowing && c.plan.Start.Kind == planner.UnboundedPreceding {
		return // not needed
	}
	for c.p.has(ctx, c.behind) && c.p.arePeers(c.at, c.behind) {
		c.behind++
	}
}

// bound is the first row of a frame or, with end, the row after its last.
func (c *frameCursor) bound(ctx context.Context, b *planner.FrameBound, n value.Value, end bool) (int, error) {
	one := 0
	if end {
		one = 1
	}
	switch {
	case b.Kind == planner.UnboundedPreceding:
		return 0, nil
	case b.Kind == planner.UnboundedFollowing:
		return c.p.count(ctx), nil
	case c.plan.Unit == planner.FrameRows:
		return c.p.upTo(ctx, c.at+c.distance(b, n)+one), nil
	case b.Kind == planner.CurrentRow && end:
		return c.behind, nil
	case b.Kind == planner.CurrentRow:
		return c.peers, nil
	}
	at := &c.from
	if end {
		at = &c.to
	}
	if c.plan.Unit == planner.FrameGroups {
		at.advance(ctx, c.p, c.group+c.distance(b, n)+one)
		return at.row, nil
	}
	return c.rangeBound(ctx, at, b, n, end)
}

// distance is the number of a bound, negative if it precedes the row.
func (c *frameCursor) distance(b *planner.FrameBound, n value.Value) int {
	if b.Kind == planner.CurrentRow {
		return 0
	}
	d := int64(math.MaxInt32)
	if n.Kind() == value.Int {
		d = min(n.Int(), math.MaxInt32)
	} else if n.Kind() == value.Uint {
		d = int64(min(n.Uint(), math.MaxInt32))
	}
	if b.Kind == planner.Preceding {
		d = -d
	}
	return int(d)
}

// advance goes to the first row of a group of peers, or after the last row if there are fewer groups.
func (g *groupCursor) advance(ctx context.Context, p *windowPartition, group int) {
	for g.group < group {
		next := g.row + 1
		for p.has(ctx, next) && p.arePeers(g.row, next) {
			next++
		}
		if g.row = next; !p.has(ctx, next) {
			g.row, g.group = p.count(ctx), math.MaxInt
			return
		}
		g.group++
	}
}

// rangeBound is bound for a RANGE frame that ends at a given distance from the row's value. Rows without a value have only their peers.
func (c *frameCursor) rangeBound(ctx context.Context, at *groupCursor, b *planner.FrameBound, n value.Value, end bool) (int, error) {
	node := c.p.it.node
	x, desc := c.p.row(c.at)[node.parts], node.keys[node.parts].desc
	if x.IsNull() {
		if at.row = c.peers; end {
			at.row = c.behind
		}
		return at.row, nil
	}
	minus := (b.Kind == planner.Preceding) != desc
	edge, ok, err := c.p.it.f.Env.RangeEnd(x, n, b.Unit, minus)
	if err != nil {
		return 0, err
	}
	for c.p.has(ctx, at.row) {
		order := 0
		switch y := c.p.row(at.row)[node.parts]; {
		case ok || y.IsNull():
			order = value.Order(y, edge, value.Binary)
			if y.IsNull() {
				order = -1
			}
		case minus:
			order = 1
		default:
			order = -1
		}
		if desc {
			order = -order
		}
		if order > 0 || order == 0 && !end {
			break
		}
		at.row++
	}
	return at.row, nil
}

// needs is the first row that the cursor may still ask for.
func (c *frameCursor) needs() int {
	if c.plan == nil || c.plan.Unit == planner.FrameRows {
		return c.at
	}
	needed := c.at
	for _, end := range [...]struct {
		b  *planner.FrameBound
		at *groupCursor
	}{{&c.plan.Start, &c.from}, {&c.plan.End, &c.to}} {
		if end.b.N != nil {
			needed = min(needed, end.at.row)
		}
	}
	return needed
}
