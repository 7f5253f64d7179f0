package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// delegate returns a tool that has one subagent work, and reports its result.
func delegate(edit func(*tool.SubagentTask), done func(tool.SubagentResult)) fakeTool {
	return fakeTool{"task", approval.Write, func(ctx context.Context, hooks tool.Hooks, input string) tool.Result {
		id := []string{"0-Do", "1-Do", "2-Do"}[hooks.Subagents.Reserve(1)]
		w := tool.SubagentTask{
			Task: id, Name: id, Prompt: "Do it.", Dir: workspaceOf(hooks), Instructions: "You are small.", SubmitTool: "submit_result",
			Watch: func(event.Record) {},
		}
		w.Began = func(session event.SessionID, _ string, record func(event.Event) error) error {
			return record(event.SubagentStarted{Call: hooks.Subagents.Call(), Task: id, Agent: "x", Session: session})
		}
		edit(&w)
		worked := hooks.Subagents.Run(ctx, w)
		hooks.Subagents.Record(event.SubagentEnded{Call: hooks.Subagents.Call(), Task: id, Agent: "x", Usage: worked.Usage, Cost: worked.Cost})
		done(worked)
		return tool.Result{Text: worked.Output, IsError: worked.Error != ""}
	}}
}

// workspaceOf returns the folder of the session of a call.
func workspaceOf(hooks tool.Hooks) string {
	return hooks.Subagents.(*subagents).t.env.Workspace.Dir()
}

// submitting returns a tool whose result is the last word.
func submitting() fakeTool {
	return fakeTool{"submit", approval.Read, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "in", Final: true} }}
}

// TestSubagent: a subagent has a session of its own, linked to its parent's, with its own
// tools; what it hands in and what it used come back.
func TestSubagent(t *testing.T) {
	var worked tool.SubagentResult
	b := newBench(t, []fakeTool{lookTool(), submitting(), delegate(func(w *tool.SubagentTask) { w.Tools = []string{"LOOK"} }, func(w tool.SubagentResult) { worked = w })},
		call(toolCall("1", "task", `{}`)),
		call(toolCall("2", "look", `{}`)),
		call(toolCall("3", "submit_result", `{"text":"found"}`)),
		say("done"),
	)
	s := b.session(t, nil)
	records := turnOf(t, s, "go", nil)
	end := ended(t, records)
	if string(worked.Submitted) != `{"text":"found"}` || worked.Reason != event.TurnCompleted || worked.Error != "" {
		t.Errorf("worked %+v", worked)
	}
	child := find[event.SubagentStarted](records)[0].Session
	var created event.SessionCreated
	for rec, err := range s.host.Read(t.Context(), child) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := rec.Event.(event.SessionCreated); ok {
			created = e
		}
	}
	if created.Parent != s.ID() || !created.Settings.Archived || created.Settings.Name != "0-Do" {
		t.Errorf("the subagent's session is %+v", created)
	}
	if worked.Usage.Input != 20 || end.Usage.Input != 40 || s.State().Usage.Input != 40 {
		t.Errorf("it used %d, the turn %d, the session %d", worked.Usage.Input, end.Usage.Input, s.State().Usage.Input)
	}
	asked := b.requests()[1]
	var names []string
	for _, spec := range asked.Tools {
		names = append(names, spec.Name)
	}
	if strings.Join(names, " ") != "look submit_result" || !strings.Contains(asked.System, "You are small.") {
		t.Errorf("the subagent has the tools %q, and:\n%s", names, asked.System)
	}
	if _, err := s.host.Session(child); !errors.Is(err, ErrNoSession) {
		t.Errorf("the subagent's session is still open: %v", err)
	}
}

// TestSubagentReminded: a subagent that ends without a result is reminded to submit it, at most three times.
func TestSubagentReminded(t *testing.T) {
	var worked tool.SubagentResult
	remind := func(w *tool.SubagentTask) { w.Reminder = "Hand it in." }
	b := newBench(t, []fakeTool{submitting(), delegate(remind, func(w tool.SubagentResult) { worked = w })},
		call(toolCall("1", "task", `{}`)), say("a"), say("b"), call(toolCall("2", "submit_result", `{}`)), say("done"))
	ended(t, turnOf(t, b.session(t, nil), "go", nil))
	if worked.Submitted == nil || worked.Output != "b" {
		t.Errorf("worked %+v", worked)
	}
	b = newBench(t, []fakeTool{submitting(), delegate(remind, func(w tool.SubagentResult) { worked = w })},
		call(toolCall("1", "task", `{}`)), say("a"), say("b"), say("c"), say("d"), say("done"))
	ended(t, turnOf(t, b.session(t, nil), "go", nil))
	if worked.Submitted != nil || worked.Output != "d" || len(b.requests()) != 6 {
		t.Errorf("worked %+v after %d requests", worked, len(b.requests()))
	}
}

