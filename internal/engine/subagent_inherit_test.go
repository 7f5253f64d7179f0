package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// childResult returns the result of a subagent's n-th call, in the request after it.
func childResult(t *testing.T, b *bench, request int) string {
	t.Helper()
	if len(b.requests()) <= request {
		t.Fatalf("there were %d requests", len(b.requests()))
	}
	messages := b.requests()[request].Messages
	last := messages[len(messages)-1]
	if last.Blocks[0].Result == nil {
		t.Fatalf("the last message is %+v", last)
	}
	return last.Blocks[0].Result.Text
}

// TestSubagentInterceptor: an interceptor runs for the calls of subagents, too, and can
// distinguish them by their IDs; what it refuses does not run there.
func TestSubagentInterceptor(t *testing.T) {
	var mu sync.Mutex
	var asked, reviewed []string
	m := around{
		before: func(c model.Call) Ruling {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, c.ID+" "+c.Name)
			return Ruling{Refused: c.Name == "work", Reason: "not here"}
		},
		after: func(e event.ToolEnded) event.ToolEnded {
			mu.Lock()
			defer mu.Unlock()
			reviewed = append(reviewed, string(e.Call))
			return e
		},
	}
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result { t.Error("it ran"); return tool.Result{} })
	b := newBench(t, []fakeTool{work, lookTool(), delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("1", "work", `{}`), toolCall("2", "look", `{}`)), say("child"), say("done"))
	ended(t, turnOf(t, b.session(t, func(o *Options, _ *event.Settings) { o.Plugins = []Plugin{m} }), "go", nil))
	equal(t, "asked", asked, []string{"1 task", "0-Do/1 work", "0-Do/2 look"})
	equal(t, "reviewed", reviewed, []string{"0-Do/2", "1"})
	if got := childResult(t, b, 2); got != "not here" {
		t.Errorf("the subagent receives %q", got)
	}
}

// TestSubagentHooks: hooks run for subagents as for any session, with the ID of the subagent's session.
func TestSubagentHooks(t *testing.T) {
	var mu sync.Mutex
	sessions := map[event.SessionID][]string{}
	b := newBench(t, []fakeTool{lookTool(), delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "look", `{}`)), say("child"), say("done"))
	b.hooks = fakeHooks{event.BeforeTool: func(_ context.Context, r hook.Report) hook.Ruling {
		mu.Lock()
		defer mu.Unlock()
		sessions[r.Session] = append(sessions[r.Session], r.Call.Shown)
		return hook.Ruling{Denied: r.Call.Shown == "look", Reason: "no looking"}
	}}
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "go", nil))
	if len(sessions) != 2 || !slices.Equal(sessions[s.ID()], []string{"task"}) {
		t.Errorf("asked %v", sessions)
	}
	if got := childResult(t, b, 2); got != "no looking" {
		t.Errorf("the subagent receives %q", got)
	}
}

// TestSubagentRules: rules count for what subagents write.
func TestSubagentRules(t *testing.T) {
	var worked tool.SubagentResult
	b := newBench(t, []fakeTool{delegate(func(*tool.SubagentTask) {}, func(w tool.SubagentResult) { worked = w })},
		call(toolCall("1", "task", `{}`)), say("so bad", " it is"), say("so good"), say("done"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Plugins = []Plugin{against("bad", objection(true, true))} })
	records := turnOf(t, s, "go", nil)
	ended(t, records)
	if worked.Output != "so good" || len(find[event.RuleViolated](records)) != 0 {
		t.Errorf("worked %+v", worked)
	}
}

// TestSubagentMayOnlyLook: a turn that may only look has subagents that may only look, and modes
// are theirs as well.
func TestSubagentMayOnlyLook(t *testing.T) {
	work := fakeTool{"work", approval.Execute, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "changed"} }}
	for _, test := range []struct {
		name   string
		tuning Tuning
		mode   approval.Mode
		want   string
	}{
		{"tuning", Tuning{ReadOnly: true}, approval.FullAccess, "this turn may only look: nothing may be changed"},
		{"mode", Tuning{}, approval.ReadOnly, ownTexts[TextClientGone]},
		{"neither", Tuning{}, approval.FullAccess, "changed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, []fakeTool{work, delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
				call(toolCall("1", "task", `{}`)), call(toolCall("2", "work", `{}`)), say("child"), say("done"))
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Approvals = ApproveByMode{[]approval.Rule{{Tool: "task", Verdict: approval.Allow}}}
				settings.Mode = string(test.mode)
			})
			records := follow(t, s)
			if _, err := s.Prompt(t.Context(), Prompt{Text: "go", Tuning: test.tuning}); err != nil {
				t.Fatal(err)
			}
			ended(t, untilEnd(t, records, nil))
			if got := childResult(t, b, 2); got != test.want {
				t.Errorf("the subagent receives %q, want %q", got, test.want)
			}
		})
	}
}

