package flint

import "github.com/go-json-experiment/json/jsontext"

// The same with --shapes sdk, where they differ: what clients read that were written for the
// first servers of this protocol.
type (
	// ReasoningItemSDK is ReasoningItem.
	ReasoningItemSDK struct {
		Type    string   `json:"type"` // "reasoning"
		ID      string   `json:"id"`
		Summary []string `json:"summary,omitzero"`
		Content []string `json:"content,omitzero"`
	}

	// FileChangeItemSDK is FileChangeItem.
	FileChangeItemSDK struct {
		Type    string                `json:"type"` // "fileChange"
		ID      string                `json:"id"`
		Changes []FileUpdateChangeSDK `json:"changes"`
		Status  ItemStatus            `json:"status"`
	}

	// FileUpdateChangeSDK is FileUpdateChange.
	FileUpdateChangeSDK struct {
		Path string        `json:"path"`
		Kind ChangeKindSDK `json:"kind"`
		Diff string        `json:"diff"`
	}

	// ChangeKindSDK is add, delete, or update with, of a file that was moved, its new path.
	ChangeKindSDK struct {
		Type     string `json:"type"`
		MovePath string `json:"movePath,omitzero"`
	}

	// McpToolCallItemSDK is McpToolCallItem, and, with the server "builtin", DynamicToolCallItem.
	McpToolCallItemSDK struct {
		Type       string            `json:"type"` // "mcpToolCall"
		ID         string            `json:"id"`
		Server     string            `json:"server"`
		Tool       string            `json:"tool"`
		Arguments  jsontext.Value    `json:"arguments,omitzero"`
		Status     ItemStatus        `json:"status"`
		Result     jsontext.Value    `json:"result,omitzero"` // an object with content
		Error      *McpToolCallError `json:"error,omitzero"`
		DurationMS *int64            `json:"durationMs,omitzero"`
	}

	// McpToolCallError is why it failed.
	McpToolCallError struct {
		Message string `json:"message"`
	}

	// FileChangeRequestApprovalSDK is FileChangeRequestApproval.
	FileChangeRequestApprovalSDK struct {
		ThreadID string                `json:"threadId"`
		TurnID   string                `json:"turnId"`
		ItemID   string                `json:"itemId"`
		Changes  []FileUpdateChangeSDK `json:"changes"`
		Reason   string                `json:"reason,omitzero"`
	}
)
