package session

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// isPlanned says whether a statement is run by a plan; the others are done by hand in run.
func isPlanned(s dialect.Statement) bool {
	switch s.(type) {
	case *dialect.Select, *dialect.Union, *dialect.Insert, *dialect.Update, *dialect.Delete:
		return true
	}
	return false
}

// Plan plans a statement, so that its errors show before it runs. One that is not planned is left as it is.
func (s *Session) Plan(ctx context.Context, p *Prepared) error {
	if !isPlanned(p.Parsed.Statement) {
		return nil
	}
	_, err := s.plan(ctx, p)
	return err
}

// plan gives the statement's plan, which goes by the newest definitions: the one that was made last, or another one where they
// have changed.
func (s *Session) plan(ctx context.Context, p *Prepared) (*plannedAt, error) {
	if p.shape != nil {
		p = p.shape
	}
	snapshot, err := s.db.Catalog.Snapshot(ctx)
	if err != nil {
		return nil, p.inText(err)
	}
	kept := &p.plan
	if s.state.Zone != nil {
		kept = &p.zoned
	}
	last := kept.Load()
	if last != nil && last.collation != s.state.Collation {
		last = nil
	}
	if last != nil && (last.snapshot != snapshot || last.open) {
		if snapshot.Valid(last.plan.Tables) {
			last = &plannedAt{last.plan, last.header, snapshot, last.collation, last.open}
			kept.Store(last)
		} else {
			last = nil
		}
	}
	if last != nil {
		return last, s.checkMoment(last.plan.Tables)
	}
	made, err := s.planAnew(ctx, p.Parsed)
	if err != nil {
		return nil, p.inText(err)
	}
	kept.Store(made)
	s.db.cache.planned(p, made.plan.Blocks)
	return made, nil
}

func (s *Session) planAnew(ctx context.Context, parsed *dialect.Parsed) (made *plannedAt, err error) {
	err = s.db.Catalog.With(ctx, func(now *catalog.Snapshot) error {
		plan, err := s.build(ctx, parsed, now)
		if isUnknownColumn(err) {
			// Another process may have made it since; a table is looked for by the catalog.
			next, readErr := s.db.Catalog.Newer(ctx, now)
			if readErr != nil {
				return readErr
			}
			if next != nil {
				now = next
				plan, err = s.build(ctx, parsed, now)
			}
		}
		if err != nil {
			return err
		}
		if err := s.checkMoment(plan.Tables); err != nil {
			return err
		}
		made = &plannedAt{plan, newHeader(plan.Columns), now, s.state.Collation, slices.ContainsFunc(plan.Tables, (*schema.Table).IsUndeclared)}
		return nil
	})
	return made, err
}

func isUnknownColumn(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && (e.Code == sqlerr.CodeUnknownColumn || e.Code == sqlerr.CodeViewInvalid)
}

func (s *Session) build(ctx context.Context, parsed *dialect.Parsed, snapshot *catalog.Snapshot) (*planner.Plan, error) {
	return planner.Build(parsed, show.Visible(ctx, snapshot, s.db.Name, s.db.Collation, s.db.live()), planner.Options{Database: s.state.Database, Zoned: s.state.Zone != nil, Collation: s.state.Collation, Seek: s.db.seek(), Interrupted: ctx.Err})
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
