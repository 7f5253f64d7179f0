package link

import "syscall"

// processOf returns how a process of the console is started: the terminal's signals are for the console, and the process
// is interrupted when the console is killed.
func processOf() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
