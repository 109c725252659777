package ddl

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// alter runs the actions of ALTER TABLE in turn. All are tried on the definition alone before anything is changed.
func (x *definition) alter(ctx context.Context, name dialect.TableName, actions []dialect.AlterAction) error {
	for _, a := range actions {
		if err := define.CheckOptions(a.Options); err != nil {
			return err
		}
	}
	t, err := x.declared(ctx, name, "ALTER TABLE")
	if err != nil {
		return err
	}
	if t.Foreign != nil {
		return notOfForeign("ALTER TABLE", t)
	}
	before := t
	if t, err = x.finish(ctx, t); err != nil {
		return err
	}
	x.takenBack() // what was finished is no part of this one
	actions = slices.DeleteFunc(slices.Clone(actions), func(a dialect.AlterAction) bool { return x.filled(before, t, &a) })
	if err := x.keepsCopies(ctx, t, actions); err != nil {
		return err
	}
	try := t
	for i := range actions {
		if x.resumes(try, &actions[i]) != nil {
			continue
		}
		if try, _, err = x.next(try, &actions[i]); err != nil {
			return err
		}
	}
	for len(actions) > 0 {
		c, err := x.together(t, actions)
		if err != nil {
			return err
		}
		x.stood = x.stands()
		if t, err = x.makeAgain(ctx, t, c); err != nil {
			return err
		}
		actions = actions[len(c.actions):]
	}
	return nil
}

// change is what actions of ALTER TABLE make of a definition together: they share their steps.
type change struct {
	define.Change
	next    *schema.Table
	actions []dialect.AlterAction
}

// together gives the change of t that as many of the actions make as can share their steps: at least the first. A change of partitions,
// and an index that is gone on with, are changes of their own.
func (x *definition) together(t *schema.Table, actions []dialect.AlterAction) (*change, error) {
	c := &change{next: t}
	for i := range actions {
		a := &actions[i]
		alone := changesPartitions(a) || x.resumes(t, a) != nil
		if i > 0 && alone {
			break
		}
		if x.resumes(t, a) != nil {
			c.actions = actions[:1]
			break
		}
		next, after, err := x.next(c.next, a)
		if err != nil {
			return nil, err
		}
		both, ok := after, true
		if i > 0 {
			both, ok = c.Then(&after, t, c.next, next)
		}
		if !ok || i > 0 && !announceable(t, next, &both) {
			break
		}
		c.Change, c.next, c.actions = both, next, actions[:i+1]
		if alone {
			break
		}
	}
	if len(c.Fill) > 0 && !c.only(dialect.AddIndex) {
		c.next.Change = &schema.Change{Phase: schema.Backfill}
	}
	return c, nil
}

// only says whether all actions are of the kinds.
func (c *change) only(kinds ...dialect.AlterKind) bool {
	return !slices.ContainsFunc(c.actions, func(a dialect.AlterAction) bool { return !slices.Contains(kinds, a.Kind) })
}

// filled says that an action adds a column that was pending before: one that a process did not live to fill, and that is
// filled now. So the same statement, sent again, makes an end of it.
func (x *definition) filled(before, t *schema.Table, a *dialect.AlterAction) bool {
	pending := func(c *schema.Column) bool {
		return c.State != schema.Public && strings.EqualFold(c.Name, a.Column.Name)
	}
	if a.Kind != dialect.AddColumn || !before.Fills() || !slices.ContainsFunc(before.Columns, pending) || t.Ordinal(a.Column.Name) < 0 {
		return false
	}
	without, _, err := x.next(t, &dialect.AlterAction{Kind: dialect.DropColumn, Name: a.Column.Name})
	if err != nil {
		return false
	}
	without.EndChange()
	again, _, err := x.next(without, a)
	if err != nil {
		return false
	}
	again.EndChange()
	return schema.CreateTableSQL(again) == schema.CreateTableSQL(t)
}

// resumes gives the index that an action goes on building: one that a process did not live to finish.
func (x *definition) resumes(t *schema.Table, a *dialect.AlterAction) *schema.Index {
	if ix := made(t, a); ix != nil && ix.State != schema.Public {
		return ix
	}
	return nil
}

// made gives the index that an action makes, where it is there in any state.
func made(t *schema.Table, a *dialect.AlterAction) *schema.Index {
	if a.Kind != dialect.AddIndex {
		return nil
	}
	ix := t.Index(a.Index.Name)
	if ix == nil || ix.Unique != a.Index.Unique || len(ix.Key) != len(a.Index.Parts) {
		return nil
	}
	for i, p := range a.Index.Parts {
		if t.Ordinal(p.Column) != ix.Key[i].Column || p.Desc != ix.Key[i].Desc || p.Length != ix.Key[i].Prefix {
			return nil
		}
	}
	return ix
}

