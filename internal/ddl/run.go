// Package ddl changes definitions while others write: it publishes one state of a change after the other, rewrites rows and
// fills indexes between them, and checks and repairs what is stored.
package ddl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Definer runs the statements that make and change definitions.
type Definer struct {
	Runtime *exec.Runtime
	Catalog *catalog.Catalog
	// Shared puts new tables into the one physical table of the database, where they are not divided into partitions.
	Shared bool
	// Collation is that of tables which say none.
	Collation value.Collation
}

// Outcome is what a definition statement gives: rows for CHECK TABLE and its like, a Result for the others.
type Outcome struct {
	exec.Result
	Columns []planner.ResultColumn
	Rows    [][]value.Value
}

// Run runs a statement. The session's database is the only one there is.
func (d *Definer) Run(ctx context.Context, stmt dialect.Statement, session *expr.Session, m *engine.Meter) (*Outcome, error) {
	if _, maintains := stmt.(*dialect.MaintainTable); !maintains {
		end, err := d.Catalog.BeginDefine(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	if _, err := d.Catalog.Latest(ctx); err != nil {
		return nil, err
	}
	x := &definition{Definer: d, session: session, meter: m}
	out, err := x.run(ctx, stmt)
	if err != nil && x.stands() {
		return nil, &HalfwayError{err}
	}
	return out, err
}

// HalfwayError says that a change of definitions was ended by Cause when some of its steps were made.
type HalfwayError struct{ Cause error }

func (e *HalfwayError) Error() string {
	return e.Cause.Error() + " (some steps of the change are done: see SHOW CREATE TABLE and SHOW INDEX)"
}

// Unwrap gives the cause.
func (e *HalfwayError) Unwrap() error { return e.Cause }

func (x *definition) run(ctx context.Context, stmt dialect.Statement) (*Outcome, error) {
	session := x.session
	switch s := stmt.(type) {
	case *dialect.CreateTable:
		return x.createTable(ctx, s)
	case *dialect.DropTable:
		return &Outcome{}, x.dropTables(ctx, s)
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
	case *dialect.CreateDatabase:
		if s.IfNot && strings.EqualFold(s.Name, session.Database) {
			return &Outcome{}, nil
		}
		return nil, sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "CREATE DATABASE is neither supported nor needed: open a data source name with database=%s", s.Name)
	case *dialect.DropDatabase:
		return nil, sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "DROP DATABASE is not supported: drop its tables")
	}
	return nil, sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "%T is not supported", stmt)
}

// definition is one statement under way.
type definition struct {
	*Definer
	session *expr.Session
	meter   *engine.Meter
	noted   bool  // how many rows were written anew may have been noted
	gone    int64 // how many operations the statement had committed when all of them were undone last
	stood   bool  // the statement had done something before the current action
}

// stands says whether the statement has done something that was not undone.
func (x *definition) stands() bool { return x.meter.Written.Load() > x.gone }

// takenBack notes that the current action was undone.
func (x *definition) takenBack() {
	if !x.stood {
		x.gone = x.meter.Written.Load()
	}
}

// table finds a table of the session's database.
func (x *definition) table(ctx context.Context, name dialect.TableName) (*schema.Table, error) {
	return x.lookUp(ctx, name, (*catalog.Snapshot).Table)
}

// known is table, or what is known of a table that another program made and nobody declared.
func (x *definition) known(ctx context.Context, name dialect.TableName) (*schema.Table, error) {
	return x.lookUp(ctx, name, (*catalog.Snapshot).Find)
}

func (x *definition) lookUp(ctx context.Context, name dialect.TableName, in func(*catalog.Snapshot, context.Context, string) (*schema.Table, error)) (*schema.Table, error) {
	if name.Database != "" && !strings.EqualFold(name.Database, x.session.Database) {
		return nil, &schema.NoTableError{Database: name.Database, Name: name.Name}
	}
	var t *schema.Table
	err := x.Catalog.With(ctx, func(s *catalog.Snapshot) (err error) {
		t, err = in(s, ctx, name.Name)
		return err
	})
	return t, err
}

// options are those of new definitions.
func (x *definition) options() planner.Options {
	return planner.Options{Collation: x.Collation, Exact: x.session.Exact}
}

// declared is table for the statement what. It refuses a table that another program made and nobody declared.
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

func (x *definition) createTable(ctx context.Context, s *dialect.CreateTable) (*Outcome, error) {
	if _, err := x.table(ctx, s.Table); err == nil {
		if s.IfNotExists {
			return &Outcome{}, nil
		}
		return nil, &catalog.ExistsError{Name: s.Table.Name}
	} else if !isNoTable(err) {
		return nil, err
	} else if s.Table.Database != "" && !strings.EqualFold(s.Table.Database, x.session.Database) {
		return nil, sqlerr.New(sqlerr.CodeUnknownDatabase, s.Table.Pos, "Unknown database '%s'", s.Table.Database)
	}
	switch {
	case s.Like != nil:
		return &Outcome{}, x.createLike(ctx, s)
	case s.As != nil:
		return x.createAs(ctx, s)
	}
	for i := range s.ForeignKeys {
		if err := x.here(&s.ForeignKeys[i]); err != nil {
			return nil, err
		}
	}
	if name := s.Options["INTERLEAVE IN PARENT"]; name != "" {
		return &Outcome{}, x.createInterleaved(ctx, s, name)
	}
	t, err := define.Define(s, x.options())
	if err != nil {
		return nil, err
	}
	if err := x.checkExternal(t); err != nil {
		return nil, err
	}
	return &Outcome{}, x.create(ctx, t, s.IfNotExists)
}

