package flint

// This file and protocol_*.go contain the wire as Go types and nothing else. Source: "Flint Agent
// Harness Protocol", sections 1 to 9, in its order. Members marked + are not in it: real
// clients send or read them.
//
// All objects are open: readers ignore what they do not know, and any object may
// carry _meta. On the way in null counts as absent. On the way out null is never sent, and
// a member that is absent is left out. Field order is wire order: the document's members,
// then ours.

// Error codes beside those of JSON-RPC itself (section 8).
const (
	CodeNotInitialized = -32000
	CodeThreadNotFound = -32001
	CodeTurnInProgress = -32002
	CodeNotRunning     = -32003
)

// Section 1, the handshake.
type (
	// InitializeParams open the connection, once.
	InitializeParams struct {
		ClientInfo   ClientInfo         `json:"clientInfo"`
		Capabilities ClientCapabilities `json:"capabilities,omitzero"`
	}

	// ClientInfo is the client's name and version. Others are shown the name. Nothing else may depend on it: most clients use one name.
	ClientInfo struct {
		Name    string `json:"name"` // not empty
		Title   string `json:"title,omitzero"`
		Version string `json:"version"`
	}

	// ClientCapabilities is what the client can do, or does not want.
	ClientCapabilities struct {
		ExperimentalAPI           bool     `json:"experimentalApi,omitzero"`           // ignored
		OptOutNotificationMethods []string `json:"optOutNotificationMethods,omitzero"` // + exact names; turn/completed comes anyway
	}

	// InitializeResult names the server.
	InitializeResult struct {
		AgentInfo    AgentInfo         `json:"agentInfo"`
		Capabilities AgentCapabilities `json:"capabilities"`
	}

	// AgentInfo is the program.
	AgentInfo struct {
		Name     string `json:"name"`
		Version  string `json:"version"`
		Provider string `json:"provider"` // of the default model: anthropic, openai, local …
	}

	// AgentCapabilities is what the agent can do.
	AgentCapabilities struct {
		Streaming     bool `json:"streaming"`
		ConfigOptions bool `json:"configOptions"` // config/list has any
		Reasoning     bool `json:"reasoning"`     // there are reasoning items
		Plans         bool `json:"plans"`         // there are plan items
		Review        bool `json:"review"`        // review/start exists
	}

	// InitializedParams say that the client is ready. Nothing waits for them.
	InitializedParams struct{}
)

// Empty is the result of a request without data.
type Empty struct{}

// Section 5, what may be done unasked and what can be touched.
type (
	// ApprovalPolicy is when the client is asked: never, unlessTrusted or always, or, which the document does not have,
	// on-request: when the sandbox refused. Other words for these are accepted (input.go).
	ApprovalPolicy string

	// SandboxPolicy confines what runs.
	SandboxPolicy struct {
		Type          string         `json:"type"`                   // dangerFullAccess, readOnly, workspaceWrite or externalSandbox
		WritableRoots []AbsolutePath `json:"writableRoots,omitzero"` // workspaceWrite only: beside cwd
		NetworkAccess any            `json:"networkAccess,omitzero"` // workspaceWrite: true or false; externalSandbox: restricted or enabled; else absent
	}

	// AbsolutePath is a path that is one on this system.
	AbsolutePath string
)

// The approval policies.
const (
	PolicyNever         ApprovalPolicy = "never"
	PolicyOnRequest     ApprovalPolicy = "on-request"
	PolicyUnlessTrusted ApprovalPolicy = "unlessTrusted"
	PolicyAlways        ApprovalPolicy = "always"
)

// The types of sandbox, and the two words for the network of an external one.
const (
	SandboxFullAccess     = "dangerFullAccess"
	SandboxReadOnly       = "readOnly"
	SandboxWorkspaceWrite = "workspaceWrite"
	SandboxExternal       = "externalSandbox"

	NetworkRestricted = "restricted"
	NetworkEnabled    = "enabled"
)
