package tool

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A Tool is one thing a model can do. Values hold no state and serve any number of sessions.
type Tool interface {
	// Name is our own name of the tool; dialects show it under theirs.
	Name() string
	// Description is for the model: Markdown.
	Description() string
	// Schema is the JSON Schema of the input, a closed object.
	Schema() jsontext.Value
	// Prepare reads the input, which fits the schema, and works out what the call needs.
	// It changes nothing. An error is a result for the model: a full sentence that helps
	// it to do better.
	Prepare(env *Env, input jsontext.Value) (Call, error)
}

// A Call is a prepared tool call. It runs at most once.
type Call interface {
	// Request is what has to be approved; Request.Tool is left to the engine.
	Request() approval.Request
	// Run does the work and returns when it is all over: nothing that it started is left,
	// but for what belongs to Env.Background. When ctx ends it stops soon and returns what
	// there is so far. What fails is a Result for the model.
	Run(ctx context.Context, hooks Hooks) Result
}

// A Refusable is a Call that has a result of its own if it is denied. With an error the call counts as denied, else as one that
// succeeded.
type Refusable interface {
	Call
	Refused(reason string) Result
}

// A Proposer is a Call that changes files, and can report how before it runs.
type Proposer interface {
	Call
	// Propose works the changes out and binds the call to them: Run then does exactly that,
	// or fails since a file is no longer what it was. It changes nothing. An error is a
	// result for the model: Run would fail the same way. Files are those of Hooks.
	Propose(ctx context.Context, files ClientFiles) ([]event.FileChange, error)
}

// A Previewer is a Call that changes files, and can say how before it runs without being bound
// to that.
type Previewer interface {
	Call
	// Preview returns what Run would do to files if it ran now. It is empty if Run would fail. Files are those of Hooks.
	Preview(ctx context.Context, files ClientFiles) []approval.FileEffect
}

// Hooks is what a running call may ask of its session. All of them but Keep, Files and Terminals are set, and safe for
// use by several goroutines.
type Hooks struct {
	// Call is the call that runs.
	Call event.CallID
	// Output shows live output; text is valid UTF-8.
	Output func(text string)
	// Progress reports how far the call is; total 0 is unknown.
	Progress func(done, total float64, text string)
	// Keep stores the content of a file that is about to be changed, and returns its address; "": it is not
	// stored. Nil: nothing is.
	Keep func(data []byte) (address string)
	// Files are the text files of the client; the zero value: it has none.
	Files ClientFiles
	// Terminals are those of the client, for a command that need not be confined; nil: it has none, or the command must run
	// in a sandbox of ours.
	Terminals ClientTerminals
	// TerminalCreated reports the terminal of the client in which the command of the call runs.
	TerminalCreated func(id string)
	// Ask puts questions to a user and waits for the answers, one list a question; see
	// event.QuestionAnswered. It fails when the user cancels, or ctx ends, and with ErrUnattended
	// if no user can be asked.
	Ask func(ctx context.Context, questions []event.Question) ([][]string, error)
	// Permit asks a user to approve something more that the running call causes; nil: it is
	// approved. It fails with ErrUnattended if no user can approve it. Grants do not cover it.
	Permit func(ctx context.Context, summary, reason string) error
	// Sample sends a request of the tool server of that name to the model of the session, which sets
	// what the request leaves out and bounds its answer.
	Sample func(ctx context.Context, server string, request *model.Request) (*model.Response, error)
	// FindTools makes deferred tools of servers callable, whose names models have found.
	FindTools func(names []string)
	// Plan replaces the session's plan.
	Plan func(items []event.PlanItem)
	// EditPlan changes the session's plan as edit says, which gets its phases and may change
	// them; an error of edit is returned, and then nothing has changed.
	EditPlan func(edit func(phases []event.PlanPhase) ([]event.PlanPhase, error)) error
	// Sandbox is what the call may touch. The zero value is refused by whatever starts a program.
	Sandbox approval.Sandbox
	// Granted reports that a grant covers the call: no user has seen exactly this one.
	Granted bool
	// Unconfine asks a user to let the call run outside of the sandbox, which refused it for
	// that reason. It returns what the call may touch then, or a note for the model why it
	// stays confined: ErrUnasked if the session asks no user.
	Unconfine func(ctx context.Context, reason string) (approval.Sandbox, error)
	// Subagents has others work for the call.
	Subagents Subagents
	// Submit hands in what the session was to come to; the error, for the model, says why it
	// cannot be taken.
	Submit func(result jsontext.Value) error
}

// ErrUnasked is of Hooks.Unconfine: what the sandbox refuses stays refused.
var ErrUnasked = errors.New("nobody is asked about what the sandbox refuses")

// ErrUnattended is of Hooks.Ask and Hooks.Permit: there is no user who can be asked.
var ErrUnattended = errors.New("no user can be asked")

// A Result is the result of a call.
type Result struct {
	Text    string // what the model sees; valid UTF-8, at most MaxText bytes, or those of Env.Limits
	IsError bool
	Images  []model.Image // what the model sees besides; Data set
	Changes []event.FileChange
	Shell   *event.ShellRun
	Fetch   *event.Fetch
	Search  *event.Search
	Reply   jsontext.Value // of a tool server: its result object; nil: none
	Tasks   *event.Tasks   // of subagents; nil: none were asked for
	Folder  bool           // a folder was listed where a file could have been read
	Matches *event.FileMatches
	Final   bool   // the turn is over with it: the model is not asked again
	Full    []byte // the whole output where Text had to leave some out, up to MaxFull; else nil
}

// The caps of a Result, in bytes.
const (
	MaxText = 50 << 10
	MaxFull = 16 << 20
)

// Failed returns a Result for the model that says what went wrong.
func Failed(text string) Result { return Result{Text: text, IsError: true} }
