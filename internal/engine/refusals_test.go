package engine

import (
	"context"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// refusing is the decision that denies a call for the session.
var refusing = Decision{Remember: true, Reason: "it is mine"}

const (
	refusedForGood  = "the user refused this for the rest of the session: do not try it again; the reason was: it is mine"
	confinedForGood = "the user refused for the rest of the session that this runs outside of the sandbox: do not try it again; the reason was: it is mine"
)

// TestRefuseForSession: what was denied for the session is denied without asking from then on, also in a mode that would
// allow it; anything else is asked about.
func TestRefuseForSession(t *testing.T) {
	b := newBench(t, nil,
		call(toolCall("a", "write", `{"path":"x","content":"1"}`)),
		call(toolCall("b", "write", `{"path":"./x","content":"2"}`)),
		call(toolCall("c", "write", `{"path":"y","content":"3"}`)), say("ok"),
		call(toolCall("d", "write", `{"path":"x","content":"4"}`)), say("ok"))
	s := contained(t, b, nil)
	records := turnOf(t, s, "go", answering(t, s, refusing, Decision{Allow: true}))
	ended(t, records)
	if err := s.Change(func(settings *event.Settings) {
		settings.Asking, settings.Sandbox = approval.AskNever, approval.Sandbox{Kind: approval.SandboxNone}
	}); err != nil {
		t.Fatal(err)
	}
	records = append(records, turnOf(t, s, "go on", answering(t, s))...)
	var got []string
	for _, done := range find[event.ToolEnded](records) {
		got = append(got, string(done.Outcome)+" "+done.Output)
	}
	want := []string{"denied it is mine", "denied " + refusedForGood, "succeeded created y (1 byte)", "denied " + refusedForGood}
	equal(t, "results", got, want)
}

// TestRefusalSettlesWhatWaits: the same request that waits is denied by the policy, another one still waits.
func TestRefusalSettlesWhatWaits(t *testing.T) {
	for name, answer := range map[string]func(c *Client, id event.ApprovalID) error{
		"one answer":      func(c *Client, id event.ApprovalID) error { return c.Answer(id, refusing) },
		"several answers": func(c *Client, id event.ApprovalID) error { return c.AnswerAll([]ApprovalAnswer{{id, refusing}}) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil, call(
				toolCall("a", "write", `{"path":"x","content":"1"}`), toolCall("b", "write", `{"path":"y","content":"1"}`),
				toolCall("c", "write", `{"path":"x","content":"2"}`)), say("ok"))
			s := granting(t, b, nil)
			ids := map[event.CallID]event.ApprovalID{}
			records := turnOf(t, s, "go", func(rec event.Record) {
				asked, ok := rec.Event.(event.ApprovalAsked)
				if !ok {
					return
				}
				if ids[asked.Call] = asked.ID; len(ids) == 3 {
					if err := answer(s.anyClient(), ids["a"]); err != nil {
						t.Error(err)
					}
					answerWith(t, s, ids["b"], Decision{Allow: true})
				}
			})
			ended(t, records)
			for _, a := range find[event.ApprovalAnswered](records) {
				want := map[event.ApprovalID]event.ApprovalAnswered{
					ids["a"]: {ID: ids["a"], By: event.ByClient, Reason: "it is mine"},
					ids["b"]: {ID: ids["b"], By: event.ByClient, Allowed: true},
					ids["c"]: {ID: ids["c"], By: event.ByPolicy, Reason: refusedForGood},
				}[a.ID]
				if a != want {
					t.Errorf("%+v, want %+v", a, want)
				}
			}
		})
	}
}

// TestRefusalLifted: a later grant of the same, for the session or for always, lets it be asked and allowed again.
func TestRefusalLifted(t *testing.T) {
	for name, grant := range map[string]func(s *Session) error{
		"session":    func(s *Session) error { return s.anyClient().Grant(below(s, approval.Write)) },
		"not so far": func(s *Session) error { return s.anyClient().Grant(below(s, approval.Read)) },
		"always": func(s *Session) error {
			g := below(s, approval.Write)
			g.Scope = approval.Always
			s.allowAlways(s.State().Workspace, []approval.Grant{g})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"),
				call(toolCall("b", "write", `{"path":"x","content":"2"}`)), say("ok"))
			var always []approval.Grant
			b.granted = func(string) []approval.Grant { return always }
			s := granting(t, b, nil)
			turnOf(t, s, "go", answering(t, s, refusing))
			if name == "always" {
				always = []approval.Grant{below(s, approval.Write)}
				always[0].Scope = approval.Always
			}
			if err := grant(s); err != nil {
				t.Fatal(err)
			}
			want := event.Succeeded
			if name == "not so far" {
				want = event.Denied
			}
			if done := find[event.ToolEnded](turnOf(t, s, "again", answering(t, s)))[0]; done.Outcome != want {
				t.Errorf("%+v", done)
			}
		})
	}
}

