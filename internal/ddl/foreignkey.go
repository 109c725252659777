package ddl

import (
	"context"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// checkTies checks a new table against the tables that its foreign keys refer to, and checks the tables that wait for one of its
// name against it.
func (x *definition) checkTies(ctx context.Context, t *schema.Table) error {
	for i := range t.ForeignKeys {
		if err := x.checkForeignKey(ctx, t, &t.ForeignKeys[i]); err != nil {
			return err
		}
	}
	return x.checkWaiting(ctx, t)
}

// checkForeignKey refuses a foreign key of t that could not be kept.
func (x *definition) checkForeignKey(ctx context.Context, t *schema.Table, k *schema.ForeignKey) error {
	tables, err := x.tables(ctx)
	if err != nil {
		return err
	}
	for _, other := range tables {
		if other.Name != t.Name && (other.ForeignKey(k.Name) != nil || other.IsInterleaved() && strings.EqualFold(other.Interleaved.Name, k.Name)) {
			return sqlerr.New(sqlerr.CodeDuplicateForeignKey, sqlerr.NoPos, "Duplicate foreign key constraint name '%s' (table '%s' has it)", k.Name, other.Name)
		}
	}
	if k.NotEnforced {
		return nil
	}
	if _, ok := x.Runtime.Engine.(engine.Transactor); !ok {
		return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "a foreign key to a table that is kept elsewhere is not supported here, because no transaction covers both tables: "+
			"let the primary key of '%s' begin with that of '%s' and declare it INTERLEAVE IN PARENT %s, or say NOT ENFORCED", t.Name, k.Parent, k.Parent)
	}
	parent := t
	if !k.To().Is(schema.Own(t.Name)) {
		parent, err = x.named(ctx, k.To(), x.known)
		if isNone(err) && x.session.KeysUnchecked {
			return nil // it is checked when such a table is made
		}
		if isNone(err) {
			return sqlerr.New(sqlerr.CodeNoReferencedTable, sqlerr.NoPos, "Failed to open the referenced table '%s'", k.Parent)
		}
		if err == nil {
			err = x.notOfView(parent)
		}
		if err != nil {
			return err
		}
	}
	return define.CheckForeignKey(t, k, parent)
}

// checkWaiting checks the foreign keys that refer to the name of a new table against that table.
func (x *definition) checkWaiting(ctx context.Context, t *schema.Table) error {
	tables, err := x.tables(ctx)
	if err != nil {
		return err
	}
	for _, child := range tables {
		for i := range child.ForeignKeys {
			k := &child.ForeignKeys[i]
			if !k.RefersTo(schema.Own(t.Name)) || strings.EqualFold(child.Name, t.Name) {
				continue
			}
			if err := define.CheckForeignKey(child, k, t); err != nil {
				return err
			}
		}
	}
	return x.adoptElsewhere(ctx, t)
}

// tables gives all definitions. If foreign keys are not enforced it gives none, because none matter.
func (x *definition) tables(ctx context.Context) ([]*schema.Table, error) {
	if _, ok := x.Runtime.Engine.(engine.Transactor); !ok {
		return nil, nil
	}
	return known(ctx, x.Catalog)
}

// known gives all definitions of a database that this version of the program can read.
func known(ctx context.Context, c *catalog.Catalog) (tables []*schema.Table, err error) {
	err = c.With(ctx, func(s *catalog.Snapshot) (err error) {
		tables, err = s.Known(ctx)
		return err
	})
	return tables, err
}

// referrers gives the tables whose foreign keys refer to t, without t itself.
func (x *definition) referrers(ctx context.Context, t *schema.Table) (out []*schema.Table, err error) {
	for _, from := range t.Referrers {
		if from.Is(schema.Own(t.Name)) {
			continue
		}
		child, err := x.named(ctx, from, x.table)
		if isNone(err) {
			continue // declared by a process that died before making it
		}
		if err != nil {
			return nil, err
		}
		if child.RefersTo(t.As(child)) {
			out = append(out, child)
		}
	}
	return out, nil
}

// dropsReferrers refuses to drop a table that others refer to, unless those are dropped with it.
func (x *definition) dropsReferrers(ctx context.Context, tables []*schema.Table) error {
	if x.session.KeysUnchecked {
		return nil
	}
	for _, t := range tables {
		referrers, err := x.referrers(ctx, t)
		if err != nil {
			return err
		}
		for _, child := range referrers {
			dropped := slices.ContainsFunc(tables, func(o *schema.Table) bool { return o.FullName() == child.FullName() }) ||
				slices.ContainsFunc(x.Dropping, func(n dialect.TableName) bool {
					return child.FullName() == child.Beside(schema.Relative{Database: n.Database, Name: n.Name})
				})
			if !dropped {
				at := slices.IndexFunc(child.ForeignKeys, func(k schema.ForeignKey) bool { return k.RefersTo(t.As(child)) })
				return sqlerr.New(sqlerr.CodeDropReferenced, sqlerr.NoPos, "Cannot drop table '%s' referenced by a foreign key constraint '%s' on table '%s'.", t.Name, child.ForeignKeys[at].Name, child.Name)
			}
		}
	}
	return nil
}

// emptiesReferred refuses to empty a table that others refer to.
func (x *definition) emptiesReferred(ctx context.Context, t *schema.Table) error {
	if x.session.KeysUnchecked {
		return nil
	}
	referrers, err := x.referrers(ctx, t)
	if err != nil || len(referrers) == 0 {
		return err
	}
	child := referrers[0]
	at := slices.IndexFunc(child.ForeignKeys, func(k schema.ForeignKey) bool { return k.RefersTo(t.As(child)) })
	return sqlerr.New(sqlerr.CodeTruncateReferenced, sqlerr.NoPos, "Cannot truncate a table referenced in a foreign key constraint (`%s`, %s)",
		child.Name, sqlerr.Whole(child.ForeignKeySQL(&child.ForeignKeys[at])))
}

// keepsReferred refuses to remove from a table the key that other tables' foreign keys refer to. from is Change.From.
func (x *definition) keepsReferred(ctx context.Context, t, next *schema.Table, from []int) error {
	if len(t.Referrers) == 0 {
		return nil
	}
	children, err := x.referrers(ctx, t)
	if err != nil {
		return err
	}
	if t.RefersTo(schema.Own(t.Name)) {
		children = append(children, next)
	}
	for _, child := range children {
		for i := range child.ForeignKeys {
			if k := &child.ForeignKeys[i]; k.RefersTo(t.As(child)) {
				if err := define.KeepsReferred(t, next, from, child, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
