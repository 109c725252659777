package retry

import (
	"context"
	"time"
)

// Sleep returns after d, or with the context's error as soon as ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() // both may be over, on a busy machine
	case <-ctx.Done():
		return ctx.Err()
	}
}
