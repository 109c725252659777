package catalog

import "context"

// lock is a mutex that may be held over requests: who waits for it listens to a context meanwhile.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

// take gives what releases the lock.
func (l lock) take(ctx context.Context) (release func(), err error) {
	select {
	case l <- struct{}{}:
		return l.release, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l lock) release() { <-l }
