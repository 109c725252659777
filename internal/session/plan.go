package session

import (
	"context"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// isPlanned says whether a statement is run by a plan; run handles the others itself.
func isPlanned(s dialect.Statement) bool {
	switch s.(type) {
	case *dialect.Select, *dialect.Union, *dialect.Values, *dialect.Insert, *dialect.Update, *dialect.Delete:
		return true
	}
	return false
}

// Plan plans a statement, so that its errors show before it runs. A statement that is not planned is left as it is.
func (s *Session) Plan(ctx context.Context, p *Prepared) error {
	if !isPlanned(p.Parsed.Statement) {
		return nil
	}
	_, err := s.plan(ctx, p)
	return err
}

// plan gives the statement's plan by the newest definitions: the last one made, or a new one if they
// have changed.
func (s *Session) plan(ctx context.Context, p *Prepared) (*plannedAt, error) {
	if p.shape != nil {
		p = p.shape
	}
	snapshot, err := p.in.Catalog.Snapshot(ctx)
	if err != nil {
		return nil, p.inText(err)
	}
	kept := s.kept(p)
	last := kept.Load()
	if last != nil && (last.collation != s.state.Collation || last.plan.Passing) {
		last = nil
	}
	if last != nil && (last.snapshot != snapshot || last.open || len(last.others) > 0) {
		if last, err = last.after(ctx, snapshot); err != nil {
			return nil, p.inText(err)
		}
		if last != nil {
			kept.Store(last)
		}
	}
	if last != nil {
		return last, s.readyMoment(ctx, last.plan)
	}
	made, err := s.planAnew(ctx, p)
	if err != nil {
		return nil, p.inText(s.whereLost(err))
	}
	kept.Store(made)
	s.db.cache.planned(p, made.plan.Blocks)
	return made, nil
}

// after gives the plan as one by newer definitions; nil if it does not hold by them.
func (p *plannedAt) after(ctx context.Context, own *catalog.Snapshot) (*plannedAt, error) {
	if !own.Valid(p.plan.Tables) {
		return nil, nil
	}
	next := *p
	next.snapshot = own
	for i, other := range p.others {
		now, err := other.Catalog().Snapshot(ctx)
		if err != nil || !now.Valid(p.plan.Tables) {
			return nil, err
		}
		if now != other {
			next.others = slices.Clone(next.others)
			next.others[i] = now
		}
	}
	return &next, nil
}

// planWithin is plan that also begins the epochs of the other databases that the plan uses.
func (s *Session) planWithin(ctx context.Context, p *Prepared, e *epochs, begin func(*catalog.Catalog) *catalog.Epoch) (*plannedAt, error) {
	for {
		planned, err := s.plan(ctx, p)
		if err != nil || !e.join(planned, begin) {
			return planned, err
		}
	}
}

func (s *Session) planAnew(ctx context.Context, p *Prepared) (made *plannedAt, err error) {
	err = p.in.Catalog.With(ctx, func(now *catalog.Snapshot) error {
		from := s.source(p.in, now)
		plan, err := s.build(ctx, p.Parsed, from)
		if isUnknownColumn(err) {
			// Another process may have made it since; a table is looked for by the catalog.
			moved, readErr := from.newer(ctx)
			if readErr == nil && moved {
				now, readErr = p.in.Catalog.Snapshot(ctx)
			}
			if readErr != nil {
				return readErr
			}
			if moved {
				from = s.source(p.in, now)
				plan, err = s.build(ctx, p.Parsed, from)
			}
		}
		if catalog.IsMoved(err) {
			from.Forget()
		}
		if err != nil {
			return err
		}
		if err := s.readyMoment(ctx, plan); err != nil {
			return err
		}
		made = &plannedAt{plan: plan, header: newHeader(plan.Columns), snapshot: now, others: from.others, collation: s.state.Collation,
			open: slices.ContainsFunc(plan.Tables, (*schema.Table).IsUndeclared)}
		return nil
	})
	return made, err
}

func isUnknownColumn(err error) bool {
	return sqlerr.Is(err, sqlerr.CodeUnknownColumn, sqlerr.CodeViewInvalid)
}

func (s *Session) build(ctx context.Context, parsed *dialect.Parsed, from *source) (*planner.Plan, error) {
	return planner.Build(parsed, show.Visible(ctx, s.seen(from)), planner.Options{Database: from.in.Name, Zoned: s.state.Zone != nil, Collation: s.state.Collation, Seek: s.db.seek(), Interrupted: ctx.Err})
}

// checkScans applies the scan policy.
func (s *Session) checkScans(plan *planner.Plan, text string) error {
	if !s.db.DenyScans && !s.db.WarnOfScans || plan.AllowScan {
		return nil
	}
	err := plan.CheckScans()
	if err == nil || s.db.DenyScans {
		return err
	}
	s.db.Logger.Warn("scan without a key", "statement", text, "reason", err.Error())
	return nil
}