// TestRefusalOfInput: where the request does not say what a call does, only the same input is refused.
func TestRefusalOfInput(t *testing.T) {
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "worked"} })
	b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{"text":"one"}`)),
		call(toolCall("b", "work", `{"text":"two"}`)), call(toolCall("c", "work", `{"text":"one"}`)), say("ok"))
	s := b.session(t, func(o *Options, settings *event.Settings) { settings.Mode = string(approval.Prompt) })
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	var got []string
	for _, done := range find[event.ToolEnded](turnOf(t, s, "go", answering(t, s, refusing, Decision{Allow: true}))) {
		got = append(got, done.Output)
	}
	equal(t, "results", got, []string{"it is mine", "worked", refusedForGood})
}

// TestRefusalToLeaveTheSandbox: it refuses only that, and the command may run confined again.
func TestRefusalToLeaveTheSandbox(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "run", `{}`)), call(toolCall("b", "run", `{}`)), say("ok"))
	b.tools["run"] = fakeTool{"run", approval.Read, func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
		_, err := hooks.Unconfine(ctx, "the sandbox refused it")
		return tool.Failed(err.Error())
	}}
	s := contained(t, b, func(settings *event.Settings) { settings.Asking = approval.AskOnRequest })
	records := turnOf(t, s, "go", answering(t, s, refusing))
	ended(t, records)
	var got []string
	for _, done := range find[event.ToolEnded](records) {
		got = append(got, string(done.Outcome)+" "+done.Output)
	}
	equal(t, "results", got, []string{"failed it is mine", "failed " + confinedForGood})
}

// TestPermitRefused: what a running call causes can be refused for the session, too.
func TestPermitRefused(t *testing.T) {
	work := workTool(func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
		var texts []string
		for _, summary := range []string{"send it", "send it", "send more"} {
			if err := hooks.Permit(ctx, summary, "the server wants it"); err != nil {
				texts = append(texts, err.Error())
				continue
			}
			texts = append(texts, "sent")
		}
		return tool.Result{Text: strings.Join(texts, "\n")}
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)), say("ok"))
	s := b.session(t, nil)
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	records := turnOf(t, s, "go", answering(t, s, refusing, Decision{Allow: true}))
	want := strings.Join([]string{"it is mine", refusedForGood, "sent"}, "\n")
	if got := find[event.ToolEnded](records)[0].Output; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRefusalOfSubagents: a refusal holds for subagents, and one of a subagent's call for the session.
func TestRefusalOfSubagents(t *testing.T) {
	ran := 0
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result { ran++; return tool.Result{Text: "worked"} })
	b := newBench(t, []fakeTool{work, delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "work", `{}`)), call(toolCall("3", "work", `{}`)), say("child"),
		call(toolCall("4", "work", `{}`)), say("done"))
	s := b.session(t, func(o *Options, settings *event.Settings) {
		o.Approvals = ApproveByMode{[]approval.Rule{{Tool: "task", Verdict: approval.Allow}}}
		settings.Mode = string(approval.Prompt)
	})
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	records := turnOf(t, s, "go", answering(t, s, refusing))
	ended(t, records)
	messages := b.requests()[3].Messages
	if got := messages[len(messages)-1].Blocks[0].Result.Text; got != refusedForGood {
		t.Errorf("the subagent reads %q", got)
	}
	if done := find[event.ToolEnded](records); len(done) != 2 || done[1].Output != refusedForGood {
		t.Errorf("the session: %+v", done)
	}
	if ran > 0 {
		t.Errorf("ran %d times", ran)
	}
}

// TestRefusalEndsWithTheSession: the session that is opened again asks again.
func TestRefusalEndsWithTheSession(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"),
		call(toolCall("b", "write", `{"path":"x","content":"1"}`)), say("ok"))
	s := granting(t, b, nil)
	turnOf(t, s, "go", answering(t, s, refusing))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := b.host().Open(t.Context(), s.ID(), s.opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close(context.Background()) })
	t.Cleanup(again.Attach(ClientInfo{}).Detach)
	if asked := find[event.ApprovalAsked](turnOf(t, again, "again", answering(t, again, Decision{}))); len(asked) != 1 {
		t.Errorf("asked %d times", len(asked))
	}
}
