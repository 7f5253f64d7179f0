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

// contained returns a session that asks unless a call is trusted, with tools that write and edit.
func contained(t *testing.T, b *bench, edit func(*event.Settings)) *Session {
	t.Helper()
	b.tools["write"], b.tools["edit"] = tool.Write(), tool.Edit()
	s := b.session(t, func(o *Options, settings *event.Settings) {
		o.Calls, o.Approvals, o.Preview = ParallelReads, ApproveBySandbox{}, true
		settings.Asking, settings.Sandbox = approval.AskUnlessTrusted, approval.Sandbox{Kind: approval.SandboxWorkspace}
		if edit != nil {
			edit(settings)
		}
	})
	t.Cleanup(s.Attach(ClientInfo{}).Detach)
	return s
}

// answering gives each approval the next of these decisions.
func answering(t *testing.T, s *Session, decisions ...Decision) func(event.Record) {
	return func(rec event.Record) {
		e, ok := rec.Event.(event.ApprovalAsked)
		if !ok {
			return
		}
		if len(decisions) == 0 {
			t.Errorf("asked once too often: %+v", e.Request)
			decisions = []Decision{{}}
		}
		if err := s.anyClient().Answer(e.ID, decisions[0]); err != nil {
			t.Error(err)
		}
		decisions = decisions[1:]
	}
}

func TestProposalComesFirst(t *testing.T) {
	b := newBench(t, nil,
		call(toolCall("a", "write", `{"path":"x","content":"one\n"}`), toolCall("b", "edit", `{"path":"x","old":"one","new":"two"}`)),
		call(toolCall("c", "edit", `{"path":"x","old":"nothing","new":"two"}`)), say("ok"))
	s := contained(t, b, nil)
	records := turnOf(t, s, "go", answering(t, s, Decision{Allow: true}, Decision{Allow: true}))
	ended(t, records)
	proposed, done := find[event.ChangesProposed](records), find[event.ToolEnded](records)
	if len(proposed) != 2 || len(done) != 3 {
		t.Fatalf("%d proposals, %d ends", len(proposed), len(done))
	}
	for i, p := range proposed {
		done[i].Changes[0].Before = "" // nothing is stored for a proposal
		if p.Call != done[i].Call || p.Changes[0] != done[i].Changes[0] {
			t.Errorf("proposed %+v, done %+v", p, done[i])
		}
	}
	if !strings.Contains(proposed[1].Changes[0].Diff, "-one\n+two\n") {
		t.Errorf("the second change is %q", proposed[1].Changes[0].Diff)
	}
	if done[2].Outcome != event.Failed || len(find[event.ApprovalAsked](records)) != 2 {
		t.Errorf("an edit that cannot be made: %+v, asked %d times", done[2], len(find[event.ApprovalAsked](records)))
	}
}