// TestSubagentGrants: what a user allows for the session counts for later calls of its
// subagents and its own, and is not asked again.
func TestSubagentGrants(t *testing.T) {
	run := fakeTool{"run", approval.Execute, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "ran"} }}
	b := newBench(t, []fakeTool{run, delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "run", `{}`)), say("one"),
		call(toolCall("3", "task", `{}`)), call(toolCall("4", "run", `{}`)), say("two"),
		call(toolCall("5", "run", `{}`)), say("done"))
	b.tools["run"] = verifying{run}
	s := b.session(t, func(o *Options, settings *event.Settings) {
		o.Approvals = ApproveByMode{[]approval.Rule{{Tool: "task", Verdict: approval.Allow}}}
		settings.Mode = string(approval.Prompt)
	})
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	records := turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.ApprovalAsked); ok {
			answerWith(t, s, e.ID, Decision{Allow: true, Remember: true})
		}
	})
	ended(t, records)
	if n := len(find[event.ApprovalAsked](records)); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if got := childResult(t, b, 5); got != "ran" {
		t.Errorf("the second subagent receives %q", got)
	}
}

// TestSubagentCompacts: a subagent whose context is full goes on after a summary of its own.
func TestSubagentCompacts(t *testing.T) {
	var worked tool.SubagentResult
	b := newBench(t, []fakeTool{lookTool(), delegate(func(*tool.SubagentTask) {}, func(w tool.SubagentResult) { worked = w })},
		call(toolCall("1", "task", `{}`)), filling("so far", 60_000), say("a summary"), say("child"), say("done"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Compact = fixed{Limit: 50_000, Keep: 1, AfterTurn: true, Continue: "Go on."}
	})
	records := turnOf(t, s, "go", nil)
	ended(t, records)
	if worked.Output != "child" || worked.Reason != event.TurnCompleted || len(find[event.Compacted](records)) != 0 {
		t.Errorf("worked %+v", worked)
	}
}

// TestSteerDuringSubagents: a steer waits for the call that has subagents work, and none of them
// hears it.
func TestSteerDuringSubagents(t *testing.T) {
	var s *Session
	b := newBench(t, []fakeTool{delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)),
		func(ctx context.Context, req *modelRequest, yield yieldFunc) {
			steer(t, s)
			say("child")(ctx, req, yield)
		},
		say("done"))
	s = b.session(t, func(o *Options, _ *event.Settings) { o.Steers = SteerAfterCall })
	records := turnOf(t, s, "go", nil)
	ended(t, records)
	equal(t, "calls", outcomes(records), []string{"1 succeeded: child"})
	last := b.requests()[2].Messages
	if !strings.Contains(last[len(last)-1].Text(), "stop that") || len(b.requests()) != 3 {
		t.Errorf("the model received %+v", last)
	}
}

// TestRulesOfTheShell: the commands of another tool are held to the rules for the shell's.
func TestRulesOfTheShell(t *testing.T) {
	for _, test := range []struct {
		name  string
		rules []approval.Rule
		mode  approval.Mode
		asked bool
		ran   bool
	}{
		{"allowed", nil, approval.FullAccess, false, true},
		{"denied for the shell", []approval.Rule{{Verdict: approval.Deny, Tool: "bash", Pattern: "rm *"}}, approval.FullAccess, false, false},
		{"asked about for the shell", []approval.Rule{{Verdict: approval.Ask, Tool: "bash", Pattern: "rm *"}}, approval.FullAccess, true, true},
		{"the tool alone is allowed", []approval.Rule{{Verdict: approval.Allow, Tool: "task"}}, approval.Prompt, true, true},
		{"both are allowed", []approval.Rule{{Verdict: approval.Allow, Tool: "task"}, {Verdict: approval.Allow, Tool: "bash", Pattern: "rm *"}}, approval.Prompt, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			ran := false
			b := newBench(t, []fakeTool{{"shell", approval.Execute, nil}}, call(toolCall("1", "task", `{}`)), say("done"))
			b.tools["task"] = verifying{fakeTool{"task", approval.Execute, func(context.Context, tool.Hooks, string) tool.Result { ran = true; return tool.Result{} }}}
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Toolset = []Binding{{Name: "bash", Tool: "shell"}, {Name: "task", Tool: "task"}}
				o.Approvals = ApproveByMode{test.rules}
				settings.Mode = string(test.mode)
			})
			t.Cleanup(s.Attach(ClientInfo{}).Detach)
			asked := false
			ended(t, turnOf(t, s, "go", func(rec event.Record) {
				if e, ok := rec.Event.(event.ApprovalAsked); ok {
					asked = true
					if e.Request.Command != "rm x" || e.Request.Tool != "task" {
						t.Errorf("asked about %+v", e.Request)
					}
					answerWith(t, s, e.ID, Decision{Allow: true})
				}
			}))
			if asked != test.asked || ran != test.ran {
				t.Errorf("asked %v, ran %v", asked, ran)
			}
		})
	}
}

// verifying is a tool that runs a command.
type verifying struct{ fakeTool }

func (v verifying) Prepare(env *tool.Env, input jsontext.Value) (tool.Call, error) {
	c, err := v.fakeTool.Prepare(env, input)
	return verifyingCall{c}, err
}

type verifyingCall struct{ tool.Call }

func (c verifyingCall) Request() approval.Request {
	return approval.Request{Level: approval.Execute, Command: "rm x", Dir: "/", AsShell: true}
}
