package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// Settings are the initial settings of new sessions, and those that hold for all sessions.
type Settings struct {
	Name        string // of the database, as sessions know it
	TimeZone    string // "" is UTC
	Mode        Mode
	Collation   value.Collation // of new tables and of literals
	ANSIQuotes  bool
	Exact       bool
	FoundRows   bool // a row that an UPDATE finds and leaves unchanged counts as affected
	SkipKeys    bool // new sessions skip unsupported keys
	ReadOnly    bool
	SharedTable bool     // new tables share one physical table
	DenyScans   bool     // a statement that no key serves is refused
	WarnOfScans bool     // such a statement is reported to the Logger
	Options     []string // names of options, to recognize one that is used as a variable
	Logger      *slog.Logger
	Observe     func(context.Context, *Done)                 // is told of each finished statement; nil: not wanted
	Partitions  bool                                         // it is told of store partitions, too
	Begin       func(context.Context, *Done) context.Context // is told of each statement that begins, and gives the context that it runs with
}

// Database is an open database, which its sessions share.
type Database struct {
	Settings
	Catalog     *catalog.Catalog // of the database that the data source name names
	Open        func(database string) *catalog.Catalog
	Runtime     *exec.Runtime
	Locks       *Locks          // of the store
	Closing     <-chan struct{} // closed when the database is
	Maintenance engine.Meter    // of reading definitions

	cache   statementCache
	ids     atomic.Int64 // CONNECTION_ID()
	growing sync.Mutex   // held by the one statement that makes a partition ahead of need

	mu       sync.Mutex
	own      *Schema            // see home
	none     *Schema            // of sessions without a database
	schemas  map[string]*Schema // others that a statement has named, by folded name
	begun    time.Time          // when the first session began
	sessions map[int64]*Session
	most     int   // most sessions at once
	ended    tally // of sessions that were closed
}

// seek is planner.Options.Seek. If an option limits what statements may read, plans minimize requests.
func (d *Database) seek() float64 {
	l := d.Runtime.Engine.Limits()
	if l.GetEntities == l.PageEntities || d.DenyScans || d.Runtime.MaxRequests > 0 || d.Runtime.MaxEntities > 0 {
		return 0
	}
	return float64(l.GetEntities)
}
