package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// shares returns the records of a turn that budgets and subagents are about, in few words.
func shares(records []event.Record) (all []string) {
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.SubagentStarted:
			all = append(all, "begin "+e.Task)
		case event.SubagentEnded:
			all = append(all, "end "+e.Task)
		case event.BudgetWarned:
			all = append(all, string(e.Scope)+" near "+string(e.Snapshot.Reason))
		case event.BudgetExceeded:
			all = append(all, string(e.Scope)+" over "+string(e.Snapshot.Reason))
		case event.TurnEnded:
			all = append(all, string(e.Reason))
		}
	}
	return all
}

// TestSubagentBudget: what subagents use is used once of all that it is part of. A limit ends
// what it is a limit of at its next safe point, and nothing above it.
func TestSubagentBudget(t *testing.T) {
	// answer has the parent make one call, and the subagent two.
	answer := func(ctx context.Context, req *modelRequest, yield yieldFunc) {
		name, calls := "task", 1
		if req.Messages[0].Text() == "Do it." {
			name, calls = "look", 2
		}
		n := len(req.Messages) / 2
		if n >= calls {
			say("over")(ctx, req, yield)
			return
		}
		call(toolCall(name+strings.Repeat("+", n), name, `{}`))(ctx, req, yield)
	}
	for _, test := range []struct {
		name     string
		session  Limits
		task     Limits
		subagent Limits
		want     []string
		worked   event.TurnReason
		calls    int // that the session's budget has counted, if it has one
	}{
		{"none", Limits{ToolCalls: 100}, Limits{}, Limits{}, []string{"begin 0-Do", "end 0-Do", "completed"}, event.TurnCompleted, 3},
		{"calls of the session", Limits{ToolCalls: 2, WarnAt: 1}, Limits{}, Limits{}, []string{"begin 0-Do", "session over tool_calls", "end 0-Do", "budget"}, event.TurnBudget, 2},
		{"calls of the task", Limits{ToolCalls: 100}, Limits{ToolCalls: 1}, Limits{}, []string{"begin 0-Do", "task over tool_calls", "end 0-Do", "completed"}, event.TurnBudget, 2},
		{"calls of the subagent", Limits{ToolCalls: 100}, Limits{ToolCalls: 100}, Limits{ToolCalls: 1}, []string{"begin 0-Do", "subagent over tool_calls", "end 0-Do", "completed"}, event.TurnBudget, 2},
		{"no limit above", Limits{}, Limits{}, Limits{ToolCalls: 1}, []string{"begin 0-Do", "subagent over tool_calls", "end 0-Do", "completed"}, event.TurnBudget, 2},
		{"near", Limits{}, Limits{}, Limits{ToolCalls: 4, WarnAt: 0.5}, []string{"begin 0-Do", "subagent near tool_calls", "end 0-Do", "completed"}, event.TurnCompleted, 3},
		{"input tokens", Limits{}, Limits{}, Limits{InputTokens: 20}, []string{"begin 0-Do", "subagent over input_tokens", "end 0-Do", "completed"}, event.TurnBudget, 2},
		{"output tokens", Limits{}, Limits{OutputTokens: 10}, Limits{}, []string{"begin 0-Do", "task over output_tokens", "end 0-Do", "completed"}, event.TurnBudget, 2},
		{"total tokens", Limits{}, Limits{}, Limits{TotalTokens: 30}, []string{"begin 0-Do", "subagent over total_tokens", "end 0-Do", "completed"}, event.TurnBudget, 2},
		{"cost", Limits{}, Limits{Cost: 40e-6}, Limits{}, []string{"begin 0-Do", "task over cost", "end 0-Do", "completed"}, event.TurnBudget, 2},
		{"tokens of the session", Limits{TotalTokens: 45, WarnAt: 1}, Limits{}, Limits{}, []string{"begin 0-Do", "session over total_tokens", "end 0-Do", "budget"}, event.TurnBudget, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			var worked tool.SubagentResult
			b := newBench(t, []fakeTool{lookTool(), delegate(func(*tool.SubagentTask) {}, func(w tool.SubagentResult) { worked = w })},
				answer, answer, answer, answer, answer)
			s := b.session(t, func(o *Options, _ *event.Settings) {
				plan := BudgetPlan{Limits: test.session, Task: test.task, Subagent: test.subagent}
				for _, l := range []*Limits{&plan.Task, &plan.Subagent} {
					if l.WarnAt == 0 {
						l.WarnAt = 1
					}
				}
				o.Budget = NewBudget(plan)
			})
			counts := s.opts.Budget
			records := turnOf(t, s, "go", nil)
			equal(t, "course", shares(records), test.want)
			if worked.Reason != test.worked {
				t.Errorf("worked %+v", worked)
			}
			if n := counts.Snapshot().ToolCalls; n != test.calls {
				t.Errorf("%d calls are counted, want %d", n, test.calls)
			}
			u, snapshot := s.State().Usage, counts.Snapshot()
			if counts != nil && (snapshot.InputTokens != u.Input || snapshot.OutputTokens != u.Output) {
				t.Errorf("the session has used %+v, its budget counted %+v", u, snapshot)
			}
		})
	}
}

