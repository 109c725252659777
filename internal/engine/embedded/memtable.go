package embedded

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// memTable is a table. What it holds is in the root, in its slot.
type memTable struct {
	name string
	slot int

	shapes    sync.Mutex
	shapeOf   map[string]*shape     // by the names, joined
	lastShape atomic.Pointer[shape] // most entities of a table have the same names
}

// memEntity is a stored entity; never changed.
type memEntity struct {
	shape     *shape
	values    []engine.Value
	etag      string
	timestamp int64
}

func newMemTable(name string) *memTable {
	return &memTable{name: name, shapeOf: map[string]*shape{}}
}

// newEntity copies what a writer gave, without what is absent.
func (t *memTable) newEntity(names []string, values []engine.Value) *memEntity {
	present := 0
	for i := range values {
		if values[i].Type != engine.Absent {
			present++
		}
	}
	e, kept := roomFor(present)
	if present == len(values) {
		e.shape, e.values = t.shape(names), append(kept, values...)
		return e
	}
	var room [64]string
	keptNames := room[:0]
	for i := range values {
		if values[i].Type != engine.Absent {
			kept = append(kept, values[i])
			keptNames = append(keptNames, names[i])
		}
	}
	e.shape, e.values = t.shape(keptNames), kept
	return e
}

// roomFor makes an entity and room for so many values. They lie behind it, as who reads one reads both.
func roomFor(values int) (*memEntity, []engine.Value) {
	switch {
	case values <= 2:
		x := new(struct {
			memEntity
			room [2]engine.Value
		})
		return &x.memEntity, x.room[:0]
	case values <= 4:
		x := new(struct {
			memEntity
			room [4]engine.Value
		})
		return &x.memEntity, x.room[:0]
	case values <= 6:
		x := new(struct {
			memEntity
			room [6]engine.Value
		})
		return &x.memEntity, x.room[:0]
	case values <= 8:
		x := new(struct {
			memEntity
			room [8]engine.Value
		})
		return &x.memEntity, x.room[:0]
	case values <= 12:
		x := new(struct {
			memEntity
			room [12]engine.Value
		})
		return &x.memEntity, x.room[:0]
	}
	return new(memEntity), make([]engine.Value, 0, values)
}

// shape gives the one shape of the table that has these names; names is not kept.
func (t *memTable) shape(names []string) *shape {
	if s := t.lastShape.Load(); s != nil && slices.Equal(s.names, names) {
		return s
	}
	key := strings.Join(names, "/") // no name holds a slash
	t.shapes.Lock()
	s := t.shapeOf[key]
	if s == nil {
		s = &shape{names: append([]string{}, names...)}
		t.shapeOf[key] = s
	}
	t.shapes.Unlock()
	t.lastShape.Store(s)
	return s
}

// shape is a list of names that many entities share: no absent properties, never changed.
type shape struct{ names []string }

// merged is e with the properties of a Merge laid over it.
func (t *memTable) merged(e *memEntity, names []string, values []engine.Value) *memEntity {
	return t.newEntity(engine.Overlay(slices.Clone(e.shape.names), slices.Clone(e.values), names, values))
}
