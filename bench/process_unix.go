//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// apart makes cmd the head of a group, so that all that it starts can be ended with it.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killAll ends the group that a process heads.
func killAll(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // it may be gone
