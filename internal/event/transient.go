package event

import (
	"parley.dev/parley/internal/model"
)

// TextDelta is a piece of the answer's text. AssistantMessage, with all of it, follows.
type TextDelta struct {
	Message MessageID `json:"message"`
	Block   int       `json:"block"`
	Text    string    `json:"text"` // never empty
}

// ThinkingDelta is a piece of the model's reasoning.
type ThinkingDelta struct {
	Message MessageID `json:"message"`
	Block   int       `json:"block"`
	Text    string    `json:"text"`
	Summary bool      `json:"summary,omitzero"` // of a summary of it, all that some models show
}

// ToolInputDelta is a piece of a call's input as the model writes it; Text is "" at the start.
type ToolInputDelta struct {
	Message MessageID `json:"message"`
	Block   int       `json:"block"`
	Call    CallID    `json:"call"`
	Name    string    `json:"name"`
	Text    string    `json:"text"`
}

// ToolOutput is live output of a running tool; ToolEnded has what the model sees of it.
type ToolOutput struct {
	Call CallID `json:"call"`
	Text string `json:"text"`
}

// ToolProgress tells how far a running tool is.
type ToolProgress struct {
	Call  CallID  `json:"call"`
	Done  float64 `json:"done"`
	Total float64 `json:"total,omitzero"` // 0: unknown
	Text  string  `json:"text,omitzero"`
}

// ServerChanged tells what became of a tool server of the session.
type ServerChanged struct {
	Server string       `json:"server"`
	Status ServerStatus `json:"status"`
	Error  string       `json:"error,omitzero"` // of ServerFailed
}

// ServerStatus is what a tool server is doing.
type ServerStatus string

// The statuses.
const (
	ServerStarting ServerStatus = "starting"
	ServerReady    ServerStatus = "ready"
	ServerFailed   ServerStatus = "failed"
)

// ContextEstimated tells how full the context is, before each model call.
type ContextEstimated struct {
	Tokens int `json:"tokens"`
	Window int `json:"window"`
}

// UsageTicked tells the turn's usage after each model call.
type UsageTicked struct {
	Usage model.Usage `json:"usage"`
	Cost  float64     `json:"cost"`
}

// RetryStarted opens a wait before a model call is tried again; RetryEnded follows. What
// was shown of the failed answer is void: the next one has the same MessageID.
type RetryStarted struct {
	Attempt int      `json:"attempt"` // 1, 2 …
	Max     int      `json:"max"`
	Delay   Duration `json:"delay"`
	Failure Failing  `json:"failure"`
}

// RetryEnded closes RetryStarted when the retried call delivered, or failed for good.
type RetryEnded struct {
	Attempt   int  `json:"attempt"`
	Succeeded bool `json:"succeeded"`
	Cancelled bool `json:"cancelled,omitzero"` // the wait was ended, also by an interrupt
}

// CompactionStarted opens a compaction; Compacted follows, or, if it fails or is interrupted
// within a turn, a Notice. Behind Compacted, a call that failed as CompactOverflow is made again.
type CompactionStarted struct {
	Reason  CompactReason `json:"reason"`
	Failure *Failing      `json:"failure,omitzero"` // of the call, when Reason is CompactOverflow
}

// StatusChanged tells what the session is doing.
type StatusChanged struct {
	Status Status `json:"status"`
}

// Status is what a session is doing.
type Status string

// The statuses.
const (
	Idle       Status = "idle"
	Thinking   Status = "thinking" // a model call runs
	Working    Status = "working"  // tools run
	Waiting    Status = "waiting"  // for an approval or an answer
	Compacting Status = "compacting"
)
