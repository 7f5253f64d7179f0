package pisces

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
)

// An Event is a line that goes out.
type Event interface {
	// EventType is the member type.
	EventType() string
}

// Runs. A run is what AgentStart and AgentEnd enclose, and is made of turns: one answer of the
// model each, and the results of its calls.
type (
	// AgentStart opens a run.
	AgentStart struct{}

	// AgentEnd closes it. Another run may follow of itself: after a retry or a compaction.
	AgentEnd struct {
		Messages    []message.Message `json:"messages"`             // that the run has added
		SessionID   string            `json:"sessionId"`            // +
		SessionFile string            `json:"sessionFile,omitzero"` // +
	}

	// TurnStart opens a turn.
	TurnStart struct {
		TurnIndex int   `json:"turnIndex"` // + 0 for the first of the run
		Timestamp int64 `json:"timestamp"` // +
	}

	// TurnEnd closes it.
	TurnEnd struct {
		TurnIndex   int                  `json:"turnIndex"`   // +
		Message     message.Message      `json:"message"`     // of the model
		ToolResults []message.ToolResult `json:"toolResults"` // in the order of their ends
	}
)

// Messages.
type (
	// MessageStart opens a message. Only that of the model is not whole yet.
	MessageStart struct {
		Message message.Message `json:"message"`
	}

	// MessageUpdate is more of the message of the model.
	MessageUpdate struct {
		AssistantMessageEvent AssistantMessageEvent `json:"assistantMessageEvent"`
		Message               message.Message       `json:"message"` // so far
	}

	// MessageEnd closes it.
	MessageEnd struct {
		Message message.Message `json:"message"`
	}

	// AssistantMessageEvent is one of BlockStart, BlockDelta, BlockEnd and ToolCallEnd.
	AssistantMessageEvent interface{ blockEvent() }

	// BlockStart opens a block of the content. They come one after another.
	BlockStart struct {
		Type         string            `json:"type"` // text_start, thinking_start, toolcall_start
		ContentIndex int               `json:"contentIndex"`
		Partial      message.Assistant `json:"partial"`
	}

	// BlockDelta is more of it.
	BlockDelta struct {
		Type         string            `json:"type"` // text_delta, thinking_delta, toolcall_delta
		ContentIndex int               `json:"contentIndex"`
		Delta        string            `json:"delta"` // of a call: of its arguments as JSON
		Partial      message.Assistant `json:"partial"`
	}

	// BlockEnd closes a text or a thought.
	BlockEnd struct {
		Type         string            `json:"type"` // text_end, thinking_end
		ContentIndex int               `json:"contentIndex"`
		Content      string            `json:"content"` // all of it
		Partial      message.Assistant `json:"partial"`
	}

	// ToolCallEnd closes a call.
	ToolCallEnd struct {
		Type         string            `json:"type"` // toolcall_end
		ContentIndex int               `json:"contentIndex"`
		ToolCall     message.ToolCall  `json:"toolCall"`
		Partial      message.Assistant `json:"partial"`
	}
)

// The types of an AssistantMessageEvent.
const (
	TextStart     = "text_start"
	TextDelta     = "text_delta"
	TextEnd       = "text_end"
	ThinkingStart = "thinking_start"
	ThinkingDelta = "thinking_delta"
	ThinkingEnd   = "thinking_end"
	CallStart     = "toolcall_start"
	CallDelta     = "toolcall_delta"
	CallEnd       = "toolcall_end"
)

// Tools.
type (
	// ToolExecutionStart opens a call. ToolExecutionEnd follows, whatever becomes of it.
	ToolExecutionStart struct {
		ToolCallID string         `json:"toolCallId"`
		ToolName   string         `json:"toolName"`
		Args       jsontext.Value `json:"args"` // an object
		Intent     string         `json:"intent,omitzero"`
	}

	// ToolExecutionUpdate is what there is of the result so far.
	ToolExecutionUpdate struct {
		ToolCallID    string         `json:"toolCallId"`
		ToolName      string         `json:"toolName"`
		Args          jsontext.Value `json:"args"`
		PartialResult message.Result `json:"partialResult"`
	}

	// ToolExecutionEnd closes it. A message.ToolResult follows at once.
	ToolExecutionEnd struct {
		ToolCallID string         `json:"toolCallId"`
		ToolName   string         `json:"toolName"`
		Result     message.Result `json:"result"`
		IsError    bool           `json:"isError"`
	}
)

