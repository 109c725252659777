package catalog

import "context"

// lock is a mutex that may be held during requests: waiting for it ends with a context.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

// take takes the lock and gives the function that releases it.
func (l lock) take(ctx context.Context) (release func(), err error) {
	select {
	case l <- struct{}{}:
		return l.release, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l lock) release() { <-l }
