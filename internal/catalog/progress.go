package catalog

import (
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// progressPrefix begins the keys of the notes about how many rows of a table a change of its definition has
// rewritten.
const progressPrefix = "progress!"

// progressAge is how old a note may be, by its maker's clock, and still count as belonging to a change under way. The maker
// rewrites it every second or so; one that died leaves it.
const progressAge = time.Minute

func progressEntity(t *schema.Table) engine.Entity {
	return engine.Entity{PartitionKey: partition, RowKey: progressPrefix + tableKey(t.Name)[len(tablePrefix):]}
}

// SetProgress notes, for other processes to show, that so many rows of t have the form of its new definition, and have their
// entries in the indexes that are being built.
func (c *Catalog) SetProgress(ctx context.Context, t *schema.Table, rows int, m *engine.Meter) error {
	e := progressEntity(t)
	e.Names, e.Values = []string{"Rows", "At"}, []engine.Value{int64Value(int64(rows)), int64Value(time.Now().Unix())}
	return c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{{Kind: engine.Upsert, Entity: e}}, Meter: m})
}

// ClearProgress deletes the note.
func (c *Catalog) ClearProgress(ctx context.Context, t *schema.Table, m *engine.Meter) error {
	err := c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{{Kind: engine.Delete, Entity: progressEntity(t)}}, Meter: m})
	if engine.Is(err, engine.CodeNotFound) {
		return nil
	}
	return err
}

// Progress gives the rows of t that were noted last; not ok if there is no note.
func (s *Snapshot) Progress(ctx context.Context, t *schema.Table) (rows int64, ok bool, err error) {
	c := s.catalog
	e := progressEntity(t)
	found, err := c.engine.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: e.RowKey, Meter: c.meter})
	if engine.Is(err, engine.CodeNotFound) {
		return 0, false, nil
	}
	return int64(property(&found, "Rows").N), err == nil, err
}

// AllProgress gives a function that tells what was recently noted of a table.
func (s *Snapshot) AllProgress(ctx context.Context) (of func(*schema.Table) (rows int64, ok bool), err error) {
	c := s.catalog
	span := keymap.PrefixSpan(progressPrefix)
	rows := map[string]int64{}
	err = engine.Each(ctx, c.engine, engine.Scan{Table: c.table, PartitionKey: partition, From: span.From, To: span.To, Meter: c.meter},
		func(e *engine.Entity) error {
			if at := time.Unix(int64(property(e, "At").N), 0); time.Since(at) < progressAge {
				rows[e.RowKey] = int64(property(e, "Rows").N)
			}
			return nil
		})
	if err != nil && !engine.Is(err, engine.CodeNoTable) {
		return nil, err
	}
	return func(t *schema.Table) (int64, bool) {
		n, ok := rows[progressEntity(t).RowKey]
		return n, ok
	}, nil
}
