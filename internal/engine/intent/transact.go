package intent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// transaction is one try of a transaction of several groups, or of one whose reads are validated.
type transaction struct {
	store    *Store
	id       string
	home     home
	atHome   *group // which the record is written with; nil: none
	groups   []*group
	since    *observation // nil: nothing that was read has to hold still
	commits  []engine.Commit
	requires []engine.Requirement
	meter    *engine.Meter
	current  func(ctx context.Context) error // see engine.Transaction
	pending  bool                            // there is a record while it is not decided
	etag     string                          // of that
	beaten   time.Time
	touched  map[point]*operation // outside of the home group, as they were read
	failed   *operation           // what a group could not be prepared for
	beating  atomic.Bool          // somebody is at it
	operated int                  // the operations asked for
}

// Transact implements engine.Transactor.
func (s *Store) Transact(ctx context.Context, t engine.Transaction) error {
	if err := s.base.Limits().CheckTransaction(&t); err != nil {
		return err
	}
	x, err := s.begin(ctx, &t)
	if err != nil {
		return err
	}
	if len(x.groups) == 1 && !x.validates() && len(t.Commits) == 1 {
		return s.sendOne(ctx, x.groups[0], t.Meter)
	}
	if len(x.groups) == 0 {
		return x.validate(ctx)
	}
	s.own.begin(x.id)
	return x.run(ctx)
}

// sendOne sends a transaction of one group as it is.
func (s *Store) sendOne(ctx context.Context, g *group, m *engine.Meter) error {
	c, from := g.commit(m, func(o *operation) (engine.Op, bool) { return o.Op, true })
	err := s.Commit(ctx, c)
	if at := opOf(err); at >= 0 && at < len(from) {
		return asOp(err, from[at].at)
	}
	return err
}

// begin divides a transaction into groups, and finds it a home.
func (s *Store) begin(ctx context.Context, t *engine.Transaction) (*transaction, error) {
	x := &transaction{store: s, id: newID(), meter: t.Meter, commits: t.Commits, requires: t.Requires, current: t.Current, touched: map[point]*operation{}}
	x.since, _ = t.Since.(*observation)
	before, several := 0, false
	for i := range t.Commits {
		c := &t.Commits[i]
		groups, err := split(c, before, s.base.Limits())
		if err != nil {
			return nil, err
		}
		several = several || engine.FoldTable(c.Table) != engine.FoldTable(t.Commits[0].Table)
		before += len(c.Ops)
		x.groups = append(x.groups, groups...)
	}
	x.operated = before
	x.since = x.cover(x.since)
	for _, g := range x.groups {
		c, from := g.commit(t.Meter, func(o *operation) (engine.Op, bool) { return o.Op, true })
		if at, err := s.conditions(ctx, &c, func(i int) *engine.Op { return &from[i].Op }); err != nil {
			return nil, asOp(err, from[at].at)
		}
	}
	if x.since != nil && x.since.isOne() && len(x.groups) == 0 {
		x.since = nil // one request has shown one moment
	}
	if len(x.groups) > 1 || x.validates() {
		for _, g := range x.groups {
			if !s.holds(g.table) {
				return nil, errStrange(g)
			}
		}
	}
	if err := x.findHome(several); err != nil {
		return nil, err
	}
	x.watchPins()
	return x, nil
}

// validates says whether more has to hold than the conditions of the operations.
func (x *transaction) validates() bool { return x.since != nil || len(x.requires) > 0 }

func errStrange(g *group) error {
	return engine.Errorf(engine.CodeTooLarge, "the transaction writes to table %s, which belongs to other programs, and to more than one of its partitions, or to other tables, or needs what it has read to hold still: "+
		"these programs would take part of it for the whole; write to one partition of that table alone", g.table)
}

