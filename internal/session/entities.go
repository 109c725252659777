package session

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// Entity, EntityPlace and Property are what Entities gives.
type (
	Entity      = ddl.Entity
	EntityPlace = ddl.EntityPlace
	Property    = ddl.Property
)

// Entities reads the contents of a table's physical tables, starting at a place, until do gives an error; see ddl.Entities. The
// database "" is that of the data source name.
func (d *Database) Entities(ctx context.Context, database, table string, from EntityPlace, keysOnly bool, m *engine.Meter, do func(*Entity) error) error {
	if database == "" {
		database = d.home().Name
	}
	in, _, err := d.existing(ctx, database)
	if err != nil {
		return err
	}
	var (
		t      *schema.Table
		tables []*schema.Table
	)
	err = in.Catalog.With(ctx, func(now *catalog.Snapshot) error {
		if t, err = now.Find(ctx, table); err == nil {
			tables, err = now.Tables(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	if t.IsView() {
		return notSupported("%s is a view: it has no entities of its own", table)
	}
	return ddl.Entities(ctx, d.Runtime.Engine, t, tables, from, keysOnly, m, do)
}
