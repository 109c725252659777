package session

import (
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Done is a statement that is over, and what it cost.
type Done struct {
	Text       string
	Args       []value.Value
	Plan       *planner.Plan // that it ran last; nil where it has none
	Connection int64
	Took       time.Duration // until its rows were closed
	Rows       int64         // that it gave, or changed
	Meter      engine.Meter  // without what definitions cost
	Err        error
}

// watched is a statement whose end Settings.Observe is to hear of.
type watched struct {
	Done
	ctx   context.Context
	begun time.Time
}

// watch begins to watch a statement, where somebody asks; nil: nobody does.
func (s *Session) watch(ctx context.Context, text string, args []value.Value) {
	if s.db.Observe != nil {
		s.watched = &watched{Done: Done{Text: text, Args: args, Connection: s.state.ConnectionID}, ctx: ctx, begun: time.Now()}
	}
}

// over tells of a statement that is over.
func (s *Session) over(w *watched, rows int64, err error) {
	if w == nil {
		return
	}
	w.Took, w.Rows = time.Since(w.begun), rows
	if w.Err == nil {
		w.Err = err
	}
	s.db.Observe(w.ctx, &w.Done)
}

// Run runs a statement.
func (s *Session) Run(ctx context.Context, p *Prepared, args []value.Value) (Outcome, error) {
	s.state.Now = now()
	if s.inside { // EXECUTE and EXPLAIN ANALYZE run another one
		return s.run(ctx, p, args)
	}
	s.inside = true
	s.begins(&p.Parsed.Text, kindOf(p.Parsed.Statement))
	seen := args
	if p.shape != nil {
		seen = p.literals
	}
	s.watch(ctx, p.Parsed.Text, seen)
	s.beginAnalysis(ctx, seen)
	found := s.profiled
	out, err := s.run(ctx, p, args)
	s.inside = false
	w := s.watched
	s.watched, s.profiled = nil, nil
	if err == nil && out.query != nil {
		out.ends, out.profiled = true, found
		return out, nil
	}
	rows := out.Affected
	if list, ok := out.cursor.(*rowList); ok && out.Header != nil {
		rows = int64(len(list.rows))
	}
	s.ends(false)
	s.endAnalysis(found, w, rows)
	s.over(w, rows, err)
	return out, err
}

// RunOf does what database/sql asks for by a call, as the statement that it stands for.
func (s *Session) RunOf(ctx context.Context, c *Call, do func(context.Context) error) error {
	s.state.Now = now()
	s.begins(&c.text, c.kind)
	s.watch(ctx, c.text, nil)
	err := do(ctx)
	w := s.watched
	s.watched = nil
	s.ends(false)
	s.over(w, 0, err)
	return err
}

// count adds what a statement, or part of it, has cost.
func (s *Session) count(m *engine.Meter, w *watched) {
	s.tally.Load().meter.Add(m)
	if w != nil {
		w.Meter.Add(m)
	}
}
