package ddl

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/dialect"
)

func (x *definition) rename(ctx context.Context, s *dialect.RenameTable) error {
	for i := range s.From {
		if err := x.renameTo(ctx, s.From[i], s.To[i].Name); err != nil {
			return err
		}
	}
	return x.Catalog.WaitCurrent(ctx) // nobody may find the table by its old name when another one gets that name
}

func (x *definition) renameTo(ctx context.Context, from dialect.TableName, to string) error {
	t, err := x.declared(ctx, from, "RENAME TABLE")
	if err != nil {
		return err
	}
	next := t.Clone()
	next.Name = to
	if err := bindable(next); err != nil {
		return err
	}
	if err := x.checkWaiting(ctx, next); err != nil {
		return err
	}
	return x.Catalog.Replace(ctx, t, next, x.meter)
}
