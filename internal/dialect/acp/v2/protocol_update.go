package v2

import "github.com/go-json-experiment/json/jsontext"

// This file has the kinds of updates of sessions that differ.

// A Message is a whole message.
type Message struct {
	SessionUpdate string           `json:"sessionUpdate"` // user_message
	MessageID     string           `json:"messageId"`
	Content       []jsontext.Value `json:"content,omitzero"`
}

// A StateUpdate is what a session is doing.
type StateUpdate struct {
	SessionUpdate string `json:"sessionUpdate"` // state_update
	State         string `json:"state"`         // running, requires_action, idle
	StopReason    string `json:"stopReason,omitzero"`
	Error         *Error `json:"error,omitzero"` // of the stopReason error
}

// An Error is why a turn failed.
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
}

// A ToolCall is a call of a tool. The first update creates it; what is absent has not changed.
type ToolCall struct {
	SessionUpdate string           `json:"sessionUpdate,omitzero"` // tool_call_update; "" in a request for permission
	ToolCallID    string           `json:"toolCallId"`
	Title         string           `json:"title,omitzero"`
	Name          string           `json:"name,omitzero"`
	Kind          string           `json:"kind,omitzero"`
	Status        string           `json:"status,omitzero"`
	Content       []any            `json:"content,omitzero"`
	Locations     []jsontext.Value `json:"locations,omitzero"`
	RawInput      jsontext.Value   `json:"rawInput,omitzero"`
	RawOutput     jsontext.Value   `json:"rawOutput,omitzero"`
	Meta          jsontext.Value   `json:"_meta,omitzero"`
}

// A Diff is the change of a file.
type Diff struct {
	Type    string       `json:"type"` // diff
	Changes []DiffChange `json:"changes"`
	Patch   *Patch       `json:"patch,omitzero"`
}

// A DiffChange is what is done to a file.
type DiffChange struct {
	Operation string `json:"operation"` // add, delete, modify
	Path      string `json:"path"`
}

// A Patch is the text of a change.
type Patch struct {
	Format string `json:"format"` // git_patch
	Text   string `json:"text"`
}

// PlanUpdate is the whole plan.
type PlanUpdate struct {
	SessionUpdate string `json:"sessionUpdate"` // plan_update
	Plan          Plan   `json:"plan"`
}

// A Plan is a list of tasks.
type Plan struct {
	Type    string           `json:"type"` // items
	PlanID  string           `json:"planId"`
	Entries []jsontext.Value `json:"entries"`
}

// AvailableCommandsUpdate is all slash commands.
type AvailableCommandsUpdate struct {
	SessionUpdate     string    `json:"sessionUpdate"` // available_commands_update
	AvailableCommands []Command `json:"availableCommands"`
}

// A Command is what a prompt that begins with its name after a slash does.
type Command struct {
	Type        string        `json:"type"` // command
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *CommandInput `json:"input,omitzero"`
}

// A CommandInput describes what may follow the name of a command.
type CommandInput struct {
	Type string `json:"type"` // text
	Hint string `json:"hint"`
}

// ConfigOptionUpdate is all options, of which one has changed.
type ConfigOptionUpdate struct {
	SessionUpdate string         `json:"sessionUpdate"` // config_option_update
	ConfigOptions []ConfigOption `json:"configOptions"`
}
