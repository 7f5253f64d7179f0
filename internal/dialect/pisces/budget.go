package pisces

import (
	"math"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file is task.budget: what the sessions of a process may use together. Unlike the
// original's, a budget that is used up ends the run that runs, once the tool calls are over
// that have begun.

// limits is what the settings allow, or the host, whichever is less.
func (c *conn) limits() engine.Limits {
	set := c.cfg.Settings
	whole := func(name string) int { return int(min(set.number("task.budget."+name, 0, 0), math.MaxInt32)) }
	l := engine.Limits{
		WallTime:     time.Duration(whole("maxWallTimeMs")) * time.Millisecond,
		InputTokens:  whole("maxInputTokens"),
		OutputTokens: whole("maxOutputTokens"),
		TotalTokens:  whole("maxTotalTokens"),
		Cost:         set.number("task.budget.maxCostUsd", 0, 0),
		ToolCalls:    whole("maxToolCalls"),
		Subagents:    whole("maxSubagents"),
	}
	if l.Any() {
		l.WarnAt = min(set.number("task.budget.warnAtRatio", 0, 0), 1)
	}
	return l.Tighter(c.cfg.Host.Limits())
}

// snapshotOf is what was used, as this protocol counts it.
func snapshotOf(s event.BudgetSnapshot) BudgetSnapshot {
	return BudgetSnapshot{
		Status: string(s.Status), WallTimeMS: time.Duration(s.WallTime).Milliseconds(),
		InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, TotalTokens: s.TotalTokens, CostUSD: s.Cost,
		ToolCalls: s.ToolCalls, Subagents: s.Subagents, Reason: string(s.Reason),
	}
}
