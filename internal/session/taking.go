package session

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// taking is a statement that takes rows for its transaction, and waits for rows that another one has. After a wait, what it read
// before may be out of date. It is then run again, at a later moment, and keeps what it has taken.
type taking struct {
	session *Session
	first   bool // the transaction had read nothing before
	mark    int  // of the transaction, before it
	tries   int
	held    exec.Run // its rows
}

// mostTakings limits the tries of a statement whose rows are changed each time before it has them all.
const mostTakings = 100

// takes begins a statement that takes rows. first: the transaction has read nothing before.
func (s *Session) takes(first bool) *taking {
	t := &taking{session: s, first: first, mark: s.tx.Mark()}
	t.held.Rt = s.runtime()
	return t
}

// again prepares another run of the statement, which has failed with err, or gives the error that it ends with. A transaction of one
// moment that has read something before depends on that, so its commit would fail.
func (t *taking) again(ctx context.Context, err error) error {
	if !dml.IsRace(err) {
		return err
	}
	s := t.session
	if t.tries++; t.tries > mostTakings || s.tx.IsOfOneMoment() && !t.first {
		s.tx.Forfeit()
		return dml.ExplainCommit(err, with(s.saw, s.wrote))
	}
	t.held.End()
	s.tx.RollbackTo(t.mark)
	if s.tx.IsOfOneMoment() {
		return s.beginAgain(ctx)
	}
	return nil
}

// end releases the memory of the rows; t may be nil.
func (t *taking) end() {
	if t != nil {
		t.held.End()
	}
}

// readTaking runs the plan of a query. A query that takes rows has taken all when it returns. Outside a transaction it is one of its
// own, which writes nothing: as in MySQL it waits for others, and none waits for it once it has ended.
func (s *Session) readTaking(ctx context.Context, p *Prepared, plan *plannedAt, args []value.Value, reading *epochs) (Outcome, error) {
	if level := s.next.over(s.usual).level; s.takesAlone(plan.plan, level) {
		if err := s.Begin(ctx, TxOptions{Isolation: level}); err != nil {
			return Outcome{}, err
		}
		defer s.Rollback()
	}
	out, err := s.runPlan(ctx, p, plan, args)
	if err != nil || out.taking == nil {
		return out, err
	}
	out.reading = *reading
	if err = out.take(); err != nil {
		out.Close()
	}
	*reading = out.reading
	return out, err
}

// takesAlone says whether a query outside a transaction waits for rows. If it must hold at one moment, which only a commit
// tells, it is a transaction anyway.
func (s *Session) takesAlone(plan *planner.Plan, level Isolation) bool {
	return plan.Waits && plan.Write == nil && s.tx == nil && !s.db.ReadOnly && s.usual.access != reads &&
		(level < RepeatableRead || s.moments().Snapshots())
}

// take reads all rows of a query that takes them, and holds them back until it has all.
func (r *Rows) take() error {
	for {
		rows, err := r.all(&r.taking.held)
		if err == nil {
			r.given, r.planned = 0, nil
			err = r.cursor.Close()
			r.cursor = &rowList{rows}
			return err
		}
		if err := r.taking.again(r.ctx, err); err != nil {
			return err
		}
		r.given = 0
		if err := r.cursor.Close(); err != nil {
			return err
		}
		if err := r.begin(); err != nil {
			return err
		}
	}
}
