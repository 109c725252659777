package embedded

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memTable is a table. What it holds is in the root, in its slot.
type memTable struct {
	name string
	slot int

	mu        sync.Mutex               // held to add a shape
	shapes    atomic.Pointer[[]*shape] // by their numbers; never changed
	shapeOf   map[string]*shape        // by names and types, joined
	lastShape atomic.Pointer[shape]    // most entities of a table have the same
}

// shape is a list of names and types that many entities share: no absent properties, never changed.
type shape struct {
	number uint32
	names  []string
	types  []engine.Edm
}

func newMemTable(name string) *memTable {
	t := &memTable{name: name, shapeOf: map[string]*shape{}}
	t.shapes.Store(new([]*shape))
	return t
}

// newRecord copies what a writer gave.
func (t *memTable) newRecord(names []string, values []engine.Value) *memRecord {
	return newRecord(t.shape(names, values), values)
}

// shape gives the table's one shape for entities with these properties; neither list is kept.
func (t *memTable) shape(names []string, values []engine.Value) *shape {
	if s := t.lastShape.Load(); s != nil && s.is(names, values) {
		return s
	}
	s := &shape{}
	var key []byte
	for i := range values {
		if values[i].Type != engine.Absent {
			s.names, s.types = append(s.names, names[i]), append(s.types, values[i].Type)
			key = append(append(key, names[i]...), '/', byte(values[i].Type)) // no name holds a slash
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.shapeOf[string(key)]; known != nil {
		s = known
	} else {
		all := *t.shapes.Load()
		s.number = uint32(len(all))
		all = append(all, s)
		t.shapeOf[string(key)] = s
		t.shapes.Store(&all)
	}
	t.lastShape.Store(s)
	return s
}

// is says whether entities with these properties have the shape.
func (s *shape) is(names []string, values []engine.Value) bool {
	at := 0
	for i := range values {
		if values[i].Type == engine.Absent {
			continue
		}
		if at == len(s.names) || s.types[at] != values[i].Type || s.names[at] != names[i] {
			return false
		}
		at++
	}
	return at == len(s.names)
}

// selected gives what a Get wants of a record.
func (t *memTable) selected(r *memRecord, g *engine.Get) engine.Entity {
	s, names := t.shapeNumber(r.shape), g.Select
	if names == nil {
		names = s.names
	}
	values, at := g.Room[:0], 0
	if cap(values) < len(names) {
		values = make([]engine.Value, 0, len(names))
	}
	for _, name := range names {
		var slot int
		slot, at = engine.FindName(s.names, name, at)
		values = append(values, r.value(s, slot))
	}
	return engine.Entity{PartitionKey: g.PartitionKey, RowKey: g.RowKey, ETag: r.etag(), Timestamp: r.timestamp, Names: names, Values: values}
}

// slots gives the position of each of some names; -1 for absent ones.
func (s *shape) slots(names []string) []int {
	slots, at := make([]int, len(names)), 0
	for i, name := range names {
		slots[i], at = engine.FindName(s.names, name, at)
	}
	return slots
}

// entity gives what a record holds, under its keys.
func (t *memTable) entity(r *memRecord, partitionKey, rowKey string) engine.Entity {
	return t.selected(r, &engine.Get{PartitionKey: partitionKey, RowKey: rowKey})
}

func (t *memTable) shapeNumber(n uint32) *shape { return (*t.shapes.Load())[n] }

// merged is a record with the properties of a Merge laid over it.
func (t *memTable) merged(r *memRecord, names []string, values []engine.Value) *memRecord {
	e := t.entity(r, "", "")
	return t.newRecord(engine.Overlay(slices.Clone(e.Names), e.Values, names, values))
}
