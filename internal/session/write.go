package session

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// write runs a statement that writes. If the table's partitions are made as rows arrive, it makes those that the rows need.
func (s *Session) write(ctx context.Context, p *Prepared, args []value.Value) (Outcome, error) {
	c := s.next.over(s.usual)
	if err := s.writable(c); err != nil && !s.writesTemporary(ctx, p) {
		return Outcome{}, err
	}
	if s.tx == nil && c.level >= RepeatableRead {
		return s.writeIsolated(ctx, p, args, c.level)
	}
	out, err := s.writeTried(ctx, p, args)
	if err != nil && s.tx != nil {
		// If a definition has changed since the transaction wrote by it, that is the reason, whatever the error is.
		var changed *dml.SchemaChangedError
		if current := s.checkCurrent(ctx, s.wrote); errors.As(current, &changed) {
			return Outcome{}, changed
		}
		if overtaken := s.overtaken(ctx, err); overtaken != nil {
			return Outcome{}, overtaken
		}
	}
	return out, err
}

// overtaken gives the error that others changed what the transaction relies on, if err comes from that, as a taken key or a violated
// foreign key may; else nil. The transaction may then succeed when it is run again.
func (s *Session) overtaken(ctx context.Context, err error) error {
	var final *engine.Error
	if errors.As(err, &final) && final.Final {
		return dml.ExplainCommit(err, with(s.saw, s.wrote))
	}
	var refused *sqlerr.Error
	if !errors.As(err, &refused) || !slices.Contains(ofOtherRows, refused.Code) {
		return nil
	}
	m := &engine.Meter{}
	defer s.count(m, s.watched)
	if err := s.tx.Overtaken(ctx, m); dml.IsRace(err) {
		return dml.ExplainCommit(err, with(s.saw, s.wrote))
	}
	return nil
}

// ofOtherRows are the errors caused by the presence or absence of other rows.
var ofOtherRows = []int{sqlerr.CodeDuplicateEntry, sqlerr.CodeParentRow, sqlerr.CodeNoParentRow}

// writeIsolated runs a statement as a transaction of its own, again if what it had read was changed: then it waits in line.
func (s *Session) writeIsolated(ctx context.Context, p *Prepared, args []value.Value, level Isolation) (Outcome, error) {
	defer s.endTurns()
	tries := retry.Begin(ctx, retry.Race)
	for {
		if err := s.Begin(tries.Context, TxOptions{Isolation: level}); err != nil {
			return Outcome{}, err
		}
		out, err := s.writeTried(tries.Context, p, args)
		if err == nil {
			err = s.Commit(tries.Context)
		}
		s.Rollback()
		var changed *dml.SchemaChangedError // as by a partition that the statement itself has made
		if err == nil || !dml.IsRace(err) && !errors.As(err, &changed) {
			return out, err
		}
		if s.turns == nil && dml.IsRace(err) {
			if err := s.waitInLine(tries.Context, p); err != nil {
				return Outcome{}, err
			}
			continue
		}
		if err := dml.AgainAfterRace(&tries, err); err != nil {
			return Outcome{}, err
		}
	}
}

// waitInLine waits until there are no other writers to the tables of a statement, and takes its turns.
func (s *Session) waitInLine(ctx context.Context, p *Prepared) error {
	plan, err := s.plan(ctx, p)
	if err != nil {
		return err
	}
	return s.takeTurns(ctx, plan.plan.Tables, true)
}

func (s *Session) writeTried(ctx context.Context, p *Prepared, args []value.Value) (Outcome, error) {
	var emptied []string // partitions whose rows it has deleted
	tries := retry.Begin(ctx, retry.Outdated)
	for {
		ctx := tries.Context
		s.state.Diagnostics.Begin()
		out, err := s.writeOnce(ctx, p, args, &emptied)
		if err == nil {
			if s.tx == nil {
				s.makeAhead(ctx, s.reached)
				s.reached = nil
			}
			return out, nil
		}
		var (
			need    *schema.NoPartitionError
			partial *dml.PartialError
		)
		switch {
		case errors.As(err, &partial):
			return out, partlyDeleted(emptied, err)
		case errors.As(err, &need) && (need.Grows || need.Opening):
			if err := s.makePartitions(ctx, need); err != nil {
				return Outcome{}, err
			}
		case isOutdated(err) || errors.Is(err, catalog.ErrConflict):
			s.forget(p)
		default:
			return out, partlyDeleted(emptied, err)
		}
		if err := tries.Again(err); err != nil {
			return out, partlyDeleted(emptied, err)
		}
	}
}

// writable refuses to write if only reading is allowed; c applies outside a transaction.
func (s *Session) writable(c characteristics) error {
	switch {
	case s.db.ReadOnly:
		return engine.Errorf(engine.CodeReadOnly, "the database was opened with readonly: nothing is written")
	case s.readsOnly() || s.tx == nil && c.access == reads:
		return errReadOnlyTransaction()
	}
	return nil
}

func errReadOnlyTransaction() error {
	return statementError(sqlerr.CodeReadOnlyTransaction, "Cannot execute statement in a READ ONLY transaction.")
}

// writeOnce plans and runs the statement, while no change of definitions proceeds without seeing it. A DELETE of whole
// partitions first deletes their tables, and notes them as emptied; then it deletes other rows one by one.
func (s *Session) writeOnce(ctx context.Context, p *Prepared, args []value.Value, emptied *[]string) (Outcome, error) {
	writing := epochs{own: p.in.Catalog.BeginWrite()}
	plan, err := s.planWithin(ctx, p, &writing, (*catalog.Catalog).BeginWrite)
	if err != nil {
		writing.End()
		return Outcome{}, err
	}
	if d, ok := plan.plan.Write.(*planner.Delete); ok && d.Whole != nil && s.tx == nil && len(*emptied) == 0 {
		whole, rest, err := d.Whole.Partitions(&expr.Env{Args: args, Session: &s.state})
		if err == nil && len(whole) > 0 && rest {
			err = s.checkScans(plan.plan, p.Parsed.Text)
		}
		if err != nil || len(whole) > 0 {
			writing.End()
			if err == nil {
				*emptied, err = s.deletePartitions(ctx, d.Targets[0].Table, whole)
			}
			if err != nil || !rest {
				return Outcome{Result: Result{Uncounted: true}}, err
			}
			return s.writeOnce(ctx, p, args, emptied)
		}
	}
	defer writing.End()
	if len(*emptied) == 0 {
		return s.runPlan(ctx, p, plan, args)
	}
	byRows := *plan
	byRows.plan = plan.plan.ByRows(*emptied)
	out, err := s.runPlan(ctx, p, &byRows, args)
	s.state.RowCount, out.Uncounted = -1, true
	return out, err
}

// partlyDeleted makes err say which partitions the statement has already deleted.
func partlyDeleted(emptied []string, err error) error {
	if len(emptied) == 0 {
		return err
	}
	partial := &dml.PartialError{Cause: err}
	errors.As(err, &partial)
	partial.Partitions = emptied
	return partial
}

// forget makes the next try of a statement read the definitions that it uses again.
func (s *Session) forget(p *Prepared) {
	if p.shape != nil {
		p = p.shape
	}
	p.in.Catalog.Forget()
	kept := s.kept(p).Load()
	if kept == nil {
		return
	}
	for _, other := range kept.others {
		other.Catalog().Forget()
	}
}
