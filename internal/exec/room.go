package exec

import (
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// room is memory for a scan, for many one after the other: what a source is made of, and what the engine puts entities into.
type room struct {
	engine engine.Room
	points pointSource
	spans  SpanSource
	values [8]engine.Value // of the entity that points has read
}

// rooms are those of scans that have ended, for those that begin.
var rooms = sync.Pool{New: func() any { return new(room) }}

// empty lets go of what the last scan has read. What the engine keeps for the next one stays.
func (r *room) empty() {
	r.points, r.spans, r.values = pointSource{}, SpanSource{}, [8]engine.Value{}
}
