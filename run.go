package nearlyfree

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// outcome is what a statement gave: rows, or what it did.
type outcome struct {
	rows   *rows // nil without any
	result result
}

func (c *conn) options() dialect.Options {
	return dialect.Options{ANSIQuotes: c.connector.config.ANSIQuotes}
}

// prepare is parse of a statement that is the whole text.
func (c *conn) prepare(query string) (*prepared, error) {
	p, err := c.parse(query)
	if err != nil {
		c.session.Diagnostics.Begin()
		return nil, c.failed(err, query)
	}
	return p, nil
}

// parse finds a statement in the cache, or reads it.
func (c *conn) parse(query string) (*prepared, error) {
	if p := c.connector.cache.get(query); p != nil {
		return p, nil
	}
	parsed, err := dialect.Parse(query, c.options())
	if err != nil {
		return nil, translate(err, query)
	}
	p := &prepared{parsed: parsed}
	c.connector.cache.put(query, p)
	return p, nil
}

// isPlanned says whether a statement is run by a plan; the others are done by hand in run.
func isPlanned(s dialect.Statement) bool {
	switch s.(type) {
	case *dialect.Select, *dialect.Union, *dialect.Insert, *dialect.Update, *dialect.Delete:
		return true
	}
	return false
}

// run runs a statement.
func (c *conn) run(ctx context.Context, p *prepared, args []value.Value) (outcome, error) {
	c.session.Now, c.session.InsertID = now(), 0
	if !p.parsed.Diagnostic {
		c.session.Diagnostics.Begin()
		c.judge(p.parsed.Statement)
		defer c.judge(nil) // rows that are still being read are those of a query
	}
	if isPlanned(p.parsed.Statement) {
		if writes(p.parsed.Statement) {
			return c.write(ctx, p, args)
		}
		plan, err := c.plan(ctx, p)
		if err != nil {
			return outcome{}, err
		}
		return c.runPlan(ctx, p, plan, args)
	}
	switch s := p.parsed.Statement.(type) {
	case *dialect.Explain:
		return c.explain(ctx, p, s, args)
	case *dialect.Show:
		return c.show(ctx, p, s, args)
	case *dialect.Use:
		return outcome{}, c.use(s.Database)
	case *dialect.Set:
		return outcome{}, c.set(ctx, s, args)
	case *dialect.SelectInto:
		return outcome{result: result{affected: 1}}, c.selectInto(ctx, p, s, args)
	case *dialect.Do:
		return outcome{}, c.do(ctx, p, s, args)
	case *dialect.Prepare:
		return outcome{}, c.prepareText(ctx, s)
	case *dialect.Execute:
		return c.execute(ctx, s)
	case *dialect.Deallocate:
		return outcome{}, c.deallocate(s)
	case *dialect.Transaction:
		return outcome{}, c.transaction(ctx, s)
	case *dialect.NoOp:
		return outcome{}, nil
	default:
		return c.define(ctx, s)
	}
}

