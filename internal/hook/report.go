package hook

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A Report is what hooks receive at a moment: the JSON object on their stdin. Fields that
// have no meaning at the moment are left out.
type Report struct {
	Moment  event.HookMoment `json:"event"`
	Session event.SessionID  `json:"session"`
	Turn    event.TurnID     `json:"turn"`
	Dir     string           `json:"cwd"` // where turns of the session work, and the hook runs

	*Call
	*Result
	*End
	Prompt string         `json:"prompt,omitzero"` // the text of the prompt
	Sent   jsontext.Value `json:"sent,omitzero"`   // what the client sent with it, as event.UserMessage has it

	// These are sent with the names of Claude Code only, see claude.go.
	Mode       string `json:"-"` // the permission mode
	Transcript string `json:"-"` // the path of the journal; "": there is none
	Inner      bool   `json:"-"` // the session is a subagent's
	Source     string `json:"-"` // at the start of a session: startup, resume or compact
	Model      string `json:"-"` // at the start of a session
	Trigger    string `json:"-"` // of a compaction: manual or auto
	Guidance   string `json:"-"` // of the user, for the summary
}

// A Call is a tool call that a hook is asked about.
type Call struct {
	ID       event.CallID   `json:"call"`
	Tool     string         `json:"tool"`            // our own name
	Shown    string         `json:"shown"`           // as the model and clients call it
	Server   string         `json:"server,omitzero"` // the tool server that has it
	Input    jsontext.Value `json:"input"`           // of the shown tool; what a hook may rewrite
	OwnInput jsontext.Value `json:"own_input"`       // the same in the words of our own tool
	// Fit says what Input is in the words of our own tool, or why it is no input.
	Fit func(input jsontext.Value) (own jsontext.Value, err error) `json:"-"`
	// Written returns the files that the call would change, as far as that is known; nil: it is not.
	Written func(input jsontext.Value) []string `json:"-"`
}

// A Result is how a call went that has run.
type Result struct {
	Outcome  event.Outcome      `json:"outcome"` // succeeded or failed
	Output   string             `json:"output"`  // what the model sees
	Changes  []event.FileChange `json:"changes,omitzero"`
	ExitCode *int               `json:"exit_code,omitzero"` // of a command; -1: ended by a signal
	RanMS    int64              `json:"ran_ms"`
}

// An End is how a turn would end.
type End struct {
	Reason    event.TurnReason `json:"reason"`
	Usage     model.Usage      `json:"usage"`
	Cost      float64          `json:"cost"` // US dollars
	Steps     int              `json:"steps"`
	Answer    string           `json:"-"`         // the last of the model, as text
	Continued int              `json:"continued"` // how often hooks have made the turn go on since the last prompt
}
