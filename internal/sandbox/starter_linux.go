package sandbox

import (
	"math"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// A starter starts processes that are killed when this one ends. All are started by one OS
// thread, which runs until close: Linux sends the parent-death signal when the *thread* that
// forked ends, and Go may end threads at any time.
type starter struct {
	once     sync.Once
	requests chan startRequest
	done     chan struct{}
}

type startRequest struct {
	path  string
	args  []string
	attr  *os.ProcAttr
	reply chan<- startReply
}

type startReply struct {
	process *os.Process
	err     error
}

// start is os.StartProcess with the parent-death signal set.
func (s *starter) start(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	s.once.Do(func() {
		s.requests = make(chan startRequest)
		s.done = make(chan struct{})
		go s.run()
	})
	attr.Sys.Pdeathsig = unix.SIGKILL
	reply := make(chan startReply)
	s.requests <- startRequest{path: path, args: args, attr: attr, reply: reply}
	r := <-reply
	return r.process, r.err
}

// run never unlocks its thread, so that the thread ends with it.
func (s *starter) run() {
	defer close(s.done)
	runtime.LockOSThread()
	for r := range s.requests {
		process, err := os.StartProcess(r.path, r.args, r.attr)
		r.reply <- startReply{process, err}
	}
}

// close ends the thread. No process may run any more, and none may be started after it.
func (s *starter) close() {
	s.once.Do(func() {})
	if s.requests != nil {
		close(s.requests)
		<-s.done
	}
}

// setCloseOnExec prevents children from inheriting files that this process has inherited itself.
// Files that Go opened have the flag already. Kernels before 5.11 lack the system call; there such
// files leak.
func setCloseOnExec() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}

// awaitExit returns when p has exited, without reaping it.
func awaitExit(p *os.Process) *os.ProcessState {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return nil
		}
	}
}
