//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package embedded

import (
	"os"
	"syscall"
)

// keepsLogs says whether files have logs: a process that repeats the changes of a log must have the lock before bbolt reads the file.
const keepsLogs = true

// lock takes the lock that bbolt takes, if it is free.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }

// unlock gives up the lock on a file. Closing the file would not do: its memory map, which can no longer be reached, keeps the lock.
func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
