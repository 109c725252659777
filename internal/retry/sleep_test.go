package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestSleep(t *testing.T) {
	for _, test := range []struct{ sleep, timeout, want time.Duration }{
		{time.Hour, 2 * time.Hour, time.Hour},
		{2 * time.Hour, time.Hour, time.Hour},
		{0, time.Hour, 0},
		{-time.Second, time.Hour, 0},
		{time.Hour, 0, 0},
		{0, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
			defer cancel()
			start := time.Now()
			err := Sleep(ctx, test.sleep)
			if ended := test.timeout == 0 || test.sleep > test.timeout; ended != errors.Is(err, context.DeadlineExceeded) || !ended && err != nil {
				t.Errorf("Sleep(%v) within %v: %v", test.sleep, test.timeout, err)
			}
			if took := time.Since(start); took != test.want {
				t.Errorf("Sleep(%v) within %v took %v, want %v", test.sleep, test.timeout, took, test.want)
			}
		})
	}
}
