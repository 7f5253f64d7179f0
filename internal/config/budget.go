package config

import (
	"fmt"
	"time"

	"parley.dev/parley/internal/budget"
)

// BudgetSettings is what all sessions of a process may use together, and, of that, subagents;
// docs/budget.md.
type BudgetSettings struct {
	LimitSettings
	CountResumed bool          `json:"count_resumed,omitzero"` // also what other processes used of a session
	Task         LimitSettings `json:"task,omitzero"`          // all subagents of one call
	Subagent     LimitSettings `json:"subagent,omitzero"`      // each of them
}

// LimitSettings is limits as the file has them.
type LimitSettings struct {
	MaxWallTime     string  `json:"max_wall_time,omitzero"` // of a turn: "30m"
	MaxInputTokens  int     `json:"max_input_tokens,omitzero"`
	MaxOutputTokens int     `json:"max_output_tokens,omitzero"`
	MaxTotalTokens  int     `json:"max_total_tokens,omitzero"`
	MaxCostUSD      float64 `json:"max_cost_usd,omitzero"`
	MaxToolCalls    int     `json:"max_tool_calls,omitzero"`
	MaxSubagents    int     `json:"max_subagents,omitzero"`
	WarnAtRatio     float64 `json:"warn_at_ratio,omitzero"`
}

// setBudget takes the limits of one line, as budget.Parse reads it, in place of the file's.
func setBudget(s *Settings, line string) error {
	l, err := budget.Parse(line)
	if err != nil {
		return err
	}
	s.Budget.LimitSettings = LimitSettings{
		MaxInputTokens: l.InputTokens, MaxOutputTokens: l.OutputTokens, MaxTotalTokens: l.TotalTokens, MaxCostUSD: l.Cost,
		MaxToolCalls: l.ToolCalls, MaxSubagents: l.Subagents, WarnAtRatio: l.WarnAt,
	}
	if l.WallTime > 0 {
		s.Budget.MaxWallTime = l.WallTime.String()
	}
	return nil
}

// check returns what is wrong with any of the limits.
func (b BudgetSettings) check() error {
	for _, part := range []struct {
		setting string
		limits  LimitSettings
	}{{"budget", b.LimitSettings}, {"budget.task", b.Task}, {"budget.subagent", b.Subagent}} {
		if _, err := part.limits.Limits(); err != nil {
			return invalid(part.setting, err)
		}
	}
	return nil
}

func (b LimitSettings) Limits() (budget.Limits, error) {
	l := budget.Limits{
		InputTokens: b.MaxInputTokens, OutputTokens: b.MaxOutputTokens, TotalTokens: b.MaxTotalTokens, Cost: b.MaxCostUSD,
		ToolCalls: b.MaxToolCalls, Subagents: b.MaxSubagents, WarnAt: b.WarnAtRatio,
	}
	var err error
	if b.MaxWallTime != "" {
		if l.WallTime, err = time.ParseDuration(b.MaxWallTime); err != nil {
			return l, fmt.Errorf("max_wall_time: cannot read %q: expected a time such as 30m", b.MaxWallTime)
		}
	}
	return l, l.Check()
}

// line returns the limits in one line; "" without any.
func (b LimitSettings) line() string {
	l, _ := b.Limits() // checked when it was read
	return l.String()
}
