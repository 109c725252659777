package nearlyfree

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/session"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Observer is told of statements: see Config.Observer.
type Observer interface {
	// Statement is called when a statement is over: after its rows were closed, or its writes are done. The caller waits for it. Several
	// connections call it at once.
	Statement(ctx context.Context, s *Statement)
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(ctx context.Context, s *Statement)

// Statement calls f.
func (f ObserverFunc) Statement(ctx context.Context, s *Statement) { f(ctx, s) }

// Observers are several as one Observer, which are told in turn.
type Observers []Observer

// Statement calls that of each.
func (all Observers) Statement(ctx context.Context, s *Statement) {
	for _, o := range all {
		o.Statement(ctx, s)
	}
}

// Statement is a statement that is over, and what it has cost.
type Statement struct {
	Text       string        // as it was sent, with the literals in it; BEGIN, COMMIT and ROLLBACK where database/sql was asked for that
	Connection int64         // what CONNECTION_ID() says
	Duration   time.Duration // with what its reader took to read the rows
	Rows       int64         // that it gave, or changed
	Stats      Stats         // without what definitions cost; a write in a transaction costs what it reads, and the COMMIT the rest
	Err        error         // what ended it; nil: it succeeded

	done *session.Done
}

// Plan is how it was run, in one line: "update customer: row-key range customer.surname". "" where there was nothing to plan.
func (s *Statement) Plan() string {
	if s.done.Plan == nil {
		return ""
	}
	return s.done.Plan.Brief()
}

// Scans says which table it reads without a key, and what would help, as ErrScanRefused does; nil: none, or the hint allow_scan means it.
func (s *Statement) Scans() error {
	if p := s.done.Plan; p != nil && !p.AllowScan {
		return translate(p.CheckScans(), "")
	}
	return nil
}

// Args are its arguments, which may hold what is nobody's business.
func (s *Statement) Args() []any {
	args := make([]any, len(s.done.Args))
	for i, v := range s.done.Args {
		args[i] = value.ToGo(v)
	}
	return args
}

// Dollars is what it has cost.
func (s *Statement) Dollars() float64 { return s.Stats.DollarsPerMillion(ListPrice) / 1e6 }

// observe is what a session calls for o; nil: nothing.
func observe(o Observer) func(context.Context, *session.Done) {
	if o == nil {
		return nil
	}
	return func(ctx context.Context, d *session.Done) {
		m := &d.Meter
		o.Statement(ctx, &Statement{
			Text: d.Text, Connection: d.Connection, Duration: d.Took, Rows: d.Rows, Err: translate(d.Err, d.Text), done: d,
			Stats: Stats{
				Requests: m.Requests.Load(), Retries: m.Retries.Load(), EntitiesScanned: m.Scanned.Load(), EntitiesReturned: m.Returned.Load(),
				EntitiesWritten: m.Written.Load(), BytesIn: m.BytesIn.Load(), BytesOut: m.BytesOut.Load(),
			},
		})
	}
}

// StatementLog is an Observer that logs statements.
type StatementLog struct {
	Logger *slog.Logger // nil: slog.Default
	// Level is that of statements that are neither slow nor wasteful, and have not failed. Others are warnings at least. So a Logger
	// that takes no such Level logs the others only. The zero Level is slog.LevelInfo.
	Level slog.Level
	// A statement is logged as a warning from this duration, or this number of requests on. 0: DefaultSlow, DefaultRequests. Negative:
	// never. One that reads a table without a key, by more than one request, is a warning, too.
	Slow     time.Duration
	Requests int64
	// Arguments has the arguments logged, too. They may hold what is nobody's business.
	Arguments bool
}

// The defaults of StatementLog.
const (
	DefaultSlow     = time.Second
	DefaultRequests = 100
)

// Statement logs a statement.
func (l *StatementLog) Statement(ctx context.Context, s *Statement) {
	logger := l.Logger
	if logger == nil {
		logger = slog.Default()
	}
	level, message, scans := l.levelOf(s)
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{slog.String("statement", s.Text)}
	if l.Arguments {
		attrs = append(attrs, slog.Any("arguments", s.Args()))
	}
	attrs = append(attrs, slog.Duration("duration", s.Duration), slog.Int64("rows", s.Rows), slog.Int64("requests", s.Stats.Requests))
	for _, a := range []slog.Attr{
		slog.Int64("retries", s.Stats.Retries), slog.Int64("entities_read", s.Stats.EntitiesReturned), slog.Int64("entities_written", s.Stats.EntitiesWritten),
		slog.Int64("bytes", s.Stats.BytesIn+s.Stats.BytesOut),
	} {
		if a.Value.Int64() > 0 {
			attrs = append(attrs, a)
		}
	}
	attrs = append(attrs, slog.Float64("dollars_per_million", math.Round(s.Stats.DollarsPerMillion(ListPrice)*1e4)/1e4), slog.Int64("connection", s.Connection))
	if plan := s.Plan(); plan != "" {
		attrs = append(attrs, slog.String("plan", plan))
	}
	if scans != nil {
		attrs = append(attrs, slog.String("scans", scans.Error()))
	}
	if s.Err != nil {
		attrs = append(attrs, slog.String("error", s.Err.Error()))
	}
	logger.LogAttrs(ctx, level, message, attrs...)
}

// levelOf gives the level of a statement, and why it has that.
func (l *StatementLog) levelOf(s *Statement) (level slog.Level, message string, scans error) {
	slow, requests := l.Slow, l.Requests
	if slow == 0 {
		slow = DefaultSlow
	}
	if requests == 0 {
		requests = DefaultRequests
	}
	if s.Stats.Requests > 1 {
		scans = s.Scans()
	}
	switch {
	case s.Err != nil && !errors.Is(s.Err, context.Canceled):
		return max(l.Level, slog.LevelWarn), "statement failed", scans
	case slow > 0 && s.Duration >= slow:
		return max(l.Level, slog.LevelWarn), "slow statement", scans
	case requests > 0 && s.Stats.Requests >= requests:
		return max(l.Level, slog.LevelWarn), "statement of many requests", scans
	case scans != nil:
		return max(l.Level, slog.LevelWarn), "statement without a key", scans
	}
	return l.Level, "statement", nil
}
