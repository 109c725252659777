//go:build !race

package testrun

// Race says whether the race detector is on.
const Race = false
