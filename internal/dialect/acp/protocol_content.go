package acp

import "github.com/go-json-experiment/json/jsontext"

// This file has what prompts and messages consist of, and tool calls.

// A ContentBlock is a part of a prompt or a message. Its type decides which members it has.
type ContentBlock struct {
	Type     string    `json:"type" enum:"text,image,audio,resource_link,resource"`
	Text     *string   `json:"text,omitzero"`     // text
	Data     *string   `json:"data,omitzero"`     // image, audio: base64
	MIMEType *string   `json:"mimeType,omitzero"` // image, audio, resource_link
	URI      *string   `json:"uri,omitzero"`      // image, resource_link
	Name     *string   `json:"name,omitzero"`     // resource_link
	Resource *Resource `json:"resource,omitzero"` // resource
}

// A Resource is a file or another text that the client sends with a prompt: it has a text or data.
type Resource struct {
	URI      string  `json:"uri"`
	MIMEType *string `json:"mimeType,omitzero"`
	Text     *string `json:"text,omitzero"`
	Blob     *string `json:"blob,omitzero"` // base64
}

// A ToolCall is a call of a tool. In an update, and in a request for permission, what is absent has not changed.
type ToolCall struct {
	SessionUpdate string         `json:"sessionUpdate,omitzero"` // tool_call, tool_call_update; "" in a request for permission
	ToolCallID    string         `json:"toolCallId"`
	Title         string         `json:"title,omitzero"`
	Name          string         `json:"name,omitzero"`
	Kind          ToolKind       `json:"kind,omitzero"`
	Status        ToolStatus     `json:"status,omitzero"`
	Content       []ToolContent  `json:"content,omitzero"`
	Locations     []Location     `json:"locations,omitzero"`
	RawInput      jsontext.Value `json:"rawInput,omitzero"`
	RawOutput     *RawOutput     `json:"rawOutput,omitzero"`
	Meta          *ToolCallMeta  `json:"_meta,omitzero"`
}

// A ToolKind is what a tool does, for icons and for clients that decide by it.
type ToolKind string

// The kinds.
const (
	KindRead       ToolKind = "read"
	KindEdit       ToolKind = "edit"
	KindDelete     ToolKind = "delete"
	KindMove       ToolKind = "move"
	KindSearch     ToolKind = "search"
	KindExecute    ToolKind = "execute"
	KindThink      ToolKind = "think"
	KindFetch      ToolKind = "fetch"
	KindSwitchMode ToolKind = "switch_mode"
	KindOther      ToolKind = "other"
)

// A ToolStatus is the state of a call.
type ToolStatus string

// The states. Nothing follows one of the last two.
const (
	ToolPending    ToolStatus = "pending"
	ToolInProgress ToolStatus = "in_progress"
	ToolCompleted  ToolStatus = "completed"
	ToolFailed     ToolStatus = "failed"
)

// A Location is a file that a call is about.
type Location struct {
	Path string `json:"path"`          // absolute
	Line int    `json:"line,omitzero"` // from 1; 0: not known
}

// RawOutput is what the model reads of a call.
type RawOutput struct {
	Text     string `json:"text"`
	ExitCode *int   `json:"exitCode,omitzero"` // of a command
}

// ToolContent is ContentOfTool, DiffOfTool or TerminalOfTool.
type ToolContent interface{ toolContent() }

// ContentOfTool is a text or a picture.
type ContentOfTool struct {
	Type    string       `json:"type"` // content
	Content ContentBlock `json:"content"`
}

// DiffOfTool is the change of a file.
type DiffOfTool struct {
	Type    string  `json:"type"`    // diff
	Path    string  `json:"path"`    // absolute
	OldText *string `json:"oldText"` // null: the file is new
	NewText string  `json:"newText"` // "": the file was deleted

	deleted bool
	patch   string // the unified diff; "": not known
}

// TerminalOfTool is a command in a terminal of the client.
type TerminalOfTool struct {
	Type       string `json:"type"` // terminal
	TerminalID string `json:"terminalId"`
}

func (ContentOfTool) toolContent()  {}
func (DiffOfTool) toolContent()     {}
func (TerminalOfTool) toolContent() {}

// ToolCallMeta is what the protocol has no member for in a ToolCall.
type ToolCallMeta struct {
	TerminalInfo   *TerminalInfo       `json:"terminal_info,omitzero"`
	TerminalOutput *TerminalOutput     `json:"terminal_output,omitzero"`
	TerminalExit   *TerminalExit       `json:"terminal_exit,omitzero"`
	Parley         *ParleyToolCallMeta `json:"parley.dev,omitzero"`
}

// TerminalInfo begins the output of a command that the agent runs.
type TerminalInfo struct {
	TerminalID string `json:"terminal_id"`
	Cwd        string `json:"cwd,omitzero"`
}

// TerminalOutput is new output of a command that the agent runs.
type TerminalOutput struct {
	TerminalID string `json:"terminal_id"`
	Data       string `json:"data"`
}

// TerminalExit is how a command that the agent runs has ended.
type TerminalExit struct {
	TerminalID string  `json:"terminal_id"`
	ExitCode   *int    `json:"exit_code"`
	Signal     *string `json:"signal"`
}

// ParleyToolCallMeta is the subagent that a call is of.
type ParleyToolCallMeta struct {
	Parent string `json:"parent"` // the call that the subagent works for
	Agent  string `json:"agent"`
}
