package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// build takes new indexes through their states and makes them public. While they are written to and not read yet, it rewrites
// every row, which also gives the row the form of the next definition. If a unique index meets a duplicate, build takes
// the indexes back.
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
		// Another process may have changed the columns meanwhile: rows are as that process left them.
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

// sameColumns says whether two definitions of a table have the same columns in the same forms, each with its own
// property.
func sameColumns(a, b *schema.Table) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(x, y *schema.Column) bool { return x.Property == y.Property })
}

// takeBack removes indexes that could not be filled, and gives the reason. A change of columns, if rewritten, stays.
func (x *definition) takeBack(ctx context.Context, t *schema.Table, names []string, rewritten bool, cause error) error {
	if ctx.Err() != nil || passing(cause) {
		return cause // as after a crash: CREATE INDEX resumes, DROP INDEX gives up
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
	c, err := x.together(ctx, t, actions)
	if err != nil {
		return nil, err
	}
	return x.make(ctx, t, c)
}

// endChange notes that every row has the form of its definition.
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

// passing says whether a retry may succeed after err: because err is about the store or other writers, not about what the
// rows hold.
func passing(err error) bool {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Code != engine.CodeTooLarge && e.Code != engine.CodeBadInput && e.Code != engine.CodeCorrupt
	}
	var changed *dml.SchemaChangedError
	var conflict *retry.ConflictError
	return errors.As(err, &changed) || errors.As(err, &conflict) || errors.Is(err, catalog.ErrConflict)
}
