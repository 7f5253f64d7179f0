package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/output"
	"parley.dev/parley/internal/tool/shell"
)

// A UserCommand is shell text that a user runs, outside of any call.
type UserCommand struct {
	Line     string
	Limit    time.Duration     // how long it may take; 0: any time
	Output   func(text string) // shows live output, valid UTF-8; nil: it is not shown
	MaxBytes int               // of its output, the last ones, that are kept as text
	Sandbox  approval.Sandbox  // what it may touch
	// Keep stores the content of a file that the command changed, and returns its address, see [Hooks]; nil: what it
	// changes is not found out.
	Keep func(data []byte) (address string)
}

// A UserResult is the result of a UserCommand.
type UserResult struct {
	Ran  event.CommandRan // but for Hidden and Shell.FullBlob
	Full []byte           // the whole output where Ran.Output is cut, up to MaxFull; else nil
}

// RunCommand runs a command of a user to its end, in the folder and with the variables
// that the last one left in env.Shell. It returns when nothing of it is left. When ctx ends it is
// cancelled, which is no error: an error means that it could not run.
func RunCommand(ctx context.Context, env *Env, c UserCommand) (UserResult, error) {
	if strings.ContainsRune(c.Line, 0) {
		return UserResult{}, errNUL
	}
	confine, err := env.policy(c.Sandbox)
	if err != nil {
		return UserResult{}, fmt.Errorf("the command could not be run: %w", err)
	}
	if c.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Limit, errTimedOut)
		defer cancel()
	}
	if c.Output == nil {
		c.Output = func(string) {}
	}
	out := output.New(c.Output, false, MaxFull)
	files := fileWatch{env: env}
	if c.Keep != nil {
		files = env.watchFiles(ctx, c.Sandbox)
	}
	start := time.Now()
	dir := cmp.Or(env.Shell.Dir(), env.Workspace.Dir())
	exit, _, err := env.run(ctx, shell.Text{Text: c.Line, Dir: dir, Confine: confine, Stdout: out.Stdout, Stderr: out.Stderr})
	if exit.Killed != nil {
		out.AddNote("[killed: " + exit.Killed.Error() + "]\n")
	}
	out.End()
	if err != nil {
		if ctx.Err() == nil {
			return UserResult{}, fmt.Errorf("the command could not be run: %w", err)
		}
		exit.Code, exit.Interrupted = -1, true
	}
	r := personResult(out.Stdout, c.MaxBytes)
	r.Ran.Ran = event.Duration(time.Since(start))
	r.Ran.Shell.Changes, r.Ran.Shell.Tracked = files.end(ctx, c.Keep)
	r.Ran.Shell.Command, r.Ran.Shell.Dir = c.Line, dir
	r.Ran.Shell.ExitCode, r.Ran.Shell.Signal = exit.Code, exit.Signal
	r.Ran.Shell.TimedOut = exit.Interrupted && errors.Is(context.Cause(ctx), errTimedOut)
	r.Ran.Cancelled = exit.Interrupted && !r.Ran.Shell.TimedOut
	return r, nil
}

// personResult returns what was written: its end, and how much there was.
func personResult(s *output.Stream, most int) UserResult {
	if s.Binary() {
		text, _ := s.Cut(most)
		return UserResult{Ran: event.CommandRan{Output: string(text), Bytes: int64(len(text)), Lines: 2}}
	}
	tail := s.Tail(most)
	r := UserResult{Ran: event.CommandRan{Output: string(tail), Bytes: s.Bytes(), Lines: s.Lines()}}
	if r.Ran.Shell.Omitted = s.Bytes() - int64(len(tail)); r.Ran.Shell.Omitted > 0 {
		r.Ran.Cut = true
		r.Full, _ = s.Cut(MaxFull)
	}
	return r
}
