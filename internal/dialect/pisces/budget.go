package pisces

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains task.budget: what the sessions of a process may use together, and, of that, the
// subagents of one call (task.budget.task) and each of them (task.budget.subagent). Unlike the
// original's, a budget that is used up ends the run that runs, once the tool calls are over
// that have begun.

// budgetPlan returns the limits of the settings and of the host, the lower of each.
func (c *conn) budgetPlan() engine.BudgetPlan {
	set := c.cfg.Settings
	plan := engine.BudgetPlan{Limits: set.limits("task.budget."), Task: set.limits("task.budget.task."), Subagent: set.limits("task.budget.subagent.")}
	return plan.Tighter(c.cfg.Host.BudgetPlan())
}

// budgets are the beginnings of the names of limits.
var budgets = []string{"task.budget.", "task.budget.task.", "task.budget.subagent."}

// limitNames are the limits of each.
var limitNames = []string{"maxWallTimeMs", "maxInputTokens", "maxOutputTokens", "maxTotalTokens", "maxCostUsd", "maxToolCalls", "maxSubagents", warnAt}

const warnAt = "warnAtRatio"

// checkLimits refuses limits that are not numbers of at least 0, a ratio over 1, and names below
// task.budget that are no limits: a limit that does not hold costs money.
func checkLimits(flat map[string]any) error {
	var all error
	for _, path := range slices.Sorted(maps.Keys(flat)) {
		if !strings.HasPrefix(path, budgets[0]) || flat[path] == nil {
			continue
		}
		prefix, name := path[:strings.LastIndexByte(path, '.')+1], path[strings.LastIndexByte(path, '.')+1:]
		n, isNumber := flat[path].(float64)
		if whole, ok := flat[path].(int); ok {
			n, isNumber = float64(whole), true
		}
		switch {
		case !slices.Contains(budgets, prefix) || !slices.Contains(limitNames, name):
			all = errors.Join(all, fmt.Errorf("%s is not a limit; the limits are %s", path, strings.Join(limitNames, ", ")))
		case !isNumber:
			all = errors.Join(all, fmt.Errorf("%s must be a number, found %#v", path, flat[path]))
		case n < 0 || name == warnAt && n > 1:
			all = errors.Join(all, fmt.Errorf("%s is out of range: %v", path, n))
		}
	}
	return all
}

// limits returns the limits whose names begin so.
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

// snapshotOf returns what was used, as this protocol counts it.
func snapshotOf(s event.BudgetSnapshot) BudgetSnapshot {
	return BudgetSnapshot{
		Status: string(s.Status), WallTimeMS: time.Duration(s.WallTime).Milliseconds(),
		InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, TotalTokens: s.TotalTokens, CostUSD: s.Cost,
		ToolCalls: s.ToolCalls, Subagents: s.Subagents, Reason: string(s.Reason),
	}
}
