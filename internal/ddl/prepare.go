package ddl

import (
	"context"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// preparation puts the actions of one ALTER TABLE in the order in which they are made, and tries them on the definition alone. MySQL looks
// only at their combined result; here each action must lead to a usable definition.
type preparation struct {
	*definition
	stored  *schema.Table
	t       *schema.Table // as the actions so far leave it
	actions []dialect.AlterAction
	drops   []indexDrop
}

// indexDrop is an index that can be dropped only once another index is made that serves a foreign key.
type indexDrop struct {
	dialect.AlterAction
	needed error // what it is needed for until then; nil: the other one takes its place
}

// prepareActions gives the actions of ALTER TABLE in their order. Foreign keys are dropped first, so that their indexes and columns may
// go with them, and added last, each after the index that it brings along. An index that another one of the same statement replaces
// is dropped when that one is made. New foreign keys are tried on the rows, too.
func (x *definition) prepareActions(ctx context.Context, t *schema.Table, actions []dialect.AlterAction) ([]dialect.AlterAction, error) {
	p := &preparation{definition: x, stored: t, t: t}
	slices.SortStableFunc(actions, func(a, b dialect.AlterAction) int { return p.turn(&a) - p.turn(&b) })
	for i := range actions {
		if err := p.prepare(ctx, actions[i]); err != nil {
			return nil, err
		}
	}
	for _, d := range p.drops {
		if err := p.add(ctx, d.AlterAction); sqlerr.Is(err, sqlerr.CodeIndexNeeded) && d.needed != nil {
			return nil, d.needed
		} else if err != nil {
			return nil, err
		}
	}
	return p.actions, nil
}

// turn gives an action's place in the order.
func (p *preparation) turn(a *dialect.AlterAction) int {
	switch {
	case a.Kind == dialect.DropForeignKey, a.Kind == dialect.DropConstraint && p.stored.ForeignKey(a.Name) != nil:
		return 0
	case a.Kind == dialect.AddForeignKey:
		return 2
	}
	return 1
}

func (p *preparation) prepare(ctx context.Context, a dialect.AlterAction) error {
	switch a.Kind {
	case dialect.AddForeignKey:
		return p.addForeignKey(ctx, a)
	case dialect.AddIndex:
		return p.addIndex(ctx, a)
	case dialect.DropIndexAction:
		err := p.add(ctx, a)
		if sqlerr.Is(err, sqlerr.CodeIndexNeeded) {
			p.drops = append(p.drops, indexDrop{a, err})
			return nil
		}
		return err
	}
	return p.add(ctx, a)
}

// add tries an action.
func (p *preparation) add(ctx context.Context, a dialect.AlterAction) error {
	if p.resumes(p.t, &a) == nil {
		next, _, err := p.next(ctx, p.t, &a)
		if err != nil {
			return err
		}
		p.t = next
	}
	p.actions = append(p.actions, a)
	return nil
}

// addIndex makes an index. An index that it replaces cedes its name now, and is dropped later.
func (p *preparation) addIndex(ctx context.Context, a dialect.AlterAction) error {
	err := p.add(ctx, a)
	old := p.t.Index(a.Index.Name)
	if !sqlerr.Is(err, sqlerr.CodeDuplicateKeyName) || old == nil {
		return err
	}
	tried := *p
	name := tried.freeName(old.Name)
	if tried.add(ctx, dialect.AlterAction{Kind: dialect.RenameIndex, Name: old.Name, NewName: name, Pos: a.Pos}) != nil || tried.add(ctx, a) != nil {
		return err
	}
	dropped := slices.IndexFunc(p.drops, func(d indexDrop) bool { return strings.EqualFold(d.Name, old.Name) })
	switch {
	case dropped >= 0:
		tried.drops[dropped].Name = name
	case slices.ContainsFunc(tried.t.Indexes, func(ix *schema.Index) bool { return ix.Name != name && old.IsSupersededBy(ix) }):
		tried.drops = append(tried.drops, indexDrop{AlterAction: dialect.AlterAction{Kind: dialect.DropIndexAction, Name: name, Pos: a.Pos}})
	default:
		return err
	}
	*p = tried
	return nil
}

// withoutDrops is the table as the statement leaves it: without the indexes that are dropped later.
func (p *preparation) withoutDrops() *schema.Table {
	t := p.t.Clone()
	t.Indexes = slices.DeleteFunc(t.Indexes, func(ix *schema.Index) bool {
		return slices.ContainsFunc(p.drops, func(d indexDrop) bool { return strings.EqualFold(d.Name, ix.Name) })
	})
	return t
}

// freeName is a name that no index has.
func (p *preparation) freeName(name string) string {
	for n := 2; ; n++ {
		if free := schema.Numbered(name, n); p.t.Index(free) == nil {
			return free
		}
	}
}

// addForeignKey adds a foreign key after the index that it needs and lacks.
func (p *preparation) addForeignKey(ctx context.Context, a dialect.AlterAction) error {
	if err := p.place(ctx, &a.ForeignKey); err != nil {
		return err
	}
	index, err := define.NeededIndex(p.withoutDrops(), &a.ForeignKey)
	if err == nil && index != nil {
		err = p.addIndex(ctx, dialect.AlterAction{Kind: dialect.AddIndex, Index: *index, Pos: a.Pos})
	}
	if err == nil {
		err = p.add(ctx, a)
	}
	if err == nil {
		err = p.tryForeignKey(ctx, p.stored, p.t, &a)
	}
	return err
}
