package engine_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

func TestSideBySide(t *testing.T) {
	ctx := context.Background()
	for _, parallel := range []int{0, 1, 4, 100} {
		var done [50]atomic.Int32
		var under, most atomic.Int32
		err := engine.SideBySide(ctx, parallel, len(done), func(_ context.Context, i int) error {
			now := under.Add(1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			done[i].Add(1)
			under.Add(-1)
			return nil
		})
		if err != nil || most.Load() > int32(max(parallel, 1)) {
			t.Errorf("%d: %v, %d at once", parallel, err, most.Load())
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d: %d was called %d times", parallel, i, n)
			}
		}
	}
}

// TestSideBySideErrors: of several errors the first is given, and those that wait are ended by it.
func TestSideBySideErrors(t *testing.T) {
	errs := []error{nil, errors.New("one"), errors.New("two"), nil}
	var both sync.WaitGroup
	both.Add(2)
	err := engine.SideBySide(context.Background(), 4, 4, func(ctx context.Context, i int) error {
		if errs[i] == nil {
			<-ctx.Done()
			return ctx.Err()
		}
		both.Done()
		both.Wait()
		return errs[i]
	})
	if err != errs[1] {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = engine.SideBySide(ctx, 2, 100, func(ctx context.Context, i int) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
