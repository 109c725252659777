package nearlyfree

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// makeParts makes the parts that rows need.
func (c *conn) makeParts(ctx context.Context, need *schema.NoPartError) error {
	return c.definer().MakeParts(ctx, need, &c.session, &c.connector.upkeep)
}

// reached is the newest part of a table whose parts are made as rows arrive, where rows were written to it.
type reached struct {
	table *schema.Table
	part  *schema.Part
}

// makeAhead makes the part behind the one that was reached, or opens it when it is time. What was written stands
// whatever comes of it, and the next row tries again.
func (c *conn) makeAhead(ctx context.Context, r *reached) {
	k := c.connector
	if r == nil || ctx.Err() != nil || !k.growing.TryLock() {
		return
	}
	defer k.growing.Unlock()
	err := c.definer().MakeAhead(ctx, r.table, r.part, &c.session, &k.upkeep)
	if err != nil && !errors.Is(err, catalog.ErrConflict) && ctx.Err() == nil {
		k.logger.Warn("the part for later rows was not made", "table", r.table.Name, "reason", err.Error())
	}
}

// deleteParts deletes the rows of whole parts with their tables, and gives the names of those whose rows are gone.
func (c *conn) deleteParts(ctx context.Context, t *schema.Table, parts []*schema.Part) (emptied []string, err error) {
	m := &engine.Meter{}
	defer c.connector.add(m)
	c.session.RowCount = -1
	names := access.PartNames(parts)
	done, err := c.definer().DeleteParts(ctx, t, names, &c.session, m)
	if !done {
		return nil, err
	}
	return names, err
}
