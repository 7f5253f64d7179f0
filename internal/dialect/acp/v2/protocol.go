package v2

import "github.com/go-json-experiment/json/jsontext"

// InitializeParams is what the client is and can do (initialize).
type InitializeParams struct {
	Capabilities ClientCapabilities `json:"capabilities,omitzero"`
	Info         Implementation     `json:"info"`
}

// An Implementation is a program that speaks the protocol.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitzero"`
	Version string `json:"version"`
}

// A Marker is a capability: it is there, or it is not.
type Marker struct{}

// ClientCapabilities is what may be asked of the client.
type ClientCapabilities struct {
	Auth struct {
		Terminal *Marker `json:"terminal,omitzero"`
	} `json:"auth,omitzero"`
	Elicitation struct {
		Form *Marker `json:"form,omitzero"`
		URL  *Marker `json:"url,omitzero"`
	} `json:"elicitation,omitzero"`
}

// InitializeResult is what the agent is and can do.
type InitializeResult struct {
	ProtocolVersion int               `json:"protocolVersion"`
	Info            Implementation    `json:"info"`
	Capabilities    AgentCapabilities `json:"capabilities"`
	AuthMethods     []AuthMethod      `json:"authMethods,omitzero"`
	Meta            jsontext.Value    `json:"_meta,omitzero"`
}

// AgentCapabilities is what a client may ask for.
type AgentCapabilities struct {
	Session SessionCapabilities `json:"session"`
	Auth    Marker              `json:"auth"`
}

// SessionCapabilities are the optional parts of sessions.
type SessionCapabilities struct {
	Prompt                PromptCapabilities `json:"prompt"`
	MCP                   MCPCapabilities    `json:"mcp"`
	Delete                Marker             `json:"delete"`
	AdditionalDirectories Marker             `json:"additionalDirectories"`
}

// PromptCapabilities are the content blocks of prompts besides texts and links.
type PromptCapabilities struct {
	Image           *Marker `json:"image,omitzero"`
	EmbeddedContext *Marker `json:"embeddedContext,omitzero"`
}

// MCPCapabilities are the transports of tool servers.
type MCPCapabilities struct {
	Stdio *Marker `json:"stdio,omitzero"`
	HTTP  *Marker `json:"http,omitzero"`
}

// An AuthMethod is a way to sign in.
type AuthMethod struct {
	Type        string   `json:"type"` // agent, terminal
	MethodID    string   `json:"methodId"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	Args        []string `json:"args,omitzero"`
}

// ResumeSessionParams open a session (session/resume), with its past if ReplayFrom is there.
type ResumeSessionParams struct {
	SessionID             string      `json:"sessionId"`
	Cwd                   string      `json:"cwd"`
	MCPServers            []MCPServer `json:"mcpServers,omitzero"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitzero"`
	ReplayFrom            *ReplayFrom `json:"replayFrom,omitzero"`
}

// A ReplayFrom is where a replay begins.
type ReplayFrom struct {
	Type string `json:"type" enum:"start"`
}

// NewSessionParams make a session (session/new).
type NewSessionParams struct {
	Cwd                   string      `json:"cwd"`
	MCPServers            []MCPServer `json:"mcpServers,omitzero"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitzero"`
}

// An MCPServer is a tool server of a session.
type MCPServer struct {
	Type    string         `json:"type" enum:"stdio,http"`
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

// OpenedSession is a session that was made or opened.
type OpenedSession struct {
	SessionID     string         `json:"sessionId,omitzero"` // of a new one
	ConfigOptions []ConfigOption `json:"configOptions"`
}

// A ConfigOption is a setting of a session that clients show as a list of values.
type ConfigOption struct {
	ConfigID     string        `json:"configId"`
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
	Type      string         `json:"type"` // id
	Value     jsontext.Value `json:"value"`
}

// SetConfigOptionResult has all options.
type SetConfigOptionResult struct {
	ConfigOptions []ConfigOption `json:"configOptions"`
}

// PromptResult is the answer to a prompt that was accepted.
type PromptResult struct {
	MessageID string `json:"messageId"`
}

// PermissionParams ask for an approval (session/request_permission).
type PermissionParams struct {
	SessionID   string             `json:"sessionId"`
	Title       string             `json:"title"`
	Description string             `json:"description,omitzero"`
	Subject     Subject            `json:"subject"`
	Options     []PermissionOption `json:"options"`
}

// A PermissionOption is an answer to choose.
type PermissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

// A Subject is what is to be approved: a tool call.
type Subject struct {
	Type     string   `json:"type"` // tool_call
	ToolCall ToolCall `json:"toolCall"`
}
