package codex

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file contains the turns that a thread with a goal begins by itself.

// goals is the plugin that continues threads with an active goal. It has no state: that is in the settings.
type goals struct{ newID func() string }

// reportSteps is how many steps the turn may have that reports after the budget was used up.
const reportSteps = 3

// AfterStep counts what the goal uses, takes what the model reports, and ends turns that no user asked for when the goal is not
// active any more.
func (goals) AfterStep(p engine.Progress) engine.StepRuling {
	x := extraOf(p.Settings)
	if x.Goal == nil {
		return engine.StepRuling{Stop: !p.Prompted}
	}
	old := *x.Goal
	now := old.after(p)
	r := engine.StepRuling{Stop: !p.Prompted && now.stops(old, p.Steps)}
	if now.Status == old.Status && (p.Reason == "" || now.Tokens == old.Tokens && now.TimeMS == old.TimeMS) {
		return r
	}
	now.Updated = p.Now.Unix()
	r.Change = editExtra(func(x *extra) { x.Goal = &now })
	return r
}

// stops reports whether a turn ends that no user asked for. After the model has reported the end of the goal it has the last word.
func (g goal) stops(old goal, steps int) bool {
	switch g.Status {
	case ThreadGoalStatusPaused:
		return true
	case ThreadGoalStatusBudgetLimited:
		return old.Status != g.Status || steps >= reportSteps
	}
	return false
}

// NextTurn returns the next turn towards an active goal, or the one that reports after the budget was used up. A thread in plan
// mode waits.
func (g goals) NextTurn(p engine.Progress) *engine.Continuation {
	x := extraOf(p.Settings)
	if x.Goal == nil || x.Plan || p.Settings.Archived {
		return nil
	}
	now := x.Goal.counted(p.Usage, p.Now)
	next := &engine.Continuation{Turn: event.TurnID(g.newID()), Tuning: tuningOf(p.Settings)}
	switch {
	case now.Status == ThreadGoalStatusActive:
		next.Text = now.text(goalContinue)
	case now.Report:
		next.Text, now.Report = now.text(goalReport), false
		next.Tuning.ReadOnly = true
	default:
		return nil
	}
	if now.Tokens != x.Goal.Tokens || now.Report != x.Goal.Report { // else nothing was used meanwhile
		next.Change = editExtra(func(x *extra) { x.Goal = &now })
	}
	return next
}

// What the model reads at the start of such turns.
var (
	//go:embed goal_continue.md
	goalContinue string
	//go:embed goal_report.md
	goalReport string
)

// text returns what the model reads of the goal.
func (g goal) text(template string) string {
	budget, left := "none", "any number"
	if g.Budget > 0 {
		budget, left = fmt.Sprint(g.Budget), fmt.Sprint(max(0, g.Budget-g.Tokens))
	}
	return strings.NewReplacer(
		"{objective}", g.Objective, "{tokens}", fmt.Sprint(g.Tokens), "{budget}", budget, "{left}", left, "{seconds}", fmt.Sprint(g.TimeMS/1000),
	).Replace(template)
}

const (
	nameUpdateGoal = "update_goal"
	// groupGoal is the group of the tools that models are offered while there is a goal to work on.
	groupGoal = "goal"
)

// updateGoal is the tool with which the model reports the end of the goal: [goals] takes that from its calls.
var updateGoal = engine.Binding{Name: nameUpdateGoal, Tool: nameUpdateGoal, Group: groupGoal, Own: &engine.ClientTool{
	ToolName: nameUpdateGoal,
	About: "Reports that the goal of this thread is reached, or that you cannot go on with it without the user.\n\n" +
		"- `complete`: everything that the goal requires is done, and you have checked it. Never because the budget ends, or because you stop.\n" +
		"- `blocked`: the same obstacle stays after several tries, and only the user, or a change outside, can remove it.\n" +
		"- Only the user pauses, changes or resumes a goal.",
	Input: jsontext.Value(`{"type":"object","additionalProperties":false,"required":["status"],"properties":{"status":{"type":"string","enum":["complete","blocked"],` +
		`"description":"The new status of the goal"}}}`),
	Level:  approval.Read,
	Handle: reportGoal,
}}

// reportGoal answers a call of the tool.
func reportGoal(_ context.Context, call engine.ClientCall) engine.ClientResult {
	return engine.ClientResult{Text: "The status is recorded. Sum up for the user what was done and, if you are blocked, what you need."}
}
