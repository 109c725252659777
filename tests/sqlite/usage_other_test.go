//go:build !unix

package sqlite

import "time"

var started = time.Now()

// processorTime is the time of day where the system is not asked for the other.
func processorTime() time.Duration { return time.Since(started) }
