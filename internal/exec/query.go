package exec

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Cursor walks the rows of a query. It is for one goroutine at a time.
type Cursor struct {
	run   run
	frame frame
	it    Iterator
	point pointIter
}

// Query starts the query of a plan. ctx ends it, at any time until Close. Errors of the store come with the
// first rows, not from here.
func (rt *Runtime) Query(ctx context.Context, x *Execution) (*Cursor, error) {
	made, err := programOf(x.Plan)
	if err != nil {
		return nil, err
	}
	c := new(Cursor)
	c.run.init(ctx, rt, x)
	c.frame.initEnv(&c.run, nil)
	if made.point != nil {
		c.point = pointIter{node: made.point, f: &c.frame, other: made.root}
		c.it = &c.point
		return c, nil
	}
	c.run.sideBySide()
	c.it = made.root.open(&c.frame)
	return c, nil
}

// Columns describes the rows.
func (c *Cursor) Columns() []planner.ResultColumn { return c.run.x.Plan.Columns }

// Next gives the next row, valid until the next call; io.EOF is behind the last.
func (c *Cursor) Next(ctx context.Context) ([]value.Value, error) { return c.it.Next(ctx) }

// Close ends what is under way and waits for its end. It may be called more than once.
func (c *Cursor) Close() error { return c.it.Close() }
