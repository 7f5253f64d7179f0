package agentair

import "github.com/go-json-experiment/json/jsontext"

// A line that comes in is a ControllerInput itself or, in an object with one member, a
// request: {"Interrupt":{"session_id":1}}. All of these are open; a field that is an Option,
// marked omitzero here, may be null or absent, and no other may be either.

// ControllerInput is a message of the user (ControllerInputPayload in the source). With
// "input_type":"Control" the same object is the request that its control_cmd names.
type ControllerInput struct {
	SessionID int64          `json:"session_id"`
	Content   string         `json:"content"` // may be blank, or a command: /help
	TurnID    TurnID         `json:"turn_id"` // of the User, or so it should be
	Metadata  jsontext.Value `json:"metadata,omitzero"`
}

// Answers to requests. None of them is in the source.
type (
	// PermissionResponse answers a PermissionRequired.
	PermissionResponse struct {
		ToolUseID string         `json:"tool_use_id"`
		Response  PermissionVote `json:"response"`
		SessionID *int64         `json:"session_id,omitzero"`
	}

	// PermissionVote is yes or no. A Grant wins over the Scope; neither counts in a no.
	PermissionVote struct {
		Granted bool            `json:"granted"`
		Scope   PermissionScope `json:"scope,omitzero"` // Once if absent
		Grant   *Grant          `json:"grant,omitzero"` // is kept for the session, and need not cover the request
		Message *string         `json:"message,omitzero"`
	}

	// PermissionScope is how long a yes holds.
	PermissionScope string

	// BatchPermissionResponse answers a BatchPermissionRequired. What is in none of its lists
	// is denied; what is in several too, if one of them is DeniedRequests.
	BatchPermissionResponse struct {
		BatchID          string   `json:"batch_id"`
		ApprovedGrants   []Grant  `json:"approved_grants,omitzero"` // lists may be absent, and not null
		DeniedRequests   []string `json:"denied_requests,omitzero"`
		AutoApproved     []string `json:"auto_approved,omitzero"`
		ApprovedRequests []string `json:"approved_requests,omitzero"`
	}

	// Grant allows, for the rest of the session, whatever its target covers up to its level.
	Grant struct {
		Target        GrantTarget     `json:"target"`
		Level         PermissionLevel `json:"level"`
		ExpiresInSecs *uint64         `json:"expires_in_secs,omitzero"` // counted from the answer; absent: never
	}

	// GrantTarget is one of four, by its type. On the way in a Grant may also have the members
	// of a PermissionRequest: {"target_type":"Path","target":"/a","recursive":true,"level":"Read"}.
	GrantTarget struct {
		Type      GrantTargetType `json:"type"`
		Path      string          `json:"path"`      // of path
		Recursive bool            `json:"recursive"` // of path
		Pattern   string          `json:"pattern"`   // of domain and command
		ToolName  string          `json:"tool_name"` // of tool
	}

	// GrantTargetType is what a GrantTarget covers.
	GrantTargetType string

	// UserInteractionResponse answers a UserInteractionRequired.
	UserInteractionResponse struct {
		ToolUseID string                   `json:"tool_use_id"`
		Response  AskUserQuestionsResponse `json:"response"`
		SessionID *int64                   `json:"session_id,omitzero"`
	}

	// AskUserQuestionsResponse may leave out what is not required.
	AskUserQuestionsResponse struct {
		Answers []Answer `json:"answers"`
	}

	// Answer is the answer to one question.
	Answer struct {
		Question string   `json:"question"` // its id or its text
		Answer   []string `json:"answer"`
	}

	// CancelPermission withdraws what a PermissionRequired asked; the call fails.
	CancelPermission struct {
		ToolUseID string `json:"tool_use_id"`
	}

	// CancelBatchPermission is the same for a batch.
	CancelBatchPermission struct {
		BatchID string `json:"batch_id"`
	}

	// CancelUserInteraction is the same for questions.
	CancelUserInteraction struct {
		ToolUseID string `json:"tool_use_id"`
	}
)

// The scopes.
const (
	ScopeOnce    PermissionScope = "Once"
	ScopeSession PermissionScope = "Session" // the request itself becomes a grant
)

// The targets of grants.
const (
	GrantPath    GrantTargetType = "path"
	GrantDomain  GrantTargetType = "domain"
	GrantCommand GrantTargetType = "command"
	GrantTool    GrantTargetType = "tool"
)

// Commands. None of them is in the source. The first four can also be sent as a
// ControllerInput whose input_type is Control.
type (
	// Interrupt ends the turn that runs, if one does.
	Interrupt struct {
		SessionID int64 `json:"session_id"`
	}

	// Clear forgets the conversation, and not the grants.
	Clear struct {
		SessionID int64 `json:"session_id"`
	}

	// Compact summarises the conversation now.
	Compact struct {
		SessionID int64 `json:"session_id"`
	}

	// Shutdown ends the process. The value may be null, and the line just "Shutdown".
	Shutdown struct{}

	// CreateSession opens another session.
	CreateSession struct {
		Model        *string `json:"model,omitzero"`
		SystemPrompt *string `json:"system_prompt,omitzero"`
		WorkingDir   *string `json:"working_dir,omitzero"`
	}

	// RemoveSession ends a session and all that runs in it.
	RemoveSession struct {
		SessionID int64 `json:"session_id"`
	}
)
