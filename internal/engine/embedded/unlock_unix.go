//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package embedded

import (
	"os"
	"syscall"
)

// unlock gives up the lock on a file. Closing it would not do: its memory map, which nobody can reach any
// more, keeps the lock.
func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
