package catalog

import (
	"context"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// SetStatistics stores statistics of a table with its definition. The catalog's version rises, so that plans are made anew. The
// table's own versions stay: reading or writing by the definition without these statistics does no harm, so nothing waits, and no
// transaction fails. It gives false if the rows of t are no longer those of the table.
func (c *Catalog) SetStatistics(ctx context.Context, t *schema.Table, of *schema.Statistics, m *engine.Meter) (kept bool, err error) {
	err = c.changing(ctx, func(s *Snapshot) error {
		d, err := s.definition(ctx, t.Name)
		if kept = false; isNoTable(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if d.table.Unwritable != nil {
			return d.table.Unwritable
		}
		if d.table.Physical != t.Physical || d.table.RowName != t.RowName {
			return nil
		}
		next := d.table.Clone()
		next.Statistics = of
		if err := next.Init(); err != nil {
			return err
		}
		e, err := encodeDefinition(next)
		if err != nil {
			return err
		}
		kept = true
		return c.commit(ctx, s, m, []engine.Op{{Kind: engine.Replace, Entity: e}}, func(known map[string]*definition) {
			known[strings.ToLower(next.Name)] = &definition{table: next}
		})
	})
	return kept, err
}
