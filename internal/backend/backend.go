package backend

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
)

var (
	// ErrGone is returned by Open for a session that the agent does not have any more.
	ErrGone = errors.New("the agent has no such session")
	// ErrUnsupported is returned for what the agent cannot do.
	ErrUnsupported = errors.New("the agent cannot do that")
)

// A Backend is an agent that can run turns. Its methods are safe for concurrent use.
type Backend interface {
	// Open starts the agent and begins a session of it, or resumes the one that o names. ErrGone, *Error, or the cause of ctx.
	Open(ctx context.Context, o Opening) (Agent, error)
}

// An Opening is what a session of an agent begins with.
type Opening struct {
	Session string   // the agent's own id of a session to resume; "": a new one
	Dir     string   // where it works, absolute
	Roots   []string // further folders in which it may work, absolute
	Settings
	Confine      sandbox.Policy    // of its process
	Instructions string            // besides its own; agents that take none get them with the first prompt
	Servers      []Server          // further tool servers
	Variables    map[string]string // of the environment of its process, besides the configured ones
	Log          func(text string) // what the agent writes that is no message, a line each; nil: it is dropped
}

// Settings are what can change from one turn to the next.
type Settings struct {
	Model    string // as the agent names it; "": its default
	Thinking model.Thinking
	Options  map[string]string // values by Option.ID
	Sandbox  approval.Sandbox  // what holds for the commands of an agent that confines them itself
	Asking   approval.Asking   // approval.AskNever: such an agent does not ask, and refuses what Sandbox does not allow
}

// A Server is a tool server for the agent.
type Server struct {
	Name    string
	Command string            // a program; "": URL is set
	Args    []string          //
	Env     map[string]string //
	URL     string            // of a streamable HTTP endpoint
	Headers map[string]string //
	SSE     bool              // the URL is that of the older transport
}

// An Agent is a session of an agent, in a process that runs. Its methods are called by one goroutine at a time, but for Steer and Close.
type Agent interface {
	// ID is the agent's own id of the session, to resume it by.
	ID() string
	// Info describes the agent.
	Info() Info
	// Offers returns the models and options that can be chosen. An agent that does not say has none.
	Offers(ctx context.Context) (Offers, error)
	// Change sets what the next turns work with. *Error, with CodeRefused for a value that the agent does not take.
	Change(ctx context.Context, to Settings) error
	// Turn sends a prompt and yields what comes of it, the last of which is an End, unless there is an error, which ends the
	// agent: *Error, or the cause of ctx. The end of ctx interrupts the turn: the agent has Grace to report its end.
	Turn(ctx context.Context, p Prompt) iter.Seq2[Update, error]
	// Steer gives the turn that runs a further prompt. After an error the agent does not have it: ErrUnsupported, *Error, or the cause of ctx.
	Steer(ctx context.Context, p Prompt) error
	// Compact has the agent summarise its context, and returns the summary; "": it does not say. ErrUnsupported, *Error, or the cause of ctx.
	Compact(ctx context.Context) (summary string, err error)
	// Fork returns the id of a copy of the session that has its first prompts only, with what came of them; AllPrompts: all that it has.
	// ErrUnsupported, also for an agent that cannot fork there; *Error; or the cause of ctx.
	Fork(ctx context.Context, prompts int) (session string, err error)
	// Alive reports whether another turn can run.
	Alive() bool
	// Close ends the process and all that it has started. It may be called while a turn runs, which then fails.
	Close()
}

// AllPrompts has Fork copy the session as it is. Some agents can fork at the end only.
const AllPrompts = math.MaxInt

// Info is what an agent says about itself.
type Info struct {
	Program  string // its name; "": it does not say
	Version  string
	Images   bool // prompts may have images
	Resumes  bool // sessions can be resumed
	Steers   bool // Steer works
	Compacts bool // Compact works
	Forks    bool // Fork works
	// Network reports that its process has the network although Opening.Confine has none.
	Network  bool
	OwnRules bool // its own rules decide first: what it runs without asking is allowed by them
	Unpriced bool // it never reports what answers cost
}

// Offers is what can be chosen for a session of an agent.
type Offers struct {
	Models  []Model
	Model   string // the one in use; "": not known
	Options []Option
}

// DefaultModel stands for the model that an agent takes by itself where a model is named with its back end, as in codex/default.
const DefaultModel = "default"

// A Model is a model of an agent.
type Model struct {
	ID          string // as the agent names it
	Name        string // for users; "": the same
	Description string
	Window      int              // tokens; 0: not known
	Thinking    []model.Thinking // levels; nil: not known
	Images      bool
}

// An Option is a setting of an agent that clients may choose, besides model and thinking.
type Option struct {
	ID          string
	Name        string
	Description string
	Value       string // the current one
	Values      []OptionValue
}

// OptionPrefix begins the names of options of agents in settings of sessions: the id follows.
const OptionPrefix = "backend."

// An OptionValue is a value of an Option.
type OptionValue struct {
	ID          string
	Name        string // "": the same
	Description string
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
	CodeUnpriced Code = "unpriced" // what it costs is not known, and the session has a limit for that
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
	// Unconfined reports that the agent may run Command outside of its sandbox once it is allowed, and does not report whether it does.
	Unconfined bool
}
