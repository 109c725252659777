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

// published gives a definition that was published here as the catalog has it now, perhaps with more partitions; ErrConflict if
// another process has changed it.
func (x *definition) published(ctx context.Context, t *schema.Table) (*schema.Table, error) {
	now, err := x.reload(ctx, t)
	if err == nil && now.WriteVersion != t.WriteVersion {
		err = catalog.ErrConflict
	}
	return now, err
}

// publish publishes a definition. If waits, it returns when no statement uses the previous one.
func (x *definition) publish(ctx context.Context, t, next *schema.Table, waits bool) error {
	if err := x.Catalog.Replace(ctx, t, next, x.meter); err != nil || !waits {
		return err
	}
	return x.Catalog.WaitCurrent(ctx)
}

// replace publishes a definition, waits until no statement uses the previous one, and gives the definition as the catalog has it.
func (x *definition) replace(ctx context.Context, t, next *schema.Table) (*schema.Table, error) {
	if err := bindable(next); err != nil {
		return nil, err
	}
	if err := x.publish(ctx, t, next, true); err != nil {
		return nil, err
	}
	return x.published(ctx, next)
}
