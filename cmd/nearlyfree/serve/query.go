package serve

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree"
	"github.com/nearlyfreedb/nearlyfree/cmd/nearlyfree/internal/ask"
	"github.com/nearlyfreedb/nearlyfree/dialect"
)

// queryPage is a box for a statement, and what came of it.
type queryPage struct {
	page
	SQL    string
	Limit  int
	Limits []int
	Result *result
}

// result is what came of a statement.
type result struct {
	SQL, Database string
	Limit         int
	Error         *problem
	Asks          string // why it was not run yet
	Columns       []cellType
	Rows          [][]cell
	More          bool // there are more rows than are shown
	Full          bool // that is for their size
	Wrote         bool
	Affected      int64
	Done          bool // it gives no rows
	Warnings      []string
	Cost          *actualJSON
	About         string // requests, before it ran
	Plan          *planView
	Note          string
}

const dollarsARequest = 0.00036 / 10_000

var limits = []int{50, 200, 1000}

func (s *server) showQuery(w http.ResponseWriter, r *http.Request) {
	p := queryPage{SQL: r.URL.Query().Get("sql"), Limit: 200, Limits: limits}
	var err error
	if p.page, err = s.page(r.Context(), "Query", "query", r.URL.Query().Get("database")); err != nil {
		s.fail(w, r, err)
		return
	}
	render(w, http.StatusOK, "query.html", p)
}

// bad says that a request cannot be understood.
func bad(err error) error {
	if errors.As(err, new(*http.MaxBytesError)) {
		return err
	}
	return fmt.Errorf("%w: %w", errBadRequest, err)
}

// runQuery runs a statement, or shows what it would cost. The script asks only for the result.
func (s *server) runQuery(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, bad(err))
		return
	}
	f := r.PostForm
	p := queryPage{SQL: f.Get("sql"), Limit: 200, Limits: limits}
	if n, err := strconv.Atoi(f.Get("limit")); err == nil {
		p.Limit = min(max(n, 1), limits[len(limits)-1])
	}
	var err error
	if p.page, err = s.page(r.Context(), "Query", "query", f.Get("database")); err != nil {
		s.fail(w, r, err)
		return
	}
	ctx, end := s.begin(r.Context(), f.Get("id"))
	defer end()
	run := &statementRun{server: s, text: p.SQL, database: p.Database, limit: p.Limit, asked: f.Get("do")}
	p.Result = run.result(ctx)
	if r.Header.Get("Nearlyfree-Part") == "result" {
		render(w, http.StatusOK, "result", p.Result)
		return
	}
	render(w, http.StatusOK, "query.html", p)
}

// begin gives the context of a statement that may be cancelled by a name.
func (s *server) begin(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if id == "" {
		return ctx, func() { cancel(nil) }
	}
	s.mu.Lock()
	s.running[id] = cancel
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		delete(s.running, id)
		s.mu.Unlock()
		cancel(nil)
	}
}

// cancelQuery ends a statement that runs.
func (s *server) cancelQuery(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, bad(err))
		return
	}
	s.mu.Lock()
	cancel := s.running[r.PostForm.Get("id")]
	s.mu.Unlock()
	if cancel == nil {
		http.Error(w, "this statement does not run", http.StatusNotFound)
		return
	}
	cancel(errCancelled)
	w.WriteHeader(http.StatusNoContent)
}

// statementRun is a statement under way.
type statementRun struct {
	*server
	text, database string
	limit          int
	asked          string // "explain": its plan alone; "run": it is run whatever it costs
	conn           *sql.Conn
}

// result does what the request asks for.
func (s *statementRun) result(ctx context.Context) *result {
	out := &result{SQL: s.text, Database: s.database, Limit: s.limit}
	err := s.do(ctx, out)
	if err != nil && context.Cause(ctx) == errCancelled {
		err = errCancelled
	}
	out.Error = problemOf(err, s.text)
	return out
}

