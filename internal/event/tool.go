package event

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/model"
)

// ToolIntended opens a tool call when its turn to run comes; exactly one ToolEnded
// follows. Calls that are never taken up (an interrupt, a steer, the step limit) have no records.
type ToolIntended struct {
	Call    CallID         `json:"call"`
	Message MessageID      `json:"message"`         // the answer that asked for it
	Name    string         `json:"name"`            // as the model called it
	Tool    string         `json:"tool,omitzero"`   // our own name of the tool, or Server's; "" if unknown
	Server  string         `json:"server,omitzero"` // the tool server that has the tool
	Input   jsontext.Value `json:"input"`           // see model.Call; what runs: a hook may have changed what the model wrote
}

// ChangesProposed tells what a call would do to files, before it is approved, where the
// session's options ask for it. If the call succeeds it does exactly that.
type ChangesProposed struct {
	Call    CallID       `json:"call"`
	Changes []FileChange `json:"changes"`
}

// ToolStarted comes before the tool runs; on disk first, when the call has effects.
type ToolStarted struct {
	Call     CallID `json:"call"`
	Confined string `json:"confined,omitzero"` // what confines the command; "" if nothing does
}

// ToolEnded closes the ToolIntended of the same Call: exactly once, in every outcome.
type ToolEnded struct {
	Call    CallID        `json:"call"`
	Outcome Outcome       `json:"outcome"`
	Output  string        `json:"output,omitzero"` // what the model sees; valid UTF-8; "" when OutputBlob is set
	Images  []model.Image `json:"images,omitzero"` // what the model sees besides; by Blob
	Ran     Duration      `json:"ran,omitzero"`    // execution only, without the approval wait; 0 if it never ran
	// OutputBlob is the content address of an Output that was too large for the journal;
	// the engine resolves it before anyone sees the record.
	OutputBlob string       `json:"output_blob,omitzero"`
	Changes    []FileChange `json:"changes,omitzero"`
	Shell      *ShellRun    `json:"shell,omitzero"`
	Fetch      *Fetch       `json:"fetch,omitzero"`
	Search     *Search      `json:"search,omitzero"`
	Reply      *Reply       `json:"reply,omitzero"`
	Tasks      *Tasks       `json:"tasks,omitzero"`
}

// Outcome is how a tool call ended.
type Outcome string

// The outcomes.
const (
	Succeeded      Outcome = "succeeded"
	Failed         Outcome = "failed" // it ran and failed, its input was bad, or the tool is unknown
	Denied         Outcome = "denied"
	Interrupted    Outcome = "interrupted"
	OutcomeUnknown Outcome = "unknown" // the process died while it ran
)

// FileChange is what became of one file.
type FileChange struct {
	Path    string `json:"path"` // relative to the workspace with "/", absolute if outside
	Op      FileOp `json:"op"`
	Existed bool   `json:"existed"`       // before the change
	Diff    string `json:"diff,omitzero"` // unified, with --- and +++ lines; "" for binary or huge files
	Added   int    `json:"added"`         // lines
	Removed int    `json:"removed"`       // lines
}

// FileOp is the kind of a FileChange.
type FileOp string

// The operations.
const (
	Created FileOp = "created"
	Updated FileOp = "updated"
	Deleted FileOp = "deleted"
)

// Search is a finished web search.
type Search struct {
	Query   string      `json:"query"`
	Results []SearchHit `json:"results"`
}

// SearchHit is one result of a Search.
type SearchHit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet,omitzero"`
}

// Reply is what a tool server answered: the result object of its protocol, whole.
type Reply struct {
	Content jsontext.Value `json:"content,omitzero"` // an object; nil when Blob is set
	Blob    string         `json:"blob,omitzero"`    // content address of a Content that was too large for the journal; see OutputBlob
}

// ShellRun is a finished shell command.
type ShellRun struct {
	Command  string `json:"command"`
	Dir      string `json:"dir"`             // absolute
	ExitCode int    `json:"exit_code"`       // -1: ended by a signal
	Signal   string `json:"signal,omitzero"` // e.g. "SIGKILL"
	TimedOut bool   `json:"timed_out,omitzero"`
	Omitted  int64  `json:"omitted,omitzero"`   // bytes of output left out in the middle
	Note     string `json:"note,omitzero"`      // how it failed, and what hooks said: the end of Output that the command did not write
	FullBlob string `json:"full_blob,omitzero"` // content address of the whole output, where it was kept
}

// CommandRan is a finished shell command of a person, outside of turns. It is part of the
// history, as something that the person said, unless it is Hidden.
type CommandRan struct {
	Shell  ShellRun `json:"shell"`
	Output string   `json:"output"` // both streams, at most the last part; valid UTF-8
	// Cut says that Output is not all: Shell.FullBlob has the rest.
	Cut       bool     `json:"cut,omitzero"`
	Lines     int      `json:"lines"` // of the whole output; a line feed at its end begins one more
	Bytes     int64    `json:"bytes"` // of the whole output
	Cancelled bool     `json:"cancelled,omitzero"`
	Hidden    bool     `json:"hidden,omitzero"` // models are not told
	Ran       Duration `json:"ran,omitzero"`
}

// Fetch is a finished web request.
type Fetch struct {
	URL    string `json:"url"` // after redirects
	Status int    `json:"status"`
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
}

// ApprovalAsked opens an approval; exactly one ApprovalAnswered follows.
type ApprovalAsked struct {
	ID      ApprovalID       `json:"id"`
	Call    CallID           `json:"call"`
	Mode    string           `json:"mode,omitzero"` // the approval mode it was asked in
	Request approval.Request `json:"request"`
	Input   jsontext.Value   `json:"input"`           // exactly what will run
	Reason  string           `json:"reason,omitzero"` // why it is asked; "" when every call is
}

// ApprovalAnswered closes the ApprovalAsked of the same ID, exactly once.
type ApprovalAnswered struct {
	ID      ApprovalID `json:"id"`
	Allowed bool       `json:"allowed"`
	Reason  string     `json:"reason,omitzero"` // of a denial; the model is told
	By      Answerer   `json:"by"`
}

// Answerer is who answered an approval or a question.
type Answerer string

// The answerers.
const (
	ByClient    Answerer = "client"
	ByPolicy    Answerer = "policy"
	ByInterrupt Answerer = "interrupt" // withdrawn
	ByAbsence   Answerer = "absence"   // the client is gone, or there never was one
	ByHeir      Answerer = "heir"      // the process that asked is gone
	ByFault     Answerer = "fault"     // the client's answer made no sense; the call fails
)

// QuestionAsked opens questions of the model to a person; exactly one QuestionAnswered follows.
type QuestionAsked struct {
	ID        QuestionID `json:"id"`
	Call      CallID     `json:"call"`
	Questions []Question `json:"questions"`
}

// A Question is one thing to ask.
type Question struct {
	Text    string   `json:"text"`
	Header  string   `json:"header,omitzero"`  // a few words
	Options []Option `json:"options,omitzero"` // empty: free text only
	Multi   bool     `json:"multi,omitzero"`   // several options may be chosen
}

// An Option is one answer to choose.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
}

// QuestionAnswered closes the QuestionAsked of the same ID, exactly once.
type QuestionAnswered struct {
	ID      QuestionID `json:"id"`
	Answers [][]string `json:"answers"` // for each question the chosen labels, or one free text; nil when cancelled
	By      Answerer   `json:"by"`
}
