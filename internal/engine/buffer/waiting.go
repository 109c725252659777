package buffer

import (
	"context"
	"slices"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// waiter is a transaction that waits for an entity which another one has. Waiters get the entity in the order in which they asked. A statement
// asks for one entity at a time, so a transaction is at most one waiter.
type waiter struct {
	b    *Buffer
	at   point
	turn chan struct{} // closed when it has the entity
}

// Patience sets how long b waits for an entity that another transaction has; the wait also ends when closing is closed.
func (b *Buffer) Patience(d time.Duration, closing <-chan struct{}) {
	b.patience, b.closing = d, closing
}

// Keep makes the transaction keep an entity, as Get with HoldOrWait does before it reads. So a statement that reads many at a time can ask for
// them in order: then two transactions that want the same entities do not wait for each other.
func (v View) Keep(ctx context.Context, g engine.Get) error {
	if v.holds(g.Table, engine.HoldOrWait) != engine.HoldOrWait {
		return nil
	}
	moved, err := v.b.keep(ctx, pointOf(g.Table, g.PartitionKey, g.RowKey), v.began)
	if err == nil && moved && v.isOfBefore() {
		g.Select = []string{}
		_, err = v.getMoved(ctx, g)
		if isAbsent(err) {
			return nil
		}
	}
	return err
}

// getKept reads an entity that the transaction has from before the read on, so that it is as the previous holder left it.
func (v View) getKept(ctx context.Context, g engine.Get) (e engine.Entity, err error) {
	at := pointOf(g.Table, g.PartitionKey, g.RowKey)
	moved, err := v.b.keep(ctx, at, v.began)
	switch {
	case err != nil:
		return e, err
	case moved && v.isOfBefore():
		e, err = v.getMoved(ctx, g)
	default:
		e, err = v.get(ctx, g)
	}
	if isAbsent(err) {
		v.b.group.letGo(v.b, at) // as in MySQL, nothing waits for what does not exist
	}
	if err != nil {
		return e, err
	}
	return e, v.b.pin(g.Table, []engine.Entity{e})
}

// getMoved reads an entity, of a moment after which others had it.
func (v View) getMoved(ctx context.Context, g engine.Get) (engine.Entity, error) {
	e, err := v.get(ctx, g)
	if err != nil && !isAbsent(err) {
		return e, err
	}
	of := engine.Entity{PartitionKey: g.PartitionKey, RowKey: g.RowKey, ETag: e.ETag}
	if err := v.unchanged(ctx, g.Table, &of, g.Meter); err != nil {
		return e, err
	}
	return e, err
}

// taker makes the transaction of a view keep the entities that are read from a table.
type taker struct {
	v     View
	table string
	row   engine.RowOf // says which row an entity is an index entry of; nil: the entities are the rows
	hold  engine.Hold
	meter *engine.Meter
}

// take makes the transaction keep an entity that was read, or the row whose index entry it is; false if it must be passed over.
func (t *taker) take(ctx context.Context, e *engine.Entity) (bool, error) {
	v, at := t.v, pointOf(t.table, e.PartitionKey, e.RowKey)
	if t.row != nil {
		table, partitionKey, rowKey, err := t.row(e)
		if err != nil {
			return false, err
		}
		at = pointOf(table, partitionKey, rowKey)
	}
	if t.hold != engine.HoldOrWait {
		return v.b.takeFree(t.table, e, at, v.began, t.hold)
	}
	moved, err := v.b.keep(ctx, at, v.began)
	switch {
	case err != nil || !moved:
	case t.row != nil && v.b.readsOneMoment(): // what is not in the entry may have changed, and is read later
		_, err = v.getMoved(ctx, engine.Get{Table: at.table, PartitionKey: at.partitionKey, RowKey: at.rowKey, Select: []string{}, Meter: t.meter})
	default:
		err = v.unchanged(ctx, t.table, e, t.meter)
	}
	if err != nil {
		return false, err
	}
	return true, v.b.pin(t.table, []engine.Entity{*e})
}

// isOfBefore says whether the view shows a moment that stays as it was.
func (v View) isOfBefore() bool {
	_, is := v.on.(engine.Moment)
	_, isNone := v.on.(observer)
	return is && !isNone
}

// unchanged makes sure that an entity which the transaction has kept since it was read, or found missing, is still as it was then. Otherwise the
// error is CodeStale: at a later moment the statement may find a different entity.
func (v View) unchanged(ctx context.Context, table string, e *engine.Entity, m *engine.Meter) error {
	now, err := v.b.e.Get(ctx, engine.Get{Table: table, PartitionKey: e.PartitionKey, RowKey: e.RowKey, Select: []string{}, Meter: m})
	switch {
	case err != nil && !isAbsent(err):
		return err
	case now.ETag != e.ETag:
		return engine.StaleRead(table, e.PartitionKey, e.RowKey)
	}
	return nil
}

// keep makes b have an entity until it ends, and waits while another transaction has it. moved says whether another had it since began, and so
// may have changed it.
func (b *Buffer) keep(ctx context.Context, at point, began uint64) (moved bool, err error) {
	g := b.group
	if g == nil {
		return false, nil
	}
	w, moved, err := g.ask(b, at, began)
	if w == nil {
		return moved, err
	}
	late := time.NewTimer(b.patience)
	defer late.Stop()
	select {
	case <-w.turn:
		return true, nil
	case <-late.C:
		err = &engine.Error{Code: engine.CodeLate, Op: -1}
	case <-ctx.Done():
		err = ctx.Err()
	case <-b.closing:
		err = engine.Errorf(engine.CodeClosed, "the database is closed")
	}
	if g.giveUp(w) {
		return true, err
	}
	return true, nil // it was given the entity meanwhile
}

// ask gives b an entity or, if another transaction has it, a waiter for b. If that transaction waits for b, b is rolled back.
func (g *Group) ask(b *Buffer, at point, began uint64) (w *waiter, moved bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, is := g.open[b]; !is || b.has(at) {
		return nil, false, nil
	}
	switch {
	case g.holder(b, at) == nil:
		g.give(b, at)
		return nil, g.left[at] > began, nil
	case g.leads(b, at, b, map[*Buffer]bool{}):
		b.forfeit()
		return nil, false, errLost()
	}
	w = &waiter{b, at, make(chan struct{})}
	if g.waiting == nil {
		g.waiting = map[point][]*waiter{}
	}
	g.waiting[at], b.waits = append(g.waiting[at], w), w
	return w, true, nil
}

// leads says whether from, by waiting for an entity, waits for to, directly or through the transactions that it waits for. An entity may have
// several holders: a writer does not ask for it.
func (g *Group) leads(from *Buffer, at point, to *Buffer, seen map[*Buffer]bool) bool {
	for other := range g.open {
		if other == from || seen[other] || !other.has(at) {
			continue
		}
		if seen[other] = true; other == to || other.waits != nil && g.leads(other, other.waits.at, to, seen) {
			return true
		}
	}
	return false
}

// advance gives an entity that no transaction has any more to the first waiter.
func (g *Group) advance(at point) {
	line := g.waiting[at]
	for len(line) > 0 && g.holder(line[0].b, at) == nil {
		w := line[0]
		line = line[1:]
		w.b.waits = nil
		g.give(w.b, at)
		close(w.turn)
	}
	g.setLine(at, line)
}

func (g *Group) advanceAll() {
	for at := range g.waiting {
		g.advance(at)
	}
}

func (g *Group) setLine(at point, line []*waiter) {
	if len(line) == 0 {
		delete(g.waiting, at)
		return
	}
	g.waiting[at] = line
}

// giveUp removes a waiter from the line; false: it has the entity already.
func (g *Group) giveUp(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	line := g.waiting[w.at]
	i := slices.Index(line, w)
	if i < 0 {
		return false
	}
	w.b.waits = nil
	g.setLine(w.at, slices.Delete(line, i, i+1))
	return true
}

// letGo makes b give up an entity that it has not written to. A nil Group does nothing.
func (g *Group) letGo(b *Buffer, at point) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(b.taken, at)
	g.advance(at)
}

// Forfeit rolls the transaction back, as MySQL does with one that can no longer be committed: others get its rows at once. Commit fails from now
// on.
func (b *Buffer) Forfeit() {
	if g := b.group; g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
	}
	b.forfeit()
}

// forfeit is Forfeit for a caller that has locked the group.
func (b *Buffer) forfeit() {
	b.lost.Store(true)
	if b.group != nil {
		b.group.leaveLocked(b)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rollbackTo(0)
	clear(b.gaps)
}

// IsLost says whether the transaction was rolled back by Forfeit, or because it waited for a transaction that waited for it.
func (b *Buffer) IsLost() bool { return b.lost.Load() }

func errLost() error {
	e := engine.Errorf(engine.CodeStale, "Deadlock found when trying to get lock; try restarting transaction")
	e.Final = true
	return e
}
