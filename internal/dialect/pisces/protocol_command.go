package pisces

import "parley.dev/parley/internal/dialect/pisces/message"

// This file contains what commands say besides their id and type.

// Prompting.
type (
	// Prompt starts a run, or, with a StreamingBehavior, joins the one that is on.
	Prompt struct {
		Message           string            `json:"message"`
		Images            []message.Image   `json:"images,omitzero"`
		StreamingBehavior StreamingBehavior `json:"streamingBehavior,omitzero" enum:"steer,followUp"`
	}

	// StreamingBehavior is how a Prompt is handled while a run is on.
	StreamingBehavior string

	// Steer talks into the run.
	Steer struct {
		Message string          `json:"message"`
		Images  []message.Image `json:"images,omitzero"`
	}

	// FollowUp waits for the end of the run.
	FollowUp struct {
		Message string          `json:"message"`
		Images  []message.Image `json:"images,omitzero"`
	}

	// Abort ends the run, and is answered when it is over.
	Abort struct{}

	// AbortAndPrompt is an Abort and a Prompt.
	AbortAndPrompt struct {
		Message string          `json:"message"`
		Images  []message.Image `json:"images,omitzero"`
	}

	// NewSession leaves the session for an empty one.
	NewSession struct {
		ParentSession string `json:"parentSession,omitzero"` // kept as it is
	}
)

// The behaviors.
const (
	BehaviorSteer    StreamingBehavior = "steer"
	BehaviorFollowUp StreamingBehavior = "followUp"
)

// State, models and thinking.
type (
	// GetState asks for an RpcSessionState.
	GetState struct{}

	// SetModel chooses one of the available models.
	SetModel struct {
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	}

	// CycleModel chooses the next one.
	CycleModel struct{}

	// GetAvailableModels asks for Models.
	GetAvailableModels struct{}

	// SetThinkingLevel is clamped to what the model can.
	SetThinkingLevel struct {
		Level message.ThinkingLevel `json:"level" enum:"off,minimal,low,medium,high,xhigh"`
	}

	// CycleThinkingLevel chooses the next one that the model can.
	CycleThinkingLevel struct{}
)

// Queues.
type (
	// SetSteeringMode sets how many of the prompts that Steer has queued are taken at once.
	SetSteeringMode struct {
		Mode QueueMode `json:"mode" enum:"all,one-at-a-time"`
	}

	// SetFollowUpMode sets how many of the prompts that FollowUp has queued are taken at once.
	SetFollowUpMode struct {
		Mode QueueMode `json:"mode" enum:"all,one-at-a-time"`
	}

	// SetInterruptMode reports whether a Steer is heard between two tool calls.
	SetInterruptMode struct {
		Mode InterruptMode `json:"mode" enum:"immediate,wait"`
	}

	// QueueMode is how many messages of a queue are taken at once.
	QueueMode string

	// InterruptMode is when a Steer is heard.
	InterruptMode string
)

// The modes.
const (
	QueueAll QueueMode = "all"
	QueueOne QueueMode = "one-at-a-time"

	InterruptImmediate InterruptMode = "immediate"
	InterruptWait      InterruptMode = "wait" // for the end of the step
)

// Compaction and retries.
type (
	// Compact summarises the older messages, and is answered when that is done.
	Compact struct {
		CustomInstructions string `json:"customInstructions,omitzero"`
	}

	// SetAutoCompaction switches compactions that were not requested.
	SetAutoCompaction struct {
		Enabled bool `json:"enabled"`
	}

	// SetAutoRetry switches retries of failed calls of the model.
	SetAutoRetry struct {
		Enabled bool `json:"enabled"`
	}

	// AbortRetry ends the wait before a retry, and with it the run.
	AbortRetry struct{}
)

// Bash.
type (
	// Bash runs a command of the user.
	Bash struct {
		Command string `json:"command"`
	}

	// AbortBash ends it.
	AbortBash struct{}
)

// Sessions.
type (
	// GetSessionStats asks for SessionStats.
	GetSessionStats struct{}

	// ExportHTML writes the session as a page.
	ExportHTML struct {
		OutputPath string `json:"outputPath,omitzero"`
	}

	// SwitchSession leaves the session for that of a file.
	SwitchSession struct {
		SessionPath string `json:"sessionPath"`
	}

	// Branch leaves the session for one that has what came before a message of the user.
	Branch struct {
		EntryID string `json:"entryId"`
	}

	// GetBranchMessages asks for the BranchMessages.
	GetBranchMessages struct{}

	// GetLastAssistantText asks for what the model said last.
	GetLastAssistantText struct{}

	// SetSessionName names the session.
	SetSessionName struct {
		Name string `json:"name"`
	}

	// GetMessages requests the messages of the next request to the model.
	GetMessages struct{}
)

// What relatives of the program have. +
type (
	// Fork is Branch.
	Fork struct {
		EntryID string `json:"entryId"`
	}

	// GetForkMessages is GetBranchMessages.
	GetForkMessages struct{}

	// Clone leaves the session for a copy of it.
	Clone struct{}

	// GetCommands asks for what can stand after a slash.
	GetCommands struct{}
)
