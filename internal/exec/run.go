package exec

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/nearlyfreedb/nearlyfree/internal/access"
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/buffer"
	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/sqlerr"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// Iterator passes rows. A row is valid until the next call of Next; io.EOF comes after the last. Close
// ends what is under way; the goroutine that calls Next may call it at any time, more than once.
type Iterator interface {
	Next(ctx context.Context) ([]value.Value, error)
	Close() error
}

// Run is one execution of a statement: what its operators share.
type Run struct {
	Rt       *Runtime
	X        *Execution
	store    engine.Reader
	moment   engine.Moment   // that store reads; nil: it reads none, or a transaction's
	ctx      context.Context // of the execution: of reads ahead and of subqueries
	entities atomic.Int64    // that came back
	held     atomic.Int64    // bytes that blocking operators hold
	taken    atomic.Int64    // the part of them that Rt.Account counts, in whole steps
	slots    []subqueryResult
	shared   map[*planner.Shared]*sharedRows
	around   *Run          // the run that memory and entities also count for; nil: this is the statement's
	begun    int64         // what the statement had cost when this began, if around is set
	most     int64         // what it may cost before errTooDear ends it
	points   *pointReads   // nil: nothing is read by key twice
	requests chan struct{} // one element per request under way; nil: one at a time. See sideBySide
}

// Frame is a query block of an execution: the statement's own or a subquery's. Its operators set
// env.Row before they evaluate anything.
type Frame struct {
	*Run
	Env       expr.Env
	recursion *recursion // of the WITH RECURSIVE that it is a step of; nil: none
}

// Init prepares r for an execution.
func (r *Run) Init(ctx context.Context, rt *Runtime, x *Execution) {
	r.Rt, r.X, r.ctx = rt, x, ctx
	switch {
	case x.Store != nil:
		r.store = x.Store
	case x.Tx != nil:
		r.store = x.Tx.Over(nil, x.Pins)
	default:
		r.store = rt.Engine
	}
	if x.Plan.Slots > 0 {
		r.slots = make([]subqueryResult, x.Plan.Slots)
	}
}

// AtOneMoment makes the execution read everything as of one moment, if the store supports that. One that reads a single entity does
// without.
func (r *Run) AtOneMoment() {
	t, ok := r.Rt.Engine.(engine.Transactor)
	if !ok || !t.Snapshots() || r.moment != nil {
		return
	}
	view, ofTx := r.store.(buffer.View)
	if ofTx && view.Buffer().IsOfOneMoment() || !ofTx && r.X.Store != nil {
		return
	}
	r.moment = t.Moment()
	if r.store = r.moment; ofTx {
		r.store = view.At(r.moment)
	}
}

// LetGo releases the moment that the execution reads, if it has one, once everything has been read. The memory store then need not
// keep the old state next to what is written.
func (r *Run) LetGo() {
	if r.moment != nil {
		r.moment.Release()
	}
}

// readsItself says whether the execution reads this process's own store, with nothing in between.
func (r *Run) readsItself() bool {
	t, ok := r.Rt.Engine.(engine.Transactor)
	return ok && t.Snapshots() && (r.store == engine.Reader(r.moment) || r.store == engine.Reader(r.Rt.Engine))
}

// InitEnv prepares the environment of a block inside outer (nil for the statement's own).
func (f *Frame) InitEnv(r *Run, outer *expr.Env) {
	f.Run = r
	f.Env = expr.Env{Args: r.X.Args, Outer: outer, Session: r.X.Session, Subqueries: r, Context: r.ctx, Memory: r}
	if outer != nil {
		f.Env.Insert = outer.Insert
	}
}

// SideBySide lets the execution send requests in parallel. A point read, which sends one, does without.
func (r *Run) SideBySide() {
	if r.Rt.Parallel > 1 {
		r.requests = make(chan struct{}, r.Rt.Parallel)
	}
}

// Parallel is the number of requests that may be under way at once.
func (r *Run) Parallel() int { return max(r.Rt.Parallel, 1) }

// inTurn is Parallel, unless reading waits for locks. Two statements that wait for each other's rows would do so for ever, so such
// rows are read one after another, in the same order by all statements.
func (r *Run) inTurn() int {
	if r.waits() {
		return 1
	}
	return r.Parallel()
}

// waits says whether the execution waits for rows that another transaction has.
func (r *Run) waits() bool { return r.X.Plan.Waits && r.X.Pins }

// keep makes the transaction keep rows in the order of their keys, before they are read in parallel.
func (r *Run) keep(ctx context.Context, g engine.Get, keys []access.Key) error {
	view, ofTx := r.store.(buffer.View)
	if !ofTx || g.Hold != engine.HoldOrWait || !r.waits() {
		return nil
	}
	for _, k := range keys {
		if err := view.Keep(ctx, getOf(g, k)); err != nil {
			return lockError(err)
		}
	}
	return nil
}

// Begin waits until a request may be sent. Unless it gives an error, Done must follow.
func (r *Run) Begin(ctx context.Context) error {
	if r.requests == nil {
		return ctx.Err()
	}
	select {
	case r.requests <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done says that the request for which Begin waited is answered.
func (r *Run) Done() {
	if r.requests != nil {
		<-r.requests
	}
}

// count counts entities that came back against MaxEntities.
func (r *Run) count(n int) error {
	read := r.entities.Add(int64(n))
	if r.around != nil {
		if read > r.most || r.cost()-r.begun > r.most {
			return errTooDear
		}
		return r.around.count(n)
	}
	if most := r.mostEntities(); most > 0 && read > most {
		return &TooManyEntitiesError{Read: read, Max: most}
	}
	return nil
}

// mostEntities is how many entities may be read; 0 or less: any number.
func (r *Run) mostEntities() int64 { return cmp.Or(r.X.Plan.Most.Entities, r.Rt.MaxEntities) }

// Get reads one entity; found is false if there is none.
func (r *Run) Get(ctx context.Context, g engine.Get) (e engine.Entity, found bool, err error) {
	if r.X.Budget != nil && !keymap.IsTemporary(g.Table) {
		if err := r.X.Budget.Take(1); err != nil {
			return e, false, err
		}
	}
	if err := r.Begin(ctx); err != nil {
		return e, false, err
	}
	e, err = r.store.Get(ctx, g)
	r.Done()
	if err != nil {
		var ee *engine.Error
		if errors.As(err, &ee) && ee.Code == engine.CodeNotFound {
			err = nil
		}
		return engine.Entity{}, false, lockError(err)
	}
	return e, true, r.count(1)
}

// lockError gives MySQL's error if another transaction has a row.
func lockError(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	var ee *engine.Error
	if !errors.As(err, &ee) {
		return err
	}
	switch ee.Code {
	case engine.CodeBusy:
		return sqlerr.New(sqlerr.CodeLockNoWait, sqlerr.NoPos, "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
	case engine.CodeLate:
		late := sqlerr.New(sqlerr.CodeLockWaitTimeout, sqlerr.NoPos, "Lock wait timeout exceeded; try restarting transaction")
		late.Retryable = true
		return late
	}
	return err
}

// Each calls do for 0 ≤ i < n, in parallel, and gives the first error; the other calls are cancelled.
func (r *Run) Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	return engine.SideBySide(ctx, r.inTurn(), n, do)
}
