package codex

import "github.com/go-json-experiment/json/jsontext"

// This file contains the events of codex exec --json as Go types and nothing else. Source: the types of @openai/codex-sdk 0.163.0.
// The order of members is that of the wire. Members that are null there are pointers or raw values.

// An ExecEvent is one line; Type determines which members count.
type ExecEvent struct {
	Type     string     `json:"type"`
	ThreadID string     `json:"thread_id,omitzero"` // of thread.started
	Item     ExecItem   `json:"item,omitzero"`      // of item.started, item.updated and item.completed
	Usage    *ExecUsage `json:"usage,omitzero"`     // of turn.completed: of the thread so far
	Error    *ExecError `json:"error,omitzero"`     // of turn.failed
	Message  string     `json:"message,omitzero"`   // of error
}

// The types of events.
const (
	execThreadStarted = "thread.started"
	execTurnStarted   = "turn.started"
	execTurnCompleted = "turn.completed"
	execTurnFailed    = "turn.failed"
	execItemStarted   = "item.started"
	execItemUpdated   = "item.updated"
	execItemCompleted = "item.completed"
	execError         = "error"
)

// ExecUsage counts tokens; those of caches are input.
type ExecUsage struct {
	InputTokens           int64 `json:"input_tokens"`
	CachedInputTokens     int64 `json:"cached_input_tokens"`
	CacheWriteInputTokens int64 `json:"cache_write_input_tokens"`
	OutputTokens          int64 `json:"output_tokens"`
	ReasoningOutputTokens int64 `json:"reasoning_output_tokens"`
}

// ExecError is why a turn failed.
type ExecError struct {
	Message string `json:"message"`
}

// An ExecItem is one of the items below; nil: none.
type ExecItem any

// ExecText is an item of the type agent_message or reasoning.
type ExecText struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Text string `json:"text"`
}

// ExecCommand is an item of the type command_execution.
type ExecCommand struct {
	ID               string `json:"id"`
	Type             string `json:"type"`
	Command          string `json:"command"`
	AggregatedOutput string `json:"aggregated_output"`
	ExitCode         *int64 `json:"exit_code"`
	Status           string `json:"status"` // in_progress, completed, failed or declined
}

// ExecFileChange is an item of the type file_change.
type ExecFileChange struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Changes []ExecChange `json:"changes"`
	Status  string       `json:"status"` // in_progress, completed or failed
}

// ExecChange is the change of one file.
type ExecChange struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // add, delete or update
}

// ExecToolCall is an item of the type mcp_tool_call.
type ExecToolCall struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	Result    jsontext.Value `json:"result"` // null until there is one
	Error     *ExecError     `json:"error"`
	Status    string         `json:"status"` // in_progress, completed or failed
}

// ExecSearch is an item of the type web_search.
type ExecSearch struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Query string `json:"query"`
}

// ExecTodoList is an item of the type todo_list: the plan.
type ExecTodoList struct {
	ID    string     `json:"id"`
	Type  string     `json:"type"`
	Items []ExecTodo `json:"items"`
}

// ExecTodo is one step of the plan.
type ExecTodo struct {
	Text      string `json:"text"`
	Completed bool   `json:"completed"`
}

// ExecErrorItem is an item of the type error: a warning that ends nothing.
type ExecErrorItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Message string `json:"message"`
}
