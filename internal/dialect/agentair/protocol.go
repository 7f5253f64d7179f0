package agentair

import "github.com/go-json-experiment/json/jsontext"

// This file and protocol_input.go contain the wire as Go types and nothing else. Source: "Server
// Messages"; what is not in it is marked +.
//
// A message is an object with one member, the name of its type here, whose value is the
// struct: {"TextChunk":{"text":…}}. Field order is wire order. On the way out every field of
// the source is always there, and null is what an Option without a value is; no other field
// is ever null. A struct named …More is the fields that the flag --extended adds after
// those of the source: nil without the flag, and then none of them is there.

// UIMessage is what can go out: one of the twelve structs that have a SessionID.
type UIMessage interface{ variant() string }

// What is streamed.
type (
	// TextChunk is the next piece of an answer: never empty, never half a character.
	TextChunk struct {
		Text      string `json:"text"`
		SessionID int64  `json:"session_id"`
		TurnID    TurnID `json:"turn_id"`
	}

	// Complete ends a turn, once, whatever became of it.
	Complete struct {
		SessionID  int64      `json:"session_id"`
		TurnID     TurnID     `json:"turn_id"` // of the Assistant, with the number of the user's
		StopReason StopReason `json:"stop_reason"`
	}

	// TurnID numbers the turns of a session, as the client counts them.
	TurnID struct {
		Role     Role   `json:"role"`
		Sequence uint64 `json:"sequence"`
	}

	// Role is whose a TurnID is.
	Role string

	// StopReason is why a turn ended.
	StopReason string
)

// The roles.
const (
	RoleUser      Role = "User"
	RoleAssistant Role = "Assistant"
)

// The reasons to stop.
const (
	StopEndTurn      StopReason = "EndTurn" // also of a turn that failed or was interrupted
	StopMaxTokens    StopReason = "MaxTokens"
	StopStopSequence StopReason = "StopSequence"
	StopToolUse      StopReason = "ToolUse" // the limit of steps, or the end of a step
)

// Tools.
type (
	// ToolExecuting is a call that the model wishes, before anybody is asked whether it may run.
	ToolExecuting struct {
		ToolUseID string         `json:"tool_use_id"`
		ToolName  string         `json:"tool_name"`
		Input     jsontext.Value `json:"input"` // the model's: always an object
		SessionID int64          `json:"session_id"`
		*ToolExecutingMore
	}

	// ToolExecutingMore is of the program that the source describes.
	ToolExecutingMore struct {
		DisplayName  *string `json:"display_name"`
		DisplayTitle *string `json:"display_title"`
		TurnID       *TurnID `json:"turn_id"`
	}

	// ToolCompleted closes the ToolExecuting of the same call, exactly once, whatever became of it.
	ToolCompleted struct {
		ToolUseID string `json:"tool_use_id"`
		Result    string `json:"result"` // what the model sees
		SessionID int64  `json:"session_id"`
		*ToolCompletedMore
	}

	// ToolCompletedMore is of the program that the source describes.
	ToolCompletedMore struct {
		Status ToolStatus `json:"status"`
		Error  *string    `json:"error"` // null: it succeeded
		TurnID *TurnID    `json:"turn_id"`
	}

	// ToolStatus is the outcome of a call.
	ToolStatus string
)

// The ends of a call.
const (
	ToolSuccess ToolStatus = "Success"
	ToolError   ToolStatus = "Error"
	ToolTimeout ToolStatus = "Timeout"
)

