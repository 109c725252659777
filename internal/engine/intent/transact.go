package intent

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// transaction is one try of a transaction of several groups, or of one whose reads are validated.
type transaction struct {
	store    *Store
	id       string
	home     home
	atHome   *group // with which the record is written; nil: none
	groups   []*group
	since    *observation // nil: nothing that was read has to hold still
	commits  []engine.Commit
	requires []engine.Requirement
	meter    *engine.Meter
	current  func(ctx context.Context) error // see engine.Transaction
	pending  bool                            // there is a record while it is not decided
	etag     string                          // of that record
	beaten   time.Time
	noted    bool                 // there is, or may be, a note
	touched  map[point]*operation // outside of the home group, as they were read
	failed   *operation           // what could not be made; nil: nothing in particular
	failedAt place                // its entity
	beating  atomic.Bool          // a goroutine is writing the record
	operated int                  // the operations asked for
	progress func()               // something of what is left was done
	begun    time.Time            // by the wall clock, which goes on while the machine sleeps
}

// Transact implements engine.Transactor.
func (s *Store) Transact(ctx context.Context, t engine.Transaction) error {
	if err := s.base.Limits().CheckTransaction(&t); err != nil {
		return err
	}
	if len(t.Requires) > 0 && len(t.Commits) == 1 {
		if done, err := s.keepInOne(ctx, &t); done || err != nil {
			return err
		}
	}
	x, _, err := s.divide(&t, false)
	if err == nil {
		err = x.begin(ctx)
	}
	if err != nil {
		return err
	}
	if x.isOne() {
		return s.sendOne(ctx, x.groups[0], t.Meter)
	}
	if len(x.groups) == 0 {
		return x.validate(ctx)
	}
	s.own.begin(x.id)
	return x.run(ctx)
}

// keepInOne applies a transaction by one request that keeps what is required. If not done, either it cannot, or others have changed what it was
// based on, and nothing is applied.
func (s *Store) keepInOne(ctx context.Context, t *engine.Transaction) (done bool, err error) {
	x, keeps, err := s.divide(t, true)
	if err != nil || !keeps || !x.isOne() {
		return false, err
	}
	if err := x.begin(ctx); err != nil {
		return false, err
	}
	g := x.groups[0]
	c, from := g.commit(t.Meter, func(o *operation) (engine.Op, bool) { return o.Op, true })
	err = s.Commit(ctx, c)
	at := opOf(err)
	switch {
	case err == nil:
		return true, nil
	case at < 0 || at >= len(from):
		return false, err
	case from[at].required != nil && isCode(err, engine.CodeStale):
		return false, nil
	}
	return false, from[at].fault(err)
}

// fault is the error of an operation.
func (o *operation) fault(err error) error {
	if o.required != nil && isCode(err, engine.CodeNotFound) {
		return o.required.Unmet()
	}
	return asOp(err, o.at)
}

