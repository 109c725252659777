package ddl

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// createView is CREATE VIEW, which may replace a view, and ALTER VIEW, which must.
func (x *definition) createView(ctx context.Context, s *dialect.CreateView) error {
	old, err := x.table(ctx, s.View)
	switch {
	case isNoTable(err):
		if s.Alter {
			return err
		}
		old = nil
	case err != nil:
		return err
	case old.IsView() && (s.OrReplace || s.Alter):
	case s.IfNotExists:
		x.note(&catalog.ExistsError{Name: s.View.Name})
		return nil
	case s.OrReplace || s.Alter:
		return x.notView(old)
	default:
		return &catalog.ExistsError{Name: s.View.Name}
	}
	t, err := x.view(ctx, s)
	if err != nil {
		return err
	}
	if old == nil {
		return x.Catalog.Create(ctx, t, x.meter)
	}
	t.Name = old.Name
	return x.Catalog.Replace(ctx, old, t, x.meter)
}

// view makes the definition from the tables as they are now.
func (x *definition) view(ctx context.Context, s *dialect.CreateView) (t *schema.Table, err error) {
	named := *s
	named.View.Database = x.Database
	err = x.with(ctx, func() error {
		t, err = define.View(&named, x.Catalog.Database(), x.visible(ctx), x.planning(ctx))
		return err
	})
	return t, err
}

// planning gives the options of a query that is part of a definition.
func (x *definition) planning(ctx context.Context) planner.Options {
	return planner.Options{Database: x.Seen.Database, Zoned: x.session.Zone != nil, Collation: x.session.Collation, Interrupted: ctx.Err}
}

// visible are the tables that a query can name.
func (x *definition) visible(ctx context.Context) schema.Tables { return show.Visible(ctx, x.Seen) }

// dropViews drops all of the views or, if one is missing, none.
func (x *definition) dropViews(ctx context.Context, s *dialect.DropView) error {
	return x.dropFound(ctx, func(ctx context.Context) ([]*schema.Table, []string, error) { return x.viewsToDrop(ctx, s) })
}

// viewsToDrop finds the views that DROP VIEW names and, with IF EXISTS, which of them do not exist.
func (x *definition) viewsToDrop(ctx context.Context, s *dialect.DropView) (views []*schema.Table, missing []string, err error) {
	for _, name := range s.Views {
		t, err := x.table(ctx, name)
		switch {
		case isNoTable(err):
			missing = append(missing, x.Database+"."+name.Name)
		case err != nil:
			return nil, nil, err
		case !t.IsView():
			return nil, nil, x.notView(t)
		default:
			views = append(views, t)
		}
	}
	if len(missing) > 0 && !s.IfExists {
		return nil, nil, unknownTables(missing)
	}
	return views, missing, nil
}

func (x *definition) notView(t *schema.Table) error {
	return sqlerr.New(sqlerr.CodeWrongObject, sqlerr.NoPos, "'%s.%s' is not VIEW", x.Database, t.Name)
}

// base is table for the statement what, which is about stored rows: it refuses a view, and a table that was never declared.
func (x *definition) base(ctx context.Context, name dialect.TableName, what string) (*schema.Table, error) {
	t, err := x.declared(ctx, name, what)
	if err == nil {
		err = x.notOfView(t)
	}
	return t, err
}

// notOfView refuses a view.
func (x *definition) notOfView(t *schema.Table) error {
	if !t.IsView() {
		return nil
	}
	return sqlerr.New(sqlerr.CodeWrongObject, sqlerr.NoPos, "'%s.%s' is not BASE TABLE", x.Database, t.Name)
}

// maintainView says whether the query of a view can be planned. Nothing else can be done with a view.
func (x *definition) maintainView(ctx context.Context, t *schema.Table, verb string, say func(kind, text string)) error {
	if verb != "CHECK" {
		say("Error", x.notOfView(t).Error())
		say("status", "Operation failed")
		return nil
	}
	err := x.with(ctx, func() error {
		_, err := planner.ViewColumns(t, x.visible(ctx), x.planning(ctx))
		return err
	})
	if invalid := planner.InvalidView(err); invalid != nil {
		say("Error", invalid.Message)
		say("error", "Corrupt")
		return nil
	}
	if err == nil {
		say("status", "OK")
	}
	return err
}
