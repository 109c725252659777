package session

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// query is what a query under way needs, in one allocation. A point read is so short that even one counts: its connection keeps
// the allocation for the next. So rows that were closed let go of it, and closing them again does nothing.
type query struct {
	execution exec.Execution
	meter     engine.Meter
	cursor    exec.Cursor
}

// takeQuery gives the query that the connection keeps, or a new one.
func (s *Session) takeQuery() *query {
	q := s.spare
	if q == nil {
		return new(query)
	}
	s.spare = nil
	return q
}

// endQuery counts what q, which is closed, has cost, and keeps it where it was a point read.
func (s *Session) endQuery(q *query) {
	s.db.count(&q.meter)
	if q.cursor.IsPoint() {
		*q = query{} // an idle connection keeps nobody's context and arguments
		s.spare = q
	}
}

// execution is a run of plan in the connection's transaction, or outside one.
func (s *Session) execution(plan *planner.Plan, args []value.Value, m *engine.Meter) exec.Execution {
	if s.tx != nil && (s.tx.IsOfOneMoment() || plan.ForUpdate) && !s.readOnly {
		s.saw = with(s.saw, plan.Tables)
	}
	return exec.Execution{Plan: plan, Args: args, Session: &s.state, Meter: m, Tx: s.tx,
		Pins: s.tx != nil && plan.ForUpdate && plan.Write == nil && !s.readOnly}
}

// runQuery begins a query: its rows come as they are read.
func (s *Session) runQuery(ctx context.Context, p *Prepared, planned *plannedAt, args []value.Value) (Outcome, error) {
	q := s.takeQuery()
	q.execution = s.execution(planned.plan, args, &q.meter)
	if err := s.db.Runtime.Start(ctx, &q.execution, &q.cursor); err != nil {
		s.db.count(&q.meter)
		return Outcome{}, err
	}
	return Outcome{Rows: Rows{ctx: ctx, session: s, Zone: s.state.Zone, prepared: p, snapshot: planned.snapshot, Header: planned.header, query: q, cursor: &q.cursor}}, nil
}
