package event

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// TurnStarted opens a turn; exactly one TurnEnded follows, in every outcome. The
// UserMessage of its prompt comes next.
type TurnStarted struct {
	Prompt PromptID `json:"prompt"` // the command that was accepted
	// Environment is what the system prompt says from this turn on; nil: what it said before.
	Environment *Environment `json:"environment,omitzero"`
}

// An Environment is the part of a system prompt that may change in a session. It is recorded so that
// the prompt stays the same, byte for byte, in later turns and processes.
type Environment struct {
	Date        string `json:"date"`         // of the day, as 2006-01-02
	Git         string `json:"git,omitzero"` // the state of the repository; "": there is none
	Permissions string `json:"permissions"`  // what the mode and the sandbox allow
}

// TurnEnded closes the turn, exactly once, and is its last record.
type TurnEnded struct {
	Reason    TurnReason  `json:"reason"`
	Failure   *Failure    `json:"failure,omitzero"` // set iff Reason is TurnFailed or TurnBudget
	Usage     model.Usage `json:"usage"`            // sum over the turn's model calls
	Cost      float64     `json:"cost,omitzero"`    // US dollars
	Steps     int         `json:"steps"`            // model calls begun
	Rounds    int         `json:"rounds"`           // tool rounds whose results, denials included, all went into history
	Mutations []Mutation  `json:"mutations"`        // files changed by calls, first touch first, no duplicates
	Context   int         `json:"context"`          // estimate of the context in tokens, after the turn
	Window    int         `json:"window"`           // of the last model that was called, in tokens; 0: none was
	Recovered bool        `json:"heir,omitzero"`    // written by recovery: the process that ran the turn has ended
	Client    Client      `json:"client,omitzero"`  // that interrupted the turn
}

// A TurnReason is why a turn ended.
type TurnReason string

// The reasons.
const (
	TurnCompleted   TurnReason = "completed"
	TurnInterrupted TurnReason = "interrupted"
	TurnStepLimit   TurnReason = "step_limit" // the model wanted more tool rounds than allowed
	TurnMaxTokens   TurnReason = "max_tokens" // the output cap cut the last answer
	TurnBudget      TurnReason = "budget"     // the budget was used up, and the model was not done
	TurnRefused     TurnReason = "refused"    // the provider's safety system cut the last answer
	TurnFailed      TurnReason = "failed"
)

// A Failure is why a turn failed, with codes that clients can act on.
type Failure struct {
	Kind     string `json:"kind"`              // a model.ErrorKind, "internal", "hook", or "budget"
	Message  string `json:"message"`           // begins with the backend's code and HTTP status, if there are any
	Provider string `json:"provider,omitzero"` // "" for internal
	Code     string `json:"code,omitzero"`     // the backend's own; of a budget, its BudgetReason
	Status   int    `json:"status,omitzero"`   // HTTP
	Model    string `json:"model,omitzero"`    // of kind model_not_found: the model, as Settings.Model names it
}

// Temporary reports whether the same prompt may succeed later.
func (f Failure) Temporary() bool {
	return (&model.Error{Kind: model.ErrorKind(f.Kind)}).Temporary()
}

// Mutation is a file that a call changed.
type Mutation struct {
	Tool string `json:"tool"` // the name the model called
	Path string `json:"path"` // relative to the workspace with "/", absolute if outside
}

// StepStarted opens a model call and the tool calls that it requests; StepEnded follows.
type StepStarted struct {
	Step  int    `json:"step"` // 1, 2, 3 … within the turn
	Model string `json:"model"`
}

// StepEnded closes the StepStarted of the same Step, exactly once, after its last tool call.
type StepEnded struct {
	Step    int      `json:"step"`
	Failure *Failure `json:"failure,omitzero"` // why its model call failed; nil: it did not, or was interrupted
}

// A UserMessage is a message of the user: a prompt, a steer or a follow-up.
type UserMessage struct {
	ID     PromptID      `json:"id"`
	Via    Via           `json:"via"`
	Blocks []model.Block `json:"blocks"`
	// Sent is the client's own form of the message, if it contains more than Blocks: an array with
	// one value for each block. Only the same protocol reads it.
	Sent   jsontext.Value `json:"sent,omitzero"`
	Client Client         `json:"client,omitzero"` // that sent it
}

