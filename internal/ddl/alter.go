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
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// alter runs the actions of ALTER TABLE in turn. All are tried on the definition alone before anything is changed; see
// prepareActions.
func (x *definition) alter(ctx context.Context, name dialect.TableName, actions []dialect.AlterAction) error {
	for _, a := range actions {
		if err := define.CheckOptions(a.Options); err != nil {
			return err
		}
		if err := x.stays(a.NewIn); err != nil {
			return err
		}
	}
	if x.Catalog.IsTemporary() {
		if err := define.CheckTemporaryChange(actions); err != nil {
			return err
		}
	}
	t, err := x.base(ctx, name, "ALTER TABLE")
	if err != nil {
		return err
	}
	if t.IsExternal() {
		return notOfExternal("ALTER TABLE", t)
	}
	before := t
	if t, err = x.finish(ctx, t); err != nil {
		return err
	}
	x.takenBack() // finishing another change does not count as a step of this one
	actions = slices.DeleteFunc(slices.Clone(actions), func(a dialect.AlterAction) bool { return x.filled(ctx, before, t, &a) })
	if err := x.keepsCopies(ctx, t, actions); err != nil {
		return err
	}
	if actions, err = x.prepareActions(ctx, t, actions); err != nil {
		return err
	}
	former := t
	if t, err = x.makeAll(ctx, t, actions); err != nil {
		return err
	}
	var superseded []dialect.AlterAction
	for _, ix := range t.Superseded() {
		superseded = append(superseded, dialect.AlterAction{Kind: dialect.DropIndexAction, Name: ix.Name, IfExists: true, Pos: sqlerr.NoPos})
	}
	if _, err = x.makeAll(ctx, t, superseded); err != nil {
		return err
	}
	return x.releaseElsewhere(ctx, former)
}

// makeAll makes the actions and gives the resulting definition.
func (x *definition) makeAll(ctx context.Context, t *schema.Table, actions []dialect.AlterAction) (*schema.Table, error) {
	for len(actions) > 0 {
		c, err := x.together(ctx, t, actions)
		if err != nil {
			return nil, err
		}
		x.stood = x.stands()
		if err = x.renamed(ctx, t, c.to, func() (err error) { t, err = x.makeAgain(ctx, t, c); return err }); err != nil {
			return nil, err
		}
		actions = actions[len(c.actions):]
	}
	return t, nil
}

// change is what actions of ALTER TABLE together make of a definition: they share their steps.
type change struct {
	define.Change
	to      *schema.Table
	actions []dialect.AlterAction
}

// together gives the change of t that the first actions make: as many of them as can share their steps, at least one. A change
// of partitions is always a change of its own, and so is an index whose unfinished build is resumed.
func (x *definition) together(ctx context.Context, t *schema.Table, actions []dialect.AlterAction) (*change, error) {
	c := &change{to: t}
	for i := range actions {
		a := &actions[i]
		resumed := x.resumes(c.to, a) != nil
		alone := resumed || changesPartitions(a) || changesForeignKeys(c.to, a)
		if i > 0 && alone {
			break
		}
		if resumed {
			c.actions = actions[:1]
			break
		}
		next, after, err := x.next(ctx, c.to, a)
		if err != nil {
			return nil, err
		}
		both, ok := after, true
		if i > 0 {
			both, ok = c.Then(&after, t, c.to, next)
		}
		if !ok || i > 0 && (!announceable(t, next, &both) || t.IsTied() && len(c.Fill) > 0 && len(after.Drop) > 0) {
			break // an index that foreign keys use stays until the one that they use next is filled
		}
		c.Change, c.to, c.actions = both, next, actions[:i+1]
		if alone {
			break
		}
	}
	if len(c.Fill) > 0 && !c.only(dialect.AddIndex) {
		c.to.Change = &schema.Change{Phase: schema.Backfill}
	}
	return c, nil
}

// only says whether all actions are of the kinds and change no column, except that a primary key may make its columns NOT NULL.
func (c *change) only(kinds ...dialect.AlterKind) bool {
	return !c.Verify && !slices.ContainsFunc(c.actions, func(a dialect.AlterAction) bool { return !slices.Contains(kinds, a.Kind) })
}