// isOne says whether the transaction is one request.
func (x *transaction) isOne() bool {
	return len(x.groups) == 1 && !x.validates() && len(x.commits) == 1
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

// divide divides a transaction into groups. kept says whether, if it is one request, the conditions of touches keep what it requires.
func (s *Store) divide(t *engine.Transaction, conditions bool) (x *transaction, kept bool, err error) {
	x = &transaction{store: s, id: newID(), meter: t.Meter, commits: t.Commits, current: t.Current, touched: map[point]*operation{}, begun: time.Now().Round(0)}
	if !conditions {
		x.requires = t.Requires
	}
	x.since, _ = t.Since.(*observation)
	kept = true
	for i := range t.Commits {
		c := touch(&t.Commits[i], t.Requires, conditions)
		groups, err := split(&c, x.operated, s.base.Limits())
		if err != nil {
			return nil, false, err
		}
		kept = kept && c.keeps
		x.operated += c.own
		x.groups = append(x.groups, groups...)
	}
	x.since = x.cover(x.since)
	if x.since != nil && x.since.isOne() && len(x.groups) == 0 {
		x.since = nil // one request has shown one moment
	}
	return x, kept, nil
}

// begin makes a divided transaction ready to be sent, and finds it a home.
func (x *transaction) begin(ctx context.Context) error {
	several := false
	for _, g := range x.groups {
		several = several || engine.FoldTable(g.table) != engine.FoldTable(x.groups[0].table)
		c, from := g.commit(x.meter, func(o *operation) (engine.Op, bool) { return o.Op, true })
		if at, err := x.store.conditions(ctx, &c, func(i int) *engine.Op { return &from[i].Op }); err != nil {
			return from[at].fault(err)
		}
	}
	if len(x.groups) > 1 || x.validates() {
		for _, g := range x.groups {
			if !x.store.holds(g.table) {
				return errStrange(g.table)
			}
		}
	}
	if err := x.findHome(several); err != nil {
		return err
	}
	x.watchPins()
	return nil
}

// locksHome says whether the home group gets its intents before it is decided, too: a transaction that finds a parent touched since must find
// the children.
func (x *transaction) locksHome() bool {
	return x.validates() || slices.ContainsFunc(x.groups, func(g *group) bool { return g.touches })
}

// validates says whether more must hold than the conditions of the operations.
func (x *transaction) validates() bool { return x.since != nil || len(x.requires) > 0 }

// watchPins adds to what is validated: entities that are pinned outside of the home group, and those that are touched before the transaction is
// decided, as they were read.
func (x *transaction) watchPins() {
	for _, g := range x.groups {
		for i := range g.ops {
			if (g == x.atHome || len(x.groups) == 1) && !x.touchesFirst(&g.ops[i]) {
				continue
			}
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

// touchesFirst says whether a touch is made before the transaction validates, so that what is required then stays true: a transaction that looks
// for intents later finds them. Touches at home that are made for no requirement are made by the decision.
func (x *transaction) touchesFirst(o *operation) bool {
	return o.required != nil && len(x.requires) > 0
}

// findHome chooses where the record is. See the package's comment.
func (x *transaction) findHome(severalTables bool) (err error) {
	if x.atHome, err = withParent(x.groups); err != nil {
		return err
	}
	if x.atHome == nil && !severalTables {
		most := 0
		for _, g := range x.groups {
			if crowded := g.crowded(x.store.base.Limits()); !g.touches && (x.atHome == nil || crowded > most || crowded == most && len(g.ops) > len(x.atHome.ops)) {
				x.atHome, most = g, crowded
			}
		}
	}
	if x.atHome != nil {
		x.home = home{x.atHome.table, x.atHome.partition}
		return nil
	}
	if len(x.groups) == 0 {
		return nil // nothing is written
	}
	x.home = home{x.store.records(x.groups[0].table), severalHome(x.id[len(x.id)-1] % homes)}
	return nil
}

// homes is how many partitions hold the records of transactions without a home of their own.
const homes = 16

func severalHome(i byte) string { return "t" + string("0123456789abcdef"[i]) }

// run goes through the steps of the protocol, and cleans up after them.
func (x *transaction) run(ctx context.Context) error {
	err := x.tryToDecide(ctx)
	became := err
	isDone := x.store.finish(ctx, func(ctx context.Context, progress func()) {
		x.progress = progress
		is, failed := x.outcome(ctx, err)
		switch {
		case failed != nil && engine.IsUnsure(err): // a transaction that meets an intent finds out
			x.store.own.end(x.id, false)
		case is == committed:
			became = nil
			x.store.known.add(x.id)
			x.store.own.end(x.id, false)
			x.forward(ctx)
		default:
			if engine.IsUnsure(err) {
				became = engine.Errorf(engine.CodeStale, "the answer to a transaction was lost, and it was aborted")
			}
			left := !x.back(ctx)
			x.store.own.end(x.id, left || failed != nil)
		}
	})
	if !isDone {
		return err
	}
	return x.clear(ctx, became)
}

// outcome says what became of the transaction, given the error of its steps. If intents may be left, or still arrive, its record says so:
// nothing then has to wait until it expires.
func (x *transaction) outcome(ctx context.Context, err error) (state, error) {
	switch unsure := func(g *group) bool { return g.unsure }; {
	case err == nil:
		return committed, nil
	case engine.IsUnsure(err):
		return x.resolve(ctx)
	case x.pending || slices.ContainsFunc(x.groups, unsure):
		return x.store.abort(ctx, x.home, x.id, x.etag, x.meter)
	}
	return aborted, nil
}

// clear waits for what was in the way of the transaction, which holds nothing by then.
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
		at = x.failedAt
	}
	w, err := x.store.clearWay(ctx, at, "", x.meter)
	if err == nil && x.store.hasLeft(w) {
		err = x.clearLeft(ctx, w)
	}
	switch {
	case err != nil:
		return err
	case w.bore && busy == nil:
		return asOp(engine.StaleRead(at.table, at.partitionKey, at.rowKey), x.failed.at)
	}
	return cause
}

// clearLeft is Store.clearLeft for all that the transaction writes.
func (x *transaction) clearLeft(ctx context.Context, w way) error {
	keys := map[home][]string{}
	for _, g := range x.groups {
		at := home{g.table, g.partition}
		for i := range g.ops {
			if !isTouch(&g.ops[i].Op) {
				keys[at] = append(keys[at], g.ops[i].intentKey())
			}
		}
	}
	places := slices.Collect(maps.Keys(keys))
	return engine.SideBySide(ctx, x.store.parallel, len(places), func(ctx context.Context, i int) error {
		return x.store.clearLeft(ctx, w, places[i].table, places[i].partition, keys[places[i]], x.meter)
	})
}

// fails notes which operation of a group could not be made; nil: none in particular.
func (x *transaction) fails(g *group, o *operation, decides bool) {
	if o != nil {
		rowKey := o.intentKey()
		if decides {
			rowKey = o.Entity.RowKey
		}
		x.failed, x.failedAt = o, place{g.table, g.partition, rowKey}
	}
}
