package pisces

import "github.com/go-json-experiment/json/jsontext"

// This file contains the tools that the client runs, of omp 18. +

// Tools of the client.
type (
	// SetHostTools replaces the tools that the client runs, from the next call of the model on.
	SetHostTools struct {
		Tools []HostTool `json:"tools"`
	}

	// HostTool is one of them.
	HostTool struct {
		Name        string         `json:"name"` // letters, digits, _ and -, at most 64; no other tool has it
		Description string         `json:"description"`
		Parameters  jsontext.Value `json:"parameters"`      // JSON Schema of the arguments
		Hidden      bool           `json:"hidden,omitzero"` // it is not offered to the model
	}

	// HostTools is of set_host_tools.
	HostTools struct {
		ToolNames []string `json:"toolNames"`
	}
)

// Calls of these tools. Each HostToolCall is followed by a HostToolResult of the client, or by
// a HostToolCancel.
type (
	// HostToolCall asks the client to run a tool.
	HostToolCall struct {
		ID         string         `json:"id"`
		ToolCallID string         `json:"toolCallId"` // as in ToolExecutionStart
		ToolName   string         `json:"toolName"`
		Arguments  jsontext.Value `json:"arguments"`
	}

	// HostToolCancel withdraws a HostToolCall: its result is not needed any more.
	HostToolCancel struct {
		ID       string `json:"id"`
		TargetID string `json:"targetId"` // of the HostToolCall
	}

	// HostToolUpdate is a line of the client: the result of a running call so far.
	HostToolUpdate struct {
		ID            string     `json:"id"` // of the HostToolCall
		PartialResult HostResult `json:"partialResult"`
	}

	// HostToolResult is a line of the client: it ends a HostToolCall.
	HostToolResult struct {
		ID      string     `json:"id"` // of the HostToolCall
		Result  HostResult `json:"result"`
		IsError bool       `json:"isError,omitzero"`
	}

	// HostResult is what a tool of the client returned.
	HostResult struct {
		Content []jsontext.Value `json:"content"`          // texts and images
		Details jsontext.Value   `json:"details,omitzero"` // for clients, of any form
	}
)

// The types of lines of the client that are no commands.
const (
	TypeHostToolUpdate = "host_tool_update"
	TypeHostToolResult = "host_tool_result"
)

// EventType returns the member type.
func (HostToolCall) EventType() string { return "host_tool_call" }

// EventType returns the member type.
func (HostToolCancel) EventType() string { return "host_tool_cancel" }
