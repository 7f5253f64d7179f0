package acp

import "github.com/go-json-experiment/json/jsontext"

// This file has the first request of a connection and what belongs to no session.

// ProtocolVersion is the version of the protocol that the types of this package are of.
const ProtocolVersion = 1

// InitializeParams is what the client is and can do (initialize).
type InitializeParams struct {
	ProtocolVersion    jsontext.Value     `json:"protocolVersion"` // an integer from 0 to 65535
	ClientCapabilities ClientCapabilities `json:"clientCapabilities,omitzero"`
	ClientInfo         Implementation     `json:"clientInfo,omitzero"`
}

// An Implementation is a program that speaks the protocol.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitzero"`
	Version string `json:"version"`
}

// ClientCapabilities is what may be asked of the client. What is absent may not.
type ClientCapabilities struct {
	FS          FileSystemCapabilities    `json:"fs,omitzero"`
	Terminal    bool                      `json:"terminal,omitzero"`
	Session     ClientSessionCapabilities `json:"session,omitzero"`
	Auth        ClientAuthCapabilities    `json:"auth,omitzero"`
	Elicitation ElicitationCapabilities   `json:"elicitation,omitzero"`
	Meta        ClientMeta                `json:"_meta,omitzero"`
}

// FileSystemCapabilities are the methods for files that the client has.
type FileSystemCapabilities struct {
	ReadTextFile  bool `json:"readTextFile,omitzero"`
	WriteTextFile bool `json:"writeTextFile,omitzero"`
}

// ClientSessionCapabilities are the updates that the client understands besides those that all do.
type ClientSessionCapabilities struct {
	ConfigOptions ConfigOptionCapabilities `json:"configOptions,omitzero"`
	Notices       *Marker                  `json:"notices,omitzero"`
	Compaction    *Marker                  `json:"compaction,omitzero"`
}

// ConfigOptionCapabilities are the types of options that the client can show besides lists of values.
type ConfigOptionCapabilities struct {
	Boolean *Marker `json:"boolean,omitzero"`
}

// ClientAuthCapabilities is how the client can help to sign in.
type ClientAuthCapabilities struct {
	Terminal bool `json:"terminal,omitzero"`
}

// ElicitationCapabilities are the ways in which the client can ask its user.
type ElicitationCapabilities struct {
	Form *Marker `json:"form,omitzero"`
	URL  *Marker `json:"url,omitzero"`
}

// ClientMeta are the extensions of clients that are in use.
type ClientMeta struct {
	TerminalOutput bool `json:"terminal_output,omitzero"` // output of commands as terminals that the agent runs
}

// A Marker is a capability: it is there, or it is not.
type Marker struct{}

// InitializeResult is what the agent is and can do.
type InitializeResult struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AuthMethods       []AuthMethod      `json:"authMethods"`
	AgentInfo         Implementation    `json:"agentInfo"`
	Meta              AgentMeta         `json:"_meta"`
}

// AgentCapabilities is what a client may ask for.
type AgentCapabilities struct {
	LoadSession         bool                `json:"loadSession"`
	PromptCapabilities  PromptCapabilities  `json:"promptCapabilities"`
	MCPCapabilities     MCPCapabilities     `json:"mcpCapabilities"`
	SessionCapabilities SessionCapabilities `json:"sessionCapabilities"`
	Auth                AgentAuth           `json:"auth"`
}

// PromptCapabilities are the content blocks of prompts besides texts and links.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

// MCPCapabilities are the transports of tool servers besides stdio.
type MCPCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

// SessionCapabilities are the methods of sessions that are optional. The last four are of the unstable part.
type SessionCapabilities struct {
	List                  Marker  `json:"list"`
	Delete                Marker  `json:"delete"`
	Resume                Marker  `json:"resume"`
	Close                 Marker  `json:"close"`
	AdditionalDirectories Marker  `json:"additionalDirectories"`
	Fork                  *Marker `json:"fork,omitzero"`
	Archive               *Marker `json:"archive,omitzero"`
	Status                *Marker `json:"status,omitzero"`
	Title                 *Marker `json:"title,omitzero"`
}

// AgentAuth is what a client can ask for about signing in besides authenticate.
type AgentAuth struct {
	Logout *Marker `json:"logout,omitzero"`
}

// An AuthMethod is a way to sign in.
type AuthMethod struct {
	ID          string   `json:"id"`
	Type        string   `json:"type,omitzero"` // terminal; "": authenticate does it
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	Args        []string `json:"args,omitzero"` // of a program in a terminal
}

// AgentMeta are the extensions of the agent.
type AgentMeta struct {
	Steering SteeringSupport `json:"steering"`
	Parley   ParleySupport   `json:"parley.dev"`
}

// SteeringSupport reports whether the agent has the method _session/steering.
type SteeringSupport struct {
	Supported bool `json:"supported"`
}

// ParleySupport identifies the extensions of this program.
type ParleySupport struct {
	Dialect int `json:"dialect"`
}

// AuthenticateParams names the way to sign in (authenticate).
type AuthenticateParams struct {
	MethodID string `json:"methodId"`
}

// LogoutParams is empty (logout).
type LogoutParams struct{}

// CancelRequestParams names a request that its sender does not want to be answered ($/cancel_request).
type CancelRequestParams struct {
	RequestID jsontext.Value `json:"requestId"`
}

// Empty is the result of requests that return nothing.
type Empty struct{}
