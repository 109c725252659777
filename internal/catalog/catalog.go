// Package catalog keeps table definitions as entities of the store itself, so that another process that
// opens the same store finds them, and hands out AUTO_INCREMENT values. It plans nothing and runs no
// statement; how a definition changes step by step is the business of ddl.
//
// One physical table per database holds it all, in one partition:
//
//	catalog        the version: a number that every change raises, and the ids of the last changes
//	table!NAME     a definition, as JSON, split over several properties if it is long
//	drop!…         what is still to be deleted of a table whose definition is gone: its physical table, or its keys
//	               in one that it shared
//	sequence!…     the next AUTO_INCREMENT value of a table
//	progress!…     how many rows a change of a definition has rewritten
//	lock!…         the holder of a GET_LOCK lock
//
// A separate partition, members, lists the running processes; see presence.
//
// A change writes its entities and raises the version in one entity group transaction, conditional on the
// version that it was made against. If other processes may use the store (engine.Engine.Shared),
// definitions are trusted only for a lease. Then the version is read again, and if it has moved, so are all
// definitions. A change that users of older definitions could harm waits (WaitCurrent) until
// none are left. Each running process announces itself by an entity; see presence.
package catalog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// DefaultLease is how long definitions are trusted without asking a shared store again.
const DefaultLease = 5 * time.Second

// Catalog is the definitions of one database. Safe for concurrent use.
type Catalog struct {
	// Parallel limits how many of the requests that delete a dropped table's data are under way at once; 0 means 1. Set it before use.
	Parallel int
	// Rows deletes tables of rows: the engine itself, unless deleting takes more than the engine knows. Set it before use.
	Rows engine.Engine
	// Temporary names the physical tables of a catalog whose tables belong to one session; nil if they belong to the database. Set
	// it before use.
	Temporary func() string

	engine   engine.Engine
	database string
	table    string // physical
	lease    time.Duration
	meter    *engine.Meter // of the requests that keep definitions fresh

	current    atomic.Pointer[Snapshot]
	known      atomic.Int64 // the newest version that this process knows of
	publishing sync.Mutex   // guards current, known and changes together
	changes    atomic.Int64 // how many changes this process has made
	refresh    lock         // one reader of the version at a time
	change     lock         // one change at a time in this process
	defining   lock         // one statement that changes definitions, see BeginDefine
	writers    statements   // statements of this process that write
	readers    statements   // statements that only read; counted if the store is shared
	presence   presence

	sequences sequences
	open      openTables
	opening   openingPartitions
}

// Open gives the catalog of a database ("" is the default one). It sends no request. Close ends it. meter, which may be nil,
// counts the requests that keep definitions fresh; a lease of 0 means DefaultLease.
func Open(e engine.Engine, database string, lease time.Duration, meter *engine.Meter) *Catalog {
	if lease == 0 {
		lease = DefaultLease
	}
	c := &Catalog{engine: e, Rows: e, database: database, table: keymap.CatalogTable(database), lease: lease, meter: meter,
		refresh: newLock(), change: newLock(), defining: newLock()}
	c.presence.open(lease)
	c.sequences.blocks = map[string]*block{}
	return c
}

// Database is the name of the database.
func (c *Catalog) Database() string { return c.database }

// IsTemporary says whether the tables belong to one session.
func (c *Catalog) IsTemporary() bool { return c.Temporary != nil }

// Snapshot gives the definitions. It reads the version if the lease is over.
func (c *Catalog) Snapshot(ctx context.Context) (*Snapshot, error) {
	if !c.engine.Shared() {
		if s := c.current.Load(); s != nil {
			return s, nil
		}
		return c.renew(ctx, func(*Snapshot) bool { return true })
	}
	now := time.Now()
	c.presence.used.Store(now.UnixNano())
	if s := c.current.Load(); s != nil && now.Sub(s.fresh) < c.lease {
		return s, nil
	}
	return c.renew(ctx, func(s *Snapshot) bool { return time.Since(s.fresh) < c.lease })
}

// With calls f with the definitions. If another process changes some while f reads them, With calls f again with the new ones:
// given definitions of two versions, f could look for rows in the wrong place.
func (c *Catalog) With(ctx context.Context, f func(s *Snapshot) error) error {
	return c.with(ctx, c.Snapshot, f)
}

// with calls f with the result of get, and again if f gives errMoved.
func (c *Catalog) with(ctx context.Context, get func(context.Context) (*Snapshot, error), f func(*Snapshot) error) error {
	tries := retry.Begin(ctx, retry.Race)
	for {
		s, err := get(tries.Context)
		if err == nil {
			err = f(s)
		}
		if !errors.Is(err, errMoved) {
			return err
		}
		if err := tries.Again(err); err != nil {
			return err
		}
		c.current.CompareAndSwap(s, nil)
	}
}

