package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A fakeHooks answers with a function a moment.
type fakeHooks map[event.HookMoment]func(ctx context.Context, r hook.Report) hook.Ruling

func (h fakeHooks) Has(m event.HookMoment, _ string) bool { return h[m] != nil }

func (h fakeHooks) Run(ctx context.Context, r hook.Report) hook.Ruling { return h[r.Moment](ctx, r) }

// always returns a hook with one answer.
func always(r hook.Ruling) func(context.Context, hook.Report) hook.Ruling {
	return func(context.Context, hook.Report) hook.Ruling { return r }
}

// hooked returns a bench with hooks.
func hooked(t testing.TB, hooks fakeHooks, tools []fakeTool, answers ...answerFunc) *bench {
	b := newBench(t, tools, answers...)
	b.hooks = hooks
	return b
}

// echo returns a tool that answers with its input.
func echo(name string, level approval.Level) fakeTool {
	return fakeTool{name, level, func(_ context.Context, _ tool.Hooks, input string) tool.Result { return tool.Result{Text: input} }}
}

// kindsOf returns the kinds of the durable records that matter here.
func kindsOf(records []event.Record) string {
	var kinds []string
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.HookRan:
			kinds = append(kinds, "hook "+string(e.Call))
		case event.ToolIntended:
			kinds = append(kinds, "intended "+string(e.Call))
		case event.ApprovalAsked:
			kinds = append(kinds, "asked "+string(e.Call))
		case event.ToolStarted:
			kinds = append(kinds, "started "+string(e.Call))
		case event.ToolEnded:
			kinds = append(kinds, string(e.Outcome)+" "+string(e.Call))
		case event.Notice:
			kinds = append(kinds, e.Code)
		case event.TurnEnded:
			kinds = append(kinds, string(e.Reason))
		}
	}
	return strings.Join(kinds, ", ")
}

func result(t testing.TB, records []event.Record, id event.CallID) event.ToolEnded {
	t.Helper()
	for _, e := range find[event.ToolEnded](records) {
		if e.Call == id {
			return e
		}
	}
	t.Fatalf("call %s has no end", id)
	return event.ToolEnded{}
}

var orders = map[string]CallOrder{"in sequence": Sequential, "side by side": Parallel, "in order": ParallelReads}

// TestHookRewrites: what users approve, and what runs, is what the hook has made of the
// input; the model's own words stay in its message.
func TestHookRewrites(t *testing.T) {
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			after := make(chan hook.Report, 1)
			b := hooked(t, fakeHooks{
				event.BeforeTool: func(_ context.Context, r hook.Report) hook.Ruling {
					own, err := r.Call.Fit(jsontext.Value(`{"text":"tame"}`))
					if _, bad := r.Call.Fit(jsontext.Value(`{"other":1}`)); err != nil || bad == nil || string(own) != `{"text":"tame"}` {
						t.Errorf("fit: %s, %v, %v", own, err, bad)
					}
					return hook.Ruling{Input: jsontext.Value(`{"text":"tame"}`), Ran: []event.HookRan{{Moment: r.Moment, Hook: "h", Call: r.Call.ID, Decision: event.HookAllowed, Rewrote: true}}}
				},
				event.AfterTool: func(_ context.Context, r hook.Report) hook.Ruling {
					after <- r
					return hook.Ruling{}
				},
			}, []fakeTool{echo("work", approval.Write)}, call(toolCall("a", "work", `{"text":"wild"}`)), say("ok"))
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Calls, settings.Mode, o.Approvals = order, "", ApproveEveryCall{}
			})
			defer s.Attach(ClientInfo{}).Detach()
			records := turnOf(t, s, "go", func(rec event.Record) {
				if e, ok := rec.Event.(event.ApprovalAsked); ok {
					if string(e.Input) != `{"text":"tame"}` {
						t.Errorf("the user is asked about %s", e.Input)
					}
					if err := s.anyClient().Answer(e.ID, Decision{Allow: true}); err != nil {
						t.Error(err)
					}
				}
			})
			ended(t, records)
			if got := kindsOf(records); got != "hook a, intended a, asked a, started a, succeeded a, completed" {
				t.Error(got)
			}
			if e := result(t, records, "a"); e.Output != `{"text":"tame"}` {
				t.Errorf("ran with %s", e.Output)
			}
			if in := find[event.ToolIntended](records)[0].Input; string(in) != `{"text":"tame"}` {
				t.Errorf("intended %s", in)
			}
			if said := b.requests()[1].Messages[1].Calls()[0].Input; string(said) != `{"text":"wild"}` {
				t.Errorf("the call in the history has the input %s", said)
			}
			r := <-after
			if string(r.Call.Input) != `{"text":"tame"}` || string(r.Call.OwnInput) != `{"text":"tame"}` || r.Result.Outcome != event.Succeeded || r.Result.Output != `{"text":"tame"}` {
				t.Errorf("the hooks after the call receive %+v %+v", r.Call, r.Result)
			}
		})
	}
}

