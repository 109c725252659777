// Package testrun says how this module's tests run.
package testrun

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
)

// All says whether tests try everything, as .ci/run has them, and not what fits into a minute: the environment's
// NEARLYFREE_TESTS is "all".
func All() bool { return os.Getenv("NEARLYFREE_TESTS") == "all" }

// Of gives how often a test does something: all times where it tries everything, else as often as usual.
func Of[N any](all, usual N) N {
	if All() {
		return all
	}
	return usual
}

// Few gives a number of things to try: n where tests try everything, a third of them usually, and with -short a quarter, which is
// enough under the race detector or over HTTP.
func Few(n int) int {
	if testing.Short() {
		return max(1, n/4)
	}
	return Of(n, max(1, n/3))
}

// Main runs the tests of a package that makes much garbage. Its live heap is small, so that a third of the time would go
// into collecting: it is collected less often, unless the environment's GOGC says how often, as long as it is small. More
// tests than there are cores run side by side, unless -parallel says how many, as some wait.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(1000)
		debug.SetMemoryLimit(1 << 30)
	}
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["test.parallel"] && !given["test.fuzz"] { // which has as many workers
		_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	}
	os.Exit(m.Run())
}
