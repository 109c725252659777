package exec

import (
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// room is memory that many scans use in turn: a source is made in it, and the engine puts entities into it.
type room struct {
	engine engine.Room
	points pointSource
	spans  SpanSource
	values [8]engine.Value // of the entity that points has read
}

// rooms are the rooms of scans that have ended, for new ones.
var rooms = sync.Pool{New: func() any { return new(room) }}

// empty drops what the last scan has read. What the engine keeps for the next one stays.
func (r *room) empty() {
	r.points, r.spans, r.values = pointSource{}, SpanSource{}, [8]engine.Value{}
}
