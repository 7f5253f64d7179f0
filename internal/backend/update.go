package backend

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// An Update is something that happens in a turn of an agent. The types are those of this file.
type Update interface{ update() }

// Text is more of an answer.
type Text struct {
	Message string // identifies the answer; "": the agent does not report where one ends
	Text    string
}

// Thought is more of the model's reasoning.
type Thought struct {
	Message string
	Text    string
}

// MessageEnd ends the answer under way, and says what it has used.
type MessageEnd struct {
	Model string // "": not known
	Usage model.Usage
	Cost  float64 // US dollars; 0: not known
}

// A Call is a call of a tool that the agent runs.
type Call struct {
	ID   string // identifies the call in its turn
	Name string // the agent's own name of the tool, or a title
	Tool string // our own name of a tool that does the same, such as shell; "": there is none
	// Input is that of Tool, as far as the agent reports what it has, else the agent's own.
	Input jsontext.Value
	// Server is the tool server that has the tool, which is Name there; "": none has.
	Server string
	// Edits are what the call would change, where the agent reports it before.
	Edits []Edit
	CallRequest
}

// Output is more of what a call writes.
type Output struct {
	Call string
	Text string
}

// CallEnd is the end of a call.
type CallEnd struct {
	Call    string
	Outcome event.Outcome
	Text    string // the whole result, as the model sees it
	Edits   []Edit
	Shell   *event.ShellRun // nil: it was no command, or nothing is known of it
	NotRun  bool            // the agent reports that the call did not run: its input was wrong, or the agent's own rules forbid it
}

// An Edit is a change of a file by a call, as texts or as a diff.
type Edit struct {
	Path    string  // as the agent writes it
	Before  *string // the text before, or a part of it; nil: there was no file
	After   string  // what is there in its place
	Deleted bool    // there is no file in its place
	Diff    string  // the hunks of a unified diff of a file that existed, of an agent that reports them in place of the texts; "": it does not
}

// An Ask is a request for permission. The agent waits for the answer, and may go on with other calls meanwhile.
type Ask struct {
	Call   string        // the call that it is about; it came before
	Reason string        // "": the agent gives none
	Edits  []Edit        // what the call would change, where the request says more than the call
	Answer func(Verdict) // to be called once, by any goroutine
}

// A Question is what the agent asks the user. It waits for the answer.
type Question struct {
	Call      string // the call that asks, which came before; "": none does
	Questions []event.Question
	Answer    func(answers [][]string, err error) // as in event.QuestionAnswered; an error: there is none. To be called once, by any goroutine
}

// Plan is the agent's plan, as a whole.
type Plan struct{ Items []event.PlanItem }

// Usage is what is known of the context and of the cost, outside of answers.
type Usage struct {
	Context int     // tokens that fill the context; 0: not known
	Window  int     // tokens; 0: not known
	Cost    float64 // of this turn so far, US dollars; 0: not known
}

// Compacting reports that the agent summarises its context.
type Compacting struct{}

// Compacted reports that the agent has summarised its context.
type Compacted struct {
	Summary string // "": the agent does not say
	Failed  bool   // nothing was summarised
}

// Retry reports that the agent tries a request to its model again.
type Retry struct {
	Attempt, Max int // from 1 on; 0: not known
	Delay        time.Duration
	Message      string // why the attempt before has failed
}

// A Note is for the user.
type Note struct {
	Level event.NoticeLevel
	Code  string // a stable word
	Text  string
}

// End is the end of the turn.
type End struct {
	Reason  event.TurnReason
	Failure *Error      // of event.TurnFailed: why. The agent goes on with the next prompt all the same
	Usage   model.Usage // of the turn, where answers have none; zero: not known
}

func (Text) update()       {}
func (Thought) update()    {}
func (MessageEnd) update() {}
func (Call) update()       {}
func (Output) update()     {}
func (CallEnd) update()    {}
func (Ask) update()        {}
func (Question) update()   {}
func (Plan) update()       {}
func (Usage) update()      {}
func (Compacting) update() {}
func (Compacted) update()  {}
func (Retry) update()      {}
func (Note) update()       {}
func (End) update()        {}
