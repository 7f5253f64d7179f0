package flint

// Section 6, models and options.
type (
	// ModelListParams ask for models.
	ModelListParams struct {
		Limit *int `json:"limit,omitzero"` // at least 1; absent means all
	}

	// ModelListResult is the models, the default first.
	ModelListResult struct {
		Data []Model `json:"data"` // never null
	}

	// Model is a model that threads can be given.
	Model struct {
		ID          string     `json:"id"`
		DisplayName string     `json:"displayName"`
		Description string     `json:"description,omitzero"`
		IsDefault   bool       `json:"isDefault"` // of exactly one
		Meta        *ModelMeta `json:"meta,omitzero"`
	}

	// ModelMeta is what a client may show beside.
	ModelMeta struct {
		Provider      string `json:"provider"`
		ContextWindow int    `json:"contextWindow,omitzero"` // tokens; absent if unknown
		Reasoning     bool   `json:"reasoning"`
		Vision        bool   `json:"vision"`
	}

	// ConfigListParams ask for the options.
	ConfigListParams struct{}

	// ConfigListResult is the options of the adapter in effect.
	ConfigListResult struct {
		Options []ConfigOption `json:"options"` // never null
	}

	// ConfigOption is a choice that a client can show without understanding it.
	ConfigOption struct {
		Type        string               `json:"type"` // "select"
		ID          string               `json:"id"`
		Name        string               `json:"name"`
		Description string               `json:"description,omitzero"`
		Group       string               `json:"group,omitzero"`
		Options     []ConfigSelectOption `json:"options"` // at least one
		Value       string               `json:"value"`   // the id of one of them
		ModelIDs    []string             `json:"modelIds,omitzero"`
	}

	// ConfigSelectOption is a value of it.
	ConfigSelectOption struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description,omitzero"`
	}

	// ConfigSetParams choose, for all threads of this process from their next turns on.
	ConfigSetParams struct {
		ID    string `json:"id"`
		Value string `json:"value"`
	}

	// ConfigSetResult is all options after the change.
	ConfigSetResult struct {
		Options []ConfigOption `json:"options"`
	}

	// ConfigReadParams ask for the settings.
	ConfigReadParams struct{}

	// ConfigReadResult is the settings of the thread last used, else the server's.
	ConfigReadResult struct {
		Model          string         `json:"model"`
		Cwd            string         `json:"cwd"`
		ApprovalPolicy ApprovalPolicy `json:"approvalPolicy"`
		SandboxPolicy  SandboxPolicy  `json:"sandboxPolicy"`
		Options        []ConfigOption `json:"options"`
		ModelProvider  string         `json:"modelProvider"` // +
	}
)

// Section 9 lets agents send notifications under a name of their own. A client that ignores
// these loses nothing.
type (
	// Warning is NAME/warning.
	Warning struct {
		ThreadID string `json:"threadId,omitzero"`
		Message  string `json:"message"`
	}

	// McpServerStatus is NAME/mcp_server_status.
	McpServerStatus struct {
		ThreadID string `json:"threadId,omitzero"`
		Name     string `json:"name"`
		Status   string `json:"status"` // starting, ready or failed
		Error    string `json:"error,omitzero"`
	}
)

// McpToolProgress is NAME/mcp_tool_progress: how far a call of a tool server is.
type McpToolProgress struct {
	ThreadID string  `json:"threadId"`
	TurnID   string  `json:"turnId"`
	ItemID   string  `json:"itemId"`
	Done     float64 `json:"done"`
	Total    float64 `json:"total,omitzero"` // absent if unknown
	Message  string  `json:"message,omitzero"`
}