// Compaction, retries and fallbacks.
type (
	// AutoCompactionStart is followed by AutoCompactionEnd.
	AutoCompactionStart struct {
		Reason CompactionReason `json:"reason"`
		Action string           `json:"action"` // ActionContextFull or handoff
	}

	// CompactionReason is why: threshold, overflow or idle.
	CompactionReason string

	// AutoCompactionEnd reports its result.
	AutoCompactionEnd struct {
		Action       string                    `json:"action"`
		Result       *message.CompactionResult `json:"result,omitzero"` // of a success
		Aborted      bool                      `json:"aborted"`
		WillRetry    bool                      `json:"willRetry"` // the request that was too long
		ErrorMessage string                    `json:"errorMessage,omitzero"`
		Skipped      bool                      `json:"skipped,omitzero"` // there was nothing to do
	}

	// AutoRetryStart opens the wait before a run is tried again.
	AutoRetryStart struct {
		Attempt      int    `json:"attempt"` // 1, 2 …
		MaxAttempts  int    `json:"maxAttempts"`
		DelayMS      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
	}

	// AutoRetryEnd reports the result of all attempts.
	AutoRetryEnd struct {
		Success    bool   `json:"success"`
		Attempt    int    `json:"attempt"`
		FinalError string `json:"finalError,omitzero"`
	}

	// RetryFallbackApplied reports that another model is asked. +
	RetryFallbackApplied struct {
		From string `json:"from"`
		To   string `json:"to"`
		Role string `json:"role"`
	}

	// RetryFallbackSucceeded reports that it has answered. +
	RetryFallbackSucceeded struct {
		Model string `json:"model"`
		Role  string `json:"role"`
	}
)

// The reasons and the action of a compaction.
const (
	CompactionThreshold CompactionReason = "threshold"
	CompactionOverflow  CompactionReason = "overflow"
	CompactionIdle      CompactionReason = "idle"

	ActionContextFull = "context-full"
)

// Rules and todos.
type (
	// TTSRTriggered reports that an answer broke rules, and is begun again.
	TTSRTriggered struct {
		Rules []Rule `json:"rules"`
	}

	// Rule is one of them.
	Rule struct {
		Name          string     `json:"name"`
		Path          string     `json:"path"`
		Content       string     `json:"content"`
		AlwaysApply   bool       `json:"alwaysApply"`
		Description   string     `json:"description,omitzero"`
		Globs         []string   `json:"globs,omitzero"`
		Condition     []string   `json:"condition"`
		Scope         []string   `json:"scope,omitzero"`
		InterruptMode string     `json:"interruptMode,omitzero"`
		Source        RuleSource `json:"_source"`
	}

	// RuleSource is where a rule is from.
	RuleSource struct {
		ProviderName string `json:"providerName"`
		Path         string `json:"path"`
		Level        string `json:"level"` // project or user
	}

	// TodoReminder reports that the model is reminded of what it left undone.
	TodoReminder struct {
		Todos       []message.Todo `json:"todos"`
		Attempt     int            `json:"attempt"`
		MaxAttempts int            `json:"maxAttempts"`
	}

	// TodoAutoClear reports that a finished task is gone. +
	TodoAutoClear struct{}
)

// EventType returns the member type.
func (Ready) EventType() string { return "ready" }

// EventType returns the member type.
func (Response) EventType() string { return "response" }

// EventType returns the member type.
func (AgentStart) EventType() string { return "agent_start" }

// EventType returns the member type.
func (AgentEnd) EventType() string { return "agent_end" }

// EventType returns the member type.
func (TurnStart) EventType() string { return "turn_start" }

// EventType returns the member type.
func (TurnEnd) EventType() string { return "turn_end" }

// EventType returns the member type.
func (MessageStart) EventType() string { return "message_start" }

// EventType returns the member type.
func (MessageUpdate) EventType() string { return "message_update" }

// EventType returns the member type.
func (MessageEnd) EventType() string { return "message_end" }

// EventType returns the member type.
func (ToolExecutionStart) EventType() string { return "tool_execution_start" }

// EventType returns the member type.
func (ToolExecutionUpdate) EventType() string { return "tool_execution_update" }

// EventType returns the member type.
func (ToolExecutionEnd) EventType() string { return "tool_execution_end" }

// EventType returns the member type.
func (AutoCompactionStart) EventType() string { return "auto_compaction_start" }

// EventType returns the member type.
func (AutoCompactionEnd) EventType() string { return "auto_compaction_end" }

// EventType returns the member type.
func (AutoRetryStart) EventType() string { return "auto_retry_start" }

// EventType returns the member type.
func (AutoRetryEnd) EventType() string { return "auto_retry_end" }

// EventType returns the member type.
func (RetryFallbackApplied) EventType() string { return "retry_fallback_applied" }

// EventType returns the member type.
func (RetryFallbackSucceeded) EventType() string { return "retry_fallback_succeeded" }

// EventType returns the member type.
func (TTSRTriggered) EventType() string { return "ttsr_triggered" }

// EventType returns the member type.
func (TodoReminder) EventType() string { return "todo_reminder" }

// EventType returns the member type.
func (TodoAutoClear) EventType() string { return "todo_auto_clear" }

func (BlockStart) blockEvent()  {}
func (BlockDelta) blockEvent()  {}
func (BlockEnd) blockEvent()    {}
func (ToolCallEnd) blockEvent() {}