// next gives the definition that an action leads to, with the values that existing rows have in new columns.
func (x *definition) next(t *schema.Table, a *dialect.AlterAction) (*schema.Table, define.Change, error) {
	next, change, err := define.Alter(t, *a, x.options())
	if err != nil {
		return nil, change, err
	}
	for i, n := range change.New {
		if n == nil || next.Columns[i].State != schema.Public {
			continue
		}
		env := &expr.Env{Session: x.session}
		v, err := expr.CompileOperand(n)(env)
		if err == nil {
			v, _, err = env.Store(next.Columns[i].Type, v)
		}
		if err != nil {
			return nil, change, dml.ColumnError(next.Columns[i], 1, err)
		}
		next.Columns[i].SetInitial(v)
	}
	return next, change, nil
}

// makeAgain is make, which goes on to make and drop indexes where another process has changed something else about the table
// meanwhile: a part of it may be gone. An index without a name would be another one the next time.
func (x *definition) makeAgain(ctx context.Context, t *schema.Table, c *change) (*schema.Table, error) {
	unnamed := func(a dialect.AlterAction) bool { return a.Kind == dialect.AddIndex && a.Index.Name == "" }
	again := c.only(dialect.AddIndex, dialect.DropIndexAction) && !slices.ContainsFunc(c.actions, unnamed)
	left := c.actions
	tries := retry.Begin(ctx, retry.Race)
	for {
		ctx := tries.Context
		next, err := x.make(ctx, t, c)
		if err == nil && len(c.actions) == len(left) {
			return next, nil
		}
		if err == nil { // an index that is gone on with is a change of its own
			t, left = next, left[len(c.actions):]
		} else {
			if !again || !changedBeside(err) {
				return next, err
			}
			if err := tries.Again(err); err != nil {
				return nil, err
			}
			if t, err = x.reload(ctx, t); err != nil {
				return nil, err
			}
			// Another process may have gone on with some.
			left = slices.DeleteFunc(slices.Clone(left), func(a dialect.AlterAction) bool { return isMade(t, &a) })
			if len(left) == 0 {
				return t, nil
			}
		}
		if c, err = x.together(t, left); err != nil {
			return nil, err
		}
	}
}

// isMade says whether t has the index that an action makes, or has the one that it drops no more.
func isMade(t *schema.Table, a *dialect.AlterAction) bool {
	if a.Kind == dialect.DropIndexAction {
		return t.Index(a.Name) == nil
	}
	ix := made(t, a)
	return ix != nil && ix.State == schema.Public
}

// changedBeside says whether err comes of a change of the definition, or of a partition, by another process.
func changedBeside(err error) bool {
	var changed *dml.SchemaChangedError
	var e *engine.Error
	return errors.Is(err, catalog.ErrConflict) || errors.As(err, &changed) ||
		errors.As(err, &e) && (e.Code == engine.CodeNoTable || e.Code == engine.CodeDeleting)
}

