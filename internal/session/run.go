package session

import (
	"cmp"
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Outcome is what a statement gave: rows, or what it did.
type Outcome struct {
	Rows // empty without a Header
	Result
}

// Result is what a statement did.
type Result struct {
	Affected, LastInsertID int64
	Uncounted              bool // whole partitions were deleted, without counting their rows
}

// Prepare reads a text that is one statement.
func (s *Session) Prepare(query string) (*Prepared, error) {
	p, err := s.parse(query)
	if err != nil {
		s.state.Diagnostics.Begin()
	}
	return p, err
}

// parse finds a statement in the cache, or reads it.
func (s *Session) parse(query string) (*Prepared, error) {
	key := cacheKey{s.in, query}
	if p := s.db.cache.get(key); p != nil {
		return p, nil
	}
	parsed, err := dialect.Parse(query, s.options())
	if err != nil {
		return nil, err
	}
	p := &Prepared{Parsed: parsed, in: s.in}
	s.db.cache.put(key, p)
	return p, nil
}

// Again gives a statement as it reads in the current database: another one may have been chosen since it was parsed.
func (s *Session) Again(p *Prepared) (*Prepared, error) {
	if p.in == s.in {
		return p, nil
	}
	return s.parse(p.Parsed.Text)
}

// run runs a statement.
func (s *Session) run(ctx context.Context, p *Prepared, args []value.Value) (Outcome, error) {
	s.state.InsertID = 0
	if p.shape != nil {
		args = p.literals
	}
	if !p.Parsed.Diagnostic {
		s.state.Diagnostics.Begin()
		s.judge(p.Parsed.Statement)
		defer s.judge(nil) // rows that are still being read belong to a query
	}
	if isPlanned(p.Parsed.Statement) {
		if err := s.beginManually(ctx); err != nil {
			return Outcome{}, err
		}
		if writes(p.Parsed.Statement) {
			return s.write(ctx, p, args)
		}
		reading := epochs{own: p.in.Catalog.BeginRead()}
		plan, err := s.planWithin(ctx, p, &reading, (*catalog.Catalog).BeginRead)
		if err != nil {
			reading.End()
			return Outcome{}, err
		}
		return s.read(ctx, p, plan, args, reading, s.limitOf(plan.plan))
	}
	switch stmt := p.Parsed.Statement.(type) {
	case *dialect.Explain:
		return s.explain(ctx, p, stmt, args)
	case *dialect.Show:
		return s.show(ctx, p, stmt, args)
	case *dialect.Use:
		return Outcome{}, s.use(ctx, stmt.Database)
	case *dialect.Set:
		return Outcome{}, s.set(ctx, stmt, args)
	case *dialect.SelectInto:
		return Outcome{Result: Result{Affected: 1}}, s.selectInto(ctx, p, stmt, args)
	case *dialect.Do:
		return Outcome{}, s.do(ctx, p, stmt, args)
	case *dialect.Checksum:
		return s.checksum(ctx, p, stmt)
	case *dialect.Prepare:
		return Outcome{}, s.prepareText(ctx, stmt)
	case *dialect.Execute:
		return s.execute(ctx, stmt)
	case *dialect.Deallocate:
		return Outcome{}, s.deallocate(stmt)
	case *dialect.Transaction:
		return Outcome{}, s.transaction(ctx, stmt)
	case *dialect.Kill:
		return Outcome{}, s.kill(ctx, stmt, args)
	case *dialect.NoOp:
		return Outcome{}, nil
	default:
		return s.define(ctx, stmt)
	}
}

// read runs the plan of a query, which began as reading says. Changes of definitions wait for it until its rows are closed.
// It ends after limit; 0: none.
func (s *Session) read(ctx context.Context, p *Prepared, plan *plannedAt, args []value.Value, reading epochs, limit time.Duration) (Outcome, error) {
	var release context.CancelFunc
	if limit > 0 {
		ctx, release = context.WithTimeoutCause(ctx, limit, errTimeLimit)
	}
	out, err := s.readTaking(ctx, p, plan, args, &reading)
	if err != nil {
		if release != nil {
			err = overtime(ctx, err)
			release()
		}
		reading.End()
		return Outcome{}, err
	}
	out.reading, out.release = reading, release
	return out, nil
}

var errTimeLimit = statementError(sqlerr.CodeQueryTimeout, "Query execution was interrupted, maximum statement execution time exceeded")

// limitOf is how long a SELECT may take: by its hint MAX_EXECUTION_TIME, else by the variable max_execution_time.
func (s *Session) limitOf(p *planner.Plan) time.Duration { return cmp.Or(p.TimeLimit, s.timeLimit) }

// overtime gives the error of a query that ended with err: that it took too long, if ctx ended for that reason.
func overtime(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause == errTimeLimit {
		return cause
	}
	return err
}

// judge says what happens to values that do not fit. They end a writing statement in strict mode without IGNORE; otherwise
// the written row gets the nearest values. Definitions are always strict.
func (s *Session) judge(stmt dialect.Statement) {
	d, strict := &s.state.Diagnostics, s.mode&modeStrict != 0
	d.Strict, d.Adjust = false, false
	switch stmt := stmt.(type) {
	case *dialect.Insert:
		d.Strict = strict && !stmt.Ignore
		d.Adjust = !d.Strict
	case *dialect.Update:
		d.Strict = strict && !stmt.Ignore
		d.Adjust = !d.Strict
	case *dialect.Delete:
		d.Strict = strict && !stmt.Ignore
	case nil, *dialect.Select, *dialect.Union, *dialect.Values, *dialect.SelectInto, *dialect.Do, *dialect.Set, *dialect.Explain, *dialect.Show, *dialect.Kill, *dialect.Checksum:
	default:
		d.Strict = true
	}
}

func writes(s dialect.Statement) bool {
	switch s.(type) {
	case *dialect.Insert, *dialect.Update, *dialect.Delete:
		return true
	}
	return false
}

// runPlan runs a plan: a query's rows come as they are read; a write is done when it returns.
func (s *Session) runPlan(ctx context.Context, p *Prepared, planned *plannedAt, args []value.Value) (Outcome, error) {
	plan := planned.plan
	if err := s.checkScans(plan, p.Parsed.Text); err != nil {
		return Outcome{}, err
	}
	if err := s.checkBudget(plan, args); err != nil {
		return Outcome{}, err
	}
	for _, h := range plan.IgnoredHints {
		s.state.Diagnostics.Note(expr.Warning, sqlerr.CodeIgnoredHint, "Hint %s is ignored: only allow_scan, MAX_ENTITIES(n), MAX_REQUESTS(n), MAX_COST(dollars), MAX_EXECUTION_TIME(n) in the first SELECT of a query, and USE, FORCE and IGNORE INDEX are obeyed", sqlerr.Brief(h))
	}
	level := s.next.over(s.usual).level
	s.useNext(plan)
	if plan.Write == nil && s.tx == nil && level >= RepeatableRead && len(plan.Tables) > 0 && !s.moments().Snapshots() {
		return s.queryIsolated(ctx, p, planned, args, level)
	}
	if plan.Write == nil {
		return s.runQuery(ctx, p, planned, args)
	}
	w := &struct {
		execution exec.Execution
		meter     engine.Meter
	}{}
	s.costs(&w.meter)
	defer s.count(&w.meter, s.watched)
	w.execution = s.execution(plan, args, &w.meter)
	did, err := dml.Write(ctx, s.runtime(), &w.execution)
	if err != nil {
		s.state.RowCount = -1
		return Outcome{}, err
	}
	if s.tx != nil {
		s.wrote = with(s.wrote, plan.Tables)
	}
	if insert, ok := plan.Write.(*planner.Insert); ok && did.Newest != nil {
		s.reached = &reached{insert.Table, did.Newest}
	}
	if s.db.FoundRows {
		did.Affected = did.Found
	}
	s.state.RowCount = did.Affected
	s.unsee(plan)
	if did.LastInsertID != 0 {
		s.state.LastInsertID = did.LastInsertID
	}
	id := did.InsertID
	if did.LastInsertID == 0 && s.state.InsertID != 0 {
		id = s.state.InsertID
	}
	out := Outcome{Result: Result{Affected: did.Affected, LastInsertID: id}}
	if len(plan.Columns) > 0 {
		out.Rows = listed(planned.header, did.Rows)
		out.Zone = s.state.Zone
	}
	return out, nil
}

// unsee makes sure that a new property, which a statement gave to an undeclared table, is shown from now on.
func (s *Session) unsee(plan *planner.Plan) {
	if _, deletes := plan.Write.(*planner.Delete); deletes {
		return
	}
	for _, t := range planner.Written(plan.Write) {
		if !t.IsUndeclared() {
			continue
		}
		for _, base := range plan.Tables {
			if base.IsUndeclared() && base.Physical == t.Physical && base != t {
				s.db.catalogOf(base).Unsee(base)
			}
		}
	}
}
