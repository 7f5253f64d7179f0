//go:build unix

package conform

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command start in a group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills what is in the group of a command.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may be empty
	}
}
