// Package buffer holds back the writes of a transaction. A Buffer reads like the engine that it lies over,
// with its own writes laid over what is stored, and sends what is left of them, folded to one operation
// an entity, as one entity group transaction.
//
//	b := buffer.New(e, 16)
//	err := b.Apply(ctx, engine.Commit{Table: "t", PartitionKey: "00", Ops: ops})
//	got, err := b.Get(ctx, engine.Get{Table: "t", PartitionKey: "00", RowKey: "PK!1"}) // sees ops
//	err = b.Commit(ctx, meter)
//
// New isolates nothing: what others write meanwhile is seen by reads, and whether the transaction's
// own writes may still be made is decided when they are sent, by the conditions of its operations. A buffer of NewAt reads
// one moment of the store. It can also validate its reads: then Commit fails if one of them would have another result by now.
//
// Where the store is an engine.Transactor a transaction may have any size, else that of one entity group transaction.
package buffer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Buffer is the writes of one transaction. Its methods may be called from many goroutines; views and cursors
// see the buffer as it was when they were made.
type Buffer struct {
	released atomic.Bool
	aside    atomic.Pointer[engine.Aside] // tables that are not in e; nil: there are none
	e        engine.Engine
	base     engine.Reader // what is read, if a view does not say otherwise: e, or a moment
	since    engine.Moment // base, where that is one
	reads    *reads        // what was read, to be validated by Commit; nil: nothing is, or the moment knows
	parallel int           // Gets under way at once

	validates bool                            // Commit validates what was read
	Current   func(ctx context.Context) error // set before Commit: see engine.Transaction
	limits    engine.Limits                   // what one operation may be; how many are sent at once is the concern of Commit

	mu       sync.Mutex
	tables   map[string]*tree // by folded name
	gaps     map[string]*gaps // by folded name of the table
	viewed   bool             // a view has tables: they are copied before they change
	journal  []undo
	version  uint64
	requires []Requirement
	outline  *outline                 // nil: the store takes whatever there is
	hold     func(octets int64) error // takes memory, or gives it back; nil: nobody counts

	group    *Group             // of the transactions beside it; nil: none
	joined   uint64             // when, by the group's clock
	taken    map[point]struct{} // what it has beside what it has written; the group's lock guards it
	waits    *waiter            // for whom else it waits; nil: for nobody; the group's lock guards it
	patience time.Duration      // how long it waits
	closing  <-chan struct{}    // closed when nobody may wait any more
	lost     atomic.Bool        // it was rolled back, as Forfeit does
}

// tree holds the entries of one table by their keys.
type tree struct {
	table   string
	entries *btree.BTreeG[*entry]
}

// entry is what the transaction has done to one entity; never changed, replaced.
type entry struct {
	partitionKey, rowKey string

	// op is what all that was done comes to. When dropped, nothing: what the transaction inserted it has
	// deleted.
	op      engine.OpKind
	dropped bool
	row     string // as in engine.Op
	parent  bool
	touch   bool
	there   bool   // the same: of what is stored
	ifMatch string // the condition that op is sent with
	seen    string // the ETag of what was stored when an unconditional op looked; "" when it did not, or there was none
	etag    string // the entity's, while buffered

	// The properties of a Merge are those that change, else all.
	names  []string
	values []engine.Value
}

func (e *entry) exists() bool { return !e.dropped && e.op != engine.Delete }

func less(a, b *entry) bool {
	if a.partitionKey != b.partitionKey {
		return a.partitionKey < b.partitionKey
	}
	return a.rowKey < b.rowKey
}

// undo says what an entry was before: before has keys alone where there was none. One without a table takes back a requirement.
type undo struct {
	table  string // folded
	before *entry
	had    bool
	octets int64 // that the entry which took its place has
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

// NewAt makes an empty buffer all of whose reads are of this moment; Release lets go of it. Where it is to validate them, the
// transaction is as if all of it had happened when Commit returns.
func NewAt(e engine.Transactor, parallel int, validate bool) (*Buffer, error) {
	b := New(e, parallel)
	b.since = e.Moment()
	if err := b.since.Begin(); err != nil {
		return nil, err
	}
	b.base, b.validates = b.since, validate || !e.Snapshots()
	if validate && e.Snapshots() {
		b.reads = &reads{}
	}
	return b, nil
}

// Beside has the transaction read and write tables beside the store. What it reads there is as it is at that moment, and what it
// writes there is written by Commit if the store takes the rest.
func (b *Buffer) Beside(a engine.Aside) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.aside.Store(&a)
	if b.outline != nil {
		b.outline.aside = a
	}
}

