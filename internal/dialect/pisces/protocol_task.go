package pisces

import "parley.dev/parley/internal/dialect/pisces/message"

// This file contains the events of subagents and of budgets.

// Subagents. The events of concurrent ones interleave; the ID is that of the task.
type (
	// SubagentStart comes before a subagent starts.
	SubagentStart struct {
		ID       string `json:"id"` // of the task; the same in all attempts
		Agent    string `json:"agent"`
		Isolated bool   `json:"isolated"` // in a worktree of its own
	}

	// SubagentEnd comes when it and its verification are over.
	SubagentEnd struct {
		ID           string                      `json:"id"`
		Agent        string                      `json:"agent"`
		ExitCode     int                         `json:"exitCode"`
		Verification *message.VerificationResult `json:"verification,omitzero"` // absent: none was asked for
	}

	// SubagentVerificationStart comes before the first command of an attempt.
	SubagentVerificationStart struct {
		ID      string `json:"id"`
		Attempt int    `json:"attempt"`
		Profile string `json:"profile,omitzero"`
	}

	// SubagentVerificationCommandStart comes before each command.
	SubagentVerificationCommandStart struct {
		ID          string `json:"id"`
		Attempt     int    `json:"attempt"`
		CommandName string `json:"commandName"`
	}

	// SubagentVerificationCommandEnd comes after it.
	SubagentVerificationCommandEnd struct {
		ID          string `json:"id"`
		Attempt     int    `json:"attempt"`
		CommandName string `json:"commandName"`
		ExitCode    int    `json:"exitCode"`
		DurationMS  int64  `json:"durationMs"`
		ArtifactID  string `json:"artifactId,omitzero"` // a path, where there was output
	}

	// SubagentVerificationEnd comes after the last command of an attempt.
	SubagentVerificationEnd struct {
		ID      string                     `json:"id"`
		Attempt int                        `json:"attempt"`
		Status  message.VerificationStatus `json:"status"` // passed, failed, skipped or budget_exceeded
	}
)

// Budgets.
type (
	// BudgetWarning comes once for each dimension that nears its limit.
	BudgetWarning struct {
		Scope    string         `json:"scope"` // session, task or subagent
		Snapshot BudgetSnapshot `json:"snapshot"`
	}

	// BudgetExceeded comes when a limit is reached.
	BudgetExceeded struct {
		Scope    string         `json:"scope"`
		Snapshot BudgetSnapshot `json:"snapshot"`
	}

	// BudgetSnapshot is what was consumed.
	BudgetSnapshot struct {
		Status       string  `json:"status"` // ok, warning or exceeded
		WallTimeMS   int64   `json:"wallTimeMs"`
		InputTokens  int     `json:"inputTokens"`
		OutputTokens int     `json:"outputTokens"`
		TotalTokens  int     `json:"totalTokens"`
		CostUSD      float64 `json:"costUsd"`
		ToolCalls    int     `json:"toolCalls"`
		Subagents    int     `json:"subagents"`
		Reason       string  `json:"reason,omitzero"` // wall_time, input_tokens, output_tokens, total_tokens, cost, tool_calls, subagents
	}
)

// EventType returns the member type.
func (SubagentStart) EventType() string { return "subagent_start" }

// EventType returns the member type.
func (SubagentEnd) EventType() string { return "subagent_end" }

// EventType returns the member type.
func (SubagentVerificationStart) EventType() string { return "subagent_verification_start" }

// EventType returns the member type.
func (SubagentVerificationCommandStart) EventType() string {
	return "subagent_verification_command_start"
}

// EventType returns the member type.
func (SubagentVerificationCommandEnd) EventType() string {
	return "subagent_verification_command_end"
}

// EventType returns the member type.
func (SubagentVerificationEnd) EventType() string { return "subagent_verification_end" }

// EventType returns the member type.
func (BudgetWarning) EventType() string { return "budget_warning" }

// EventType returns the member type.
func (BudgetExceeded) EventType() string { return "budget_exceeded" }
