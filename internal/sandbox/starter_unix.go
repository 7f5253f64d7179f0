//go:build unix && !linux

package sandbox

import (
	"os"
	"syscall"
)

// A starter starts processes. This system has no parent-death signal: only the reaper ends them
// when this process is killed.
type starter struct{}

func (*starter) start(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	return os.StartProcess(path, args, attr)
}

func (*starter) close() {}

// setCloseOnExec prevents children from inheriting files that this process has inherited itself,
// if they have the usual small numbers. Files that Go opened have the flag already.
func setCloseOnExec() {
	for fd := 3; fd < 64; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// awaitExit returns when p has exited. There is no portable way to wait without reaping;
// its group is then signalled by a number that, for a moment, may be unused.
func awaitExit(p *os.Process) *os.ProcessState {
	state, _ := p.Wait() // nil if another part of this program has waited for all children
	return state
}
