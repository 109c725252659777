package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errRace = errors.New("somebody was faster")

// again tries until the policy says that it is enough, or the last of so many tries (0: none).
func again(ctx context.Context, p Policy, last int, work func(context.Context) error) error {
	tries := Begin(ctx, p)
	for {
		err := work(tries.Context)
		if tries.Try == last {
			return err
		}
		if err := tries.Again(err); err != nil {
			return err
		}
	}
}

func endless(ctx context.Context, p Policy, work func(context.Context) error) error {
	return again(ctx, p, 0, work)
}

// TestNested: loops within loops do not multiply their tries, nor their time.
func TestNested(t *testing.T) {
	type nested struct {
		Policy
		last int // the try that succeeds, for the loop around to fail then; 0: none
	}
	for _, c := range []struct {
		name   string
		each   time.Duration // that a try takes
		loops  []nested      // from the inside
		tries  int
		atMost time.Duration
	}{
		{"one", 0, []nested{{Race, 0}}, Race.Tries, 2 * time.Second},
		{"planned anew", 0, []nested{{Outdated, 0}}, Outdated.Tries, 0},
		{"given up", 0, []nested{{Race, 0}, {Race, 0}, {Outdated, 0}}, Race.Tries, 2 * time.Second},
		{"two", 0, []nested{{Race, 11}, {Outdated, 0}}, 1 + MaxAgain, 4 * time.Second},
		{"four", 0, []nested{{Race, 3}, {Clear, 4}, {Race, 11}, {Outdated, 0}}, 1 + MaxAgain, 4 * time.Second},
		{"slow", 10 * time.Second, []nested{{Race, 0}}, 7, 80 * time.Second},
		{"very slow", time.Hour, []nested{{Race, 0}}, 1 + MinAgain, 4*time.Hour + time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				work := func(context.Context) error {
					tries++
					time.Sleep(c.each)
					return errRace
				}
				for _, l := range c.loops {
					inner := work
					work = func(ctx context.Context) error { return again(ctx, l.Policy, l.last, inner) }
				}
				began := time.Now()
				err := work(t.Context())
				if took := time.Since(began); tries != c.tries || took > c.atMost {
					t.Errorf("%d tries in %v, want %d in at most %v", tries, took, c.tries, c.atMost)
				}
				var conflict *ConflictError
				if races := c.loops[0].Policy == Race; !errors.Is(err, errRace) || errors.As(err, &conflict) != races || races && conflict.Tries > c.tries {
					t.Errorf("%#v", err)
				}
			})
		})
	}
}

// TestProgress: what was done for good does not count against what comes after it.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const windows = 100
		ctx, done := Statement(t.Context()), 0
		tries := Begin(ctx, Race)
		for n := 0; done < windows; n++ {
			if n%Race.Tries == Race.Tries-1 {
				done++
				tries.Progress()
			} else if err := tries.Again(errRace); err != nil {
				t.Fatalf("after %d windows: %v", done, err)
			}
		}
		if err := endless(ctx, Race, func(context.Context) error { return errRace }); err.(*ConflictError).Tries != Race.Tries {
			t.Error(err)
		}
	})
}

// TestAgainEnds: no pause outlives the context.
func TestAgainEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		began := time.Now()
		err := endless(ctx, Race, func(context.Context) error { return errRace })
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != 20*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestPause(t *testing.T) {
	for _, c := range []struct {
		policy  Policy
		try     int
		longest time.Duration
	}{
		{Race, 1, 2 * time.Millisecond}, {Race, 3, 8 * time.Millisecond}, {Race, 8, 256 * time.Millisecond}, {Race, 1000, 256 * time.Millisecond},
		{Request, 1, 100 * time.Millisecond}, {Request, 6, 3200 * time.Millisecond}, {Request, 20, 30 * time.Second}, {Outdated, 3, 0},
		{Policy{First: time.Minute, Longest: time.Second}, 1, time.Second},
	} {
		for range 100 {
			if got := c.policy.Pause(c.try); got > c.longest || got < c.longest/2 {
				t.Errorf("%+v: pause %d is %v, want %v less up to a half", c.policy, c.try, got, c.longest)
			}
		}
	}
}
