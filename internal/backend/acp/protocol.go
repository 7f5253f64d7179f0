package acp

import "github.com/go-json-experiment/json/jsontext"

// version is the version of the protocol.
const version = 1

// codeAuthRequired is the code of errors for requests that want a sign-in.
const codeAuthRequired = -32000

type initializeParams struct {
	ProtocolVersion    int      `json:"protocolVersion"`
	ClientCapabilities struct{} `json:"clientCapabilities"`
	ClientInfo         program  `json:"clientInfo"`
}

type program struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitzero"`
	Version string `json:"version"`
}

type initializeResult struct {
	ProtocolVersion   int `json:"protocolVersion"`
	AgentCapabilities struct {
		LoadSession        bool `json:"loadSession"`
		PromptCapabilities struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
		SessionCapabilities struct {
			Resume *struct{} `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	AgentInfo program `json:"agentInfo"`
}

type sessionParams struct {
	SessionID  string     `json:"sessionId,omitzero"`
	Cwd        string     `json:"cwd"`
	MCPServers []struct{} `json:"mcpServers"`
}

type sessionResult struct {
	SessionID string `json:"sessionId"`
	Modes     *modes `json:"modes"`
	Models    *struct {
		CurrentModelID string `json:"currentModelId"`
	} `json:"models"`
}

type modes struct {
	CurrentModeID  string `json:"currentModeId"`
	AvailableModes []mode `json:"availableModes"`
}

type mode struct {
	ID string `json:"id"`
}

type setModeParams struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

type setModelParams struct {
	SessionID string `json:"sessionId"`
	ModelID   string `json:"modelId"`
}

type cancelParams struct {
	SessionID string `json:"sessionId"`
}

type promptParams struct {
	SessionID string    `json:"sessionId"`
	Prompt    []content `json:"prompt"`
}

type promptResult struct {
	StopReason string `json:"stopReason"`
	Usage      *struct {
		InputTokens       int `json:"inputTokens"`
		OutputTokens      int `json:"outputTokens"`
		ThoughtTokens     int `json:"thoughtTokens"`
		CachedReadTokens  int `json:"cachedReadTokens"`
		CachedWriteTokens int `json:"cachedWriteTokens"`
	} `json:"usage"`
}

// content is a content block.
type content struct {
	Type     string    `json:"type"` // text, image, resource_link, resource and others
	Text     string    `json:"text,omitzero"`
	Data     string    `json:"data,omitzero"` // base64
	MIMEType string    `json:"mimeType,omitzero"`
	URI      string    `json:"uri,omitzero"`
	Name     string    `json:"name,omitzero"`
	Resource *resource `json:"resource,omitzero"`
}

type resource struct {
	URI  string `json:"uri"`
	Text string `json:"text,omitzero"`
}

type updateParams struct {
	SessionID string         `json:"sessionId"`
	Update    jsontext.Value `json:"update"`
}

// update has the members of all kinds of session/update that are read.
type update struct {
	Kind      string         `json:"sessionUpdate"`
	MessageID string         `json:"messageId"`
	Content   jsontext.Value `json:"content"` // a block, or of calls a list
	Entries   []planEntry    `json:"entries"`
	Used      int            `json:"used"`
	Size      int            `json:"size"`
	Cost      *struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
	toolCall
}

// toolCall is a call of a tool, or what changed of it: nil members did not.
type toolCall struct {
	ID        string         `json:"toolCallId"`
	Title     string         `json:"title"`
	Name      string         `json:"name"` // some agents have it
	ToolKind  string         `json:"kind"` // read, edit, delete, move, search, execute, think, fetch, switch_mode, other
	Status    string         `json:"status"`
	Locations []location     `json:"locations"`
	RawInput  jsontext.Value `json:"rawInput"`
	RawOutput jsontext.Value `json:"rawOutput"`
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
