package exec

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Cursor walks the rows of a query. It is for one goroutine at a time.
type Cursor struct {
	run   Run
	frame Frame
	it    Iterator
	point pointIter
}

// Query starts the query of a plan. ctx ends it, at any time until Close. Errors of the store come with the
// first rows, not from here.
func (rt *Runtime) Query(ctx context.Context, x *Execution) (*Cursor, error) {
	c := new(Cursor)
	if err := rt.Start(ctx, x, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Start is Query with the caller's Cursor, which must be the zero value.
func (rt *Runtime) Start(ctx context.Context, x *Execution, c *Cursor) error {
	made, err := programOf(x.Plan)
	if err != nil {
		return err
	}
	c.run.Init(ctx, rt, x)
	c.frame.InitEnv(&c.run, nil)
	if made.point != nil && x.Profile == nil {
		c.point.node, c.point.f, c.point.other = made.point, &c.frame, made.root
		c.it = &c.point
		return nil
	}
	c.run.SideBySide()
	c.run.AtOneMoment()
	if made.rereads {
		c.run.points = &pointReads{}
	}
	c.it = made.root.Open(&c.frame)
	return nil
}

// IsPoint says whether the query was just one point read: then nothing refers to the Cursor once it is closed.
func (c *Cursor) IsPoint() bool { return c.it == &c.point && c.point.rest == nil }

// IsOfOneMoment says whether everything is read as the store held it at one moment.
func (c *Cursor) IsOfOneMoment() bool { return c.run.moment != nil }

// Columns describes the rows.
func (c *Cursor) Columns() []planner.ResultColumn { return c.run.X.Plan.Columns }

// Next gives the next row, valid until the next call; io.EOF after the last.
func (c *Cursor) Next(ctx context.Context) ([]value.Value, error) { return c.it.Next(ctx) }

// Close ends what is under way and waits for its end. It may be called more than once.
func (c *Cursor) Close() error {
	err := c.it.Close()
	c.run.End()
	return err
}