// TestSubagentAsks: what a subagent may not do by itself is put to the parent's users, and
// is denied, not dropped, where there are none.
func TestSubagentAsks(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(t *testing.T, s *Session, id event.ApprovalID)
		ran    int
		result string // of the subagent's call
	}{
		{"allowed", func(t *testing.T, s *Session, id event.ApprovalID) { answerWith(t, s, id, Decision{Allow: true}) }, 1, "worked"},
		{"denied", func(t *testing.T, s *Session, id event.ApprovalID) {
			answerWith(t, s, id, Decision{Reason: "not today"})
		}, 0, "not today"},
		{"no client", nil, 0, ownTexts[TextClientGone]},
		{"interrupted", func(_ *testing.T, s *Session, _ event.ApprovalID) { s.Interrupt() }, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			ran := 0
			work := workTool(func(context.Context, tool.Hooks, string) tool.Result { ran++; return tool.Result{Text: "worked"} })
			b := newBench(t, []fakeTool{work, delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
				call(toolCall("1", "task", `{}`)), call(toolCall("2", "work", `{}`)), say("child"), say("done"))
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Approvals = ApproveByMode{[]approval.Rule{{Tool: "task", Verdict: approval.Allow}}}
				settings.Mode = string(approval.Prompt)
			})
			if test.answer != nil {
				t.Cleanup(s.Attach(ClientInfo{}).Detach)
			}
			records := turnOf(t, s, "go", func(rec event.Record) {
				if e, ok := rec.Event.(event.ApprovalAsked); ok && test.answer != nil {
					if e.Call != "1" || e.Request.Tool != "work" {
						t.Errorf("asked %+v", e)
					}
					test.answer(t, s, e.ID)
				}
			})
			ended(t, records)
			if ran != test.ran || len(find[event.ApprovalAsked](records)) != 1 {
				t.Errorf("ran %d times, asked %d times", ran, len(find[event.ApprovalAsked](records)))
			}
			if test.result != "" {
				messages := b.requests()[2].Messages
				if got := messages[len(messages)-1].Blocks[0].Result.Text; got != test.result {
					t.Errorf("the subagent receives %q, want %q", got, test.result)
				}
			}
		})
	}
}

func answerWith(t *testing.T, s *Session, id event.ApprovalID, d Decision) {
	t.Helper()
	if err := s.anyClient().Answer(id, d); err != nil {
		t.Error(err)
	}
}

// TestSubagentQuestion: a question of a subagent reaches the parent's users, and the answer it.
func TestSubagentQuestion(t *testing.T) {
	asks := fakeTool{"ask", approval.Read, func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
		answers, err := hooks.Ask(ctx, []event.Question{{Text: "Which?"}})
		if err != nil {
			return tool.Failed(err.Error())
		}
		return tool.Result{Text: answers[0][0]}
	}}
	b := newBench(t, []fakeTool{asks, delegate(func(*tool.SubagentTask) {}, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "ask", `{}`)), say("child"), say("done"))
	s := b.session(t, nil)
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	ended(t, turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.QuestionAsked); ok {
			if err := s.anyClient().AnswerQuestion(e.ID, [][]string{{"this one"}}); err != nil {
				t.Error(err)
			}
		}
	}))
	messages := b.requests()[2].Messages
	if got := messages[len(messages)-1].Blocks[0].Result.Text; got != "this one" {
		t.Errorf("the subagent receives %q", got)
	}
}

// TestSubagentInterrupted: an interrupt reaches subagents of subagents, and all of them end
// before the turn does.
func TestSubagentInterrupted(t *testing.T) {
	hanging := make(chan struct{})
	var worked []tool.SubagentResult
	deeper := func(w *tool.SubagentTask) { w.Tasks = &TaskSettings{} }
	b := newBench(t, []fakeTool{delegate(deeper, func(w tool.SubagentResult) { worked = append(worked, w) })},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "task", `{}`)), hang("thinking", hanging))
	s := b.session(t, nil)
	go func() {
		<-hanging
		s.Interrupt()
	}()
	records := turnOf(t, s, "go", nil)
	if end := ended(t, records); end.Reason != event.TurnInterrupted {
		t.Errorf("the turn ended %s", end.Reason)
	}
	if len(worked) != 2 || worked[0].Reason != event.TurnInterrupted || worked[1].Reason != event.TurnInterrupted {
		t.Errorf("worked %+v", worked)
	}
	if len(find[event.SubagentEnded](records)) != 1 {
		t.Error("the subagent has no end")
	}
}

// TestSubagentFails: a failure of the model is one of the subagent, not of the turn.
func TestSubagentFails(t *testing.T) {
	var worked tool.SubagentResult
	b := newBench(t, []fakeTool{delegate(func(*tool.SubagentTask) {}, func(w tool.SubagentResult) { worked = w })},
		call(toolCall("1", "task", `{}`)), fail(&model.Error{Kind: model.Rejected, Message: "no"}), say("done"))
	if end := ended(t, turnOf(t, b.session(t, nil), "go", nil)); end.Reason != event.TurnCompleted {
		t.Errorf("the turn ended %s", end.Reason)
	}
	if worked.Reason != event.TurnFailed || !strings.Contains(worked.Error, "no") {
		t.Errorf("worked %+v", worked)
	}
}

// TestSubagentsOfOneTask: a subagent that continues a task knows the files that those before it have read.
func TestSubagentsOfOneTask(t *testing.T) {
	var known tool.KnownFiles
	b := newBench(t, []fakeTool{submitting(), delegate(func(w *tool.SubagentTask) { w.SubmitTool, w.Known = "", &known }, func(tool.SubagentResult) {})},
		call(toolCall("1", "task", `{}`)), call(toolCall("2", "read", `{"path":"a.txt"}`)), say("read"),
		call(toolCall("3", "task", `{}`)), call(toolCall("4", "write", `{"path":"a.txt","content":"two\n"}`)), say("written"),
		say("done"),
	)
	b.tools["read"], b.tools["write"] = tool.Read(), tool.Write()
	s := b.session(t, nil)
	path := filepath.Join(s.State().Workspace, "a.txt")
	write(t, path, "one\n")
	turnOf(t, s, "go", nil)
	if data, err := os.ReadFile(path); err != nil || string(data) != "two\n" {
		t.Errorf("the file has %q, %v", data, err)
	}
}
