package pisces

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
)

// This file contains what newer programs of the family have besides: pi 1.x and omp 18. Older clients
// ignore lines and members that they do not know.

// The ends of prompts and of all work. +
type (
	// PromptResult follows the run that did the work of a prompt: one for each prompt, and
	// abort_and_prompt, that was acknowledged.
	PromptResult struct {
		ID             jsontext.Value `json:"id,omitzero"` // of the command
		AgentInvoked   bool           `json:"agentInvoked"`
		Status         string         `json:"status"`         // completed, aborted or error
		Error          *PromptError   `json:"error,omitzero"` // of the status error
		SessionSettled bool           `json:"sessionSettled"`
	}

	// PromptError is why the work of a prompt failed.
	PromptError struct {
		Message    string `json:"message"`
		Provider   string `json:"provider,omitzero"`
		HTTPStatus int    `json:"httpStatus,omitzero"`
		Retryable  bool   `json:"retryable"` // the same prompt may succeed later
	}

	// AgentSettled reports that no run is on, and that none follows of itself.
	AgentSettled struct {
		Aborted bool `json:"aborted"` // the last run was
	}

	// SessionSettled says besides that no message waits in a queue.
	SessionSettled struct{}
)

// The statuses of a PromptResult.
const (
	PromptCompleted = "completed"
	PromptAborted   = "aborted"
	PromptFailed    = "error"
)

// Accepted is of prompt, steer and follow_up. +
type Accepted struct {
	Disposition Disposition `json:"disposition" enum:"started,queued,handled"`
}

// Disposition is what was done with a message of the user.
type Disposition string

// The dispositions.
const (
	DispositionStarted Disposition = "started"
	DispositionQueued  Disposition = "queued"
	DispositionHandled Disposition = "handled" // no run begins because of it
)

// Queues, thinking and the tree of a session. +
type (
	// ClearQueue takes back what waits in the queues.
	ClearQueue struct{}

	// ClearedQueue is of clear_queue.
	ClearedQueue struct {
		Steering []string `json:"steering"`
		FollowUp []string `json:"followUp"`
	}

	// GetAvailableThinkingLevels asks for the ThinkingLevels of the model.
	GetAvailableThinkingLevels struct{}

	// ThinkingLevels is of get_available_thinking_levels, the least first.
	ThinkingLevels struct {
		Levels []string `json:"levels"`
	}

	// GetEntries asks for the Entries of the session, or those that follow one.
	GetEntries struct {
		Since string `json:"since,omitzero"` // id of an entry
	}

	// Entries is of get_entries, in the order in which they were made.
	Entries struct {
		Entries []jsontext.Value `json:"entries"` // as in a session file
		LeafID  *string          `json:"leafId"`  // null: there is none
	}

	// GetTree asks for the Tree of the session.
	GetTree struct{}

	// Tree is of get_tree.
	Tree struct {
		Tree   []*TreeNode `json:"tree"`
		LeafID *string     `json:"leafId"` // null: there is none
	}

	// TreeNode is an entry and those that hang on it.
	TreeNode struct {
		Entry          jsontext.Value `json:"entry"`
		Children       []*TreeNode    `json:"children"`
		Label          string         `json:"label,omitzero"`
		LabelTimestamp string         `json:"labelTimestamp,omitzero"`
	}

	// GetAvailableCommands asks for the same as GetCommands.
	GetAvailableCommands struct{}
)

// Todos and pages of messages. +
type (
	// SetTodos replaces the todos of the session.
	SetTodos struct {
		Phases []TodoPhase `json:"phases"`
	}

	// TodoPhase is a part of the todos.
	TodoPhase struct {
		ID    string     `json:"id,omitzero"` // absent on the way in: it gets one
		Name  string     `json:"name"`
		Tasks []TodoItem `json:"tasks"`
	}

	// TodoItem is one of its tasks.
	TodoItem struct {
		ID      string `json:"id,omitzero"` // as TodoPhase.ID
		Content string `json:"content"`
		Status  string `json:"status"` // pending, in_progress, completed, abandoned
		Notes   string `json:"notes,omitzero"`
		Details string `json:"details,omitzero"`
	}

	// TodoPhases is of set_todos.
	TodoPhases struct {
		TodoPhases []TodoPhase `json:"todoPhases"`
	}

	// GetMessagesPage asks for a part of the Messages of an idle session.
	GetMessagesPage struct {
		Cursor string `json:"cursor,omitzero"` // NextCursor of the page before; absent: the first page
		Limit  int    `json:"limit,omitzero"`  // messages, 1 to 256; absent: 100
	}

	// MessagesPage is of get_messages_page.
	MessagesPage struct {
		Messages      []message.Message `json:"messages"`
		NextCursor    string            `json:"nextCursor,omitzero"` // absent: this is the last page
		TotalMessages int               `json:"totalMessages"`
	}
)

// Events, subagents and sessions. +
type (
	// SetEventFilter limits the events that are sent to some types; null: all are.
	SetEventFilter struct {
		Events *[]string `json:"events,omitzero"`
	}

	// EventFilter is of set_event_filter.
	EventFilter struct {
		Events *[]string `json:"events"` // null: all
	}

	// SetSubagentSubscription says which frames of subagents are sent besides their events.
	SetSubagentSubscription struct {
		Level string `json:"level" enum:"off,progress,events"`
	}

	// SubagentSubscription is of set_subagent_subscription.
	SubagentSubscription struct {
		Level string `json:"level"` // that holds now: off
	}

	// GetSubagents asks for the Subagents.
	GetSubagents struct{}

	// Subagents is of get_subagents: those of the run that is on, or of the last one.
	Subagents struct {
		Subagents []Subagent `json:"subagents"`
	}

	// Subagent is one of them.
	Subagent struct {
		ID               string `json:"id"`
		Index            int    `json:"index"`
		Agent            string `json:"agent"`
		AgentSource      string `json:"agentSource"` // bundled, user or project
		Description      string `json:"description,omitzero"`
		Status           string `json:"status"` // pending, running, completed, failed or aborted
		Task             string `json:"task,omitzero"`
		Assignment       string `json:"assignment,omitzero"`
		LastUpdate       int64  `json:"lastUpdate"`
		ParentToolCallID string `json:"parentToolCallId,omitzero"`
	}

	// OpenSession leaves the session for the newest of a folder, or a new one there.
	OpenSession struct {
		SessionDir string `json:"sessionDir"`
	}

	// OpenedSession is of open_session.
	OpenedSession struct {
		Cancelled   bool   `json:"cancelled"`
		Resumed     bool   `json:"resumed"`
		SessionID   string `json:"sessionId"`
		SessionFile string `json:"sessionFile,omitzero"`
	}
)

// EventType returns the member type.
func (PromptResult) EventType() string { return "prompt_result" }

// EventType returns the member type.
func (AgentSettled) EventType() string { return "agent_settled" }

// EventType returns the member type.
func (SessionSettled) EventType() string { return "session_settled" }