func (s *statementRun) do(ctx context.Context, out *result) (err error) {
	options := dialect.Options{ANSIQuotes: s.Config.ANSIQuotes}
	texts, err := dialect.Split(s.text, options)
	if err == nil && len(texts) != 1 {
		if len(texts) == 0 {
			return errors.New("there is no statement: write one into the box")
		}
		return fmt.Errorf("there are %d statements, and one is run at a time: select it", len(texts))
	}
	if s.conn, err = s.DB.Conn(ctx); err != nil {
		return err
	}
	defer s.conn.Close()
	if s.database != "" {
		if _, err := s.conn.ExecContext(ctx, "USE "+ask.Quoted(s.database)); err != nil {
			return err
		}
	}
	kind := reads
	parsed, err := dialect.Parse(s.text, options)
	if err == nil {
		kind = kindOfStatement(parsed.Statement)
	}
	if err != nil || kind.isPlanned() {
		prepared, err := s.conn.PrepareContext(ctx, s.text) // its error has the place
		if err != nil {
			return err
		}
		prepared.Close()
	}
	if kind.isPlanned() {
		if out.Plan, err = s.explain(ctx); err != nil {
			return err
		}
		out.About = aboutOf(out.Plan)
	}
	if s.asked != "run" {
		if out.Asks = s.asks(kind, out.Plan); out.Asks != "" || s.asked == "explain" {
			return s.finish(ctx, out)
		}
	}
	if kind.changes() {
		defer s.surveys.forget()
	}
	if err := s.run(ctx, out, kind); err != nil {
		return errors.Join(err, s.finish(context.WithoutCancel(ctx), out))
	}
	return s.finish(ctx, out)
}

// asks says why a statement is shown before it is run; "": it may run at once.
func (s *statementRun) asks(kind statementKind, plan *planView) string {
	switch {
	case s.asked == "explain", s.Config.ReadOnly && kind.changes(): // the driver refuses it
		return ""
	case kind == writes:
		return "It writes. Nothing has been changed yet."
	case kind == defines:
		return "It changes definitions or reads whole tables, which EXPLAIN does not tell beforehand. Nothing has been done yet."
	case plan == nil:
		return ""
	case plan.Estimate != nil && plan.Estimate.Requests > dearRequests, plan.LeastRequests > dearRequests:
		return "It takes many requests. Nothing has been read yet."
	case !s.atHome && plan.Estimate == nil && slices.ContainsFunc(plan.readWhole(), s.mayBeLarge):
		return "It reads a whole table without a key, and nobody knows how large that is. Nothing has been read yet."
	}
	return ""
}

// mayBeLarge says whether a scan may make many requests, because the table is large or was not measured.
func (s *server) mayBeLarge(scan *scanJSON) bool {
	known := s.surveys.get(scan.Database, scan.Table)
	return known == nil || known.Entities > dearRequests*1000
}

// dearRequests is the number of requests from which a statement is shown before it is run.
const dearRequests = 100

// aboutOf says how many requests it is about, without the word.
func aboutOf(p *planView) string {
	if p.Estimate != nil {
		return "about " + aboutText(p.Estimate.Requests)
	}
	return "at least " + grouped(p.LeastRequests)
}

// AboutRequests is About with the word.
func (r *result) AboutRequests() string {
	if strings.HasSuffix(r.About, " 1") {
		return r.About + " request"
	}
	return r.About + " requests"
}

// explain gives the plan of the statement, which is not run.
func (s *statementRun) explain(ctx context.Context) (*planView, error) {
	var text string
	if err := s.conn.QueryRowContext(ctx, "EXPLAIN FORMAT=JSON "+s.text).Scan(&text); err != nil {
		return nil, err
	}
	return viewOfPlan(text)
}

// run runs the statement. It reports what the statement did even if it fails.
func (s *statementRun) run(ctx context.Context, out *result, kind statementKind) error {
	var analysis nearlyfree.Analysis
	before, begun := s.Connector.Stats(), time.Now()
	err := s.rows(nearlyfree.WithAnalysis(ctx, &analysis), out)
	out.Cost = &actualJSON{Rows: int64(len(out.Rows)), Time: time.Since(begun)}
	if text := analysis.JSON(); text != "" {
		ran, badPlan := viewOfPlan(text)
		if badPlan != nil {
			return errors.Join(err, badPlan)
		}
		if out.Cost = ran.Actual; kind.isPlanned() {
			out.Plan = ran
		}
	} else {
		did := s.Connector.Stats().Sub(before)
		out.Cost.Requests, out.Cost.Entities, out.Cost.Written, out.Cost.Bytes = did.Requests, did.EntitiesReturned, did.EntitiesWritten, did.BytesIn+did.BytesOut
	}
	if err != nil {
		return err
	}
	return s.after(ctx, out, kind)
}