// TestHookDenies: a denied call ends as one, no user is asked, and it never runs.
func TestHookDenies(t *testing.T) {
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			ran := workTool(func(context.Context, tool.Hooks, string) tool.Result {
				t.Error("a denied call has run")
				return tool.Result{}
			})
			b := hooked(t, fakeHooks{
				event.BeforeTool: always(hook.Ruling{Denied: true, Reason: "not here", Context: "[hook x] try y", Ran: []event.HookRan{{Hook: "x", Decision: event.HookDenied}}, Failed: []string{"bad luck"}}),
				event.AfterTool: func(context.Context, hook.Report) hook.Ruling {
					t.Error("asked about a call that never ran")
					return hook.Ruling{}
				},
			}, []fakeTool{ran}, call(toolCall("a", "work", `{}`)), say("ok"))
			s := b.session(t, func(o *Options, settings *event.Settings) { o.Calls, o.Approvals = order, ApproveEveryCall{} })
			defer s.Attach(ClientInfo{}).Detach()
			records := turnOf(t, s, "go", nil)
			ended(t, records)
			if got := kindsOf(records); got != "hook_failed, hook , intended a, denied a, completed" {
				t.Error(got)
			}
			if e := result(t, records, "a"); e.Output != "not here\n[hook x] try y" || e.Ran != 0 {
				t.Errorf("%+v", e)
			}
		})
	}
}

// TestHookOnly: hooks do not run for calls that cannot run, and receive both names of calls that can.
func TestHookOnly(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	hear := func(_ context.Context, r hook.Report) hook.Ruling {
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, fmt.Sprintf("%s %s %s %s %s", r.Moment, r.Call.Tool, r.Call.Shown, r.Call.Input, r.Call.OwnInput))
		return hook.Ruling{}
	}
	b := hooked(t, fakeHooks{event.BeforeTool: hear, event.AfterTool: hear}, []fakeTool{echo("work", approval.Write)},
		call(toolCall("a", "nothing", `{}`), toolCall("b", "shown", `{"text":1}`), toolCall("c", "shown", `[]`), toolCall("d", "shown", `{"of":"x"}`)), say("ok"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Toolset = []Binding{{
			Name: "shown", Tool: "work", Schema: jsontext.Value(`{"type":"object","properties":{"of":{"type":"string"}},"required":["of"],"additionalProperties":false}`),
			Adapt: func(jsontext.Value) (jsontext.Value, error) { return jsontext.Value(`{"text":"x"}`), nil },
		}}
	})
	ended(t, turnOf(t, s, "go", nil))
	want := []string{`before_tool work shown {"of":"x"} {"text":"x"}`, `after_tool work shown {"of":"x"} {"text":"x"}`}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}
}

// TestHookSays: the context of hooks follows the output of the call, and a command's own output
// can still be distinguished from it.
func TestHookSays(t *testing.T) {
	shell := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Result{Text: "out\n[exit code 1]", IsError: true, Shell: &event.ShellRun{ExitCode: 1, Note: "\n[exit code 1]"}}
	})
	var code int
	b := hooked(t, fakeHooks{
		event.BeforeTool: always(hook.Ruling{Context: "before"}),
		event.AfterTool: func(_ context.Context, r hook.Report) hook.Ruling {
			code = *r.Result.ExitCode
			return hook.Ruling{Context: "after"}
		},
	}, []fakeTool{shell}, call(toolCall("a", "work", `{}`)), say("ok"))
	records := turnOf(t, b.session(t, nil), "go", nil)
	ended(t, records)
	e := result(t, records, "a")
	if e.Output != "out\n[exit code 1]\nbefore\nafter" || strings.TrimSuffix(e.Output, e.Shell.Note) != "out" || code != 1 {
		t.Errorf("output %q, note %q, exit code %d", e.Output, e.Shell.Note, code)
	}
}

