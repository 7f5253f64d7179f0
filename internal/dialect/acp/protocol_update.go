package acp

// This file has the notification session/update, and its kinds besides tool calls.

// SessionUpdate is the params of session/update.
type SessionUpdate struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"` // one of the types of this file, or a ToolCall
}

// A MessageChunk is a part of a message.
type MessageChunk struct {
	SessionUpdate string       `json:"sessionUpdate"` // user_message_chunk, agent_message_chunk, agent_thought_chunk
	MessageID     string       `json:"messageId,omitzero"`
	Content       ContentBlock `json:"content"`
}

// PlanUpdate is the whole plan.
type PlanUpdate struct {
	SessionUpdate string      `json:"sessionUpdate"` // plan
	Entries       []PlanEntry `json:"entries"`
}

// A PlanEntry is a task of a plan.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority" enum:"high,medium,low"`
	Status   string `json:"status" enum:"pending,in_progress,completed"`
}

// AvailableCommandsUpdate is all slash commands.
type AvailableCommandsUpdate struct {
	SessionUpdate     string    `json:"sessionUpdate"` // available_commands_update
	AvailableCommands []Command `json:"availableCommands"`
}

// A Command is what a prompt that begins with its name after a slash does.
type Command struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *CommandInput `json:"input,omitzero"`
}

// A CommandInput describes what may follow the name of a command.
type CommandInput struct {
	Hint string `json:"hint"`
}

// CurrentModeUpdate is a new mode that the client has not set.
type CurrentModeUpdate struct {
	SessionUpdate string `json:"sessionUpdate"` // current_mode_update
	CurrentModeID string `json:"currentModeId"`
}

// ConfigOptionUpdate is all options, of which one has changed.
type ConfigOptionUpdate struct {
	SessionUpdate string         `json:"sessionUpdate"` // config_option_update
	ConfigOptions []ConfigOption `json:"configOptions"`
}

// SessionInfoUpdate is a new title.
type SessionInfoUpdate struct {
	SessionUpdate string `json:"sessionUpdate"` // session_info_update
	Title         string `json:"title,omitzero"`
	UpdatedAt     string `json:"updatedAt,omitzero"` // RFC 3339, UTC
}

// UsageUpdate is how full the context is, and what the session has cost.
type UsageUpdate struct {
	SessionUpdate string `json:"sessionUpdate"` // usage_update
	Used          int    `json:"used"`          // tokens
	Size          int    `json:"size"`          // tokens
	Cost          *Cost  `json:"cost,omitzero"`
}

// A Cost is an amount of money.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// A Notice is something that a person should know. It needs the capability session.notices.
type Notice struct {
	SessionUpdate string `json:"sessionUpdate"` // notice
	Severity      string `json:"severity" enum:"info,warning,error"`
	Title         string `json:"title"`
	Description   string `json:"description,omitzero"`
}

// CompactionUpdate is the state of a compaction. It needs the capability session.compaction.
type CompactionUpdate struct {
	SessionUpdate string         `json:"sessionUpdate"` // compaction_update
	CompactionID  string         `json:"compactionId"`
	Status        string         `json:"status" enum:"in_progress,completed,failed,cancelled"`
	Summary       []ContentBlock `json:"summary,omitzero"`
	Error         string         `json:"error,omitzero"`
}
