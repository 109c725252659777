package catalog

import (
	"context"
	"strconv"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// shareTable gives t, which has no rows, a place of its own in the physical table that tables of the database share.
func (c *Catalog) shareTable(ctx context.Context, s *Snapshot, t *schema.Table, m *engine.Meter) error {
	t.Physical = keymap.SharedTable(c.database)
	taken, err := c.rowNames(ctx, t.Physical)
	if err != nil {
		return err
	}
	name, err := c.freeRowName(ctx, s, t, taken)
	if err != nil {
		return err
	}
	t.Rehome(name)
	if len(taken) > 0 {
		return nil
	}
	if err := c.engine.CreateTable(ctx, t.Physical, m); err != nil && !engine.Is(err, engine.CodeExists) {
		return err
	}
	return nil
}

// rowNames gives the row names of the tables that share a physical table. It avoids reading their definitions, which may be many.
// The version ensures that no process adds one meanwhile.
func (c *Catalog) rowNames(ctx context.Context, physical string) (map[string]bool, error) {
	names := map[string]bool{}
	span := keymap.PrefixSpan(tablePrefix)
	scan := engine.Scan{Table: c.table, PartitionKey: partition, From: span.From, To: span.To, Select: []string{"Physical", "RowName"}, Meter: c.meter}
	err := engine.Each(ctx, c.engine, scan, func(e *engine.Entity) error {
		if e.Values[0].S == physical {
			names[e.Values[1].S] = true
		}
		return nil
	})
	if engine.Is(err, engine.CodeNoTable) {
		err = nil
	}
	return names, err
}

// freeRowName finds a row name for the keys of t that no other table in the physical one has, nor a dropped one that some process
// may still write to. It is t's own name, or that name followed by the version of the change, which no earlier change had. Its
// requests count as maintenance.
func (c *Catalog) freeRowName(ctx context.Context, s *Snapshot, t *schema.Table, taken map[string]bool) (string, error) {
	text := t.Name
	for n := int64(1); ; n++ {
		name := keymap.IndexName(text)
		text = t.Name + "_" + strconv.FormatInt(s.version+n, 10)
		if taken[name] {
			continue
		}
		_, err := c.engine.Get(ctx, engine.Get{Table: c.table, PartitionKey: partition, RowKey: keysNote(t.Physical, name), Select: []string{}, Meter: c.meter})
		switch {
		case engine.Is(err, engine.CodeNotFound, engine.CodeNoTable):
			return name, nil
		case err != nil:
			return "", err
		}
	}
}
