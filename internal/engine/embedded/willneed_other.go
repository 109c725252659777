//go:build !linux

package embedded

func willNeed(_, _ uintptr) {}
