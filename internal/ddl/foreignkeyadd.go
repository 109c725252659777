package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// prepareActions gives the actions of ALTER TABLE with, before each foreign key that is added, the index that it needs and does not have, and
// with foreign keys dropped first, so that their indexes and columns may go with them. All are tried on the definition alone, and new
// foreign keys on the rows.
func (x *definition) prepareActions(ctx context.Context, t *schema.Table, actions []dialect.AlterAction) ([]dialect.AlterAction, error) {
	drops := func(a dialect.AlterAction) bool {
		return a.Kind == dialect.DropForeignKey || a.Kind == dialect.DropConstraint && t.ForeignKey(a.Name) != nil
	}
	var out []dialect.AlterAction
	add := func(a dialect.AlterAction) error {
		if out = append(out, a); x.resumes(t, &a) != nil {
			return nil
		}
		next, _, err := x.next(ctx, t, &a)
		t = next
		return err
	}
	stored := t
	slices.SortStableFunc(actions, func(a, b dialect.AlterAction) int {
		if drops(a) == drops(b) {
			return 0
		}
		return map[bool]int{true: -1, false: 1}[drops(a)]
	})
	for i := range actions {
		a := actions[i]
		if a.Kind != dialect.AddForeignKey {
			if err := add(a); err != nil {
				return nil, err
			}
			continue
		}
		if err := x.place(ctx, &a.ForeignKey); err != nil {
			return nil, err
		}
		index, err := define.NeededIndex(t, &a.ForeignKey)
		if err == nil && index != nil {
			err = add(dialect.AlterAction{Kind: dialect.AddIndex, Index: *index, Pos: a.Pos})
		}
		if err == nil {
			err = add(a)
		}
		if err == nil {
			err = x.tryForeignKey(ctx, stored, t, &a)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tryForeignKey looks whether the last foreign key of next can be added to t, before anything is done.
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

// addForeignKey publishes a definition with one more foreign key, which whoever writes keeps from then on, looks for rows that break
// it, and makes it public. Where there are such rows it is taken back.
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

// giveUpForeignKeys takes back foreign keys that were added and not found to hold of all rows.
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