// Permissions.
type (
	// PermissionRequired asks whether a call may run; a PermissionResponse answers it.
	PermissionRequired struct {
		ToolUseID string            `json:"tool_use_id"`
		Request   PermissionRequest `json:"request"`
		SessionID int64             `json:"session_id"`
		*TurnMore
	}

	// BatchPermissionRequired asks about several calls; a BatchPermissionResponse answers it.
	BatchPermissionRequired struct {
		BatchID   string              `json:"batch_id"`
		Requests  []PermissionRequest `json:"requests"`
		SessionID int64               `json:"session_id"`
		*BatchMore
	}

	// BatchMore is of the program that the source describes.
	BatchMore struct {
		SuggestedGrants []Grant `json:"suggested_grants"`
		TurnID          *TurnID `json:"turn_id"`
	}

	// TurnMore is of the program that the source describes.
	TurnMore struct {
		TurnID *TurnID `json:"turn_id"` // null: between turns
	}

	// PermissionRequest is one thing that a call needs.
	PermissionRequest struct {
		TargetType  TargetType      `json:"target_type"`
		Target      string          `json:"target"` // a path, a host or a whole command line
		Level       PermissionLevel `json:"level"`
		Description string          `json:"description"`
		Reason      *string         `json:"reason"`
		Recursive   bool            `json:"recursive"` // of a path: what is below it too
		ID          string          `json:"id"`        // + names the request in the answer to a batch
		ToolName    string          `json:"tool_name"` // +
	}

	// TargetType is what a Target is.
	TargetType string

	// PermissionLevel is how much is allowed; each one holds those before it.
	PermissionLevel string
)

// The targets.
const (
	TargetPath    TargetType = "Path"
	TargetDomain  TargetType = "Domain"
	TargetCommand TargetType = "Command"
)

// The levels, the least first.
const (
	LevelNone    PermissionLevel = "None" // +
	LevelRead    PermissionLevel = "Read"
	LevelWrite   PermissionLevel = "Write"
	LevelExecute PermissionLevel = "Execute"
	LevelAdmin   PermissionLevel = "Admin"
)

// Questions.
type (
	// UserInteractionRequired asks the user; a UserInteractionResponse answers it.
	UserInteractionRequired struct {
		ToolUseID string                  `json:"tool_use_id"`
		Request   AskUserQuestionsRequest `json:"request"`
		SessionID int64                   `json:"session_id"`
		*TurnMore
	}

	// AskUserQuestionsRequest is the questions of one call.
	AskUserQuestionsRequest struct {
		Questions []Question `json:"questions"`
	}

	// Question is one of them.
	Question struct {
		ID           string       `json:"id"` // q1, q2 …
		Text         string       `json:"text"`
		QuestionType QuestionType `json:"question_type"`
		Options      *[]string    `json:"options"` // null of FreeText; any other answer may be given too
		Required     bool         `json:"required"`
		DefaultValue *string      `json:"defaultValue,omitzero"` // + of FreeText, where the model gave one
	}

	// QuestionType is how many answers there may be.
	QuestionType string
)

// The types of questions; the source has no list of them.
const (
	SingleChoice QuestionType = "SingleChoice"
	MultiChoice  QuestionType = "MultiChoice"
	FreeText     QuestionType = "FreeText"
)

// What else there is to know.
type (
	// TokenUpdate is what one request to the model took.
	TokenUpdate struct {
		InputTokens  int64 `json:"input_tokens"` // the whole prompt
		OutputTokens int64 `json:"output_tokens"`
		SessionID    int64 `json:"session_id"`
		*TokenMore
	}

	// TokenMore is of the program that the source describes.
	TokenMore struct {
		ContextLimit int32   `json:"context_limit"` // tokens
		TurnID       *TurnID `json:"turn_id"`
	}

	// Error is a line that was refused, or what went wrong in a turn; then Complete follows.
	Error struct {
		Message   string `json:"message"`
		SessionID *int64 `json:"session_id"`
		*TurnMore
	}

	// System is for logs, not for users.
	System struct {
		Message   string `json:"message"`
		SessionID *int64 `json:"session_id"`
	}

	// Display is for users: the output of a command.
	Display struct {
		Content   string `json:"content"`
		SessionID int64  `json:"session_id"`
		*TurnMore
	}

	// CommandComplete ends a command, and is its only end.
	CommandComplete struct {
		Command   string `json:"command"` // without slash and arguments
		SessionID int64  `json:"session_id"`
		*CommandMore
	}

	// CommandMore is of the program that the source describes.
	CommandMore struct {
		Success bool    `json:"success"`
		Message *string `json:"message"`
	}
)
