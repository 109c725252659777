package ddl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

func (x *definition) createTable(ctx context.Context, s *dialect.CreateTable) (*Outcome, error) {
	if s.Temporary {
		if err := define.CheckTemporary(s); err != nil {
			return nil, err
		}
	}
	if _, err := x.table(ctx, s.Table); err == nil {
		err := &catalog.ExistsError{Name: s.Table.Name}
		if s.IfNotExists {
			x.note(err)
			return &Outcome{}, nil
		}
		return nil, err
	} else if !isNoTable(err) {
		return nil, err
	}
	switch {
	case s.Like != nil:
		return &Outcome{}, x.createLike(ctx, s)
	case s.As != nil:
		return x.createAs(ctx, s)
	}
	for i := range s.ForeignKeys {
		if err := x.place(ctx, &s.ForeignKeys[i]); err != nil {
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
	t.Database = x.Catalog.Database()
	if err := x.checkTies(ctx, t); err != nil {
		return err
	}
	if err := x.covers(t.Indexes); err != nil {
		return err
	}
	create := x.Catalog.Create
	if x.Shared && !t.IsExternal() && !t.IsDivided() {
		create = x.Catalog.CreateShared
	}
	err := x.createTied(ctx, t, func() error { return create(ctx, t, x.meter) })
	return x.unlessExists(ifNotExists, err)
}

// unlessExists turns the error that the table already exists into a note if the statement says IF NOT EXISTS.
func (x *definition) unlessExists(ifNotExists bool, err error) error {
	var exists *catalog.ExistsError
	if ifNotExists && errors.As(err, &exists) {
		x.note(exists)
		return nil
	}
	return err
}

// note makes SHOW WARNINGS tell what IF EXISTS or IF NOT EXISTS has skipped.
func (x *definition) note(err error) {
	code := sqlerr.CodeUnknownTable
	if _, exists := err.(*catalog.ExistsError); exists {
		code = sqlerr.CodeTableExists
	}
	x.session.Diagnostics.Note(expr.Note, code, "%s", err)
}

// createTied makes a table once every writer to the tables that its foreign keys refer to knows of it.
func (x *definition) createTied(ctx context.Context, t *schema.Table, create func() error) error {
	err := x.Catalog.DeclareReferences(ctx, t, x.meter)
	if err == nil {
		err = x.declareElsewhere(ctx, t)
	}
	if err == nil {
		err = create()
	}
	if err != nil {
		return err
	}
	if err = x.confirmElsewhere(ctx, t); err != nil {
		return x.dropMade(ctx, t, err)
	}
	return nil
}

// dropMade drops a table again whose statement made it and then failed with err.
func (x *definition) dropMade(ctx context.Context, t *schema.Table, err error) error {
	dropping, cancel := outlive(ctx, dropGrace)
	defer cancel()
	if dropErr := x.Catalog.Drop(dropping, []*schema.Table{t}, x.meter); dropErr != nil && !isNoTable(dropErr) {
		return fmt.Errorf("%w (and table %s, which was made for it, could not be dropped: %v)", err, t.Name, dropErr)
	}
	x.takenBack()
	return err
}

func (x *definition) createLike(ctx context.Context, s *dialect.CreateTable) error {
	if err := define.CheckName(s.Table.Name, s.Table.Pos); err != nil {
		return err
	}
	from, err := x.model(ctx, *s.Like)
	if err != nil {
		return err
	}
	if s.Temporary {
		if err := define.CheckTemporaryCopy(from); err != nil {
			return err
		}
	}
	if from.IsExternal() {
		return notOfExternal("CREATE TABLE … LIKE", from)
	}
	t := from.Clone()
	if t.Announces() {
		t = t.TakeBack()
	}
	t.EndChange() // it has no rows
	t.Statistics = nil
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

// model finds the table that CREATE TABLE … LIKE names: the session's own, if it has one of that name.
func (x *definition) model(ctx context.Context, name dialect.TableName) (*schema.Table, error) {
	own, err := x.Seen.Temporary(ctx, name.Database, name.Name)
	switch {
	case err != nil:
		return nil, err
	case own != nil:
		return own.Table(ctx, name.Name)
	case !x.Catalog.IsTemporary():
		return x.base(ctx, name, "CREATE TABLE … LIKE")
	}
	of, err := x.Seen.Snapshot(ctx, name.Database)
	if err != nil {
		return nil, err
	}
	stored := *x.Definer
	stored.Catalog = of.Catalog()
	return (&definition{Definer: &stored}).base(ctx, name, "CREATE TABLE … LIKE")
}

// bindable says, before a definition is published, whether its texts can be bound.
func bindable(t *schema.Table) error {
	if err := t.Init(); err != nil {
		return err
	}
	_, err := planner.BindTexts(t)
	return err
}

// createAs makes the table, then fills it. If filling fails, the table is dropped again.
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
		return nil, x.dropMade(ctx, t, err)
	}
	return &Outcome{Result: r}, nil
}

// dropGrace is how long dropping the table of a failed statement may take after the statement's context has ended. Its definition
// goes by one request; a later drop of any table deletes the rest.
const dropGrace = time.Second

// outlive gives a context that ends a while after ctx.
func outlive(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if retry.Sleep(longer, d) == nil {
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}

// fill inserts the rows of a query into a new table.
func (x *definition) fill(ctx context.Context, t *schema.Table, query *planner.Plan) (exec.Result, error) {
	insert := &planner.Insert{Table: t, Source: query.Root}
	for _, c := range query.Columns {
		insert.Columns = append(insert.Columns, t.Ordinal(c.Name))
	}
	plan := &planner.Plan{Write: insert, Slots: query.Slots, Tables: append(slices.Clip(query.Tables), t)}
	fill := &exec.Execution{Plan: plan, Session: x.session, Meter: x.meter}
	if x.Within != nil {
		var err error
		if fill.Store, err = x.Within(ctx, query.Tables); err != nil {
			return exec.Result{}, err
		}
	}
	return dml.Write(ctx, x.Runtime, fill)
}
