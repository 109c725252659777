package ddl

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// reload gives the definition as the catalog has it.
func (x *definition) reload(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	return x.table(ctx, dialect.TableName{Name: t.Name, Pos: -1})
}

// published gives a definition that was published here as the catalog has it now: perhaps with more partitions. ErrConflict when
// another process has changed it.
func (x *definition) published(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	now, err := x.reload(ctx, t)
	if err == nil && now.WriteVersion != t.WriteVersion {
		err = catalog.ErrConflict
	}
	return now, err
}

// replace publishes a definition, waits until nobody goes by the one before, and gives it as the catalog has it.
func (x *definition) replace(ctx context.Context, t, next *schema.Table) (*schema.Table, error) {
	if err := bindable(next); err != nil {
		return nil, err
	}
	if err := x.Catalog.Replace(ctx, t, next, x.meter); err != nil {
		return nil, err
	}
	if err := x.Catalog.WaitCurrent(ctx); err != nil {
		return nil, err
	}
	return x.published(ctx, next)
}
