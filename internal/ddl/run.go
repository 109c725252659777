// Package ddl changes definitions while others write: it publishes one state of a change after the other, rewrites rows and
// fills indexes between them, and checks and repairs what is stored.
package ddl

import (
	"context"
	"errors"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Definer runs the statements that make and change definitions.
type Definer struct {
	Runtime *exec.Runtime
	// Catalog is the catalog of the database whose definitions are changed, Database its name. A table that a statement names
	// without a database is of this one.
	Catalog  *catalog.Catalog
	Database string
	// Implicit says that the database exists without having been created explicitly.
	Implicit bool
	// Seen are the tables that a query in the statement can name, by the current database of the session.
	Seen show.Seen
	// Shared puts new tables into the one physical table of the database, where they are not divided into partitions.
	Shared bool
	// Within gives a reader for what the query of CREATE TEMPORARY TABLE … AS reads of some tables in a transaction; nil: there is
	// none. What the statement writes is not part of the transaction, as in MySQL: a ROLLBACK leaves it.
	Within func(ctx context.Context, tables []*schema.Table) (engine.Reader, error)
	// Dropping are the tables that the statement drops in all databases, each with its database.
	Dropping []dialect.TableName
	// AnalyzeRequests is about how many requests ANALYZE TABLE sends for a table.
	AnalyzeRequests int
}

// Outcome is what a definition statement gives: rows for CHECK TABLE and its like, a Result for the others.
type Outcome struct {
	exec.Result
	Columns []planner.ResultColumn
	Rows    [][]value.Value
}

// Run runs a statement. All tables that it changes are of one database.
func (d *Definer) Run(ctx context.Context, stmt dialect.Statement, session *expr.Session, m *engine.Meter) (*Outcome, error) {
	if _, maintains := stmt.(*dialect.MaintainTable); !maintains {
		end, err := d.Catalog.BeginDefine(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	now, err := d.Catalog.Latest(ctx)
	if err == nil && !now.Exists() && (!d.Implicit || now.IsDropped()) {
		err = &schema.NoDatabaseError{Name: d.Database}
	}
	if err != nil {
		return nil, err
	}
	x := &definition{Definer: d, session: session, meter: m, collation: d.Seen.Standard}
	if c, ok := value.CollationNamed(now.Collation()); ok && now.Collation() != "" {
		x.collation = c
	}
	out, err := x.run(ctx, stmt)
	if err != nil && x.stands() {
		return nil, &HalfwayError{err}
	}
	return out, err
}

// HalfwayError says that Cause ended a change of definitions after some of its steps were made.
type HalfwayError struct{ Cause error }

func (e *HalfwayError) Error() string {
	return e.Cause.Error() + " (some steps of the change are done: see SHOW CREATE TABLE and SHOW INDEX)"
}

// Unwrap gives the cause.
func (e *HalfwayError) Unwrap() error { return e.Cause }

func (x *definition) run(ctx context.Context, stmt dialect.Statement) (*Outcome, error) {
	switch s := stmt.(type) {
	case *dialect.CreateTable:
		return x.createTable(ctx, s)
	case *dialect.DropTable:
		return &Outcome{}, x.dropTables(ctx, s)
	case *dialect.CreateView:
		return &Outcome{}, x.createView(ctx, s)
	case *dialect.DropView:
		return &Outcome{}, x.dropViews(ctx, s)
	case *dialect.CreateIndex:
		return &Outcome{}, x.alter(ctx, s.Table, []dialect.AlterAction{{Kind: dialect.AddIndex, Index: s.Index, IfExists: s.Index.IfNot, Pos: s.Index.Pos, Options: s.Options}})
	case *dialect.DropIndex:
		return &Outcome{}, x.dropIndex(ctx, s)
	case *dialect.AlterTable:
		return &Outcome{}, x.alter(ctx, s.Table, s.Actions)
	case *dialect.Truncate:
		return &Outcome{}, x.truncate(ctx, s.Table)
	case *dialect.RenameTable:
		return &Outcome{}, x.rename(ctx, s)
	case *dialect.MaintainTable:
		return x.maintain(ctx, s)
	}
	return nil, sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "%T is not supported", stmt)
}

// definition is one statement under way.
type definition struct {
	*Definer
	session *expr.Session
	meter   *engine.Meter

	collation value.Collation // of tables that specify none

	noted bool  // the number of rewritten rows may have been noted
	gone  int64 // operations committed by the statement when all of them were last undone
	stood bool  // the statement had done something before the current action
}

// stands says whether the statement has done anything that was not undone.
func (x *definition) stands() bool { return x.meter.Written.Load() > x.gone }

// takenBack notes that the current action was undone.
func (x *definition) takenBack() {
	if !x.stood {
		x.gone = x.meter.Written.Load()
	}
}

// table finds a table.
func (x *definition) table(ctx context.Context, name dialect.TableName) (*schema.Table, error) {
	return x.lookUp(ctx, name, (*catalog.Snapshot).Table)
}

// known is table, or what is known of a table that another program made and that was never declared.
func (x *definition) known(ctx context.Context, name dialect.TableName) (*schema.Table, error) {
	return x.lookUp(ctx, name, (*catalog.Snapshot).Find)
}

func (x *definition) lookUp(ctx context.Context, name dialect.TableName, in func(*catalog.Snapshot, context.Context, string) (*schema.Table, error)) (*schema.Table, error) {
	from := x.Catalog
	switch {
	case show.IsVirtual(name.Database):
		return nil, sqlerr.New(sqlerr.CodeDatabaseDenied, name.Pos, "Access denied for user 'nearlyfree'@'localhost' to database '%s'", name.Database)
	case name.Database != "" && !strings.EqualFold(name.Database, x.Database):
		s, err := x.Seen.Snapshot(ctx, name.Database)
		if err != nil {
			return nil, err
		}
		from = s.Catalog()
	}
	var t *schema.Table
	err := from.With(ctx, func(s *catalog.Snapshot) (err error) {
		t, err = in(s, ctx, name.Name)
		return err
	})
	return t, err
}

// with calls f, and again if definitions were changed meanwhile.
func (x *definition) with(ctx context.Context, f func() error) error {
	return x.Catalog.With(ctx, func(*catalog.Snapshot) error {
		err := f()
		if catalog.IsMoved(err) {
			x.Seen.Forget()
		}
		return err
	})
}

// options are the options of new definitions.
func (x *definition) options() planner.Options {
	return planner.Options{Collation: x.collation, Exact: x.session.Exact}
}

// declared is table for the statement what. It refuses a table that another program made and that was never declared.
func (x *definition) declared(ctx context.Context, name dialect.TableName, what string) (*schema.Table, error) {
	t, err := x.known(ctx, name)
	if err == nil && t.IsUndeclared() {
		return nil, notOfExternal(what, t)
	}
	return t, err
}

func isNoTable(err error) bool {
	var e *schema.NoTableError
	return errors.As(err, &e)
}

// plan plans a statement that is part of a change, by the current definitions: the query of CREATE TABLE … AS, and the DELETE
// that empties an interleaved table.
func (x *definition) plan(ctx context.Context, s dialect.Statement) (plan *planner.Plan, err error) {
	err = x.with(ctx, func() error {
		plan, err = planner.Build(&dialect.Parsed{Statement: s}, x.visible(ctx), x.planning(ctx))
		return err
	})
	return plan, err
}

// notOfExternal refuses to change another program's data or its layout.
func notOfExternal(what string, t *schema.Table) error {
	if t.IsUndeclared() {
		return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "%s of the table '%s' is not supported: it belongs to another program, and has no definition. CREATE EXTERNAL TABLE … LOCATION '%s' gives it one", what, t.Name, t.Name)
	}
	return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "%s of the external table '%s' is not supported: its data belongs to another program. DROP TABLE forgets its definition, and CREATE EXTERNAL TABLE makes another one", what, t.Name)
}
