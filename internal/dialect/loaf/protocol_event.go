package loaf

import "github.com/go-json-experiment/json/jsontext"

// The events, by their types: methods in FormatFlat, the member type in FormatEnvelope.
const (
	EventSessionStatus     = "session.status"
	EventMessageAppended   = "session.message.appended"
	EventStreamChunk       = "session.stream.chunk"
	EventToolCallStarted   = "session.tool.call.started"
	EventToolCallCompleted = "session.tool.call.completed"
	EventToolResults       = "session.tool.results"
	EventContextEstimate   = "session.context.estimate"
	EventCompleted         = "session.completed"
	EventInterrupted       = "session.interrupted"
	EventError             = "session.error"
	EventDebug             = "session.debug"

	EventCompactionStarted        = "compaction.started"
	EventCompactionAnchorSelected = "compaction.anchor_selected"
	EventCompactionSummaryMerged  = "compaction.summary_merged"
	EventCompactionCompleted      = "compaction.completed"
	EventCompactionFailed         = "compaction.failed"

	EventAuthStarted    = "auth.flow.started"
	EventAuthURL        = "auth.flow.url"
	EventAuthDeviceCode = "auth.flow.device_code"
	EventAuthCompleted  = "auth.flow.completed"
	EventAuthFailed     = "auth.flow.failed"

	EventStateChanged = "state.changed"
)

// The events of a turn. A turn begins and ends with a SessionStatus.
type (
	// SessionStatus is what the session does now.
	SessionStatus struct {
		SessionID   string `json:"session_id"`
		Pending     bool   `json:"pending"`
		StatusLabel string `json:"status_label"`
		TurnID      string `json:"turn_id,omitzero"` // only with the labels preparing, compressing, thinking and drafting sent between steps
	}

	// MessageAppended is a new message.
	MessageAppended struct {
		SessionID string  `json:"session_id"`
		Message   Message `json:"message"`
	}

	// StreamChunk is a piece of the answer, or of a thought.
	StreamChunk struct {
		SessionID string `json:"session_id"`
		TurnID    string `json:"turn_id"`
		Chunk     Chunk  `json:"chunk"`
	}

	// Chunk is a piece of an answer in AnswerText, or, with that empty, the whole thought so
	// far in Thoughts.
	Chunk struct {
		Thoughts   []string  `json:"thoughts"`
		AnswerText string    `json:"answerText"`
		Segments   []Segment `json:"segments"`
	}

	// Segment is what a chunk adds.
	Segment struct {
		Kind string `json:"kind"` // thought or answer
		Text string `json:"text"`
	}

	// ToolCallStarted is the first word of a call.
	ToolCallStarted struct {
		SessionID string          `json:"session_id"`
		TurnID    string          `json:"turn_id"`
		Data      ToolStartedData `json:"data"`
	}

	// ToolStartedData contains the call twice: in the form of the document, and in that of the program.
	ToolStartedData struct {
		ToolName  string   `json:"tool_name"`
		CallID    string   `json:"call_id"`
		ToolRound int      `json:"toolRound"` // 1 for the first of the turn
		Call      ToolCall `json:"call"`
	}

	// ToolCall is a call as the model made it.
	ToolCall struct {
		Name             string         `json:"name"`
		Input            jsontext.Value `json:"input"` // an object
		ProviderToolName string         `json:"providerToolName"`
		CallID           string         `json:"callId"`
	}

	// ToolCallCompleted ends the ToolCallStarted of the same call.
	ToolCallCompleted struct {
		SessionID string            `json:"session_id"`
		TurnID    string            `json:"turn_id"`
		Data      ToolCompletedData `json:"data"`
	}

	// ToolCompletedData contains the end twice, like ToolStartedData.
	ToolCompletedData struct {
		ToolName  string   `json:"tool_name"`
		CallID    string   `json:"call_id"`
		OK        bool     `json:"ok"`
		ToolRound int      `json:"toolRound"`
		Executed  Executed `json:"executed"`
	}

	// Executed is a call that is over.
	Executed struct {
		Name   string         `json:"name"`
		OK     bool           `json:"ok"`
		Input  jsontext.Value `json:"input"`  // an object
		Result jsontext.Value `json:"result"` // of the tool's own form
		Error  string         `json:"error,omitzero"`
	}

	// ToolResults ends a round of calls.
	ToolResults struct {
		SessionID string          `json:"session_id"`
		TurnID    string          `json:"turn_id"`
		Data      ToolResultsData `json:"data"`
	}

	// ToolResultsData is all calls of a round.
	ToolResultsData struct {
		ToolRound int        `json:"toolRound"`
		Executed  []Executed `json:"executed"`
	}

	// ContextEstimate is how much of the model's window is used.
	ContextEstimate struct {
		SessionID           string           `json:"session_id"`
		Provider            *Provider        `json:"provider"` // null: none
		TotalTokensEstimate int              `json:"total_tokens_estimate"`
		Source              string           `json:"source"` // "history"
		Breakdown           ContextBreakdown `json:"breakdown"`
	}

	// SessionCompleted reports that the turn has its answer.
	SessionCompleted struct {
		SessionID    string `json:"session_id"`
		TurnID       string `json:"turn_id"`
		AnswerLength int    `json:"answer_length"` // in UTF-16 units
	}

	// SessionInterrupted reports that the turn was interrupted.
	SessionInterrupted struct {
		SessionID     string `json:"session_id"`
		TurnID        string `json:"turn_id"`
		PartialOutput bool   `json:"partial_output"` // some of the answer is kept
	}

	// SessionError reports that the turn failed.
	SessionError struct {
		SessionID string `json:"session_id"`
		TurnID    string `json:"turn_id"`
		Message   string `json:"message"`
	}

	// SessionDebug is only sent when debug.set has switched it on.
	SessionDebug struct {
		SessionID string         `json:"session_id"`
		TurnID    string         `json:"turn_id"`
		Stage     string         `json:"stage"`
		Data      jsontext.Value `json:"data"`
	}
)

