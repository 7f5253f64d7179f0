package codex

import "github.com/go-json-experiment/json/jsontext"

// This file has the members of the app-server's messages that are read or written, after the schema that codex 0.169.0 prints.
// What is read may have more members, and null for each.

type initializeParams struct {
	ClientInfo   clientInfo   `json:"clientInfo"`
	Capabilities capabilities `json:"capabilities"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

type capabilities struct {
	ExperimentalAPI bool `json:"experimentalApi"` // thread/turns/list and thread/backgroundTerminals/clean are experimental
}

type initializeResult struct {
	UserAgent string `json:"userAgent"` // NAME/VERSION and more, where NAME is that of the client
}

// threadParams are those of thread/start, thread/resume and thread/fork.
type threadParams struct {
	ThreadID              string         `json:"threadId,omitzero"` // of thread/resume and thread/fork
	Cwd                   string         `json:"cwd,omitzero"`
	Model                 string         `json:"model,omitzero"`
	ApprovalPolicy        string         `json:"approvalPolicy,omitzero"`
	Config                map[string]any `json:"config,omitzero"` // as in config.toml
	DeveloperInstructions string         `json:"developerInstructions,omitzero"`
	ThreadSource          string         `json:"threadSource,omitzero"` // of thread/start
	ExcludeTurns          bool           `json:"excludeTurns,omitzero"` // of thread/resume and thread/fork
	BeforeTurnID          string         `json:"beforeTurnId,omitzero"` // of thread/fork
}

type threadResult struct {
	Thread          thread `json:"thread"`
	Model           string `json:"model"`
	ReasoningEffort string `json:"reasoningEffort"`
}

type thread struct {
	ID string `json:"id"`
}

// threadID are the params of requests about a thread.
type threadID struct {
	ThreadID string `json:"threadId"`
}

type turnsParams struct {
	ThreadID      string `json:"threadId"`
	Cursor        string `json:"cursor,omitzero"`
	Limit         int    `json:"limit,omitzero"`
	SortDirection string `json:"sortDirection"` // asc, desc
	ItemsView     string `json:"itemsView"`     // notLoaded, summary, full
}

type turnsResult struct {
	Data       []turnInfo `json:"data"`
	NextCursor string     `json:"nextCursor"`
}

type turnInfo struct {
	ID     string     `json:"id"`
	Status string     `json:"status"` // completed, interrupted, failed, inProgress
	Error  *turnError `json:"error"`
	Items  []item     `json:"items"`
}

type turnError struct {
	Message           string         `json:"message"`
	Info              jsontext.Value `json:"codexErrorInfo"` // a string, or an object with one member
	AdditionalDetails string         `json:"additionalDetails"`
}

type modelsParams struct {
	Cursor string `json:"cursor,omitzero"`
}

type modelsResult struct {
	Data       []modelInfo `json:"data"`
	NextCursor string      `json:"nextCursor"`
}

type modelInfo struct {
	Model                     string         `json:"model"`
	DisplayName               string         `json:"displayName"`
	Description               string         `json:"description"`
	Hidden                    bool           `json:"hidden"`
	SupportedReasoningEfforts []effortOption `json:"supportedReasoningEfforts"`
	InputModalities           []string       `json:"inputModalities"` // text, image
	IsDefault                 bool           `json:"isDefault"`
}

type effortOption struct {
	ReasoningEffort string `json:"reasoningEffort"`
}

type turnParams struct {
	ThreadID            string         `json:"threadId"`
	ClientUserMessageID string         `json:"clientUserMessageId,omitzero"`
	Input               []userInput    `json:"input"`
	ApprovalPolicy      string         `json:"approvalPolicy,omitzero"` // untrusted, never; "": as before
	SandboxPolicy       *sandboxPolicy `json:"sandboxPolicy,omitzero"`
	Model               string         `json:"model,omitzero"`
	Effort              string         `json:"effort,omitzero"`
}

type userInput struct {
	Type string `json:"type"` // text, image
	Text string `json:"text,omitzero"`
	URL  string `json:"url,omitzero"`
}

type sandboxPolicy struct {
	Type          string   `json:"type"` // dangerFullAccess, readOnly, externalSandbox, workspaceWrite
	WritableRoots []string `json:"writableRoots,omitempty"`
	NetworkAccess any      `json:"networkAccess,omitzero"` // a bool; of externalSandbox restricted or enabled

	ExcludeTmpdirEnvVar bool `json:"excludeTmpdirEnvVar,omitzero"` // of workspaceWrite, as ExcludeSlashTmp
	ExcludeSlashTmp     bool `json:"excludeSlashTmp,omitzero"`
}

type turnResult struct {
	Turn turnInfo `json:"turn"`
}

type steerParams struct {
	ThreadID            string      `json:"threadId"`
	ClientUserMessageID string      `json:"clientUserMessageId,omitzero"`
	Input               []userInput `json:"input"`
	ExpectedTurnID      string      `json:"expectedTurnId"`
}

type interruptParams struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
}

// notice has the members of all notifications and requests that are read, but for those of elicitations.
type notice struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
	ItemID   string `json:"itemId"`

	Item  jsontext.Value `json:"item"` // item/started, item/completed
	Turn  turnInfo       `json:"turn"` // turn/started, turn/completed
	Delta string         `json:"delta"`
	// of item/reasoning/summaryTextDelta and item/reasoning/textDelta
	SummaryIndex int `json:"summaryIndex"`
	ContentIndex int `json:"contentIndex"`

	Plan       []planStep     `json:"plan"`       // turn/plan/updated
	TokenUsage *tokenUsage    `json:"tokenUsage"` // thread/tokenUsage/updated
	Status     jsontext.Value `json:"status"`     // an object of thread/status/changed, a string of mcpServer/startupStatus/updated
	RequestID  jsontext.Value `json:"requestId"`  // serverRequest/resolved
	ToModel    string         `json:"toModel"`    // model/rerouted

	Error     jsontext.Value `json:"error"` // a turnError of error, a string of mcpServer/startupStatus/updated
	WillRetry bool           `json:"willRetry"`
	Message   string         `json:"message"` // warning, guardianWarning
	Summary   string         `json:"summary"` // configWarning, deprecationNotice
	Details   string         `json:"details"`
	Name      string         `json:"name"` // mcpServer/startupStatus/updated
}

type threadStatus struct {
	Type string `json:"type"` // notLoaded, idle, systemError, active
}

type planStep struct {
	Step   string `json:"step"`
	Status string `json:"status"` // pending, inProgress, completed
}

type tokenUsage struct {
	Total              tokens `json:"total"`
	Last               tokens `json:"last"`
	ModelContextWindow int    `json:"modelContextWindow"`
}

type tokens struct {
	TotalTokens           int `json:"totalTokens"`
	InputTokens           int `json:"inputTokens"` // with those of the cache
	CachedInputTokens     int `json:"cachedInputTokens"`
	CacheWriteInputTokens int `json:"cacheWriteInputTokens"`
	OutputTokens          int `json:"outputTokens"`
	ReasoningOutputTokens int `json:"reasoningOutputTokens"`
}

// item has the members of all kinds of items that are read.
type item struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Status string `json:"status"` // inProgress, completed, failed, declined

	Text    string         `json:"text"`    // agentMessage, plan
	Summary []string       `json:"summary"` // reasoning
	Content jsontext.Value `json:"content"` // reasoning: texts

	Command          string `json:"command"` // commandExecution
	Cwd              string `json:"cwd"`
	AggregatedOutput string `json:"aggregatedOutput"`
	ExitCode         *int   `json:"exitCode"`

	Changes []fileChange `json:"changes"` // fileChange

	Server       string         `json:"server"` // mcpToolCall
	Tool         string         `json:"tool"`   // mcpToolCall, dynamicToolCall, collabAgentToolCall
	Arguments    jsontext.Value `json:"arguments"`
	ReadOnlyHint bool           `json:"readOnlyHint"`
	Result       jsontext.Value `json:"result"` // mcpToolCall: toolResult
	Error        *toolError     `json:"error"`

	ContentItems []contentItem  `json:"contentItems"` // dynamicToolCall
	Success      *bool          `json:"success"`
	Prompt       string         `json:"prompt"` // collabAgentToolCall
	Query        string         `json:"query"`  // webSearch
	Path         string         `json:"path"`   // imageView
	Output       jsontext.Value `json:"output"` // functionCallOutput
}

type fileChange struct {
	Path string `json:"path"`
	Kind struct {
		Type     string `json:"type"` // add, delete, update
		MovePath string `json:"move_path"`
	} `json:"kind"`
	Diff string `json:"diff"` // add, delete: the text of the file; update: hunks of a unified diff
}

type toolResult struct {
	Content []contentItem `json:"content"`
}

type toolError struct {
	Message string `json:"message"`
}

type contentItem struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// approvalParams are those of item/commandExecution/requestApproval, item/fileChange/requestApproval and
// item/permissions/requestApproval.
type approvalParams struct {
	ThreadID    string          `json:"threadId"`
	TurnID      string          `json:"turnId"`
	ItemID      string          `json:"itemId"`
	Kind        string          `json:"kind"`       // command, humanCommand, writeStdin
	ApprovalID  string          `json:"approvalId"` // of one of several requests about an item
	Reason      string          `json:"reason"`
	Command     string          `json:"command"`
	Cwd         string          `json:"cwd"`
	Network     *networkContext `json:"networkApprovalContext"`
	GrantRoot   string          `json:"grantRoot"`
	Permissions jsontext.Value  `json:"permissions"` // permissions
}

type networkContext struct {
	Host     string `json:"host"`
	Protocol string `json:"protocol"`
}

type permissions struct {
	Network *struct {
		Enabled bool `json:"enabled"`
	} `json:"network"`
	FileSystem *struct {
		Read    []string          `json:"read"`
		Write   []string          `json:"write"`
		Entries []permissionEntry `json:"entries"`
	} `json:"fileSystem"`
}

type permissionEntry struct {
	Path struct {
		Type    string `json:"type"` // path, glob_pattern, special
		Path    string `json:"path"`
		Pattern string `json:"pattern"`
	} `json:"path"`
	Access string `json:"access"` // read, write, deny
}

type decisionResult struct {
	Decision string `json:"decision"` // accept, decline, cancel
}

type permissionsResult struct {
	Permissions jsontext.Value `json:"permissions"`
	Scope       string         `json:"scope"` // turn, session
}

type questionParams struct {
	Questions []question `json:"questions"`
}

type question struct {
	ID       string `json:"id"`
	Header   string `json:"header"`
	Question string `json:"question"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

type questionResult struct {
	Answers map[string]questionAnswer `json:"answers"`
}

type questionAnswer struct {
	Answers []string `json:"answers"`
}

type elicitationParams struct {
	ServerName string `json:"serverName"`
	Mode       string `json:"mode"` // form, url, and others
	Meta       struct {
		ApprovalKind string `json:"codex_approval_kind"` // mcp_tool_call: the question is whether a call may run
		ToolName     string `json:"tool_name"`
	} `json:"_meta"`
	Message         string         `json:"message"`
	URL             string         `json:"url"`
	RequestedSchema jsontext.Value `json:"requestedSchema"`
}

type elicitationResult struct {
	Action  string         `json:"action"` // accept, decline, cancel
	Content map[string]any `json:"content"`
}
