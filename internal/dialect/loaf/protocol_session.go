package loaf

import "github.com/go-json-experiment/json/jsontext"

// Sessions. A session_id is trimmed, and never blank.
type (
	// SessionCreateParams make a session.
	SessionCreateParams struct {
		Title string `json:"title,omitzero"` // of the saved chat
	}

	// SessionCreateResult is the new session.
	SessionCreateResult struct {
		SessionID string       `json:"session_id"`
		State     SessionState `json:"state"`
	}

	// SessionParams name a session: session.get, session.interrupt, session.queue.list,
	// session.queue.clear and history.clear_session.
	SessionParams struct {
		SessionID string `json:"session_id"`
	}

	// SessionState is a session (the result of session.get).
	SessionState struct {
		ID                    string           `json:"id"`
		CreatedAt             string           `json:"createdAt"`
		UpdatedAt             string           `json:"updatedAt"`
		Pending               bool             `json:"pending"` // a turn runs
		StatusLabel           string           `json:"statusLabel"`
		Messages              []Message        `json:"messages"` // what a user would see
		History               []HistoryEntry   `json:"history"`  // what the model gets
		Queue                 []QueueItem      `json:"queue"`
		PendingSteerCount     int              `json:"pendingSteerCount"`
		ConversationProvider  *Provider        `json:"conversationProvider"` // of the last finished turn; null: there was none
		ActiveSessionID       *string          `json:"activeSessionId"`      // of the saved chat; null until the first turn
		ContextTokenEstimate  int              `json:"contextTokenEstimate"`
		ContextTokenSource    string           `json:"contextTokenSource"`   // "history"
		ContextTokenProvider  *Provider        `json:"contextTokenProvider"` // null: none
		ContextTokenBreakdown ContextBreakdown `json:"contextTokenBreakdown"`
	}

	// Message is a line of a conversation.
	Message struct {
		ID     int         `json:"id"` // counts up in the process, across sessions
		Kind   MessageKind `json:"kind"`
		Text   string      `json:"text"`
		Images []Image     `json:"images"`
	}

	// MessageKind is user, assistant or system.
	MessageKind string

	// HistoryEntry is a message as the model gets it.
	HistoryEntry struct {
		Role   MessageKind `json:"role"` // user or assistant
		Text   string      `json:"text"`
		Images []Image     `json:"images,omitzero"`
	}

	// Image is one that was found and fits.
	Image struct {
		Path     string `json:"path"` // of the file, or only a name
		MimeType string `json:"mimeType"`
		DataURL  string `json:"dataUrl"`
		ByteSize int    `json:"byteSize"` // decoded
	}

	// QueueItem is a prompt that waits for its turn.
	QueueItem struct {
		ID         string       `json:"id"` // of the turn that it will be
		Text       string       `json:"text"`
		Images     []ImageInput `json:"images"`
		EnqueuedAt string       `json:"enqueuedAt"`
	}

	// ContextBreakdown is what an estimate is the sum of, in tokens.
	ContextBreakdown struct {
		PinnedTokens           int `json:"pinned_tokens"`
		ConversationTokens     int `json:"conversation_tokens"`
		ToolSchemaTokens       int `json:"tool_schema_tokens"`
		ProviderOverheadTokens int `json:"provider_overhead_tokens"`
	}

	// SessionSendParams are a prompt: a text, images, or both.
	SessionSendParams struct {
		SessionID string       `json:"session_id"`
		Text      string       `json:"text,omitzero"`
		Images    []ImageInput `json:"images,omitzero"`  // anything but an array, and entries that are none, are ignored
		Enqueue   bool         `json:"enqueue,omitzero"` // after a running turn; otherwise that is an error
	}

	// ImageInput is a file or a data URL, which wins.
	ImageInput struct {
		Path     string `json:"path"` // "" if there is none; with a data URL only a name
		MimeType string `json:"mime_type,omitzero"`
		DataURL  string `json:"data_url,omitzero"`
	}

	// SessionSendResult comes before anything of the turn.
	SessionSendResult struct {
		SessionID string `json:"session_id"`
		TurnID    string `json:"turn_id"`
		Accepted  bool   `json:"accepted"`
		Queued    bool   `json:"queued"`
	}

	// SessionSteerParams talk into the running turn.
	SessionSteerParams struct {
		SessionID string `json:"session_id"`
		Text      string `json:"text"` // not blank
	}

	// SessionSteerResult reports whether a turn runs that can be steered.
	SessionSteerResult struct {
		SessionID string `json:"session_id"`
		Accepted  bool   `json:"accepted"`
	}

	// SessionInterruptResult reports whether there was a turn to interrupt.
	SessionInterruptResult struct {
		SessionID   string `json:"session_id"`
		Interrupted bool   `json:"interrupted"`
	}

	// SessionQueueListResult is the prompts that wait.
	SessionQueueListResult struct {
		SessionID string      `json:"session_id"`
		Queue     []QueueItem `json:"queue"`
	}

	// SessionQueueClearResult is how many prompts waited.
	SessionQueueClearResult struct {
		SessionID    string `json:"session_id"`
		ClearedCount int    `json:"cleared_count"`
	}
)

