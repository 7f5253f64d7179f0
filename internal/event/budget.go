package event

// BudgetWarned reports that a budget is near one of its limits: once for each limit, directly after
// the event that used it.
type BudgetWarned struct {
	Scope    BudgetScope    `json:"scope"`
	Snapshot BudgetSnapshot `json:"snapshot"`
	Text     string         `json:"text"` // a sentence for users
}

// BudgetExceeded reports that a budget is used up: once, directly after the event that used it. The
// running turn ends at its next safe point, and no other begins. With the scope of a task it also
// reports, each time, that a subagent was not started for that reason.
type BudgetExceeded struct {
	Scope    BudgetScope    `json:"scope"`
	Snapshot BudgetSnapshot `json:"snapshot"`
	Text     string         `json:"text"` // a sentence for users
}

// A BudgetScope is what a budget limits.
type BudgetScope string

// The scopes.
const (
	BudgetOfSession  BudgetScope = "session"
	BudgetOfTask     BudgetScope = "task"
	BudgetOfSubagent BudgetScope = "subagent"
)

// A BudgetSnapshot is the used part of a budget.
type BudgetSnapshot struct {
	Status       BudgetStatus `json:"status"`
	WallTime     Duration     `json:"wall_time"`     // of the running turn
	InputTokens  int          `json:"input_tokens"`  // including cached ones
	OutputTokens int          `json:"output_tokens"` // including reasoning
	TotalTokens  int          `json:"total_tokens"`
	Cost         float64      `json:"cost"` // US dollars
	ToolCalls    int          `json:"tool_calls"`
	Subagents    int          `json:"subagents"`
	Reason       BudgetReason `json:"reason,omitzero"` // the limit that the event is about
}

// A BudgetStatus is the state of a budget.
type BudgetStatus string

// The statuses.
const (
	BudgetFine   BudgetStatus = "ok"
	BudgetNear   BudgetStatus = "warning"
	BudgetUsedUp BudgetStatus = "exceeded"
)

// A BudgetReason is one of the limits of a budget.
type BudgetReason string

// The limits, in the order in which they are checked.
const (
	BudgetWallTime     BudgetReason = "wall_time"
	BudgetInputTokens  BudgetReason = "input_tokens"
	BudgetOutputTokens BudgetReason = "output_tokens"
	BudgetTotalTokens  BudgetReason = "total_tokens"
	BudgetCost         BudgetReason = "cost"
	BudgetToolCalls    BudgetReason = "tool_calls"
	BudgetSubagents    BudgetReason = "subagents"
)
