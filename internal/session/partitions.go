package session

import (
	"context"
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
)

// makePartitions makes the partitions that rows need.
func (s *Session) makePartitions(ctx context.Context, need *schema.NoPartitionError) error {
	return s.definerOf(need.Table).MakePartitions(ctx, need, &s.state, &s.db.Maintenance)
}

// reached is the newest partition of a table that makes its partitions as rows arrive, if rows were written to that partition.
type reached struct {
	table *schema.Table
	part  *schema.Partition
}

// makeAhead makes the partition after the one that was reached, or opens it when it is time. If that fails, what was
// written stays, and the next row tries again.
func (s *Session) makeAhead(ctx context.Context, r *reached) {
	d := s.db
	if r == nil || ctx.Err() != nil || !d.growing.TryLock() {
		return
	}
	defer d.growing.Unlock()
	err := s.definerOf(r.table).MakeAhead(ctx, r.table, r.part, &s.state, &d.Maintenance)
	if err != nil && !errors.Is(err, catalog.ErrConflict) && ctx.Err() == nil {
		d.Logger.Warn("the partition for later rows was not made", "table", r.table.Name, "reason", err.Error())
	}
}

// deletePartitions deletes the rows of whole partitions with their tables, and gives the names of those whose rows are gone.
func (s *Session) deletePartitions(ctx context.Context, t *schema.Table, parts []*schema.Partition) (emptied []string, err error) {
	m := &engine.Meter{}
	defer s.count(m, s.watched)
	s.state.RowCount = -1
	names := access.PartitionNames(parts)
	done, err := s.definerOf(t).DeletePartitions(ctx, t, names, &s.state, m)
	if !done {
		return nil, err
	}
	return names, err
}
