package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// granting returns a session in which only grants allow calls without asking.
func granting(t *testing.T, b *bench, edit func(*Options)) *Session {
	t.Helper()
	b.tools["write"], b.tools["read"], b.tools["plan"], b.tools["ask"] = tool.Write(), tool.Read(), tool.Plan(), tool.Ask()
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Calls, o.Approvals = Parallel, ApproveUngranted{}
		if edit != nil {
			edit(o)
		}
	})
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	return s
}

func below(s *Session, level approval.Level) approval.Grant {
	return approval.Grant{
		Target: approval.Target{Kind: approval.TargetPath, Path: s.State().Workspace, Recursive: true},
		Level:  level, Scope: approval.Session,
	}
}

// TestGrantSettlesWhatWaits: of two writes that are asked together a grant of one answer
// allows the other too, and what comes later is not asked at all.
func TestGrantSettlesWhatWaits(t *testing.T) {
	b := newBench(t, nil,
		call(toolCall("a", "write", `{"path":"x","content":"1"}`), toolCall("b", "write", `{"path":"y","content":"2"}`)),
		call(toolCall("c", "read", `{"path":"x"}`), toolCall("d", "plan", `{"items":[{"text":"one","status":"pending"}]}`)), say("ok"))
	s := granting(t, b, nil)
	asked := 0
	records := turnOf(t, s, "go", func(rec event.Record) {
		if _, ok := rec.Event.(event.ApprovalAsked); ok {
			if asked++; asked == 2 {
				if err := s.anyClient().Grant(below(s, approval.Write)); err != nil {
					t.Error(err)
				}
			}
		}
	})
	ended(t, records)
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	for _, a := range find[event.ApprovalAnswered](records) {
		if !a.Allowed || a.By != event.ByPolicy {
			t.Errorf("%+v", a)
		}
	}
	for _, done := range find[event.ToolEnded](records) {
		if done.Outcome != event.Succeeded {
			t.Errorf("%+v", done)
		}
	}
}

// TestGrantIsBounded: one to read allows no write, and one that makes no sense is refused.
func TestGrantIsBounded(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
	s := granting(t, b, nil)
	if err := s.anyClient().Grant(below(s, approval.Read)); err != nil {
		t.Fatal(err)
	}
	if err := s.anyClient().Grant(approval.Grant{Target: approval.Target{Kind: approval.TargetPath, Path: "x"}, Level: approval.Admin, Scope: approval.Session}); err == nil {
		t.Error("a grant for a relative path was taken")
	}
	records := turnOf(t, s, "go", answering(t, s, Decision{}))
	if done := find[event.ToolEnded](records)[0]; done.Outcome != event.Denied {
		t.Errorf("%+v", done)
	}
}

// TestAlwaysGranted: what may always be done in a workspace is not asked, until it is revoked.
func TestAlwaysGranted(t *testing.T) {
	b := newBench(t, nil,
		call(toolCall("a", "write", `{"path":"x","content":"1"}`)),
		call(toolCall("b", "write", `{"path":"x","content":"2"}`)), say("ok"))
	workspace := ""
	granted := true
	b.granted = func(w string) []approval.Grant {
		if !granted || w != workspace {
			return nil
		}
		granted = false // revoked after the first call
		return []approval.Grant{{Target: approval.Target{Kind: approval.TargetPath, Path: w, Recursive: true}, Level: approval.Write, Scope: approval.Always}}
	}
	s := granting(t, b, nil)
	workspace = s.State().Workspace
	records := turnOf(t, s, "go", answering(t, s, Decision{}))
	done := find[event.ToolEnded](records)
	if done[0].Outcome != event.Succeeded || done[1].Outcome != event.Denied {
		t.Errorf("granted: %s, revoked: %s", done[0].Outcome, done[1].Outcome)
	}
}

