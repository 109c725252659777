package session

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// query is what a running query needs, in one allocation. A point read is so short that even one counts: its connection keeps
// the allocation for the next. Closed rows therefore let go of it, and closing them again does nothing.
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

// endQuery counts the cost of q, which is closed, and keeps it if it was a point read.
func (s *Session) endQuery(q *query, w *watched) {
	s.count(&q.meter, w)
	if q.cursor.IsPoint() {
		*q = query{} // an idle connection keeps no context or arguments
		s.spare = q
	}
}

// execution is a run of plan in the connection's transaction, or outside one.
func (s *Session) execution(plan *planner.Plan, args []value.Value, m *engine.Meter) exec.Execution {
	if s.tx != nil && (s.tx.IsOfOneMoment() || plan.ForUpdate) && !s.readsOnly() {
		s.saw = with(s.saw, plan.Tables)
	}
	if s.tx != nil && plan.Waits {
		s.tx.Patience(s.lockWait, s.db.Closing)
	}
	if s.tx != nil && !s.begun {
		s.begun = slices.ContainsFunc(plan.Tables, func(t *schema.Table) bool { return t.Virtual == nil })
	}
	x := exec.Execution{Plan: plan, Args: args, Session: &s.state, Meter: m, Tx: s.tx,
		Pins: s.tx != nil && plan.ForUpdate && plan.Write == nil && !s.readsOnly()}
	if s.watched != nil {
		s.watched.Plan = plan
	}
	if most := s.mostRequests(plan); most > 0 {
		x.Budget = &engine.Budget{Max: most}
	}
	if s.profiled != nil {
		s.profiled.plan, x.Profile, x.Meter = plan, &s.profiled.profile, &s.profiled.meter
	}
	return x
}

// runQuery begins a query: its rows come as they are read.
func (s *Session) runQuery(ctx context.Context, p *Prepared, planned *plannedAt, args []value.Value) (Outcome, error) {
	q, first := s.takeQuery(), !s.begun
	q.execution = s.execution(planned.plan, args, &q.meter)
	if err := s.runtime().Start(ctx, &q.execution, &q.cursor); err != nil {
		s.count(&q.meter, s.watched)
		return Outcome{}, err
	}
	if !q.cursor.IsPoint() {
		s.costs(&q.meter)
	}
	out := Outcome{Rows: Rows{ctx: ctx, session: s, watched: s.watched, Zone: s.state.Zone, prepared: p, planned: planned.again(), Header: planned.header, query: q, cursor: &q.cursor}}
	if q.execution.Pins && planned.plan.Waits {
		out.taking = s.takes(first)
	}
	return out, nil
}

// queryIsolated runs a query as a transaction of its own if only the commit tells whether everything read held at one
// moment. Its rows are held back until then.
func (s *Session) queryIsolated(ctx context.Context, p *Prepared, planned *plannedAt, args []value.Value, level Isolation) (Outcome, error) {
	tries := retry.Begin(ctx, retry.Race)
	for {
		if err := s.Begin(tries.Context, TxOptions{Isolation: level}); err != nil {
			return Outcome{}, err
		}
		rows, err := s.collect(tries.Context, p, planned, args)
		if err == nil {
			err = s.Commit(tries.Context)
		}
		s.Rollback()
		if err == nil {
			out := Outcome{Rows: listed(planned.header, rows)}
			out.Zone = s.state.Zone
			return out, nil
		}
		if !dml.IsRace(err) {
			return Outcome{}, err
		}
		if err := tries.Again(err); err != nil {
			return Outcome{}, err
		}
	}
}

// collect gives all rows of a query in the transaction that is open.
func (s *Session) collect(ctx context.Context, p *Prepared, planned *plannedAt, args []value.Value) ([][]value.Value, error) {
	out, err := s.runQuery(ctx, p, planned, args)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	return out.all(s.held)
}

// all gives the remaining rows, whose memory run counts.
func (r *Rows) all(run *exec.Run) (all [][]value.Value, err error) {
	for {
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err == nil {
			err = run.Charge(exec.BytesPerRow+int64(len(row))*exec.BytesPerValue+exec.TextBytes(row), "transaction")
		}
		if err != nil {
			return nil, err
		}
		all = append(all, slices.Clone(row))
	}
}
