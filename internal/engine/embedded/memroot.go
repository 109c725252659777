package embedded

import (
	"context"
	"maps"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memRoot is a memory store as it is at one moment: never changed, replaced. So it is a moment itself, which costs nothing.
type memRoot struct {
	m      *Memory
	tables map[string]*memTable // by folded name and by name
	states [][]*memPartitions   // by memTable.slot, stateChunk in each: a commit copies one of them
}

var _ engine.Moment = (*memRoot)(nil)

const stateChunk = 32

// table finds a table, in whatever case it is named.
func (r *memRoot) table(name string) *memTable {
	if t := r.tables[name]; t != nil {
		return t
	}
	return r.tables[engine.FoldTable(name)]
}

// state is what a table of the root holds.
func (r *memRoot) state(t *memTable) *memPartitions {
	return r.states[t.slot/stateChunk][t.slot%stateChunk]
}

// memChange is what a table holds next.
type memChange struct {
	table *memTable
	state *memPartitions
}

// with gives the root after changes.
func (r *memRoot) with(changes []memChange) *memRoot {
	next := &memRoot{m: r.m, tables: r.tables, states: slices.Clone(r.states)}
	last := -1 // the chunk that was copied last; a transaction's tables may come in any order
	for _, c := range changes {
		chunk := c.table.slot / stateChunk
		if chunk != last {
			next.states[chunk], last = slices.Clone(next.states[chunk]), chunk
		}
		next.states[chunk][c.table.slot%stateChunk] = c.state
	}
	return next
}

// withTables gives a root that has a list of tables of its own, to be changed before it is published.
func (r *memRoot) withTables() *memRoot {
	next := &memRoot{m: r.m, tables: maps.Clone(r.tables), states: slices.Clone(r.states)}
	for i := range next.states {
		next.states[i] = slices.Clone(next.states[i])
	}
	return next
}

// take gives a new table a slot.
func (r *memRoot) take(t *memTable) {
	for i, chunk := range r.states {
		if j := slices.Index(chunk, nil); j >= 0 {
			t.slot, chunk[j] = i*stateChunk+j, emptyState()
			return
		}
	}
	last := len(r.states) - 1
	if last < 0 || len(r.states[last]) == stateChunk {
		r.states, last = append(r.states, nil), last+1
	}
	t.slot = last*stateChunk + len(r.states[last])
	r.states[last] = append(r.states[last], emptyState())
}

// give takes the slot of a table that is deleted.
func (r *memRoot) give(t *memTable) { r.states[t.slot/stateChunk][t.slot%stateChunk] = nil }

func (r *memRoot) get(t *memTable, partitionKey, rowKey string) *memEntity {
	p, ok := r.state(t).Get(partitionKey)
	if !ok {
		return nil
	}
	e, _ := p.rows.Get(rowKey)
	return e
}

// Get implements engine.Moment.
func (r *memRoot) Get(ctx context.Context, g engine.Get) (engine.Entity, error) {
	if err := ctx.Err(); err != nil {
		return engine.Entity{}, err
	}
	if r.m.closed.Load() {
		return engine.Entity{}, errClosed()
	}
	var e *memEntity
	t := r.table(g.Table)
	if t != nil {
		e = r.get(t, g.PartitionKey, g.RowKey)
	}
	if e == nil {
		// Only what is not found needs checking: what is there has legal keys.
		if err := r.m.limits.CheckGet(&g); err != nil {
			return engine.Entity{}, err
		}
	}
	if g.Meter != nil {
		g.Meter.Requests.Add(1)
	}
	switch {
	case t == nil:
		return engine.Entity{}, errNoTable(g.Table)
	case e == nil:
		return engine.Entity{}, errNoEntity(g.Table, g.PartitionKey, g.RowKey)
	}
	if g.Meter != nil {
		g.Meter.Scanned.Add(1)
		g.Meter.Returned.Add(1)
	}
	out := engine.Entity{
		PartitionKey: g.PartitionKey, RowKey: g.RowKey, ETag: e.etag, Timestamp: e.timestamp,
		Names: e.shape.names, Values: e.values,
	}
	if g.Select != nil {
		out.Names, out.Values = g.Select, engine.Gather(e.shape.names, e.values, g.Select)
	}
	return out, nil
}

// Begin implements engine.Moment.
func (r *memRoot) Begin() error { return nil }

// Release implements engine.Moment.
func (r *memRoot) Release() {}
