package flint

import "github.com/go-json-experiment/json/jsontext"

// Section 4, items. The union is open: a client shows types it does not know by their id and
// text. Each item is announced by item/started as far as known, may grow by deltas, and is
// ended by item/completed; all of it between turn/started and turn/completed.
type (
	// ThreadItem is one of the types in this file whose name ends in Item or ItemSDK, or one
	// of them as a jsontext.Value.
	ThreadItem any

	// ItemStartedNotification announces an item.
	ItemStartedNotification struct {
		ThreadID string     `json:"threadId"`
		TurnID   string     `json:"turnId"`
		Item     ThreadItem `json:"item"`
	}

	// ItemCompletedNotification has the item's final state.
	ItemCompletedNotification struct {
		ThreadID string     `json:"threadId"`
		TurnID   string     `json:"turnId"`
		Item     ThreadItem `json:"item"`
	}

	// UserMessageItem is the prompt, the first item of its turn.
	UserMessageItem struct {
		Type    string     `json:"type"` // "userMessage"
		ID      string     `json:"id"`
		Content UserInputs `json:"content"` // as sent
	}

	// AgentMessageItem is a text of the model's.
	AgentMessageItem struct {
		Type string `json:"type"` // "agentMessage"
		ID   string `json:"id"`
		Text string `json:"text"` // empty at first
	}

	// ReasoningItem is the model's thinking.
	ReasoningItem struct {
		Type    string `json:"type"` // "reasoning"
		ID      string `json:"id"`
		Summary string `json:"summary,omitzero"`
		Content string `json:"content,omitzero"`
	}

	// CommandExecutionItem is a command in a shell.
	CommandExecutionItem struct {
		Type             string     `json:"type"` // "commandExecution"
		ID               string     `json:"id"`
		Command          string     `json:"command"` // as the model wrote it
		Cwd              string     `json:"cwd"`
		Status           ItemStatus `json:"status"`
		ExitCode         *int       `json:"exitCode,omitzero"`         // absent if there was none
		AggregatedOutput *string    `json:"aggregatedOutput,omitzero"` // all deltas; absent if it never ran
		DurationMS       *int64     `json:"durationMs,omitzero"`
	}

	// FileChangeItem is what one call of an editing tool does to files.
	FileChangeItem struct {
		Type    string             `json:"type"` // "fileChange"
		ID      string             `json:"id"`
		Changes []FileUpdateChange `json:"changes"`
		Status  ItemStatus         `json:"status"`
	}

	// FileUpdateChange is the change of one file.
	FileUpdateChange struct {
		Path     string `json:"path"`              // absolute
		Kind     string `json:"kind"`              // add, modify or delete
		Diff     string `json:"diff"`              // unified
		MovePath string `json:"movePath,omitzero"` // + of a delete: where the file went; absolute
	}

	// McpToolCallItem is a call of a tool server's tool.
	McpToolCallItem struct {
		Type       string         `json:"type"` // "mcpToolCall"
		ID         string         `json:"id"`
		Server     string         `json:"server"`
		Tool       string         `json:"tool"`
		Arguments  jsontext.Value `json:"arguments,omitzero"` // an object
		Status     ItemStatus     `json:"status"`             // never declined
		Result     jsontext.Value `json:"result,omitzero"`    // the server's: content, structuredContent
		Error      string         `json:"error,omitzero"`
		DurationMS *int64         `json:"durationMs,omitzero"` // +
	}

	// WebSearchItem is a search by the provider or by our own tool.
	WebSearchItem struct {
		Type   string         `json:"type"` // "webSearch"
		ID     string         `json:"id"`
		Query  string         `json:"query"`
		Action jsontext.Value `json:"action,omitzero"` // + an object with type search, openPage, findInPage or other
	}

	// PlanItem is a plan, whole.
	PlanItem struct {
		Type    string      `json:"type"` // "plan"
		ID      string      `json:"id"`
		Text    string      `json:"text"` // a Markdown list; empty at first
		Entries []PlanEntry `json:"entries,omitzero"`
	}

	// PlanEntry is a step of a plan.
	PlanEntry struct {
		Step   string `json:"step"`
		Status string `json:"status"` // pending, inProgress, completed or failed
	}

	// DynamicToolCallItem is a call of any other tool, and a call that could not be made (+).
	DynamicToolCallItem struct {
		Type         string         `json:"type"` // "dynamicToolCall"
		ID           string         `json:"id"`
		Tool         string         `json:"tool"`
		Arguments    jsontext.Value `json:"arguments"` // an object
		Status       ItemStatus     `json:"status"`    // never declined
		Success      *bool          `json:"success,omitzero"`
		Text         string         `json:"text"` // one line, for clients that do not know the type
		ContentItems []ContentItem  `json:"contentItems,omitzero"`
		Error        string         `json:"error,omitzero"`
		DurationMS   *int64         `json:"durationMs,omitzero"`
	}

	// ContentItem is a piece of what a tool answered.
	ContentItem struct {
		Type string `json:"type"` // "inputText"
		Text string `json:"text"`
	}

	// ContextCompactionItem marks the place where older history was summed up (+).
	ContextCompactionItem struct {
		Type string `json:"type"` // "contextCompaction"
		ID   string `json:"id"`
		Text string `json:"text"`
	}

	// ItemStatus is one of the four below.
	ItemStatus string
)

