package pisces

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley.dev/parley/internal/engine"
)

// TestBudgetLimits reads task.budget, nested or dotted, and takes the lower of it and the host's.
func TestBudgetLimits(t *testing.T) {
	for _, test := range []struct {
		name, config, project string
		host, want            engine.Limits
	}{
		{name: "nothing is set"},
		{name: "a part alone is no limit", config: "task:\n  budget:\n    warnAtRatio: 0.5\n"},
		{
			name: "all", config: "task:\n  budget:\n    maxWallTimeMs: 1500\n    maxInputTokens: 1\n    maxOutputTokens: 2\n    maxTotalTokens: 3\n" +
				"    maxCostUsd: 0.25\n    maxToolCalls: 4\n    maxSubagents: 5\n    warnAtRatio: 0.5\n",
			want: engine.Limits{
				WallTime: 1500 * time.Millisecond, InputTokens: 1, OutputTokens: 2, TotalTokens: 3, Cost: 0.25, ToolCalls: 4, Subagents: 5, WarnAt: 0.5,
			},
		},
		{name: "dotted", project: `{"task.budget.maxToolCalls": 7, "task": {"budget": {"maxCostUsd": 2}}}`, want: engine.Limits{ToolCalls: 7, Cost: 2}},
		{name: "nonsense", project: `{"task.budget.maxToolCalls": -7, "task.budget.maxCostUsd": "much"}`},
		{name: "too much", project: `{"task.budget.maxToolCalls": 1e300}`, want: engine.Limits{ToolCalls: 1<<31 - 1}},
		{name: "the host's", host: engine.Limits{ToolCalls: 3}, want: engine.Limits{ToolCalls: 3, WarnAt: 0.8}},
		{
			name: "both", project: `{"task.budget.maxToolCalls": 7, "task.budget.maxSubagents": 2, "task.budget.warnAtRatio": 0.9}`,
			host: engine.Limits{ToolCalls: 3, Cost: 1}, want: engine.Limits{ToolCalls: 3, Subagents: 2, Cost: 1, WarnAt: 0.9},
		},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"config.yml": test.config, "settings.json": test.project} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := &conn{cfg: Config{
			Settings: ReadSettings(SettingsFiles{Agent: dir, Project: dir}, slog.New(slog.DiscardHandler)),
			Host:     engine.NewHost(engine.Config{Budget: engine.NewBudget(engine.BudgetPlan{Limits: test.host})}),
		}}
		if got := c.budgetPlan().Limits; got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
