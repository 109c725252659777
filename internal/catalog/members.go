package catalog

import (
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memberPartition holds an entity for each process that uses the definitions of a shared store. The process rewrites it
// while it runs statements, and deletes it when it has run none for a while.
const memberPartition = "members"

// member is a process as its entity describes it.
type member struct {
	id      string
	version int64         // no statement of the process uses definitions older than these
	lease   time.Duration // how long the process uses definitions without asking for newer ones
	seen    int64         // when the entity was written: ticks of the store's clock
}

func (m *member) op(kind engine.OpKind) engine.Op {
	return engine.Op{Kind: kind, Entity: engine.Entity{PartitionKey: memberPartition, RowKey: m.id,
		Names: []string{"Version", "Lease"}, Values: []engine.Value{int64Value(m.version), int64Value(int64(m.lease))}}}
}

func (c *Catalog) commitMember(ctx context.Context, op engine.Op) error {
	return c.engine.Commit(ctx, engine.Commit{Table: c.table, PartitionKey: memberPartition, Ops: []engine.Op{op}, Meter: c.meter})
}

// members reads which processes are running.
func (c *Catalog) members(ctx context.Context) (all []member, err error) {
	err = engine.Each(ctx, c.engine, engine.Scan{Table: c.table, PartitionKey: memberPartition, Meter: c.meter}, func(e *engine.Entity) error {
		all = append(all, member{
			id: e.RowKey, version: int64(property(e, "Version").N), lease: time.Duration(property(e, "Lease").N), seen: e.Timestamp,
		})
		return nil
	})
	if engine.Is(err, engine.CodeNoTable) {
		err = nil
	}
	return all, err
}

// gone says whether, by a moment of the store's clock, a process must have ended or lost the store. A process trusts
// definitions for a lease after it announced itself, and one of its requests may be under way for as long again.
func (m *member) gone(now int64) bool {
	const tick = 100 * time.Nanosecond
	return time.Duration(now-m.seen)*tick > 2*m.lease
}
