package exec

import (
	"sync"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// rooms are the memory of scans that have ended, for those that begin.
var rooms = sync.Pool{New: func() any { return new(engine.Room) }}