// TestHookFindsFault: a success that a hook does not accept is a failure, with what it has
// changed.
func TestHookFindsFault(t *testing.T) {
	writes := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Result{Text: "written", Changes: []event.FileChange{{Path: "a.go", Op: event.Created}}}
	})
	b := hooked(t, fakeHooks{event.AfterTool: always(hook.Ruling{Denied: true, Reason: "does not compile", Context: "see line 3"})},
		[]fakeTool{writes}, call(toolCall("a", "work", `{}`)), say("ok"))
	records := turnOf(t, b.session(t, nil), "go", nil)
	end := ended(t, records)
	e := result(t, records, "a")
	if e.Outcome != event.Failed || e.Output != "written\ndoes not compile\nsee line 3" || len(e.Changes) != 1 {
		t.Errorf("%+v", e)
	}
	if len(end.Mutations) != 1 || end.Mutations[0].Path != "a.go" {
		t.Errorf("mutations %+v", end.Mutations)
	}
	if r := b.requests()[1].Messages[2].Blocks[0].Result; !r.IsError || r.Text != e.Output {
		t.Errorf("the model receives %+v", r)
	}
}

// TestHooksTogether: the hooks of calls that run together are asked together, and what they
// decide is recorded in the model's order; in sequence each call is over before the next is
// asked about.
func TestHooksTogether(t *testing.T) {
	var together sync.WaitGroup
	together.Add(2)
	first := make(chan struct{})
	b := hooked(t, fakeHooks{event.BeforeTool: func(_ context.Context, r hook.Report) hook.Ruling {
		together.Done()
		together.Wait() // each waits for the other
		if r.Call.ID == "a" {
			<-first
		} else {
			defer close(first)
		}
		return hook.Ruling{Ran: []event.HookRan{{Call: r.Call.ID}}}
	}}, []fakeTool{lookTool()}, call(toolCall("a", "look", `{}`), toolCall("b", "look", `{}`)), say("ok"))
	records := turnOf(t, b.session(t, func(o *Options, _ *event.Settings) { o.Calls = Parallel }), "go", nil)
	ended(t, records)
	if got := kindsOf(records); !strings.HasPrefix(got, "hook a, hook b, intended a, intended b, ") {
		t.Error(got)
	}

	b = hooked(t, fakeHooks{event.BeforeTool: func(_ context.Context, r hook.Report) hook.Ruling {
		return hook.Ruling{Ran: []event.HookRan{{Call: r.Call.ID}}}
	}}, []fakeTool{lookTool()}, call(toolCall("a", "look", `{}`), toolCall("b", "look", `{}`)), say("ok"))
	records = turnOf(t, b.session(t, nil), "go", nil)
	ended(t, records)
	if got := kindsOf(records); got != "hook a, intended a, started a, succeeded a, hook b, intended b, started b, succeeded b, completed" {
		t.Error(got)
	}
}

// TestHookInOrder: the hook after a call with effects is done before a call that waits for it begins.
func TestHookInOrder(t *testing.T) {
	var mu sync.Mutex
	var order []string
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, text)
	}
	work := workTool(func(_ context.Context, _ tool.Hooks, input string) tool.Result {
		note("run " + input)
		return tool.Result{}
	})
	b := hooked(t, fakeHooks{event.AfterTool: func(_ context.Context, r hook.Report) hook.Ruling {
		note("after " + string(r.Call.Input))
		return hook.Ruling{}
	}}, []fakeTool{work}, call(toolCall("a", "work", `{"text":"a"}`), toolCall("b", "work", `{"text":"b"}`)), say("ok"))
	ended(t, turnOf(t, b.session(t, func(o *Options, _ *event.Settings) { o.Calls = ParallelReads }), "go", nil))
	if got := strings.Join(order, ", "); got != `run {"text":"a"}, after {"text":"a"}, run {"text":"b"}, after {"text":"b"}` {
		t.Error(got)
	}
}

// proceed returns a hook that does not let turns end.
func proceed(_ context.Context, r hook.Report) hook.Ruling {
	return hook.Ruling{
		Denied: true, Context: fmt.Sprintf("go on (%d)", r.End.Continued),
		Ran: []event.HookRan{{Moment: r.Moment, Hook: "h", Decision: event.HookContinued}},
	}
}

