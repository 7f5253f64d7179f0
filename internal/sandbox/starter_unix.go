//go:build unix && !linux

package sandbox

import (
	"os"
	"syscall"
)

// A starter starts processes. Here they have no death signal: only the keeper ends them
// when this process is killed.
type starter struct{}

func (*starter) start(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	return os.StartProcess(path, args, attr)
}

func (*starter) close() {}

// sealFiles keeps files that this process was itself given from its children, as far as
// they have the usual small numbers. All that Go opens is sealed already.
func sealFiles() {
	for fd := 3; fd < 64; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// awaitExit returns when p has exited. There is no portable way to leave it to be reaped;
// its group is then signalled by a number that, for a moment, may belong to nobody.
func awaitExit(p *os.Process) *os.ProcessState {
	state, _ := p.Wait() // nil if somebody else of this program has waited for all children
	return state
}
