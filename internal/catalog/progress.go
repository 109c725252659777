package catalog

import (
	"context"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// progressPrefix begins the keys of the notes about how far the building of a table's indexes is.
const progressPrefix = "progress!"

func progressEntity(t *planner.Table) engine.Entity {
	return engine.Entity{PartitionKey: partition, RowKey: progressPrefix + tableKey(t.Name)[len(tablePrefix):]}
}

// SetProgress notes, for whoever looks, that so many rows of t have their entries in the indexes that are being built.
func (c *Catalog) SetProgress(ctx context.Context, t *planner.Table, rows int, m *engine.Meter) error {
	e := progressEntity(t)
	e.Names, e.Values = []string{"Rows"}, []engine.Value{int64Value(int64(rows))}
	return c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{{Kind: engine.Upsert, Entity: e}}, Meter: m})
}

// ClearProgress takes the note back.
func (c *Catalog) ClearProgress(ctx context.Context, t *planner.Table, m *engine.Meter) error {
	err := c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{{Kind: engine.Delete, Entity: progressEntity(t)}}, Meter: m})
	if isCode(err, engine.CodeNotFound) {
		return nil
	}
	return err
}

// progress gives the rows that were noted last; not ok where nothing is.
func (c *Catalog) progress(ctx context.Context, t *planner.Table) (rows int64, ok bool, err error) {
	e := progressEntity(t)
	found, err := c.engine.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: e.RowKey, Meter: c.meter})
	if isCode(err, engine.CodeNotFound) {
		return 0, false, nil
	}
	return int64(property(&found, "Rows").N), err == nil, err
}