// watchPins has what is pinned outside of the home group validated, and what is touched there as it was read.
func (x *transaction) watchPins() {
	for _, g := range x.groups {
		if g == x.atHome || len(x.groups) == 1 {
			continue
		}
		for i := range g.ops {
			if op := &g.ops[i].Op; isTouch(op) && op.IfMatch != "" {
				if x.since == nil {
					x.since = &observation{store: x.store, points: map[point]string{}}
				}
				p := point{g.table, g.partition, op.Entity.RowKey}
				x.since.points[p] = op.IfMatch
				if op.Touch {
					x.touched[p] = &g.ops[i]
				}
			}
		}
	}
}

// findHome chooses where the record is. See the package's comment.
func (x *transaction) findHome(severalTables bool) error {
	for _, g := range x.groups {
		if !g.hasParent() {
			continue
		}
		if x.atHome != nil {
			return engine.Errorf(engine.CodeTooLarge, "the transaction inserts, deletes or gives another key to rows that other tables are interleaved in, and these rows are in several partitions or "+
				"too many: table %s, partition %q, and table %s, partition %q; write those of one partition in one transaction", x.atHome.table, x.atHome.partition, g.table, g.partition)
		}
		x.atHome = g
	}
	if x.atHome == nil && !severalTables {
		for _, g := range x.groups {
			if !g.touches && (x.atHome == nil || len(g.ops) > len(x.atHome.ops)) {
				x.atHome = g
			}
		}
	}
	if x.atHome != nil {
		x.home = home{x.atHome.table, x.atHome.partition}
		return nil
	}
	x.home = home{x.store.records, "t" + string("0123456789abcdef"[x.id[len(x.id)-1]&15])}
	return nil
}

// run makes the steps of the protocol, and cleans up behind them.
func (x *transaction) run(ctx context.Context) error {
	err := x.tryToDecide(ctx)
	became := err
	isDone := x.store.finish(ctx, func(ctx context.Context) {
		if engine.IsUnsure(err) {
			switch is, failed := x.resolve(ctx); {
			case failed != nil: // whoever meets an intent finds out
				x.store.own.end(x.id, false)
				return
			case is == committed:
				became = nil
			default:
				became = engine.Errorf(engine.CodeStale, "the answer to a transaction was lost, and it was aborted")
			}
		}
		if became == nil {
			x.store.known.add(x.id)
			x.store.own.end(x.id, false)
			x.forward(ctx)
		} else {
			x.store.own.end(x.id, x.back(ctx))
		}
	})
	if !isDone {
		return err
	}
	return x.clear(ctx, became)
}

// manyGroups is from how many groups on a transaction has a record before it is decided, so that others see that it goes on.
const manyGroups = 8

// beat is how often that is written anew.
const beat = Expiry / 4

