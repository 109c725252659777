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
	MaxEntities int64    // a query that reads more entities fails with ErrTooManyEntities; 0: no limit
	MaxRequests int64    // of one statement; 0: no limit
	Price       float64  // of a request, in dollars
	MaxMemory   int64    // bytes that one statement may hold; 0: no limit
	Account     *Account // of all statements; nil: none is kept
	Logger      *slog.Logger
	Sequences   Sequences
	Definitions Definitions
	Lines       *Lines  // nil: statements never wait in line
	Group       *Group  // of all transactions; nil: other transactions' rows are not considered
	Counts      *Counts // the rows that queries have counted; nil: not kept
	KeysOnly    bool    // scan=deny: nothing is read whole unless the plan says so
	Chunked     bool    // a statement that takes several entity group transactions sends them one after another
}

// With gives the Runtime of one session, which has tables of its own besides the store's.
func (rt *Runtime) With(e engine.Engine, s Sequences, d Definitions) *Runtime {
	return &Runtime{Engine: e, Parallel: rt.Parallel, MaxEntities: rt.MaxEntities, MaxRequests: rt.MaxRequests, Price: rt.Price, MaxMemory: rt.MaxMemory,
		Account: rt.Account, Logger: rt.Logger, Sequences: s, Definitions: d, Lines: rt.Lines, Counts: rt.Counts, KeysOnly: rt.KeysOnly, Chunked: rt.Chunked}
}

// Definitions says whether a definition is still valid. It is asked before each transaction sent to a store
// that other processes may be using: a transaction made by an older definition could leave an index incomplete.
type Definitions interface {
	Current(ctx context.Context, t *schema.Table) (bool, error)
}

// Sequences hands out AUTO_INCREMENT values.
type Sequences interface {
	// Next reserves n consecutive values and gives the first.
	Next(ctx context.Context, t *schema.Table, n int64, m *engine.Meter) (int64, error)
	// Raise makes sure that the values given from now on exceed v.
	Raise(ctx context.Context, t *schema.Table, v int64, m *engine.Meter) error
}

// Execution is one run of a plan.
type Execution struct {
	Plan    *planner.Plan
	Args    []value.Value // as many as Plan.Params
	Session *expr.Session
	Meter   *engine.Meter
	// The execution reads Store if given; else the transaction Tx, to which it also writes; else the store, at one moment
	// if the store supports that. A Tx without moments of its own is read likewise.
	Store engine.Reader
	Tx    *buffer.Buffer
	Pins  bool // what it reads of Tx must be unchanged when Tx is committed
	// Profile gets what each operator does; nil: not wanted. What scans read is counted there, and not in Meter.
	Profile *Profile
	// Budget limits its requests; nil: no limit.
	Budget *engine.Budget
}

// Result is what a write did.
type Result struct {
	Affected     int64             // as MySQL counts: 2 for a row replaced or updated by ON DUPLICATE KEY UPDATE, 0 for a row left unchanged
	Found        int64             // Affected, but 1 for a row that was found and left unchanged
	LastInsertID int64             // what LAST_INSERT_ID() gives from now on: the first AUTO_INCREMENT value made, or that of the last row updated; 0: as before
	InsertID     int64             // LastInsertID; if that is 0, the last AUTO_INCREMENT value that the statement itself specified
	Rows         [][]value.Value   // RETURNING
	Newest       *schema.Partition // see schema.Table.NeedPartitions
}
