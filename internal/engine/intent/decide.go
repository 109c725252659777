package intent

import (
	"context"
	"sync"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// tryToDecide does everything up to the deciding request. Its error is unsure if the answer to that request was lost.
func (x *transaction) tryToDecide(ctx context.Context) error {
	if x.needsNote() {
		if err := x.note(ctx); err != nil {
			return sure(err)
		}
	}
	if len(x.groups) > manyGroups {
		if err := x.showPending(ctx); err != nil {
			return sure(err)
		}
	}
	for _, touches := range []bool{false, true} {
		var these []*group
		for _, g := range x.groups {
			if g.touches == touches && (g != x.atHome || x.locksHome()) {
				these = append(these, g)
			}
		}
		if err := x.prepareAll(ctx, these); err != nil {
			return sure(err)
		}
	}
	if err := x.validate(ctx); err != nil {
		return sure(err)
	}
	if x.current != nil {
		if err := x.current(ctx); err != nil {
			return err
		}
	}
	return x.decide(ctx)
}

// sure marks an error from before the decision: whatever was lost, the transaction is not applied.
func sure(err error) error {
	if engine.IsUnsure(err) {
		return &engine.Error{Code: engine.CodeStale, Op: -1, Message: "the answer to a request of a transaction was lost, and the transaction was given up", Cause: err}
	}
	return err
}

// prepareAll prepares groups side by side. After an error it begins no further group, but waits for those under way.
func (x *transaction) prepareAll(ctx context.Context, groups []*group) error {
	var mu sync.Mutex
	var failed error
	engine.UntilStopped(x.store.parallel, len(groups), func(i int) (stop bool) {
		at, err := x.prepare(ctx, groups[i])
		if err == nil {
			err = x.beat(ctx)
		}
		if err == nil {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		if failed == nil {
			failed = err
			x.fails(groups[i], at, false)
		}
		return true
	})
	return failed
}

// decide sends the request that decides.
func (x *transaction) decide(ctx context.Context) error {
	op := recordOp(engine.Insert, x.home, x.id, committed, x.places(), "")
	if x.pending {
		op = recordOp(engine.Replace, x.home, x.id, committed, x.places(), x.etag)
	}
	if !x.pending && time.Now().Round(0).Sub(x.begun) > keepAborted/2 { // others may have aborted it, and forgotten that
		return engine.Errorf(engine.CodeStale, "the transaction took too long to be sent: more than %s", keepAborted/2)
	}
	c, from := engine.Commit{Table: x.home.table, PartitionKey: x.home.partition, Meter: x.meter}, []*operation(nil)
	if g := x.atHome; g != nil {
		if g.prepared {
			if err := x.readBack(ctx, g); err != nil {
				return sure(err)
			}
		}
		c, from = g.commit(x.meter, func(o *operation) (engine.Op, bool) {
			if !g.prepared || isTouch(&o.Op) || o.isGuarded() {
				return o.Op, !x.touchesFirst(o)
			}
			return o.settling(true), true
		})
		if g.prepared {
			guards := g.unguard()
			if g.guarded = len(c.Ops)+len(guards) >= x.store.base.Limits().BatchOps; !g.guarded {
				c.Ops = append(c.Ops, guards...)
			}
		}
	}
	c.Ops = append(c.Ops, op)
	err := x.store.direct.Commit(ctx, c)
	if err == nil {
		return nil
	}
	if engine.IsUnsure(err) || ctx.Err() != nil {
		return unknown(err)
	}
	// The transport may have sent this request twice and given the answer to the second one.
	switch is, _, failed := x.store.look(ctx, x.home, x.id, x.meter); {
	case is == committed:
		return nil
	case failed != nil && !isCode(failed, engine.CodeNoTable):
		return unknown(failed)
	}
	switch at := opOf(err); {
	case at >= len(from):
		return engine.Errorf(engine.CodeStale, "another writer has aborted the transaction")
	case at >= 0:
		x.fails(x.atHome, from[at], true)
		return from[at].fault(err)
	}
	return err
}

// unknown is the error of a decision that may have been made.
func unknown(cause error) error {
	return &engine.Error{Code: engine.CodeUnreachable, Op: -1, Applied: engine.Unknown, Message: "the answer to the request that decides a transaction was lost", Cause: cause}
}

// resolve finds out what became of the transaction, and has it aborted if it is undecided.
func (x *transaction) resolve(ctx context.Context) (state, error) {
	is, etag, err := x.store.look(ctx, x.home, x.id, x.meter)
	if err != nil || is.isDecided() {
		return is, err
	}
	return x.store.abort(ctx, x.home, x.id, etag, x.meter)
}
