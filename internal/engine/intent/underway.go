package intent

import "sync"

// underWay counts what is under way. Unlike with a sync.WaitGroup, the end may be awaited while more begins.
type underWay struct {
	mu   sync.Mutex
	n    int
	done chan struct{} // closed when n is 0; nil: nothing waits
}

func (u *underWay) begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.n++
}

func (u *underWay) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n--; u.n == 0 && u.done != nil {
		close(u.done)
		u.done = nil
	}
}

// none gives a channel that is closed once nothing is under way.
func (u *underWay) none() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n == 0 {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	if u.done == nil {
		u.done = make(chan struct{})
	}
	return u.done
}