// renew reads the version, unless another call has made the definitions good meanwhile.
func (c *Catalog) renew(ctx context.Context, isGood func(*Snapshot) bool) (*Snapshot, error) {
	release, err := c.refresh.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	old := c.current.Load()
	if old != nil && isGood(old) {
		return old, nil
	}
	fresh := time.Now() // before the request: the lease must not outlive what was read
	denied := c.announce(ctx, false)
	if denied != nil && !isDenied(denied) {
		return nil, denied
	}
	if sent := c.presence.sent; denied == nil && !sent.IsZero() && sent.Before(fresh) {
		fresh = sent
	}
	changes := c.changes.Load()
	e, err := c.getVersion(ctx)
	if err != nil && !engine.Is(err, engine.CodeNotFound) && !engine.Is(err, engine.CodeNoTable) {
		return nil, err
	}
	if denied != nil { // and reading is not
		c.presence.refused.Store(true)
		c.presence.sent = time.Time{}
	}
	next := &Snapshot{catalog: c, etag: e.ETag, fresh: fresh, tables: map[string]*definition{}}
	if err == nil {
		if next.version, next.about, err = decodeVersion(&e); err != nil {
			return nil, err
		}
		next.changes = property(&e, "Changes").S
	}
	if old != nil && old.version == next.version && old.etag == next.etag {
		old.mu.RLock()
		for name, d := range old.tables {
			next.tables[name] = d
		}
		next.all = old.all
		old.mu.RUnlock()
	}
	return c.adopt(old, next, changes), nil
}

// adopt makes next the definitions of this process, unless a change was made here since next was read. It returns the
// definitions to use: next, or newer ones.
func (c *Catalog) adopt(old, next *Snapshot, changes int64) *Snapshot {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	if c.changes.Load() != changes || !c.current.CompareAndSwap(old, next) {
		if now := c.current.Load(); now != nil && now.version >= next.version {
			return now
		}
		return next
	}
	if before := c.known.Swap(next.version); before != 0 && before != next.version {
		select {
		case c.presence.moved <- struct{}{}:
		default:
		}
	}
	return next
}

// changed notes that this process has changed the definitions: what was read before can no longer be trusted.
func (c *Catalog) changed(version int64, next *Snapshot) {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	c.changes.Add(1)
	c.known.Store(version)
	c.current.Store(next)
}

// Ping makes sure that the store answers. It sends one request, which reads the version.
func (c *Catalog) Ping(ctx context.Context) error {
	_, err := c.getVersion(ctx)
	if engine.Is(err, engine.CodeNotFound, engine.CodeNoTable) {
		return nil
	}
	return err
}

// Forget makes the next Snapshot read everything again, after an error that a stale definition would explain.
func (c *Catalog) Forget() { c.current.Store(nil) }

// Newer reads the version. It gives the new definitions if they differ from those of s, and nil if they do not, or if no other
// process could have changed them.
func (c *Catalog) Newer(ctx context.Context, s *Snapshot) (*Snapshot, error) {
	if !c.engine.Shared() {
		return nil, nil
	}
	next, err := c.renew(ctx, func(now *Snapshot) bool { return now != s })
	if err != nil || next.version == s.version && next.etag == s.etag {
		return nil, err
	}
	return next, nil
}

// BeginWrite is called before a writing statement asks for definitions. The statement ends the Epoch when it is over;
// WaitCurrent waits for that.
func (c *Catalog) BeginWrite() *Epoch { return c.writers.begin() }

// BeginRead is BeginWrite for a statement that only reads. WaitCurrent waits for it for at most two leases. It gives nil if
// WaitCurrent does not wait for readers.
func (c *Catalog) BeginRead() *Epoch {
	if !c.engine.Shared() {
		return nil
	}
	return c.readers.begin()
}

// BeginDefine is called before a statement that changes definitions. The steps of two such statements must not mix: within this
// process the second one waits. A statement of another process is noticed at each step, by the version.
func (c *Catalog) BeginDefine(ctx context.Context) (end func(), err error) {
	return c.defining.take(ctx)
}

// WaitCurrent returns when every statement uses the current definitions. It waits for the writing statements of this process.
// If the store is shared it also waits for reading statements and for other processes, until these have taken note or two leases
// are over.
func (c *Catalog) WaitCurrent(ctx context.Context) error {
	if err := wait(ctx, c.writers.turn()); err != nil || !c.engine.Shared() {
		return err
	}
	return c.waitKnown(ctx, 2*c.lease)
}

// Current says whether rows may still be written by the definition t, as far as the lease lets this process know.
func (c *Catalog) Current(ctx context.Context, t *schema.Table) (bool, error) {
	if c.Unannounced() {
		return false, engine.Errorf(engine.CodeAuth, "this client may not write to the table %s, which holds the definitions, so it may not write rows either: changes of definitions would not wait for it. Give it the right to add, update and delete entities there", c.table)
	}
	var now *schema.Table
	err := c.With(ctx, func(s *Snapshot) (err error) {
		now, err = s.Table(ctx, t.Name)
		return err
	})
	switch {
	case err == nil:
		return now.WriteVersion == t.WriteVersion, nil
	case isGone(err):
		return false, nil
	}
	return false, err
}
