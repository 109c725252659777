package nearlyfree

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// query is what a query under way needs, in one allocation. A point read is so short that even this one counts: its
// connection keeps it for the next. So rows that were closed let go of it, and closing them again does nothing.
type query struct {
	execution exec.Execution
	meter     engine.Meter
	cursor    exec.Cursor
}

// takeQuery gives the query that the connection keeps, or a new one.
func (c *conn) takeQuery() *query {
	q := c.spare
	if q == nil {
		return new(query)
	}
	c.spare = nil
	return q
}

// endQuery counts what q, which is closed, has cost, and keeps it where it was a point read.
func (c *conn) endQuery(q *query) {
	c.connector.add(&q.meter)
	if q.cursor.IsPoint() {
		*q = query{} // an idle connection keeps nobody's context and arguments
		c.spare = q
	}
}

// execution is a run of plan in the connection's transaction, or outside one.
func (c *conn) execution(plan *planner.Plan, args []value.Value, m *engine.Meter) exec.Execution {
	x := exec.Execution{Plan: plan, Args: args, Session: &c.session, Store: c.connector.runtime.Engine, Meter: m}
	switch {
	case c.tx == nil:
	case plan.ForUpdate && plan.Write == nil && !c.readOnly:
		x.Store = c.tx.Pin()
	default:
		x.Store = c.tx
	}
	return x
}

// runQuery begins a query: its rows come as they are read.
func (c *conn) runQuery(ctx context.Context, p *prepared, planned *plannedAt, args []value.Value) (outcome, error) {
	q := c.takeQuery()
	q.execution = c.execution(planned.plan, args, &q.meter)
	if err := c.connector.runtime.Start(ctx, &q.execution, &q.cursor); err != nil {
		c.connector.add(&q.meter)
		return outcome{}, err
	}
	return outcome{rows: &rows{ctx: ctx, conn: c, zone: c.session.Zone, prepared: p, snapshot: planned.snapshot, header: planned.header, query: q, cursor: &q.cursor}}, nil
}
