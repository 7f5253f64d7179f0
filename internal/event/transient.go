package event

import (
	"parley.dev/parley/internal/model"
)

// A TextDelta is a piece of the answer's text. An AssistantMessage with the whole text follows.
type TextDelta struct {
	Message MessageID `json:"message"`
	Block   int       `json:"block"`
	Text    string    `json:"text"` // never empty
}

// A ThinkingDelta is a piece of the model's reasoning.
type ThinkingDelta struct {
	Message MessageID `json:"message"`
	Block   int       `json:"block"`
	Text    string    `json:"text"`
	Summary bool      `json:"summary,omitzero"` // a piece of a summary, which is all that some models show
}

// A ToolInputDelta is a piece of a call's input as the model streams it; Text is "" at the start.
type ToolInputDelta struct {
	Message MessageID `json:"message"`
	Block   int       `json:"block"`
	Call    CallID    `json:"call"`
	Name    string    `json:"name"`
	Text    string    `json:"text"`
}

// ToolOutput is live output of a running tool; ToolEnded has the part that the model sees.
type ToolOutput struct {
	Call CallID `json:"call"`
	Text string `json:"text"`
}

// CommandOutput is live output of a command of the user; CommandRan has the last part of it.
type CommandOutput struct {
	Command CommandID `json:"command"`
	Text    string    `json:"text"`
}

// SubagentRecorded has a record of a subagent, as it happens: those of its journal, and what its own subagents record. A call
// that needs an approval is in it before the ApprovalAsked of Call.
type SubagentRecorded struct {
	Call    CallID    `json:"call"` // that the subagent works for
	Task    string    `json:"task"`
	Name    string    `json:"name"` // of the subagent, unique in the session: several may work at a task, one after the other
	Agent   string    `json:"agent"`
	Session SessionID `json:"session"` // the subagent's
	Dir     string    `json:"dir"`     // where it works, absolute
	Record  Record    `json:"record"`
}

// ToolProgress reports the progress of a running tool.
type ToolProgress struct {
	Call  CallID  `json:"call"`
	Done  float64 `json:"done"`
	Total float64 `json:"total,omitzero"` // 0: unknown
	Text  string  `json:"text,omitzero"`
}

// TerminalCreated reports the terminal of the client in which the command of a running tool runs: there is no ToolOutput of
// it, and ToolEnded has its id and output.
type TerminalCreated struct {
	Call     CallID `json:"call"`
	Terminal string `json:"terminal"`
}

// ServerChanged reports a new status of a tool server of the session.
type ServerChanged struct {
	Server string       `json:"server"`
	Status ServerStatus `json:"status"`
	Error  string       `json:"error,omitzero"` // of ServerFailed
	Again  bool         `json:"again,omitzero"` // it has failed like this before, and was not ready since
}

// A ServerStatus is the state of a tool server.
type ServerStatus string

// The statuses.
const (
	ServerStarting ServerStatus = "starting"
	ServerReady    ServerStatus = "ready"
	ServerFailed   ServerStatus = "failed"
)

// ContextEstimated reports how full the context is, before each model call.
type ContextEstimated struct {
	Tokens int `json:"tokens"`
	Window int `json:"window"`
}

// RequestCounted reports the provider's count of the tokens of the running request, before the
// answer begins. Not every provider sends it.
type RequestCounted struct {
	Tokens int `json:"tokens"`
}

// UsageTicked reports the turn's usage after each model call.
type UsageTicked struct {
	Usage model.Usage `json:"usage"`
	Cost  float64     `json:"cost"`
}

// RetryStarted opens a wait before a model call is tried again; RetryEnded follows. Deltas of the
// failed answer are void: the next one has the same MessageID.
type RetryStarted struct {
	Attempt int      `json:"attempt"` // 1, 2 …
	Max     int      `json:"max"`
	Delay   Duration `json:"delay"`
	Failure Failure  `json:"failure"`
}

// RetryEnded closes RetryStarted when the retried call succeeded or finally failed.
type RetryEnded struct {
	Attempt   int  `json:"attempt"`
	Succeeded bool `json:"succeeded"`
	Cancelled bool `json:"cancelled,omitzero"` // the wait was ended, also by an interrupt
}

// CompactionStarted opens a compaction; Compacted follows, or, if it fails or is interrupted
// within a turn, a Notice. After Compacted, a call that failed as CompactOverflow is made again.
type CompactionStarted struct {
	Reason  CompactReason `json:"reason"`
	Failure *Failure      `json:"failure,omitzero"` // of the call, when Reason is CompactOverflow
}

// SyncStarted precedes durable records that another process wrote; SyncEnded follows.
type SyncStarted struct{}

// SyncEnded follows the records that SyncStarted precedes: later ones are this process's own.
type SyncEnded struct{}

// HandedOver reports that the lease of the session was released because another process requested it.
// What that writes is not sent to followers before this process reads it: see SyncStarted.
type HandedOver struct {
	Head uint64 `json:"head"` // the last record of this process
}

// ClientJoined reports that a client came to the session, ClientLeft that it left.
type ClientJoined struct {
	Client Client `json:"client"`
	Role   string `json:"role,omitzero"` // what it may do; "": everything
}

// ClientLeft reports that a client left the session.
type ClientLeft struct {
	Client Client `json:"client"`
	Role   string `json:"role,omitzero"`
}

// StatusChanged reports what the session is doing.
type StatusChanged struct {
	Status Status `json:"status"`
}

// A Status is what a session is doing.
type Status string

// The statuses.
const (
	Idle       Status = "idle"
	Thinking   Status = "thinking" // a model call runs
	Working    Status = "working"  // tools run
	Waiting    Status = "waiting"  // for an approval or an answer
	Compacting Status = "compacting"
)
