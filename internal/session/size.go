package session

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// TableSize and PartitionSize are what Sizes gives.
type (
	TableSize     = ddl.TableSize
	PartitionSize = ddl.PartitionSize
)

// Sizes reads all entities of the tables of the database, and gives the space that these take. It lists so many partitions of each.
func (d *Database) Sizes(ctx context.Context, largest int, m *engine.Meter) ([]TableSize, error) {
	var tables []*schema.Table
	err := d.Catalog.With(ctx, func(now *catalog.Snapshot) (err error) {
		tables, err = now.Tables(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ddl.Sizes(ctx, d.Runtime.Engine, tables, largest, m)
}
