package tool

import (
	"context"
	"fmt"
	"time"

	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/environ"
	"parley.dev/parley/internal/tool/output"
	"parley.dev/parley/internal/tool/shell"
)

// ClientTerminals are the terminals of a session's client. They cannot be confined: a command that must run in a sandbox
// never runs in one of them, nor does one that runs in the background.
type ClientTerminals interface {
	// Create begins a command in a new terminal, and returns when the client has made it. If ctx ends first, Create returns soon,
	// and releases a terminal that the client makes all the same.
	Create(ctx context.Context, c TerminalCommand) (ClientTerminal, error)
}

// A ClientTerminal is a terminal of the client with its one command. Each method but ID is a request to the client, and returns
// soon after ctx has ended. Release is called exactly once, as the last.
type ClientTerminal interface {
	ID() string
	// Wait waits for the end of the command.
	Wait(ctx context.Context) (TerminalExit, error)
	// Output returns what the command has written so far.
	Output(ctx context.Context) (TerminalOutput, error)
	// Kill ends the command; its output can still be read.
	Kill(ctx context.Context) error
	// Release ends the command if it runs, and the use of the terminal. The request is sent even if ctx is about to end.
	Release(ctx context.Context) error
}

// A TerminalCommand is a command for a terminal of the client.
type TerminalCommand struct {
	Program     string // absolute
	Args        []string
	Dir         string   // absolute
	Environ     []string // "NAME=value", added to the environment that the client has
	OutputLimit int      // how much of the end of the output the terminal keeps, in bytes
}

// A TerminalExit is the end of a command.
type TerminalExit struct {
	Code   int    // -1: a signal ended the command, or it is not known
	Signal string // "": none
}

// A TerminalOutput is the output of a command.
type TerminalOutput struct {
	Text      string
	Truncated bool          // Text lacks the beginning
	Exit      *TerminalExit // nil: the command runs, or its end is not known
}

// Limits of terminals. After an interrupt they are clientGrace together.
const (
	maxTerminalOutput = 1 << 20                       // bytes
	terminalRelease   = 500 * time.Millisecond        // for the release, after an interrupt
	terminalStop      = clientGrace - terminalRelease // for everything before it, after an interrupt
	truncatedNote     = "[earlier output is not known: the terminal has kept the last %d bytes]\n"
)

// A terminalRun is one run of a command in a terminal.
type terminalRun struct {
	id          string
	exit        TerminalExit
	interrupted bool // by the end of ctx
	output      TerminalOutput
	problem     error // why the exit or the output is not known; nil: both are
}

// run runs the command to its end. When ctx ends the command is killed; in every case the terminal is released. An
// error means that there was no terminal.
func (c TerminalCommand) run(ctx context.Context, client ClientTerminals, created func(id string)) (terminalRun, error) {
	stopping, cancel := outliving(ctx, terminalStop)
	defer cancel()
	terminal, err := client.Create(stopping, c)
	if err != nil {
		return terminalRun{}, clientError("did not create a terminal", err)
	}
	defer releaseTerminal(ctx, terminal)
	created(terminal.ID())
	run := terminalRun{id: terminal.ID()}
	if run.exit, err = terminal.Wait(ctx); err != nil {
		run.exit, run.interrupted = TerminalExit{Code: -1}, ctx.Err() != nil
		if !run.interrupted {
			run.problem = clientError("did not report the end of the command", err)
		}
		_ = terminal.Kill(stopping) // if it fails, the release ends the command
	}
	if run.output, err = terminal.Output(stopping); err != nil && run.problem == nil {
		run.problem = clientError("did not return the output", err)
	}
	if run.interrupted && run.output.Exit != nil {
		run.exit = *run.output.Exit
	}
	return run, nil
}

func releaseTerminal(ctx context.Context, terminal ClientTerminal) {
	limit := clientGrace
	if ctx.Err() != nil {
		limit = terminalRelease
	}
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	_ = terminal.Release(releasing) // there is nothing else to do with it
}

// runInTerminal runs the command in a terminal of the client: as it is, in the folder of the call. What it leaves, such as
// another folder and variables, is not known afterwards, and the next command begins with what was known before.
func (c *shellCall) runInTerminal(ctx context.Context, hooks Hooks, out *output.Output) (shellRun, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout(), errTimedOut)
	defer cancel()
	command := TerminalCommand{Program: shell.Path(), Args: shell.Args(c.input.Command), Dir: c.dir.Path, OutputLimit: maxTerminalOutput}
	command.Environ = environ.WithGitSettings(nil, gitSettings(hooks.Granted)...)
	ran, err := command.run(ctx, hooks.Terminals, hooks.TerminalCreated)
	if err != nil {
		return shellRun{}, err
	}
	if ran.output.Truncated {
		out.AddNote(fmt.Sprintf(truncatedNote, len(ran.output.Text)))
	}
	_, _ = out.Stdout.Write([]byte(ran.output.Text))
	run := shellRun{
		exit:     sandbox.Exit{Code: ran.exit.Code, Signal: ran.exit.Signal, Interrupted: ran.interrupted},
		timedOut: ran.interrupted && context.Cause(ctx) == errTimedOut,
		terminal: ran.id, cut: ran.output.Truncated,
	}
	if ran.problem != nil {
		run.lost = "[" + ran.problem.Error() + "]"
	}
	return run, nil
}
