//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package embedded

import (
	"os"
	"syscall"
)

// keepsLogs says whether files have logs: whoever makes the changes of one again must have the lock before bbolt reads the file.
const keepsLogs = true

// lock takes the lock that bbolt takes, if nobody has it.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }

// unlock gives up the lock on a file. Closing it would not do: its memory map, which nobody can reach any
// more, keeps the lock.
func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
