package ddl

import (
	"context"
	"errors"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/define"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

func (x *definition) rename(ctx context.Context, s *dialect.RenameTable) error {
	for i := range s.From {
		if err := x.renameTo(ctx, s.From[i], s.To[i]); err != nil {
			return err
		}
	}
	return x.Catalog.WaitCurrent(ctx) // no statement may find the table by its old name once another one gets that name
}

func (x *definition) renameTo(ctx context.Context, from, to dialect.TableName) error {
	if err := x.stays(to.Database); err != nil {
		return err
	}
	if err := define.CheckName(to.Name, to.Pos); err != nil {
		return err
	}
	t, err := x.declared(ctx, from, "RENAME TABLE")
	if err != nil {
		return err
	}
	next := t.Clone()
	next.Name = to.Name
	if err := bindable(next); err != nil {
		return err
	}
	if err := x.checkWaiting(ctx, next); err != nil {
		return err
	}
	if err := x.keepsReferred(ctx, t, next, exec.Positions(0, len(t.Columns))); err != nil {
		return err
	}
	err = x.renamed(ctx, t, next, func() error { return x.Catalog.Replace(ctx, t, next, x.meter) })
	if err != nil {
		return err
	}
	return x.releaseElsewhere(ctx, t)
}

// renamed makes a change of a table whose next name must be known to the tables of other databases that its foreign keys refer to.
func (x *definition) renamed(ctx context.Context, t, next *schema.Table, change func() error) error {
	if strings.EqualFold(t.Name, next.Name) {
		return change()
	}
	err := x.declareElsewhere(ctx, next)
	if err == nil {
		err = change()
	}
	if err != nil {
		return err
	}
	if err = x.confirmElsewhere(ctx, next); errors.Is(err, catalog.ErrConflict) {
		err = x.declareElsewhere(ctx, next)
	}
	return err
}

// stays refuses to move a table into another database: its definition would have to leave one catalog and enter another at once.
func (x *definition) stays(database string) error {
	if database == "" || strings.EqualFold(database, x.Database) {
		return nil
	}
	return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "renaming a table of database '%s' into database '%s' is not supported: CREATE TABLE … LIKE makes the table there, and INSERT … SELECT copies the rows", x.Database, database)
}
