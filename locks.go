package nearlyfree

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/nearlyfreedb/nearlyfree/internal/catalog"
)

// lockLease is how long a named lock outlives a process that ended without giving it back, and that cannot reach the store.
var lockLease = 30 * time.Second

// namedLocks are those of GET_LOCK that connections of this process hold, by database and name.
type namedLocks struct {
	mu   sync.Mutex
	held map[string]*heldLock
}

type heldLock struct {
	owner *conn
	count int
	free  chan struct{} // closed when it is released
	// Where other processes may use the store, the lock is held there, too.
	stored  catalog.NamedLock
	renewal context.CancelFunc
}

// lock is GET_LOCK(name, seconds); negative seconds wait for ever, which is until ctx ends or the database is closed.
func (c *conn) lock(ctx context.Context, name string, seconds float64) (bool, error) {
	var late <-chan time.Time // never, where the wait is too long for a Duration
	if seconds >= 0 && seconds < math.MaxInt64/float64(time.Second) {
		t := time.NewTimer(time.Duration(seconds * float64(time.Second)))
		defer t.Stop()
		late = t.C
	}
	for {
		h, got := c.takeLock(name)
		switch {
		case got && h.count > 1:
			return true, nil
		case got && !c.connector.store.engine.Shared():
			return true, nil
		case got:
			got, err := c.lockStored(ctx, h, late)
			if !got {
				c.dropLock(name)
			}
			return got, err
		}
		select {
		case <-h.free:
		case <-late:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-c.connector.closing:
			return false, errDatabaseClosed()
		}
	}
}

// takeLock gives the lock, and whether it is c's now.
func (c *conn) takeLock(name string) (h *heldLock, got bool) {
	l, key := &c.connector.store.locks, c.lockKey(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[key]; h != nil {
		if h.owner != c {
			return h, false
		}
		h.count++
		return h, true
	}
	if l.held == nil {
		l.held = map[string]*heldLock{}
	}
	c.locks = true
	h = &heldLock{owner: c, count: 1, free: make(chan struct{}), stored: catalog.NamedLock{
		Name: name, Token: uuid.NewString(), Connection: c.session.ConnectionID}}
	l.held[key] = h
	return h, true
}

func (c *conn) lockKey(name string) string {
	return strings.ToLower(c.connector.config.Database + "/" + name)
}

// dropLock forgets a lock of c, for those who wait in this process.
func (c *conn) dropLock(name string) {
	l, key := &c.connector.store.locks, c.lockKey(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.held[key].free)
	delete(l.held, key)
}

// lockStored takes h in the store, and renews it from then on. It takes over what nobody has renewed for a lease: so nobody's
// clock but its own counts.
func (c *conn) lockStored(ctx context.Context, h *heldLock, late <-chan time.Time) (bool, error) {
	var seen string
	var since time.Time
	pause := 50 * time.Millisecond
	for {
		left := ""
		if seen != "" && time.Since(since) >= lockLease {
			left = seen
		}
		asked := time.Now()
		etag, err := c.connector.catalog.TakeLock(ctx, h.stored, left)
		if err != nil {
			return false, err
		}
		if etag == "" {
			renewing, stop := context.WithCancel(context.Background())
			h.renewal = stop
			go c.connector.renewLock(renewing, h.stored, lockLease/3)
			return true, nil
		}
		if etag != seen {
			seen, since = etag, asked
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
			pause = min(2*pause, time.Second)
		case <-late:
			t.Stop()
			return false, nil
		case <-ctx.Done():
			t.Stop()
			return false, ctx.Err()
		case <-c.connector.closing:
			t.Stop()
			return false, errDatabaseClosed()
		}
	}
}

// renewLock keeps a lock until ctx ends, the database is closed, or another process has taken it over.
func (k *Connector) renewLock(ctx context.Context, l catalog.NamedLock, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.closing:
			return
		case <-t.C:
		}
		if held, err := k.catalog.RenewLock(ctx, l); err == nil && !held {
			k.logger.Warn("a named lock was lost: it could not be renewed in time", "lock", l.Name)
			return
		}
	}
}

// releaseLock ends the renewal of a lock and gives it back; false where it was lost.
func (k *Connector) releaseLock(ctx context.Context, h *heldLock) (bool, error) {
	if h.renewal == nil {
		return true, nil
	}
	h.renewal()
	return k.catalog.ReleaseLock(ctx, h.stored)
}

// unlock is RELEASE_LOCK(name).
func (c *conn) unlock(ctx context.Context, name string) (held, existed bool, err error) {
	l, key := &c.connector.store.locks, c.lockKey(name)
	l.mu.Lock()
	h := l.held[key]
	mine := h != nil && h.owner == c
	if mine {
		h.count--
	}
	last := mine && h.count == 0
	l.mu.Unlock()
	switch {
	case last:
		held, err = c.connector.releaseLock(ctx, h)
		c.dropLock(name)
		return held, true, err
	case mine:
		return true, true, nil
	}
	owner, err := c.lockOwner(ctx, name)
	return false, owner != 0, err
}

// lockOwner is IS_USED_LOCK(name).
func (c *conn) lockOwner(ctx context.Context, name string) (int64, error) {
	if c.connector.store.engine.Shared() {
		return c.connector.catalog.LockHolder(ctx, name)
	}
	l := &c.connector.store.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[c.lockKey(name)]; h != nil {
		return h.owner.session.ConnectionID, nil
	}
	return 0, nil
}

// unlockAll is RELEASE_ALL_LOCKS: it counts each GET_LOCK that was answered by 1.
func (c *conn) unlockAll(ctx context.Context) (count int64) {
	c.locks = false
	l := &c.connector.store.locks
	var mine []*heldLock
	l.mu.Lock()
	for _, h := range l.held {
		if h.owner == c {
			count += int64(h.count)
			mine = append(mine, h)
		}
	}
	l.mu.Unlock()
	for _, h := range mine {
		_, _ = c.connector.releaseLock(ctx, h) // else its lease ends
		c.dropLock(h.stored.Name)
	}
	return count
}

// endLocks gives back what a connection holds that ends. Where ctx ends before, the store's leases do it.
func (c *conn) endLocks(ctx context.Context) {
	if !c.locks {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	c.unlockAll(ctx)
}
