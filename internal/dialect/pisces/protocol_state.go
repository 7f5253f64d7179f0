package pisces

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
)

// This file contains what answers to commands have as data.

// RpcSessionState is the data of CommandGetState.
type RpcSessionState struct {
	Model                 *Model                `json:"model,omitzero"`
	ThinkingLevel         message.ThinkingLevel `json:"thinkingLevel,omitzero"` // absent: unset
	IsStreaming           bool                  `json:"isStreaming"`            // also while a retry waits, and while it compacts on its own
	IsCompacting          bool                  `json:"isCompacting"`
	SteeringMode          QueueMode             `json:"steeringMode"`
	FollowUpMode          QueueMode             `json:"followUpMode"`
	InterruptMode         InterruptMode         `json:"interruptMode"`
	SessionFile           string                `json:"sessionFile,omitzero"` // also before the file exists; absent: none is kept
	SessionID             string                `json:"sessionId"`
	SessionName           string                `json:"sessionName,omitzero"`
	AutoCompactionEnabled bool                  `json:"autoCompactionEnabled"`
	MessageCount          int                   `json:"messageCount"` // of the next request to the model
	QueuedMessageCount    int                   `json:"queuedMessageCount"`
	PendingMessageCount   int                   `json:"pendingMessageCount"` // + QueuedMessageCount
	IsSettled             bool                  `json:"isSettled"`           // + nothing runs, and no message waits
}

// A Model can be asked.
type Model struct {
	ID                     string            `json:"id"`
	Name                   string            `json:"name"`
	API                    string            `json:"api"`
	Provider               string            `json:"provider"`
	BaseURL                string            `json:"baseUrl"`
	Reasoning              bool              `json:"reasoning"`
	Thinking               *ModelThinking    `json:"thinking,omitzero"` // of one that reasons
	Input                  []string          `json:"input"`             // text, image
	Cost                   message.ModelCost `json:"cost"`
	ContextWindow          int               `json:"contextWindow"` // tokens
	MaxTokens              int               `json:"maxTokens"`     // of an answer
	Headers                map[string]string `json:"headers,omitzero"`
	Compat                 jsontext.Value    `json:"compat,omitzero"`
	PremiumMultiplier      float64           `json:"premiumMultiplier,omitzero"`
	Priority               int               `json:"priority,omitzero"`
	ContextPromotionTarget string            `json:"contextPromotionTarget,omitzero"`
}

// ModelThinking is how a model reasons.
type ModelThinking struct {
	Mode     string                `json:"mode"` // effort, budget, google-level, anthropic-adaptive, anthropic-budget-effort
	MinLevel message.ThinkingLevel `json:"minLevel"`
	MaxLevel message.ThinkingLevel `json:"maxLevel"`
}

// SessionStats is the data of CommandGetSessionStats. It is about the messages of the next request to the model.
type SessionStats struct {
	SessionFile       string      `json:"sessionFile,omitzero"`
	SessionID         string      `json:"sessionId"`
	UserMessages      int         `json:"userMessages"`
	AssistantMessages int         `json:"assistantMessages"`
	ToolCalls         int         `json:"toolCalls"`
	ToolResults       int         `json:"toolResults"`
	TotalMessages     int         `json:"totalMessages"`
	Tokens            StatsTokens `json:"tokens"`
	Cost              float64     `json:"cost"`
	PremiumRequests   float64     `json:"premiumRequests"`
}

// StatsTokens are the tokens of all answers, Total being the sum of the four.
type StatsTokens struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Total      int `json:"total"`
}

// The other data.
type (
	// Cancelled is of new_session, switch_session and clone. True: an extension did not want it.
	Cancelled struct {
		Cancelled bool `json:"cancelled"`
	}

	// CycledModel is of cycle_model, or null where there is no other model.
	CycledModel struct {
		Model         Model                 `json:"model"`
		ThinkingLevel message.ThinkingLevel `json:"thinkingLevel,omitzero"`
		IsScoped      bool                  `json:"isScoped"` // only models that an option names take part
	}

	// AvailableModels is of get_available_models.
	AvailableModels struct {
		Models []Model `json:"models"`
	}

	// CycledThinkingLevel is of cycle_thinking_level, or null where the model does not reason.
	CycledThinkingLevel struct {
		Level message.ThinkingLevel `json:"level"`
	}

	// ExportedHTML is of export_html.
	ExportedHTML struct {
		Path string `json:"path"`
	}

	// Branched is of branch and fork.
	Branched struct {
		Text      string `json:"text"` // of the message; it is not sent again
		Cancelled bool   `json:"cancelled"`
	}

	// BranchMessages is of get_branch_messages and get_fork_messages.
	BranchMessages struct {
		Messages []BranchMessage `json:"messages"`
	}

	// BranchMessage is a message of the user with any text.
	BranchMessage struct {
		EntryID string `json:"entryId"`
		Text    string `json:"text"`
	}

	// LastAssistantText is of get_last_assistant_text.
	LastAssistantText struct {
		Text *string `json:"text"` // null: there is none
	}

	// Messages is of get_messages.
	Messages struct {
		Messages []message.Message `json:"messages"`
	}

	// Commands is of get_commands. +
	Commands struct {
		Commands []SlashCommand `json:"commands"`
	}

	// SlashCommand can stand after a slash at the beginning of a prompt. +
	SlashCommand struct {
		Name        string `json:"name"`
		Description string `json:"description,omitzero"`
		Source      string `json:"source"` // extension, prompt or skill
	}
)
