package flint

import "github.com/go-json-experiment/json/jsontext"

// Section 3, turns.
type (
	// TurnStartParams are a prompt. Model, cwd, policy and sandbox are the thread's from now on.
	TurnStartParams struct {
		ThreadID       string            `json:"threadId"`
		Input          UserInputs        `json:"input"` // at least one text that is not blank, or one image
		Model          string            `json:"model,omitzero"`
		Cwd            AbsolutePath      `json:"cwd,omitzero"`
		ApprovalPolicy ApprovalPolicy    `json:"approvalPolicy,omitzero"`
		SandboxPolicy  *SandboxPolicy    `json:"sandboxPolicy,omitzero"`
		Config         map[string]string `json:"config,omitzero"` // ids of config/list; for this turn only

		// Another name of SandboxPolicy, which wins; decode moves it there.
		Sandbox *SandboxPolicy `json:"sandbox,omitzero"` // +
	}

	// TurnStartResult is the turn that has begun.
	TurnStartResult struct {
		Turn Turn `json:"turn"` // inProgress, without items
	}

	// Turn is all that one prompt causes.
	Turn struct {
		ID     string       `json:"id"`
		Status TurnStatus   `json:"status"`
		Items  []ThreadItem `json:"items"` // in the order in which they started; never null
		Error  *TurnError   `json:"error,omitzero"`
	}

	// TurnStatus is one of the four below.
	TurnStatus string

	// TurnError is why a turn failed (section 8).
	TurnError struct {
		Message        string `json:"message"`
		ErrorInfo      string `json:"errorInfo,omitzero"` // in Pascal case: ContextWindowExceeded, Unauthorized …
		HTTPStatusCode int    `json:"httpStatusCode,omitzero"`
	}

	// TurnInterruptParams end a running turn. Empty answers.
	TurnInterruptParams struct {
		ThreadID string `json:"threadId"`
		TurnID   string `json:"turnId"`
	}

	// TurnStartedNotification opens a turn.
	TurnStartedNotification struct {
		ThreadID string `json:"threadId"`
		Turn     Turn   `json:"turn"` // inProgress, without items
	}

	// TurnCompletedNotification closes a turn, exactly once, whatever became of it. Nothing
	// of the turn follows.
	TurnCompletedNotification struct {
		ThreadID string `json:"threadId"`
		Turn     Turn   `json:"turn"` // with all items; Error only with failed
	}

	// ErrorNotification reports a failure: of a model call that will be made again, or,
	// once, of the turn, just before its end (+).
	ErrorNotification struct {
		Error     TurnError `json:"error"`
		WillRetry bool      `json:"willRetry"`
		ThreadID  string    `json:"threadId"`
		TurnID    string    `json:"turnId"`
	}
)

// The statuses of a turn. All but the first are final.
const (
	TurnInProgress  TurnStatus = "inProgress"
	TurnCompleted   TurnStatus = "completed"
	TurnInterrupted TurnStatus = "interrupted"
	TurnFailed      TurnStatus = "failed"
)

// What a prompt is made of.
type (
	// UserInput is a TextInput, an ImageInput or a LocalImageInput.
	UserInput any

	// UserInputs are a prompt, in the order in which it was sent.
	UserInputs []UserInput

	// TextInput is a text, as it is.
	TextInput struct {
		Type string         `json:"type"` // "text"
		Text string         `json:"text"`
		Meta jsontext.Value `json:"_meta,omitzero"` // the client's own; comes back in the userMessage
	}

	// ImageInput is an image on the net or in the line itself.
	ImageInput struct {
		Type string         `json:"type"` // "image"
		URL  string         `json:"url"`  // https://…, or data:image/…;base64,…
		Meta jsontext.Value `json:"_meta,omitzero"`
	}

	// LocalImageInput is an image file.
	LocalImageInput struct {
		Type string         `json:"type"` // "localImage"
		Path string         `json:"path"` // absolute; png, jpeg, gif or webp, at most 20 MiB
		Meta jsontext.Value `json:"_meta,omitzero"`
	}
)

// Section 7, usage.
type (
	// TokenUsageUpdated comes after each answer of the model.
	TokenUsageUpdated struct {
		ThreadID string     `json:"threadId"`
		TurnID   string     `json:"turnId"`
		Usage    TokenUsage `json:"usage"`          // of the turn so far
		Meta     *UsageMeta `json:"_meta,omitzero"` // +
	}

	// TokenUsage counts tokens. The last three are parts of the first two, and there if the
	// provider reports them.
	TokenUsage struct {
		InputTokens      int  `json:"inputTokens"`  // of the whole prompts, what came from a cache too
		OutputTokens     int  `json:"outputTokens"` // with the thinking
		ThinkingTokens   *int `json:"thinkingTokens,omitzero"`
		CacheReadTokens  *int `json:"cacheReadTokens,omitzero"`
		CacheWriteTokens *int `json:"cacheWriteTokens,omitzero"`
	}

	// UsageMeta is what else is counted.
	UsageMeta struct {
		Last          TokenUsage `json:"last"`                   // of the last answer
		Thread        TokenUsage `json:"thread"`                 // of all turns
		ContextWindow int        `json:"contextWindow,omitzero"` // tokens; absent if unknown
	}
)
