package ddl

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
)

func (x *definition) rename(ctx context.Context, s *dialect.RenameTable) error {
	for i := range s.From {
		if err := x.renameTo(ctx, s.From[i], s.To[i]); err != nil {
			return err
		}
	}
	return x.Catalog.WaitCurrent(ctx) // nobody may find the table by its old name when another one gets that name
}

func (x *definition) renameTo(ctx context.Context, from, to dialect.TableName) error {
	if err := x.stays(to.Database); err != nil {
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
	return x.Catalog.Replace(ctx, t, next, x.meter)
}

// stays refuses to move a table into another database: its definition would have to leave one catalog and come to another at once.
func (x *definition) stays(database string) error {
	if database == "" || strings.EqualFold(database, x.Database) {
		return nil
	}
	return sqlerr.New(sqlerr.CodeNotSupported, sqlerr.NoPos, "renaming a table of database '%s' into database '%s' is not supported: CREATE TABLE … LIKE makes the table there, and INSERT … SELECT copies the rows", x.Database, database)
}