// TestUngranted: whatever no user is asked about ends at once, and denials say why.
func TestUngranted(t *testing.T) {
	for _, verdict := range []approval.Verdict{approval.Allow, approval.Deny} {
		b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
		s := granting(t, b, func(o *Options) { o.Approvals = ApproveUngranted{verdict, "not by policy"} })
		records := turnOf(t, s, "go", answering(t, s))
		done := find[event.ToolEnded](records)[0]
		_, missing := os.Stat(filepath.Join(s.State().Workspace, "x"))
		switch {
		case verdict == approval.Allow && (done.Outcome != event.Succeeded || missing != nil):
			t.Errorf("allowed: %+v, %v", done, missing)
		case verdict == approval.Deny && (done.Outcome != event.Denied || done.Output != "not by policy" || missing == nil):
			t.Errorf("denied: %+v, %v", done, missing)
		}
	}
}

// TestQuestionReplies: an answer as JSON, a refusal with the client's text, a withdrawal and
// a missing client with the dialect's text. In each case the turn ends.
func TestQuestionReplies(t *testing.T) {
	question := `{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]},{"question":"Why?"}],"format":"json"}`
	for name, test := range map[string]struct {
		reply  func(*Session, event.QuestionID) error
		output string
		failed bool
	}{
		"answered": {
			func(s *Session, id event.QuestionID) error {
				return s.anyClient().AnswerQuestion(id, [][]string{{"A"}, nil})
			},
			`{"answers":[{"question":"Which?","answer":["A"]}]}`, false,
		},
		"refused": {func(s *Session, id event.QuestionID) error {
			return s.anyClient().RefuseQuestion(id, "no such question")
		}, "no such question", true},
		"withdrawn": {func(s *Session, id event.QuestionID) error { return s.anyClient().AnswerQuestion(id, nil) }, "declined", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil, call(toolCall("a", "ask", question)), say("ok"))
			s := granting(t, b, func(o *Options) { o.Texts = map[Text]string{TextDeclined: "declined"} })
			records := turnOf(t, s, "go", func(rec event.Record) {
				e, ok := rec.Event.(event.QuestionAsked)
				if !ok {
					return
				}
				if err := test.reply(s, e.ID); err != nil {
					t.Error(err)
				}
				if s.anyClient().RefuseQuestion(e.ID, "late") == nil || s.anyClient().AnswerQuestion(e.ID, nil) == nil {
					t.Error("settled twice")
				}
			})
			ended(t, records)
			if done := find[event.ToolEnded](records)[0]; done.Output != test.output || (done.Outcome != event.Succeeded) != test.failed {
				t.Errorf("%+v", done)
			}
		})
	}
	t.Run("no client", func(t *testing.T) {
		b := newBench(t, nil, call(toolCall("a", "ask", question)), say("ok"))
		b.tools["ask"] = tool.Ask()
		s := b.session(t, func(o *Options, _ *event.Settings) { o.Texts = map[Text]string{TextDeclined: "declined"} })
		records := follow(t, s)
		if _, err := s.Prompt(context.Background(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		turn := untilEnd(t, records, nil)
		if done := find[event.ToolEnded](turn)[0]; done.Output != "declined" {
			t.Errorf("%+v", done)
		}
	})
}

// TestAnswerAfterInterrupt: an answer that comes after an interrupt, or after the session was
// closed, is refused, and nothing of it is stored.
func TestAnswerAfterInterrupt(t *testing.T) {
	for name, end := range map[string]func(*Session){
		"interrupt": (*Session).Interrupt,
		"close":     func(s *Session) { _ = s.Close(context.WithoutCancel(t.Context())) },
	} {
		b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`), toolCall("b", "write", `{"path":"y","content":"1"}`)), say("ok"))
		s := granting(t, b, nil)
		var pending []ApprovalAnswer
		answered := make(chan struct{})
		turnOf(t, s, "go", func(rec event.Record) {
			asked, ok := rec.Event.(event.ApprovalAsked)
			if !ok {
				return
			}
			if pending = append(pending, ApprovalAnswer{asked.ID, Decision{Allow: true}}); len(pending) < 2 {
				return
			}
			go func() {
				defer close(answered)
				end(s)
				if err := s.anyClient().AnswerAll(pending, below(s, approval.Write)); !errors.Is(err, ErrNoApproval) {
					t.Errorf("%s: the answers were taken: %v", name, err)
				}
			}()
		})
		<-answered
		s.mu.Lock()
		if kept := s.clients.grants.List(); len(kept) > 0 {
			t.Errorf("%s: stored %v", name, kept)
		}
		s.mu.Unlock()
	}
}

// TestAnswerAll: of several answers the denials end first, in their order; the grants that come
// with them count for what begins after.
func TestAnswerAll(t *testing.T) {
	b := newBench(t, nil,
		call(toolCall("a", "write", `{"path":"a","content":"1"}`), toolCall("b", "write", `{"path":"b","content":"1"}`),
			toolCall("c", "write", `{"path":"c","content":"1"}`), toolCall("d", "write", `{"path":"d","content":"1"}`)),
		call(toolCall("e", "write", `{"path":"e","content":"1"}`)), say("ok"))
	s := granting(t, b, nil)
	ids := map[event.CallID]event.ApprovalID{}
	asked := 0
	records := turnOf(t, s, "go", func(rec event.Record) {
		request, ok := rec.Event.(event.ApprovalAsked)
		if !ok {
			return
		}
		asked++
		if ids[request.Call] = request.ID; asked != 4 {
			return
		}
		err := s.anyClient().AnswerAll([]ApprovalAnswer{
			{ids["a"], Decision{Allow: true}}, {ids["d"], Decision{}}, {ids["b"], Decision{Allow: true}}, {ids["c"], Decision{}}, {"a-99", Decision{}},
		}, below(s, approval.Write))
		if err != nil {
			t.Error(err)
		}
	})
	ended(t, records)
	var order []string
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.ToolStarted:
			order = append(order, "start")
		case event.ToolEnded:
			order = append(order, string(e.Call))
		}
	}
	if len(order) < 3 || order[0] != "d" || order[1] != "c" || order[2] != "start" {
		t.Errorf("order: %v", order)
	}
	if asked != 4 {
		t.Errorf("asked %d times", asked)
	}
}

// A folderTool runs "make all" in a folder below the workspace.
type folderTool struct {
	fakeTool
	folder string
}

func (f folderTool) Prepare(env *tool.Env, input jsonValue) (tool.Call, error) {
	call, err := f.fakeTool.Prepare(env, input)
	return commandCall{call, filepath.Join(env.Workspace.Dir(), f.folder)}, err
}

// A tool learns that a grant covers its command, which is so in the workspace only. A user's own answer is no grant.
func TestToolsKnowThatGrantsCover(t *testing.T) {
	for name, approvals := range map[string]ApprovalPolicy{"ungranted": ApproveUngranted{}, "mode": ApproveByMode{}, "sandbox": ApproveBySandbox{}} {
		t.Run(name, func(t *testing.T) {
			var granted []bool
			run := fakeTool{"run", approval.Execute, func(_ context.Context, hooks tool.Hooks, _ string) tool.Result {
				granted = append(granted, hooks.Granted)
				return tool.Result{}
			}}
			b := newBench(t, nil, call(toolCall("a", "run", `{}`)), call(toolCall("b", "below", `{}`)), call(toolCall("c", "run", `{}`)), say("ok"))
			b.tools["run"] = commandTool{run}
			run.name = "below"
			b.tools["below"] = folderTool{run, "sub"}
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Approvals, settings.Mode = approvals, string(approval.Prompt)
				settings.Asking, settings.Sandbox = approval.AskUnlessTrusted, approval.Sandbox{Kind: approval.SandboxNone}
			})
			t.Cleanup(s.Attach(ClientInfo{}).Detach)
			g := approval.Grant{Target: approval.Target{Kind: approval.TargetCommand, Pattern: "make all"}, Level: approval.Execute, Scope: approval.Session}
			if err := s.anyClient().Grant(g); err != nil {
				t.Fatal(err)
			}
			ended(t, turnOf(t, s, "go", answering(t, s, Decision{Allow: true})))
			if want := []bool{true, false, true}; !slices.Equal(granted, want) {
				t.Errorf("granted %v, want %v", granted, want)
			}
		})
	}
}
