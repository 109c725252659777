package nearlyfree

import "github.com/nearlyfreedb/nearlyfree/internal/exec"

// SetMemoryLimit bounds the bytes that all statements of the process may hold together, over all Connectors, counted as for
// Config.MaxMemory. A statement that needs more fails with ErrMemory; statements that run already keep what they hold. 0: no
// bound, which is the default. It returns the previous limit; a negative argument changes nothing.
func SetMemoryLimit(bytes int64) (before int64) {
	if bytes < 0 {
		return exec.Process.Max()
	}
	return exec.Process.SetMax(bytes)
}