// checkExternal refuses names of an external table that the store cannot have: no row could ever be written.
func (x *definition) checkExternal(t *schema.Table) error {
	if !t.IsExternal() {
		return nil
	}
	limits := x.Runtime.Engine.Limits()
	if err := limits.CheckTable(t.Physical); err != nil {
		return err
	}
	for _, c := range t.Columns {
		if c.Source != schema.SourceProperty {
			continue
		}
		if err := limits.CheckProperty(c.Property); err != nil {
			return sqlerr.New(sqlerr.CodeWrongSpecifier, sqlerr.NoPos, "Incorrect column specifier for column '%s': %v: say PROPERTY 'name' with one that is stored", c.Name, err)
		}
	}
	return nil
}

func (x *definition) create(ctx context.Context, t *schema.Table, ifNotExists bool) error {
	if err := x.checkTies(ctx, t); err != nil {
		return err
	}
	t.Database = ""
	create := x.Catalog.Create
	if x.Shared && !t.IsExternal() && !t.IsDivided() {
		create = x.Catalog.CreateShared
	}
	err := x.Catalog.DeclareReferences(ctx, t, x.meter)
	if err == nil {
		err = create(ctx, t, x.meter)
	}
	var exists *catalog.ExistsError
	if ifNotExists && errors.As(err, &exists) {
		return nil
	}
	return err
}

func (x *definition) createLike(ctx context.Context, s *dialect.CreateTable) error {
	from, err := x.declared(ctx, *s.Like, "CREATE TABLE … LIKE")
	if err != nil {
		return err
	}
	if from.IsExternal() {
		return notOfExternal("CREATE TABLE … LIKE", from)
	}
	t := from.Clone()
	if t.Announces() {
		t = t.TakeBack()
	}
	t.EndChange() // it has no rows
	for _, c := range t.Columns {
		c.Initial = nil
	}
	t.ForgetMade()
	t.Name = s.Table.Name
	t.Alone() // as in MySQL, a copy has no foreign keys
	for _, ix := range t.Indexes {
		ix.State = schema.Public // an empty table's indexes are complete
	}
	if err := bindable(t); err != nil {
		return err
	}
	return x.create(ctx, t, s.IfNotExists)
}

// bindable says whether the texts of a definition can be bound, before it is published.
func bindable(t *schema.Table) error {
	if err := t.Init(); err != nil {
		return err
	}
	_, err := planner.BindTexts(t)
	return err
}

// createAs makes the table, then fills it. When that fails the table goes again.
func (x *definition) createAs(ctx context.Context, s *dialect.CreateTable) (*Outcome, error) {
	if len(s.ForeignKeys) > 0 {
		return nil, sqlerr.NotSupported(s.ForeignKeys[0].Pos, "a foreign key in CREATE TABLE … AS SELECT (ALTER TABLE adds it afterwards) is")
	}
	plan, err := x.plan(ctx, s.As)
	if err != nil {
		return nil, err
	}
	t, err := define.DefineAs(s, plan.Columns, x.options())
	if err != nil {
		return nil, err
	}
	if err := x.create(ctx, t, false); err != nil {
		return nil, err
	}
	r, err := x.fill(ctx, t, plan)
	var need *schema.NoPartitionError
	if errors.As(err, &need) && need.Grows {
		if err = x.makePartitions(ctx, need); err == nil {
			var grown *schema.Table
			if grown, err = x.reload(ctx, t); err == nil {
				r, err = x.fill(ctx, grown, plan)
			}
		}
	}
	if err != nil {
		dropping, cancel := outlive(ctx, dropGrace)
		defer cancel()
		if dropErr := x.Catalog.Drop(dropping, []*schema.Table{t}, x.meter); dropErr != nil && !isNoTable(dropErr) {
			return nil, fmt.Errorf("%w (and table %s, which was made for it, could not be dropped: %v)", err, t.Name, dropErr)
		}
		x.takenBack()
		return nil, err
	}
	return &Outcome{Result: r}, nil
}

// dropGrace is how long the table of a failed statement may take to go after the statement's context has ended. Its definition
// goes by one request; whoever drops a table later deletes the rest.
const dropGrace = time.Second