// TestProposalIsBinding: a file that changed between the question and the answer is left alone.
func TestProposalIsBinding(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"one\n"}`)), say("ok"))
	s := contained(t, b, nil)
	path := filepath.Join(s.State().Workspace, "x")
	records := turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.ApprovalAsked); ok {
			if err := os.WriteFile(path, []byte("another program's\n"), 0o600); err != nil {
				t.Error(err)
			}
			if err := s.anyClient().Answer(e.ID, Decision{Allow: true}); err != nil {
				t.Error(err)
			}
		}
	})
	done := find[event.ToolEnded](records)[0]
	if data, _ := os.ReadFile(path); done.Outcome != event.Failed || string(data) != "another program's\n" {
		t.Errorf("%+v, and the file holds %q", done, data)
	}
}

// TestRemember: what was allowed for the session is not asked again, and settles what waits.
func TestRemember(t *testing.T) {
	b := newBench(t, nil,
		call(toolCall("a", "write", `{"path":"x","content":"1"}`)),
		call(toolCall("b", "write", `{"path":"x","content":"2"}`)),
		call(toolCall("c", "write", `{"path":"y","content":"3"}`)), say("ok"))
	s := contained(t, b, nil)
	records := turnOf(t, s, "go", answering(t, s, Decision{Allow: true, Remember: true}, Decision{}))
	done := find[event.ToolEnded](records)
	if done[1].Outcome != event.Succeeded || done[2].Outcome != event.Denied {
		t.Errorf("the same: %s, another: %s", done[1].Outcome, done[2].Outcome)
	}
}

func TestRememberSettlesWhatWaits(t *testing.T) {
	ran := 0
	run := fakeTool{"run", approval.Execute, func(context.Context, tool.Hooks, string) tool.Result {
		ran++
		return tool.Result{}
	}}
	b := newBench(t, nil, call(toolCall("a", "run", `{}`), toolCall("b", "run", `{}`)), say("ok"))
	b.tools["run"] = commandTool{run}
	s := contained(t, b, nil)
	first := true
	records := turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.ApprovalAsked); ok && first {
			first = false
			return
		} else if ok {
			// Both wait: the answer to one settles the other.
			if err := s.anyClient().Answer(e.ID, Decision{Allow: true, Remember: true}); err != nil {
				t.Error(err)
			}
		}
	})
	ended(t, records)
	answers := find[event.ApprovalAnswered](records)
	if ran != 2 || len(answers) != 2 || answers[1].By != event.ByPolicy {
		t.Errorf("%d ran; %+v", ran, answers)
	}
}

// A commandTool asks to run one and the same command.
type commandTool struct{ fakeTool }

func (c commandTool) Prepare(env *tool.Env, input jsonValue) (tool.Call, error) {
	call, err := c.fakeTool.Prepare(env, input)
	return commandCall{call, env.Workspace.Dir()}, err
}

type commandCall struct {
	tool.Call
	dir string
}

func (c commandCall) Request() approval.Request {
	return approval.Request{Level: approval.Execute, Command: "make all", Dir: c.dir}
}

func TestBrokenAnswerFailsTheCall(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
	s := contained(t, b, nil)
	records := turnOf(t, s, "go", answering(t, s, Decision{Broken: true, Reason: "approval request failed"}))
	done := find[event.ToolEnded](records)[0]
	if done.Outcome != event.Failed || done.Output != "approval request failed" {
		t.Errorf("%+v", done)
	}
	if by := find[event.ApprovalAnswered](records)[0].By; by != event.ByFault {
		t.Errorf("answered by %s", by)
	}
}

// TestSandboxReachesTheTool: where commands cannot be confined, a tool gets no sandbox when the user
// allowed the call, and a call that no user is asked about is refused.
func TestSandboxReachesTheTool(t *testing.T) {
	var got []approval.SandboxKind
	run := fakeTool{"run", approval.Execute, func(_ context.Context, hooks tool.Hooks, _ string) tool.Result {
		got = append(got, hooks.Sandbox.Kind)
		return tool.Result{}
	}}
	b := newBench(t, nil, call(toolCall("a", "run", `{}`)), say("ok"), call(toolCall("b", "run", `{}`)), say("ok"))
	b.tools["run"] = commandTool{run}
	s := contained(t, b, nil)
	turnOf(t, s, "go", answering(t, s, Decision{Allow: true}))
	if err := s.Change(func(settings *event.Settings) { settings.Asking = approval.AskNever }); err != nil {
		t.Fatal(err)
	}
	end := find[event.ToolEnded](turnOf(t, s, "go", answering(t, s)))[0]
	if len(got) != 1 || got[0] != approval.SandboxNone {
		t.Errorf("without anything that confines: %v", got)
	}
	if end.Outcome != event.Denied || !strings.Contains(end.Output, "cannot confine commands") {
		t.Errorf("with no one asked: %+v", end)
	}
}

func TestLookOnly(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()},
		call(toolCall("a", "write", `{"path":"x","content":"1"}`), toolCall("b", "look", `{}`)), say("ok"))
	b.info = scriptInfo
	b.info.Thinking = []model.Thinking{model.High}
	s := contained(t, b, nil)
	records := follow(t, s)
	temperature := 0.5
	tuning := Tuning{ReadOnly: true, Thinking: model.High, Window: 50_000, Instructions: "Only look.", Model: model.Tuning{Temperature: &temperature}}
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go", Turn: "mine", Tuning: tuning}); err != nil {
		t.Fatal(err)
	}
	turn := untilEnd(t, records, answering(t, s))
	done := find[event.ToolEnded](turn)
	if done[0].Outcome != event.Denied || done[1].Outcome != event.Succeeded || turn[0].Turn != "mine" {
		t.Errorf("turn %s: %+v", turn[0].Turn, done)
	}
	r := b.requests()[0]
	if r.Thinking != model.High || r.Tuning.Temperature != &temperature || !strings.Contains(r.System, "Only look.") {
		t.Errorf("the model was asked with %+v", r)
	}
	if end := ended(t, turn); end.Window != 50_000 {
		t.Errorf("window %d", end.Window)
	}
}

// TestThinking checks that a model gets a level that it has.
func TestThinking(t *testing.T) {
	for _, test := range []struct {
		has          []model.Thinking
		session, one model.Thinking // of the session, of the turn
		want         model.Thinking
	}{
		{nil, model.High, "", ""},
		{nil, "", "", ""},
		{nil, model.Off, model.High, ""},
		{[]model.Thinking{model.Low, model.High}, model.Off, "", model.Off},
		{[]model.Thinking{model.Low, model.High}, model.XHigh, "", model.High},
		{[]model.Thinking{model.Low, model.High}, model.High, model.Low, model.Low},
	} {
		b := newBench(t, nil, say("ok"))
		b.info = scriptInfo
		b.info.Thinking = test.has
		s := b.session(t, func(_ *Options, settings *event.Settings) { settings.Thinking = test.session })
		records := follow(t, s)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "go", Tuning: Tuning{Thinking: test.one}}); err != nil {
			t.Fatal(err)
		}
		untilEnd(t, records, nil)
		if r := b.requests()[0]; r.Thinking != test.want || r.Reasons != (test.has != nil) {
			t.Errorf("%+v: the model is asked for %q, it reasons: %t", test, r.Thinking, r.Reasons)
		}
	}
}

// TestDir: turns work where the settings say; a folder that is not there is an error of the
// prompt, and of nothing else.
func TestDir(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"), say("ok"))
	dir, err := Workspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := contained(t, b, func(settings *event.Settings) { settings.Asking = approval.AskNever })
	gone := filepath.Join(dir, "gone")
	if err := s.Change(func(settings *event.Settings) { settings.Dir = gone }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); !errors.Is(err, ErrNoFolder) {
		t.Errorf("a prompt where no folder is: %v", err)
	}
	if err := s.Change(func(settings *event.Settings) { settings.Dir = dir }); err != nil {
		t.Fatal(err)
	}
	turnOf(t, s, "go", nil)
	if _, err := os.Stat(filepath.Join(dir, "x")); err != nil {
		t.Error(err)
	}
	if got := s.State().Summary.Workspace; got != dir {
		t.Errorf("lists show %s", got)
	}
}

// TestSave: a session without a prompt is on disk once it is saved.
func TestSave(t *testing.T) {
	b := newBench(t, nil)
	s := b.session(t, nil)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	id := s.ID()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := b.host().Open(t.Context(), id, b.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := again.Save(); !errors.Is(err, ErrClosed) {
		t.Errorf("saving a closed session: %v", err)
	}
}

// TestPartialReasoningIsKept: what was shown of reasoning that was cut is in the record, and
// is not sent to a model again.
func TestPartialReasoningIsKept(t *testing.T) {
	think := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		if yield(model.Delta{Kind: model.ThinkingDelta, Text: "hm"}, nil) && yield(model.Delta{Kind: model.TextDelta, Block: 1, Text: "so"}, nil) {
			yield(model.Delta{}, &model.Error{Kind: model.Rejected, Message: "no more"})
		}
	}
	b := newBench(t, nil, think, say("ok"))
	s := b.session(t, nil)
	cut := find[event.AssistantMessage](turnOf(t, s, "go", nil))[0]
	if !cut.Partial || len(cut.Blocks) != 2 || cut.Blocks[0].Text != "hm" {
		t.Errorf("%+v", cut)
	}
	turnOf(t, s, "again", nil)
	for _, m := range b.requests()[1].Messages {
		for _, block := range m.Blocks {
			if block.Kind == model.KindThinking {
				t.Errorf("the model receives its cut reasoning: %+v", block)
			}
		}
	}
}

// TestUnconfine: a running call that the sandbox refused can ask to leave it only where the
// session asks on request, and a user who is there allows it.
func TestUnconfine(t *testing.T) {
	for _, row := range []struct {
		name   string
		asking approval.Asking
		leave  bool // no client is attached
		allow  bool
		asks   int
		want   string
	}{
		{"allowed", approval.AskOnRequest, false, true, 1, "runs with full-access"},
		{"denied", approval.AskOnRequest, false, false, 1, "the user denied this call"},
		{"no client", approval.AskOnRequest, true, false, 1, "no client can approve this call"},
		{"never", approval.AskNever, false, false, 0, tool.ErrUnasked.Error()},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBench(t, nil, call(toolCall("a", "run", `{}`)), say("ok"))
			b.tools["run"] = fakeTool{"run", approval.Read, func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
				s, err := hooks.Unconfine(ctx, "the sandbox refused it")
				if err != nil {
					return tool.Failed(err.Error())
				}
				return tool.Result{Text: "runs with " + string(s.Kind)}
			}}
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Approvals = ApproveBySandbox{}
				settings.Asking, settings.Sandbox = row.asking, approval.Sandbox{Kind: approval.SandboxWorkspace}
			})
			if !row.leave {
				t.Cleanup(s.Attach(ClientInfo{}).Detach)
			}
			records := turnOf(t, s, "go", func(rec event.Record) {
				if e, ok := rec.Event.(event.ApprovalAsked); ok && !row.leave {
					if e.Reason != "the sandbox refused it" {
						t.Errorf("asked with the reason %q", e.Reason)
					}
					if err := s.anyClient().Answer(e.ID, Decision{Allow: row.allow}); err != nil {
						t.Error(err)
					}
				}
			})
			done := find[event.ToolEnded](records)
			if asked := find[event.ApprovalAsked](records); len(asked) != row.asks || len(done) != 1 || done[0].Output != row.want {
				t.Errorf("asked %d times, %+v", len(asked), done)
			}
		})
	}
}

// TestForeignProgram: a command that would only look is asked about if the project's own
// program is the first of its name.
func TestForeignProgram(t *testing.T) {
	for path, asks := range map[string]int{"/usr/bin:/bin": 0, "bin:/usr/bin:/bin": 1} {
		b := newBench(t, nil, call(toolCall("a", "run", `{}`)), say("ok"))
		b.environ = []string{"PATH=" + path}
		b.tools["run"] = lsTool{fakeTool{"run", approval.Execute, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{} }}}
		s := contained(t, b, nil)
		records := turnOf(t, s, "go", func(rec event.Record) {
			if e, ok := rec.Event.(event.ApprovalAsked); ok {
				if err := s.anyClient().Answer(e.ID, Decision{}); err != nil {
					t.Error(err)
				}
			}
		})
		if asked := find[event.ApprovalAsked](records); len(asked) != asks {
			t.Errorf("with PATH=%s asked %d times, want %d", path, len(asked), asks)
		}
	}
}

// An lsTool asks to run a command that only looks.
type lsTool struct{ fakeTool }

func (l lsTool) Prepare(env *tool.Env, input jsonValue) (tool.Call, error) {
	call, err := l.fakeTool.Prepare(env, input)
	return lsCall{call}, err
}

type lsCall struct{ tool.Call }

func (lsCall) Request() approval.Request {
	return approval.Request{Level: approval.Execute, Command: "ls", Dir: "/"}
}
