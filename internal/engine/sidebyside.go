package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// SideBySide calls do for 0 ≤ i < n, at most parallel at once. After an error it begins no further call, and cancels the context of those under
// way. Of several errors it returns the one with the lowest i, but none caused by this cancelling.
func SideBySide(ctx context.Context, parallel, n int, do func(ctx context.Context, i int) error) error {
	workers := min(n, parallel)
	if workers <= 1 {
		for i := range n {
			if err := do(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu        sync.Mutex
		wg        sync.WaitGroup
		next      int
		failed    error
		at        int // the index that failed belongs to
		cancelled error
	)
	for range workers {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n || inner.Err() != nil {
					return
				}
				err := do(inner, i)
				if err == nil {
					continue
				}
				mu.Lock()
				switch {
				case errors.Is(err, context.Canceled): // most likely because of another one's error
					cancelled = err
				case failed == nil || i < at:
					failed, at = err, i
				}
				mu.Unlock()
				cancel()
			}
		})
	}
	wg.Wait()
	switch {
	case failed != nil:
		return failed
	case cancelled != nil:
		return cancelled
	}
	return ctx.Err()
}

// UntilStopped calls do for 0 ≤ i < n, at most parallel at once, until a call says stop. Calls under way are not cancelled but waited for, since
// the caller must know what they did.
func UntilStopped(parallel, n int, do func(i int) (stop bool)) {
	var (
		wg      sync.WaitGroup
		next    atomic.Int64
		stopped atomic.Bool
	)
	for range min(n, parallel) {
		wg.Go(func() {
			for !stopped.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if do(i) {
					stopped.Store(true)
				}
			}
		})
	}
	wg.Wait()
}
