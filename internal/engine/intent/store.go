package intent

import (
	"context"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// Options say how a Store works.
type Options struct {
	// Records gives the table that holds the records of transactions over several tables, for one of these. It exists when they are made, and
	// for as long as that table does.
	Records  func(table string) string
	Parallel int // requests under way at once
	// Direct is the engine below the given one, if that one sends requests again when it does not know whether they arrived. A request of the
	// protocol must not arrive twice. nil: the given one.
	Direct engine.Engine
	// Meter counts requests that belong to no statement: those that look for notes before a table is deleted; may be nil.
	Meter *engine.Meter
	// Holds says whether a table is one of ours: no other table bears intents. nil: all are ours.
	Holds func(table string) bool
}

// Store is an engine.Transactor over an engine that is not one. Its methods may be called from many goroutines.
type Store struct {
	base     engine.Engine
	direct   engine.Engine
	holds    func(table string) bool
	records  func(table string) string
	parallel int
	meter    *engine.Meter

	known  known
	met    met
	own    own
	forget forgetting

	closing context.Context
	close   context.CancelFunc
	late    underWay // after the end of a context
}

// New lays a Store over an engine. Close closes the Store but not the engine.
func New(base engine.Engine, o Options) *Store {
	s := &Store{base: base, direct: o.Direct, holds: o.Holds, records: o.Records, parallel: max(o.Parallel, 1), meter: o.Meter}
	if s.direct == nil {
		s.direct = base
	}
	if s.holds == nil {
		s.holds = func(string) bool { return true }
	}
	s.closing, s.close = context.WithCancel(context.Background())
	return s
}

// finishTime is how long finish keeps trying without progress.
const finishTime = 10 * time.Second

// finish does what is left to do even if ctx ends first. It returns when do is done or ctx has ended; in the latter case do continues. do is
// ended when it has made no progress for finishTime.
func (s *Store) finish(ctx context.Context, do func(ctx context.Context, progress func())) (isDone bool) {
	done := make(chan struct{})
	s.late.begin()
	go func() {
		defer s.late.end()
		defer close(done)
		inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(s.closing, cancel)()
		late := time.AfterFunc(finishTime, cancel)
		defer late.Stop()
		do(inner, func() { late.Reset(finishTime) })
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// CreateTable implements engine.Engine.
func (s *Store) CreateTable(ctx context.Context, table string, m *engine.Meter) error {
	return s.base.CreateTable(ctx, table, m)
}

// Tables implements engine.Engine.
func (s *Store) Tables(ctx context.Context, prefix string, m *engine.Meter) ([]string, error) {
	return s.base.Tables(ctx, prefix, m)
}

// Shared implements engine.Engine.
func (s *Store) Shared() bool { return s.base.Shared() }

// Limits implements engine.Engine.
func (s *Store) Limits() engine.Limits { return s.base.Limits() }

// Snapshots implements engine.Transactor: a Moment is not a snapshot.
func (s *Store) Snapshots() bool { return false }

// Leave waits for what is under way and deletes the records that are no longer needed, as far as it can within ctx. Close follows.
func (s *Store) Leave(ctx context.Context) {
	select {
	case <-s.late.none():
	case <-ctx.Done():
	}
	s.forget.all(ctx, s)
}

// Close cancels what is under way, and waits for it to return. The engine stays open.
func (s *Store) Close() error {
	s.close()
	<-s.late.none()
	return nil
}
