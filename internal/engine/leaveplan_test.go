package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// planMode decides like a mode that only looks, and requires an approval to leave it.
type planMode struct{ ApproveByMode }

func (p planMode) Decide(c Proposed) approval.Decision {
	if c.Request.Level == approval.Admin {
		return approval.Decision{Verdict: approval.Ask}
	}
	return p.ApproveByMode.Decide(c)
}

const leavePlan = `{"plan":"# Do it"}`

// planner returns a session in plan mode with the tool that leaves it.
func planner(t *testing.T, b *bench, mode approval.Mode) *Session {
	t.Helper()
	b.tools["leave_plan"] = tool.LeavePlan()
	s := b.session(t, func(o *Options, settings *event.Settings) {
		o.Approvals, settings.Mode = planMode{}, string(mode)
	})
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	return s
}

func offers(r model.Request, name string) bool {
	return slices.ContainsFunc(r.Tools, func(spec model.ToolSpec) bool { return spec.Name == name })
}

// TestLeavePlan: the user decides about the plan; the mode that the answer brings holds for the next step.
func TestLeavePlan(t *testing.T) {
	for name, test := range map[string]struct {
		answer Decision
		want   event.Outcome
		text   string
	}{
		"approved": {Decision{Allow: true, Remember: true}, event.Succeeded, "The user approved the plan"},
		"denied":   {Decision{Reason: "smaller steps"}, event.Denied, "The plan was not approved: smaller steps.\nThe session stays in plan mode."},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil, call(toolCall("a", "leave_plan", leavePlan)), say("ok"), call(toolCall("b", "leave_plan", leavePlan)), say("ok"))
			s := planner(t, b, approval.Plan)
			answer := func(rec event.Record) {
				e, ok := rec.Event.(event.ApprovalAsked)
				if !ok {
					return
				}
				if e.Request.Tool != "leave_plan" || string(e.Input) != leavePlan || e.Mode != "plan" {
					t.Errorf("%+v", e)
				}
				if test.answer.Allow {
					if err := s.Change(func(settings *event.Settings) { settings.Mode = string(approval.WorkspaceWrite) }); err != nil {
						t.Error(err)
					}
				}
				answerWith(t, s, e.ID, test.answer)
			}
			records := turnOf(t, s, "go", answer)
			ended(t, records)
			if done := find[event.ToolEnded](records)[0]; done.Outcome != test.want || !strings.HasPrefix(done.Output, test.text) {
				t.Errorf("%+v", done)
			}
			if !offers(b.requests()[0], "leave_plan") || offers(b.requests()[1], "leave_plan") == test.answer.Allow {
				t.Error("it is offered in plan mode only")
			}
			records = turnOf(t, s, "again", answer)
			if asked := find[event.ApprovalAsked](records); (len(asked) == 1) == test.answer.Allow {
				t.Errorf("asked %d times", len(asked))
			}
			elsewhere := `leave_plan leaves the mode "plan", and the session is not in it: nothing needs to be left, go on with the work`
			if done := find[event.ToolEnded](records)[0]; test.answer.Allow && (done.Outcome != event.Failed || done.Output != elsewhere) {
				t.Errorf("in another mode: %+v", done)
			}
		})
	}
}

// allowing are hooks that allow every call.
type allowing struct{}

func (allowing) Has(m event.HookMoment, _ string) bool {
	return m == event.BeforeTool || m == event.AtPermission
}

func (allowing) Run(context.Context, hook.Report) hook.Ruling {
	return hook.Ruling{Permission: hook.PermissionAllow}
}

// TestLeavePlanNeedsTheUser: neither hooks nor grants leave plan mode, and subagents cannot ask to.
func TestLeavePlanNeedsTheUser(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "leave_plan", leavePlan)), say("ok"))
	b.hooks = allowing{}
	s := planner(t, b, approval.Plan)
	if err := s.anyClient().Grant(approval.Grant{Target: approval.Target{Kind: approval.TargetTool, Server: "*", Tool: "*"}, Level: approval.Admin, Scope: approval.Session}); err != nil {
		t.Fatal(err)
	}
	records := turnOf(t, s, "go", answering(t, s, Decision{}))
	if asked, done := find[event.ApprovalAsked](records), find[event.ToolEnded](records); len(asked) != 1 || done[0].Outcome != event.Denied {
		t.Errorf("asked %d times, %+v", len(asked), done)
	}

	b = newBench(t, []fakeTool{delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "leave_plan", leavePlan)), say("child"), say("done"))
	b.tools["leave_plan"] = tool.LeavePlan()
	s = b.session(t, func(o *Options, settings *event.Settings) {
		o.Approvals = planMode{ApproveByMode{[]approval.Rule{{Tool: "task", Verdict: approval.Allow}}}}
		settings.Mode = string(approval.Plan)
	})
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	ended(t, turnOf(t, s, "go", answering(t, s)))
	if messages := b.requests()[2].Messages; offers(b.requests()[1], "leave_plan") || !strings.HasPrefix(messages[len(messages)-1].Blocks[0].Result.Text, "unknown tool: leave_plan") {
		t.Errorf("the subagent reads %+v", messages[len(messages)-1].Blocks[0].Result)
	}
}
