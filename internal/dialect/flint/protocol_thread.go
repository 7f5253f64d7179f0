package flint

import "github.com/go-json-experiment/json/jsontext"

// Section 2, threads.
type (
	// ThreadStartParams make a thread. What is absent has the server's default.
	ThreadStartParams struct {
		Model              string               `json:"model,omitzero"` // id of model/list
		Cwd                AbsolutePath         `json:"cwd,omitzero"`
		ApprovalPolicy     ApprovalPolicy       `json:"approvalPolicy,omitzero"`
		Sandbox            *SandboxPolicy       `json:"sandbox,omitzero"`
		SystemPrompt       string               `json:"systemPrompt,omitzero"`       // + instead of the built-in prompt; trimmed
		SystemPromptAppend string               `json:"systemPromptAppend,omitzero"` // + after either; trimmed
		McpServers         map[string]McpServer `json:"mcpServers,omitzero"`         // + by name; nil if none were given
		Config             ThreadConfig         `json:"config,omitzero"`             // +
		ThreadAliases
	}

	// ThreadAliases are other names of members (+). The member's own name wins. Decode moves
	// them there, and leaves nothing here.
	ThreadAliases struct {
		SandboxPolicy         *SandboxPolicy `json:"sandboxPolicy,omitzero"`         // sandbox
		BaseInstructions      string         `json:"baseInstructions,omitzero"`      // systemPrompt
		DeveloperInstructions string         `json:"developerInstructions,omitzero"` // systemPromptAppend
	}

	// ThreadStartResult is the new thread.
	ThreadStartResult struct {
		Thread        Thread `json:"thread"`
		ModelProvider string `json:"modelProvider"`
		Model         string `json:"model"` // +
		Cwd           string `json:"cwd"`   // +
	}

	// Thread is a conversation: settings, history, journal.
	Thread struct {
		ID            string `json:"id"`
		Preview       string `json:"preview"` // the first text, on one line, at most 200 characters
		ModelProvider string `json:"modelProvider"`
		CreatedAt     int64  `json:"createdAt"`  // seconds since 1970
		Model         string `json:"model"`      // +
		Cwd           string `json:"cwd"`        // +
		UpdatedAt     int64  `json:"updatedAt"`  // + seconds since 1970
		CLIVersion    string `json:"cliVersion"` // + of this program
		Source        string `json:"source"`     // + "appServer"
		Turns         []Turn `json:"turns"`      // + all of them in ThreadResumeResult, else empty; never null
	}

	// ThreadResumeParams open a stored thread again. What is given becomes the thread's own.
	ThreadResumeParams struct {
		ThreadID           string               `json:"threadId"`
		Model              string               `json:"model,omitzero"`
		Cwd                AbsolutePath         `json:"cwd,omitzero"`
		ApprovalPolicy     ApprovalPolicy       `json:"approvalPolicy,omitzero"` // +
		Sandbox            *SandboxPolicy       `json:"sandbox,omitzero"`        // +
		SystemPrompt       string               `json:"systemPrompt,omitzero"`   // + as in ThreadStartParams, like the next three
		SystemPromptAppend string               `json:"systemPromptAppend,omitzero"`
		McpServers         map[string]McpServer `json:"mcpServers,omitzero"`
		Config             ThreadConfig         `json:"config,omitzero"`
		ExcludeTurns       bool                 `json:"excludeTurns,omitzero"` // + the result has no turns
		ThreadAliases
	}

	// ThreadResumeResult is the thread with its history.
	ThreadResumeResult struct {
		Thread Thread `json:"thread"`
		Model  string `json:"model"` // +
		Cwd    string `json:"cwd"`   // +
	}

	// ThreadListParams ask for a page of threads.
	ThreadListParams struct {
		Cursor   string `json:"cursor,omitzero"` // of an earlier answer; opaque
		Limit    *int   `json:"limit,omitzero"`  // 1 to 500; absent means 100
		Archived bool   `json:"archived,omitzero"`
	}

	// ThreadListResult is a page, the thread last updated first.
	ThreadListResult struct {
		Data       []Thread `json:"data"`                // never null
		NextCursor string   `json:"nextCursor,omitzero"` // only if more follow
	}

	// ThreadArchiveParams take a thread off the list. Empty answers.
	ThreadArchiveParams struct {
		ThreadID string `json:"threadId"`
	}

	// ThreadStartedNotification follows the answer that made or resumed the thread.
	ThreadStartedNotification struct {
		Thread Thread `json:"thread"` // without turns
	}
)

// What threads are started with beyond the document.
type (
	// McpServer is how a tool server is reached.
	McpServer struct {
		Type    string            `json:"type,omitzero"`    // stdio or http; streamable_http means http; decode fills it in
		Command string            `json:"command,omitzero"` // stdio: not empty
		Args    []string          `json:"args,omitzero"`
		Env     map[string]string `json:"env,omitzero"`
		Cwd     string            `json:"cwd,omitzero"`
		URL     string            `json:"url,omitzero"` // http: with scheme http or https
		Headers map[string]string `json:"headers,omitzero"`

		HTTPHeaders map[string]string `json:"http_headers,omitzero"` // another name of Headers, which wins; decode moves it there
	}

	// ThreadConfig is overrides by name, an object on the wire: the key mcp_servers, with an
	// object below it or with dots (mcp_servers.NAME.KEY), has tool servers; a key that
	// is the id of a config option sets that; any other means nothing.
	ThreadConfig struct {
		McpServers map[string]McpServer      `json:"-"` // decode moves them to the params' own, whose names win
		Values     map[string]jsontext.Value `json:"-"` // the rest, unread
	}
)
