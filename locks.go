package nearlyfree

import (
	"context"
	"math"
	"sync"
	"time"
)

// namedLocks are those of GET_LOCK, known in this process only.
type namedLocks struct {
	mu   sync.Mutex
	held map[string]*heldLock
}

type heldLock struct {
	owner *conn
	count int
	free  chan struct{} // closed when it is released
}

// lock is GET_LOCK(name, seconds); negative seconds wait for ever, which is until ctx ends or the database is closed.
func (c *conn) lock(ctx context.Context, name string, seconds float64) (bool, error) {
	l := &c.connector.locks
	var late <-chan time.Time // never, where the wait is too long for a Duration
	if seconds >= 0 && seconds < math.MaxInt64/float64(time.Second) {
		t := time.NewTimer(time.Duration(seconds * float64(time.Second)))
		defer t.Stop()
		late = t.C
	}
	for {
		got, free := l.take(c, name)
		if got {
			return true, nil
		}
		select {
		case <-free:
		case <-late:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-c.connector.closing:
			return false, errDatabaseClosed()
		}
	}
}

// take gives c a lock, or what is closed when its owner lets it go.
func (l *namedLocks) take(c *conn, name string) (got bool, free <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[name]; h != nil {
		if h.owner != c {
			return false, h.free
		}
		h.count++
		return true, nil
	}
	if l.held == nil {
		l.held = map[string]*heldLock{}
	}
	c.locks = true
	l.held[name] = &heldLock{owner: c, count: 1, free: make(chan struct{})}
	return true, nil
}

// unlock is RELEASE_LOCK(name).
func (c *conn) unlock(name string) (held, existed bool) {
	l := &c.connector.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.held[name]
	if h == nil {
		return false, false
	}
	if h.owner != c {
		return false, true
	}
	if h.count--; h.count == 0 {
		delete(l.held, name)
		close(h.free)
	}
	return true, true
}

// lockOwner is IS_USED_LOCK(name).
func (c *conn) lockOwner(name string) int64 {
	l := &c.connector.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.held[name]; h != nil {
		return h.owner.session.ConnectionID
	}
	return 0
}

// unlockAll is RELEASE_ALL_LOCKS: it counts each GET_LOCK that was answered by 1.
func (c *conn) unlockAll() int64 { return c.connector.locks.releaseAll(c) }

func (l *namedLocks) releaseAll(c *conn) (count int64) {
	if !c.locks {
		return 0
	}
	c.locks = false
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, h := range l.held {
		if h.owner == c {
			count += int64(h.count)
			delete(l.held, name)
			close(h.free)
		}
	}
	return count
}