// filled says whether an action adds a column that was pending, because a process died before filling it, and is filled now. The
// same statement, sent again, thus finishes the change.
func (x *definition) filled(ctx context.Context, before, t *schema.Table, a *dialect.AlterAction) bool {
	pending := func(c *schema.Column) bool {
		return c.State != schema.Public && strings.EqualFold(c.Name, a.Column.Name)
	}
	if a.Kind != dialect.AddColumn || !before.Fills() || !slices.ContainsFunc(before.Columns, pending) || t.Ordinal(a.Column.Name) < 0 {
		return false
	}
	without, _, err := x.next(ctx, t, &dialect.AlterAction{Kind: dialect.DropColumn, Name: a.Column.Name})
	if err != nil {
		return false
	}
	without.EndChange()
	again, _, err := x.next(ctx, without, a)
	if err != nil {
		return false
	}
	again.EndChange()
	return schema.CreateTableSQL(again) == schema.CreateTableSQL(t)
}

// resumes gives the index whose build an action resumes because a process died before finishing it.
func (x *definition) resumes(t *schema.Table, a *dialect.AlterAction) *schema.Index {
	if ix := made(t, a); ix != nil && ix.State != schema.Public {
		return ix
	}
	return nil
}

// made gives the index that an action makes, if it exists in any state.
func made(t *schema.Table, a *dialect.AlterAction) *schema.Index {
	if a.Kind != dialect.AddIndex {
		return nil
	}
	ix := t.Index(a.Index.Name)
	if ix == nil || ix.Unique != a.Index.Unique || ix.Global > 0 && !a.Index.Global || len(ix.Key) != len(a.Index.Parts) {
		return nil
	}
	for i, p := range a.Index.Parts {
		if t.Ordinal(p.Column) != ix.Key[i].Column || p.Desc != ix.Key[i].Desc || p.Length != ix.Key[i].Prefix {
			return nil
		}
	}
	return ix
}

// next gives the definition that an action leads to, with the values of existing rows in new columns.
func (x *definition) next(ctx context.Context, t *schema.Table, a *dialect.AlterAction) (*schema.Table, define.Change, error) {
	next, change, err := define.Alter(t, *a, x.options())
	if err == nil {
		err = x.keepsReferred(ctx, t, next, change.From)
	}
	if err == nil {
		err = x.covers(change.Fill)
	}
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

// makeAgain is make for a table that other processes may be changing: if one has changed something else about the table, such as
// dropping a partition, indexes are made and dropped again. An index without a name is not made again, because that would make
// another one.
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
		if err == nil { // resuming an index is a change of its own
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
			// Another process may have continued some.
			left = notMade(t, left)
			if len(left) == 0 {
				return t, nil
			}
		}
		if c, err = x.together(ctx, t, left); err != nil {
			return nil, err
		}
	}
}

// notMade gives the actions still to be made of t. An index to be dropped is not the one that takes its place.
func notMade(t *schema.Table, actions []dialect.AlterAction) (left []dialect.AlterAction) {
	dropped := map[string]bool{}
	for _, a := range actions {
		made := isMade(t, &a)
		switch {
		case a.Kind == dialect.DropIndexAction:
			dropped[strings.ToLower(a.Name)] = !made
		case dropped[strings.ToLower(a.Index.Name)]:
			made = false
		}
		if !made {
			left = append(left, a)
		}
	}
	return left
}

// isMade says whether an action is done: t has the index that it makes, or no longer has the one that it drops.
func isMade(t *schema.Table, a *dialect.AlterAction) bool {
	if a.Kind == dialect.DropIndexAction {
		return t.Index(a.Name) == nil
	}
	ix := made(t, a)
	return ix != nil && ix.State == schema.Public
}

// changedBeside says whether err comes from a change of the definition, or of a partition, by another process.
func changedBeside(err error) bool {
	var changed *dml.SchemaChangedError
	return errors.Is(err, catalog.ErrConflict) || errors.As(err, &changed) || isGone(err)
}

// isGone says whether err is that a physical table no longer exists.
func isGone(err error) bool {
	return engine.Is(err, engine.CodeNoTable, engine.CodeDeleting)
}

// make makes a change and gives the resulting definition.
func (x *definition) make(ctx context.Context, t *schema.Table, c *change) (*schema.Table, error) {
	if ix := x.resumes(t, &c.actions[0]); ix != nil {
		x.noted = true
		// The process that began it may have died just now: writers may still use the definition that it replaced.
		if err := x.Catalog.WaitCurrent(ctx); err != nil {
			return nil, err
		}
		return x.build(ctx, t, t, define.Change{Fill: []*schema.Index{ix}})
	}
	if c.actions[0].Kind == dialect.AddForeignKey {
		return x.addForeignKey(ctx, t, c.to)
	}
	if changesPartitions(&c.actions[0]) {
		return x.changePartitions(ctx, t, c.to, &c.actions[0])
	}
	m := &making{definition: x, change: c, table: t, dropped: c.Drop}
	for _, step := range steps() {
		if err := step(m, ctx); err != nil {
			return nil, err
		}
	}
	return m.table, nil
}