// make makes a change and gives the definition that it leads to.
func (x *definition) make(ctx context.Context, t *schema.Table, c *change) (*schema.Table, error) {
	if ix := x.resumes(t, &c.actions[0]); ix != nil {
		x.noted = true
		// Who began it may have died just now: writers may still go by the definition before the one that it left.
		if err := x.Catalog.WaitCurrent(ctx); err != nil {
			return nil, err
		}
		return x.build(ctx, t, t, define.Change{Fill: []*schema.Index{ix}})
	}
	if changesPartitions(&c.actions[0]) {
		return x.changePartitions(ctx, t, c.next, &c.actions[0])
	}
	if err := unannounced(t, c); err != nil {
		return nil, err
	}
	if err := x.verify(ctx, t, c.next, &c.Change); err != nil {
		return nil, err
	}
	dropped := c.Drop
	if len(dropped) > 0 {
		var err error
		if t, err = x.retire(ctx, t, dropped); err != nil {
			return nil, err
		}
		// Another process may have changed something else about the table meanwhile: its place, if it was emptied.
		if c, err = x.together(t, c.actions); err != nil {
			return nil, err
		}
		if !slices.EqualFunc(dropped, c.Drop, func(a, b *schema.Index) bool { return a.Name == b.Name }) {
			return nil, catalog.ErrConflict // it has made an index that this change drops, too
		}
		if err := unannounced(t, c); err != nil {
			return nil, err
		}
	}
	t, err := x.prepare(ctx, t, c.next, &c.Change)
	if err != nil {
		return nil, err
	}
	for _, ix := range c.Fill {
		ix.State = schema.DeleteOnly
	}
	if first := firstAutoIncrement(t, c.next); first > 0 {
		if err := x.Catalog.Raise(ctx, t, first-1, x.meter); err != nil {
			return nil, err
		}
	}
	if err := x.Catalog.Replace(ctx, t, c.next, x.meter); err != nil {
		return nil, err
	}
	if c.Rewrite || c.Outdates || len(c.Fill) > 0 || len(c.Drop) > 0 {
		if err := x.Catalog.WaitCurrent(ctx); err != nil {
			return nil, err
		}
	}
	now, err := x.published(ctx, c.next)
	if errors.Is(err, catalog.ErrConflict) && !c.Rewrite && len(c.Fill) == 0 {
		err = nil // no row is written by it
	}
	if err != nil {
		return nil, err
	}
	for i, ix := range c.Drop {
		if err := x.deleteEntries(ctx, now, ix); err != nil {
			return nil, err
		}
		if dropped[i].State != schema.Public {
			if err := x.Catalog.ClearProgress(ctx, t, x.meter); err != nil {
				return nil, err
			}
		}
	}
	if !c.Rewrite && len(c.Fill) == 0 {
		return now, nil
	}
	return x.build(ctx, t, now, c.Change)
}

// unannounced gives ErrConflict where another process has announced a change of t's columns meanwhile: what is made of t
// then would be taken back with that. Indexes are not.
func unannounced(t *schema.Table, c *change) error {
	if !t.Announces() || c.only(dialect.AddIndex, dialect.DropIndexAction) {
		return nil
	}
	return catalog.ErrConflict
}

// firstAutoIncrement is the value that ALTER TABLE … AUTO_INCREMENT = n asks for; 0 when it does not.
func firstAutoIncrement(t, next *schema.Table) int64 {
	if next.FirstAutoIncrement == t.FirstAutoIncrement {
		return 0
	}
	return next.FirstAutoIncrement
}

// reload gives the definition as the catalog has it.
func (x *definition) reload(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	return x.table(ctx, dialect.TableName{Name: t.Name, Pos: -1})
}

// published gives a definition that was published here as the catalog has it now: perhaps with more partitions. ErrConflict when
// another process has changed it.
func (x *definition) published(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	now, err := x.reload(ctx, t)
	if err == nil && now.WriteVersion != t.WriteVersion {
		err = catalog.ErrConflict
	}
	return now, err
}

// setState takes indexes of t, by name, to a state, and waits until nobody uses the definition before. ErrConflict when
// another process takes one of them to a state, too: rows may have been written by that one.
func (x *definition) setState(ctx context.Context, t *schema.Table, state schema.State, names []string) (*schema.Table, error) {
	written := t // the definition that every row was written by, where the indexes become public
	tries := retry.Begin(ctx, retry.Race)
	for {
		ctx := tries.Context
		next := t.Clone()
		for _, name := range names {
			ix := next.Index(name)
			if ix == nil {
				return nil, catalog.ErrConflict // another process has dropped it
			}
			ix.State = state
			ix.Step++
		}
		if unfilled := func(c *schema.Column) bool { return c.State != schema.Public }; state == schema.Public && sameColumns(written, t) &&
			!slices.ContainsFunc(t.Columns, unfilled) { // to write rows for an index gives them no column
			next.EndChange()
		}
		err := x.Catalog.Replace(ctx, t, next, x.meter)
		if errors.Is(err, catalog.ErrConflict) {
			// Another process has changed something else about the table.
			if err := tries.Again(err); err != nil {
				return nil, err
			}
			if t, err = x.reload(ctx, t); err == nil && !sameStates(written, t, names) {
				err = catalog.ErrConflict
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := x.Catalog.WaitCurrent(ctx); err != nil {
			return nil, err
		}
		now, err := x.reload(ctx, next)
		if err == nil && !sameStates(next, now, names) {
			err = catalog.ErrConflict
		}
		return now, err
	}
}

// sameStates says whether indexes, by name, are the same in two definitions, and nobody took them to a state in between.
func sameStates(a, b *schema.Table, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		x, y := a.Index(name), b.Index(name)
		return x == nil || y == nil || x.KeyName != y.KeyName || x.Step != y.Step
	})
}

