package message

import "github.com/go-json-experiment/json/jsontext"

// The files protocol*.go are of the same wire as those of the protocol itself, and are read like them.

// A Message is one message of a conversation: one of User (also of role developer), Assistant,
// ToolResult, BashExecution, Custom, FileMention, BranchSummary, CompactionSummary and Raw. The
// section "message model" of the specification has their table. Times are Unix milliseconds.
type Message interface {
	// MessageRole is the field role.
	MessageRole() Role
}

// Role says what a Message is.
type Role string

// The roles.
const (
	RoleUser              Role = "user"
	RoleDeveloper         Role = "developer" // the program's own prompts
	RoleAssistant         Role = "assistant"
	RoleToolResult        Role = "toolResult"
	RoleBashExecution     Role = "bashExecution"
	RoleCustom            Role = "custom"
	RoleFileMention       Role = "fileMention"
	RoleBranchSummary     Role = "branchSummary"
	RoleCompactionSummary Role = "compactionSummary"
)

// Content is a piece of a message: one of Text, Thinking, RedactedThinking, Image and ToolCall.
type Content interface{ contentType() string }

// Text is text.
type Text struct {
	Type          string `json:"type"` // text
	Text          string `json:"text"`
	TextSignature string `json:"textSignature,omitzero"`
}

// Thinking is reasoning.
type Thinking struct {
	Type              string `json:"type"` // thinking
	Thinking          string `json:"thinking"`
	ThinkingSignature string `json:"thinkingSignature,omitzero"`
}

// RedactedThinking is reasoning that the provider has encrypted.
type RedactedThinking struct {
	Type string `json:"type"` // redactedThinking
	Data string `json:"data"`
}

// Image is a picture.
type Image struct {
	Type     string `json:"type"` // image
	Data     string `json:"data"` // base64
	MIMEType string `json:"mimeType"`
}

// ToolCall is the model's wish to run a tool.
type ToolCall struct {
	Type      string         `json:"type"` // toolCall
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"` // an object
	Intent    string         `json:"intent,omitzero"`
}

func (Text) contentType() string             { return "text" }
func (Thinking) contentType() string         { return "thinking" }
func (RedactedThinking) contentType() string { return "redactedThinking" }
func (Image) contentType() string            { return "image" }
func (ToolCall) contentType() string         { return "toolCall" }

// User is what a user said, or, as RoleDeveloper, the program.
type User struct {
	Role        Role      `json:"role"`
	Content     []Content `json:"content"`              // text first
	Attribution string    `json:"attribution,omitzero"` // user or agent
	Synthetic   bool      `json:"synthetic,omitzero"`
	Timestamp   int64     `json:"timestamp"`
}

// Assistant is one answer of the model. It is born with no usage, StopStop and no content.
type Assistant struct {
	Role         Role       `json:"role"`
	Content      []Content  `json:"content"`
	API          string     `json:"api"`
	Provider     string     `json:"provider"`
	Model        string     `json:"model"`
	Usage        Usage      `json:"usage"`
	StopReason   StopReason `json:"stopReason"`
	ErrorMessage string     `json:"errorMessage,omitzero"`
	Timestamp    int64      `json:"timestamp"`
	Duration     int64      `json:"duration,omitzero"` // milliseconds
	TTFT         int64      `json:"ttft,omitzero"`     // milliseconds to the first token
}

// StopReason is why an answer ended.
type StopReason string

// The reasons.
const (
	StopStop    StopReason = "stop"
	StopLength  StopReason = "length"
	StopToolUse StopReason = "toolUse"
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted"
)

// Usage is the tokens of an answer.
type Usage struct {
	Input       int  `json:"input"`
	Output      int  `json:"output"`
	CacheRead   int  `json:"cacheRead"`
	CacheWrite  int  `json:"cacheWrite"`
	TotalTokens int  `json:"totalTokens"`
	Cost        Cost `json:"cost"`
}

// Cost is US dollars.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}

// ToolResult is the result of a call, for the model.
type ToolResult struct {
	Role       Role           `json:"role"`
	ToolCallID string         `json:"toolCallId"`
	ToolName   string         `json:"toolName"`
	Content    []Content      `json:"content"` // text and images
	Details    jsontext.Value `json:"details,omitzero"`
	IsError    bool           `json:"isError"`
	Timestamp  int64          `json:"timestamp"`
}

// BashExecution is a shell command of the user.
type BashExecution struct {
	Role               Role   `json:"role"`
	Command            string `json:"command"`
	Output             string `json:"output"`
	ExitCode           *int   `json:"exitCode,omitzero"` // absent when it was cancelled
	Cancelled          bool   `json:"cancelled"`
	Truncated          bool   `json:"truncated"`
	ExcludeFromContext bool   `json:"excludeFromContext,omitzero"`
	Timestamp          int64  `json:"timestamp"`
}

// FileMention is the files that a prompt mentioned.
type FileMention struct {
	Role      Role            `json:"role"`
	Files     []MentionedFile `json:"files"`
	Timestamp int64           `json:"timestamp"`
}

// MentionedFile is a file that a prompt mentioned.
type MentionedFile struct {
	Path          string `json:"path"` // as it was mentioned
	Content       string `json:"content"`
	LineCount     int    `json:"lineCount,omitzero"`
	ByteSize      int64  `json:"byteSize,omitzero"`
	SkippedReason string `json:"skippedReason,omitzero"` // tooLarge
	Image         *Image `json:"image,omitzero"`
}

// Custom is a message of an extension.
type Custom struct {
	Role        Role           `json:"role"`
	CustomType  string         `json:"customType"`
	Content     jsontext.Value `json:"content"` // text or blocks
	Display     bool           `json:"display"`
	Details     jsontext.Value `json:"details,omitzero"`
	Attribution string         `json:"attribution,omitzero"`
	Timestamp   int64          `json:"timestamp"`
}

// BranchSummary stands for a branch that was left.
type BranchSummary struct {
	Role      Role   `json:"role"`
	Summary   string `json:"summary"`
	FromID    string `json:"fromId"`
	Timestamp int64  `json:"timestamp"`
}

// CompactionSummary stands for the messages that a compaction summarised.
type CompactionSummary struct {
	Role         Role   `json:"role"`
	Summary      string `json:"summary"`
	ShortSummary string `json:"shortSummary,omitzero"`
	TokensBefore int    `json:"tokensBefore"`
	Timestamp    int64  `json:"timestamp"`
}

// Raw is a message of another program, kept as it was.
type Raw struct {
	jsontext.Value // an object
	Role           Role
}

// MarshalJSON returns the message as it was.
func (m Raw) MarshalJSON() ([]byte, error) { return m.Value, nil }

// MessageRole returns the field role.
func (m User) MessageRole() Role { return m.Role }

// MessageRole returns the field role.
func (m Assistant) MessageRole() Role { return m.Role }

// MessageRole returns the field role.
func (m ToolResult) MessageRole() Role { return m.Role }

// MessageRole returns the field role.
func (m BashExecution) MessageRole() Role { return m.Role }

// MessageRole returns the field role.
func (m FileMention) MessageRole() Role { return m.Role }

// MessageRole returns the field role.
func (m Custom) MessageRole() Role { return m.Role }

// MessageRole returns the field role.
func (m BranchSummary) MessageRole() Role { return m.Role }

// MessageRole returns the field role.
func (m CompactionSummary) MessageRole() Role { return m.Role }

// MessageRole returns the field role.
func (m Raw) MessageRole() Role { return m.Role }