// beside gives what has a table that is not in the store; nil: the store has it.
func (b *Buffer) beside(table string) engine.Aside {
	if a := b.aside.Load(); a != nil && (*a).Has(table) {
		return *a
	}
	return nil
}

// storedOf gives those of commits that are for the store.
func (b *Buffer) storedOf(commits []engine.Commit) (stored []engine.Commit, of func(error) error) {
	return engine.Pick(commits, func(c *engine.Commit) bool { return b.beside(c.Table) == nil })
}

// Renew gives a transaction of one moment, which goes by nothing that it has read so far, a later one.
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

// IsUnconfirmed says whether only Commit finds out that all that was read held at one moment.
func (b *Buffer) IsUnconfirmed() bool { return b.validates && b.reads == nil }

// Hold has the buffer tell hold how much memory it takes, and, by negative numbers, gives back. It takes no more after an error.
func (b *Buffer) Hold(hold func(octets int64) error) { b.hold = hold }

// Release ends the use of the buffer.
func (b *Buffer) Release() {
	b.released.Store(true)
	b.group.leave(b)
	if b.since != nil {
		b.since.Release()
	}
}

func (b *Buffer) tree(table string) *tree { return b.tables[engine.FoldTable(table)] }

// own makes tables the buffer's own again, where a view has them.
func (b *Buffer) own() {
	if !b.viewed {
		return
	}
	own := make(map[string]*tree, len(b.tables))
	for name, t := range b.tables {
		own[name] = &tree{t.table, t.entries.Copy()} // which shares all that neither changes
	}
	b.tables, b.viewed = own, false
}

// find gives what the transaction has done to an entity, or nil.
func (t *tree) find(partitionKey, rowKey string) *entry {
	if t == nil {
		return nil
	}
	e, _ := t.entries.Get(&entry{partitionKey: partitionKey, rowKey: rowKey})
	return e
}

// entity gives an entry that holds the whole of its entity.
func (e *entry) entity(sel []string) engine.Entity {
	out := engine.Entity{PartitionKey: e.partitionKey, RowKey: e.rowKey, ETag: e.etag, Names: e.names, Values: e.values}
	if sel != nil {
		out.Names, out.Values = sel, engine.Gather(e.names, e.values, sel)
	}
	return out
}

// over lays a Merge over the stored entity, which was read with the same Select.
func (e *entry) over(stored engine.Entity, sel []string) engine.Entity {
	out := stored
	out.ETag, out.Timestamp = e.etag, 0
	out.Values = append([]engine.Value(nil), stored.Values...)
	if sel == nil {
		out.Names, out.Values = engine.Overlay(append([]string(nil), stored.Names...), out.Values, e.names, e.values)
		return out
	}
	at, slot := 0, 0
	for i, name := range e.names {
		if slot, at = engine.FindName(sel, name, at); slot >= 0 && e.values[i].Type != engine.Absent {
			out.Values[slot] = e.values[i]
		}
	}
	return out
}

// Mark names the state of the buffer now, for RollbackTo. Marks rise.
func (b *Buffer) Mark() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.journal)
}

// RollbackTo undoes what was applied since Mark gave mark. Who waits for what the transaction no longer has is given it.
func (b *Buffer) RollbackTo(mark int) {
	b.mu.Lock()
	b.rollbackTo(mark)
	b.mu.Unlock()
	if g := b.group; g != nil && g.asked.Load() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.advanceAll()
	}
}

