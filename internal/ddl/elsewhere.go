package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// How a foreign key to a table of another database comes and goes. The two definitions are in two catalogs, and no transaction changes
// both. So the parent's definition names the child for at least as long as the child's definition has the key:
//
//  1. declareElsewhere adds the child's name to the parent's definition, and publishes that even if the name was there. Every writer
//     to the parent knows it before anything else is done.
//  2. The child's definition gets the key.
//  3. confirmElsewhere writes the parent's definition once more, if it still has the child's name and the referenced key. Otherwise
//     the second step is taken back.
//  4. When the child's definition has no such key any more, releaseElsewhere removes its name from the parent's.
//
// Each change of the parent's definition gives it a new version. DROP TABLE, ALTER TABLE and DROP DATABASE read the parent's definition,
// then those of the children that it names, and change the parent's only at the version that they have read. So they come before the
// first step, or see the key, or the third step finds what they did. releaseElsewhere does the same, so that it never removes the name
// of a child that got another key meanwhile.
//
// A process that dies leaves the child's name in the parent's definition without need: writers to the parent look for a key that is
// not there, and move on. If it dies before the third step, and the parent is dropped at the same moment, it leaves a key to a missing
// table, as foreign_key_checks = 0 may: no row can refer to anything by it. A parent that is recreated counts only when its definition
// names the child (planner: relate). adoptElsewhere ensures that if foreign_key_checks is 0, as it is while a dump is loaded.

// isNone says whether err is that a table, or its database, does not exist.
func isNone(err error) bool {
	var none *schema.NoDatabaseError
	return isNoTable(err) || errors.As(err, &none)
}

// elsewhere gives the catalog of another database, and its current definitions.
func (x *definition) elsewhere(ctx context.Context, database string) (*catalog.Catalog, *catalog.Snapshot, error) {
	s, err := x.Seen.Snapshot(ctx, database)
	if err != nil {
		return nil, nil, err
	}
	now, err := s.Catalog().Latest(ctx)
	return s.Catalog(), now, err
}

// named finds the current definition of a table that a definition of this database names.
func (x *definition) named(ctx context.Context, r schema.Relative, find func(context.Context, dialect.TableName) (*schema.Table, error)) (*schema.Table, error) {
	if !r.IsOwn() {
		if _, _, err := x.elsewhere(ctx, r.Database); err != nil {
			return nil, err
		}
	}
	return find(ctx, dialect.TableName{Database: r.Database, Name: r.Name, Pos: sqlerr.NoPos})
}

// place makes a foreign key name the database of its parent the way the definition stores it.
func (x *definition) place(ctx context.Context, f *dialect.ForeignKey) error {
	switch in := f.Table.Database; {
	case in == "":
	case show.IsVirtual(in):
		return sqlerr.New(sqlerr.CodeDatabaseDenied, f.Pos, "Access denied for user 'nearlyfree'@'localhost' to database '%s'", in)
	default:
		s, err := x.Seen.Snapshot(ctx, in)
		if isNone(err) {
			return nil // checkForeignKey reports it
		}
		if err != nil {
			return err
		}
		f.Table.Database = x.Seen.Name(s)
		if s.Catalog() == x.Catalog {
			f.Table.Database = ""
		}
	}
	return nil
}

// of is a table of this database as definitions of other databases name it.
func (x *definition) of(name string) schema.Relative {
	return schema.Relative{Database: x.Database, Name: name}
}

// parentsElsewhere are the tables of other databases that foreign keys of t refer to.
func parentsElsewhere(t *schema.Table) []schema.Relative {
	return slices.DeleteFunc(t.Parents(), schema.Relative.IsOwn)
}

// declareElsewhere is the first step for the foreign keys of t.
func (x *definition) declareElsewhere(ctx context.Context, t *schema.Table) error {
	for _, to := range parentsElsewhere(t) {
		c, _, err := x.elsewhere(ctx, to.Database)
		if err == nil {
			err = c.Refer(ctx, to.Name, x.of(t.Name), x.meter)
		}
		if isNone(err) && x.session.KeysUnchecked {
			continue
		}
		if err == nil {
			err = c.WaitCurrent(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// confirmElsewhere is the third step for the foreign keys of t.
func (x *definition) confirmElsewhere(ctx context.Context, t *schema.Table) error {
	for _, to := range parentsElsewhere(t) {
		c, _, err := x.elsewhere(ctx, to.Database)
		if err == nil {
			err = c.ConfirmReferrer(ctx, to.Name, x.of(t.Name), func(parent *schema.Table) error { return checkKeysTo(t, to, parent) }, x.meter)
		}
		if isNone(err) && x.session.KeysUnchecked {
			continue
		}
		if isNone(err) {
			err = sqlerr.New(sqlerr.CodeNoReferencedTable, sqlerr.NoPos, "Failed to open the referenced table '%s'", to.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkKeysTo checks the foreign keys from a child to one parent against that parent.
func checkKeysTo(child *schema.Table, to schema.Relative, parent *schema.Table) error {
	for i := range child.ForeignKeys {
		if k := &child.ForeignKeys[i]; k.RefersTo(to) {
			if err := define.CheckForeignKey(child, k, parent); err != nil {
				return err
			}
		}
	}
	return nil
}

// releaseElsewhere is the last step for the foreign keys that t, a former definition, had.
func (x *definition) releaseElsewhere(ctx context.Context, t *schema.Table) error {
	for _, to := range parentsElsewhere(t) {
		refers := func() (bool, error) {
			now, err := x.Catalog.Latest(ctx)
			if err != nil {
				return false, err
			}
			child, err := now.Table(ctx, t.Name)
			if isNone(err) {
				return false, nil
			}
			return err == nil && child.RefersTo(to), err
		}
		c, _, err := x.elsewhere(ctx, to.Database)
		if err == nil {
			err = c.Release(ctx, to.Name, x.of(t.Name), refers, x.meter)
		}
		if err != nil && !isNone(err) {
			return err
		}
	}
	return nil
}

// adoptElsewhere makes the definition of a new table name the tables of other databases that wait for a table of its name.
func (x *definition) adoptElsewhere(ctx context.Context, t *schema.Table) error {
	if !x.session.KeysUnchecked || t.IsView() || x.Catalog.IsTemporary() {
		return nil
	}
	others, err := x.Seen.Databases(ctx, func(string) (bool, error) { return true, nil })
	if err != nil {
		return err
	}
	for _, other := range others {
		if show.IsVirtual(other.Name) {
			continue
		}
		c, _, err := x.elsewhere(ctx, other.Name)
		if err == nil && c == x.Catalog {
			continue
		}
		var children []*schema.Table
		if err == nil {
			children, err = known(ctx, c)
		}
		if isNone(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, child := range children {
			if !child.RefersTo(x.of(t.Name)) {
				continue
			}
			if err := checkKeysTo(child, x.of(t.Name), t); err != nil {
				return err
			}
			t.Refer(schema.Relative{Database: other.Name, Name: child.Name}, true)
		}
	}
	return nil
}
