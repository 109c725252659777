package nearlyfree

import (
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

// lock is GET_LOCK(name, seconds); negative seconds wait for ever.
func (c *conn) lock(name string, seconds float64) (bool, error) {
	l := &c.connector.locks
	deadline := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	for {
		l.mu.Lock()
		if l.held == nil {
			l.held = map[string]*heldLock{}
		}
		h := l.held[name]
		if h == nil {
			l.held[name] = &heldLock{owner: c, count: 1, free: make(chan struct{})}
			l.mu.Unlock()
			return true, nil
		}
		if h.owner == c {
			h.count++
			l.mu.Unlock()
			return true, nil
		}
		l.mu.Unlock()
		if seconds < 0 {
			<-h.free
			continue
		}
		t := time.NewTimer(time.Until(deadline))
		select {
		case <-h.free:
			t.Stop()
		case <-t.C:
			return false, nil
		}
	}
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

func (l *namedLocks) releaseAll(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, h := range l.held {
		if h.owner == c {
			delete(l.held, name)
			close(h.free)
		}
	}
}
