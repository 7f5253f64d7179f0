package config

import (
	"testing"
	"time"

	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/config/configtest"
)

// TestBudgetSettings reads the same limits from the file and from a variable, which wins.
func TestBudgetSettings(t *testing.T) {
	path := configtest.File(t, `{"budget": {
		"max_wall_time": "30m", "max_input_tokens": 1, "max_output_tokens": 2, "max_total_tokens": 3, "max_cost_usd": 0.5,
		"max_tool_calls": 4, "max_subagents": 5, "warn_at_ratio": 0.6, "count_resumed": true,
	}}`)
	want := budget.Limits{
		WallTime: 30 * time.Minute, InputTokens: 1, OutputTokens: 2, TotalTokens: 3, Cost: 0.5, ToolCalls: 4, Subagents: 5, WarnAt: 0.6,
	}
	s, err := Load(configtest.Environment("PARLEY_CONFIG", path, "HOME", "/home/x"))
	if err != nil {
		t.Fatal(err)
	}
	if l, err := s.Budget.Limits(); err != nil || l != want || !s.Budget.CountResumed {
		t.Errorf("the file says %+v, %v; want %+v", s.Budget, err, want)
	}
	line := want.String()
	if got := s.Budget.line(); got != line {
		t.Errorf("it is shown as %q, want %q", got, line)
	}
	s, err = Load(configtest.Environment("PARLEY_BUDGET", line, "HOME", "/home/x"))
	if err != nil {
		t.Fatal(err)
	}
	if l, err := s.Budget.Limits(); err != nil || l != want {
		t.Errorf("the variable says %+v, %v; want %+v", l, err, want)
	}
	s, err = Load(configtest.Environment("PARLEY_CONFIG", path, "PARLEY_BUDGET", "cost=1", "HOME", "/home/x"))
	if err != nil {
		t.Fatal(err)
	}
	if l, err := s.Budget.Limits(); err != nil || l != (budget.Limits{Cost: 1}) || !s.Budget.CountResumed {
		t.Errorf("both say %+v, %v", l, err)
	}
}

// TestBudgetOfParts reads the limits of subagents, and refuses what makes no sense.
func TestBudgetOfParts(t *testing.T) {
	path := configtest.File(t, `{"budget": {"task": {"max_subagents": 4}, "subagent": {"max_wall_time": "5m", "max_cost_usd": 1}}}`)
	s, err := Load(configtest.Environment("PARLEY_CONFIG", path, "HOME", "/home/x"))
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := s.Budget.Limits()
	task, _ := s.Budget.Task.Limits()
	subagent, _ := s.Budget.Subagent.Limits()
	if whole.Any() || task != (budget.Limits{Subagents: 4}) || subagent != (budget.Limits{WallTime: 5 * time.Minute, Cost: 1}) {
		t.Errorf("the limits are %+v, %+v, %+v", whole, task, subagent)
	}
	for _, text := range []string{`{"budget": {"task": {"max_cost_usd": -1}}}`, `{"budget": {"subagent": {"max_wall_time": "soon"}}}`, `{"budget": {"task": {"task": {}}}}`} {
		if _, err := Load(configtest.Environment("PARLEY_CONFIG", configtest.File(t, text), "HOME", "/home/x")); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