// TestSubagentsLimit: exactly as many subagents begin as may; those that have begun go on to their
// ends, the others are reported one by one, and the turn ends after the call.
func TestSubagentsLimit(t *testing.T) {
	var all []tool.SubagentResult
	b := newBench(t, []fakeTool{lookTool(), delegate(func(*tool.SubagentTask) {}, func(w tool.SubagentResult) { all = append(all, w) })},
		call(toolCall("1", "task", `{}`), toolCall("2", "task", `{}`), toolCall("3", "task", `{}`)),
		call(toolCall("4", "look", `{}`)), say("first"), say("second"))
	s := b.session(t, limited(Limits{Subagents: 2, WarnAt: 0.5}))
	records := turnOf(t, s, "go", nil)
	overBudget(t, s, records, event.BudgetSubagents)
	equal(t, "course", shares(records), []string{
		"begin 0-Do", "session near subagents", "end 0-Do", "begin 1-Do", "session over subagents", "end 1-Do", "budget",
	})
	if len(all) != 2 || all[0].Output != "first" || all[1].Output != "second" || all[1].Reason != event.TurnCompleted {
		t.Errorf("worked %+v", all)
	}
	if got := outcomes(records); len(got) != 3 || !strings.HasPrefix(got[2], "3 denied: not run: the budget is used up") {
		t.Errorf("the calls ended %q", got)
	}
}

// TestSubagentRefused: the subagents of one call that exceed the limit never begin, and each of
// them is reported to the client.
func TestSubagentRefused(t *testing.T) {
	var all []tool.SubagentResult
	many := fakeTool{"task", approval.Write, func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
		for _, id := range []string{"0-A", "1-B", "2-C"} {
			w := tool.SubagentTask{Task: id, Name: id, Prompt: "x", Dir: workspaceOf(hooks), Watch: func(event.Record) {}}
			began := false
			w.Began = func(_ event.SessionID, _ string, record func(event.Event) error) error {
				err := record(event.SubagentStarted{Call: "1", Task: id})
				began = err == nil
				return err
			}
			all = append(all, hooks.Subagents.Run(ctx, w))
			if began {
				hooks.Subagents.Record(event.SubagentEnded{Call: "1", Task: id})
			}
		}
		return tool.Result{Text: "done"}
	}}
	for name, limits := range map[string]func(*Options){
		"session": func(o *Options) { o.Budget = NewBudget(BudgetPlan{Limits: Limits{Subagents: 1}}) },
		"task":    func(o *Options) { o.Budget = NewBudget(BudgetPlan{Task: Limits{Subagents: 1}}) },
	} {
		all = nil
		b := newBench(t, []fakeTool{many, lookTool()}, call(toolCall("1", "task", `{}`)), call(toolCall("2", "look", `{}`)), say("one"), say("over"))
		s := b.session(t, func(o *Options, _ *event.Settings) { limits(o) })
		records := turnOf(t, s, "go", nil)
		end := "completed"
		if name == "session" {
			end = "budget"
		}
		equal(t, name, shares(records), []string{
			"begin 0-A", name + " over subagents", "end 0-A", "task over subagents", "task over subagents", end,
		})
		for i, w := range all {
			want := tool.SubagentResult{Reason: event.TurnBudget, Error: "Budget exceeded (subagents)"}
			if i == 0 {
				want = tool.SubagentResult{Reason: event.TurnCompleted, Output: "one"}
			}
			if w.Reason != want.Reason || w.Error != want.Error || w.Output != want.Output {
				t.Errorf("%s: subagent %d: %+v", name, i, w)
			}
		}
		refusal := find[event.BudgetExceeded](records)[1]
		if refusal.Snapshot.Status != event.BudgetUsedUp || refusal.Snapshot.Subagents != 1 || !strings.HasPrefix(refusal.Text, "A subagent was not begun: the budget") {
			t.Errorf("%s: the refusal is %+v", name, refusal)
		}
	}
}

