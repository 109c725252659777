package nearlyfree

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/session"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Observer gets statements: see Config.Observer.
type Observer interface {
	// Statement is called when a statement is over: after its rows were closed, or its writes are done. The caller waits for it. Several
	// connections call it at once.
	Statement(ctx context.Context, s *Statement)
}

// BeginObserver is an Observer that also gets statements when they begin.
type BeginObserver interface {
	Observer
	// Begin is called before a statement is planned and run. It returns a context derived from ctx. The statement and its requests to Azure run
	// with that context, and Statement is called with it at the end. At this point s has only Text, Connection, Database,
	// Server and Begun, and its methods Args, Outline and Operation.
	Begin(ctx context.Context, s *Statement) context.Context
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(ctx context.Context, s *Statement)

// Statement calls f.
func (f ObserverFunc) Statement(ctx context.Context, s *Statement) { f(ctx, s) }

// Observers combines several Observers. They get the beginning of a statement in order, and its end in reverse order.
type Observers []Observer

var _ BeginObserver = Observers(nil)

// Begin calls Begin of each that has it.
func (all Observers) Begin(ctx context.Context, s *Statement) context.Context {
	for _, o := range all {
		if b, ok := o.(BeginObserver); ok {
			ctx = b.Begin(ctx, s)
		}
	}
	return ctx
}

// Statement calls Statement of each.
func (all Observers) Statement(ctx context.Context, s *Statement) {
	for _, o := range slices.Backward(all) {
		o.Statement(ctx, s)
	}
}

// Statement is a finished statement, and what it cost.
type Statement struct {
	Text       string        // as it was sent, with its literals; BEGIN, COMMIT or ROLLBACK for the calls of database/sql
	Connection int64         // what CONNECTION_ID() says
	Database   string        // the session's current one; "" for none
	Server     string        // host of the account, and its port where the URL has one; "" in memory and on a file
	Begun      time.Time     // when it began
	Duration   time.Duration // including the time its reader took to read the rows
	Rows       int64         // that it returned, or changed
	Stats      Stats         // without requests for definitions; a write in a transaction counts what it reads, and the COMMIT the rest
	Err        error         // nil: it succeeded

	done       *session.Done
	ansiQuotes bool
}

// Plan is how the statement was run, in one line: "update customer: row-key range customer.surname". "" if there was nothing to plan.
func (s *Statement) Plan() string {
	if s.done.Plan == nil {
		return ""
	}
	return s.done.Plan.Brief()
}

// Scans says which table the statement reads without a key, and what would help, as ErrScanRefused does; nil: none, or allow_scan permits it.
func (s *Statement) Scans() error {
	if p := s.done.Plan; p != nil && !p.AllowScan {
		return translate(p.CheckScans(), "")
	}
	return nil
}

// Outline is Text without literals and comments: ? stands for each literal. Private data is in arguments and literals.
func (s *Statement) Outline() string {
	return dialect.Outline(s.Text, dialect.Options{ANSIQuotes: s.ansiQuotes})
}

// Operation is what the statement does, in capital letters: SELECT, INSERT, CREATE TABLE, COMMIT.
func (s *Statement) Operation() string { return s.done.Operation() }

// Tables are the tables that the statement reads or writes, each once: first those that it writes. A table outside the current database is
// database.table; tables that a view reads are included.
func (s *Statement) Tables() []string { return s.done.Tables() }

// PartitionUse is how many entities of a store partition a statement has read and written.
type PartitionUse = session.PartitionUse

// Partitions are the store partitions that the statement has read and written, up to 10,000 of them, those with the most entities first; nil
// unless Config.Partitions asks for them. Writes of a transaction count for its COMMIT.
func (s *Statement) Partitions() []PartitionUse { return s.done.Partitions.List() }

// Args are the statement's arguments, which may hold private data.
func (s *Statement) Args() []any {
	args := make([]any, len(s.done.Args))
	for i, v := range s.done.Args {
		args[i] = value.ToGo(v)
	}
	return args
}

// Dollars is what the statement cost.
func (s *Statement) Dollars() float64 { return s.Stats.DollarsPerMillion(ListPrice) / 1e6 }

// observe gives the functions that a session calls at the beginning and the end of a statement, for the Observer; nil: none.
func (c *Config) observe() (begin func(context.Context, *session.Done) context.Context, end func(context.Context, *session.Done)) {
	if c.Observer == nil {
		return nil, nil
	}
	o, server := c.Observer, c.server()
	if b, ok := o.(BeginObserver); ok {
		begin = func(ctx context.Context, d *session.Done) context.Context {
			return b.Begin(ctx, c.statement(d, server))
		}
	}
	return begin, func(ctx context.Context, d *session.Done) {
		s, m := c.statement(d, server), &d.Meter
		s.Duration, s.Rows, s.Err = d.Took, d.Rows, translate(d.Err, d.Text)
		s.Stats = Stats{
			Requests: m.Requests.Load(), Retries: m.Retries.Load(), EntitiesScanned: m.Scanned.Load(), EntitiesReturned: m.Returned.Load(),
			EntitiesWritten: m.Written.Load(), BytesIn: m.BytesIn.Load(), BytesOut: m.BytesOut.Load(),
		}
		o.Statement(ctx, s)
	}
}

// statement is what is known of a statement when it begins.
func (c *Config) statement(d *session.Done, server string) *Statement {
	return &Statement{Text: d.Text, Connection: d.Connection, Database: d.Database, Server: server, Begun: d.Begun, done: d, ansiQuotes: c.ANSIQuotes}
}

// server is the host of the account; "" if there is none.
func (c *Config) server() string {
	if strings.HasPrefix(c.Store, "mem://") || isFile(c.Store) {
		return ""
	}
	account, err := azureOptions(c.Store)
	if err != nil {
		return ""
	}
	endpoint, err := url.Parse(account.Endpoint)
	if err != nil {
		return ""
	}
	return endpoint.Host
}

// StatementLog is an Observer that logs statements.
type StatementLog struct {
	Logger *slog.Logger // nil: slog.Default
	// Level is the level of statements that are neither slow nor wasteful, and have not failed. Others are at least warnings. So a Logger
	// that ignores Level logs only the others. The zero Level is slog.LevelInfo.
	Level slog.Level
	// A statement that takes this long, or makes this many requests, is logged as a warning. 0: DefaultSlow, DefaultRequests. Negative:
	// never. A statement that reads a table without a key, by more than one request, is a warning, too.
	Slow     time.Duration
	Requests int64
	// Arguments logs the arguments, too, and the text as it was sent. Otherwise literals are left out, as they may hold private
	// data. The message of an error may still name a value, as MySQL's does for a duplicate key.
	Arguments bool
}

// The defaults of StatementLog.
const (
	DefaultSlow     = time.Second
	DefaultRequests = 100
)

// mostLogged is how many store partitions of a statement are logged.
const mostLogged = 100

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
	var attrs []slog.Attr
	if l.Arguments {
		attrs = append(attrs, slog.String("statement", s.Text), slog.Any("arguments", s.Args()))
	} else {
		attrs = append(attrs, slog.String("statement", s.Outline()))
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
	if partitions := s.Partitions(); len(partitions) > 0 {
		attrs = append(attrs, slog.Any("partitions", partitions[:min(len(partitions), mostLogged)]))
	}
	if scans != nil {
		attrs = append(attrs, slog.String("scans", l.ofScans(scans)))
	}
	if s.Err != nil {
		attrs = append(attrs, l.ofError(s.Err)...)
	}
	logger.LogAttrs(ctx, level, message, attrs...)
}

// ofScans says what is read without a key. Its conditions contain literals.
func (l *StatementLog) ofScans(err error) string {
	var refused *planner.ScanRefusedError
	if l.Arguments || !errors.As(err, &refused) {
		return err.Error()
	}
	var outline planner.ScanRefusedError
	for _, r := range refused.Reasons {
		r.Conditions = slices.Clone(r.Conditions)
		for i, c := range r.Conditions {
			r.Conditions[i] = dialect.Outline(c, dialect.Options{})
		}
		outline.Reasons = append(outline.Reasons, r)
	}
	return "nearlyfree: " + outline.Error()
}

// ofError describes an error, with the id by which Azure knows the failed request. Its place in the text, which contains literals, goes with the
// text.
func (l *StatementLog) ofError(err error) []slog.Attr {
	var e *Error
	if !errors.As(err, &e) {
		return []slog.Attr{slog.String("error", err.Error())}
	}
	text := e.Error()
	if !l.Arguments {
		text, _, _ = strings.Cut(text, "\n")
	}
	attrs := []slog.Attr{slog.String("error", text)}
	if e.RequestID != "" {
		attrs = append(attrs, slog.String("request_id", e.RequestID))
	}
	return attrs
}

// levelOf gives the level of a statement, and the reason for it.
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
