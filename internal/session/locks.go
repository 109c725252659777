package session

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
	"github.com/nearlyfreedb/nearlyfree/internal/retry"
)

// lockLease is how long a named lock stays taken after its process has ended without releasing it, or has lost the store.
var lockLease = 30 * time.Second

// Locks are the GET_LOCK locks that sessions of this process hold, by database and name.
type Locks struct {
	mu   sync.Mutex
	held map[string]*heldLock
	// silent: the store did not answer when an ending session released its locks. So closing many sessions waits for it only once.
	silent atomic.Bool
}

type heldLock struct {
	owner *Session
	count int
	free  chan struct{} // closed when it is released
	// If other processes may use the store, the lock is held there, too.
	stored  catalog.NamedLock
	renewal context.CancelFunc
}

// lock is GET_LOCK(name, seconds). Negative seconds wait without limit, until ctx ends or the database is closed.
func (s *Session) lock(ctx context.Context, name string, seconds float64) (bool, error) {
	var late <-chan time.Time // never, if the wait is too long for a Duration
	if seconds >= 0 && seconds < math.MaxInt64/float64(time.Second) {
		t := time.NewTimer(time.Duration(seconds * float64(time.Second)))
		defer t.Stop()
		late = t.C
	}
	for {
		h, got := s.takeLock(name)
		switch {
		case got && h.count > 1:
			return true, nil
		case got && !s.db.Runtime.Engine.Shared():
			return true, nil
		case got:
			got, err := s.lockStored(ctx, h, late)
			if !got {
				s.dropLock(name)
			}
			return got, err
		}
		select {
		case <-h.free:
		case <-late:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-s.db.Closing:
			return false, errClosed()
		}
	}
}

// takeLock gives the lock, and whether s now holds it.
func (s *Session) takeLock(name string) (h *heldLock, got bool) {
	l, key := s.db.Locks, s.lockKey(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[key]; h != nil {
		if h.owner != s {
			return h, false
		}
		h.count++
		return h, true
	}
	if l.held == nil {
		l.held = map[string]*heldLock{}
	}
	s.locks = true
	h = &heldLock{owner: s, count: 1, free: make(chan struct{}), stored: catalog.NamedLock{
		Name: name, Token: uuid.NewString(), Connection: s.state.ConnectionID}}
	l.held[key] = h
	return h, true
}

func (s *Session) lockKey(name string) string {
	return strings.ToLower(s.db.Catalog.Database() + "/" + name)
}

// dropLock drops a lock of s, and thereby lets sessions of this process that wait for it go on.
func (s *Session) dropLock(name string) {
	l, key := s.db.Locks, s.lockKey(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.held[key].free)
	delete(l.held, key)
}

// lockStored takes h in the store, and renews it from then on. It takes over a lock that was not renewed for a lease, which it
// measures itself, so that no other clock matters.
func (s *Session) lockStored(ctx context.Context, h *heldLock, late <-chan time.Time) (bool, error) {
	var seen string
	var since time.Time
	for try := 1; ; try++ {
		left := ""
		if seen != "" && time.Since(since) >= lockLease {
			left = seen
		}
		asked := time.Now()
		etag, err := s.db.Catalog.TakeLock(ctx, h.stored, left)
		if err != nil {
			return false, err
		}
		if etag == "" {
			s.db.Locks.silent.Store(false)
			renewing, stop := context.WithCancel(context.Background())
			h.renewal = stop
			go s.db.renewLock(renewing, h.stored, lockLease/3)
			return true, nil
		}
		if etag != seen {
			seen, since = etag, asked
		}
		t := time.NewTimer(retry.Busy.Pause(try))
		select {
		case <-t.C:
		case <-late:
			t.Stop()
			return false, nil
		case <-ctx.Done():
			t.Stop()
			return false, ctx.Err()
		case <-s.db.Closing:
			t.Stop()
			return false, errClosed()
		}
	}
}

// renewLock keeps a lock until ctx ends, the database is closed, or another process has taken it over.
func (d *Database) renewLock(ctx context.Context, l catalog.NamedLock, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.Closing:
			return
		case <-t.C:
		}
		held, err := d.Catalog.RenewLock(ctx, l)
		if err == nil {
			d.Locks.silent.Store(false)
		}
		if err == nil && !held {
			d.Logger.Warn("a named lock was lost: it could not be renewed in time", "lock", l.Name)
			return
		}
	}
}

// releaseLock ends the renewal of a lock and releases it; false if it was lost.
func (d *Database) releaseLock(ctx context.Context, h *heldLock) (bool, error) {
	if h.renewal == nil {
		return true, nil
	}
	h.renewal()
	return d.Catalog.ReleaseLock(ctx, h.stored)
}

// unlock is RELEASE_LOCK(name).
func (s *Session) unlock(ctx context.Context, name string) (held, existed bool, err error) {
	l, key := s.db.Locks, s.lockKey(name)
	l.mu.Lock()
	h := l.held[key]
	mine := h != nil && h.owner == s
	if mine {
		h.count--
	}
	last := mine && h.count == 0
	l.mu.Unlock()
	switch {
	case last:
		held, err = s.db.releaseLock(ctx, h)
		s.dropLock(name)
		return held, true, err
	case mine:
		return true, true, nil
	}
	owner, err := s.lockOwner(ctx, name)
	return false, owner != 0, err
}

// lockOwner is IS_USED_LOCK(name).
func (s *Session) lockOwner(ctx context.Context, name string) (int64, error) {
	if s.db.Runtime.Engine.Shared() {
		return s.db.Catalog.LockHolder(ctx, name)
	}
	l := s.db.Locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[s.lockKey(name)]; h != nil {
		return h.owner.state.ConnectionID, nil
	}
	return 0, nil
}

// unlockAll is RELEASE_ALL_LOCKS: it counts each GET_LOCK that returned 1.
func (s *Session) unlockAll(ctx context.Context) (count int64) {
	s.locks = false
	l := s.db.Locks
	var mine []*heldLock
	l.mu.Lock()
	for _, h := range l.held {
		if h.owner == s {
			count += int64(h.count)
			mine = append(mine, h)
		}
	}
	l.mu.Unlock()
	for _, h := range mine {
		_, _ = s.db.releaseLock(ctx, h) // else its lease ends
		s.dropLock(h.stored.Name)
	}
	return count
}

// releaseTimeout limits the requests that release locks, for a slow store. If none of the requests arrives,
// the locks end with their leases.
const releaseTimeout = time.Second

// endLocks releases the locks of an ending session.
func (s *Session) endLocks(ctx context.Context) {
	if !s.locks {
		return
	}
	wait := releaseTimeout
	if s.db.Locks.silent.Load() {
		wait = 0
	}
	bounded, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	s.unlockAll(bounded)
	if bounded.Err() != nil && ctx.Err() == nil {
		s.db.Locks.silent.Store(true)
	}
}
