package acp

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file and protocol_*.go are the part of the Agent Client Protocol, version 1, that the driver reads and writes. Source: the JSON
// schema of the official SDK 2.4.0; "unstable" marks what is in its unstable part only. A member that is null counts as absent.

// version is the version of the protocol.
const version = 1

// codeAuthRequired is the code of errors for requests that want a sign-in.
const codeAuthRequired = -32000

type initializeParams struct {
	ProtocolVersion    int                `json:"protocolVersion"`
	ClientCapabilities clientCapabilities `json:"clientCapabilities"`
	ClientInfo         program            `json:"clientInfo"`
}

// clientCapabilities has neither fs nor terminal: agents use the disk and the commands of their own process.
type clientCapabilities struct {
	Elicitation struct {
		Form struct{} `json:"form"`
		URL  struct{} `json:"url"`
	} `json:"elicitation"`
	Session struct {
		ConfigOptions struct {
			Boolean struct{} `json:"boolean"`
		} `json:"configOptions"`
		Notices    struct{} `json:"notices"`
		Compaction struct{} `json:"compaction"`
	} `json:"session"`
	Meta struct {
		TerminalOutput bool `json:"terminal_output"` // not in the schema: output of commands comes in the _meta of calls
	} `json:"_meta"`
}

type program struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitzero"`
	Version string `json:"version"`
}

type initializeResult struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities agentCapabilities `json:"agentCapabilities"`
	AuthMethods       []authMethod      `json:"authMethods"`
	AgentInfo         program           `json:"agentInfo"`
	Meta              jsontext.Value    `json:"_meta"` // agentMeta, and anything else
}

// agentMeta is not in the schema.
type agentMeta struct {
	Steering struct {
		Supported bool `json:"supported"` // the agent has the method _session/steering
	} `json:"steering"`
}

type authMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// agentCapabilities are those of an agent; of objects it counts that they are there.
type agentCapabilities struct {
	LoadSession        bool `json:"loadSession"`
	PromptCapabilities struct {
		Image bool `json:"image"`
	} `json:"promptCapabilities"`
	MCPCapabilities struct {
		HTTP bool `json:"http"`
		SSE  bool `json:"sse"`
	} `json:"mcpCapabilities"`
	SessionCapabilities struct {
		Resume                *struct{} `json:"resume"`
		Close                 *struct{} `json:"close"`
		AdditionalDirectories *struct{} `json:"additionalDirectories"`
		Fork                  *struct{} `json:"fork"`         // unstable
		SystemPrompt          *struct{} `json:"systemPrompt"` // unstable
	} `json:"sessionCapabilities"`
}

// sessionParams are those of session/new, session/load, session/resume and session/fork.
type sessionParams struct {
	SessionID             string        `json:"sessionId,omitzero"`
	Cwd                   string        `json:"cwd"`
	MCPServers            []mcpServer   `json:"mcpServers"`
	AdditionalDirectories []string      `json:"additionalDirectories,omitzero"`
	SystemPrompt          *systemPrompt `json:"systemPrompt,omitzero"` // unstable
	Meta                  *sessionMeta  `json:"_meta,omitzero"`
}

type systemPrompt struct {
	Mode    string    `json:"mode"` // append or override
	Content []content `json:"content"`
}

// sessionMeta is read by claude-agent-acp.
type sessionMeta struct {
	SystemPrompt struct {
		Append string `json:"append"`
	} `json:"systemPrompt"`
}

// mcpServer is one of the three kinds, of which stdio has no type.
type mcpServer struct {
	Type    string       `json:"type,omitzero"` // http, sse
	Name    string       `json:"name"`
	Command string       `json:"command,omitzero"`
	Args    *[]string    `json:"args,omitzero"` // of stdio: there
	Env     *[]nameValue `json:"env,omitzero"`  // of stdio: there
	URL     string       `json:"url,omitzero"`
	Headers *[]nameValue `json:"headers,omitzero"` // of the others: there
}

type nameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type sessionResult struct {
	SessionID     string         `json:"sessionId"`
	Modes         *modes         `json:"modes"`
	Models        *models        `json:"models"` // of agents from before configOptions
	ConfigOptions []configOption `json:"configOptions"`
}

type modes struct {
	CurrentModeID  string `json:"currentModeId"`
	AvailableModes []mode `json:"availableModes"`
}

type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type models struct {
	CurrentModelID  string `json:"currentModelId"`
	AvailableModels []struct {
		ModelID     string `json:"modelId"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"availableModels"`
}

type configOption struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	Category     string         `json:"category"` // mode, model, model_config, thought_level and others
	Type         string         `json:"type"`     // select, boolean
	CurrentValue jsontext.Value `json:"currentValue"`
	Options      []configValue  `json:"options"`
}

// configValue is a value, or a group of them.
type configValue struct {
	Value       string        `json:"value"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Options     []configValue `json:"options"` // of a group
}

type setModeParams struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

type setModelParams struct {
	SessionID string `json:"sessionId"`
	ModelID   string `json:"modelId"`
}

type setConfigOptionParams struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Type      string `json:"type,omitzero"` // boolean
	Value     any    `json:"value"`         // string, or bool
}

type setConfigOptionResult struct {
	ConfigOptions []configOption `json:"configOptions"`
}

// sessionID is the params of session/cancel and session/close.
type sessionID struct {
	SessionID string `json:"sessionId"`
}

type promptParams struct {
	SessionID string    `json:"sessionId"`
	Prompt    []content `json:"prompt"`
}

type promptResult struct {
	StopReason string `json:"stopReason"` // end_turn, max_tokens, max_turn_requests, refusal, cancelled
	Usage      *struct {
		InputTokens       int `json:"inputTokens"`
		OutputTokens      int `json:"outputTokens"`
		ThoughtTokens     int `json:"thoughtTokens"`
		CachedReadTokens  int `json:"cachedReadTokens"`
		CachedWriteTokens int `json:"cachedWriteTokens"`
	} `json:"usage"` // unstable
}

// steeringParams are those of _session/steering, which is not in the schema: both official adapters have it.
type steeringParams struct {
	SessionID string    `json:"sessionId"`
	Prompt    []content `json:"prompt"`
	Meta      struct {
		Steering struct {
			IdleBehavior string `json:"idleBehavior"` // promptRequired: nothing happens where no turn runs
		} `json:"steering"`
	} `json:"_meta"`
}

type steeringResult struct {
	Outcome string `json:"outcome"` // injected, promptRequired, startedNewTurn
}

type cancelRequestParams struct {
	RequestID jsontext.Value `json:"requestId"`
}

func (p cancelRequestParams) id() jsonrpc.ID { return jsonrpc.ID(p.RequestID) }

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
