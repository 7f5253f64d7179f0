package acp

import "github.com/go-json-experiment/json/jsontext"

type updateParams struct {
	SessionID string         `json:"sessionId"`
	Update    jsontext.Value `json:"update"`
}

// update has the members of all kinds of session/update that are read.
type update struct {
	Kind              string         `json:"sessionUpdate"`
	MessageID         string         `json:"messageId"`
	Content           jsontext.Value `json:"content"` // a block, or of calls a list
	Entries           []planEntry    `json:"entries"`
	Used              int            `json:"used"`
	Size              int            `json:"size"`
	Cost              *cost          `json:"cost"`
	CurrentModeID     string         `json:"currentModeId"`
	ConfigOptions     []configOption `json:"configOptions"`
	AvailableCommands []struct {
		Name string `json:"name"`
	} `json:"availableCommands"`
	Severity    string    `json:"severity"` // of a notice: info, warning, error
	Description string    `json:"description"`
	Summary     []content `json:"summary"` // of a compaction_update
	toolCall              // Title is that of a notice, too, and Status that of a compaction
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// toolCall is a call of a tool, or what changed of it: nil members did not.
type toolCall struct {
	ID        string         `json:"toolCallId"`
	Title     string         `json:"title"`
	Name      string         `json:"name"`
	ToolKind  string         `json:"kind"`   // read, edit, delete, move, search, execute, think, fetch, switch_mode, other
	Status    string         `json:"status"` // pending, in_progress, completed, failed
	Locations []location     `json:"locations"`
	RawInput  jsontext.Value `json:"rawInput"`
	RawOutput jsontext.Value `json:"rawOutput"`
	Meta      jsontext.Value `json:"_meta"` // callMeta, and anything else
}

// callMeta is not in the schema. The terminals are those of codex-acp and claude-agent-acp, whose terminal_output is the next piece.
type callMeta struct {
	TerminalInfo        *terminalInfo   `json:"terminal_info"`
	TerminalOutput      *terminalOutput `json:"terminal_output"`
	TerminalOutputDelta *terminalOutput `json:"terminal_output_delta"`
	TerminalExit        *terminalExit   `json:"terminal_exit"`
	ClaudeCode          struct {
		ToolName string `json:"toolName"`
	} `json:"claudeCode"`
}

type terminalInfo struct {
	Cwd string `json:"cwd"`
}

type terminalOutput struct {
	Data string `json:"data"`
}

type terminalExit struct {
	ExitCode *int   `json:"exit_code"`
	Signal   string `json:"signal"`
}

type location struct {
	Path string `json:"path"`
}

type planEntry struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// toolContent is what a call has brought.
type toolContent struct {
	Type    string  `json:"type"` // content, diff, terminal
	Content content `json:"content"`
	Path    string  `json:"path"`
	OldText *string `json:"oldText"`
	NewText string  `json:"newText"`
}

type permissionParams struct {
	SessionID string             `json:"sessionId"`
	ToolCall  permissionCall     `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

// permissionCall is a toolCall with its content.
type permissionCall struct {
	toolCall
	Content jsontext.Value `json:"content"`
}

type permissionOption struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

type permissionResult struct {
	Outcome outcome `json:"outcome"`
}

type outcome struct {
	Outcome  string `json:"outcome"` // selected or cancelled
	OptionID string `json:"optionId,omitzero"`
}
