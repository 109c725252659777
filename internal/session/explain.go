package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// explain gives the plan of a statement: as text or as a drawing, one line per row, or as one JSON document. EXPLAIN ANALYZE runs the
// statement, and says what each operator has done.
func (s *Session) explain(ctx context.Context, p *Prepared, stmt *dialect.Explain, args []value.Value) (Outcome, error) {
	format := strings.ToLower(stmt.Format)
	switch format {
	case "", "text", "traditional", "tree", "json":
	default:
		return Outcome{}, notSupported("EXPLAIN FORMAT=%s is not supported: there are TEXT, which is what comes without FORMAT, TREE and JSON", format)
	}
	if !isPlanned(stmt.Statement) {
		return Outcome{}, notSupported("EXPLAIN is for SELECT, INSERT, REPLACE, UPDATE and DELETE")
	}
	parsed := *p.Parsed
	parsed.Statement = stmt.Statement
	var x *planner.Explanation
	var err error
	if stmt.Analyze {
		x, err = s.analyze(ctx, &Prepared{Parsed: &parsed, in: p.in}, args)
	} else {
		x, err = s.explanation(ctx, &Prepared{Parsed: &parsed, in: p.in}, args)
	}
	if err != nil {
		return Outcome{}, err
	}
	lines := x.Text()
	switch format {
	case "tree":
		lines = x.Tree()
	case "json":
		lines = []string{x.JSON()}
	}
	var rows [][]value.Value
	for _, line := range lines {
		rows = append(rows, []value.Value{value.FromString(line)})
	}
	columns := []planner.ResultColumn{{Name: "plan", Type: value.Type{Base: value.TypeText}}}
	return Outcome{Rows: listed(newHeader(columns), rows)}, nil
}

func (s *Session) explanation(ctx context.Context, p *Prepared, args []value.Value) (*planner.Explanation, error) {
	planned, err := s.planAnew(ctx, p)
	if err != nil {
		return nil, err
	}
	plan := planned.plan
	if s.tx != nil {
		plan = plan.ByRows(nil)
	}
	return plan.Explanation(args, s.db.countedBefore(time.Now())), nil
}

// countedBefore gives how many rows tables had when this process last read all of them, if that was before a given moment.
func (d *Database) countedBefore(moment time.Time) func(*schema.Table) *planner.Counted {
	return func(t *schema.Table) *planner.Counted {
		n, ok := d.Runtime.Counts.Of(t)
		if !ok || !n.At.Before(moment) {
			return nil
		}
		return &planner.Counted{Rows: float64(n.Rows), How: "counted by a scan " + agoText(moment.Sub(n.At))}
	}
}

// agoText says how long ago something was.
func agoText(d time.Duration) string {
	switch {
	case d < 5*time.Minute:
		return "a moment ago"
	case d < time.Hour:
		return sqlerr.Count(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return sqlerr.Count(int(d.Hours()), "hour") + " ago"
	}
	return sqlerr.Count(int(d.Hours()/24), "day") + " ago"
}

// profiled is what is learned about a statement while it runs: what EXPLAIN ANALYZE shows.
type profiled struct {
	plan    *planner.Plan // the last one that it ran
	args    []value.Value
	profile exec.Profile
	meter   engine.Meter // what belongs to no operator: above all writes
	begun   time.Time
	tell    func(*planner.Explanation) // see WithAnalysis; nil for EXPLAIN ANALYZE
}

// cost is the total cost.
func (f *profiled) cost() *engine.Meter {
	m := &engine.Meter{}
	f.profile.AddTo(m)
	m.Add(&f.meter)
	return m
}

// analyze runs a statement to its end.
func (s *Session) analyze(ctx context.Context, p *Prepared, args []value.Value) (*planner.Explanation, error) {
	found := &profiled{args: args, begun: time.Now()}
	s.profiled = found
	defer func() { s.profiled = nil }()
	rows, err := s.drain(ctx, p, args)
	s.count(found.cost(), s.watched)
	if err != nil {
		return nil, err
	}
	return s.analyzed(found, rows), nil
}

// analyzed explains a statement that has run, with what each operator did.
func (s *Session) analyzed(found *profiled, rows int64) *planner.Explanation {
	x := found.plan.Explanation(found.args, s.db.countedBefore(found.begun))
	for i := range x.Lines {
		l := &x.Lines[i]
		if l.Of == nil {
			continue
		}
		d := found.profile.Of(l.Of)
		l.Did = actual(&d.Meter, d.Rows.Load(), time.Duration(d.Time.Load()))
		l.Did.Runs = d.Runs.Load()
		if reads, more := d.Read(); len(reads.Points)+len(reads.Spans) > 0 {
			l.Reads, l.MoreReads = reads, more
		}
	}
	x.Did = actual(found.cost(), rows, time.Since(found.begun))
	return x
}

func actual(m *engine.Meter, rows int64, took time.Duration) *planner.Actual {
	return &planner.Actual{Rows: rows, Requests: m.Requests.Load(), Retries: m.Retries.Load(), Entities: m.Returned.Load(), Written: m.Written.Load(),
		Bytes: m.BytesIn.Load() + m.BytesOut.Load(), Time: took}
}

// drain runs a statement, and counts the rows that it gives or has changed.
func (s *Session) drain(ctx context.Context, p *Prepared, args []value.Value) (rows int64, err error) {
	out, err := s.Run(ctx, p, args)
	if err != nil {
		return 0, err
	}
	if out.Header == nil {
		return out.Affected, nil
	}
	defer func() {
		if closed := out.Close(); err == nil {
			err = closed
		}
	}()
	for ; ; rows++ {
		if _, err := out.Next(); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return 0, err
		}
	}
}