// The kinds of messages; of an entry of the history the first two.
const (
	KindUser      MessageKind = "user"
	KindAssistant MessageKind = "assistant"
	KindSystem    MessageKind = "system"
)

// Slash commands (command.execute).
type (
	// CommandParams are a line that the user typed.
	CommandParams struct {
		SessionID  string `json:"session_id"`
		RawCommand string `json:"raw_command"` // not blank
	}

	// CommandResult has as its output one of the outputs below, or the result of another
	// method: onboarding.status, limits.get, skills.list, tools.list, history.list.
	CommandResult struct {
		Handled bool           `json:"handled"`         // false: not a command
		Output  jsontext.Value `json:"output,omitzero"` // an object
	}

	// CommandUnknown reports that there is no such command.
	CommandUnknown struct {
		Error string `json:"error"`
	}

	// CommandHelp is the output of /help.
	CommandHelp struct {
		Commands []CommandInfo `json:"commands"`
	}

	// CommandInfo is a command.
	CommandInfo struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}

	// CommandAuth is the output of /auth.
	CommandAuth struct {
		AuthStatus AuthStatus `json:"auth_status"`
		Hint       string     `json:"hint"`
	}

	// CommandModel is the output of /model.
	CommandModel struct {
		SelectedModel              string          `json:"selected_model"`
		SelectedProvider           *Provider       `json:"selected_provider"` // null: none
		SelectedThinking           ThinkingLevel   `json:"selected_thinking"`
		SelectedOpenRouterProvider string          `json:"selected_openrouter_provider"`
		Available                  ModelListResult `json:"available"`
	}

	// CommandResumed is the output of /history with a chat.
	CommandResumed struct {
		Resumed string `json:"resumed"`
	}

	// CommandCompressed is the output of /compress.
	CommandCompressed struct {
		Compressed            bool             `json:"compressed"`
		Reason                CompactionReason `json:"reason"` // manual
		EstimatedTokensBefore int              `json:"estimated_tokens_before"`
		EstimatedTokensAfter  int              `json:"estimated_tokens_after"`
		ModelContextWindow    int              `json:"model_context_window"`
		TargetLimit           int              `json:"target_limit"`
		AnchorBefore          int              `json:"anchor_event_index_before"`
		AnchorAfter           int              `json:"anchor_event_index_after"`
	}

	// CommandCleared is the output of /clear and /forgeteverything.
	CommandCleared struct {
		Cleared bool `json:"cleared"`
	}

	// CommandShutdown is the output of /quit and /exit.
	CommandShutdown struct {
		ShuttingDown bool `json:"shutting_down"`
	}
)
