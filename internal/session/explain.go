package session

import (
	"context"
	"errors"
	"fmt"
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

// explain gives the plan of a statement: as text or as a drawing, a line a row, or as one JSON document. EXPLAIN ANALYZE runs the
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

// countedBefore tells how many rows tables had when this process last read all of them, where that was before some moment.
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

// profiled is what EXPLAIN ANALYZE finds out about its statement.
type profiled struct {
	plan    *planner.Plan // that it ran last
	profile exec.Profile
	meter   engine.Meter // what is no operator's: writes, above all
}

// analyze runs a statement to its end.
func (s *Session) analyze(ctx context.Context, p *Prepared, args []value.Value) (*planner.Explanation, error) {
	found := &profiled{}
	s.profiled = found
	defer func() { s.profiled = nil }()
	begun := time.Now()
	rows, err := s.drain(ctx, p, args)
	took := time.Since(begun)
	all := &engine.Meter{}
	found.profile.AddTo(all)
	all.Add(&found.meter)
	s.count(all, s.watched)
	if err != nil {
		return nil, err
	}
	x := found.plan.Explanation(args, s.db.countedBefore(begun))
	for i := range x.Lines {
		if of := x.Lines[i].Of; of != nil {
			x.Lines[i].Did = didText(found.profile.Of(of))
		}
	}
	parts := append([]string{fmt.Sprint("rows ", rows)}, meterText(all)...)
	if n := all.Written.Load(); n > 0 {
		parts = append(parts, fmt.Sprint("entities written ", n))
	}
	x.Did = strings.Join(append(parts, "time "+timeText(took), fmt.Sprintf("$%.2f for a million", float64(all.Requests.Load())*s.db.Runtime.Price*1e6)), ", ")
	return x, nil
}

// drain runs a statement, and counts its rows: those that it gives, or those that it has changed.
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

// didText says what an operator has done.
func didText(d *exec.Done) string {
	runs := d.Runs.Load()
	if runs == 0 {
		return "nothing"
	}
	var parts []string
	if runs > 1 {
		parts = append(parts, fmt.Sprint("runs ", runs))
	}
	parts = append(parts, fmt.Sprint("rows ", d.Rows.Load()))
	if d.Meter.Requests.Load() > 0 {
		parts = append(parts, meterText(&d.Meter)...)
	}
	return strings.Join(append(parts, "time "+timeText(time.Duration(d.Time.Load()))), ", ")
}

func meterText(m *engine.Meter) []string {
	requests := fmt.Sprint("requests ", m.Requests.Load())
	if n := m.Retries.Load(); n > 0 {
		requests += fmt.Sprintf(" (%d again)", n)
	}
	parts := []string{requests, fmt.Sprint("entities read ", m.Returned.Load())}
	if n := m.BytesIn.Load() + m.BytesOut.Load(); n > 0 {
		parts = append(parts, fmt.Sprint("bytes ", n))
	}
	return parts
}

// timeText rounds to three digits.
func timeText(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
