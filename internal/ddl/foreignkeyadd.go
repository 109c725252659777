package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// tryForeignKey checks, before anything is done, whether the last foreign key of next can be added to t.
func (x *definition) tryForeignKey(ctx context.Context, t, next *schema.Table, a *dialect.AlterAction) error {
	k := &next.ForeignKeys[len(next.ForeignKeys)-1]
	if err := x.checkForeignKey(ctx, next, k); err != nil || k.NotEnforced || x.session.KeysUnchecked {
		return err
	}
	now, _, err := define.Alter(t, *a, x.options())
	if err != nil {
		return nil // its columns are still to be made
	}
	return x.verifyReferences(ctx, now, &now.ForeignKeys[len(now.ForeignKeys)-1])
}

// addForeignKey publishes a definition with one more foreign key, which every writer enforces from then on. It then looks for rows
// that violate the key, and makes it public. If there are such rows, the key is taken back.
func (x *definition) addForeignKey(ctx context.Context, t, next *schema.Table) (*schema.Table, error) {
	name := next.ForeignKeys[len(next.ForeignKeys)-1].Name
	k := next.ForeignKey(name)
	if err := x.checkForeignKey(ctx, next, k); err != nil {
		return nil, err
	}
	if k.NotEnforced {
		return x.replace(ctx, t, next)
	}
	k.State = schema.WriteOnly
	if err := x.declareElsewhere(ctx, next); err != nil {
		return nil, err
	}
	t, err := x.replace(ctx, t, next)
	if err != nil {
		return nil, err
	}
	err = x.confirmElsewhere(ctx, t)
	if err == nil && !x.session.KeysUnchecked {
		err = x.verifyReferences(ctx, t, t.ForeignKey(name))
	}
	if err != nil {
		if _, backErr := x.giveUpForeignKeys(ctx, t); backErr != nil {
			return nil, errors.Join(err, backErr)
		}
		x.takenBack()
		return nil, err
	}
	next = t.Clone()
	next.ForeignKey(name).State = schema.Public
	return x.replace(ctx, t, next)
}

// giveUpForeignKeys takes back foreign keys that were added but not verified for all rows.
func (x *definition) giveUpForeignKeys(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	unsure := func(k schema.ForeignKey) bool { return k.State != schema.Public }
	if !slices.ContainsFunc(t.ForeignKeys, unsure) {
		return t, nil
	}
	next := t.Clone()
	next.ForeignKeys = slices.DeleteFunc(next.ForeignKeys, unsure)
	next, err := x.replace(ctx, t, next)
	if err == nil {
		err = x.releaseElsewhere(ctx, t)
	}
	return next, err
}
