//go:build !linux && !windows

package link

import "syscall"

// processOf returns how a process of the console is started: the terminal's signals are for the console. When the console
// is killed, the end of its input ends the process.
func processOf() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
