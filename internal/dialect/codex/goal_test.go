package codex

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestWithGoal: what requests make of a goal. The thread has used 100 tokens when it is set, 160 now.
func TestWithGoal(t *testing.T) {
	now := time.Unix(2000, 0)
	tokens := func(n int64) *int64 { return &n }
	of := func(status ThreadGoalStatus, budget int64) *goal {
		return &goal{Objective: "old", Status: status, Budget: budget, Created: 1000, Updated: 1000, Tokens: 7, Thread: 100, Counted: 1_000_000}
	}
	for name, row := range map[string]struct {
		old    *goal
		p      ThreadGoalSetParams
		want   ThreadGoal
		report bool
		err    error
	}{
		"new":                   {nil, ThreadGoalSetParams{Objective: " new ", TokenBudget: tokens(9)}, ThreadGoal{CreatedAt: 2000, Objective: "new", Status: "active", TokenBudget: tokens(9)}, false, nil},
		"new, paused":           {nil, ThreadGoalSetParams{Objective: "new", Status: "paused"}, ThreadGoal{CreatedAt: 2000, Objective: "new", Status: "paused"}, false, nil},
		"none":                  {nil, ThreadGoalSetParams{Status: "active"}, ThreadGoal{}, false, errNoGoal},
		"after a complete one":  {of("complete", 50), ThreadGoalSetParams{Objective: "new"}, ThreadGoal{CreatedAt: 2000, Objective: "new", Status: "active"}, false, nil},
		"changed":               {of("active", 0), ThreadGoalSetParams{Objective: "new"}, ThreadGoal{CreatedAt: 1000, Objective: "new", Status: "active", TokensUsed: 67}, false, nil},
		"paused":                {of("active", 0), ThreadGoalSetParams{Status: "paused"}, ThreadGoal{CreatedAt: 1000, Objective: "old", Status: "paused", TokensUsed: 67}, false, nil},
		"resumed":               {of("paused", 0), ThreadGoalSetParams{Status: "active"}, ThreadGoal{CreatedAt: 1000, Objective: "old", Status: "active", TokensUsed: 7}, false, nil},
		"another objective":     {of("paused", 0), ThreadGoalSetParams{Objective: "new"}, ThreadGoal{CreatedAt: 1000, Objective: "new", Status: "active", TokensUsed: 7}, false, nil},
		"a budget that is used": {of("active", 0), ThreadGoalSetParams{TokenBudget: tokens(67)}, ThreadGoal{CreatedAt: 1000, Objective: "old", Status: "budgetLimited", TokensUsed: 67, TokenBudget: tokens(67)}, true, nil},
		"a larger budget":       {of("budgetLimited", 7), ThreadGoalSetParams{TokenBudget: tokens(8)}, ThreadGoal{CreatedAt: 1000, Objective: "old", Status: "active", TokensUsed: 7, TokenBudget: tokens(8)}, false, nil},
		"a budget, paused":      {of("paused", 0), ThreadGoalSetParams{TokenBudget: tokens(1)}, ThreadGoal{CreatedAt: 1000, Objective: "old", Status: "paused", TokensUsed: 7, TokenBudget: tokens(1)}, false, nil},
		"resumed, used up":      {of("budgetLimited", 7), ThreadGoalSetParams{Status: "active"}, ThreadGoal{CreatedAt: 1000, Objective: "old", Status: "budgetLimited", TokensUsed: 7, TokenBudget: tokens(7)}, true, nil},
	} {
		g, err := withGoal(row.old, &row.p, 160, now)
		if err != row.err {
			t.Errorf("%s: %v", name, err)
		}
		if g == nil {
			continue
		}
		row.want.ThreadID, row.want.UpdatedAt = "t", 2000
		if got := g.shown("t"); string(marshal(got)) != string(marshal(row.want)) || g.Report != row.report || g.Thread != 160 {
			t.Errorf("%s: %s, want %s, with report %v", name, marshal(got), marshal(row.want), g.Report)
		}
	}
}

func settingsWith(g *goal) (s event.Settings) {
	extra{Goal: g}.store(&s)
	return s
}

