package nearlyfree

import "github.com/nearlyfreedb/nearlyfree/internal/exec"

// SetMemoryLimit bounds the bytes that all statements of the process may hold together, over all Connectors, counted as for
// Config.MaxMemory. A statement that needs more fails with ErrMemory; those that run already keep what they hold. 0: no
// bound, as at first. It gives the limit before; a negative one only asks for it.
func SetMemoryLimit(bytes int64) (before int64) {
	if bytes < 0 {
		return exec.Process.Max()
	}
	return exec.Process.SetMax(bytes)
}
