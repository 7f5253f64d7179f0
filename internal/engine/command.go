package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// commandTail is how much of a command's output is stored as text if MaxBytes is 0, in bytes.
const commandTail = 50 << 10

// A UserCommand is shell text that a user runs.
type UserCommand struct {
	ID       event.CommandID // of StartCommand: the client's own
	Line     string
	Hidden   bool              // it is not part of requests
	Limit    time.Duration     // how long it may take; 0: any time
	Output   func(text string) // shows live output, valid UTF-8; nil: it is not shown
	MaxBytes int               // of its output, the last ones, that are kept as text; 0: 50 KiB
	// Unconfined has it run as the person, without the session's sandbox.
	Unconfined bool
}

// A userRun is the command of a user that runs now.
type userRun struct {
	id     event.CommandID // "": nothing is recorded before its end
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when it is over, and recorded or kept back
	alone  bool          // no turn ran when it began, whose tools change files, too
}

// RunCommand runs a shell command of a user, also while a turn runs, and returns when
// nothing of it is left. It runs in a shell of its own, which begins in the session's folder
// and keeps folder and variables from one command to the next. It is confined as commands of
// tools are. When ctx ends, or the session is closed, it is cancelled, which is no error.
//
// It is recorded at once when the session is idle here and elsewhere, else just before the next prompt. The
// errors are ErrCommandRunning, ErrNoFolder, ErrClosed, or what kept it from running.
func (s *Session) RunCommand(ctx context.Context, c UserCommand) (event.CommandRan, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	run, env, err := s.beginCommand(cancel)
	if err != nil {
		return event.CommandRan{}, err
	}
	return s.execute(ctx, run, env, c)
}

// execute runs a command that was begun, and records it.
func (s *Session) execute(ctx context.Context, run *userRun, env *tool.Env, c UserCommand) (event.CommandRan, error) {
	command := tool.UserCommand{
		Line: c.Line, Limit: c.Limit, Output: c.Output, MaxBytes: cmp.Or(c.MaxBytes, commandTail), Sandbox: s.sandbox(env),
	}
	if c.Unconfined {
		command.Sandbox = approval.Sandbox{Kind: approval.SandboxNone}
	}
	if run.alone {
		command.Keep = s.log.Keep
	}
	var done tool.UserResult
	err := s.mayCall(ctx)
	switch {
	case err == nil:
		done, err = tool.RunCommand(ctx, env, command)
	case ctx.Err() != nil:
		done.Ran, err = notStarted(c.Line, err), nil
		done.Ran.Cancelled = true
	}
	writable := s.lockToRecord()
	defer s.unlock()
	defer close(run.done)
	if done.Ran.Cut && writable {
		_, err := s.create()
		writable = err == nil
	}
	s.shell.running = nil
	ran := done.Ran
	if run.id != "" {
		s.lease.claims--
		s.setBusy()
		if err != nil {
			ran, err = notStarted(c.Line, err), nil
		}
	}
	if err != nil {
		return event.CommandRan{}, err
	}
	ran.ID, ran.Hidden = run.id, c.Hidden
	if ran.Cut && writable && s.log.Flush() == nil { // the rest needs the journal's folder
		ran.Shell.FullBlob = s.log.StoreOutput(done.Full)
	}
	s.shell.ran = append(s.shell.ran, ran)
	if s.slot == nil && writable {
		s.recordCommands()
	}
	return ran, nil
}

// lockToRecord is lockToWrite for what can be recorded later as well: false, the session's
// lock is held without the lease. A session that is being closed may still get that.
func (s *Session) lockToRecord() (writable bool) {
	err := s.lockToWrite()
	if err != nil {
		s.mu.Lock()
	}
	if errors.Is(err, ErrClosed) {
		err = s.acquire()
	}
	return err == nil
}

// RecordCommand records a command of a user that something else has run, as RunCommand would.
// ErrClosed.
func (s *Session) RecordCommand(ran event.CommandRan) error {
	writable := s.lockToRecord()
	defer s.unlock()
	if s.ended != "" {
		return ErrClosed
	}
	s.shell.ran = append(s.shell.ran, ran)
	if s.slot == nil && writable {
		s.recordCommands()
	}
	return nil
}

// beginCommand returns what a command runs in: the session's surroundings, with a shell that
// only users use.
func (s *Session) beginCommand(cancel context.CancelCauseFunc) (*userRun, *tool.Env, error) {
	s.mu.Lock()
	defer s.unlock()
	return s.claimShell("", cancel)
}

// claimShell is beginCommand for a caller that has the session's lock.
func (s *Session) claimShell(id event.CommandID, cancel context.CancelCauseFunc) (*userRun, *tool.Env, error) {
	if err := s.shellRefusal(); err != nil {
		return nil, nil, err
	}
	_ = s.acquire() // so that other processes wait; without the lease the command is recorded later
	if err := s.shellRefusal(); err != nil {
		return nil, nil, err
	}
	if s.slot == nil {
		if err := s.enterDir(); err != nil {
			return nil, nil, err
		}
	}
	if s.work.env == nil {
		return nil, nil, ErrNoFolder
	}
	env := *s.work.env
	env.Shell = s.shell.state
	s.shell.running = &userRun{id: id, cancel: cancel, done: make(chan struct{}), alone: s.slot == nil}
	return s.shell.running, &env, nil
}

// shellRefusal returns why no command of a user can begin; nil: one can.
func (s *Session) shellRefusal() error {
	switch {
	case s.ended != "":
		return ErrClosed
	case s.shell.running != nil:
		return ErrCommandRunning
	}
	return nil
}

// sandbox returns what holds for commands in env. Where nothing can be confined they run as they are.
func (s *Session) sandbox(env *tool.Env) approval.Sandbox {
	can := env.Confines() // it may have to be tried out: not under the lock
	s.mu.Lock()
	defer s.mu.Unlock()
	if !can || !s.confines() {
		return approval.Sandbox{Kind: approval.SandboxNone}
	}
	return s.withRoots(s.fold.State.Settings.Sandbox)
}

// stopCommand cancels the command of a user that runs, and waits for its end, or for ctx.
func (s *Session) stopCommand(ctx context.Context) error {
	s.mu.Lock()
	run := s.shell.running
	s.mu.Unlock()
	if run == nil {
		return nil
	}
	run.cancel(ErrClosed)
	select {
	case <-run.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notStarted returns the end of a command that could not be run.
func notStarted(line string, err error) event.CommandRan {
	text := err.Error()
	return event.CommandRan{Shell: event.ShellRun{Command: line, ExitCode: -1}, Output: text, Lines: 1, Bytes: int64(len(text))}
}
