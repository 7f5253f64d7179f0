package event

// BudgetWarned says that a budget nears one of its limits: once for each limit, right behind
// what the use came from.
type BudgetWarned struct {
	Scope    BudgetScope    `json:"scope"`
	Snapshot BudgetSnapshot `json:"snapshot"`
	Text     string         `json:"text"` // a sentence for people
}

// BudgetExceeded says that a budget is used up: once, right behind what the use came from.
// The turn that runs ends at its next safe point, and no other begins. With the scope of a task
// it also tells, each time, that a subagent was not begun because of that.
type BudgetExceeded struct {
	Scope    BudgetScope    `json:"scope"`
	Snapshot BudgetSnapshot `json:"snapshot"`
	Text     string         `json:"text"` // a sentence for people
}

// BudgetScope is what a budget is of.
type BudgetScope string

// The scopes.
const (
	BudgetOfSession  BudgetScope = "session"
	BudgetOfTask     BudgetScope = "task"
	BudgetOfSubagent BudgetScope = "subagent"
)

// BudgetSnapshot is what of a budget was used.
type BudgetSnapshot struct {
	Status       BudgetStatus `json:"status"`
	WallTime     Duration     `json:"wall_time"`     // of the running turn
	InputTokens  int          `json:"input_tokens"`  // those of caches included
	OutputTokens int          `json:"output_tokens"` // those of reasoning included
	TotalTokens  int          `json:"total_tokens"`
	Cost         float64      `json:"cost"` // US dollars
	ToolCalls    int          `json:"tool_calls"`
	Subagents    int          `json:"subagents"`
	Reason       BudgetReason `json:"reason,omitzero"` // the limit that the event is about
}

// BudgetStatus is how a budget stands.
type BudgetStatus string

// The statuses.
const (
	BudgetFine   BudgetStatus = "ok"
	BudgetNear   BudgetStatus = "warning"
	BudgetUsedUp BudgetStatus = "exceeded"
)

// BudgetReason is one of the limits of a budget.
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
