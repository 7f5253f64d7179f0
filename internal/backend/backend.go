package backend

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
)

// ErrGone is returned by Open for a session that the agent does not have any more.
var ErrGone = errors.New("the agent has no such session")

// A Backend is an agent that can run turns. Its methods are safe for concurrent use.
type Backend interface {
	// Open starts the agent and begins a session of it, or resumes the one that o names. ErrGone, *Error, or the cause of ctx.
	Open(ctx context.Context, o Opening) (Agent, error)
}

// An Opening is what a session of an agent begins with.
type Opening struct {
	Session string // the agent's own id of a session to resume; "": a new one
	Dir     string // where it works, absolute
	Model   string // as the agent names it; "": its default
	Confine sandbox.Policy
	Log     func(text string) // what the agent writes that is no message, a line each; nil: it is dropped
}

// An Agent is a session of an agent, in a process that runs. Its methods are called by one goroutine at a time, but for Close.
type Agent interface {
	// ID is the agent's own id of the session, to resume it by.
	ID() string
	// Info describes the agent.
	Info() Info
	// Turn sends a prompt and yields what comes of it, the last of which is an End, unless there is an error, which ends the
	// agent: *Error, or the cause of ctx. The end of ctx interrupts the turn: the agent has Grace to report its end.
	Turn(ctx context.Context, p Prompt) iter.Seq2[Update, error]
	// Alive reports whether another turn can run.
	Alive() bool
	// Close ends the process and all that it has started. It may be called while a turn runs, which then fails.
	Close()
}

// Info is what an agent says about itself.
type Info struct {
	Program string // its name; "": it does not say
	Version string
	Images  bool // prompts may have images
	Resumes bool // sessions can be resumed
}

// A Prompt is what the user says.
type Prompt struct {
	ID     string
	Blocks []model.Block // texts and images with data
}

// A Code is the kind of an Error.
type Code string

// The codes.
const (
	CodeStart    Code = "start"    // the program was not found, or ended before it could be used
	CodeGone     Code = "gone"     // its process has ended in a turn
	CodeSilent   Code = "silent"   // it has said nothing for too long
	CodeProtocol Code = "protocol" // it speaks another protocol, or another version of it
	CodeRefused  Code = "refused"  // it has refused the request
)

// An Error is a failure of an agent.
type Error struct {
	Backend string // its name in the configuration
	Code    Code
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("back end %s: %s", e.Backend, e.Message) }

// A Verdict is the answer to an Ask.
type Verdict struct {
	Allow  bool
	Reason string // of a denial, for the model; agents that take none get none
	Cancel bool   // the turn is interrupted: the request is withdrawn
}

// A CallRequest is what a call needs, as far as the agent says. Paths are as the agent writes them.
type CallRequest struct {
	Level   approval.Level
	Paths   []string
	Command string // shell text
	Dir     string // where Command runs; "": the folder of the session
	URL     string
	Summary string // one line for the user
}
