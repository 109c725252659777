package embedded

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memRoot is what a memory store holds. While a reader holds it, it stays as it was at that moment, and the next commit makes another root.
// While none does, commits change it in place.
type memRoot struct {
	m       *Memory
	owner   uint64               // of what this root may change in place; nodes of other owners may be in other roots, too
	holders atomic.Int64         // no new ones come once another root has followed
	tables  map[string]*memTable // by folded name and by name; never changed
	states  []*memStates         // by memTable.slot, stateChunk in each
}

const stateChunk = 32

// memStates is what some tables hold.
type memStates struct {
	owner uint64
	of    [stateChunk]*memState
}

// memState is what a table holds: its partitions.
type memState struct {
	owner uint64
	tree[memPartition]
}

// memPartition is one partition of a table.
type memPartition struct {
	owner uint64
	key   string
	rows  tree[memRecord]
}

// next gives the root that follows this one, with the same contents so far.
func (r *memRoot) next() *memRoot {
	return &memRoot{m: r.m, owner: r.owner + 1, tables: r.tables, states: slices.Clone(r.states)}
}

// table finds a table, in whatever case it is named.
func (r *memRoot) table(name string) *memTable {
	if t := r.tables[name]; t != nil {
		return t
	}
	return r.tables[engine.FoldTable(name)]
}

// state is what a table of the root holds.
func (r *memRoot) state(t *memTable) *memState {
	return r.states[t.slot/stateChunk].of[t.slot%stateChunk]
}

// partition is a partition of a table; nil if there is none.
func (r *memRoot) partition(t *memTable, key string) *memPartition { return r.state(t).Get(key) }

// ownStates gives a chunk of the states, for changing.
func (r *memRoot) ownStates(chunk int) *memStates {
	s := r.states[chunk]
	if s.owner != r.owner {
		c := *s
		s, c.owner = &c, r.owner
		r.states[chunk] = s
	}
	return s
}

// ownState gives a table's state, for changing.
func (r *memRoot) ownState(t *memTable) *memState {
	all := r.ownStates(t.slot / stateChunk)
	s := all.of[t.slot%stateChunk]
	if s.owner != r.owner {
		c := *s
		s, c.owner = &c, r.owner
		all.of[t.slot%stateChunk] = s
	}
	return s
}

// own gives a partition, possibly a new one, for changing.
func (s *memState) own(key string) *memPartition {
	p := s.Get(key)
	switch {
	case p == nil:
		p = &memPartition{owner: s.owner, key: key}
	case p.owner != s.owner:
		c := *p
		p, c.owner = &c, s.owner
	default:
		return p
	}
	s.Set(s.owner, p.key, p)
	return p
}

// take gives a new table a slot.
func (r *memRoot) take(t *memTable) {
	empty := &memState{owner: r.owner}
	for i, s := range r.states {
		if j := slices.Index(s.of[:], nil); j >= 0 {
			t.slot = i*stateChunk + j
			r.ownStates(i).of[j] = empty
			return
		}
	}
	t.slot = len(r.states) * stateChunk
	r.states = append(r.states, &memStates{owner: r.owner, of: [stateChunk]*memState{empty}})
}

// give takes back the slot of a deleted table.
func (r *memRoot) give(t *memTable) { r.ownStates(t.slot / stateChunk).of[t.slot%stateChunk] = nil }

func (r *memRoot) entity(t *memTable, partitionKey, rowKey string) *memRecord {
	p := r.partition(t, partitionKey)
	if p == nil {
		return nil
	}
	return p.rows.Get(rowKey)
}

// get is Engine.Get.
func (r *memRoot) get(ctx context.Context, g *engine.Get) (engine.Entity, error) {
	if err := ctx.Err(); err != nil {
		return engine.Entity{}, err
	}
	if r.m.closed.Load() {
		return engine.Entity{}, errClosed()
	}
	var e *memRecord
	t := r.table(g.Table)
	if t != nil {
		e = r.entity(t, g.PartitionKey, g.RowKey)
	}
	if e == nil {
		// Only what is not found needs checking: what exists has legal keys.
		if err := r.m.limits.CheckGet(g); err != nil {
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
	return t.selected(e, g), nil
}
