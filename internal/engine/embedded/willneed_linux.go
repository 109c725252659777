package embedded

import "syscall"

// willNeed makes the system read a part of a memory map. It does not wait, and does nothing if the part is not mapped.
func willNeed(address, octets uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, address, octets, syscall.MADV_WILLNEED)
}
