package catalog

import (
	"context"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// note is the entity that says that physical tables are to be deleted, or were. It has the key of the first of them.
func note(name string, physicals []string, deleted bool) engine.Entity {
	e := engine.Entity{
		PartitionKey: partition, RowKey: dropPrefix + physicals[0],
		Names:  []string{"Name", "Tables", "Dropped", "Deleted"},
		Values: []engine.Value{textValue(name), textValue(strings.Join(physicals, " ")), int64Value(time.Now().Unix()), {Type: engine.Boolean}},
	}
	if deleted {
		e.Values[3].N = 1
	}
	return e
}

// graves makes the operation that notes that physical tables of t are to be deleted, if any.
func graves(t *planner.Table, physicals []string) []engine.Op {
	if len(physicals) == 0 {
		return nil
	}
	return []engine.Op{{Kind: engine.Upsert, Entity: note(t.Name, physicals, false)}}
}

// bury deletes physical tables whose definition is gone and that nobody writes to any more, then the note of it.
func (c *Catalog) bury(ctx context.Context, physicals []string, m *engine.Meter) error {
	if len(physicals) == 0 {
		return nil
	}
	if err := c.deletePhysical(ctx, physicals, m); err != nil {
		return err
	}
	err := c.commitNote(ctx, engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: dropPrefix + physicals[0]}}, m)
	if isCode(err, engine.CodeNotFound) {
		return nil
	}
	return err
}

func (c *Catalog) deletePhysical(ctx context.Context, physicals []string, m *engine.Meter) error {
	for _, physical := range physicals {
		if err := c.engine.DeleteTable(ctx, physical, m); err != nil && !isCode(err, engine.CodeNoTable) && !isCode(err, engine.CodeDeleting) {
			return err
		}
	}
	return nil
}

func (c *Catalog) commitNote(ctx context.Context, op engine.Op, m *engine.Meter) error {
	return c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: partition, Ops: []engine.Op{op}, Meter: m})
}

// noteAge is how long the note of a dropped table stays at least: longer than any lease, however far the clocks of
// two machines are apart.
const noteAge = time.Hour

// sweep deletes notes that are long past, and finishes drops that a process did not live to finish.
func (c *Catalog) sweep(ctx context.Context) error {
	var past []engine.Op // each makes a note one of now, if it is still what it was
	var tables [][]string
	span := keymap.PrefixSpan(dropPrefix)
	err := engine.Each(ctx, c.engine, engine.Scan{Table: c.table, PartitionKey: partition, From: span.From, To: span.To, Meter: c.meter},
		func(e *engine.Entity) error {
			if time.Since(time.Unix(int64(property(e, "Dropped").N), 0)) < noteAge+2*c.lease {
				return nil
			}
			op := engine.Op{Kind: engine.Delete, Entity: engine.Entity{PartitionKey: partition, RowKey: e.RowKey}, IfMatch: e.ETag}
			var unfinished []string
			if property(e, "Deleted").N == 0 {
				unfinished = strings.Fields(property(e, "Tables").S)
				op.Kind, op.Entity = engine.Replace, note(property(e, "Name").S, unfinished, false)
			}
			past, tables = append(past, op), append(tables, unfinished)
			return nil
		})
	if err != nil {
		return err
	}
	for i, op := range past {
		err := c.commitNote(ctx, op, c.meter)
		if isCode(err, engine.CodeStale) || isCode(err, engine.CodeNotFound) {
			continue // another process is at it
		}
		if err == nil && len(tables[i]) > 0 {
			// Nobody else deletes these now, nor gives their names to new tables.
			if err = c.deletePhysical(ctx, tables[i], c.meter); err == nil {
				op.Entity = note(property(&op.Entity, "Name").S, tables[i], true)
				err = c.commitNote(ctx, engine.Op{Kind: engine.Upsert, Entity: op.Entity}, c.meter)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
