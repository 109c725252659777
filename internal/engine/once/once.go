// Package once makes a commit happen exactly once even if its answer is lost: it lies over an engine, and finds out whether what was sent has
// been applied, instead of reporting that this is unknown.
//
//	e := once.Over(store)
//	err := e.Commit(ctx, commit) // says Unknown only if nothing better can be known
//
// One entity of each commit to a table of ours, the bearer, gets the commit's id in a property (keymap.OperationIDs). That costs no request.
// When an answer was lost, the bearer is read; if that is not conclusive, so are the fences, which are the operations that are conditional on an
// ETag:
//
//	bearer           fences                  the commit                                  then
//	has the id                               was applied                                 success
//	has not          one has its ETag        was not, and may be yet                     it is sent again under the same id
//	has not          one was written since   was not, and never is                       CodeStale: the caller runs again
//	                 by others alone
//	an insert that   there are none          was not, and may be yet                     it is sent again under the same id
//	has not
//	there is none    all deleted, and gone   was applied, or others have deleted them    success
//	anything else                            unknown                                      the error of the lost answer
//
// "Written by others alone" is known of an entity if the newest id that it had when it was read is still among its ids, of which each entity
// keeps a few: then the ids of all later writers are among them, too.
//
// What is sent again may meet the first request arriving late. At most one of the two is applied: an entity is inserted only once, and an ETag
// never recurs. If the second is refused, the look is repeated, since the first may be the reason. If it is not, a fence is given another ETag
// by a merge of nothing, so that the first is refused however late it arrives; the caller gets the refusal. An insert without a fence is refused
// for good if the row in its way was there before it was sent, by the store's clock.
//
// One thing is assumed for commits without a fence: that the inserted row, or the one in its way, is not deleted between the request and the end
// of its settling. So such a commit is not sent again if the loss was noticed late.
//
// The refusal of a request that was sent once is believed. Something between driver and service that sends entity group transactions twice by
// itself, and passes on the second answer, causes a conflict.
//
// These cases stay unknown:
//
//   - an entity that others deleted, or wrote as often as it keeps ids, in the moments before it was read;
//   - a commit without a fence which, sent again, is refused for a row that was written a moment ago, or whose row is missing when its loss is
//     noticed late;
//   - unconditional writes, and an entity without room for one more property;
//   - whatever is not settled when the caller's context ends. It is not waited for: a caller that cancels wants to go on, and one look would
//     seldom prove that nothing arrives late.
package once

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// Over gives an engine whose commits find out what became of them.
func Over(e engine.Engine) engine.Engine {
	s := &store{Engine: e}
	if m, ok := e.(engine.Maintainer); ok {
		return struct {
			*store
			engine.Maintainer
		}{s, m}
	}
	return s
}

// store is an engine over another one.
type store struct {
	engine.Engine
	seen seen
}

// Commit applies a transaction once.
func (s *store) Commit(ctx context.Context, c engine.Commit) error {
	if !keymap.HoldsRows(c.Table) {
		return s.Engine.Commit(ctx, c)
	}
	w := s.write(c)
	err := s.Engine.Commit(ctx, w.Commit)
	if !engine.IsUnsure(err) {
		return err
	}
	return w.settle(ctx, err)
}

// write is a commit with its id.
type write struct {
	engine.Commit
	store  *store
	id     string
	bearer int            // the operation that has the id, or -1
	before map[int]string // the newest id that the entity of a conditional operation had, if known
	sent   time.Time      // for the first time
}

const (
	idLength = 10
	keptIDs  = 3
)

