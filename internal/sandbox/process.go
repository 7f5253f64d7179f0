//go:build unix

package sandbox

import (
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// linger is how long output of the rest of a command's group is still waited for when its
// leader has ended by itself: `> >(tee log)` needs a moment. Commands that leave nothing
// behind do not wait.
const linger = 250 * time.Millisecond

// A Process is a started command.
type Process struct {
	spawner *Spawner
	launch  *launch
	leader  *os.Process
	mark    []byte
	output  *output
	state   *os.ProcessState // of the leader, once it is reaped
	done    chan struct{}    // closed when all is over and exit is set
	exit    Exit
}

// Wait returns when the command and all that it started are gone, and all its output is
// written. Several goroutines may call it, or none.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// begin returns once the command itself runs. If it cannot, nothing is left of it. What
// keeps it from beginning ends with ctx and the Spawner: it is then interrupted.
func (p *Process) begin(ctx context.Context) error {
	if p.launch.begun == nil {
		return nil
	}
	begun, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-begun:
			return
		case <-ctx.Done():
		case <-p.spawner.closing:
		}
		p.signalGroup(unix.SIGKILL)
	}()
	err := p.launch.begun()
	close(begun)
	<-watched
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	_ = awaitExit(p.leader)
	p.spawner.keeper.forget(p.leader.Pid)
	_, _ = p.leader.Wait()
	p.output.abandon()
	p.launch.end()
	return err
}

// supervise sees the command to its end. The leader is reaped last: until then its
// number, which is also the group's, cannot be given to somebody else.
func (p *Process) supervise(ctx context.Context) {
	defer p.spawner.running.Done()
	defer close(p.done)
	patience := p.awaitLeader(ctx)
	select {
	case <-p.output.ended:
	case <-patience:
	}
	p.signalGroup(unix.SIGKILL)
	if p.exit.Interrupted {
		killStrays(p.mark, everywhere)
	} else {
		killStrays(p.mark, behind(p.leader.Pid))
	}
	p.output.stop()
	p.launch.end()
	p.spawner.keeper.forget(p.leader.Pid)
	p.reap()
}

// awaitLeader returns when the leader has exited, interrupting it if need be. What is left
// of the command may still write until patience fires.
func (p *Process) awaitLeader(ctx context.Context) (patience <-chan time.Time) {
	exited := make(chan struct{})
	go func() {
		p.state = awaitExit(p.leader)
		close(exited)
	}()
	select {
	case <-exited:
		return time.After(p.spawner.linger)
	case <-ctx.Done():
	case <-p.spawner.closing:
	}
	p.exit.Interrupted = true
	patience = time.After(p.spawner.options.Grace)
	p.terminateGroup()
	signalStrays(p.mark, p.leader.Pid, unix.SIGTERM)
	select {
	case <-exited:
		return patience
	case <-patience:
	}
	p.signalGroup(unix.SIGKILL)
	<-exited
	return time.After(0)
}

// terminateGroup asks the command to end. A leader that only waits for the command is not
// asked: its death would be the command's, at once.
func (p *Process) terminateGroup() {
	if p.launch.monitored {
		signalMembers(p.leader.Pid, unix.SIGTERM)
		return
	}
	p.signalGroup(unix.SIGTERM)
}

// signalGroup signals the command's group. The only failure is that nobody is left in it.
func (p *Process) signalGroup(sig syscall.Signal) {
	_ = unix.Kill(-p.leader.Pid, sig)
}

// reap takes the exited leader out of the process table and notes how it ended.
func (p *Process) reap() {
	if p.state == nil {
		p.state, _ = p.leader.Wait()
	}
	p.exit.Code = -1
	if p.state == nil { // somebody else of this program has waited for all children
		return
	}
	status := p.state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		p.exit.Signal = unix.SignalName(status.Signal())
		return
	}
	p.exit.Code = status.ExitStatus()
}