// TestGoalAfterStep: the state of a goal after a step of a turn that the thread has begun by itself, or after its end.
func TestGoalAfterStep(t *testing.T) {
	call := func(status string) []model.Call {
		return []model.Call{{Name: nameUpdateGoal, Input: jsontext.Value(`{"status":"` + status + `"}`)}}
	}
	failure := func(kind string) *event.Failure { return &event.Failure{Kind: kind} }
	client := event.Client{N: 1, Name: "c"}
	for name, row := range map[string]struct {
		status ThreadGoalStatus
		budget int64
		p      engine.Progress
		want   ThreadGoalStatus // "": nothing is recorded
		stops  bool
	}{
		"goes on":              {"active", 0, engine.Progress{}, "", false},
		"reached":              {"active", 0, engine.Progress{Calls: call("complete")}, "complete", false},
		"blocked":              {"active", 0, engine.Progress{Calls: call("blocked")}, "blocked", false},
		"reported too late":    {"paused", 0, engine.Progress{Calls: call("complete")}, "", true},
		"budget left":          {"active", 61, engine.Progress{}, "", false},
		"used up":              {"active", 60, engine.Progress{}, "budgetLimited", true},
		"used up and reached":  {"active", 60, engine.Progress{Calls: call("complete")}, "complete", false},
		"report":               {"budgetLimited", 60, engine.Progress{Steps: reportSteps - 1}, "", false},
		"long report":          {"budgetLimited", 60, engine.Progress{Steps: reportSteps}, "", true},
		"report, reached":      {"budgetLimited", 60, engine.Progress{Calls: call("complete")}, "complete", false},
		"paused":               {"paused", 0, engine.Progress{}, "", true},
		"end":                  {"active", 0, engine.Progress{Reason: event.TurnCompleted}, "active", false},
		"interrupted":          {"active", 0, engine.Progress{Reason: event.TurnInterrupted, Client: client}, "paused", true},
		"end of the client":    {"active", 0, engine.Progress{Reason: event.TurnInterrupted}, "active", false},
		"failed":               {"active", 0, engine.Progress{Reason: event.TurnFailed, Failure: failure("broken_stream")}, "blocked", false},
		"failed, no reason":    {"active", 0, engine.Progress{Reason: event.TurnFailed}, "blocked", false},
		"refused":              {"active", 0, engine.Progress{Reason: event.TurnRefused}, "blocked", false},
		"quota":                {"active", 0, engine.Progress{Reason: event.TurnFailed, Failure: failure(string(model.Quota))}, "usageLimited", false},
		"budget of the thread": {"active", 0, engine.Progress{Reason: event.TurnBudget}, "usageLimited", false},
		"moved":                {"active", 0, engine.Progress{Reason: event.TurnFailed, Failure: failure(engine.FailMoved)}, "active", false},
		"end after that":       {"complete", 0, engine.Progress{Reason: event.TurnFailed}, "", false},
	} {
		g := &goal{Objective: "o", Status: row.status, Budget: row.budget, Thread: 100, Counted: 1_000_000}
		row.p.Settings, row.p.Usage = settingsWith(g), model.Usage{Input: 100, CacheRead: 5000, CacheWrite: 20, Output: 40}
		row.p.Began, row.p.Now = time.UnixMilli(999_000), time.UnixMilli(1_002_500)
		r := goals{}.AfterStep(row.p)
		if (r.Change != nil) != (row.want != "") || r.Stop != row.stops {
			t.Errorf("%s: changes %v, stops %v", name, r.Change != nil, r.Stop)
		}
		if r.Change == nil {
			continue
		}
		s := row.p.Settings
		r.Change(&s)
		if now := extraOf(s).Goal; now.Status != row.want || now.Tokens != 60 || now.TimeMS != 2500 || now.Thread != 160 {
			t.Errorf("%s: %+v", name, now)
		}
		row.p.Prompted = true
		if (goals{}).AfterStep(row.p).Stop {
			t.Errorf("%s: the turn of a user is stopped", name)
		}
	}
	if cleared := (engine.Progress{}); !(goals{}).AfterStep(cleared).Stop {
		t.Error("a turn goes on without its goal")
	}
}

// TestNextTurn: when a thread goes on by itself, and with what.
func TestNextTurn(t *testing.T) {
	for name, row := range map[string]struct {
		g        goal
		plan     bool
		archived bool
		want     string // in the text; "": no turn
		readOnly bool
	}{
		"active":             {goal{Status: "active", Objective: "Do {budget}"}, false, false, "<goal>\nDo {budget}\n</goal>\n\nUsed so far: 60 tokens, 0 seconds. Token budget: none; left: any number.", false},
		"with a budget":      {goal{Status: "active", Budget: 70}, false, false, "Token budget: 70; left: 10.", false},
		"plan mode":          {goal{Status: "active"}, true, false, "", false},
		"archived":           {goal{Status: "active"}, false, true, "", false},
		"paused":             {goal{Status: "paused"}, false, false, "", false},
		"used up":            {goal{Status: "budgetLimited", Tokens: 60, Report: true, Budget: 60}, false, false, "used up: 60 of 60", true},
		"reported":           {goal{Status: "budgetLimited", Tokens: 60, Budget: 60}, false, false, "", false},
		"used up, by a kill": {goal{Status: "active", Budget: 60}, false, false, "used up: 60 of 60", true},
	} {
		row.g.Thread = 100
		var s event.Settings
		extra{Goal: &row.g, Plan: row.plan}.store(&s)
		s.Archived = row.archived
		next := goals{func() string { return "id" }}.NextTurn(engine.Progress{Settings: s, Usage: model.Usage{Input: 160}, Now: time.Unix(1, 0)})
		if (next != nil) != (row.want != "") {
			t.Errorf("%s: %+v", name, next)
		}
		if next == nil {
			continue
		}
		if !strings.Contains(next.Text, row.want) || next.Tuning.ReadOnly != row.readOnly || next.Turn != "id" {
			t.Errorf("%s: %+v", name, next)
		}
		if row.readOnly {
			next.Change(&s)
			if g := extraOf(s).Goal; g.Report || g.Status != ThreadGoalStatusBudgetLimited {
				t.Errorf("%s: %+v", name, g)
			}
		}
	}
}