// Compaction. Outside a turn there is no turn_id.
type (
	// CompactionReason is why: auto, manual or provider_switch; none in a Compression.
	CompactionReason string

	// CompactionStarted is followed by CompactionCompleted or CompactionFailed.
	CompactionStarted struct {
		SessionID           string           `json:"session_id"`
		TurnID              string           `json:"turn_id,omitzero"`
		Reason              CompactionReason `json:"reason"`
		AnchorBefore        int              `json:"anchor_event_index_before"`
		EventCount          int              `json:"event_count"`
		ContextWindowTokens int              `json:"context_window_tokens"`
	}

	// CompactionAnchorSelected says what will be summed up.
	CompactionAnchorSelected struct {
		SessionID       string           `json:"session_id"`
		TurnID          string           `json:"turn_id,omitzero"`
		Reason          CompactionReason `json:"reason"`
		AnchorBefore    int              `json:"anchor_event_index_before"`
		AnchorAfter     int              `json:"anchor_event_index_after"`
		DeltaEventCount int              `json:"delta_event_count"`
	}

	// CompactionSummaryMerged reports that there is a summary.
	CompactionSummaryMerged struct {
		SessionID        string `json:"session_id"`
		TurnID           string `json:"turn_id,omitzero"`
		SummaryUpdatedAt string `json:"summary_updated_at"`
		AnchorAfter      int    `json:"anchor_event_index_after"`
	}

	// CompactionCompleted says what it has brought.
	CompactionCompleted struct {
		SessionID             string           `json:"session_id"`
		TurnID                string           `json:"turn_id,omitzero"`
		Compressed            bool             `json:"compressed"`
		Reason                CompactionReason `json:"reason"`
		EstimatedTokensBefore int              `json:"estimated_tokens_before"`
		EstimatedTokensAfter  int              `json:"estimated_tokens_after"`
		ModelContextWindow    int              `json:"model_context_window"`
		TargetLimit           int              `json:"target_limit"`
		HighWatermarkLimit    int              `json:"high_watermark_limit"`
		AnchorBefore          int              `json:"anchor_event_index_before"`
		AnchorAfter           int              `json:"anchor_event_index_after"`
	}

	// CompactionFailed reports that the history is as it was.
	CompactionFailed struct {
		SessionID string           `json:"session_id"`
		TurnID    string           `json:"turn_id,omitzero"`
		Reason    CompactionReason `json:"reason"`
		Message   string           `json:"message"`
	}
)

// The reasons of a compaction.
const (
	CompactionNone           CompactionReason = "none"
	CompactionAuto           CompactionReason = "auto"
	CompactionManual         CompactionReason = "manual"
	CompactionProviderSwitch CompactionReason = "provider_switch"
)

// StateChanged reports that something beside a conversation has changed.
type StateChanged struct {
	Reason    string `json:"reason"` // one of the Changed constants, or the reason of a ShutdownParams
	SessionID string `json:"session_id,omitzero"`
	Snapshot  State  `json:"snapshot"`
}

// The reasons of StateChanged.
const (
	ChangedSessionCreated       = "session_created"
	ChangedSessionResumed       = "session_resumed"
	ChangedModelSelected        = "model_selected"
	ChangedOpenRouterKey        = "openrouter_key_updated"
	ChangedExaKey               = "exa_key_updated"
	ChangedExaKeySkipped        = "exa_key_skipped"
	ChangedOnboarding           = "onboarding_complete"
	ChangedOpenAIConnected      = "auth_openai_connected"
	ChangedAntigravityConnected = "auth_antigravity_connected"
	ChangedForgetEverything     = "forgeteverything"
	ChangedQuit                 = "quit_command"
	ChangedInterrupted          = "sigint"
	ChangedTerminated           = "sigterm"
	ChangedShutdown             = "shutdown"
)
