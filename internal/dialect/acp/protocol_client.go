package acp

import "github.com/go-json-experiment/json/jsontext"

// This file has the requests to the client.

// PermissionParams ask for an approval (session/request_permission).
type PermissionParams struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCall           `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
}

// A PermissionOption is an answer to choose.
type PermissionOption struct {
	OptionID string         `json:"optionId"`
	Name     string         `json:"name"`
	Kind     PermissionKind `json:"kind"`
}

// A PermissionKind is the effect of an option.
type PermissionKind string

// The kinds.
const (
	AllowOnce    PermissionKind = "allow_once"
	AllowAlways  PermissionKind = "allow_always"
	RejectOnce   PermissionKind = "reject_once"
	RejectAlways PermissionKind = "reject_always"
)

// PermissionResult is the answer.
type PermissionResult struct {
	Outcome PermissionOutcome `json:"outcome"`
}

// A PermissionOutcome is the option that the user has chosen, or that the turn was cancelled.
type PermissionOutcome struct {
	Outcome  string `json:"outcome" enum:"selected,cancelled"`
	OptionID string `json:"optionId,omitzero"`
}

// ReadTextFileParams read a file with what is not saved yet (fs/read_text_file).
type ReadTextFileParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
}

// ReadTextFileResult is the whole text.
type ReadTextFileResult struct {
	Content string `json:"content"`
}

// WriteTextFileParams write a whole file (fs/write_text_file).
type WriteTextFileParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"` // absolute
	Content   string `json:"content"`
}

// CreateTerminalParams start a command (terminal/create).
type CreateTerminalParams struct {
	SessionID       string         `json:"sessionId"`
	Command         string         `json:"command"`
	Args            []string       `json:"args,omitzero"`
	Env             []NameAndValue `json:"env,omitzero"`
	Cwd             string         `json:"cwd,omitzero"`
	OutputByteLimit int            `json:"outputByteLimit,omitzero"`
}

// CreateTerminalResult is a terminal whose command runs.
type CreateTerminalResult struct {
	TerminalID string `json:"terminalId"`
}

// TerminalParams name a terminal (terminal/output, terminal/wait_for_exit, terminal/kill, terminal/release).
type TerminalParams struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// TerminalOutputResult is what a command has written.
type TerminalOutputResult struct {
	Output     string      `json:"output"`
	Truncated  bool        `json:"truncated"`
	ExitStatus *ExitStatus `json:"exitStatus,omitzero"`
}

// An ExitStatus is how a command has ended.
type ExitStatus struct {
	ExitCode *int    `json:"exitCode,omitzero"`
	Signal   *string `json:"signal,omitzero"`
}

// ElicitationParams ask the user (elicitation/create): by a form, or to open an address.
type ElicitationParams struct {
	Mode            string         `json:"mode" enum:"form,url"`
	Message         string         `json:"message"`
	RequestedSchema *FormSchema    `json:"requestedSchema,omitzero"` // of a form
	ElicitationID   string         `json:"elicitationId,omitzero"`   // of an address
	URL             string         `json:"url,omitzero"`
	RequestID       jsontext.Value `json:"requestId,omitzero"` // of authenticate
	SessionID       string         `json:"sessionId,omitzero"`
	ToolCallID      string         `json:"toolCallId,omitzero"`
}

// A FormSchema is what to fill in.
type FormSchema struct {
	Type       string         `json:"type"` // object
	Properties FormProperties `json:"properties"`
	Required   []string       `json:"required,omitzero"`
}

// A FormField is a text, or a choice of one or several.
type FormField struct {
	Type        string       `json:"type"` // string, array
	Title       string       `json:"title,omitzero"`
	Description string       `json:"description,omitzero"`
	OneOf       []FormChoice `json:"oneOf,omitzero"` // of a string
	Items       *FormItems   `json:"items,omitzero"` // of an array
}

// FormItems are the choices of which several may be chosen.
type FormItems struct {
	AnyOf []FormChoice `json:"anyOf"`
}

// A FormChoice is a value to choose.
type FormChoice struct {
	Const       string `json:"const"`
	Title       string `json:"title"`
	Description string `json:"description,omitzero"`
}

// ElicitationResult is what the user did.
type ElicitationResult struct {
	Action  string                    `json:"action" enum:"accept,decline,cancel"`
	Content map[string]jsontext.Value `json:"content,omitzero"`
}

// ElicitationCompleteParams report that what an address was for is done (elicitation/complete).
type ElicitationCompleteParams struct {
	ElicitationID string `json:"elicitationId"`
}