// TestSubagentsLimitAndMore: subagents that go on since only their number is used up stop when
// something else is.
func TestSubagentsLimitAndMore(t *testing.T) {
	var worked tool.SubagentResult
	b := newBench(t, []fakeTool{lookTool(), delegate(func(*tool.SubagentTask) {}, func(w tool.SubagentResult) { worked = w })},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "look", `{}`)), call(toolCall("3", "look", `{}`)), say("never"))
	s := b.session(t, limited(Limits{Subagents: 1, ToolCalls: 3, WarnAt: 1}))
	records := turnOf(t, s, "go", nil)
	overBudget(t, s, records, event.BudgetSubagents)
	equal(t, "course", shares(records), []string{"begin 0-Do", "session over subagents", "end 0-Do", "budget"})
	if worked.Reason != event.TurnBudget || worked.Error != "the budget is used up: 3 of 3 tool calls" || len(b.requests()) != 3 {
		t.Errorf("worked %+v, after %d requests", worked, len(b.requests()))
	}
}

// TestSubagentBudgetOfTime: the time of a call begins with its first subagent, also where none of
// them has a limit; a model call is cut at once.
func TestSubagentBudgetOfTime(t *testing.T) {
	for name, edit := range map[string]func(*Options){
		"session":  func(o *Options) { o.Budget = NewBudget(BudgetPlan{Limits: Limits{WallTime: time.Minute, WarnAt: 1}}) },
		"task":     func(o *Options) { o.Budget = NewBudget(BudgetPlan{Task: Limits{WallTime: time.Minute, WarnAt: 1}}) },
		"subagent": func(o *Options) { o.Budget = NewBudget(BudgetPlan{Subagent: Limits{WallTime: time.Minute, WarnAt: 1}}) },
	} {
		synctest.Test(t, func(t *testing.T) {
			var worked tool.SubagentResult
			b := newBench(t, []fakeTool{delegate(func(*tool.SubagentTask) {}, func(w tool.SubagentResult) { worked = w })},
				call(toolCall("1", "task", `{}`)), hang("Once", make(chan struct{})), say("over"))
			s := b.session(t, func(o *Options, _ *event.Settings) { edit(o) })
			start := time.Now()
			records := turnOf(t, s, "go", nil)
			end := "completed"
			if name == "session" {
				end = "budget"
			}
			got := shares(records)
			equal(t, name, got, []string{"begin 0-Do", name + " over wall_time", "end 0-Do", end})
			if worked.Reason != event.TurnBudget || worked.Output != "Once" || time.Since(start) != time.Minute {
				t.Errorf("%s: worked %+v, after %v", name, worked, time.Since(start))
			}
		})
	}
}

// TestSubagentLimitsOfHost: limits of the host hold for sessions without a budget of their own.
func TestSubagentLimitsOfHost(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool(), delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "look", `{}`)), say("over"))
	h := b.host()
	h.cfg.Budget = NewBudget(BudgetPlan{Subagent: Limits{ToolCalls: 1}})
	s, err := h.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess)}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	equal(t, "course", shares(turnOf(t, s, "go", nil)), []string{"begin 0-Do", "subagent over tool_calls", "end 0-Do", "completed"})
}
