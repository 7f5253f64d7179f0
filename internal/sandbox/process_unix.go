//go:build unix

package sandbox

import (
	"cmp"
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/sandbox/watchdog"
)

// A Process is a started command.
type Process struct {
	spawner *Spawner
	launch  *launch
	leader  *os.Process
	guard   *watchdog.Command
	mark    []byte
	output  *output
	state   *os.ProcessState // of the leader, once it is reaped
	done    chan struct{}    // closed when every process has ended and exit is set
	exit    Exit
}

// Wait returns when the command and every process that it started have ended, and all its output
// is written. Several goroutines may call it, or none.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// awaitStart waits until the command itself runs. It returns an error if the command cannot run;
// then no process of it is left. When ctx ends or the Spawner is closed, the launch is killed.
func (p *Process) awaitStart(ctx context.Context) error {
	if p.launch.awaitExec == nil {
		return nil
	}
	started, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-started:
			return
		case <-ctx.Done():
		case <-p.spawner.closing:
		}
		p.signalGroup(unix.SIGKILL)
	}()
	err := p.launch.awaitExec()
	close(started)
	<-watched
	if err == nil {
		return nil
	}
	if cause := cmp.Or(p.guard.Err(), context.Cause(ctx)); cause != nil {
		err = cause
	}
	_ = awaitExit(p.leader)
	p.guard.Remove()
	p.spawner.reaper.remove(p.leader.Pid)
	_, _ = p.leader.Wait()
	p.output.abandon()
	p.launch.release()
	return err
}

// supervise waits for the end of the command and of every process that it left. The leader is
// reaped last: until then its number, which is also the group's, cannot be used for another process.
func (p *Process) supervise(ctx context.Context) {
	defer p.spawner.running.Done()
	defer close(p.done)
	outputDeadline := p.awaitLeader(ctx)
	select {
	case <-p.output.done:
	case <-outputDeadline:
	}
	if !p.exit.Interrupted {
		p.exit.Left = leftPrograms(p.mark, p.leader.Pid)
	}
	p.signalGroup(unix.SIGKILL)
	if p.exit.Interrupted {
		killOrphans(p.mark, allProcesses)
	} else {
		killOrphans(p.mark, startedAfter(p.leader.Pid))
	}
	p.output.stop()
	p.launch.release()
	killed := p.guard.Err()
	p.guard.Remove()
	p.spawner.reaper.remove(p.leader.Pid)
	p.reap()
	if killed != nil && p.exit.Signal == "SIGKILL" {
		p.exit.Killed, p.exit.Interrupted = killed, false
	}
}

// awaitLeader returns when the leader has exited; it interrupts the command when ctx ends or the
// Spawner is closed. The rest of the command may still write until outputDeadline fires.
func (p *Process) awaitLeader(ctx context.Context) (outputDeadline <-chan time.Time) {
	exited := make(chan struct{})
	go func() {
		p.state = awaitExit(p.leader)
		close(exited)
	}()
	select {
	case <-exited:
		return time.After(p.spawner.drainDelay)
	case <-ctx.Done():
	case <-p.spawner.closing:
	}
	p.exit.Interrupted = true
	outputDeadline = time.After(p.spawner.options.Grace)
	p.terminateGroup()
	signalOrphans(p.mark, p.leader.Pid, unix.SIGTERM)
	select {
	case <-exited:
		return outputDeadline
	case <-outputDeadline:
	}
	p.signalGroup(unix.SIGKILL)
	<-exited
	return time.After(0)
}

// terminateGroup sends SIGTERM to the command. A leader that only waits for the command does not
// receive it: when it ends, the kernel kills the command at once.
func (p *Process) terminateGroup() {
	if p.launch.hasMonitor {
		signalMembers(p.leader.Pid, unix.SIGTERM)
		return
	}
	p.signalGroup(unix.SIGTERM)
}

// signalGroup signals the command's group. It fails only if the group has no process left.
func (p *Process) signalGroup(sig syscall.Signal) {
	_ = unix.Kill(-p.leader.Pid, sig)
}

// reap removes the exited leader from the process table and sets p.exit.
func (p *Process) reap() {
	if p.state == nil {
		p.state, _ = p.leader.Wait()
	}
	p.exit.Code = -1
	if p.state == nil { // another part of this program has waited for all children
		return
	}
	status := p.state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		p.exit.Signal = unix.SignalName(status.Signal())
		return
	}
	p.exit.Code = status.ExitStatus()
}
