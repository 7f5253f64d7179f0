package sandbox

import (
	"math"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// A starter starts processes that die with this one. They all come from one OS thread,
// which lives until close: Linux sends a death signal when the *thread* that forked ends,
// and Go ends threads as it likes.
type starter struct {
	once     sync.Once
	requests chan startRequest
	ended    chan struct{}
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

// start is os.StartProcess with the death signal set.
func (s *starter) start(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	s.once.Do(func() {
		s.requests = make(chan startRequest)
		s.ended = make(chan struct{})
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
	defer close(s.ended)
	runtime.LockOSThread()
	for r := range s.requests {
		process, err := os.StartProcess(r.path, r.args, r.attr)
		r.reply <- startReply{process, err}
	}
}

// close ends the thread; nothing may run any more, and nothing be started.
func (s *starter) close() {
	s.once.Do(func() {})
	if s.requests != nil {
		close(s.requests)
		<-s.ended
	}
}

// sealFiles keeps files that this process was itself given from its children. All that Go
// opens is sealed already. Kernels before 5.11 cannot do it; there such files leak.
func sealFiles() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}

// awaitExit returns when p has exited, and leaves it to be reaped.
func awaitExit(p *os.Process) *os.ProcessState {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return nil
		}
	}
}