// A Via is how a UserMessage was submitted.
type Via string

// The ways.
const (
	ByPrompt   Via = "prompt"
	BySteer    Via = "steer"
	ByFollowUp Via = "follow_up"
	ByEngine   Via = "engine" // not of the user: a Note, or a reminder of the engine
)

// An AssistantMessage is one answer of the model, after its last delta.
type AssistantMessage struct {
	ID       MessageID     `json:"id"`
	Provider string        `json:"provider,omitzero"` // our name of it; "": not known
	Model    string        `json:"model"`             // without the provider
	Blocks   []model.Block `json:"blocks"`            // calls carry the CallID of their ToolIntended as Call.ID
	Stop     model.Stop    `json:"stop,omitzero"`
	Partial  bool          `json:"partial,omitzero"` // cut by an interrupt, a failure or a broken rule; it then has no calls
	Void     bool          `json:"void,omitzero"`    // not in later requests to models: it broke a rule, see RuleViolated, or has no blocks and is what an agent used outside of answers
	Usage    model.Usage   `json:"usage"`
	Cost     float64       `json:"cost,omitzero"` // US dollars
}

// AnswerGrew is the part of a streamed answer since the last AnswerGrew, at most a second before.
// The AssistantMessage with the same ID replaces it; if the process died first, recovery makes one
// from it.
type AnswerGrew struct {
	Message MessageID     `json:"message"`
	Model   string        `json:"model"`
	Restart bool          `json:"restart,omitzero"` // the first of a model call: earlier pieces are void
	Pieces  []AnswerPiece `json:"pieces"`
}

// An AnswerPiece is text of one block.
type AnswerPiece struct {
	Block    int    `json:"block"`
	Thinking bool   `json:"thinking,omitzero"`
	Summary  bool   `json:"summary,omitzero"` // see TextDelta and ThinkingDelta
	Text     string `json:"text"`
}

// RuleViolated names, for the model, the rules that its answer breaks; it is part of the history. It follows the
// answer: with Cut one that was cut for it, then StepEnded follows and the model is called again;
// without Cut a complete one that would have ended the turn.
type RuleViolated struct {
	Rules  []string       `json:"rules"` // their names
	Cut    bool           `json:"cut,omitzero"`
	Blocks []model.Block  `json:"blocks"`        // none: an earlier record has them
	Sent   jsontext.Value `json:"sent,omitzero"` // see UserMessage
}

// A ContextNote is a message of the engine to the model, after the others, or, of NoteChanges, a part of the
// system prompt that belongs to the last Environment; clients do not show it.
type ContextNote struct {
	Topic NoteTopic `json:"topic"`
	Path  string    `json:"path,omitzero"` // of NoteInstructions: the file, absolute
	Text  string    `json:"text"`          // what the model reads
	// Permissions is what now holds in place of Environment.Permissions, of NotePermissions.
	Permissions string `json:"permissions,omitzero"`
}

// A NoteTopic is the subject of a ContextNote.
type NoteTopic string

// The topics.
const (
	NotePermissions  NoteTopic = "permissions"  // the user changed the mode or the sandbox
	NoteInstructions NoteTopic = "instructions" // of a folder that the model now works in
	NoteLoop         NoteTopic = "loop"         // the same call fails again and again
	NoteBackground   NoteTopic = "background"   // background commands have ended
	NoteServerPrompt NoteTopic = "prompt"       // the text of a tool server for a prompt that the user chose
	NoteChanges      NoteTopic = "changes"      // files that were not committed when the session began
)

// Reminded reminds the model, when the turn would end, that tasks of its plan are open; it is part of
// the history, and the turn continues.
type Reminded struct {
	Attempt int        `json:"attempt"` // 1, 2 … since the last message of the user
	Max     int        `json:"max"`
	Tasks   []PlanTask `json:"tasks"` // the open ones
	Text    string     `json:"text"`  // for the model
}
