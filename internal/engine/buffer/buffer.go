// Package buffer holds back the writes of a transaction. A Buffer reads like the engine below it, with its own writes laid over what is stored,
// and sends their result, folded to one operation per entity, as one entity group transaction.
//
//	b := buffer.New(e, 16)
//	err := b.Apply(ctx, engine.Commit{Table: "t", PartitionKey: "00", Ops: ops})
//	got, err := b.Get(ctx, engine.Get{Table: "t", PartitionKey: "00", RowKey: "PK!1"}) // sees ops
//	err = b.Commit(ctx, meter)
//
// New isolates nothing: reads see what others write meanwhile, and the conditions of the operations decide on sending whether the transaction's
// own writes may still be made. A buffer of NewAt reads one moment of the store. It can also validate its reads: then Commit fails if one of
// them would now have another result.
//
// If the store is an engine.Transactor, a transaction may have any size, otherwise that of one entity group transaction.
package buffer

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Buffer is the writes of one transaction. Its methods may be called from many goroutines; views and cursors
// see the buffer as it was when they were made.
type Buffer struct {
	released atomic.Bool
	aside    atomic.Pointer[engine.Aside] // tables that are not in e; nil: there are none
	e        engine.Engine
	base     engine.Reader // what is read, if a view does not say otherwise: e, or a moment
	since    engine.Moment // base, if it is a moment
	reads    *reads        // what was read, to be validated by Commit; nil: nothing is, or the moment knows
	parallel int           // Gets under way at once

	validates bool                            // Commit validates what was read
	Current   func(ctx context.Context) error // set before Commit: see engine.Transaction
	limits    engine.Limits                   // of a single operation; Commit checks how many are sent at once

	mu       sync.Mutex
	tables   map[string]*tree // by folded name
	gaps     map[string]*gaps // by folded name of the table
	viewed   bool             // a view has tables: they are copied before they change
	journal  []undo
	version  uint64
	requires []Requirement
	outline  *outline                 // nil: the store accepts any transaction
	hold     func(octets int64) error // takes memory, or gives it back; nil: memory is not counted

	group    *Group             // the transactions of its process; nil: none
	joined   uint64             // when, by the group's clock
	taken    map[point]struct{} // what it has besides what it has written; the group's lock guards it
	waits    *waiter            // while it waits for an entity, else nil; the group's lock guards it
	patience time.Duration      // how long it waits
	closing  <-chan struct{}    // closed when transactions may no longer wait
	lost     atomic.Bool        // it was rolled back, as Forfeit does
}

// New makes an empty buffer over e, with at most parallel requests under way at once.
func New(e engine.Engine, parallel int) *Buffer {
	b := &Buffer{e: e, base: e, parallel: parallel, limits: e.Limits(), tables: map[string]*tree{}, gaps: map[string]*gaps{}}
	b.limits.BatchOps, b.limits.BatchBytes = math.MaxInt, math.MaxInt
	if _, ok := e.(engine.Bounded); ok {
		b.outline = &outline{places: map[engine.Place]*place{}, watched: map[engine.Place]bool{}}
	}
	return b
}

// NewAt makes an empty buffer whose reads are all of one moment, until Release. If validate is set, the transaction is as if all of it had
// happened when Commit returns. It joins g before taking the moment, so that it learns of every transaction that ends after it.
func NewAt(e engine.Transactor, parallel int, validate bool, g *Group) (*Buffer, error) {
	b := New(e, parallel)
	g.Join(b)
	b.since = e.Moment()
	if err := b.since.Begin(); err != nil {
		b.Release()
		return nil, err
	}
	b.base, b.validates = b.since, validate || !e.Snapshots()
	if validate && e.Snapshots() {
		b.reads = &reads{}
	}
	return b, nil
}

// Beside makes the transaction read and write tables next to the store. Reads see them as they are at the time of the read; Commit writes to
// them if the store accepts the rest.
func (b *Buffer) Beside(a engine.Aside) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.aside.Store(&a)
	if b.outline != nil {
		b.outline.aside = a
	}
}

// beside gives the tables next to the store if they include a table; nil: the table is in the store.
func (b *Buffer) beside(table string) engine.Aside {
	if a := b.aside.Load(); a != nil && (*a).Has(table) {
		return *a
	}
	return nil
}

// Renew moves a transaction of one moment to a later one. The transaction must not rely on anything that it has read so far.
func (b *Buffer) Renew() error {
	next := b.e.(engine.Transactor).Moment()
	var joined uint64
	if b.group != nil {
		joined = b.group.clock.Load()
	}
	if err := next.Begin(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since.Release()
	b.since, b.base, b.joined = next, next, joined
	if b.reads != nil {
		b.reads = &reads{}
	}
	clear(b.gaps)
	return nil
}

// IsOfOneMoment says whether all reads are of one moment.
func (b *Buffer) IsOfOneMoment() bool { return b.since != nil }

// IsUnconfirmed says whether only Commit finds out if all that was read held at one moment.
func (b *Buffer) IsUnconfirmed() bool { return b.validates && b.reads == nil }

// Hold makes the buffer report to hold how much memory it takes and, by negative numbers, gives back. It takes no more after an error.
func (b *Buffer) Hold(hold func(octets int64) error) { b.hold = hold }

// Release ends the use of the buffer.
func (b *Buffer) Release() {
	b.released.Store(true)
	b.group.leave(b)
	if b.since != nil {
		b.since.Release()
	}
}
