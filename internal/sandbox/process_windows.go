package sandbox

import (
	"context"
	"os"
	"time"

	"parley.dev/parley/internal/sandbox/watchdog"
)

// A Process is a started command.
type Process struct {
	spawner *Spawner
	job     *job
	leader  *os.Process
	guard   *watchdog.Command
	output  *output
	done    chan struct{} // closed when every process has ended and exit is set
	exit    Exit
}

// Wait returns when the command and every process that it started have ended, and all its output
// is written. Several goroutines may call it, or none.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// supervise waits for the end of the command, and ends every process that it left.
func (p *Process) supervise(ctx context.Context) {
	defer p.spawner.running.Done()
	defer close(p.done)
	p.awaitLeader(ctx)
	select {
	case <-p.output.done:
	case <-time.After(p.drainDelay()):
	}
	p.job.close()
	p.output.stop()
	killed := p.guard.Err()
	p.guard.Remove()
	if killed != nil && p.exit.Code == killedCode {
		p.exit.Code, p.exit.Killed, p.exit.Interrupted = -1, killed, false
	}
}

// drainDelay returns how long the rest of a command may still write after its end.
func (p *Process) drainDelay() time.Duration {
	if p.exit.Interrupted {
		return 0
	}
	return p.spawner.drainDelay
}

// awaitLeader returns when the leader has ended; it kills the command when ctx ends or the Spawner is closed. Windows has no
// signal that requests the end of a program without a window or a console.
func (p *Process) awaitLeader(ctx context.Context) {
	exited := make(chan *os.ProcessState)
	go func() {
		state, _ := p.leader.Wait() // nil cannot be waited for again
		exited <- state
	}()
	var state *os.ProcessState
	select {
	case state = <-exited:
	case <-ctx.Done():
		p.exit.Interrupted = true
	case <-p.spawner.closing:
		p.exit.Interrupted = true
	}
	if p.exit.Interrupted {
		p.job.kill()
		<-exited
		p.exit.Code = -1
		return
	}
	p.exit.Code = -1
	if state != nil {
		p.exit.Code = state.ExitCode()
	}
}
