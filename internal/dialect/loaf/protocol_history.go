package loaf

import "github.com/go-json-experiment/json/jsontext"

// Saved chats.
type (
	// HistoryListParams are a page. On the wire both are any finite number or absent; here they
	// are settled.
	HistoryListParams struct {
		Limit  int `json:"limit"`  // at least 1; 100 if it was 0 or absent
		Cursor int `json:"cursor"` // how many to skip; at least 0
	}

	// HistoryListResult is a page, the last changed first.
	HistoryListResult struct {
		Total      int         `json:"total"` // of all pages
		Cursor     int         `json:"cursor"`
		Limit      int         `json:"limit"`
		Sessions   []SavedChat `json:"sessions"`
		NextCursor *int        `json:"next_cursor"` // null: this is the last page
	}

	// SavedChat is a chat without its messages.
	SavedChat struct {
		ID                 string        `json:"id"`
		Title              string        `json:"title"`
		Provider           Provider      `json:"provider"`
		Model              string        `json:"model"`
		ThinkingLevel      ThinkingLevel `json:"thinkingLevel"`
		OpenRouterProvider string        `json:"openRouterProvider,omitzero"`
		CreatedAt          string        `json:"createdAt"`
		UpdatedAt          string        `json:"updatedAt"`
		MessageCount       int           `json:"messageCount"`
		RolloutPath        string        `json:"rolloutPath"` // its file
	}

	// HistoryGetParams name one chat. Where several are given, the first of these counts: last,
	// rollout_path, id.
	HistoryGetParams struct {
		ID          string `json:"id,omitzero"` // or the beginning of one
		Last        bool   `json:"last,omitzero"`
		RolloutPath string `json:"rollout_path,omitzero"`
	}

	// HistoryGetResult is a chat.
	HistoryGetResult struct {
		SavedChat
		Messages []HistoryEntry `json:"messages"`
	}

	// HistoryClearResult reports that a session begins anew.
	HistoryClearResult struct {
		SessionID string `json:"session_id"`
		Cleared   bool   `json:"cleared"`
	}
)

// Skills and tools.
type (
	// SkillsResult is what skills there are (skills.list).
	SkillsResult struct {
		Directories []string `json:"directories"` // that were looked through
		Errors      []string `json:"errors"`
		Skills      []Skill  `json:"skills"`
	}

	// Skill is one of them.
	Skill struct {
		Name               string `json:"name"`
		Description        string `json:"description"`
		DescriptionPreview string `json:"description_preview"`
		SourcePath         string `json:"source_path"`
	}

	// ToolsResult is what tools the model has (tools.list).
	ToolsResult struct {
		Tools []Tool `json:"tools"` // sorted by name
	}

	// Tool is one of them.
	Tool struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		InputSchema jsontext.Value `json:"input_schema"` // an object
	}
)

// Debugging.
type (
	// DebugParams switch SessionDebug on and off.
	DebugParams struct {
		SuperDebug bool `json:"super_debug"`
	}

	// DebugResult is how it is now.
	DebugResult struct {
		SuperDebug bool `json:"super_debug"`
	}
)