// endChange notes that every row is in the form of its definition.
func (x *definition) endChange(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	next := t.Clone()
	if !next.EndChange() {
		return t, nil
	}
	if err := x.Catalog.Replace(ctx, t, next, x.meter); err != nil {
		return nil, err
	}
	return x.reload(ctx, next)
}

// retire takes indexes of t to write-only, so that nobody reads them, then to delete-only, so that nobody adds to them.
func (x *definition) retire(ctx context.Context, t *schema.Table, indexes []*schema.Index) (*schema.Table, error) {
	for _, state := range []schema.State{schema.WriteOnly, schema.DeleteOnly} {
		var names []string
		behind := false // one is in the state already
		for _, old := range indexes {
			ix := t.Index(old.Name) // as it is now: another process may have changed its state since the change was planned
			switch {
			case ix == nil:
				return nil, catalog.ErrConflict
			case ix.State == state:
				behind = behind || state == schema.WriteOnly
			case ix.State == schema.Public || state == schema.DeleteOnly:
				names = append(names, ix.Name)
			}
		}
		var err error
		switch {
		case len(names) > 0:
			t, err = x.setState(ctx, t, state, names)
		case behind:
			// Who took it there may have done so just now: some process may still read by it.
			err = x.Catalog.WaitCurrent(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// build takes new indexes through their states, writing every row anew while they are written to but not read
// (which also gives the row the form of the next definition), and makes them public. A duplicate in a unique one
// takes it back.
func (x *definition) build(ctx context.Context, from, t *schema.Table, change define.Change) (*schema.Table, error) {
	var names []string
	for _, ix := range change.Fill {
		names = append(names, ix.Name)
	}
	var err error
	if len(names) > 0 {
		announced := t
		if t, err = x.setState(ctx, t, schema.WriteOnly, names); err != nil {
			return nil, err
		}
		// Another process may have changed the columns meanwhile: rows are as it left them.
		switch {
		case !change.Rewrite:
			from, change = t, define.Change{Fill: change.Fill}
		case !sameColumns(announced, t):
			return nil, catalog.ErrConflict
		}
	}
	if err := x.rewrite(ctx, from, t, &change); err != nil {
		if len(names) == 0 {
			return nil, err
		}
		return nil, x.takeBack(ctx, t, names, change.Rewrite, err)
	}
	if x.noted {
		if err := x.Catalog.ClearProgress(ctx, t, x.meter); err != nil {
			return nil, err
		}
		x.noted = false
	}
	if len(names) == 0 {
		return x.endChange(ctx, t)
	}
	written := t
	if t, err = x.setState(ctx, t, schema.Public, names); err != nil || !change.Rewrite || !sameColumns(written, t) {
		return t, err
	}
	return x.endChange(ctx, t)
}

// sameColumns says whether two definitions of a table have the same columns in the same forms, each with a property of its
// own.
func sameColumns(a, b *schema.Table) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(x, y *schema.Column) bool { return x.Property == y.Property })
}

// takeBack removes indexes that could not be filled, and gives the reason. A change of columns, rewritten, stays.
func (x *definition) takeBack(ctx context.Context, t *schema.Table, names []string, rewritten bool, cause error) error {
	if ctx.Err() != nil || passing(cause) {
		return cause // as after a crash: CREATE INDEX goes on, DROP INDEX gives up
	}
	if _, err := x.drop(ctx, t, names...); err != nil {
		return err
	}
	if !rewritten {
		x.takenBack()
	}
	return cause
}

// drop drops indexes.
func (x *definition) drop(ctx context.Context, t *schema.Table, names ...string) (*schema.Table, error) {
	var actions []dialect.AlterAction
	for _, name := range names {
		actions = append(actions, dialect.AlterAction{Kind: dialect.DropIndexAction, Name: name})
	}
	c, err := x.together(t, actions)
	if err != nil {
		return nil, err
	}
	return x.make(ctx, t, c)
}

// passing says whether another try may succeed where err ended one: it is about the store, or about other writers, and
// not about what the rows hold.
func passing(err error) bool {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Code != engine.CodeTooLarge && e.Code != engine.CodeBadInput && e.Code != engine.CodeCorrupt
	}
	var changed *dml.SchemaChangedError
	var conflict *retry.ConflictError
	return errors.As(err, &changed) || errors.As(err, &conflict) || errors.Is(err, catalog.ErrConflict)
}