// write gives a commit its id. Where an operation is conditional, the bearer is one that is: it says most.
func (s *store) write(c engine.Commit) *write {
	w := &write{Commit: c, store: s, id: rand.Text()[:idLength], bearer: -1, sent: time.Now()}
	chain := w.id
	for i := range c.Ops {
		op := &c.Ops[i]
		known := s.seen.idsOf(w.at(i), op.IfMatch)
		if known != "" {
			w.knows(i, known[:idLength])
		}
		if bears(op) > 0 && (w.bearer < 0 || bears(op) > bears(&c.Ops[w.bearer])) {
			w.bearer, chain = i, w.id+known
		}
	}
	if w.bearer < 0 {
		return w
	}
	w.Ops = slices.Clone(c.Ops)
	e := &w.Ops[w.bearer].Entity
	ids := engine.Value{Type: engine.String, S: chain[:min(len(chain), keptIDs*idLength)]}
	e.Names, e.Values = engine.Overlay(slices.Clone(e.Names), slices.Clone(e.Values), selectIDs, []engine.Value{ids})
	if err := s.Limits().CheckCommit(&w.Commit); err != nil { // there is no room for the id, or something else is wrong
		w.Commit, w.bearer = c, -1
	}
	return w
}

func (w *write) knows(i int, newest string) {
	if w.before == nil {
		w.before = map[int]string{}
	}
	w.before[i] = newest
}

// bears says how much an operation that has the commit's id reveals of the commit; 0: it cannot have an id.
func bears(op *engine.Op) int {
	switch {
	case op.Kind == engine.Delete:
		return 0
	case op.IfMatch != "":
		return 3
	case op.Kind == engine.Insert:
		return 2
	case op.Kind == engine.Merge:
		return 0 // it would replace ids that it does not know
	}
	return 1
}

// at gives the place of an operation's entity.
func (w *write) at(i int) place {
	return place{w.Table, w.PartitionKey, w.Ops[i].Entity.RowKey}
}

// fate is what is known of a commit.
type fate uint8

const (
	unknown fate = iota
	applied
	open   // not applied, but it may be yet
	barred // not applied, and never will be
)

// settle finds out what became of a commit whose answer was lost, and sends it again if it was not applied. The looks follow at once, because
// others may overwrite the evidence.
func (w *write) settle(ctx context.Context, lost error) error {
	tries := retry.Begin(ctx, retry.Race)
	var refusal error // of what was sent again
	var err error     // of what was sent last
	for ctx.Err() == nil {
		f, fence := w.look(tries.Context)
		switch {
		case f == applied:
			if w.Meter != nil {
				w.Meter.Written.Add(int64(len(w.Ops)))
			}
			return nil
		case f == barred && refusal == nil:
			return &engine.Error{Code: engine.CodeStale, Op: fence, Message: "the entity was changed since it was read"}
		case f == barred:
			return refusal
		case f == open && refusal != nil && fence < 0 && w.wasTaken(tries.Context, refusal):
			return refusal
		case f == unknown, fence < 0 && (refusal != nil || time.Since(w.sent) > noticedLate):
			return lost
		}
		if err != nil && tries.Again(err) != nil {
			return lost
		}
		if refusal != nil {
			if err = w.bar(tries.Context, fence); err == nil {
				return refusal
			}
			continue
		}
		if w.Meter != nil {
			w.Meter.Retries.Add(1)
		}
		if err = w.store.Engine.Commit(tries.Context, w.Commit); err == nil {
			return nil
		}
		if !engine.IsUnsure(err) {
			refusal = err
		}
	}
	return lost
}

// bar gives the entity of a conditional operation another ETag.
func (w *write) bar(ctx context.Context, fence int) error {
	op := &w.Ops[fence]
	return w.store.Engine.Commit(ctx, engine.Commit{Table: w.Table, PartitionKey: w.PartitionKey, Meter: w.Meter, Ops: []engine.Op{{
		Kind: engine.Merge, IfMatch: op.IfMatch, Entity: engine.Entity{PartitionKey: w.PartitionKey, RowKey: op.Entity.RowKey},
	}}})
}

