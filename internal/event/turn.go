package event

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// TurnStarted opens a turn; exactly one TurnEnded follows, in every outcome. The
// UserMessage of its prompt comes next.
type TurnStarted struct {
	Prompt PromptID `json:"prompt"` // the command that was accepted
}

// TurnEnded closes the turn, exactly once, and is its last record.
type TurnEnded struct {
	Reason    TurnReason  `json:"reason"`
	Failure   *Failing    `json:"failure,omitzero"` // set iff Reason is TurnFailed or TurnBudget
	Usage     model.Usage `json:"usage"`            // sum over the turn's model calls
	Cost      float64     `json:"cost,omitzero"`    // US dollars
	Steps     int         `json:"steps"`            // model calls begun
	Rounds    int         `json:"rounds"`           // tool rounds whose results, denials included, all went into history
	Mutations []Mutation  `json:"mutations"`        // files changed by calls, first touch first, no duplicates
	Context   int         `json:"context"`          // estimate of the context in tokens, after the turn
	Window    int         `json:"window"`           // of the last model asked, in tokens; 0: none was
	Heir      bool        `json:"heir,omitzero"`    // written by a later process: the one that ran the turn is gone
}

// TurnReason is why a turn ended.
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

// Failing is why a turn failed, typed for those who act on it.
type Failing struct {
	Kind     string `json:"kind"`              // a model.ErrorKind, "internal", "hook", or "budget"
	Message  string `json:"message"`           // opens with the backend's code and HTTP status, where there are any
	Provider string `json:"provider,omitzero"` // "" for internal
	Code     string `json:"code,omitzero"`     // the backend's own; of a budget, its BudgetReason
	Status   int    `json:"status,omitzero"`   // HTTP
}

// Mutation is a file that a call changed.
type Mutation struct {
	Tool string `json:"tool"` // the name the model called
	Path string `json:"path"` // relative to the workspace with "/", absolute if outside
}

// StepStarted opens a model call and the tool calls it asks for; StepEnded follows.
type StepStarted struct {
	Step  int    `json:"step"` // 1, 2, 3 … within the turn
	Model string `json:"model"`
}

// StepEnded closes the StepStarted of the same Step, exactly once, after its last tool call.
type StepEnded struct {
	Step    int      `json:"step"`
	Failure *Failing `json:"failure,omitzero"` // why its model call failed; nil: it did not, or was interrupted
}

// UserMessage is what a person said: a prompt, a steer or a follow-up.
type UserMessage struct {
	ID     PromptID      `json:"id"`
	Via    Via           `json:"via"`
	Blocks []model.Block `json:"blocks"`
	// Sent is what the client sent, in its protocol's own words, where those say more than
	// Blocks: an array with one value a block. Only the same protocol reads it.
	Sent jsontext.Value `json:"sent,omitzero"`
}

// Via is how a UserMessage came in.
type Via string

// The ways.
const (
	ByPrompt   Via = "prompt"
	BySteer    Via = "steer"
	ByFollowUp Via = "follow_up"
	ByEngine   Via = "engine" // nobody said it: a Note, or a reminder of the engine itself
)

// AssistantMessage is one answer of the model, after its last delta.
type AssistantMessage struct {
	ID      MessageID     `json:"id"`
	Model   string        `json:"model"`
	Blocks  []model.Block `json:"blocks"` // calls carry the CallID of their ToolIntended as Call.ID
	Stop    model.Stop    `json:"stop,omitzero"`
	Partial bool          `json:"partial,omitzero"` // cut by an interrupt, a failure or an objection; it has no calls then
	Void    bool          `json:"void,omitzero"`    // models are not told of it again: Objected is why
	Usage   model.Usage   `json:"usage"`
	Cost    float64       `json:"cost,omitzero"` // US dollars
}

// Objected tells the model of rules that it does not keep to; it is part of the history. It
// comes behind an answer: one that was cut for them, then StepEnded follows, and the model is
// asked again; or, without Cut, a whole one that the turn would have ended with.
type Objected struct {
	Rules  []string       `json:"rules"` // their names
	Cut    bool           `json:"cut,omitzero"`
	Blocks []model.Block  `json:"blocks"`        // none: it was told before, by another record
	Sent   jsontext.Value `json:"sent,omitzero"` // see UserMessage
}

// Reminded tells the model, when the turn would end, that tasks of its plan are open; it is
// part of the history, and the turn goes on.
type Reminded struct {
	Attempt int        `json:"attempt"` // 1, 2 … since a person said something
	Max     int        `json:"max"`
	Tasks   []PlanTask `json:"tasks"` // that are open
	Text    string     `json:"text"`  // what the model is told
}
