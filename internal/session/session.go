// Package session does what a connection does: it runs statements, one after another, and keeps what lasts between them:
// variables, a transaction, prepared statements, named locks. It knows nothing of database/sql.
package session

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/dialect"
	"github.com/nearlyfreedb/nearlyfree/internal/ddl"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/exec"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/show"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// serverVersion makes tools that ask for it send what this driver reads.
var serverVersion = fmt.Sprintf("%d.%d.%d-nearlyfree", dialect.Version/10000, dialect.Version/100%100, dialect.Version%100)

const (
	sessionUser = "nearlyfree@localhost"
	// defaultEncryption is the default of block_encryption_mode.
	defaultEncryption = "aes-128-ecb"
)

// Session has variables and, at times, a transaction. It holds nothing of the network. Only one goroutine at a time may use it.
type Session struct {
	db          *Database
	in          *Schema // the current database
	state       expr.Session
	mode        Mode
	tx          *buffer.Buffer  // nil outside a transaction
	held        *exec.Run       // the memory that it takes
	current     characteristics // of the transaction
	begun       bool            // the transaction has read a stored table, or is WITH CONSISTENT SNAPSHOT
	definitions []versionAt     // the versions of definitions at the moment of the transaction
	usual       characteristics // of transactions
	next        characteristics // of the next one
	manual      bool            // autocommit is off
	wrote       []*schema.Table // the definitions by which the transaction has written
	saw         []*schema.Table // those by which it has read, if Commit validates what it has read
	reached     *reached        // by the last write
	turns       []exec.Turn     // in the lines of tables, while it commits
	savepoints  []savepoint
	interrupts  *interruptible       // of a finished statement, for the next one
	spare       *query               // of a finished point read, for the next query
	lost        string               // what began the transaction that was open when the session went back to the pool; "": none was
	temporary   *temporary           // its temporary tables; nil: it has none
	lostTables  []string             // names of the temporary tables that it had when it went back to the pool
	locks       bool                 // it may hold some of Database.Locks
	statements  map[string]*Prepared // of PREPARE, by name in lower case
	zone        string               // time_zone, as it was written
	encryption  string               // block_encryption_mode
	timeLimit   time.Duration        // max_execution_time
	lockWait    time.Duration        // innodb_lock_wait_timeout
	profiled    *profiled            // while EXPLAIN ANALYZE runs its statement
	inside      bool                 // Run is running
	watched     *watched             // the statement being run; nil if not wanted
	tally       atomic.Pointer[tally]
	at          activity

	analyzeRequests int
	skipKeys        bool // unsupported keys are left out of definitions
}

// New begins a session.
func New(d *Database) *Session {
	s := &Session{db: d}
	s.tally.Store(&tally{})
	s.at.since.Store(now())
	s.state = expr.Session{ConnectionID: d.ids.Add(1), User: sessionUser, Version: serverVersion, System: s.systemVariable, Lock: s.lock, Unlock: s.unlock,
		UnlockAll: s.unlockAll, LockOwner: s.lockOwner, Exact: d.Exact}
	s.reset()
	d.enter(s)
	return s
}

func (s *Session) reset() {
	s.endTx()
	s.usual, s.next, s.manual = characteristics{}, characteristics{}, false
	s.enter(s.db.home())
	s.state.LastInsertID, s.state.RowCount, s.state.FoundRows = 0, 0, 0
	s.state.Vars.Reset()
	s.state.KeysUnchecked, s.skipKeys = false, s.db.SkipKeys
	s.statements = nil
	s.state.Recursions = defaultRecursions
	s.encryption, s.timeLimit, s.analyzeRequests = defaultEncryption, 0, ddl.DefaultAnalyzeRequests
	s.lockWait = defaultLockWait * time.Second
	_ = s.setZone("") // the database's, which was checked
	s.state.Collation = s.db.Collation
	s.state.Diagnostics.Begin()
	s.setMode(s.db.Mode)
}

// Reset makes the session as if it were new, for its next user.
func (s *Session) Reset(ctx context.Context) {
	s.endLocks(ctx)
	s.Leave()
	s.reset()
}

// Leave ends an open transaction and drops the temporary tables when the session goes back to the pool.
func (s *Session) Leave() {
	switch {
	case s.tx != nil && s.manual:
		s.lost = "SET autocommit = 0"
	case s.tx != nil:
		s.lost = "BEGIN"
	}
	s.endTx()
	s.endTemporary()
}

// Close ends the session.
func (s *Session) Close() {
	s.endTx()
	s.endTemporary()
	s.endLocks(context.Background())
	s.db.leave(s)
}

// Zone is time_zone; nil: UTC.
func (s *Session) Zone() *time.Location { return s.state.Zone }

// Warnings is how many conditions the last statement has left.
func (s *Session) Warnings() int {
	all, _ := s.state.Diagnostics.Counts()
	return all
}

// Variables are the session's @name.
func (s *Session) Variables() *expr.Variables { return &s.state.Vars }

// Failed notes the error that ended a statement among its conditions.
func (s *Session) Failed(number int, message string) {
	s.state.Diagnostics.Note(expr.Failure, number, "%s", message)
}

// Split splits a text into statements.
func (s *Session) Split(text string) ([]string, error) { return dialect.Split(text, s.options()) }

func (s *Session) options() dialect.Options { return dialect.Options{ANSIQuotes: s.db.ANSIQuotes} }

func now() int64 {
	ticks, err := value.TicksFromTime(time.Now().UTC().Truncate(value.Tick))
	if err != nil {
		return 0 // a clock outside of the years 1 to 9999
	}
	return ticks
}

// enter makes a database the current one.
func (s *Session) enter(in *Schema) {
	s.in, s.state.Database = in, in.Name
	s.at.in.Store(&in.Name)
}

// use is USE.
func (s *Session) use(ctx context.Context, database string) error {
	in, err := s.db.schema(ctx, database)
	if err == nil && !show.IsVirtual(database) {
		_, err = s.db.now(ctx, in, database)
	}
	if err == nil {
		s.enter(in)
	}
	return err
}
