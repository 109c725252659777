// Package exec runs plans: it pulls rows through the operators, one operator a file, reads and writes
// entities through an engine or through a transaction's buffer, and keeps index entries true. It knows no
// SQL text and no wire format.
//
//	c, err := rt.Query(ctx, &exec.Execution{Plan: p, Args: args, Session: s, Store: eng, Meter: m})
//	row, err := c.Next(ctx) // io.EOF behind the last
package exec

import (
	"context"
	"log/slog"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Runtime is what all executions over one open store share. Its fields are set once.
type Runtime struct {
	Engine      engine.Engine
	Parallel    int      // requests of one statement under way at once, ≥ 1
	MaxEntities int64    // a query that reads more entities fails with ErrTooManyEntities; 0: no bound
	MaxRequests int64    // of one statement; 0: no bound
	Price       float64  // of a request, in dollars
	MaxMemory   int64    // bytes that one statement may hold; 0: no bound
	Account     *Account // of all statements; nil: none is kept
	Logger      *slog.Logger
	Sequences   Sequences
	Definitions Definitions
	Lines       *Lines  // nil: nobody waits in line
	Group       *Group  // of all transactions; nil: nobody asks what others have
	Counts      *Counts // what queries have counted; nil: that is not kept
	KeysOnly    bool    // scan=deny: nothing is read whole unless the plan says so
	Chunked     bool    // a statement that takes several entity group transactions sends one after the other
}

// With gives the Runtime of one session, which has tables of its own beside the store.
func (rt *Runtime) With(e engine.Engine, s Sequences, d Definitions) *Runtime {
	return &Runtime{Engine: e, Parallel: rt.Parallel, MaxEntities: rt.MaxEntities, MaxRequests: rt.MaxRequests, Price: rt.Price, MaxMemory: rt.MaxMemory,
		Account: rt.Account, Logger: rt.Logger, Sequences: s, Definitions: d, Lines: rt.Lines, Counts: rt.Counts, KeysOnly: rt.KeysOnly, Chunked: rt.Chunked}
}

// Definitions says whether a definition still holds. It is asked before each transaction that goes to a store
// which other processes may be using: one made by an older definition could leave an index incomplete.
type Definitions interface {
	Current(ctx context.Context, t *schema.Table) (bool, error)
}

// Sequences hands out AUTO_INCREMENT values.
type Sequences interface {
	// Next reserves n consecutive values and gives the first.
	Next(ctx context.Context, t *schema.Table, n int64, m *engine.Meter) (int64, error)
	// Raise makes sure that the values given from now on are above v.
	Raise(ctx context.Context, t *schema.Table, v int64, m *engine.Meter) error
}

// Execution is one run of a plan.
type Execution struct {
	Plan    *planner.Plan
	Args    []value.Value // as many as Plan.Params
	Session *expr.Session
	Meter   *engine.Meter
	// Where it reads: Store, where that is given; else the transaction Tx, which is also where it writes; else the store, at one
	// moment where there are moments. Without moments of its own Tx is read likewise.
	Store engine.Reader
	Tx    *buffer.Buffer
	Pins  bool // what it reads of Tx must be the same when that is committed
	// Profile gets what each operator does, nil: nobody asks. What scans read is counted there, and not in Meter.
	Profile *Profile
	// Budget bounds its requests; nil: nothing does.
	Budget *engine.Budget
}

// Result is what a write did.
type Result struct {
	Affected     int64             // as MySQL counts: 2 for a row replaced or updated by ON DUPLICATE KEY UPDATE, 0 for one left as it was
	Found        int64             // Affected, with 1 for a row that was found and left as it was
	LastInsertID int64             // what LAST_INSERT_ID() gives from now on: the first AUTO_INCREMENT value made, or that of the last row updated; 0: as before
	InsertID     int64             // LastInsertID; where that is 0, the last AUTO_INCREMENT value that the statement gave itself
	Rows         [][]value.Value   // RETURNING
	Newest       *schema.Partition // see schema.Table.NeedPartitions
}
