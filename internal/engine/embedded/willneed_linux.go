package embedded

import "syscall"

// willNeed has the system read a part of a memory map. It waits for nothing, and does nothing where the part is no such.
func willNeed(address, octets uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, address, octets, syscall.MADV_WILLNEED)
}