// tryToDecide ends with the request that decides. Its error is unsure where the answer to that was lost.
func (x *transaction) tryToDecide(ctx context.Context) error {
	if len(x.groups) > manyGroups {
		if err := x.showPending(ctx); err != nil {
			return sure(err)
		}
	}
	for _, touches := range []bool{false, true} {
		var these []*group
		for _, g := range x.groups {
			if g.touches == touches && (g != x.atHome || x.validates()) {
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

// sure is an error before the decision: whatever was lost, the transaction is not applied.
func sure(err error) error {
	if engine.IsUnsure(err) {
		return &engine.Error{Code: engine.CodeStale, Op: -1, Message: "the answer to a request of a transaction was lost, and the transaction was given up", Cause: err}
	}
	return err
}

// prepareAll prepares groups side by side. After an error no further one is begun, but those under way are waited for.
func (x *transaction) prepareAll(ctx context.Context, groups []*group) error {
	var (
		mu     sync.Mutex
		failed error
		wg     sync.WaitGroup
		next   int
	)
	for range min(len(groups), x.store.parallel) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := failed != nil || i >= len(groups)
				mu.Unlock()
				if stop {
					return
				}
				at, err := x.prepare(ctx, groups[i])
				if err == nil {
					err = x.beat(ctx)
				}
				mu.Lock()
				if err != nil && failed == nil {
					failed, x.failed = err, at
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

// showPending writes the record of a transaction that takes long.
func (x *transaction) showPending(ctx context.Context) error {
	c := engine.Commit{Table: x.home.table, PartitionKey: x.home.partition, Meter: x.meter, ETags: make([]string, 1),
		Ops: []engine.Op{recordOp(engine.Insert, x.home, x.id, pending, x.places(), "")}}
	err := x.store.direct.Commit(ctx, c)
	x.pending, x.etag, x.beaten = true, c.ETags[0], time.Now()
	if err == nil && x.etag == "" {
		_, x.etag, err = x.store.look(ctx, x.home, x.id, x.meter)
	}
	return err
}

// beat shows that the transaction goes on, where it is time to.
func (x *transaction) beat(ctx context.Context) error {
	if !x.pending || !x.beating.CompareAndSwap(false, true) {
		return nil
	}
	defer x.beating.Store(false)
	if time.Since(x.beaten) < beat {
		return nil
	}
	c := engine.Commit{Table: x.home.table, PartitionKey: x.home.partition, Meter: x.meter, ETags: make([]string, 1),
		Ops: []engine.Op{recordOp(engine.Replace, x.home, x.id, pending, x.places(), x.etag)}}
	err := x.store.direct.Commit(ctx, c)
	if x.beaten, x.etag = time.Now(), c.ETags[0]; err == nil && x.etag == "" {
		_, x.etag, err = x.store.look(ctx, x.home, x.id, x.meter)
	}
	return err
}

// mostPlaces bounds the text of places.
const mostPlaces = 16 << 10

// places is the tables and partitions of the groups, as JSON, as far as there is room.
func (x *transaction) places() string {
	var all [][2]string
	size := 0
	for _, g := range x.groups {
		place := [2]string{g.table, g.partition}
		if size += len(g.table) + len(g.partition) + 8; size > mostPlaces {
			break
		}
		if !slices.Contains(all, place) {
			all = append(all, place)
		}
	}
	out, _ := json.Marshal(all)
	return string(out)
}

// decide is the request that decides.
func (x *transaction) decide(ctx context.Context) error {
	op := recordOp(engine.Insert, x.home, x.id, committed, x.places(), "")
	if x.pending {
		op = recordOp(engine.Replace, x.home, x.id, committed, x.places(), x.etag)
	}
	c, from := engine.Commit{Table: x.home.table, PartitionKey: x.home.partition, Meter: x.meter}, []*operation(nil)
	if g := x.atHome; g != nil {
		if g.prepared {
			if err := x.readBack(ctx, g); err != nil {
				return sure(err)
			}
		}
		c, from = g.commit(x.meter, func(o *operation) (engine.Op, bool) {
			if !g.prepared || isTouch(&o.Op) {
				return o.Op, true
			}
			return o.settling(true), true
		})
	}
	c.Ops = append(c.Ops, op)
	err := x.store.direct.Commit(ctx, c)
	switch at := opOf(err); {
	case err == nil:
		return nil
	case engine.IsUnsure(err), ctx.Err() != nil:
		return &engine.Error{Code: engine.CodeUnreachable, Op: -1, Applied: engine.Unknown, Message: "the answer to the request that decides a transaction was lost", Cause: err}
	case at >= 0 && at < len(from) && isCode(err, engine.CodeStale) && from[at].Parent && from[at].marker.kind == inserts:
		from[at].etag = "" // another one has it stay: what is read back says so
		return x.decide(ctx)
	case at >= 0 && at < len(from):
		x.failed = from[at]
		return asOp(err, from[at].at)
	case at == len(from):
		return engine.Errorf(engine.CodeStale, "another writer has aborted the transaction")
	}
	return err
}

// resolve finds out what the transaction has come to, and has it aborted where nothing yet.
func (x *transaction) resolve(ctx context.Context) (state, error) {
	is, etag, err := x.store.look(ctx, x.home, x.id, x.meter)
	if err != nil || is.isDecided() {
		return is, err
	}
	return x.store.abort(ctx, x.home, x.id, etag, x.meter)
}

// settling takes an operation's own intent off.
func (o *operation) settling(forward bool) engine.Op {
	e := engine.Entity{PartitionKey: o.Entity.PartitionKey, RowKey: o.Entity.RowKey, ETag: o.etag}
	return o.marker.settling(e, o.Entity.Names, o.Entity.Values, forward)
}

// forward has the new content take its place. What cannot be done now is done by who meets it.
func (x *transaction) forward(ctx context.Context) {
	if x.settleAll(ctx, true) {
		x.store.forget.add(x.home, x.id, keepCommitted)
		x.store.forget.some(ctx, x.store, x.home, x.meter)
	}
}

// back takes the intents off. It says whether some may be left.
func (x *transaction) back(ctx context.Context) (left bool) {
	all := x.settleAll(ctx, false)
	if x.pending {
		if _, err := x.store.abort(ctx, x.home, x.id, x.etag, x.meter); err != nil {
			return true
		}
	}
	return !all
}

// settleAll settles the groups that bear intents, and says whether none is left.
func (x *transaction) settleAll(ctx context.Context, forward bool) bool {
	all := true
	var these []*group
	for _, g := range x.groups {
		if g.unsure {
			all = false
		}
		if g.prepared && !(forward && g == x.atHome) {
			these = append(these, g)
		}
	}
	failed := make([]error, len(these))
	_ = engine.SideBySide(ctx, x.store.parallel, len(these), func(ctx context.Context, i int) error {
		failed[i] = x.settleGroup(ctx, these[i], forward)
		return nil // the others go on
	})
	return all && errors.Join(failed...) == nil
}

func (x *transaction) settleGroup(ctx context.Context, g *group, forward bool) error {
	err := x.readBack(ctx, g)
	if err == nil {
		c, _ := g.commit(x.meter, func(o *operation) (engine.Op, bool) {
			if o.marker.id == "" {
				return engine.Op{}, false
			}
			return o.settling(forward), true
		})
		if len(c.Ops) == 0 {
			return nil
		}
		err = x.store.direct.Commit(ctx, c)
	}
	if err == nil || !isCode(err, engine.CodeStale) && !isCode(err, engine.CodeNotFound) {
		return err
	}
	// Others have settled some, or touched some.
	is := aborted
	if forward {
		is = committed
	}
	return engine.SideBySide(ctx, x.store.parallel, len(g.ops), func(ctx context.Context, i int) error {
		o := &g.ops[i]
		if o.marker.id == "" || o.Entity.RowKey != o.marker.row {
			return nil
		}
		e := engine.Entity{PartitionKey: o.Entity.PartitionKey, RowKey: o.Entity.RowKey}
		for range mostClearings {
			etags, err := x.store.settle(ctx, g.table, &e, &o.marker, is, x.meter)
			if err != nil || etags != nil {
				return err
			}
		}
		return nil
	})
}

// clear waits for what was in the way of the transaction, when it holds nothing any more.
func (x *transaction) clear(ctx context.Context, cause error) error {
	at := place{}
	var busy *undecidedError
	switch {
	case cause == nil:
		return nil
	case errors.As(cause, &busy):
		at, cause = busy.at, busy.cause
	case x.failed == nil, !isCode(cause, engine.CodeExists) && !isCode(cause, engine.CodeStale):
		return cause
	default:
		at = x.placeOf(x.failed)
	}
	w, err := x.store.clearWay(ctx, at, "", x.meter)
	switch {
	case err != nil:
		return err
	case w.bore && busy == nil:
		return asOp(engine.StaleRead(at.table, at.partitionKey, at.rowKey), x.failed.at)
	}
	return cause
}

func (x *transaction) placeOf(o *operation) place {
	for _, g := range x.groups {
		for i := range g.ops {
			if &g.ops[i] == o {
				return place{g.table, g.partition, o.Entity.RowKey}
			}
		}
	}
	return place{}
}