const (
	// noticedLate is how long after its first request a commit without a fence may still be sent again. A connection that breaks shows at once,
	// a service that does not answer only later.
	noticedLate = 10 * time.Second
	// clocksDiffer bounds how far two clocks of the store differ; the date of its answers is cut to seconds.
	clocksDiffer = 5 * time.Second
)

// wasTaken says whether the key for which an insert was refused was taken before the commit was first sent, so that the first request was
// refused too: by the store's own clock, the entity there was last written before that.
func (w *write) wasTaken(ctx context.Context, refusal error) bool {
	var e *engine.Error
	if !errors.As(refusal, &e) || e.Code != engine.CodeExists || e.Op < 0 {
		return false
	}
	at, clock := w.at(e.Op), int64(0)
	there, err := w.store.Engine.Get(ctx, engine.Get{
		Table: at.table, PartitionKey: at.partitionKey, RowKey: at.rowKey, Select: selectTimestamp, Meter: w.Meter, Clock: &clock})
	age := time.Duration(clock-there.Timestamp) * 100
	return err == nil && clock > 0 && there.Timestamp > 0 && age > time.Since(w.sent)+clocksDiffer
}

// look finds out what became of the commit, and which operation shows it; -1 if none.
func (w *write) look(ctx context.Context) (f fate, fence int) {
	var bearer found
	if w.bearer >= 0 {
		var err error
		if bearer, err = w.read(ctx, w.bearer); err != nil {
			return unknown, -1
		}
	}
	if has(bearer.ids, w.id) {
		return applied, -1
	}
	fences, gone, deletes := 0, 0, 0
	for i := range w.Ops {
		op := &w.Ops[i]
		if op.Kind == engine.Delete {
			deletes++
		}
		if op.IfMatch == "" {
			continue
		}
		fences++
		now := bearer
		if i != w.bearer {
			var err error
			if now, err = w.read(ctx, i); err != nil {
				return unknown, -1
			}
		}
		switch {
		case now.etag == op.IfMatch:
			return open, i
		case now.etag == "":
			gone++
		case w.passedOver(i, now):
			return barred, i
		}
	}
	switch {
	case fences == 0 && w.bearer >= 0 && w.Ops[w.bearer].Kind == engine.Insert:
		return open, -1
	case deletes == len(w.Ops) && fences > 0 && gone == fences:
		return applied, -1
	case w.bearer >= 0 && fences > 0 && w.Ops[w.bearer].IfMatch == "":
		// It may have come after the bearer was read, and before the fences were.
		if bearer, err := w.read(ctx, w.bearer); err == nil && has(bearer.ids, w.id) {
			return applied, -1
		}
	}
	return unknown, -1
}

// passedOver says whether all writers of a conditional operation's entity since it was read are known, and the commit is not one of them: the
// newest id that the entity had then is still there, and this commit's is not.
func (w *write) passedOver(i int, now found) bool {
	if i != w.bearer && w.Ops[i].Kind != engine.Delete {
		return false // it would have left no id
	}
	before, known := w.before[i]
	return known && has(now.ids, before)
}

// found is what exists of an operation's entity; the zero found means nothing.
type found struct{ ids, etag string }

// read reads an operation's entity.
func (w *write) read(ctx context.Context, i int) (found, error) {
	at := w.at(i)
	e, err := w.store.Engine.Get(ctx, engine.Get{Table: at.table, PartitionKey: at.partitionKey, RowKey: at.rowKey, Select: selectIDs, Meter: w.Meter})
	var missing *engine.Error
	if errors.As(err, &missing) && missing.Code == engine.CodeNotFound {
		return found{}, nil
	}
	if err != nil {
		return found{}, err
	}
	return found{e.Values[0].S, e.ETag}, nil
}

var (
	selectIDs       = []string{keymap.OperationIDs}
	selectTimestamp = []string{engine.Timestamp}
)

// has says whether an id is one of ids.
func has(ids, id string) bool {
	at := strings.Index(ids, id)
	return at >= 0 && at%idLength == 0
}
