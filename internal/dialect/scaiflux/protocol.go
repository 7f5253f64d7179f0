package scaiflux

import "github.com/go-json-experiment/json/jsontext"

// This file contains the wire as Go types and nothing else. Source: "Serve mode protocol",
// protocol 1. All objects are closed there: an unknown field is an error both ways, so no
// field may ever be added here. Null is an error on the way in, and never sent on the way
// out, unless a field says otherwise. Field order is wire order.

// Protocol is the protocol version, in ready.
const Protocol = 1

// Controller to server.
type (
	// Prompt starts a turn; refused while one runs.
	Prompt struct {
		Type string `json:"type"` // "prompt"
		Text string `json:"text"` // literal, also when it begins with a slash; not blank
	}

	// Slash runs a slash command; exactly one SlashResult answers it.
	Slash struct {
		Type    string `json:"type"`          // "slash"
		Command string `json:"command"`       // one leading slash is tolerated; case-sensitive
		Args    string `json:"args,omitzero"` // the rest of the line
	}

	// Interrupt cancels the running turn; a silent no-op when idle.
	Interrupt struct {
		Type string `json:"type"` // "interrupt"
	}

	// PermissionResponse answers the PermissionRequest of the same id.
	PermissionResponse struct {
		Type      string  `json:"type"` // "permission_response"
		RequestID string  `json:"request_id"`
		Decision  string  `json:"decision" enum:"allow,deny"`
		Reason    *string `json:"reason,omitzero"` // null allowed; used on deny; blank counts as absent
	}

	// Shutdown is the same as the end of input.
	Shutdown struct {
		Type string `json:"type"` // "shutdown"
	}
)

// Server to controller.
type (
	// Ready is the first event, exactly once.
	Ready struct {
		Type          string   `json:"type"` // "ready"
		Protocol      int      `json:"protocol"`
		Version       string   `json:"version"`
		SessionID     string   `json:"session_id"`
		Model         string   `json:"model"` // "" if there is none
		Mode          string   `json:"mode"`
		Tools         []string `json:"tools"`          // names, sorted
		ContextWindow int      `json:"context_window"` // tokens
		MaxTokens     int      `json:"max_tokens"`     // output cap of a model call
		Gadgets       []string `json:"gadgets"`        // enabled, sorted
	}

	// TurnStarted opens a turn.
	TurnStarted struct {
		Type   string `json:"type"` // "turn_started"
		TurnID string `json:"turn_id"`
	}

	// TextDelta is a piece of the answer, never empty.
	TextDelta struct {
		Type   string `json:"type"` // "text_delta"
		TurnID string `json:"turn_id"`
		Delta  string `json:"delta"`
	}

	// ToolStart opens a tool call.
	ToolStart struct {
		Type   string         `json:"type"` // "tool_start"
		TurnID string         `json:"turn_id"`
		ToolID string         `json:"tool_id"`
		Name   string         `json:"name"`
		Input  jsontext.Value `json:"input"` // an object; {"_raw":"…"} if the model wrote none
	}

	// ToolResult closes the ToolStart of the same ToolID, exactly once, whatever became of
	// the call: run, denied, interrupted, unknown tool.
	ToolResult struct {
		Type      string  `json:"type"` // "tool_result"
		TurnID    string  `json:"turn_id"`
		ToolID    string  `json:"tool_id"`
		Output    string  `json:"output"` // what the model sees
		IsError   bool    `json:"is_error"`
		DurationS float64 `json:"duration_s"` // seconds of execution, without the approval wait
	}

	// PermissionRequest comes between the ToolStart and the ToolResult of an executable call.
	PermissionRequest struct {
		Type         string            `json:"type"` // "permission_request"
		RequestID    string            `json:"request_id"`
		Tool         string            `json:"tool"`
		ActiveMode   string            `json:"active_mode"`
		RequiredMode string            `json:"required_mode"` // read-only, workspace-write or danger-full-access
		Details      PermissionDetails `json:"details"`
	}

	// PermissionDetails has exactly these two keys.
	PermissionDetails struct {
		ToolInput jsontext.Value `json:"tool_input"`
		Reason    *string        `json:"reason"` // null if the mode covers the call
	}

	// TurnComplete closes a turn, exactly once, as its last event.
	TurnComplete struct {
		Type         string      `json:"type"` // "turn_complete"
		TurnID       string      `json:"turn_id"`
		StopReason   string      `json:"stop_reason"` // end_turn, interrupted, max_iterations, max_tokens, error
		Iterations   int         `json:"iterations"`  // tool rounds whose results went back to the model
		InputTokens  int         `json:"input_tokens"`
		OutputTokens int         `json:"output_tokens"`
		Mutations    [][2]string `json:"mutations"` // tool name, target; never null
	}

	// SlashResult answers a Slash.
	SlashResult struct {
		Type         string `json:"type"` // "slash_result"
		Command      string `json:"command"`
		Text         string `json:"text"`
		Data         any    `json:"data"` // an object or null
		ClearSession bool   `json:"clear_session"`
		Exit         bool   `json:"exit"`
	}

	// StateChanged has at least one field; what did not change is left out.
	StateChanged struct {
		Type          string    `json:"type"` // "state_changed"
		Model         *string   `json:"model,omitzero"`
		Mode          *string   `json:"mode,omitzero"`
		ContextPct    *int      `json:"context_pct,omitzero"`    // whole percent, 0 to 100
		ContextWindow *int      `json:"context_window,omitzero"` // tokens
		Gadgets       *[]string `json:"gadgets,omitzero"`        // the full new list
	}

	// Error is a failed turn (then TurnID is set) or a refused line.
	Error struct {
		Type    string `json:"type"` // "error"
		Code    string `json:"code"`
		Message string `json:"message"` // one sentence
		Origin  string `json:"origin"`  // local, remote or unknown
		TurnID  string `json:"turn_id,omitzero"`
	}
)
