package mariadb

import (
	"os/exec"
	"runtime"
	"syscall"
)

// diesWithUs ends a program that is started next with this process, however that ends. The kernel goes by the thread.
func diesWithUs(c *exec.Cmd) {
	runtime.LockOSThread()
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
