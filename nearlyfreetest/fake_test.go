package nearlyfreetest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// fakeT is a test whose failures are looked at: in tests of what fails a test, and in examples, where there is no *testing.T.
type fakeT struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (t *fakeT) Helper() {}

func (t *fakeT) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *fakeT) Errorf(format string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, args...))
}

func (t *fakeT) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

func (t *fakeT) Fatal(args ...any) { t.Fatalf("%s", fmt.Sprint(args...)) }

// run runs a test to its end, and gives how it failed; "" where it did not.
func (t *fakeT) run(f func(testing.TB)) string {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for i := len(t.cleanups) - 1; i >= 0; i-- {
				t.cleanups[i]()
			}
		}()
		f(t)
	}()
	<-done
	return strings.Join(t.failures, "\n")
}

// failure is how a test fails.
func failure(f func(testing.TB)) string { return new(fakeT).run(f) }
