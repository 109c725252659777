//go:build !linux

package embedded

import "os"

func syncData(f *os.File) error { return f.Sync() }