// The statuses of an item. All but the first are final.
const (
	ItemInProgress ItemStatus = "inProgress"
	ItemCompleted  ItemStatus = "completed"
	ItemFailed     ItemStatus = "failed"
	ItemDeclined   ItemStatus = "declined" // by the user, or because there is no client
)

// The kinds of a FileUpdateChange.
const (
	ChangeAdd    = "add"
	ChangeModify = "modify"
	ChangeDelete = "delete"
)

// The statuses of a PlanEntry.
const (
	StepPending    = "pending"
	StepInProgress = "inProgress"
	StepCompleted  = "completed"
	StepFailed     = "failed"
)

// How items grow. A delta is never empty; all deltas of an item make up its final text.
type (
	// AgentMessageDelta is item/agentMessage/delta.
	AgentMessageDelta = ItemDelta

	// CommandExecutionOutputDelta is item/commandExecution/outputDelta: both streams, as they come.
	CommandExecutionOutputDelta = ItemDelta

	// FileChangeOutputDelta is item/fileChange/outputDelta: the whole diff of one file.
	FileChangeOutputDelta = ItemDelta

	// PlanDelta is item/plan/delta.
	PlanDelta = ItemDelta

	// ItemDelta is a piece of an item's text.
	ItemDelta struct {
		ThreadID string `json:"threadId"`
		TurnID   string `json:"turnId"`
		ItemID   string `json:"itemId"`
		Delta    string `json:"delta"`
	}

	// ReasoningTextDelta is item/reasoning/textDelta, a piece of the content.
	ReasoningTextDelta struct {
		ThreadID     string `json:"threadId"`
		TurnID       string `json:"turnId"`
		ItemID       string `json:"itemId"`
		Delta        string `json:"delta"`
		ContentIndex int    `json:"contentIndex"` // + counted from 0
	}

	// ReasoningSummaryTextDelta is item/reasoning/summaryTextDelta, a piece of the summary.
	ReasoningSummaryTextDelta struct {
		ThreadID     string `json:"threadId"`
		TurnID       string `json:"turnId"`
		ItemID       string `json:"itemId"`
		Delta        string `json:"delta"`
		SummaryIndex int    `json:"summaryIndex"` // + counted from 0
	}

	// TurnPlanUpdated has the whole plan, each time it changes.
	TurnPlanUpdated struct {
		ThreadID    string      `json:"threadId"`
		TurnID      string      `json:"turnId"`
		Explanation string      `json:"explanation"` // empty if there is none
		Plan        []PlanEntry `json:"plan"`        // never null
	}
)

// Requests to the client, and its answers.
type (
	// CommandExecutionRequestApproval asks whether the command may run.
	CommandExecutionRequestApproval struct {
		ThreadID string `json:"threadId"`
		TurnID   string `json:"turnId"`
		ItemID   string `json:"itemId"`
		Command  string `json:"command"`
		Cwd      string `json:"cwd"`
		Reason   string `json:"reason,omitzero"` // why it is asked
	}

	// FileChangeRequestApproval asks whether the files may be changed.
	FileChangeRequestApproval struct {
		ThreadID string             `json:"threadId"`
		TurnID   string             `json:"turnId"`
		ItemID   string             `json:"itemId"`
		Changes  []FileUpdateChange `json:"changes"`
		Reason   string             `json:"reason,omitzero"`
	}

	// CommandExecutionApprovalResponse answers the former.
	CommandExecutionApprovalResponse = ApprovalResponse

	// FileChangeApprovalResponse answers the latter.
	FileChangeApprovalResponse = ApprovalResponse

	// ApprovalResponse is a verdict.
	ApprovalResponse struct {
		Decision Decision `json:"decision" enum:"accept,acceptForSession,decline,cancel"`
	}

	// Decision is one of the four below.
	Decision string
)

// The decisions.
const (
	Accept           Decision = "accept"           // this once
	AcceptForSession Decision = "acceptForSession" // and all that are like it
	Decline          Decision = "decline"          // the turn goes on
	Cancel           Decision = "cancel"           // + decline, and interrupt the turn
)