// rows reads rows as far as they are shown.
func (s *statementRun) rows(ctx context.Context, out *result) (err error) {
	rows, err := s.conn.QueryContext(ctx, s.text)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, rows.Close()) }()
	if out.Columns, err = cellTypes(rows); err != nil {
		return err
	}
	out.Done = len(out.Columns) == 0
	size := 0
	for rows.Next() {
		if len(out.Rows) == s.limit || size > mostResult {
			out.More, out.Full = true, len(out.Rows) < s.limit
			return nil
		}
		values, pointers := make([]any, len(out.Columns)), make([]any, len(out.Columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		cells := make([]cell, len(values))
		for i, v := range values {
			cells[i] = out.Columns[i].cell(v)
			size += len(cells[i].Text) + len(cells[i].Rest)
		}
		out.Rows = append(out.Rows, cells)
	}
	return rows.Err()
}

// after asks what else is known of the statement that has run.
func (s *statementRun) after(ctx context.Context, out *result, kind statementKind) error {
	rows, err := s.conn.QueryContext(ctx, "SHOW WARNINGS")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() && len(out.Warnings) < 10 {
		var level, code, message string
		if err := rows.Scan(&level, &code, &message); err != nil {
			return err
		}
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s %s: %s", level, code, message))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if kind == writes && out.Done {
		out.Wrote = true
		if out.Plan != nil && out.Plan.Actual != nil {
			out.Affected = out.Plan.Actual.Rows
		}
	}
	return nil
}

// finish draws what the plan's scans touch.
func (s *statementRun) finish(ctx context.Context, out *result) error {
	if out.Plan == nil {
		return nil
	}
	pictures := map[[2]string]*picture{}
	for _, l := range out.Plan.Lines {
		if l.Scan == nil || len(l.Scan.Reads) == 0 && l.Scan.More == 0 {
			continue
		}
		key := surveyKey(l.Scan.Database, l.Scan.Table)
		p, known := pictures[key]
		if !known {
			survey, err := s.survey(ctx, l.Scan.Database, l.Scan.Table)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if survey != nil && survey.Entities > 0 {
				p = pictureOf(survey)
				out.Plan.Pictures = append(out.Plan.Pictures, p)
			} else if survey == nil {
				out.Plan.Unseen = append(out.Plan.Unseen, l.Scan.Table)
			}
			pictures[key] = p
		}
		if p != nil {
			p.touch(l.Scan, l.Actual)
		}
	}
	return nil
}

// statementKind is what a statement does.
type statementKind uint8

const (
	reads   statementKind = iota // it has a plan
	writes                       // so it has
	defines                      // it changes definitions, or looks after tables
	asks                         // SHOW, SET and the like
)

func (k statementKind) isPlanned() bool { return k <= writes }
func (k statementKind) changes() bool   { return k == writes || k == defines }

func kindOfStatement(s dialect.Statement) statementKind {
	switch s := s.(type) {
	case *dialect.Select, *dialect.Union, *dialect.Values:
		return reads
	case *dialect.Insert, *dialect.Update, *dialect.Delete:
		return writes
	case *dialect.Explain:
		if s.Analyze && kindOfStatement(s.Statement) == writes {
			return defines
		}
		return asks
	case *dialect.Show, *dialect.Use, *dialect.Set, *dialect.Do, *dialect.SelectInto, *dialect.Prepare, *dialect.Deallocate, *dialect.Transaction, *dialect.NoOp:
		return asks
	}
	return defines
}

// Head is the beginning of the statement, for a title.
func (r *result) Head() string { return first(strings.Join(strings.Fields(r.SQL), " "), 60) }