// TestHookGoesOn: a hook makes a turn go on three times after a prompt, then it ends all the same.
func TestHookGoesOn(t *testing.T) {
	var s *Session
	follow := func(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool) {
		if err := s.FollowUp(t.Context(), Prompt{Text: "one more"}); err != nil {
			t.Error(err)
		}
		say("2")(ctx, req, yield)
	}
	b := hooked(t, fakeHooks{event.AtTurnEnd: proceed}, nil, say("0"), say("1"), follow, say("after the follow-up"), say("1"), say("2"), say("3"))
	s = b.session(t, nil)
	records := turnOf(t, s, "go", nil)
	end := ended(t, records)
	var said []string
	for _, m := range find[event.UserMessage](records) {
		said = append(said, string(m.Via)+" "+model.Message{Blocks: m.Blocks}.Text())
	}
	want := []string{"prompt go", "engine go on (0)", "engine go on (1)", "follow_up one more", "engine go on (0)", "engine go on (1)", "engine go on (2)"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	if end.Reason != event.TurnCompleted || end.Steps != 7 || len(find[event.HookRan](records)) != 5 {
		t.Errorf("%+v, %d records", end, len(find[event.HookRan](records)))
	}
	if n := find[event.Notice](records); len(n) != 1 || !strings.Contains(n[0].Text, "once more") {
		t.Errorf("notices %+v", n)
	}
}

// TestHookAtOtherEnds: hooks run at the end of a turn that did not complete, and the turn ends.
func TestHookAtOtherEnds(t *testing.T) {
	for want, c := range map[event.TurnReason]struct {
		answers []answerFunc
		edit    func(*Options, *event.Settings)
	}{
		event.TurnFailed:    {[]answerFunc{fail(&model.Error{Kind: model.Rejected, Message: "no"})}, nil},
		event.TurnStepLimit: {[]answerFunc{call(toolCall("a", "look", `{}`)), call(toolCall("b", "look", `{}`))}, func(o *Options, _ *event.Settings) { o.StepLimit = 1 }},
	} {
		var reasons []event.TurnReason
		b := hooked(t, fakeHooks{event.AtTurnEnd: func(ctx context.Context, r hook.Report) hook.Ruling {
			reasons = append(reasons, r.End.Reason)
			return proceed(ctx, r)
		}}, []fakeTool{lookTool()}, c.answers...)
		records := turnOf(t, b.session(t, c.edit), "go", nil)
		if end := ended(t, records); end.Reason != want || len(reasons) != 1 || reasons[0] != want || len(find[event.HookRan](records)) != 0 {
			t.Errorf("%s: reported %v, ended %s", want, reasons, end.Reason)
		}
	}
}

// TestSteerDuringHook: what users say while a hook is asked about the end is not left behind.
func TestSteerDuringHook(t *testing.T) {
	var s *Session
	b := hooked(t, fakeHooks{event.AtTurnEnd: func(context.Context, hook.Report) hook.Ruling {
		if len(s.State().Steering) == 0 && s.State().Messages < 3 {
			if err := s.Steer(t.Context(), Prompt{Text: "wait"}); err != nil {
				t.Error(err)
			}
		}
		return hook.Ruling{}
	}}, nil, say("done"), say("waiting"))
	s = b.session(t, func(o *Options, _ *event.Settings) { o.Steers = SteerRunningTurn })
	if end := ended(t, turnOf(t, s, "go", nil)); end.Steps != 2 || s.State().Messages != 4 {
		t.Errorf("%+v, %d messages", end, s.State().Messages)
	}
}

// TestHookOfPrompt: a refused prompt fails its turn, and no model ever sees it.
func TestHookOfPrompt(t *testing.T) {
	sent := false
	b := hooked(t, fakeHooks{event.AtPrompt: func(_ context.Context, r hook.Report) hook.Ruling {
		if strings.Contains(r.Prompt, "secret") {
			return hook.Ruling{Denied: true, Reason: "no secrets", Ran: []event.HookRan{{Moment: r.Moment, Hook: "h", Decision: event.HookDenied}}}
		}
		if string(r.Sent) != "" && string(r.Sent) != `{"from":"ci"}` {
			t.Errorf("sent: %s", r.Sent)
		}
		sent = sent || string(r.Sent) != ""
		return hook.Ruling{Context: "it is Monday"}
	}}, nil, say("hello"), say("again"))
	s := b.session(t, nil)
	end := ended(t, turnOf(t, s, "my secret", nil))
	if end.Reason != event.TurnFailed || end.Failure.Kind != FailHook || end.Failure.Message != "no secrets" || len(b.requests()) != 0 {
		t.Errorf("%+v, %d requests", end, len(b.requests()))
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	records := turnOf(t, s, "hi", nil)
	ended(t, records)
	var texts []string
	for _, m := range b.requests()[0].Messages {
		texts = append(texts, m.Text())
	}
	if diff := cmp.Diff([]string{"hi", "it is Monday"}, texts); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Prompt(t.Context(), Prompt{Text: "hi", Sent: jsontext.Value(`{"from":"ci"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil || !sent {
		t.Errorf("the hook got what was sent: %t, %v", sent, err)
	}
}

// TestInterruptInHook: whatever hook a turn waits for, an interrupt ends it.
func TestInterruptInHook(t *testing.T) {
	for _, m := range []event.HookMoment{event.AtPrompt, event.BeforeTool, event.AfterTool, event.AtTurnEnd} {
		for name, order := range orders {
			t.Run(string(m)+", "+name, func(t *testing.T) {
				reached := make(chan hook.Report, 3)
				b := hooked(t, fakeHooks{m: func(ctx context.Context, r hook.Report) hook.Ruling {
					reached <- r
					<-ctx.Done()
					return hook.Ruling{}
				}}, []fakeTool{echo("work", approval.Write)}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`)), say("ok"), say("next"))
				s := b.session(t, func(o *Options, _ *event.Settings) { o.Calls = order })
				records := follow(t, s)
				if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
					t.Fatal(err)
				}
				report := <-reached
				s.Interrupt()
				turn := untilEnd(t, records, nil)
				if end := ended(t, turn); end.Reason != event.TurnInterrupted {
					t.Errorf("ended %s", end.Reason)
				}
				started := len(find[event.ToolStarted](turn))
				if m == event.BeforeTool && started != 0 {
					t.Errorf("%d calls began", started)
				}
				if m == event.AfterTool && result(t, turn, report.Call.ID).Outcome != event.Succeeded {
					t.Errorf("the call that had run: %+v", result(t, turn, report.Call.ID))
				}
				if len(find[event.HookRan](turn)) != 0 {
					t.Error("an interrupted hook decided something")
				}
			})
		}
	}
}

