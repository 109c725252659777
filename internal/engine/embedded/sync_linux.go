package embedded

import (
	"os"
	"syscall"
)

// syncData makes sure that what was written to a file is on disk.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
