package exec

import (
	"context"
	"math"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// windowCall is a window function over the rows of one partition, evaluated in their order.
type windowCall interface {
	// value gives the function's value for row i.
	value(ctx context.Context, i int) (value.Value, error)
	// needs is the first row whose inputs it may still ask for.
	needs() int
	close()
}

// call begins a function over the current partition.
func (it *windowIter) call(code *callCode) (windowCall, error) {
	f := code.plan.Func
	base := callBase{p: &it.p, at: code.at}
	if f.IsFramed() {
		frame, err := it.frame(code.plan)
		if err != nil {
			return nil, err
		}
		if f.Aggregate != nil {
			return newFrameAggregate(base, frame, f.Aggregate), nil
		}
		base.frame = frame
	}
	if f.N != nil {
		v, err := expr.Compile(f.N)(&it.f.Env)
		if err != nil {
			return nil, err
		}
		n, ok := f.Number(v)
		if !ok {
			return nil, sqlerr.New(sqlerr.CodeWrongArguments, sqlerr.NoPos, "Incorrect arguments to %s", f.LowerName())
		}
		base.n = n
	}
	switch f.Name {
	case "ROW_NUMBER":
		return &rowNumber{base}, nil
	case "RANK":
		return &rank{callBase: base}, nil
	case "DENSE_RANK":
		return &rank{callBase: base, dense: true}, nil
	case "PERCENT_RANK":
		return &percentRank{rank{callBase: base}}, nil
	case "CUME_DIST":
		return &cumeDist{callBase: base}, nil
	case "NTILE":
		return &ntile{base}, nil
	case "LAG", "LEAD":
		if f.N == nil {
			base.n = 1
		}
		if f.Name == "LAG" {
			base.n = -base.n
		}
		return &neighbour{callBase: base, hasDefault: f.Default != nil}, nil
	case "FIRST_VALUE":
		return &firstValue{callBase: base}, nil
	case "LAST_VALUE":
		return &lastValue{base}, nil
	}
	return &nthValue{base}, nil
}

// frame begins the frame of a call; calls with the same frame share it.
func (it *windowIter) frame(call *planner.WindowCall) (*frameCursor, error) {
	for _, c := range it.frames {
		if c.plan == call.Frame {
			return c, nil
		}
	}
	c := &frameCursor{p: &it.p, plan: call.Frame}
	if f := call.Frame; f != nil {
		for _, b := range [...]struct {
			bound  *planner.FrameBound
			amount *value.Value
		}{{&f.Start, &c.start}, {&f.End, &c.end}} {
			if b.bound.N == nil {
				continue
			}
			var err error
			if *b.amount, err = b.bound.Amount(f.Unit, &it.f.Env, call.Name); err != nil {
				return nil, err
			}
		}
	}
	it.frames = append(it.frames, c)
	return c, nil
}

// callBase is what the functions share.
type callBase struct {
	p     *windowPartition
	at    int          // of the inputs before a row
	frame *frameCursor // nil: the function ranges over the whole partition
	n     int          // the number that is constant over all rows
}

// input gives the function's argument from a row.
func (c *callBase) input(i int) value.Value { return c.p.row(i)[c.at] }

func (c *callBase) needs() int { return math.MaxInt }
func (c *callBase) close()     {}

type rowNumber struct{ callBase }

func (c *rowNumber) value(_ context.Context, i int) (value.Value, error) {
	return value.FromUint(uint64(i) + 1), nil
}

// rank is RANK and DENSE_RANK.
type rank struct {
	callBase
	dense bool
	rank  int
}

func (c *rank) value(_ context.Context, i int) (value.Value, error) {
	if i == 0 || !c.p.arePeers(i-1, i) {
		if c.rank = i + 1; c.dense {
			c.n++
			c.rank = c.n
		}
	}
	return value.FromUint(uint64(c.rank)), nil
}

type percentRank struct{ rank }

func (c *percentRank) value(ctx context.Context, i int) (value.Value, error) {
	if _, err := c.rank.value(ctx, i); err != nil {
		return value.NullValue, err
	}
	others := c.p.count(ctx) - 1
	if others == 0 {
		return value.FromFloat(0), nil
	}
	return value.FromFloat(float64(c.rank.rank-1) / float64(others)), nil
}

type cumeDist struct {
	callBase
	behind int // the first row after the current one's peers
}

func (c *cumeDist) value(ctx context.Context, i int) (value.Value, error) {
	if i >= c.behind {
		for c.behind = i + 1; c.p.has(ctx, c.behind) && c.p.arePeers(i, c.behind); c.behind++ {
		}
	}
	return value.FromFloat(float64(c.behind) / float64(c.p.count(ctx))), nil
}

type ntile struct{ callBase }

func (c *ntile) value(ctx context.Context, i int) (value.Value, error) {
	rows := c.p.count(ctx)
	size, larger := rows/c.n, rows%c.n // the first groups have one row more
	if i < (size+1)*larger {
		return value.FromUint(uint64(i/(size+1)) + 1), nil
	}
	return value.FromUint(uint64((i-larger)/size) + 1), nil
}

// neighbour is LAG and LEAD.
type neighbour struct {
	callBase
	hasDefault bool
	last       int
}

func (c *neighbour) value(ctx context.Context, i int) (value.Value, error) {
	c.last = i
	switch j := i + c.n; {
	case j >= 0 && c.p.has(ctx, j):
		return c.input(j), nil
	case c.hasDefault:
		return c.p.row(i)[c.at+1], nil
	}
	return value.NullValue, nil
}

func (c *neighbour) needs() int { return c.last + min(c.n, 0) }

type firstValue struct {
	callBase
	v     value.Value
	lo    int
	known bool // v is that of row lo
}

func (c *firstValue) value(context.Context, int) (value.Value, error) {
	if f := c.frame; f.lo == f.hi {
		return value.NullValue, nil
	} else if !c.known || c.lo != f.lo {
		c.v, c.lo, c.known = c.input(f.lo), f.lo, true
	}
	return c.v, nil
}

func (c *firstValue) needs() int {
	if c.known {
		return c.frame.lo + 1
	}
	return c.frame.lo
}

type lastValue struct{ callBase }

func (c *lastValue) value(context.Context, int) (value.Value, error) {
	if c.frame.lo == c.frame.hi {
		return value.NullValue, nil
	}
	return c.input(c.frame.hi - 1), nil
}

func (c *lastValue) needs() int { return c.frame.hi - 1 }

type nthValue struct{ callBase }

func (c *nthValue) value(context.Context, int) (value.Value, error) {
	if c.n > c.frame.hi-c.frame.lo {
		return value.NullValue, nil
	}
	return c.input(c.frame.lo + c.n - 1), nil
}

func (c *nthValue) needs() int { return c.frame.lo }

// frameAggregate is an aggregate over a frame.
type frameAggregate struct {
	callBase
	sliding *expr.Sliding
	ctx     context.Context
	held    int64
}

func newFrameAggregate(base callBase, frame *frameCursor, a *expr.Aggregate) *frameAggregate {
	base.frame = frame
	c := &frameAggregate{callBase: base}
	c.sliding = a.NewSliding(
		func(i int) []value.Value { return c.p.row(i)[c.at:] },
		func() error { return c.ctx.Err() },
	)
	return c
}

func (c *frameAggregate) value(ctx context.Context, _ int) (value.Value, error) {
	c.ctx = ctx
	if err := c.sliding.Move(c.frame.lo, c.frame.hi); err != nil {
		return value.NullValue, err
	}
	size := int64(c.sliding.Size())
	grown := size - c.held
	c.held = size
	if grown < 0 {
		c.p.it.f.release(-grown)
	} else if err := c.p.it.f.Charge(grown, "window"); err != nil {
		return value.NullValue, err
	}
	return c.sliding.Result()
}

func (c *frameAggregate) needs() int {
	f := c.frame.plan
	return c.sliding.Needs(f == nil || f.Start.Kind == planner.UnboundedPreceding)
}

func (c *frameAggregate) close() {
	c.p.it.f.release(c.held)
	c.held = 0
}