// TestHookPanics: a panic in hooks denies the call, and is reported.
func TestHookPanics(t *testing.T) {
	b := hooked(t, fakeHooks{
		event.BeforeTool: func(context.Context, hook.Report) hook.Ruling { panic("oh") },
		event.AtTurnEnd:  func(context.Context, hook.Report) hook.Ruling { panic("ah") },
	}, []fakeTool{lookTool()}, call(toolCall("a", "look", `{}`)), say("ok"))
	records := turnOf(t, b.session(t, func(o *Options, _ *event.Settings) { o.Calls = Parallel }), "go", nil)
	if end := ended(t, records); end.Reason != event.TurnCompleted {
		t.Errorf("%+v", end)
	}
	if got := kindsOf(records); got != "hook_failed, intended a, denied a, hook_failed, completed" {
		t.Error(got)
	}
}

// TestNoHookAfterInterrupt: no user is asked about a call, or a turn, that was interrupted.
func TestNoHookAfterInterrupt(t *testing.T) {
	running := make(chan struct{})
	stuck := workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
		close(running)
		<-ctx.Done()
		return tool.Failed("stopped")
	})
	asked := func(_ context.Context, r hook.Report) hook.Ruling {
		t.Errorf("asked at %s", r.Moment)
		return hook.Ruling{}
	}
	b := hooked(t, fakeHooks{event.AfterTool: asked, event.AtTurnEnd: asked}, []fakeTool{stuck}, call(toolCall("a", "work", `{}`)))
	s := b.session(t, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-running
	s.Interrupt()
	if end := ended(t, untilEnd(t, records, nil)); end.Reason != event.TurnInterrupted {
		t.Errorf("ended %s", end.Reason)
	}
}
