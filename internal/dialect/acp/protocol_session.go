package acp

import "github.com/go-json-experiment/json/jsontext"

// This file has the requests about sessions.

// NewSessionParams make a session (session/new).
type NewSessionParams struct {
	Cwd                   string      `json:"cwd"` // an absolute path
	MCPServers            []MCPServer `json:"mcpServers"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitzero"` // absolute paths
}

// NewSessionResult is a session.
type NewSessionResult struct {
	SessionID     string         `json:"sessionId"`
	Modes         *Modes         `json:"modes"`
	ConfigOptions []ConfigOption `json:"configOptions"`
}

// LoadSessionParams open a session (session/load), whose past is sent.
type LoadSessionParams struct {
	SessionID             string      `json:"sessionId"`
	Cwd                   string      `json:"cwd"`
	MCPServers            []MCPServer `json:"mcpServers"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitzero"`
}

// ResumeSessionParams open a session without its past (session/resume).
type ResumeSessionParams struct {
	SessionID             string      `json:"sessionId"`
	Cwd                   string      `json:"cwd"`
	MCPServers            []MCPServer `json:"mcpServers,omitzero"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitzero"`
}

// OpenedSession is a session that was opened again.
type OpenedSession struct {
	Modes         *Modes         `json:"modes"`
	ConfigOptions []ConfigOption `json:"configOptions"`
}

// SessionParams name a session (session/close, session/delete; unstable: session/archive, session/unarchive, session/status).
type SessionParams struct {
	SessionID string `json:"sessionId"`
}

// ListSessionsParams select sessions (session/list).
type ListSessionsParams struct {
	Cwd      string `json:"cwd,omitzero"` // an absolute path; "": all sessions
	Cursor   string `json:"cursor,omitzero"`
	Archived string `json:"archived,omitzero" enum:"exclude,include,only"` // unstable
}

// ListSessionsResult is a page of sessions, the one used last first.
type ListSessionsResult struct {
	Sessions   []SessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitzero"`
}

// SessionInfo is a session in a list.
type SessionInfo struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Title     string `json:"title,omitzero"`
	UpdatedAt string `json:"updatedAt,omitzero"` // RFC 3339, UTC
	Archived  bool   `json:"archived,omitzero"`  // unstable
}

// ForkSessionParams make a session of the past of another (session/fork), unstable. The answer is NewSessionResult.
type ForkSessionParams struct {
	SessionID             string      `json:"sessionId"`
	Cwd                   string      `json:"cwd"`
	MCPServers            []MCPServer `json:"mcpServers,omitzero"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitzero"`
}

// SetTitleParams name a session (session/set_title), unstable.
type SetTitleParams struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
}

// SetTitleResult is the title as it is now.
type SetTitleResult struct {
	Title string `json:"title"`
}

// SessionStatusResult is whether a session is open (session/status), unstable.
type SessionStatusResult struct {
	Status string `json:"status" enum:"open,saved"`
}

// An MCPServer is a tool server of a session: a program, whose type is absent or stdio, or an address.
type MCPServer struct {
	Type    string         `json:"type,omitzero" enum:"http,sse,stdio"`
	Name    string         `json:"name"`
	Command string         `json:"command,omitzero"`
	Args    []string       `json:"args,omitzero"`
	Env     []NameAndValue `json:"env,omitzero"`
	URL     string         `json:"url,omitzero"`
	Headers []NameAndValue `json:"headers,omitzero"`
}

// A NameAndValue is an environment variable or a header.
type NameAndValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Modes are the modes of a session.
type Modes struct {
	CurrentModeID  string `json:"currentModeId"`
	AvailableModes []Mode `json:"availableModes"`
}

// A Mode decides what runs without approval.
type Mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// SetModeParams change the mode (session/set_mode).
type SetModeParams struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// A ConfigOption is a setting of a session that clients show as a list of values.
type ConfigOption struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	Description  string        `json:"description,omitzero"`
	Category     string        `json:"category"`
	Type         string        `json:"type"` // select
	CurrentValue string        `json:"currentValue"`
	Options      []ConfigValue `json:"options"`
}

// A ConfigValue is a value of a ConfigOption.
type ConfigValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// SetConfigOptionParams change an option (session/set_config_option).
type SetConfigOptionParams struct {
	SessionID string         `json:"sessionId"`
	ConfigID  string         `json:"configId"`
	Type      string         `json:"type,omitzero"` // boolean; "": Value is a string
	Value     jsontext.Value `json:"value"`
}

// SetConfigOptionResult has all options.
type SetConfigOptionResult struct {
	ConfigOptions []ConfigOption `json:"configOptions"`
}

// PromptParams begin a turn (session/prompt).
type PromptParams struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// PromptResult is how the turn ended. Usage is of the unstable part.
type PromptResult struct {
	StopReason StopReason  `json:"stopReason"`
	Usage      *Usage      `json:"usage,omitzero"`
	Meta       *PromptMeta `json:"_meta,omitzero"`
}

// A StopReason is why a turn ended.
type StopReason string

// The reasons.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)

// Usage is the tokens of a turn.
type Usage struct {
	TotalTokens       int `json:"totalTokens"`
	InputTokens       int `json:"inputTokens"`
	OutputTokens      int `json:"outputTokens"`
	ThoughtTokens     int `json:"thoughtTokens,omitzero"`
	CachedReadTokens  int `json:"cachedReadTokens,omitzero"`
	CachedWriteTokens int `json:"cachedWriteTokens,omitzero"`
}

// PromptMeta is what the protocol has no member for in a PromptResult.
type PromptMeta struct {
	Parley ParleyPromptMeta `json:"parley.dev"`
}

// ParleyPromptMeta is more about how a turn ended.
type ParleyPromptMeta struct {
	Reason string `json:"reason,omitzero"` // budget: what was used up
	Usage  *Usage `json:"usage,omitzero"`
}

// CancelParams name the session whose turn is to end (session/cancel).
type CancelParams struct {
	SessionID string `json:"sessionId"`
}

// SteerParams talk into a running turn (_session/steering).
type SteerParams struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
	Meta      SteerMeta      `json:"_meta,omitzero"`
}

// SteerMeta is how to steer.
type SteerMeta struct {
	Steering SteerOptions `json:"steering,omitzero"`
}

// SteerOptions is what to do when no turn runs.
type SteerOptions struct {
	IdleBehavior string `json:"idleBehavior,omitzero"` // promptRequired: nothing
}

// SteerResult is the outcome of a steer.
type SteerResult struct {
	Outcome string `json:"outcome"`         // injected, startedNewTurn, promptRequired
	Reason  string `json:"reason,omitzero"` // of promptRequired: noRunningTurn
}
