package ddl

import (
	"context"
	"slices"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/dml"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

// createInterleaved makes an interleaved table.
func (x *definition) createInterleaved(ctx context.Context, s *dialect.CreateTable, parent string) error {
	p, err := x.table(ctx, dialect.TableName{Name: parent, Pos: s.Table.Pos})
	if isNoTable(err) {
		return sqlerr.New(sqlerr.CodeNoReferencedTable, sqlerr.NoPos, "Failed to open the referenced table '%s'", parent)
	}
	if err == nil {
		err = x.notOfView(p)
	}
	if err != nil {
		return err
	}
	t, err := define.DefineInterleaved(s, p, x.options())
	if err != nil {
		return err
	}
	if copies := p.ParentCopies(t.Name); copies != nil && !p.CopiesFor(copies, t) {
		// Left by a process that died before making another table of this name.
		if p, err = x.drop(ctx, p, copies.Name); err != nil {
			return err
		}
		if t, err = define.DefineInterleaved(s, p, x.options()); err != nil {
			return err
		}
	}
	t.Database = x.Catalog.Database()
	if err := x.checkTies(ctx, t); err != nil {
		return err
	}
	err = x.createTied(ctx, t, func() error {
		if p, err = x.reload(ctx, p); err != nil {
			return err
		}
		if err = x.declareInterleaved(ctx, t, p); err != nil {
			return err
		}
		return x.Catalog.CreateInterleaved(ctx, t, p, x.meter)
	})
	return x.unlessExists(s.IfNotExists, err)
}

// declareInterleaved adds the name of a new table to the definition of its parent. For WITH PARENT it makes the copies of the
// parents' rows the way it makes the entries of a new index, and completes copies that a process died before completing.
func (x *definition) declareInterleaved(ctx context.Context, t, parent *schema.Table) error {
	if !t.Interleaved.WithParent {
		return x.Catalog.DeclareInterleaved(ctx, t, parent, x.meter)
	}
	parent, err := x.finish(ctx, parent)
	if err != nil {
		return err
	}
	if parent.ParentCopies(t.Name) != nil {
		x.noted = true
		err = x.Catalog.WaitCurrent(ctx) // for writers by the previous definition
	} else if err = x.Catalog.DeclareInterleaved(ctx, t, parent, x.meter); err == nil {
		parent, err = x.reload(ctx, parent)
	}
	if err != nil {
		return err
	}
	copies := parent.ParentCopies(t.Name)
	if copies == nil {
		return catalog.ErrConflict // another process has given them up
	}
	if copies.State != schema.Public {
		_, err = x.build(ctx, parent, parent, define.Change{Fill: []*schema.Index{copies}})
	}
	return err
}

// keepsCopies refuses to drop the stored copies of t's rows among a child's: the child's queries rely on them.
func (x *definition) keepsCopies(ctx context.Context, t *schema.Table, actions []dialect.AlterAction) error {
	for i := range actions {
		a := &actions[i]
		if a.Kind != dialect.DropIndexAction {
			continue
		}
		ix := t.Index(a.Name)
		if ix == nil || ix.Child == "" {
			continue
		}
		_, err := x.table(ctx, dialect.TableName{Name: ix.Child, Pos: a.Pos})
		if err == nil {
			return sqlerr.New(sqlerr.CodeNotSupported, a.Pos, "dropping '%s', the stored parent copies among the rows of table '%s', is not supported: they go with that table", ix.Name, ix.Child)
		}
		if !isNoTable(err) {
			return err
		}
	}
	return nil
}

// dropsChildren puts interleaved tables before their parents, and refuses to drop a table without all tables
// interleaved in it.
func dropsChildren(tables []*schema.Table) error {
	for _, t := range tables {
		for _, child := range t.Children {
			if !slices.ContainsFunc(tables, func(o *schema.Table) bool { return strings.EqualFold(o.Name, child) }) {
				return sqlerr.New(sqlerr.CodeDropReferenced, sqlerr.NoPos, "Cannot drop table '%s' referenced by a foreign key constraint on table '%s'.", t.Name, child)
			}
		}
	}
	depth := func(t *schema.Table) int {
		n := 0
		for t != nil && t.IsInterleaved() {
			at := slices.IndexFunc(tables, func(o *schema.Table) bool { return strings.EqualFold(o.Name, t.Interleaved.Parent) })
			n++
			if at < 0 {
				break
			}
			t = tables[at]
		}
		return n
	}
	slices.SortStableFunc(tables, func(a, b *schema.Table) int { return depth(b) - depth(a) })
	return nil
}

// retireCopies ends the stored parent copies among the rows of t: no statement reads or makes them any more. If the
// parent is dropped too, there is nothing to do.
func (x *definition) retireCopies(ctx context.Context, t *schema.Table, dropped []*schema.Table) error {
	if !t.IsInterleaved() || slices.ContainsFunc(dropped, func(o *schema.Table) bool { return strings.EqualFold(o.Name, t.Interleaved.Parent) }) {
		return nil
	}
	parent, err := x.table(ctx, dialect.TableName{Name: t.Interleaved.Parent, Pos: -1})
	if err != nil {
		return err
	}
	if copies := parent.ParentCopies(t.Name); copies != nil {
		_, err = x.retire(ctx, parent, []*schema.Index{copies})
	}
	return err
}

// empty is TRUNCATE of an interleaved table. It deletes all rows by DELETE, because the physical table is shared.
func (x *definition) empty(ctx context.Context, t *schema.Table) error {
	plan, err := x.plan(ctx, &dialect.Delete{Table: dialect.TableName{Database: x.Database, Name: t.Name, Pos: -1}})
	if err != nil {
		return err
	}
	if _, err = dml.Write(ctx, x.Runtime, &exec.Execution{Plan: plan, Session: x.session, Store: x.Runtime.Engine, Meter: x.meter}); err != nil {
		return err
	}
	return x.Catalog.Reset(ctx, t, x.meter)
}
