package pisces

import (
	"math"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file is task.budget: what the sessions of a process may use together, and, of that, the
// subagents of one call (task.budget.task) and each of them (task.budget.subagent). Unlike the
// original's, a budget that is used up ends the run that runs, once the tool calls are over
// that have begun.

// limits is what the settings allow, or the host, whichever is less.
func (c *conn) limits() engine.Limits {
	return c.cfg.Settings.limits("task.budget.").Tighter(c.cfg.Host.Limits())
}

// limits is the limits whose names begin so.
func (s *Settings) limits(prefix string) engine.Limits {
	whole := func(name string) int { return int(min(s.number(prefix+name, 0, 0), math.MaxInt32)) }
	l := engine.Limits{
		WallTime:     time.Duration(whole("maxWallTimeMs")) * time.Millisecond,
		InputTokens:  whole("maxInputTokens"),
		OutputTokens: whole("maxOutputTokens"),
		TotalTokens:  whole("maxTotalTokens"),
		Cost:         s.number(prefix+"maxCostUsd", 0, 0),
		ToolCalls:    whole("maxToolCalls"),
		Subagents:    whole("maxSubagents"),
	}
	if l.Any() {
		l.WarnAt = min(s.number(prefix+"warnAtRatio", 0, s.number("task.budget.warnAtRatio", 0, 0)), 1)
	}
	return l
}

// snapshotOf is what was used, as this protocol counts it.
func snapshotOf(s event.BudgetSnapshot) BudgetSnapshot {
	return BudgetSnapshot{
		Status: string(s.Status), WallTimeMS: time.Duration(s.WallTime).Milliseconds(),
		InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, TotalTokens: s.TotalTokens, CostUSD: s.Cost,
		ToolCalls: s.ToolCalls, Subagents: s.Subagents, Reason: string(s.Reason),
	}
}
