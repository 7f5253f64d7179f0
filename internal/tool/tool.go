package tool

import (
	"context"

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

// A Proposer is a Call that changes files, and can tell how before it runs.
type Proposer interface {
	Call
	// Propose works the changes out and binds the call to them: Run then does exactly that,
	// or fails since a file is no longer what it was. It changes nothing. An error is a
	// result for the model: Run would fail the same way.
	Propose() ([]event.FileChange, error)
}

// Hooks is what a running call may ask of its session. All of them are set, and safe for
// use by several goroutines.
type Hooks struct {
	// Call is the call that runs.
	Call event.CallID
	// Output shows live output; text is valid UTF-8.
	Output func(text string)
	// Progress tells how far the call is; total 0 is unknown.
	Progress func(done, total float64, text string)
	// Ask puts questions to a person and waits for the answers, one list a question; see
	// event.QuestionAnswered. It fails when nobody can answer, or ctx ends.
	Ask func(ctx context.Context, questions []event.Question) ([][]string, error)
	// Plan replaces the session's plan.
	Plan func(items []event.PlanItem)
	// EditPlan changes the session's plan as edit says, which gets its phases and may change
	// them; an error of edit is returned, and then nothing has changed.
	EditPlan func(edit func(phases []event.PlanPhase) ([]event.PlanPhase, error)) error
	// Sandbox is what the call may touch. The zero value is refused by whatever starts a program.
	Sandbox approval.Sandbox
	// Subagents has others work for the call.
	Subagents Subagents
	// HandIn hands in what the session was to come to; the error, for the model, says why it
	// cannot be taken.
	HandIn func(result jsontext.Value) error
}

// A Result is what became of a call.
type Result struct {
	Text    string // what the model sees; valid UTF-8, at most MaxText bytes
	IsError bool
	Images  []model.Image // what the model sees besides; Data set
	Changes []event.FileChange
	Shell   *event.ShellRun
	Fetch   *event.Fetch
	Search  *event.Search
	Reply   jsontext.Value // of a tool server: its result object; nil: none
	Tasks   *event.Tasks   // of subagents; nil: none were asked for
	Final   bool           // the turn is over with it: the model is not asked again
	Full    []byte         // the whole output where Text had to leave some out, up to MaxFull; else nil
}

// The caps of a Result, in bytes.
const (
	MaxText = 100 << 10
	MaxFull = 16 << 20
)

// Failed is a Result for the model that says what went wrong.
func Failed(text string) Result { return Result{Text: text, IsError: true} }