// judge says what a statement does about values that do not fit: where it writes in strict mode, without IGNORE, they end
// it; else a row that is written gets the nearest ones. Definitions are always strict.
func (c *conn) judge(s dialect.Statement) {
	d, strict := &c.session.Diagnostics, c.mode&modeStrict != 0
	d.Strict, d.Adjust = false, false
	switch s := s.(type) {
	case *dialect.Insert:
		d.Strict = strict && !s.Ignore
		d.Adjust = !d.Strict
	case *dialect.Update:
		d.Strict = strict && !s.Ignore
		d.Adjust = !d.Strict
	case *dialect.Delete:
		d.Strict = strict && !s.Ignore
	case nil, *dialect.Select, *dialect.Union, *dialect.SelectInto, *dialect.Do, *dialect.Set, *dialect.Explain, *dialect.Show:
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

// plan gives the statement's plan, made anew when the definitions have changed.
func (c *conn) plan(ctx context.Context, p *prepared) (*plannedAt, error) {
	snapshot, err := c.connector.catalog.Snapshot(ctx)
	if err != nil {
		return nil, translate(err, p.parsed.Text)
	}
	kept := &p.plan
	if c.session.Zone != nil {
		kept = &p.zoned
	}
	last := kept.Load()
	if last != nil && last.collation != c.session.Collation {
		last = nil
	}
	if last != nil && last.snapshot == snapshot && !last.open {
		return last, nil
	}
	if last != nil && snapshot.Valid(last.plan.Tables) {
		last = &plannedAt{last.plan, last.header, snapshot, last.collation, last.open}
		kept.Store(last)
		return last, nil
	}
	made, err := c.planAnew(ctx, p.parsed)
	if err != nil {
		return nil, translate(err, p.parsed.Text)
	}
	kept.Store(made)
	c.connector.cache.planned(p, made.plan.Blocks)
	return made, nil
}

func (c *conn) planAnew(ctx context.Context, parsed *dialect.Parsed) (made *plannedAt, err error) {
	err = c.connector.catalog.With(ctx, func(s *catalog.Snapshot) error {
		plan, err := c.build(ctx, parsed, s)
		if isUnknownColumn(err) {
			// Another process may have made it since; a table is looked for by the catalog.
			next, readErr := c.connector.catalog.Newer(ctx, s)
			if readErr != nil {
				return readErr
			}
			if next != nil {
				s = next
				plan, err = c.build(ctx, parsed, s)
			}
		}
		if err != nil {
			return err
		}
		made = &plannedAt{plan, newHeader(plan.Columns), s, c.session.Collation, slices.ContainsFunc(plan.Tables, (*schema.Table).IsOpen)}
		return nil
	})
	return made, err
}

func isUnknownColumn(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && e.Code == sqlerr.CodeUnknownColumn
}

func (c *conn) build(ctx context.Context, parsed *dialect.Parsed, snapshot *catalog.Snapshot) (*planner.Plan, error) {
	return planner.Build(parsed, show.Visible(ctx, snapshot, c.connector.database, c.connector.collation), planner.Options{Database: c.session.Database, Zoned: c.session.Zone != nil, Collation: c.session.Collation, Interrupted: ctx.Err})
}

// runPlan runs a plan: a query's rows come as they are read, a write is done when it returns.
func (c *conn) runPlan(ctx context.Context, p *prepared, planned *plannedAt, args []value.Value) (outcome, error) {
	plan := planned.plan
	if err := c.checkScans(plan, p.parsed.Text); err != nil {
		return outcome{}, err
	}
	for _, h := range plan.IgnoredHints {
		c.session.Diagnostics.Note(expr.Warning, CodeIgnoredHint, "Hint %s is ignored: of hints only allow_scan is obeyed, beside USE, FORCE and IGNORE INDEX", sqlerr.Brief(h))
	}
	if plan.Write == nil {
		return c.runQuery(ctx, p, planned, args)
	}
	m := &engine.Meter{}
	defer c.connector.add(m)
	x := c.execution(plan, args, m)
	did, err := dml.Write(ctx, c.connector.runtime, &x)
	if err != nil {
		c.session.RowCount = -1
		return outcome{}, err
	}
	if c.tx != nil {
		c.wrote = append(c.wrote, plan.Tables...)
	}
	if insert, ok := plan.Write.(*planner.Insert); ok && did.Newest != nil {
		c.reached = &reached{insert.Table, did.Newest}
	}
	c.session.RowCount = did.Affected
	c.unsee(plan)
	if did.LastInsertID != 0 {
		c.session.LastInsertID = did.LastInsertID
	}
	id := did.InsertID
	if did.LastInsertID == 0 && c.session.InsertID != 0 {
		id = c.session.InsertID
	}
	out := outcome{result: result{affected: did.Affected, lastInsertID: id}}
	if len(plan.Columns) > 0 {
		out.rows = listed(planned.header, did.Rows)
		out.rows.zone = c.session.Zone
	}
	return out, nil
}

// unsee makes sure that a property which a statement gave to a table that nobody declared is shown from now on.
func (c *conn) unsee(plan *planner.Plan) {
	var t *schema.Table
	switch w := plan.Write.(type) {
	case *planner.Insert:
		t = w.Table
	case *planner.Update:
		t = w.Table
	}
	if t == nil || !t.IsOpen() {
		return
	}
	for _, base := range plan.Tables {
		if base.IsOpen() && base.Physical == t.Physical && base != t {
			c.connector.catalog.Unsee(base)
		}
	}
}

// checkScans applies the scan policy.
func (c *conn) checkScans(plan *planner.Plan, text string) error {
	policy := c.connector.config.Scan
	if policy == "" || policy == ScanAllow || plan.AllowScan {
		return nil
	}
	err := plan.CheckScans()
	if err == nil {
		return nil
	}
	if policy == ScanDeny {
		return err
	}
	c.connector.logger.Warn("scan without a key", "statement", text, "reason", err.Error())
	return nil
}

// explain gives the plan as text, a line a row.
func (c *conn) explain(ctx context.Context, p *prepared, s *dialect.Explain, args []value.Value) (outcome, error) {
	if s.Analyze {
		return outcome{}, notSupported("EXPLAIN ANALYZE is not supported yet: use EXPLAIN")
	}
	if f := strings.ToLower(s.Format); f != "" && f != "text" && f != "traditional" && f != "tree" {
		return outcome{}, notSupported("EXPLAIN FORMAT=%s is not supported: leave FORMAT out", f)
	}
	if !isPlanned(s.Statement) {
		return outcome{}, notSupported("EXPLAIN is for SELECT, INSERT, REPLACE, UPDATE and DELETE")
	}
	inner := *p.parsed
	inner.Statement = s.Statement
	planned, err := c.planAnew(ctx, &inner)
	if err != nil {
		return outcome{}, err
	}
	plan := planned.plan
	if c.tx != nil {
		plan = plan.ByRows(nil)
	}
	var lines [][]value.Value
	for _, line := range plan.Explain(args) {
		lines = append(lines, []value.Value{value.FromString(line)})
	}
	columns := []planner.ResultColumn{{Name: "plan", Type: value.Type{Base: value.TypeText}}}
	return outcome{rows: listed(newHeader(columns), lines)}, nil
}

// show runs SHOW and DESCRIBE as a SELECT over a table made for it.
func (c *conn) show(ctx context.Context, p *prepared, s *dialect.Show, args []value.Value) (outcome, error) {
	if _, err := c.connector.catalog.Latest(ctx); err != nil {
		return outcome{}, err
	}
	var table *schema.Table
	err := c.connector.catalog.With(ctx, func(now *catalog.Snapshot) (err error) {
		table, err = show.Result(ctx, now, s, c.given(s), c.connector.collation)
		return err
	})
	if err != nil {
		return outcome{}, err
	}
	query := &dialect.Select{Exprs: []dialect.SelectExpr{{Star: true}}, From: &dialect.TableName{Name: table.Name, Pos: -1}, Where: s.Where, Limit: s.Limit}
	parsed := *p.parsed
	parsed.Statement = query
	plan, err := planner.Build(&parsed, oneTable{table}, planner.Options{Collation: c.session.Collation, Interrupted: ctx.Err})
	if err != nil {
		return outcome{}, err
	}
	return c.runPlan(ctx, p, &plannedAt{plan: plan, header: newHeader(plan.Columns)}, args)
}

// define runs a statement that makes or changes definitions. As in MySQL it commits a transaction first.
func (c *conn) define(ctx context.Context, s dialect.Statement) (outcome, error) {
	if c.connector.config.ReadOnly || c.readOnly {
		return outcome{}, &Error{Message: "the database was opened with readonly: no definition is changed", class: ErrReadOnly}
	}
	if c.tx != nil {
		if err := c.commit(ctx); err != nil {
			return outcome{}, err
		}
	}
	zone := c.session.Zone
	c.session.Zone = nil // rows that are written anew are read as they are kept
	defer func() { c.session.Zone = zone }()
	m := &engine.Meter{}
	defer c.connector.add(m)
	r, err := c.definer().Run(ctx, s, &c.session, m)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{result: result{affected: r.Affected, lastInsertID: r.LastInsertID}}
	if len(r.Columns) > 0 {
		out.rows = listed(newHeader(r.Columns), r.Rows)
	}
	return out, nil
}

func (c *conn) definer() *ddl.Definer {
	return &ddl.Definer{Runtime: c.connector.runtime, Catalog: c.connector.catalog, Shared: c.connector.config.Layout == LayoutSingle, Collation: c.connector.collation}
}
