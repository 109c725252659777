package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/touched"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// PartitionUse is what a statement did with the entities of a store partition.
type PartitionUse = touched.Partition

// Done is a finished statement and its cost.
type Done struct {
	Text       string
	Database   string            // the session's current one; "" if it has none
	Statement  dialect.Statement // nil: a call of database/sql, whose Text is a word
	Begun      time.Time
	Args       []value.Value
	Plan       *planner.Plan // the last one that it ran; nil if it has none
	Connection int64
	Took       time.Duration       // until its rows were closed
	Rows       int64               // rows that it gave or changed
	Meter      engine.Meter        // without what definitions cost
	Partitions *touched.Partitions // those that it has read and written; nil: not wanted
	Err        error
}

// watched is a statement whose end is reported to Settings.Observe.
type watched struct {
	Done
	ctx context.Context
}

// watch begins to watch a statement, if that is wanted, and gives the context that it runs with.
func (s *Session) watch(ctx context.Context, text string, statement dialect.Statement, args []value.Value) context.Context {
	if s.db.Observe == nil {
		return ctx
	}
	w := &watched{ctx: ctx}
	w.Text, w.Statement, w.Args, w.Database, w.Connection, w.Begun = text, statement, args, s.in.Name, s.state.ConnectionID, time.Now()
	if s.db.Partitions {
		w.ctx, w.Partitions = touched.With(ctx)
	}
	if s.db.Begin != nil {
		w.ctx = s.db.Begin(w.ctx, &w.Done)
	}
	s.watched = w
	return w.ctx
}

// failedBefore reports a statement that failed before it was run.
func (s *Session) failedBefore(ctx context.Context, text string, statement dialect.Statement, err error) {
	s.watch(ctx, text, statement, nil)
	s.over(s.watched, 0, err)
	s.watched = nil
}

// over reports a finished statement.
func (s *Session) over(w *watched, rows int64, err error) {
	if w == nil {
		return
	}
	w.Took, w.Rows = time.Since(w.Begun), rows
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
	ctx = s.watch(ctx, p.Parsed.Text, p.Parsed.Statement, seen)
	s.beginAnalysis(ctx, seen)
	found := s.profiled
	var running *interruptible
	if _, ends := p.Parsed.Statement.(*dialect.Transaction); !ends { // a COMMIT is not interrupted
		running = s.interruptibly(ctx)
		ctx = running
	}
	out, err := s.run(ctx, p, args)
	s.inside = false
	w := s.watched
	s.watched, s.profiled = nil, nil
	if err == nil && out.query != nil {
		out.ends, out.profiled, out.running = true, found, running
		return out, nil
	}
	err = running.reason(err)
	s.goes(running)
	rows := out.Affected
	if list, ok := out.cursor.(*rowList); ok && out.Header != nil {
		rows = int64(len(list.rows))
	}
	s.ends(false)
	s.endAnalysis(found, w, rows)
	s.over(w, rows, err)
	return out, err
}

// RunOf does what database/sql requests by a call, as the statement that the call stands for.
func (s *Session) RunOf(ctx context.Context, c *Call, do func(context.Context) error) error {
	s.state.Now = now()
	s.begins(&c.text, c.kind)
	ctx = s.watch(ctx, c.text, nil, nil)
	err := do(ctx)
	w := s.watched
	s.watched = nil
	s.ends(false)
	s.over(w, 0, err)
	return err
}

// count adds the cost of a statement, or of part of it.
func (s *Session) count(m *engine.Meter, w *watched) {
	s.tally.Load().meter.Add(m)
	if w != nil {
		w.Meter.Add(m)
	}
}

// Operation is what the statement does: SELECT, INSERT, CREATE TABLE.
func (d *Done) Operation() string {
	if d.Statement == nil {
		return d.Text
	}
	if verb := verbs[kindOf(d.Statement)]; verb != "" {
		return verb
	}
	return dialect.Verb(d.Text, dialect.Options{})
}

// Tables names the tables that the statement is about, each once, the ones that it writes first; with the database if that is not
// the session's own.
func (d *Done) Tables() (names []string) {
	add := func(database, name string) {
		if database != "" && !strings.EqualFold(database, d.Database) {
			name = database + "." + name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if d.Plan != nil {
		for _, t := range planner.Written(d.Plan.Write) {
			add(databaseOf(t), t.Name)
		}
		for _, t := range d.Plan.Tables {
			add(databaseOf(t), t.Name)
		}
	}
	for _, t := range defined(d.Statement) {
		add(t.Database, t.Name)
	}
	return names
}

// databaseOf is the database of a table as SQL names it.
func databaseOf(t *schema.Table) string {
	if t.Virtual != nil {
		return "information_schema"
	}
	return schema.DatabaseName(t.Database)
}

// defined names the tables that a statement defines, changes or tends.
func defined(s dialect.Statement) []dialect.TableName {
	switch s := s.(type) {
	case *dialect.CreateTable:
		return []dialect.TableName{s.Table}
	case *dialect.AlterTable:
		return []dialect.TableName{s.Table}
	case *dialect.DropTable:
		return s.Tables
	case *dialect.CreateIndex:
		return []dialect.TableName{s.Table}
	case *dialect.DropIndex:
		return []dialect.TableName{s.Table}
	case *dialect.Truncate:
		return []dialect.TableName{s.Table}
	case *dialect.RenameTable:
		return s.From
	case *dialect.MaintainTable:
		return s.Tables
	case *dialect.CreateView:
		return []dialect.TableName{s.View}
	case *dialect.DropView:
		return s.Views
	}
	return nil
}