// outlive gives a context that ends a while after ctx has.
func outlive(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if retry.Sleep(longer, d) == nil {
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}

// plan plans a statement that is part of a change, by the current definitions: the query of CREATE TABLE … AS, and the DELETE
// that empties an interleaved table.
func (x *definition) plan(ctx context.Context, s dialect.Statement) (plan *planner.Plan, err error) {
	options := planner.Options{Database: x.session.Database, Zoned: x.session.Zone != nil, Collation: x.session.Collation, Interrupted: ctx.Err}
	err = x.Catalog.With(ctx, func(now *catalog.Snapshot) error {
		plan, err = planner.Build(&dialect.Parsed{Statement: s}, show.Visible(ctx, now, x.session.Database, x.Collation), options)
		return err
	})
	return plan, err
}

// fill inserts the rows of a query into a new table.
func (x *definition) fill(ctx context.Context, t *schema.Table, query *planner.Plan) (exec.Result, error) {
	insert := &planner.Insert{Table: t, Source: query.Root}
	for _, c := range query.Columns {
		insert.Columns = append(insert.Columns, t.Ordinal(c.Name))
	}
	plan := &planner.Plan{Write: insert, Slots: query.Slots, Tables: append(slices.Clip(query.Tables), t)}
	return dml.Write(ctx, x.Runtime, &exec.Execution{Plan: plan, Session: x.session, Store: x.Runtime.Engine, Meter: x.meter})
}

// dropTables drops all of the tables, or, when one is missing, none; up to dropsAtOnce of them in one change.
func (x *definition) dropTables(ctx context.Context, s *dialect.DropTable) error {
	tries := retry.Begin(ctx, retry.Race)
	for {
		ctx := tries.Context
		tables, err := x.toDrop(ctx, s)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(tables, dropsAtOnce) {
			if err = x.Catalog.Drop(ctx, some, x.meter); err != nil {
				break
			}
		}
		if !isNoTable(err) || x.stands() {
			return err
		}
		// Another process has dropped or renamed one of them since they were found.
		if err := tries.Again(err); err != nil {
			return err
		}
	}
}

// toDrop finds the tables that DROP TABLE names. The stored parent copies among their rows are retired.
func (x *definition) toDrop(ctx context.Context, s *dialect.DropTable) ([]*schema.Table, error) {
	var tables []*schema.Table
	var missing []string
	for _, name := range s.Tables {
		t, err := x.declared(ctx, name, "DROP TABLE")
		if isNoTable(err) {
			missing = append(missing, x.session.Database+"."+name.Name)
			continue
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	if len(missing) > 0 && !s.IfExists {
		return nil, sqlerr.New(sqlerr.CodeUnknownTable, sqlerr.NoPos, "Unknown table '%s'", strings.Join(missing, ","))
	}
	if err := dropsChildren(tables); err != nil {
		return nil, err
	}
	if err := x.dropsReferrers(ctx, tables); err != nil {
		return nil, err
	}
	for _, t := range tables {
		if err := x.retireCopies(ctx, t, tables); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// dropsAtOnce is how many tables one change drops: each takes up to three operations of it.
const dropsAtOnce = 30

func (x *definition) truncate(ctx context.Context, name dialect.TableName) error {
	t, err := x.declared(ctx, name, "TRUNCATE")
	if err != nil {
		return err
	}
	if len(t.Children) > 0 {
		return sqlerr.New(sqlerr.CodeTruncateReferenced, sqlerr.NoPos, "Cannot truncate a table referenced in a foreign key constraint (`%s`): use DELETE", t.Children[0])
	}
	if err := x.emptiesReferred(ctx, t); err != nil {
		return err
	}
	if t.IsInterleaved() {
		return x.empty(ctx, t)
	}
	if t.IsExternal() {
		return notOfExternal("TRUNCATE", t)
	}
	return x.Catalog.Truncate(ctx, t, x.meter)
}

// notOfForeign refuses to change data of another program, or its layout.
func notOfExternal(what string, t *schema.Table) error {
	if t.IsUndeclared() {
		return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "%s of the table '%s' is not supported: it belongs to another program, and has no definition. CREATE EXTERNAL TABLE … LOCATION '%s' gives it one", what, t.Name, t.Name)
	}
	return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "%s of the external table '%s' is not supported: its data belongs to another program. DROP TABLE forgets its definition, and CREATE EXTERNAL TABLE makes another one", what, t.Name)
}

func (x *definition) rename(ctx context.Context, s *dialect.RenameTable) error {
	for i := range s.From {
		if err := x.renameTo(ctx, s.From[i], s.To[i].Name); err != nil {
			return err
		}
	}
	return x.Catalog.WaitCurrent(ctx) // nobody may find the table by its old name when another one gets that name
}

func (x *definition) renameTo(ctx context.Context, from dialect.TableName, to string) error {
	t, err := x.declared(ctx, from, "RENAME TABLE")
	if err != nil {
		return err
	}
	next := t.Clone()
	next.Name = to
	if err := bindable(next); err != nil {
		return err
	}
	if err := x.checkWaiting(ctx, next); err != nil {
		return err
	}
	return x.Catalog.Replace(ctx, t, next, x.meter)
}
