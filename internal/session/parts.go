package session

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// makeParts makes the parts that rows need.
func (s *Session) makeParts(ctx context.Context, need *schema.NoPartError) error {
	return s.definer().MakeParts(ctx, need, &s.state, &s.db.Upkeep)
}

// reached is the newest part of a table whose parts are made as rows arrive, where rows were written to it.
type reached struct {
	table *schema.Table
	part  *schema.Part
}

// makeAhead makes the part behind the one that was reached, or opens it when it is time. What was written stands
// whatever comes of it, and the next row tries again.
func (s *Session) makeAhead(ctx context.Context, r *reached) {
	d := s.db
	if r == nil || ctx.Err() != nil || !d.growing.TryLock() {
		return
	}
	defer d.growing.Unlock()
	err := s.definer().MakeAhead(ctx, r.table, r.part, &s.state, &d.Upkeep)
	if err != nil && !errors.Is(err, catalog.ErrConflict) && ctx.Err() == nil {
		d.Logger.Warn("the part for later rows was not made", "table", r.table.Name, "reason", err.Error())
	}
}

// deleteParts deletes the rows of whole parts with their tables, and gives the names of those whose rows are gone.
func (s *Session) deleteParts(ctx context.Context, t *schema.Table, parts []*schema.Part) (emptied []string, err error) {
	m := &engine.Meter{}
	defer s.db.count(m)
	s.state.RowCount = -1
	names := access.PartNames(parts)
	done, err := s.definer().DeleteParts(ctx, t, names, &s.state, m)
	if !done {
		return nil, err
	}
	return names, err
}
