package link

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// processOf returns how a process of the console is started: Ctrl-C is for the console. When the console is killed, the end of its
// input ends the process.
func processOf() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}