func (b *Buffer) rollbackTo(mark int) {
	b.own()
	for len(b.journal) > max(mark, 0) {
		u := b.journal[len(b.journal)-1]
		b.journal = b.journal[:len(b.journal)-1]
		t := b.tables[u.table]
		switch {
		case u.table == "":
			b.requires = b.requires[:len(b.requires)-1]
		case u.had:
			undone, _ := t.entries.Set(u.before)
			b.outline.count(u.table, undone, -1)
			b.outline.count(u.table, u.before, 1)
		default:
			undone, _ := t.entries.Delete(u.before)
			b.outline.count(u.table, undone, -1)
		}
		b.held(-u.octets)
	}
}

// held counts memory.
func (b *Buffer) held(octets int64) error {
	if b.hold == nil || b.released.Load() { // rows that are kept open behind its end are nobody's
		return nil
	}
	return b.hold(octets)
}

// octets is about how much memory an entry takes.
func (e *entry) octets() int64 {
	const entryOctets, valueOctets = 256, 48
	n := int64(entryOctets + len(e.partitionKey) + len(e.rowKey) + valueOctets*len(e.values))
	for i := range e.values {
		n += int64(len(e.values[i].S))
	}
	return n
}

// put replaces an entry and remembers the old one.
func (b *Buffer) put(table string, e *entry) error {
	b.own()
	folded := engine.FoldTable(table)
	t := b.tables[folded]
	if t == nil {
		t = &tree{table: table, entries: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
		b.tables[folded] = t
	}
	b.version++
	e.etag = "buffer:" + strconv.FormatUint(b.version, 10)
	before, had := t.entries.Set(e)
	if b.outline.count(folded, e, 1); had {
		b.outline.count(folded, before, -1)
	} else {
		before = e
	}
	b.journal = append(b.journal, undo{table: folded, before: before, had: had, octets: e.octets()})
	return b.held(e.octets())
}

// Pending says how many operations Commit would send.
func (b *Buffer) Pending() int {
	n := 0
	for _, c := range b.Commits() {
		n += len(c.Ops)
	}
	return n
}

func errGone(table string, e *entry) *engine.Error {
	return engine.Errorf(engine.CodeNotFound, "no entity %q, %q in table %q", e.partitionKey, e.rowKey, table)
}

// Commits gives what is left of all that was applied: one operation an entity, a commit for each table and
// partition (of any number of operations), in the order of their names and keys.
func (b *Buffer) Commits() []engine.Commit {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []engine.Commit
	for _, t := range b.sorted() {
		var c *engine.Commit
		t.entries.Scan(func(e *entry) bool {
			if e.dropped {
				return true
			}
			if c == nil || c.PartitionKey != e.partitionKey {
				out = append(out, engine.Commit{Table: t.table, PartitionKey: e.partitionKey})
				c = &out[len(out)-1]
			}
			c.Ops = append(c.Ops, e.operation())
			return true
		})
	}
	return out
}

// operation is what the entry comes to.
func (e *entry) operation() engine.Op {
	return engine.Op{Kind: e.op, IfMatch: e.ifMatch, Row: e.row, Parent: e.parent, There: e.there, Touch: e.touch,
		Entity: engine.Entity{PartitionKey: e.partitionKey, RowKey: e.rowKey, Names: e.names, Values: e.values}}
}

// Commit sends what is left of all that was applied, all or nothing, and empties the buffer. What needs more than one
// entity group transaction is refused with engine.CodeTooLarge where the store has no larger ones, and nothing is sent. When it
// fails, the buffer stays as it was; Error.Op counts in the order of Commits, and Error.Entity is that of the operation.
func (b *Buffer) Commit(ctx context.Context, m *engine.Meter) error {
	if b.lost.Load() {
		return errLost()
	}
	commits := b.Commits()
	if len(commits) > 0 || b.IsUnconfirmed() {
		if err := b.send(ctx, commits, m); err != nil {
			return placed(err, commits)
		}
	}
	b.group.leave(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rollbackTo(0) // which empties it
	clear(b.gaps)
	return nil
}

// placed says which entity the error of an operation is about.
func placed(err error, commits []engine.Commit) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Op < 0 {
		return err
	}
	at := e.Op
	for i := range commits {
		if at < len(commits[i].Ops) {
			e.Table, e.Entity = commits[i].Table, &commits[i].Ops[at].Entity
			break
		}
		at -= len(commits[i].Ops)
	}
	return err
}

// send sends commits: first those beside the store, as these can be taken back.
func (b *Buffer) send(ctx context.Context, commits []engine.Commit, m *engine.Meter) error {
	aside := b.aside.Load()
	if aside == nil {
		return b.sendStored(ctx, commits, m)
	}
	beside, ofBeside := engine.Pick(commits, func(c *engine.Commit) bool { return (*aside).Has(c.Table) })
	stored, ofStored := b.storedOf(commits)
	undo, err := (*aside).Write(ctx, beside)
	if err != nil {
		return ofBeside(err)
	}
	if len(stored) == 0 && !b.IsUnconfirmed() {
		return nil
	}
	if err := b.sendStored(ctx, stored, m); err != nil {
		undo()
		return ofStored(err)
	}
	return nil
}

func (b *Buffer) sendStored(ctx context.Context, commits []engine.Commit, m *engine.Meter) error {
	all, ok := b.e.(engine.Transactor)
	most := b.e.Limits().BatchOps
	requires := b.requirements()
	if !ok {
		if err := b.fit(commits); err != nil {
			return err
		}
	}
	if !ok || len(commits) == 1 && len(commits[0].Ops) <= most && !b.validates && len(requires) == 0 {
		c := commits[0]
		c.Meter = m
		if err := b.e.Commit(ctx, c); !ok || !isTooLarge(err) {
			return err
		}
	}
	t := engine.Transaction{Commits: commits, Requires: requires, Meter: m, Current: b.Current}
	if b.validates {
		t.Since = b.since
	}
	if b.reads != nil {
		t.Reads = b.reads.list()
	}
	return all.Transact(ctx, t)
}

// Fit refuses what Commit would refuse of what was applied: where the store has no larger transactions, what is more than one entity
// group transaction.
func (b *Buffer) Fit() error {
	switch e := b.e.(type) {
	case engine.Bounded:
		return b.fitOutline(e)
	case engine.Transactor:
		return nil
	}
	stored, _ := b.storedOf(b.Commits())
	return b.fit(stored)
}

func (b *Buffer) fit(commits []engine.Commit) error {
	l := b.e.Limits()
	most := l.BatchOps
	switch {
	case len(commits) > 1:
		return errSpread(commits)
	case len(commits) == 1 && len(commits[0].Ops) > most:
		return engine.Errorf(engine.CodeTooLarge, "the transaction has %d operations, but an entity group transaction has at most %d (a row and each of its index entries are one each): "+
			"commit in smaller steps, or write without a transaction", len(commits[0].Ops), most)
	case len(commits) == 1:
		if n := engine.CommitBytes(&commits[0], l.BatchBytes); n > l.BatchBytes {
			return engine.Errorf(engine.CodeTooLarge, "the transaction has %d operations of about %d bytes, but an entity group transaction has at most %d bytes: "+
				"commit in smaller steps, or write without a transaction", len(commits[0].Ops), n, l.BatchBytes)
		}
	}
	return nil
}

// isTooLarge says that a commit as a whole is over a limit.
func isTooLarge(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Code == engine.CodeTooLarge && e.Op < 0
}

// errSpread says that a transaction writes to several tables or partitions, and to which.
func errSpread(commits []engine.Commit) error {
	where := ""
	for i, c := range commits {
		if i == 3 {
			where += ", …"
			break
		}
		if i > 0 {
			where += ", "
		}
		where += fmt.Sprintf("%s %q", c.Table, c.PartitionKey)
	}
	instead := "commit after each, or write without a transaction"
	if !slices.ContainsFunc(commits, func(c engine.Commit) bool { return c.PartitionKey != commits[0].PartitionKey }) {
		instead = "commit after each, write without a transaction, or make the tables with layout=single, where they share a partition"
	}
	return engine.Errorf(engine.CodeTooLarge, "the transaction writes to %d partitions (%s), but an entity group transaction covers one: %s", len(commits), where, instead)
}
