package tool

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/sandbox"
)

// A Program is a program that a client runs, outside of any session: it is not recorded, and no model learns of it.
type Program struct {
	Args    []string          // its name on PATH or absolute path, and its arguments
	Unset   []string          // variables that are removed from the environment
	Set     map[string]string // variables that are added to it
	Sandbox approval.Sandbox  // what it may touch
	Limit   time.Duration     // how long it may run; 0: any time
	Most    int64             // bytes of each stream that are returned or streamed, the first ones; 0: all
	Stdin   bool              // Write writes its input; else that is empty
	// Output receives the output while the program runs; nil: Wait returns it. The calls for a stream are in order. Capped is true
	// once, in the last call for a stream of which there was more than Most.
	Output func(stream Stream, data []byte, capped bool)
}

// A Stream is an output of a program.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// A ProgramResult is the result of a Program.
type ProgramResult struct {
	Exit           sandbox.Exit
	TimedOut       bool   // Limit ended it
	Stdout, Stderr []byte // of a Program without Output
}

// A RunningProgram is a Program that was started. It is safe for use by several goroutines.
type RunningProgram struct {
	done   chan struct{} // closed when result is set
	result ProgramResult
	cancel context.CancelCauseFunc

	writing sync.Mutex // held while something is written to stdin
	stdin   *os.File   // nil: the input is empty
}

// The errors of programs.
var (
	ErrNoStdin    = errors.New("the program was started without an input that can be written to")
	ErrStdinEnded = errors.New("the input of the program is closed")
	errStopped    = errors.New("the program was stopped")
)

// StartProgram starts a program in the workspace of env. It ends, with everything that it started, when ctx ends.
func StartProgram(ctx context.Context, env *Env, p Program) (*RunningProgram, error) {
	if len(p.Args) == 0 || p.Args[0] == "" {
		return nil, errors.New("there is no program to run")
	}
	confine, err := env.policy(p.Sandbox)
	if err != nil {
		return nil, err
	}
	environ := sandbox.WithVariables(p.withoutUnset(env.environ(confine)), p.Set)
	path, err := sandbox.LookPath(p.Args[0], sandbox.Variable(environ, "PATH"))
	if err != nil {
		return nil, err
	}
	r := &RunningProgram{done: make(chan struct{})}
	command := sandbox.Command{Path: path, Args: p.Args[1:], Dir: env.Workspace.Dir(), Env: environ, Confine: confine}
	stdout, stderr := newProgramOutput(p, Stdout), newProgramOutput(p, Stderr)
	command.Stdout, command.Stderr = stdout, stderr
	if p.Stdin {
		if command.Stdin, r.stdin, err = os.Pipe(); err != nil {
			return nil, err
		}
		defer command.Stdin.Close()
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	release := func() { r.cancel(nil) }
	if p.Limit > 0 {
		var stopClock context.CancelFunc
		ctx, stopClock = context.WithTimeoutCause(ctx, p.Limit, errTimedOut)
		release = func() { stopClock(); r.cancel(nil) }
	}
	process, err := env.Spawner.Start(ctx, command)
	if err != nil {
		release()
		r.closeStdin()
		return nil, err
	}
	go func() { // Wait and Stop wait for its end
		defer close(r.done)
		defer release()
		exit := process.Wait()
		r.closeStdin()
		r.result = ProgramResult{
			Exit: exit, TimedOut: exit.Interrupted && context.Cause(ctx) == errTimedOut, Stdout: stdout.text, Stderr: stderr.text,
		}
	}()
	return r, nil
}

// withoutUnset returns an environment without the variables of Unset.
func (p Program) withoutUnset(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(p.Unset, name)
	})
}

// Wait returns when the program and everything that it started have ended.
func (r *RunningProgram) Wait() ProgramResult {
	<-r.done
	return r.result
}

// ended reports whether Wait returns at once.
func (r *RunningProgram) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Stop ends the program, and returns before it has ended.
func (r *RunningProgram) Stop() { r.cancel(errStopped) }

// Write writes data to the input of the program, and then closes it if end is set. It waits until the program has read, ctx ends or
// the program ends.
func (r *RunningProgram) Write(ctx context.Context, data []byte, end bool) error {
	if r.stdin == nil {
		return ErrNoStdin
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	_ = r.stdin.SetWriteDeadline(time.Time{})                                                // that of a call whose ctx has ended
	stop := context.AfterFunc(ctx, func() { _ = r.stdin.SetWriteDeadline(time.Unix(1, 0)) }) // a closed one fails below
	_, err := r.stdin.Write(data)
	if !stop() && err != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return ErrStdinEnded
	}
	if end {
		r.closeStdin()
	}
	return nil
}

// closeStdin closes the input. A Write that waits fails.
func (r *RunningProgram) closeStdin() {
	if r.stdin != nil {
		_ = r.stdin.Close() // twice is no harm
	}
}

// A programOutput is a stream of a program. One goroutine writes it.
type programOutput struct {
	stream Stream
	show   func(Stream, []byte, bool)
	most   int64 // 0: all
	got    int64
	text   []byte // without show
}

func newProgramOutput(p Program, stream Stream) *programOutput {
	return &programOutput{stream: stream, show: p.Output, most: p.Most}
}

// Write shows or stores what there is room for. It takes everything, for a program must not stop.
func (o *programOutput) Write(data []byte) (int, error) {
	n, before := len(data), o.got
	o.got += int64(n)
	capped := false
	if o.most > 0 && o.got > o.most {
		if before > o.most {
			return n, nil // it was reported
		}
		data, capped = data[:o.most-before], true
	}
	if o.show != nil {
		o.show(o.stream, data, capped)
		return n, nil
	}
	o.text = append(o.text, data...)
	return n, nil
}
